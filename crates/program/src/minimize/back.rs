//! The way back from a smaller automaton to the original.
//!
//! For invariants each pass has its own way back, an [`Undo`]; together they are the list of
//! passes reversed. A run is taken back at once: the havocs that are left in the smaller automaton
//! have the original's inputs and the others have no influence, so the run is followed on the
//! original with the same values, and zero for those that are gone.

use super::Minimized;
use crate::cfa::{Cfa, LocationId};
use crate::scc::components;
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
/// is inductive for the one before it.
pub(super) trait Undo: fmt::Debug + Send + Sync {
    fn undo(&self, pool: &Pool, at: &mut Formulas);

    /// Gives an entry to the locations of loops that the pass has shown to have no second round, and that
    /// later passes therefore need not have kept. It costs what was known of a run before it came there.
    fn cut(&self, _: &Pool, _: &mut Formulas) {}
}

/// Gives entries to locations that have none.
pub(super) fn cut_at(locations: &[LocationId], pool: &Pool, at: &mut Formulas) {
    for &location in locations {
        if at.get(location).is_none() {
            at.insert(location, vec![pool.tru()]);
        }
    }
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
        self.lift(pool, invariant, false)
    }

    /// The same, if asked to with entries where passes have broken loops.
    fn lift(&self, pool: &Pool, invariant: &Invariant, cut: bool) -> Invariant {
        let mut at: Formulas = ArenaMap::default();
        for (location, formulas) in invariant.at.iter() {
            if let Some(&old) = self.original.get(location) {
                at.insert(old, formulas.clone());
            }
        }
        for step in self.undo.iter().rev() {
            if cut {
                step.cut(pool, &mut at);
            }
            step.undo(pool, &mut at);
        }
        Invariant { at }
    }
}

/// Whether every cycle passes through a location that has an entry.
fn cuts_all_cycles(cfa: &Cfa, at: &Formulas) -> bool {
    let index = |location: LocationId| location.into_raw().into_u32() as usize;
    let open = |location: LocationId| at.get(location).is_none();
    let edges: Vec<(usize, usize)> = cfa
        .edges
        .values()
        .filter(|edge| open(edge.from) && open(edge.to))
        .map(|edge| (index(edge.from), index(edge.to)))
        .collect();
    let components = components(cfa.locations.len(), &edges);
    edges.iter().all(|&(from, to)| from != to && components[from] != components[to])
}

impl Back for WayBack<'_> {
    type Before = Cfa;
    type After = Cfa;

    fn invariant(&self, invariant: Invariant) -> Option<Invariant> {
        let lifted = self.minimized.lift(self.pool, &invariant, false);
        match cuts_all_cycles(self.original, &lifted.at) {
            true => Some(lifted),
            false => Some(self.minimized.lift(self.pool, &invariant, true)),
        }
    }

    fn run(&self, run: Run) -> Option<Run> {
        follow_inputs(self.pool, self.original, &run)
    }
}
