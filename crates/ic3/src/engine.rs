//! The engine: its state and its main loop.
//!
//! The loop is [Bra11, Listing 1.1] with the order of \[EMB11\]: the frontier k moves up when
//! F_k has no bad states, then lemmas are propagated. Each named step has its own file.

use crate::activity::Activity;
use crate::block::Patience;
use crate::cube::{Cube, Frames, Obligations};
use crate::equivalence::Equivalences;
use crate::exchange::Member;
use crate::generalize::Generalizer;
use crate::lift::Lifter;
use crate::obstacle::Obstacles;
use crate::options::Options;
use crate::propagate::Propagation;
use crate::transition::Transition;
use circuit::verdict::{Proof, Reason, Verdict};
use circuit::{Clause, LatchLit, TransitionSystem};
use lemmas::{ObligationId, Observer, Order, Phase, Placement};
use sat::cone::ConeSolver;
use sat::{Allowance, Exhausted, Lit, Solver, Var};

/// The solver of those who have no reason for another: its questions are many, and small beside the
/// circuit (docs/benchmarks.md).
pub type StandardSolver = ConeSolver;

/// IC3 on one property of one system.
pub struct Ic3<'a, S> {
    pub(crate) transition: Transition<'a>,
    pub(crate) generalizer: Generalizer,
    pub(crate) propagation: Propagation,
    pub(crate) patience: Patience,
    pub(crate) frames: Frames,
    /// Entry i knows F_i ∧ C ∧ T.
    pub(crate) solvers: Vec<S>,
    /// Knows F_∞ ∧ C ∧ T.
    pub(crate) infinite: S,
    pub(crate) lifter: Lifter<S>,
    pub(crate) obligations: Obligations,
    pub(crate) activity: Activity,
    pub(crate) obstacles: Obstacles,
    pub(crate) equivalences: Equivalences,
    pub(crate) observer: &'a mut dyn Observer,
    /// Lemmas that another search had come to, and that every frame so far has ([`crate::begin`]).
    pub(crate) waiting: Vec<Cube>,
    /// The team, if the engine is not alone.
    pub(crate) member: Option<Member<'a>>,
    /// The work at which the run pauses; see [`crate::effort`].
    pub(crate) turn: Option<u64>,
    pub(crate) allowance: Allowance,
}

/// How a step of the algorithm ended it.
pub(crate) enum End {
    /// F_i = F_{i+1} for this i.
    Fixpoint(usize),
    /// A trace to a violation begins in the obligation's cube.
    Violation(ObligationId),
    /// A solver was stopped.
    Stopped(Exhausted),
}

impl From<Exhausted> for End {
    fn from(exhausted: Exhausted) -> Self {
        End::Stopped(exhausted)
    }
}

impl<'a, S: Solver + Default> Ic3<'a, S> {
    /// The engine for one bad property, given by its index.
    ///
    /// # Panics
    /// If the system has no such property.
    pub fn new(
        system: &'a TransitionSystem,
        property: usize,
        options: Options,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let transition = Transition::new::<S>(system, property);
        let lifter = Lifter::new(options.lifting, transition.functions());
        let infinite = transition.step();
        let activity = Activity::new(system.latches.len(), options.ordering, options.seed);
        let mut engine = Ic3 {
            generalizer: Generalizer::new(&options),
            propagation: Propagation::new(&options),
            patience: Patience::new(&options),
            frames: Frames::new(1),
            solvers: Vec::new(),
            infinite,
            lifter,
            obligations: Obligations::new(Order::LongestChain),
            activity,
            obstacles: Obstacles::new(options.keep_obstacles),
            equivalences: Equivalences::new(&options),
            observer,
            transition,
            waiting: Vec::new(),
            member: None,
            turn: None,
            allowance: Allowance::default(),
        };
        engine.solvers.push(engine.initial_solver());
        engine
    }

    /// What the run may use; its work is the conflicts of one question.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
        let solvers = self.solvers.iter_mut().chain([&mut self.infinite, self.lifter.solver_mut()]);
        for solver in solvers {
            solver.set_allowance(self.allowance.clone());
        }
    }

    /// Lets the engine share lemmas with others that work on the same property of the same
    /// system.
    pub fn join(&mut self, member: Member<'a>) {
        self.member = Some(member);
    }

    /// Decides the property. A run that was stopped can be resumed: whatever was added to the
    /// frames before is justified, and obligations that got lost are found again.
    pub fn check(&mut self) -> Verdict {
        let end = self.run();
        // The phase in which the run ended is over, and its time counts.
        self.observer.enter(Phase::Search);
        match end {
            Err(End::Fixpoint(frame)) => Verdict::Safe(Proof::Inductive(self.invariant(frame))),
            Err(End::Violation(first)) => Verdict::Unsafe(self.trace(first)),
            Err(End::Stopped(exhausted)) => Verdict::Unknown(Reason::Stopped(exhausted)),
            Ok(never) => match never {},
        }
    }

    /// [Bra11, Listing 1.1]; ends by one of the [`End`]s.
    fn run(&mut self) -> Result<std::convert::Infallible, End> {
        loop {
            self.observer.enter(Phase::Search);
            self.strengthen()?;
            self.extend();
            self.observer.enter(Phase::Propagate);
            self.plant()?;
            self.propagate()?;
            debug_assert!(self.audit_if_small());
        }
    }

    /// Moves the frontier up: F_{k+1} has the lemmas of F_∞ only.
    fn extend(&mut self) {
        self.frames.extend();
        let mut solver = self.transition.step::<S>();
        for lemma in self.frames.infinite(()) {
            solver.add_clause(&lemma.negation());
        }
        solver.set_allowance(self.allowance.clone());
        self.solvers.push(solver);
        self.take_over_waiting();
        self.patience.renew(&mut self.obligations);
        let (frames, waiting) = (&self.frames, self.obligations.len());
        self.observer.frontier(frames.frontier(), frames.counts(), waiting);
    }

    /// I ∧ C ∧ T
    fn initial_solver(&self) -> S {
        let mut solver = self.transition.step::<S>();
        for literal in self.transition.init() {
            solver.add_clause(&[literal]);
        }
        solver
    }

    /// Adds a lemma that this engine has found to F_1, …, F_frame.
    ///
    /// Requires: I ⇒ ¬cube, F_{frame-1} ∧ ¬cube ∧ C ∧ T ⇒ ¬cube', and 1 ≤ frame ≤ k.
    pub(crate) fn add_lemma(&mut self, frame: usize, cube: Cube) {
        if self.insert_lemma(frame, cube.clone()) {
            self.observer.lemma(frame, cube.len());
            self.post(frame, &cube);
        }
    }

    /// Adds a lemma to F_1, …, F_frame, in the books and in the solvers. Returns whether it is
    /// new.
    pub(crate) fn insert_lemma(&mut self, frame: usize, cube: Cube) -> bool {
        let clause = cube.negation();
        let Placement::Added { first } = self.frames.add((), frame, cube.clone()) else {
            return false;
        };
        self.obstacles.add_lemma(frame, &cube);
        for solver in &mut self.solvers[first..=frame] {
            solver.add_clause(&clause);
        }
        true
    }

    /// F_i as clauses over latches.
    fn invariant(&self, frame: usize) -> Vec<Clause> {
        self.frames.lemmas((), frame + 1).map(clause).collect()
    }

    /// The lemmas and the frontier, for statistics and tests.
    pub fn frames(&self) -> &Frames {
        &self.frames
    }
}

/// The cube that a clause over latches denies.
pub(crate) fn denied(clause: &Clause) -> Cube {
    Cube::new(clause.iter().map(|l| Var::new(l.latch).lit(!l.value)).collect())
}

/// The clause over latches that denies a cube.
pub(crate) fn clause(cube: &Cube) -> Clause {
    cube.literals().iter().map(|l| latch_literal(!*l)).collect()
}

/// The literal as circuits name it.
fn latch_literal(literal: Lit) -> LatchLit {
    LatchLit::new(literal.var().index(), literal.is_pos())
}
