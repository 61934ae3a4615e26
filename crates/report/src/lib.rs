//! What Cairn hands on to people and to other tools.
//!
//! * [`counterexample`]: a run of a program, watched while the interpreter replays it.
//! * [`harness`]: a C file that drives the compiled program along such a run.
//! * [`expression`]: formulas of invariants as C expressions.
//! * [`invariant`]: the invariant of a proof at the loops of the source.
//! * [`witness`]: SV-COMP's witnesses, read and written.
//!
//! Nothing here prints, exits or looks at the clock; texts are returned.

pub mod counterexample;
pub mod expression;
pub mod harness;
pub mod invariant;
pub mod witness;
