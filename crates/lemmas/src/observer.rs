//! What an IC3 tells while it works, and the statistics made of it.
//!
//! The algorithm counts and prints nothing; it calls an [`Observer`], which may do either. An
//! engine with more to tell has a trait of its own that extends this one.

use std::time::{Duration, Instant};

/// A part of the algorithm, for measuring where the time goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Making the system smaller; the solvers that it asks are not counted.
    Reduce,
    /// Guessing lemmas, and proving the guesses.
    Seed,
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
    /// Looking for violations by unrolling, where an engine takes turns with IC3.
    Unroll,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 8] = [
        Phase::Reduce,
        Phase::Seed,
        Phase::Search,
        Phase::Block,
        Phase::Lift,
        Phase::Generalize,
        Phase::Propagate,
        Phase::Unroll,
    ];
}

/// Hears of an engine's progress. All methods do nothing unless overridden.
pub trait Observer {
    /// The search begins, on so many nodes.
    fn begin(&mut self, nodes: usize) {
        let _ = nodes;
    }

    /// The frontier is now at this frame.
    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], obligations: usize) {
        let _ = (frame, lemmas_per_frame, obligations);
    }

    /// A lemma of so many literals was added up to this frame.
    fn lemma(&mut self, frame: usize, literals: usize) {
        let _ = (frame, literals);
    }

    /// An obligation of so many literals was found for a frame.
    fn obligation(&mut self, frame: usize, literals: usize) {
        let _ = (frame, literals);
    }

    /// A solver was asked, during the given phase.
    fn query(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A solver took this time for a question. Engines whose questions are so small that looking
    /// at the clock would cost more tell of phases only.
    fn solver_time(&mut self, phase: Phase, time: Duration) {
        let _ = (phase, time);
    }

    /// A question was answered without a solver.
    fn shortcut(&mut self, phase: Phase) {
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
    /// The nodes.
    pub nodes: usize,
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
    /// Their literals.
    pub obligation_literals: u64,
    /// Queries by phase.
    pub queries: [u64; Phase::ALL.len()],
    /// Questions answered without a solver, by phase.
    pub shortcuts: [u64; Phase::ALL.len()],
    /// Time in solvers by phase, as far as the engine tells.
    pub solver_time: [Duration; Phase::ALL.len()],
    /// Time by phase, as far as the engine tells.
    pub times: [Duration; Phase::ALL.len()],
    phase: Phase,
    since: Instant,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            nodes: 1,
            frames: 0,
            lemmas_per_frame: Vec::new(),
            lemmas: 0,
            literals: 0,
            obligations: 0,
            obligation_literals: 0,
            queries: Default::default(),
            shortcuts: Default::default(),
            solver_time: Default::default(),
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

    /// All time in solvers.
    pub fn total_solver_time(&self) -> Duration {
        self.solver_time.iter().sum()
    }
}

impl Observer for Statistics {
    fn begin(&mut self, nodes: usize) {
        self.nodes = nodes;
    }

    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], _obligations: usize) {
        self.frames = frame;
        self.lemmas_per_frame = lemmas_per_frame.to_vec();
    }

    fn lemma(&mut self, _frame: usize, literals: usize) {
        self.lemmas += 1;
        self.literals += literals as u64;
    }

    fn obligation(&mut self, _frame: usize, literals: usize) {
        self.obligations += 1;
        self.obligation_literals += literals as u64;
    }

    fn query(&mut self, phase: Phase) {
        self.queries[phase as usize] += 1;
    }

    fn solver_time(&mut self, phase: Phase, time: Duration) {
        self.solver_time[phase as usize] += time;
    }

    fn shortcut(&mut self, phase: Phase) {
        self.shortcuts[phase as usize] += 1;
    }

    fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        self.times[self.phase as usize] += now - self.since;
        self.since = now;
        self.phase = phase;
    }
}
