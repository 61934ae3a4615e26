//! What the engine tells while it works, and the statistics made of it.

use std::time::Duration;

/// What a solver is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Which predicates hold after an edge.
    Abstract,
    /// Whether a state is covered.
    Cover,
    /// Whether a path into the error location can be taken.
    Path,
    /// Which state on the path was too weak.
    Refine,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Purpose; 4] =
        [Purpose::Abstract, Purpose::Cover, Purpose::Path, Purpose::Refine];
}

/// Hears of the engine's progress. All methods do nothing unless overridden.
pub trait Observer {
    /// The search starts, on so many locations.
    fn begin(&mut self, locations: usize) {
        let _ = locations;
    }

    /// An abstract state of so many formulas was added.
    fn state(&mut self, formulas: usize) {
        let _ = formulas;
    }

    /// The last state that was added is covered by another.
    fn covered(&mut self) {}

    /// An infeasible path of so many edges was excluded by so many new predicates; so many states
    /// were removed.
    fn refinement(&mut self, edges: usize, predicates: usize, removed: usize) {
        let _ = (edges, predicates, removed);
    }

    /// A solver was asked, and took this time.
    fn query(&mut self, purpose: Purpose, time: Duration) {
        let _ = (purpose, time);
    }

    /// Interpolants were computed in this time.
    fn interpolated(&mut self, time: Duration) {
        let _ = time;
    }
}

/// Hears nothing.
impl Observer for () {}

/// Counters.
#[derive(Clone, Default, Debug)]
pub struct Statistics {
    /// The locations of the automaton that matter.
    pub locations: usize,
    /// Abstract states that were made.
    pub states: usize,
    /// How many of them were covered when they were made.
    pub covered: usize,
    /// Infeasible paths.
    pub refinements: usize,
    /// The longest of them.
    pub longest: usize,
    /// Predicates, counted by location.
    pub predicates: usize,
    /// States that refinements removed.
    pub removed: usize,
    /// Questions by [`Purpose`].
    pub queries: [u64; Purpose::ALL.len()],
    /// The time that they took.
    pub asking: Duration,
    /// The time that interpolants took.
    pub interpolating: Duration,
}

impl Observer for Statistics {
    fn begin(&mut self, locations: usize) {
        self.locations = locations;
    }

    fn state(&mut self, _: usize) {
        self.states += 1;
    }

    fn covered(&mut self) {
        self.covered += 1;
    }

    fn refinement(&mut self, edges: usize, predicates: usize, removed: usize) {
        self.refinements += 1;
        self.longest = self.longest.max(edges);
        self.predicates += predicates;
        self.removed += removed;
    }

    fn query(&mut self, purpose: Purpose, time: Duration) {
        self.queries[purpose as usize] += 1;
        self.asking += time;
    }

    fn interpolated(&mut self, time: Duration) {
        self.interpolating += time;
    }
}
