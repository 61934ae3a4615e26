//! Programs as engines see them.
//!
//! There are three forms, and the way from one to the next is this crate's subject:
//!
//! 1. A [`Program`] is what a front end delivers: functions, each a graph of locations and edges
//!    with one [`Instruction`] an edge; calls are calls, memory is bytes at addresses, and every
//!    access, operation and assertion that can go wrong is preceded by an
//!    [`Instruction::Check`]. The interpreter executes this form, and it is the reference
//!    for everything else.
//! 2. [`Procedures`] are one automaton a function, whose edges may be calls. Passes work on
//!    them: inlining, and making variables of memory.
//! 3. A [`Cfa`] is a control-flow automaton: one graph for the whole program, whose edges carry
//!    guarded commands over scalar and array variables (\[LPN18, Def. 1\]: assume, assign, havoc,
//!    sequence, choice). Engines work on this form.
//!
//! \[LPN18\] is Lange, Prinz, Neuhäußer, Noll, Katoen: *Improving Generalization in Software IC3*
//! (2018), \[Lan18\] is Lange: *IC3 Software Model Checking* (2018).
//!
//! Expressions in all are terms of the program's [`term::Pool`], without side effects.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod blocks;
pub mod builder;
pub mod cfa;
pub mod checks;
pub mod constants;
pub mod counterexample;
pub mod coverage;
pub mod execute;
pub mod explicit;
mod import;
pub mod interpret;
pub mod liveness;
pub mod minimize;
pub mod model;
pub mod open;
pub mod parameters;
pub mod place;
pub mod print;
pub mod procedures;
pub mod program;
pub mod property;
pub mod recursion;
pub mod region;
mod scc;
pub mod split;
pub mod symbolic;
mod terms;
pub mod verdict;
mod walk;
pub mod wellformed;
pub mod wep;

pub use cfa::{Cfa, Command};
pub use import::Imported;
pub use place::Place;
pub use procedures::Procedures;
pub use program::{Function, Instruction, Object, Program, Variable};
pub use property::Property;
pub use verdict::{Invariant, Proof, Run, Verdict};
pub use walk::{follow_inputs, follow_taken};
