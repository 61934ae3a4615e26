//! The way back from the automaton to the program.
//!
//! A run of the automaton gives the program the values of its havocs and, where it loads bytes that
//! nothing has written, what the automaton read there: with them the interpreter executes it.
//! There are no words in the program for an invariant of the automaton; a proof counts on the
//! automaton itself.

use super::Model;
use crate::cfa::Cfa;
use crate::interpret::{Limits, Recorded};
use crate::program::Program;
use crate::verdict::{Invariant, Run};
use passes::{Back, Form};
use std::convert::Infallible;

impl Form for Program {
    type Invariant = Infallible;
    type Run = Recorded;
}

/// The way back from [`Model::cfa`] to the program.
#[derive(Clone, Copy)]
pub struct WayBack<'a> {
    program: &'a Program,
    model: &'a Model,
    limits: &'a Limits,
}

impl Model {
    /// The way back to the program; following a run ends with the limits' deadline.
    ///
    /// Requires: this was made from `program`.
    pub fn back<'a>(&'a self, program: &'a Program, limits: &'a Limits) -> WayBack<'a> {
        WayBack { program, model: self, limits }
    }
}

impl Back for WayBack<'_> {
    type Before = Program;
    type After = Cfa;

    fn invariant(&self, _: Invariant) -> Option<Infallible> {
        None
    }

    /// Looks at the inputs of the run alone, so a run of a smaller automaton with the same inputs
    /// will do.
    fn run(&self, run: Run) -> Option<Recorded> {
        Some(Recorded::with_loads(self.model, &self.program.pool, &run, self.limits))
    }
}
