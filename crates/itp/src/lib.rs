//! Interpolation-based model checking.
//!
//! What can be reached is over-approximated step by step by Craig interpolants of refuted unrollings,
//! until nothing new comes: the rival that [Sch §IV] measures IC3 against. Programs are checked as the
//! circuits that `synth` makes of them.
//!
//! | file | subject |
//! |---|---|
//! | [`engine`] | the two loops of \[McM03\] |
//! | [`split`] | an unrolling in two parts, cut after its first step |
//! | [`reached`] | over-approximations as formulas over latches |
//! | [`clauses`] | an invariant that is a formula, as clauses |
//!
//! # References
//!
//! * \[McM03\] K. L. McMillan: *Interpolation and SAT-Based Model Checking*. CAV 2003.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod clauses;
pub mod engine;
pub mod reached;
pub mod split;

pub use engine::{Outcome, check, check_circuit};
pub use reached::Reached;
