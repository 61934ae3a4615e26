//! The outer loop ([Sch §III-E, F]) and the search ([Sch §II-C]).
//!
//! A search begins with IND'₂. If it works on many obligations without a new frame, it is ended and begun
//! anew with as many steps as it has frames, and with twice the patience; what is asked of bounded model
//! checking before, goes on from where it was. A suffix of too many paths is shortened, and then kept.
//!
//! At the fixpoint the frame is the invariant of an (i+1)-induction; where no single edge leads from it
//! to the error location, which is asked last, it is an inductive invariant by itself.

use crate::domains::Domains;
use crate::literal::{Cube, Literal, negation};
use crate::options::Options;
use crate::question::{About, Asked, Questions};
use crate::rotation::Strategy;
use crate::solver::{BoundSolver, Factory};
use crate::suffix;
use crate::system::{NodeId, RelationId, System};
use bounded::ProgramBmc;
use ic3cfa::activation::Activation;
use la_arena::ArenaMap;
use lemmas::{Frames, ObligationId, Obligations, Observer, Order, Phase};
use program::cfa::{Cfa, LocationId};
use program::verdict::{Invariant, Proof, Reason, Run, Step, Verdict};
use smt::{Allowance, Solver, Solvers};
use std::convert::Infallible;
use std::rc::Rc;
use term::{Pool, Term};

/// How a search ends.
pub(crate) enum End {
    /// F_(i,ℓ) = F_(i+1,ℓ) for all ℓ, for this i.
    Fixpoint(usize),
    /// The first steps lead into the cube of an obligation.
    Violation {
        /// They.
        first: Vec<Step>,
        /// The obligation.
        rest: ObligationId,
    },
    /// There was no progress at this frame.
    Abort(usize),
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

/// Decides whether the error location is reachable.
pub fn check(
    pool: &Pool,
    cfa: &Cfa,
    options: &Options,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    let (Some(initial), Some(error)) = (cfa.initial, cfa.error) else {
        // Without a start or an error there is no run into the error.
        let formula = pool.bool(cfa.initial.is_some());
        let at = cfa.locations.iter().map(|(id, _)| (id, vec![formula])).collect();
        return Verdict::Safe(Proof::Inductive(Invariant { at }));
    };
    if initial == error {
        return Verdict::Unsafe(Run::default());
    }
    let Some(bmc) = ProgramBmc::new(pool, cfa, solvers) else {
        return Verdict::Safe(Proof::Exhausted { depth: 0 });
    };
    let mut outer =
        Outer { pool, cfa, ends: [initial, error], options, solvers, allowance, observer, bmc };
    outer.bmc.set_allowance(allowance.clone());
    outer.run().unwrap_or_else(|verdict| *verdict)
}

/// What searches have in common.
struct Outer<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    ends: [LocationId; 2],
    options: &'a Options,
    solvers: &'a dyn Solvers,
    allowance: &'a Allowance,
    observer: &'a mut dyn Observer,
    bmc: ProgramBmc<'a>,
}

impl Outer<'_> {
    /// Searches with ever longer suffixes.
    fn run(&mut self) -> Result<Verdict, Box<Verdict>> {
        let (mut ind, mut limit) = (self.options.ind, self.options.abort_limit.max(1));
        let mut abort = self.options.abort;
        loop {
            let (system, suffix) = loop {
                let [initial, error] = self.ends;
                let mut system = System::new(self.pool, self.cfa, initial, error);
                match suffix::add(self.pool, self.cfa, &mut system, ind) {
                    Some(suffix) => break (system, suffix),
                    None if ind > 0 => (ind, abort) = (ind - 1, false),
                    None => return Err(unsupported("that many ways into the error location")),
                }
            };
            self.unroll(ind + 1)?;
            let domains = Domains::new(self.pool, self.cfa);
            if system.live.iter().flatten().any(|variable| !domains.has(*variable)) {
                return Err(unsupported("variables without order, such as arrays"));
            }
            let factory = Factory::new(self.options.solver, self.solvers, self.allowance);
            let nodes = system.locations.len();
            let mut search = Search {
                pool: self.pool,
                strategy: Strategy { rotate: self.options.rotation, drop: self.options.ld },
                domains,
                suffix,
                solvers: Vec::new(),
                lifters: Vec::new(),
                frames: Frames::new(nodes),
                obligations: Obligations::distinct(Order::LongestChain),
                factory: &factory,
                options: *self.options,
                abort_at: abort.then_some(limit),
                random: Shuffle(self.options.seed),
                observer: &mut *self.observer,
                allowance: self.allowance,
                system,
            };
            search.solvers.resize_with(search.system.relations.len(), || None);
            search.lifters.resize_with(search.system.relations.len(), || None);
            search.observer.begin(nodes);
            let Err(end) = search.run();
            match end {
                End::Fixpoint(frame) => return Ok(search.proof(self.cfa, frame, ind)),
                End::Violation { first, rest } => return Ok(search.violation(first, rest)),
                End::Stopped(reason) => return Ok(Verdict::Unknown(reason)),
                End::Abort(frame) => (ind, limit) = (frame.max(ind + 1), 2 * limit),
            }
        }
    }

    /// No run of so many edges ends in the error location, or there is a verdict.
    fn unroll(&mut self, depth: usize) -> Result<(), Box<Verdict>> {
        if self.bmc.depth() >= depth {
            return Ok(());
        }
        match self.bmc.check(depth, &mut ()) {
            Verdict::Unknown(_) if self.bmc.depth() >= depth => Ok(()),
            verdict => Err(Box::new(verdict)),
        }
    }
}

fn unsupported(what: &str) -> Box<Verdict> {
    Box::new(Verdict::Unknown(Reason::Unsupported { what: what.to_owned() }))
}

/// A relation's solver, and how it knows the frames.
pub(crate) struct Known {
    pub(crate) solver: Box<dyn BoundSolver>,
    activation: Activation,
}

/// One search.
pub(crate) struct Search<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) system: System,
    pub(crate) domains: Domains,
    /// The relations into the error location.
    pub(crate) suffix: Vec<RelationId>,
    pub(crate) frames: Frames<NodeId, Literal>,
    /// Each with the steps into its parent's cube.
    pub(crate) obligations: Obligations<NodeId, Literal, Rc<Vec<Step>>>,
    /// The solver of a relation knows its guard and the frames before it; made when first asked.
    pub(crate) solvers: Vec<Option<Known>>,
    /// Solvers that know nothing, for generalizing states before a relation.
    pub(crate) lifters: Vec<Option<Box<dyn BoundSolver>>>,
    pub(crate) factory: &'a Factory<'a>,
    pub(crate) options: Options,
    pub(crate) strategy: Strategy,
    /// The obligations at one frame after which the search ends.
    pub(crate) abort_at: Option<usize>,
    pub(crate) random: Shuffle,
    pub(crate) observer: &'a mut dyn Observer,
    allowance: &'a Allowance,
}

impl Search<'_> {
    /// MAIN of [Sch §II-C]; ends by one of the [`End`]s.
    fn run(&mut self) -> Result<Infallible, End> {
        loop {
            self.observer.enter(Phase::Search);
            self.strengthen()?;
            self.extend()?;
            self.observer.enter(Phase::Propagate);
            self.propagate()?;
            debug_assert!(self.audit_if_small());
            if let Some(frame) = self.frames.fixpoint() {
                return Err(End::Fixpoint(frame));
            }
        }
    }

    /// Moves the frontier up.
    fn extend(&mut self) -> Result<(), End> {
        self.frames.extend();
        let frontier = self.frames.frontier();
        for known in self.solvers.iter_mut().flatten() {
            known.activation.extend(self.pool, &mut *known.solver, frontier)?;
        }
        self.observer.frontier(frontier, self.frames.counts(), self.obligations.len());
        Ok(())
    }

    pub(crate) fn check_allowance(&self) -> Result<(), End> {
        match self.allowance.exhausted() {
            Some(exhausted) => Err(End::Stopped(exhausted.into())),
            None => Ok(()),
        }
    }

    /// Adds a lemma to F_(1,node), …, F_(frame,node).
    ///
    /// Requires: F_(i-1,m) ∧ T_r ⇒ ¬cube' for i up to `frame` and every relation r from m to `node`.
    pub(crate) fn add_lemma(&mut self, node: NodeId, frame: usize, lemma: Cube) -> Result<(), End> {
        if !self.frames.add(node, frame, lemma.clone()).is_new() {
            return Ok(());
        }
        self.observer.lemma(frame, lemma.len());
        let pool = self.pool;
        let clause = negation(pool, &self.domains, &lemma);
        for relation in &self.system.outgoing[node] {
            if let Some(known) = &mut self.solvers[*relation] {
                known.solver.assert(pool, known.activation.at(pool, frame, clause))?;
            }
        }
        Ok(())
    }

    /// Questions about states after a relation: formulas are its guard and the frame before it, without the
    /// premise's cube where the relation is a loop.
    pub(crate) fn questions(
        &mut self,
        relation: RelationId,
        frame: usize,
        premise: Option<&Cube>,
        phase: Phase,
    ) -> Result<Questions<'_>, End> {
        if self.solvers[relation].is_none() {
            self.make_solver(relation)?;
        }
        let known = self.solvers[relation].as_mut().expect("made above");
        let (pool, domains) = (self.pool, &self.domains);
        let through = &self.system.relations[relation];
        let is_loop = through.from == through.to;
        let clause: Vec<Term> = match premise {
            Some(cube) if is_loop => {
                let literals = cube.literals().iter();
                literals.map(|literal| pool.not(literal.formula(pool, domains))).collect()
            }
            _ => Vec::new(),
        };
        let of_initial = through.from == self.system.initial;
        let fixed = if of_initial { Vec::new() } else { vec![known.activation.frame(frame)] };
        Ok(Questions {
            pool,
            domains,
            solver: &mut *known.solver,
            observer: self.observer,
            phase,
            about: About::After(through),
            fixed,
            clause,
            weaken: self.options.bg,
        })
    }

    /// A solver that knows a relation's guard and what is known before it.
    fn make_solver(&mut self, relation: RelationId) -> Result<(), End> {
        let (pool, through) = (self.pool, &self.system.relations[relation]);
        let mut solver = self.factory.make();
        let mut activation = Activation::default();
        solver.assert(pool, through.guard)?;
        activation.extend(pool, &mut *solver, self.frames.frontier())?;
        for frame in 1..=self.frames.frontier() {
            for lemma in self.frames.at(through.from, frame) {
                let clause = negation(pool, &self.domains, lemma);
                solver.assert(pool, activation.at(pool, frame, clause))?;
            }
        }
        self.solvers[relation] = Some(Known { solver, activation });
        Ok(())
    }

    /// What the fixpoint proves.
    fn proof(&mut self, cfa: &Cfa, frame: usize, ind: usize) -> Verdict {
        let pool = self.pool;
        let mut at: ArenaMap<LocationId, Vec<Term>> =
            cfa.locations.iter().map(|(id, _)| (id, vec![pool.tru()])).collect();
        for location in &self.system.unreachable {
            at.insert(*location, vec![pool.fls()]);
        }
        for (node, location) in self.system.locations.iter().enumerate() {
            let lemmas = self.frames.lemmas(node, frame);
            let formulas: Vec<Term> =
                lemmas.map(|lemma| negation(pool, &self.domains, lemma)).collect();
            if !formulas.is_empty() {
                at.insert(*location, formulas);
            }
        }
        if ind == 0 || self.excludes_violations(cfa, frame) {
            at.insert(self.system.locations[self.system.error], vec![pool.fls()]);
            return Verdict::Safe(Proof::Inductive(Invariant { at }));
        }
        Verdict::Safe(Proof::KInductive { k: ind + 1, invariant: Invariant { at } })
    }

    /// Whether no edge leads from a frame to the error location, as far as little effort shows.
    fn excludes_violations(&mut self, cfa: &Cfa, frame: usize) -> bool {
        let Some(edges) = suffix::add(self.pool, cfa, &mut self.system, 0) else { return false };
        let count = self.system.relations.len();
        self.solvers.resize_with(count, || None);
        edges.into_iter().all(|relation| {
            let conflicts = self.options.conflicts;
            let Ok(mut questions) = self.questions(relation, frame, None, Phase::Search) else {
                return false;
            };
            questions.solver.set_work(Some(conflicts));
            // SAT? F_(i,m) ∧ T_e into the error location
            matches!(questions.ask(&[]), Ok(Asked::Unsat(_)))
        })
    }

    /// The run of an obligation's chain.
    fn violation(&self, first: Vec<Step>, rest: ObligationId) -> Verdict {
        let chain = self.obligations.chain(rest);
        let rest = chain.flat_map(|obligation| obligation.step.iter().cloned());
        Verdict::Unsafe(Run { steps: first.into_iter().chain(rest).collect() })
    }
}

/// The pseudo-random order in which assumptions are first tried.
pub(crate) struct Shuffle(u64);

impl Shuffle {
    /// The literals in another order.
    pub(crate) fn shuffled(&mut self, literals: &[Literal]) -> Vec<Literal> {
        let mut shuffled = literals.to_vec();
        for last in (1..shuffled.len()).rev() {
            // A linear congruence of Knuth's; the high bits are the good ones.
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = ((u128::from(self.0 >> 32) * (last as u128 + 1)) >> 32) as usize;
            shuffled.swap(last, at);
        }
        shuffled
    }
}
