//! Circuits as transition systems: formats, reductions, traces and certificates.
//!
//! * [`system`]: the bit-level [`TransitionSystem`] that the engines see.
//! * [`aiger`]: reader and writer of AIGER 1.9, ascii and binary.
//! * [`btor2`]: word-level systems, their reader, writer and simulator.
//! * [`reduction`]: smaller systems with the way back for traces and invariants;
//!   [`cone`] (of influence), [`ternary`] (simulation) and [`sweep`] make them.
//! * [`trace`] and [`invariant`]: what a violation and a proof are.
//! * [`certificate`]: proofs as circuits for independent checkers.
//! * [`explicit`]: a reference model checker for tiny systems; [`random`]: tiny systems.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod aiger;
pub mod btor2;
pub mod certificate;
pub mod cone;
pub mod explicit;
pub mod invariant;
pub mod place;
pub mod random;
pub mod reduction;
pub mod sweep;
pub mod system;
pub mod ternary;
pub mod trace;
pub mod verdict;

pub use invariant::{Clause, LatchLit};
pub use place::Place;
pub use reduction::{Fact, Image, Reduction, Targets};
pub use system::{Init, Latch, Signal, Source, SystemError, TransitionSystem};
pub use trace::{ReplayError, Trace, replay};
