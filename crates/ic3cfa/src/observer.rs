//! What the engine tells while it works, and the statistics made of it.
//!
//! The algorithm counts and prints nothing; it calls an [`Observer`], which may do either.

use std::time::{Duration, Instant};

/// A part of the algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Proving seeds.
    Seed,
    /// Asking whether obligations have predecessors.
    Block,
    /// Making lemmas stronger.
    Generalize,
    /// Moving lemmas to higher levels.
    Propagate,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 4] = [Phase::Seed, Phase::Block, Phase::Generalize, Phase::Propagate];
}

/// A technique that can be switched off; counted where it did something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// A cube was inductive by a lemma in its precondition ([Lan18, Theorem 4.5]).
    StaticInductivity,
    /// A generalization was read off such a lemma ([Lan18, Theorem 4.6]).
    PredecessorCube,
    /// An arrow assumes a literal ([Lan18, Theorem 4.4]).
    AssumedLiteral,
    /// A literal is a clause of the frame ([Lan18 §4.3.2]).
    DontCareLiteral,
    /// A generalization of the same cube was an upper bound ([Lan18, Theorem 4.7]).
    UpperBound,
    /// One of another cube was ([Lan18, Theorem 4.8]).
    ExtendedContext,
    /// One was a lower bound ([Lan18, Theorem 4.9]).
    LowerBound,
    /// A cube was replaced by the negation of an interpolant.
    Interpolant,
    /// A lemma was left out because the frame implies it.
    SemanticBlocking,
    /// Frames were equal although their clauses differ.
    SemanticTermination,
    /// One query asked about several arrows.
    JointQuery,
    /// A query was answered from memory.
    CachedAnswer,
    /// A query that was not critical came to its limit.
    NonCriticalLimit,
    /// A lemma that could not be propagated became an obligation.
    MayObligation,
    /// Such an obligation led to reachable states.
    MayRefuted,
}

impl Technique {
    /// All techniques.
    pub const ALL: [Technique; 15] = [
        Technique::StaticInductivity,
        Technique::PredecessorCube,
        Technique::AssumedLiteral,
        Technique::DontCareLiteral,
        Technique::UpperBound,
        Technique::ExtendedContext,
        Technique::LowerBound,
        Technique::Interpolant,
        Technique::SemanticBlocking,
        Technique::SemanticTermination,
        Technique::JointQuery,
        Technique::CachedAnswer,
        Technique::NonCriticalLimit,
        Technique::MayObligation,
        Technique::MayRefuted,
    ];
}

/// Hears of the engine's progress. All methods do nothing unless overridden.
pub trait Observer {
    /// The search starts, on so many nodes.
    fn begin(&mut self, nodes: usize) {
        let _ = nodes;
    }

    /// The frontier is now at this level; the lemmas by level, those of all levels last.
    fn frontier(&mut self, level: usize, lemmas: &[usize], obligations: usize) {
        let _ = (level, lemmas, obligations);
    }

    /// A lemma of so many literals was added.
    fn lemma(&mut self, level: usize, literals: usize) {
        let _ = (level, literals);
    }

    /// An obligation of so many literals was found.
    fn obligation(&mut self, level: usize, literals: usize) {
        let _ = (level, literals);
    }

    /// A solver was asked, and took this time.
    fn query(&mut self, phase: Phase, time: Duration) {
        let _ = (phase, time);
    }

    /// A question was answered without a solver.
    fn shortcut(&mut self, phase: Phase) {
        let _ = phase;
    }

    /// A technique did something.
    fn technique(&mut self, technique: Technique) {
        let _ = technique;
    }
}

/// Hears nothing.
impl Observer for () {}

/// Counters and times of a run.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// The nodes of the graph.
    pub nodes: usize,
    /// The frontier.
    pub level: usize,
    /// Lemmas by level when the frontier last moved, those of all levels last.
    pub lemmas_by_level: Vec<usize>,
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
    /// Time in solvers by phase.
    pub solver_time: [Duration; Phase::ALL.len()],
    /// How often each technique did something.
    pub techniques: [u64; Technique::ALL.len()],
    /// When counting began.
    pub started: Instant,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            nodes: 0,
            level: 0,
            lemmas_by_level: Vec::new(),
            lemmas: 0,
            literals: 0,
            obligations: 0,
            obligation_literals: 0,
            queries: Default::default(),
            shortcuts: Default::default(),
            solver_time: Default::default(),
            techniques: Default::default(),
            started: Instant::now(),
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

    /// How often a technique did something.
    pub fn count(&self, technique: Technique) -> u64 {
        self.techniques[technique as usize]
    }
}

impl Observer for Statistics {
    fn begin(&mut self, nodes: usize) {
        self.nodes = nodes;
    }

    fn frontier(&mut self, level: usize, lemmas: &[usize], _obligations: usize) {
        self.level = level;
        self.lemmas_by_level = lemmas.to_vec();
    }

    fn lemma(&mut self, _level: usize, literals: usize) {
        self.lemmas += 1;
        self.literals += literals as u64;
    }

    fn obligation(&mut self, _level: usize, literals: usize) {
        self.obligations += 1;
        self.obligation_literals += literals as u64;
    }

    fn query(&mut self, phase: Phase, time: Duration) {
        self.queries[phase as usize] += 1;
        self.solver_time[phase as usize] += time;
    }

    fn shortcut(&mut self, phase: Phase) {
        self.shortcuts[phase as usize] += 1;
    }

    fn technique(&mut self, technique: Technique) {
        self.techniques[technique as usize] += 1;
    }
}
