//! The way back from a smaller automaton to the original.
//!
//! For invariants each pass has its own way back, an [`Undo`]; together they are the list of
//! passes reversed. A run is taken back at once: the havocs that are left in the smaller automaton
//! have the original's inputs and the others have no influence, so the run is followed on the
//! original with the same values, and zero for those that are gone.

use super::Minimized;
use crate::cfa::{Cfa, LocationId};
use crate::verdict::{Invariant, Run};
use crate::walk::follow_inputs;
use la_arena::ArenaMap;
use passes::{Back, Form};
use std::fmt;
use term::{Pool, Term};

impl Form for Cfa {
    type Invariant = Invariant;
    type Run = Run;
}

/// Formulas by location, as in [`Invariant`].
pub(super) type Formulas = ArenaMap<LocationId, Vec<Term>>;

/// Takes an invariant back over one pass.
///
/// Ensures: if the formulas are inductive for the automaton after the pass, what becomes of them
/// is inductive for the one before it. Cycles without formulas are those that no run goes round: the pass
/// has left out an edge of theirs.
pub(super) trait Undo: fmt::Debug + Send + Sync {
    fn undo(&self, pool: &Pool, at: &mut Formulas);
}

/// The way back from [`Minimized::cfa`] to the automaton that it was made from.
#[derive(Clone, Copy)]
pub struct WayBack<'a> {
    pool: &'a Pool,
    original: &'a Cfa,
    minimized: &'a Minimized,
}

impl Minimized {
    /// The way back to the original, which terms of the pool are on the edges of.
    ///
    /// Requires: this was made from `original`.
    pub fn back<'a>(&'a self, pool: &'a Pool, original: &'a Cfa) -> WayBack<'a> {
        WayBack { pool, original, minimized: self }
    }

    /// The invariant of the original automaton that an invariant of this one stands for; what
    /// [`WayBack`] does, which needs the original for runs only.
    ///
    /// Ensures: if `invariant` is inductive for [`Minimized::cfa`], the result is for the original.
    pub fn lift_invariant(&self, pool: &Pool, invariant: &Invariant) -> Invariant {
        let mut at: Formulas = ArenaMap::default();
        for (location, formulas) in invariant.at.iter() {
            if let Some(&old) = self.original.get(location) {
                at.insert(old, formulas.clone());
            }
        }
        for step in self.undo.iter().rev() {
            step.undo(pool, &mut at);
        }
        Invariant { at }
    }
}

impl Back for WayBack<'_> {
    type Before = Cfa;
    type After = Cfa;

    fn invariant(&self, invariant: Invariant) -> Option<Invariant> {
        Some(self.minimized.lift_invariant(self.pool, &invariant))
    }

    fn run(&self, run: Run) -> Option<Run> {
        follow_inputs(self.pool, self.original, &run)
    }
}
