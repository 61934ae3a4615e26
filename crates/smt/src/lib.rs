//! Satisfiability of terms.
//!
//! * [`solver`]: [`Solver`], the interface of all SMT solvers.
//! * [`bitblast`]: our own: Bool, bit-vectors, floats by bit-blasting onto a [`sat::Solver`];
//!   arrays and functions by lemmas on demand ([`arrays`], [`functions`]).
//! * [`z3`], [`process`]: Z3 as a library and any SMT-LIB solver as a program, behind the same
//!   interface.
//! * [`auto`]: the default, bit-blasting with Z3 for what is beyond it.
//! * [`boxes`], [`floats`]: float arithmetic by splitting ranges, and that beside bit-blasting.
//! * [`levels`]: the formulas of those that keep them themselves.
//! * [`solvers`]: [`Solvers`], the factory that engines are handed.
//! * [`cache`]: a layer over any solver that remembers answers.
//! * [`interpolate`]: Craig interpolants of two formulas or a sequence.
//! * [`script`]: SMT-LIB scripts, command by command.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod arrays;
pub mod auto;
pub mod bitblast;
pub mod boxes;
pub mod cache;
pub mod floats;
pub mod functions;
pub mod interpolate;
mod levels;
pub mod process;
pub mod script;
pub mod solver;
pub mod solvers;
pub mod z3;

pub use answer::{Allowance, Exhausted, Interrupt};
pub use auto::{Auto, Native, native};
pub use bitblast::BitBlast;
pub use boxes::Boxes;
pub use cache::Cached;
pub use floats::Floats;
pub use process::Process;
pub use solver::{Answer, Error, Reason, Solver, Statistics};
pub use solvers::{Solvers, Standard};
pub use z3::Z3;
