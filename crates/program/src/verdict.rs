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
