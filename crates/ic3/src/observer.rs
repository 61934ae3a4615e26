//! What the engine tells while it works, and the statistics made of it.
//!
//! The algorithm counts and prints nothing; it calls an [`Observer`], which may do either.

use std::time::{Duration, Instant};

/// A part of the algorithm, for measuring where the time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Making the system smaller; the solvers that it asks are not counted.
    Reduce,
    /// Looking for violations at the frontier, and all that the phases below don't take.
    Search,
    /// Asking whether an obligation has a predecessor.
    Block,
    /// Turning predecessors into cubes.
    Lift,
    /// Making lemmas stronger.
    Generalize,
    /// Moving lemmas to higher frames.
    Propagate,
    /// Looking for violations by unrolling; see [`crate::turns`].
    Unroll,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 7] = [
        Phase::Reduce,
        Phase::Search,
        Phase::Block,
        Phase::Lift,
        Phase::Generalize,
        Phase::Propagate,
        Phase::Unroll,
    ];
}

/// Hears of the engine's progress. All methods do nothing unless overridden.
pub trait Observer {
    /// The frontier is now at this frame.
    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], obligations: usize) {
        let _ = (frame, lemmas_per_frame, obligations);
    }

    /// A lemma of so many literals was added up to this frame.
    fn lemma(&mut self, frame: usize, literals: usize) {
        let _ = (frame, literals);
    }

    /// An obligation was found for a frame.
    fn obligation(&mut self, frame: usize) {
        let _ = frame;
    }

    /// A solver was asked, during the given phase.
    fn query(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// The algorithm entered a phase; it leaves it for another by the next call.
    fn enter(&mut self, phase: Phase) {
        let _ = phase;
    }
}

/// Hears nothing.
impl Observer for () {}

/// Counters and times of a run.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// The frontier.
    pub frames: usize,
    /// Lemmas by frame, when the frontier last moved.
    pub lemmas_per_frame: Vec<usize>,
    /// Lemmas found.
    pub lemmas: u64,
    /// Their literals.
    pub literals: u64,
    /// Obligations found.
    pub obligations: u64,
    /// Queries by phase.
    pub queries: [u64; Phase::ALL.len()],
    /// Time by phase.
    pub times: [Duration; Phase::ALL.len()],
    phase: Phase,
    since: Instant,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            frames: 0,
            lemmas_per_frame: Vec::new(),
            lemmas: 0,
            literals: 0,
            obligations: 0,
            queries: Default::default(),
            times: Default::default(),
            phase: Phase::Search,
            since: Instant::now(),
        }
    }
}

impl Statistics {
    /// All queries.
    pub fn total_queries(&self) -> u64 {
        self.queries.iter().sum()
    }
}

impl Observer for Statistics {
    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], _obligations: usize) {
        self.frames = frame;
        self.lemmas_per_frame = lemmas_per_frame.to_vec();
    }

    fn lemma(&mut self, _frame: usize, literals: usize) {
        self.lemmas += 1;
        self.literals += literals as u64;
    }

    fn obligation(&mut self, _frame: usize) {
        self.obligations += 1;
    }

    fn query(&mut self, phase: Phase) {
        self.queries[phase as usize] += 1;
    }

    fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.times[self.phase as usize] += now - self.since;
        self.since = now;
        self.phase = phase;
    }
}
