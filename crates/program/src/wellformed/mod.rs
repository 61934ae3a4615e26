//! What holds of every program and every automaton, as functions that tests and debug builds run.
//!
//! * [`check`]: the promises of a [`Program`](crate::Program), which a front end makes;
//! * [`Procedures::wellformed`](crate::Procedures::wellformed): those of procedures in which memory
//!   is variables;
//! * [`Cfa::wellformed`](crate::Cfa::wellformed): those of an automaton, which every pass keeps.

mod automaton;
mod procedures;
mod program;

pub use automaton::{Defect, End};
pub use procedures::ProcedureDefect;
pub use program::check;
