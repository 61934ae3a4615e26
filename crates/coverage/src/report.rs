//! What is known in the end.

use crate::goal::{Goal, Kind};
use crate::status::Status;
use crate::suite::Suite;
use answer::Exhausted;
use program::Place;
use program::coverage::Map;
use program::program::Assumption;
use std::sync::Arc;

/// What is known of the goals of a program.
#[derive(Clone, Debug)]
pub struct Report {
    /// What there is to cover, goals of other kinds included.
    pub map: Map,
    /// The goals that were asked about, in the order of the source, with what is known.
    pub goals: Vec<Judged>,
    /// The test vectors.
    pub suite: Suite,
    /// Functions that nothing refers to.
    pub unused: Vec<(Arc<str>, Place)>,
    /// Values that are computed and never used.
    pub unused_values: Vec<UnusedValue>,
    /// Where runs were seen to end because of undefined behaviour, what it was, and how many did.
    pub ends: Vec<(Place, String, usize)>,
    /// What the answers rest on beside the text of the program.
    pub assumptions: Vec<Assumption>,
    /// What ended the search before all was known.
    pub exhausted: Option<Exhausted>,
    /// How many runs were executed, and how many cycles all together.
    pub runs: (u64, u64),
    /// From the beginning to the end.
    pub seconds: f64,
}

/// A goal, and what is known of it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The goal.
    pub goal: Goal,
    /// What is known.
    pub status: Status,
}

/// A value that is computed and never used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UnusedValue {
    /// Where it is assigned.
    pub place: Place,
    /// The variable.
    pub variable: Arc<str>,
    /// The function.
    pub function: Arc<str>,
}

/// How many goals there are of each status.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct Counts {
    pub covered: usize,
    pub infeasible: usize,
    pub open: usize,
    pub justified: usize,
}

impl Counts {
    /// All goals.
    #[must_use]
    pub fn all(&self) -> usize {
        self.covered + self.infeasible + self.open + self.justified
    }

    /// Counts one more.
    pub fn add(&mut self, status: &Status) {
        *match status {
            Status::Covered(_) => &mut self.covered,
            Status::Infeasible(_) => &mut self.infeasible,
            Status::Open(_) => &mut self.open,
            Status::Justified { .. } => &mut self.justified,
        } += 1;
    }
}

impl Report {
    /// Of a program without goals.
    #[must_use]
    pub fn empty(map: Map) -> Report {
        Report {
            map,
            goals: Vec::new(),
            suite: Suite::default(),
            unused: Vec::new(),
            unused_values: Vec::new(),
            ends: Vec::new(),
            assumptions: Vec::new(),
            exhausted: None,
            runs: (0, 0),
            seconds: 0.0,
        }
    }

    /// The counts of a kind, or of all.
    #[must_use]
    pub fn counts(&self, kind: Option<Kind>) -> Counts {
        let mut counts = Counts::default();
        let goals = self.goals.iter().filter(|judged| kind.is_none_or(|k| judged.goal.kind == k));
        goals.for_each(|judged| counts.add(&judged.status));
        counts
    }
}
