//! What engines answer about a [`Cfa`], with the evidence.
//!
//! [`Cfa`]: crate::Cfa

use crate::cfa::{EdgeId, InputId, LocationId};
pub use answer::Reason;
use la_arena::ArenaMap;
use term::{Term, Value};

/// An answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The error location is unreachable.
    Safe(Proof),
    /// It is reached.
    Unsafe(Run),
    /// Undecided.
    Unknown(Reason),
}

/// Why the error location is unreachable.
#[derive(Clone, Debug)]
pub enum Proof {
    /// An inductive invariant excludes it.
    Inductive(Invariant),
    /// Every run ends within this number of edges, and none reaches it.
    Exhausted {
        /// The length of the longest runs.
        depth: usize,
    },
    /// No run of up to k steps reaches it, and no k steps lead there from anywhere, where the
    /// invariant holds. The invariant itself is inductive, and need not exclude the error
    /// location; a step is a loop-free piece between locations that it has formulas for.
    KInductive {
        /// How many steps.
        k: usize,
        /// What is known to hold.
        invariant: Invariant,
    },
}

/// An inductive invariant by location: formulas that hold whenever a run is there, all of them.
///
/// Not every location needs one, but every cycle must pass through a location that has one, and
/// with the initial location (true, if nothing is said of it) as the starting point and false at
/// the error location, every loop-free piece between locations with formulas preserves them.
/// A location that is unreachable says `false`.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// The formulas, over the automaton's variables and [parameters](crate::parameters).
    pub at: ArenaMap<LocationId, Vec<Term>>,
}

impl Invariant {
    /// Adds the formulas of another one; if both are inductive, so are they together.
    pub fn add(&mut self, other: &Invariant) {
        for (location, formulas) in other.at.iter() {
            match self.at.get_mut(location) {
                Some(here) => {
                    let new = formulas.iter().filter(|formula| !here.contains(formula));
                    let new: Vec<Term> = new.copied().collect();
                    here.extend(new);
                }
                None => _ = self.at.insert(location, formulas.clone()),
            }
        }
    }
}

/// What a search that did not end had come to: formulas by location, each with the highest frame in which
/// it was known to hold, [`EVERY_FRAME`] if in all of them.
///
/// Another search may begin with them; it has to ask of each whether it holds there.
#[derive(Clone, Debug, Default)]
pub struct Unfinished {
    /// The formulas, over the automaton's variables.
    pub at: ArenaMap<LocationId, Vec<(usize, Term)>>,
}

/// The frame of what holds after any number of steps.
pub const EVERY_FRAME: usize = usize::MAX;

impl Unfinished {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.at.iter().all(|(_, formulas)| formulas.is_empty())
    }

    /// Adds the formulas of another one; of a formula that both have, the higher frame counts.
    pub fn add(&mut self, other: &Unfinished) {
        for (location, formulas) in other.at.iter() {
            let here = self.at.entry(location).or_default();
            here.extend(formulas);
            here.sort_unstable_by_key(|(frame, formula)| (*formula, std::cmp::Reverse(*frame)));
            here.dedup_by_key(|(_, formula)| *formula);
        }
    }
}

impl From<&Invariant> for Unfinished {
    fn from(invariant: &Invariant) -> Self {
        let of = |formulas: &Vec<Term>| formulas.iter().map(|f| (EVERY_FRAME, *f)).collect();
        Unfinished { at: invariant.at.iter().map(|(at, formulas)| (at, of(formulas))).collect() }
    }
}

/// A run into the error location.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The edges, the first from the initial location, the last to the error location.
    pub steps: Vec<Step>,
}

/// One edge of a run.
#[derive(Clone, Debug)]
pub struct Step {
    /// The edge.
    pub edge: EdgeId,
    /// The values of the havocs that were executed on the way through the edge's command, in
    /// order.
    pub inputs: Vec<(InputId, Value)>,
}
