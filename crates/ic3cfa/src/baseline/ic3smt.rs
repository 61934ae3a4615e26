//! IC3-SMT: the program counter as a variable ([Lan18 §4.1]).
//!
//! States are valuations of the program's variables and of the bits of *pc*; there is one
//! transition relation T, the disjunction of all arrows, one sequence of frames and one solver.
//! The initial states are pc = ℓ₀, the bad ones pc = ℓ_E. Predecessors are exact preimages by the
//! arrow that the model takes, as the paper recommends; literals of a cube are the bits of pc and
//! formulas about the other variables, and generalization tries to drop all of them alike.
//!
//! Invariants, with I the initial states:
//! * F_0 = I, F_i ⇒ F_(i+1), F_i ∧ T ⇒ F_(i+1)';
//! * a lemma's cube has a bit of pc that differs from ℓ₀'s, so that I ⇒ lemma.

use super::{NON_CRITICAL_CONFLICTS, Task, decide};
use crate::activation::Activation;
use crate::counterexample::Chain;
use crate::cube::{Cube, Frames, Obligations};
use crate::engine::{End, safe};
use crate::graph::{ArrowId, NodeId};
use crate::observer::{Observer, Phase};
use crate::predecessor::cube_of_states;
use crate::strategy::Predecessors;
use lemmas::{INFINITE, Obligation, ObligationId, Order};
use program::cfa::Cfa;
use program::execute::Values;
use program::verdict::Verdict;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Allowance, Answer, Solver, Solvers};
use std::time::Instant;
use term::traverse::{free_vars, rewrite, substitute};
use term::{Pool, Sort, Term, Value};

/// How many times longer than the frontier is high a chain of obligations may become.
const CHAIN: usize = 2;

/// Decides whether the error location is reachable.
pub fn check(
    pool: &Pool,
    cfa: &Cfa,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Verdict {
    decide(pool, cfa, solvers, allowance, observer, |task| {
        let mut engine = Ic3Smt::new(task)?;
        match engine.run() {
            Err(End::Fixpoint(frame)) => Ok(safe(engine.invariant(cfa, frame))),
            Err(End::Violation(first)) => {
                let chain = Chain::from_obligation(&engine.obligations, first);
                engine.task.counterexample(cfa, &chain)
            }
            Err(stopped) => Err(stopped),
            Ok(never) => match never {},
        }
    })
}

/// The only sequence of frames.
const ALL: NodeId = 0;

struct Ic3Smt<'a> {
    task: Task<'a>,
    /// The bits of pc, lowest first.
    pc: Vec<Term>,
    /// What formulas are after a step; variables first.
    primed: FxHashMap<Term, Term>,
    /// The literals that stand for taking arrows.
    taken: Vec<Term>,
    /// Knows T and the frames.
    solver: Box<dyn Solver>,
    /// From 1 on: F_0 is assumed as pc = ℓ₀.
    activation: Activation,
    frames: Frames,
    /// Cubes of obligations do not mention pc: the node does.
    obligations: Obligations,
}

/// What a query about a cube says.
enum Relative {
    Inductive {
        core: Vec<Term>,
        framed: bool,
    },
    /// By this arrow.
    Reachable(ArrowId),
    Undecided,
}

impl<'a> Ic3Smt<'a> {
    fn new(task: Task<'a>) -> Result<Self, End> {
        let (pool, graph) = (task.pool, &task.graph);
        let width = usize::BITS - (graph.nodes.len() - 1).leading_zeros();
        let fresh = |name: &str| pool.fresh_var(name, Sort::Bool);
        let pc: Vec<Term> = (0..width).map(|_| fresh("pc")).collect();
        let mut primed: FxHashMap<Term, Term> = pc.iter().map(|b| (*b, fresh("pc'"))).collect();
        for (variable, _) in graph.arrows.iter().flat_map(|arrow| &arrow.effect.assigned) {
            let prime = || pool.fresh_var("next", pool.sort(*variable));
            primed.entry(*variable).or_insert_with(prime);
        }
        let mut solver = task.solver();
        let mut activation = Activation::default();
        activation.extend(pool, &mut solver, 0)?;
        let taken = graph.arrows.iter().map(|_| fresh("taken")).collect();
        let mut engine = Ic3Smt {
            task,
            pc,
            primed,
            taken,
            solver,
            activation,
            frames: Frames::new(1),
            obligations: Obligations::distinct(Order::Smallest),
        };
        engine.assert_transitions()?;
        Ok(engine)
    }

    /// The literals of pc = node.
    fn at(&self, node: NodeId) -> Vec<Term> {
        let bit = |(i, b): (usize, &Term)| match node >> i & 1 {
            1 => *b,
            _ => self.task.pool.not(*b),
        };
        self.pc.iter().enumerate().map(bit).collect()
    }

    fn after(&mut self, formula: Term) -> Term {
        rewrite(self.task.pool, formula, &mut self.primed, |_| None)
    }

    /// Asserts T = ⋁_a a, with a → pc = ℓ ∧ guards ∧ x' = t ∧ pc' = ℓ', and x' = x for what the
    /// arrow does not assign.
    fn assert_transitions(&mut self) -> Result<(), End> {
        let pool = self.task.pool;
        let some_arrow = pool.or(self.taken.iter().copied());
        self.solver.assert(pool, some_arrow)?;
        let mut variables: Vec<(Term, Term)> =
            self.primed.iter().map(|(variable, prime)| (*variable, *prime)).collect();
        variables.retain(|(variable, _)| !self.pc.contains(variable));
        variables.sort_unstable();
        let keeps: Vec<Term> = variables
            .iter()
            .map(|(variable, prime)| {
                let keep = pool.fresh_var("keep", Sort::Bool);
                let equation = pool.eq(*variable, *prime);
                self.solver.assert(pool, pool.or([pool.not(keep), equation]))?;
                Ok(keep)
            })
            .collect::<Result<_, End>>()?;
        for arrow in 0..self.task.graph.arrows.len() {
            self.task.check_allowance()?;
            let (from, to) = (self.task.graph.arrows[arrow].from, self.task.graph.arrows[arrow].to);
            let mut facts = self.at(from);
            for bit in self.at(to) {
                facts.push(self.after(bit));
            }
            let effect = &self.task.graph.arrows[arrow].effect;
            facts.extend(&effect.guards);
            for ((variable, prime), keep) in variables.iter().zip(&keeps) {
                let assigned = effect.assigned.iter().find(|(v, _)| v == variable);
                facts.push(assigned.map_or(*keep, |(_, value)| pool.eq(*prime, *value)));
            }
            let not_taken = pool.not(self.taken[arrow]);
            for fact in facts {
                self.solver.assert(pool, pool.or([not_taken, fact]))?;
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<std::convert::Infallible, End> {
        loop {
            self.strengthen()?;
            self.extend()?;
            self.propagate()?;
            if let Some(frame) = self.frames.fixpoint() {
                return Err(End::Fixpoint(frame));
            }
        }
    }

    fn extend(&mut self) -> Result<(), End> {
        let pool = self.task.pool;
        self.frames.extend();
        self.activation.extend(pool, &mut self.solver, self.frames.frontier())?;
        let counts = self.frames.counts();
        self.task.observer.frontier(self.frames.frontier(), counts, self.obligations.len());
        Ok(())
    }

    /// Ensures: F_k ∧ T ⇒ pc' ≠ ℓ_E.
    fn strengthen(&mut self) -> Result<(), End> {
        let frontier = self.frames.frontier();
        self.obligations.collect_if_large();
        let (error, cube) = (self.task.graph.error, Cube::default());
        let root = self.obligations.note(frontier + 1, error, cube, None, None);
        loop {
            while let Some(id) = self.obligations.pop(frontier) {
                self.attend(id)?;
            }
            let bad = self.at(error);
            // SAT? F_k ∧ T ∧ pc' = ℓ_E
            match self.relative(frontier, &bad, Phase::Block)? {
                Relative::Inductive { .. } => return Ok(()),
                Relative::Reachable(arrow) => self.add_predecessor(root, arrow, frontier)?,
                Relative::Undecided => unreachable!("critical queries are decided"),
            }
        }
    }

    fn attend(&mut self, id: ObligationId) -> Result<(), End> {
        let Obligation { frame, node, cube, depth, .. } = self.obligations.get(id);
        let (frame, depth) = (*frame, *depth);
        let mut literals = cube.literals().to_vec();
        literals.extend(self.at(*node));
        let cube = Cube::new(literals);
        let settled = match self.frames.excluded_at(ALL, frame, &cube) {
            Some(excluded) => excluded,
            None => match self.relative(frame - 1, cube.literals(), Phase::Block)? {
                Relative::Reachable(arrow) => {
                    self.add_predecessor(id, arrow, frame - 1)?;
                    self.obligations.put_back(id);
                    return Ok(());
                }
                Relative::Inductive { core, framed } => {
                    let (lemma, top) = self.generalize(frame, &cube, core, framed)?;
                    self.add_lemma(top, lemma)?;
                    top
                }
                Relative::Undecided => unreachable!("critical queries are decided"),
            },
        };
        if settled != INFINITE {
            let frontier = self.frames.frontier();
            let long = depth > CHAIN * (frontier + 1);
            let next = if long { settled.max(frontier) + 1 } else { settled + 1 };
            self.obligations.put_forward(id, next);
        }
        Ok(())
    }

    /// F_frame ∧ ¬c ∧ T ⇒ ¬c' ?
    fn relative(&mut self, frame: usize, cube: &[Term], phase: Phase) -> Result<Relative, End> {
        self.task.check_allowance()?;
        let pool = self.task.pool;
        let active = match frame {
            0 => self.at(self.task.graph.initial),
            _ => vec![self.activation.frame(frame)],
        };
        let after: Vec<Term> = cube.iter().map(|l| self.after(*l)).collect();
        let mut assumptions = active.clone();
        assumptions.extend(&after);
        let clause: Vec<Term> = cube.iter().map(|l| pool.not(*l)).collect();
        let critical = phase == Phase::Block;
        let conflicts = (!critical).then_some(NON_CRITICAL_CONFLICTS);
        self.solver.set_work(conflicts);
        let started = Instant::now();
        // SAT? F_frame ∧ ¬c ∧ T ∧ c'
        let answer = self.solver.check_with(pool, &assumptions, &clause)?;
        self.task.observer.asked(phase, started.elapsed());
        match answer {
            Answer::Unsat => {
                let core: FxHashSet<Term> = self.solver.core().into_iter().collect();
                let framed = frame == 0 || core.contains(&active[0]);
                let pairs = cube.iter().zip(&after);
                let core = pairs.filter(|(_, a)| core.contains(a)).map(|(l, _)| *l).collect();
                Ok(Relative::Inductive { core, framed })
            }
            Answer::Sat => {
                for arrow in 0..self.taken.len() {
                    if self.solver.value(pool, self.taken[arrow])? == Value::Bool(true) {
                        return Ok(Relative::Reachable(arrow));
                    }
                }
                unreachable!("T takes an arrow")
            }
            Answer::Unknown(smt::Reason::Stopped(smt::Exhausted::Work)) if !critical => {
                Ok(Relative::Undecided)
            }
            Answer::Unknown(reason) => Err(reason.into()),
        }
    }

    /// Makes an obligation of the states that lead into an obligation's cube by an arrow.
    ///
    /// Requires: the last query was satisfiable, by this arrow.
    fn add_predecessor(
        &mut self,
        id: ObligationId,
        arrow: ArrowId,
        frame: usize,
    ) -> Result<(), End> {
        let pool = self.task.pool;
        let target = self.obligations.get(id).cube.clone();
        let effect = &mut self.task.graph.arrows[arrow].effect;
        let literals = effect.wep(pool, target.literals());
        let mut model = Values::default();
        for variable in free_vars(pool, &literals) {
            model.insert(variable, self.solver.value(pool, variable)?);
        }
        let before = cube_of_states(pool, effect, literals, &model, Predecessors::Cases);
        let node = self.task.graph.arrows[arrow].from;
        if node == self.task.graph.initial {
            let first = self.obligations.note(frame, node, before, Some(arrow), Some(id));
            return Err(End::Violation(first));
        }
        self.task.observer.obligation(frame, before.len());
        self.obligations.add(frame, node, before, Some(arrow), Some(id));
        Ok(())
    }

    /// Whether no initial state is in the cube, by a bit of pc.
    fn excludes_initial(&self, cube: &[Term]) -> bool {
        self.at(self.task.graph.initial).iter().any(|bit| cube.contains(&self.task.pool.not(*bit)))
    }

    /// Drops literals, and finds the highest frame for what is left.
    fn generalize(
        &mut self,
        frame: usize,
        cube: &Cube,
        core: Vec<Term>,
        framed: bool,
    ) -> Result<(Cube, usize), End> {
        let (mut kept, mut framed) = (core, framed);
        if !self.excludes_initial(&kept) {
            // A bit that differs from the initial location's: the cube has one.
            let here = cube.literals().iter().copied();
            kept.extend(here.filter(|l| self.excludes_initial(&[*l])).take(1));
        }
        for literal in kept.clone() {
            let without: Vec<Term> = kept.iter().copied().filter(|l| *l != literal).collect();
            if without.len() == kept.len() || !self.excludes_initial(&without) {
                continue;
            }
            let answer = self.relative(frame - 1, &without, Phase::Generalize)?;
            if let Relative::Inductive { core, framed: needs } = answer {
                let smaller = self.excludes_initial(&core);
                (kept, framed) = (if smaller { core } else { without }, needs);
            }
        }
        let mut top = frame;
        while framed && top < self.frames.frontier() {
            match self.relative(top, &kept, Phase::Generalize)? {
                Relative::Inductive { framed: needs, .. } => (top, framed) = (top + 1, needs),
                Relative::Reachable(_) | Relative::Undecided => break,
            }
        }
        Ok((Cube::new(kept), if framed { top } else { INFINITE }))
    }

    fn add_lemma(&mut self, frame: usize, cube: Cube) -> Result<(), End> {
        let pool = self.task.pool;
        if self.frames.add(ALL, frame, cube.clone()).is_new() {
            self.task.observer.lemma(frame, cube.len());
            let lemma = self.activation.at(pool, frame, cube.negation(pool));
            self.solver.assert(pool, lemma)?;
        }
        Ok(())
    }

    fn propagate(&mut self) -> Result<(), End> {
        for frame in 1..self.frames.frontier() {
            for cube in self.frames.at(ALL, frame).to_vec() {
                let answer = self.relative(frame, cube.literals(), Phase::Propagate)?;
                if let Relative::Inductive { framed, .. } = answer {
                    self.add_lemma(if framed { frame + 1 } else { INFINITE }, cube)?;
                }
            }
        }
        Ok(())
    }

    /// F_frame with pc = ℓ, for every location.
    fn invariant(
        &self,
        cfa: &Cfa,
        frame: usize,
    ) -> la_arena::ArenaMap<program::cfa::LocationId, Vec<Term>> {
        let pool = self.task.pool;
        self.task.graph.by_location(pool, cfa, |node| {
            let value = |(i, bit): (usize, &Term)| (*bit, pool.bool(node >> i & 1 == 1));
            let here: Vec<(Term, Term)> = self.pc.iter().enumerate().map(value).collect();
            let lemmas = self.frames.lemmas(ALL, frame).map(|cube| cube.negation(pool));
            let here = lemmas.map(|lemma| substitute(pool, lemma, here.iter().copied()));
            here.filter(|lemma| pool.as_bool(*lemma) != Some(true)).collect()
        })
    }
}
