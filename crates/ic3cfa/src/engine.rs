//! The engine: its state and its main loop, [Lan18, Algorithm 12].
//!
//! The special cases of that algorithm for counterexamples of length zero and one are none here:
//! the error node is given an obligation at frame k + 1 for k = 0, 1, …, whose predecessors are
//! the CTI regions.

use crate::begin::Partner;
use crate::consecution::NodeSolver;
use crate::cube::{Cube, Frames, Obligations};
use crate::generalize::context::Contexts;
use crate::graph::{Graph, NodeId};
use crate::joint::JointSolver;
use crate::observer::Observer;
use crate::options::{ObligationOrder, Options};
use crate::strategy::{Propagation, Settled, Strategy};
use la_arena::ArenaMap;
use lemmas::{INFINITE, ObligationId, Order};
use program::cfa::{Cfa, LocationId};
use program::verdict::{Invariant, Proof, Reason, Run, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Allowance, Solver, Solvers};
use std::rc::Rc;
use term::traverse::{disjuncts, free_vars};
use term::{Pool, Term};

/// IC3CFA on one automaton.
pub(crate) struct Engine<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) graph: Graph,
    pub(crate) strategy: Rc<Strategy>,
    pub(crate) frames: Frames,
    /// Where solvers come from.
    pub(crate) factory: &'a dyn Solvers,
    /// The solver of a node knows its frames; made when first asked.
    pub(crate) solvers: Vec<Option<NodeSolver>>,
    /// The solvers for all arrows into a node, where they are asked at once.
    pub(crate) joints: Vec<Option<JointSolver>>,
    /// Knows nothing; for questions about cubes alone.
    pub(crate) scratch: Box<dyn Solver>,
    pub(crate) obligations: Obligations,
    pub(crate) contexts: Contexts,
    /// The guards of the program that mention counters.
    pub(crate) predicates: Vec<Term>,
    /// Variables that some arrow computes by arithmetic.
    pub(crate) counters: FxHashSet<Term>,
    /// Whether seeds were planted.
    pub(crate) seeded: bool,
    /// Whether invariants that somebody else has proved are in the frames.
    pub(crate) told: bool,
    /// Lemmas that could not be propagated: from which frame, because of which node's frame,
    /// and when.
    pub(crate) failures: FxHashMap<(NodeId, Cube), (usize, NodeId, u64)>,
    /// Lemmas whose cubes are known to hold reachable states ([`crate::may`]).
    pub(crate) refuted: FxHashSet<(NodeId, Cube)>,
    /// The variables of formulas, as far as they were asked for.
    pub(crate) variables: FxHashMap<Term, Box<[Term]>>,
    /// Their sizes.
    pub(crate) sizes: FxHashMap<Term, usize>,
    /// The variables that stand for values after an arrow.
    pub(crate) primes: FxHashMap<Term, Term>,
    pub(crate) observer: &'a mut dyn Observer,
    /// Whom it asks what others know, and tells what it has come to.
    pub(crate) partner: &'a mut dyn Partner,
    /// Lemmas that another search had come to, and that every frame so far has ([`crate::begin`]).
    pub(crate) waiting: Vec<(NodeId, Cube)>,
    pub(crate) allowance: Allowance,
}

/// How a step of the algorithm ended it.
pub(crate) enum End {
    /// F_(i,ℓ) = F_(i+1,ℓ) for all ℓ, for this i.
    Fixpoint(usize),
    /// A run to the error begins in the obligation's cube.
    Violation(ObligationId),
    /// There is no answer.
    Stopped(Reason),
}

impl From<smt::Error> for End {
    fn from(error: smt::Error) -> Self {
        End::Stopped(Reason::GaveUp(error.to_string()))
    }
}

impl From<smt::Reason> for End {
    fn from(reason: smt::Reason) -> Self {
        End::Stopped(match reason {
            smt::Reason::Stopped(exhausted) => Reason::Stopped(exhausted),
            smt::Reason::Incomplete(_) => Reason::GaveUp(reason.to_string()),
        })
    }
}

/// The frame at which a search has become hard enough for seeds.
const SEED_FRAME: usize = 4;

/// Decides whether the error location is reachable.
pub fn check(
    pool: &Pool,
    cfa: &Cfa,
    options: &Options,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    check_with(pool, cfa, options, solvers, allowance, observer, &mut ())
}

/// As [`check`], with somebody who knows of other searches.
pub fn check_with(
    pool: &Pool,
    cfa: &Cfa,
    options: &Options,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
    partner: &mut dyn Partner,
) -> Verdict {
    match graph_or_verdict(pool, cfa) {
        Ok(graph) => {
            Engine::new(pool, graph, options, solvers, allowance, observer, partner).check(cfa)
        }
        Err(verdict) => *verdict,
    }
}

/// The graph of an automaton, unless the question is decided without one.
pub(crate) fn graph_or_verdict(pool: &Pool, cfa: &Cfa) -> Result<Graph, Box<Verdict>> {
    let (Some(initial), Some(error)) = (cfa.initial, cfa.error) else {
        // Without a start or an error there is no run into the error.
        let formula = pool.bool(cfa.initial.is_some());
        let at = cfa.locations.iter().map(|(id, _)| (id, vec![formula])).collect();
        return Err(Box::new(safe(at)));
    };
    if initial == error {
        return Err(Box::new(Verdict::Unsafe(Run::default())));
    }
    Ok(Graph::new(pool, cfa, initial, error))
}

/// Ends a run if its time is over or somebody stopped it.
pub(crate) fn check_allowance(allowance: &Allowance) -> Result<(), End> {
    match allowance.exhausted() {
        Some(exhausted) => Err(End::Stopped(exhausted.into())),
        None => Ok(()),
    }
}

/// A solver that knows nothing.
pub(crate) fn new_solver(factory: &dyn Solvers, allowance: &Allowance) -> Box<dyn Solver> {
    let mut solver = factory.general();
    solver.set_allowance(allowance.clone());
    solver
}

pub(crate) fn safe(at: ArenaMap<LocationId, Vec<Term>>) -> Verdict {
    Verdict::Safe(Proof::Inductive(Invariant { at }))
}

impl<'a> Engine<'a> {
    pub(crate) fn new(
        pool: &'a Pool,
        graph: Graph,
        options: &Options,
        factory: &'a dyn Solvers,
        allowance: &Allowance,
        observer: &'a mut dyn Observer,
        partner: &'a mut dyn Partner,
    ) -> Self {
        let scratch = new_solver(factory, allowance);
        let mut predicates: Vec<Term> =
            graph.arrows.iter().flat_map(|arrow| arrow.predicates(pool)).collect();
        predicates.sort_unstable();
        predicates.dedup();
        let counters = graph.counters(pool);
        predicates.retain(|p| free_vars(pool, &[*p]).iter().any(|v| counters.contains(v)));
        let nodes = graph.nodes.len();
        let order = match options.obligation_order {
            ObligationOrder::Smallest => Order::Smallest,
            ObligationOrder::Largest => Order::Largest,
            ObligationOrder::Random => Order::Random { seed: options.seed },
        };
        Engine {
            pool,
            strategy: Rc::new(Strategy::new(options)),
            frames: Frames::new(nodes),
            solvers: (0..nodes).map(|_| None).collect(),
            joints: (0..nodes).map(|_| None).collect(),
            factory,
            scratch,
            obligations: Obligations::distinct(order),
            contexts: Contexts::new(),
            predicates,
            counters,
            seeded: !options.seeds,
            told: false,
            failures: FxHashMap::default(),
            refuted: FxHashSet::default(),
            variables: FxHashMap::default(),
            sizes: FxHashMap::default(),
            primes: FxHashMap::default(),
            observer,
            partner,
            waiting: Vec::new(),
            allowance: allowance.clone(),
            graph,
        }
    }

    fn check(&mut self, cfa: &Cfa) -> Verdict {
        self.observer.begin(self.graph.nodes.len());
        self.begin();
        let end = self.run();
        if matches!(end, Err(End::Stopped(_))) {
            self.leave();
        }
        match end {
            Err(End::Fixpoint(frame)) => safe(self.invariant(cfa, frame)),
            Err(End::Violation(first)) => match self.counterexample(cfa, first) {
                Ok(run) => Verdict::Unsafe(run),
                Err(End::Stopped(reason)) => Verdict::Unknown(reason),
                Err(End::Fixpoint(_) | End::Violation(_)) => {
                    unreachable!("extraction asks about single steps")
                }
            },
            Err(End::Stopped(reason)) => Verdict::Unknown(reason),
            Ok(never) => match never {},
        }
    }

    /// [Lan18, Algorithm 12]; ends by one of the [`End`]s.
    fn run(&mut self) -> Result<std::convert::Infallible, End> {
        loop {
            self.take_lemmas()?;
            self.strengthen()?;
            if self.frames.frontier() >= SEED_FRAME {
                self.plant_seeds()?;
            }
            self.extend()?;
            self.plant()?;
            match self.strategy.propagation {
                Propagation::None => {}
                Propagation::Push | Propagation::PushAndTry => self.propagate()?,
            }
            debug_assert!(self.audit_if_small());
            if let Some(frame) = self.fixpoint()? {
                return Err(End::Fixpoint(frame));
            }
        }
    }

    /// Moves the frontier up.
    fn extend(&mut self) -> Result<(), End> {
        self.frames.extend();
        for node in 0..self.solvers.len() {
            self.extend_solver(node)?;
            self.extend_joint(node)?;
        }
        match self.strategy.settled {
            Settled::Forgotten => self.obligations.clear(),
            Settled::Reused => {}
        }
        let counts = self.frames.counts();
        self.observer.frontier(self.frames.frontier(), counts, self.obligations.len());
        Ok(())
    }

    /// Adds a lemma to F_(1,node), …, F_(frame,node).
    ///
    /// Requires: F_(i-1,ℓ) ∧ T_a ⇒ ¬cube' for i up to `frame` and every arrow a from ℓ to `node`.
    pub(crate) fn add_lemma(&mut self, node: NodeId, frame: usize, cube: Cube) -> Result<(), End> {
        if self.frames.add(node, frame, cube.clone()).is_new() {
            self.observer.lemma(frame, cube.len());
            self.assert_lemma(node, frame, &cube)?;
            for position in 0..self.graph.nodes[node].outgoing.len() {
                let to = self.graph.arrows[self.graph.nodes[node].outgoing[position]].to;
                self.assert_jointly(to, node, frame, &cube)?;
            }
        }
        Ok(())
    }

    /// Adds what somebody else has proved to all frames.
    fn take_lemmas(&mut self) -> Result<(), End> {
        let Some(invariant) = self.partner.proved() else { return Ok(()) };
        self.told = true;
        for node in 0..self.graph.nodes.len() {
            let Some(location) = self.graph.nodes[node].location else { continue };
            if node == self.graph.initial || node == self.graph.error {
                continue;
            }
            for &formula in invariant.at.get(location).into_iter().flatten() {
                let denied = disjuncts(self.pool, formula).into_iter().map(|d| self.pool.not(d));
                self.add_lemma(node, INFINITE, Cube::new(denied.collect()))?;
            }
        }
        Ok(())
    }

    pub(crate) fn check_allowance(&self) -> Result<(), End> {
        check_allowance(&self.allowance)
    }

    /// F_(frame,ℓ) for every location.
    fn invariant(&self, cfa: &Cfa, frame: usize) -> ArenaMap<LocationId, Vec<Term>> {
        let pool = self.pool;
        self.graph.by_location(pool, cfa, |node| {
            let lemmas = self.frames.lemmas(node, frame);
            lemmas.map(|cube| cube.negation(pool)).collect()
        })
    }
}
