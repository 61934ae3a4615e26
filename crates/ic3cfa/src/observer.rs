//! What the engine tells while it works, beyond what every IC3 does, and the statistics made of it.
//!
//! The algorithm counts and prints nothing; it calls an [`Observer`], which may do either.

use std::time::Duration;

pub use lemmas::Phase;

/// The phases of which the engines of this crate tell.
pub const PHASES: [Phase; 4] = [Phase::Seed, Phase::Block, Phase::Generalize, Phase::Propagate];

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
pub trait Observer: lemmas::Observer {
    /// A technique did something.
    fn technique(&mut self, technique: Technique) {
        let _ = technique;
    }

    /// A solver was asked, and took this time.
    fn asked(&mut self, phase: Phase, time: Duration) {
        self.query(phase);
        self.solver_time(phase, time);
    }
}

/// Hears nothing.
impl Observer for () {}

/// Counters and times of a run.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// What every IC3 counts.
    pub search: lemmas::Statistics,
    /// How often each technique did something.
    pub techniques: [u64; Technique::ALL.len()],
}

impl Statistics {
    /// How often a technique did something.
    pub fn count(&self, technique: Technique) -> u64 {
        self.techniques[technique as usize]
    }
}

impl lemmas::Observer for Statistics {
    fn begin(&mut self, nodes: usize) {
        self.search.begin(nodes);
    }

    fn frontier(&mut self, frame: usize, lemmas_per_frame: &[usize], obligations: usize) {
        self.search.frontier(frame, lemmas_per_frame, obligations);
    }

    fn lemma(&mut self, frame: usize, literals: usize) {
        self.search.lemma(frame, literals);
    }

    fn obligation(&mut self, frame: usize, literals: usize) {
        self.search.obligation(frame, literals);
    }

    fn query(&mut self, phase: Phase) {
        self.search.query(phase);
    }

    fn solver_time(&mut self, phase: Phase, time: Duration) {
        self.search.solver_time(phase, time);
    }

    fn shortcut(&mut self, phase: Phase) {
        self.search.shortcut(phase);
    }
}

impl Observer for Statistics {
    fn technique(&mut self, technique: Technique) {
        self.techniques[technique as usize] += 1;
    }
}
