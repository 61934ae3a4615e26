//! Bounded engines: they unroll the transition relation.
//!
//! * [`unroll`]: the steps of a trace as gates of one graph in one solver.
//! * [`bmc`]: violations by increasing length.
//! * [`kind`]: k-induction, with states that are pairwise different on demand.
//! * [`program`]: bounded model checking and k-induction of control-flow automata.
//!
//! The engines for circuits ask CaDiCaL: their questions are few and hard, unlike those of IC3.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod bmc;
pub mod kind;
pub mod program;
pub mod unroll;

pub use bmc::Bmc;
pub use kind::KInduction;
pub use program::ProgramBmc;
pub use program::induction::ProgramInduction;

/// Hears how far a bounded engine has come: no violation takes fewer steps than `depth`.
pub trait Observer {
    /// The engine goes on to this depth.
    fn depth(&mut self, depth: usize) {
        let _ = depth;
    }
}

/// Hears nothing.
impl Observer for () {}
