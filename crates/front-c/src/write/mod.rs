//! What is found about a program, written in C.
//!
//! * [`expression`]: formulas as C expressions.
//! * [`harness`]: a C file that drives the compiled program along a run.
//! * [`uninitialized`]: copies of the program that set what the run finds uninitialized.

pub mod expression;
pub mod harness;
mod uninitialized;
