//! What Cairn hands on to people and to other tools.
//!
//! * [`counterexample`]: a run of a program, watched while the interpreter replays it.
//! * [`harness`]: a C file that drives the compiled program along such a run.
//! * [`uninitialized`]: copies of the program that set what the run finds uninitialized.
//! * [`expression`]: formulas of invariants as C expressions.
//! * [`invariant`]: the invariant of a proof at the loops of the source.
//! * [`result`]: the result of a check as a document, in JSON.
//! * [`explain`]: that document in words.
//! * [`witness`]: SV-COMP's witnesses, read and written.
//!
//! Nothing here prints, exits or looks at the clock; texts are returned.

pub mod counterexample;
pub mod explain;
pub mod expression;
pub mod harness;
pub mod invariant;
pub mod result;
pub mod uninitialized;
pub mod witness;
