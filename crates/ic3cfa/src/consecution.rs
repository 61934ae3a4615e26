//! Edge-relative inductivity: the query all others are made of ([Lan18, Def. 4.6 and 4.9]).
//!
//! One incremental solver a node knows the node's frames, each by an assumption
//! ([`crate::activation`]). The arrow is given by its guards and by c' as assumptions; terms are encoded
//! once, so a query costs its assumptions and the search.
//!
//! c' is wep(a, c) without the guards ([Lan18, Def. 4.9]: relIndAlt), or c over primed variables
//! with x' = t asserted once for each assignment of the arrow (relInd), as the options say.

use crate::activation::Activation;
use crate::cube::Cube;
use crate::engine::{End, Engine, new_solver};
use crate::graph::{ArrowId, NodeId};
use crate::observer::{Phase, Technique};
use crate::strategy::Image;
use lemmas::INFINITE;
use program::execute::Values;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Cached, Solver};
use std::num::NonZeroUsize;
use std::time::Instant;
use term::traverse::{free_vars, rewrite};
use term::{Sort, Term};

/// The solver of a node.
pub(crate) struct NodeSolver {
    pub(crate) solver: Box<dyn Solver>,
    /// Whether it may answer from memory.
    remembers: bool,
    activation: Activation,
    /// Activation literals of arrows whose assignments were asserted, with what their cubes were
    /// primed to.
    arrows: FxHashMap<ArrowId, (Term, FxHashMap<Term, Term>)>,
}

/// What is known of a cube relative to an arrow.
#[derive(Debug)]
pub(crate) enum Relative {
    /// No state of the frame leads into the cube.
    Inductive {
        /// Literals of the cube that are enough.
        core: Vec<Term>,
        /// Whether lemmas were needed; if not, the same holds for all frames.
        framed: bool,
    },
    /// Some state does; the solver of the arrow's source has it.
    Reachable,
    /// The query was not worth more effort.
    Undecided,
}

impl Engine<'_> {
    /// Whether no state of F_(frame,ℓ) leads by the arrow from ℓ into the cube.
    ///
    /// `premise`: a cube that is denied before the arrow as well, (4.11).
    pub(crate) fn relative(
        &mut self,
        arrow: ArrowId,
        frame: usize,
        cube: &[Term],
        premise: Option<&[Term]>,
        phase: Phase,
    ) -> Result<Relative, End> {
        let from = self.graph.arrows[arrow].from;
        if frame == 0 && from != self.graph.initial {
            self.observer.shortcut(phase);
            return Ok(Relative::Inductive { core: Vec::new(), framed: true });
        }
        let before = self.before(arrow, cube)?;
        // A literal that the arrow makes false by itself.
        if let Some(i) = before.iter().position(|l| self.pool.as_bool(*l) == Some(false)) {
            self.observer.shortcut(phase);
            return Ok(Relative::Inductive { core: vec![cube[i]], framed: false });
        }
        let active = self.frame_literal(from, frame)?;
        let mut assumptions: Vec<Term> = Vec::with_capacity(before.len() + 8);
        assumptions.extend(active);
        assumptions.extend(self.arrow_literal(arrow));
        assumptions.extend(&self.graph.arrows[arrow].effect.guards);
        assumptions.extend(before.iter().filter(|l| self.pool.as_bool(**l).is_none()));
        let clause: Vec<Term> =
            premise.unwrap_or_default().iter().map(|l| self.pool.not(*l)).collect();
        if premise.is_some_and(<[Term]>::is_empty) {
            // ¬true before the arrow: nothing leads anywhere.
            return Ok(Relative::Inductive { core: Vec::new(), framed: false });
        }
        // SAT? F_(frame,ℓ) ∧ ¬premise ∧ guards ∧ c'
        match self.ask(from, &assumptions, &clause, phase)? {
            Answer::Sat => Ok(Relative::Reachable),
            Answer::Unknown(_) => Ok(Relative::Undecided),
            Answer::Unsat => {
                let core: FxHashSet<Term> = self.solver(from)?.solver.core().into_iter().collect();
                let framed = active.is_some_and(|f| core.contains(&f));
                Ok(Relative::Inductive { core: used(cube, &before, &core), framed })
            }
        }
    }

    /// One question to the solver of a node. Unknown only in phases whose queries are not
    /// critical.
    pub(crate) fn ask(
        &mut self,
        node: NodeId,
        assumptions: &[Term],
        clause: &[Term],
        phase: Phase,
    ) -> Result<Answer, End> {
        self.check_allowance()?;
        let conflicts = self.strategy.effort.conflicts(phase);
        let pool = self.pool;
        let started = Instant::now();
        let NodeSolver { solver, remembers, .. } = self.solver(node)?;
        solver.set_work(conflicts);
        let asked = remembers.then(|| solver.statistics().queries);
        // SAT? lemmas ∧ ⋀ assumptions ∧ ⋁ clause
        let answer = solver.check_with(pool, assumptions, clause)?;
        if asked.is_some_and(|asked| solver.statistics().queries == asked) {
            self.observer.technique(Technique::CachedAnswer);
        } else {
            self.observer.asked(phase, started.elapsed());
        }
        if let Answer::Unknown(reason) = &answer {
            self.undecided(reason.clone(), phase)?;
        }
        Ok(answer)
    }

    /// Ends the run, unless the search can go on without an answer.
    pub(crate) fn undecided(&mut self, reason: smt::Reason, phase: Phase) -> Result<(), End> {
        match reason {
            smt::Reason::Stopped(smt::Exhausted::Work) if phase != Phase::Block => {
                self.observer.technique(Technique::NonCriticalLimit);
                Ok(())
            }
            reason => Err(reason.into()),
        }
    }

    /// The literals of a cube after an arrow, as assumptions before it.
    fn before(&mut self, arrow: ArrowId, cube: &[Term]) -> Result<Vec<Term>, End> {
        let pool = self.pool;
        match self.strategy.image {
            Image::Precondition => {
                let arrow = &mut self.graph.arrows[arrow];
                Ok(cube.iter().map(|l| arrow.before(pool, *l)).collect())
            }
            Image::Primed => {
                self.assert_arrow(arrow)?;
                let from = self.graph.arrows[arrow].from;
                let solver = self.solvers[from].as_mut().expect("made above");
                let (_, done) = solver.arrows.get_mut(&arrow).expect("asserted above");
                Ok(cube.iter().map(|l| rewrite(pool, *l, done, |_| None)).collect())
            }
        }
    }

    /// Asserts a → ⋀ x' = t for the assignments x := t of an arrow, once.
    fn assert_arrow(&mut self, arrow: ArrowId) -> Result<(), End> {
        let pool = self.pool;
        let from = self.graph.arrows[arrow].from;
        if self.solver(from)?.arrows.contains_key(&arrow) {
            return Ok(());
        }
        let active = pool.fresh_var("arrow", Sort::Bool);
        let mut primed = FxHashMap::default();
        for (variable, value) in self.graph.arrows[arrow].effect.assigned.clone() {
            let name = pool.var_name(variable).unwrap_or("x").to_owned();
            let prime = *self
                .primes
                .entry(variable)
                .or_insert_with(|| pool.fresh_var(&format!("{name}'"), pool.sort(variable)));
            primed.insert(variable, prime);
            let equation = pool.eq(prime, value);
            let solver = &mut self.solver(from)?.solver;
            solver.assert(pool, pool.or([pool.not(active), equation]))?;
        }
        self.solver(from)?.arrows.insert(arrow, (active, primed));
        Ok(())
    }

    fn arrow_literal(&self, arrow: ArrowId) -> Option<Term> {
        let solver = self.solvers[self.graph.arrows[arrow].from].as_ref()?;
        solver.arrows.get(&arrow).map(|(active, _)| *active)
    }

    /// The assumption that stands for F_(frame,node); none for the initial node.
    pub(crate) fn frame_literal(
        &mut self,
        node: NodeId,
        frame: usize,
    ) -> Result<Option<Term>, End> {
        if node == self.graph.initial {
            return Ok(None);
        }
        Ok(Some(self.solver(node)?.activation.frame(frame)))
    }

    /// The solver of a node, with the node's frames.
    pub(crate) fn solver(&mut self, node: NodeId) -> Result<&mut NodeSolver, End> {
        if self.solvers[node].is_none() {
            let solver = new_solver(self.factory, &self.allowance);
            let memory = NonZeroUsize::new(self.strategy.cached_answers);
            let solver = match memory {
                Some(capacity) => Box::new(Cached::new(solver, capacity)),
                None => solver,
            };
            let (activation, arrows) = (Activation::default(), FxHashMap::default());
            let remembers = memory.is_some();
            self.solvers[node] = Some(NodeSolver { solver, remembers, activation, arrows });
            self.extend_solver(node)?;
            self.assert_lemmas(node)?;
        }
        Ok(self.solvers[node].as_mut().expect("made above"))
    }

    fn assert_lemmas(&mut self, node: NodeId) -> Result<(), End> {
        let infinite: Vec<Cube> = self.frames.lemmas(node, INFINITE).cloned().collect();
        for cube in infinite {
            self.assert_lemma(node, INFINITE, &cube)?;
        }
        for frame in 0..=self.frames.frontier() {
            for cube in self.frames.at(node, frame).to_vec() {
                self.assert_lemma(node, frame, &cube)?;
            }
        }
        Ok(())
    }

    /// Makes activation literals up to one frame above the frontier, if the solver exists.
    pub(crate) fn extend_solver(&mut self, node: NodeId) -> Result<(), End> {
        let pool = self.pool;
        let Some(solver) = self.solvers[node].as_mut() else { return Ok(()) };
        Ok(solver.activation.extend(pool, &mut *solver.solver, self.frames.frontier())?)
    }

    /// Tells the node's solver, if it exists, of a lemma.
    pub(crate) fn assert_lemma(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &Cube,
    ) -> Result<(), End> {
        let pool = self.pool;
        let Some(solver) = self.solvers[node].as_mut() else { return Ok(()) };
        let lemma = solver.activation.at(pool, frame, cube.negation(pool));
        solver.solver.assert(pool, lemma)?;
        Ok(())
    }

    /// After [`Relative::Reachable`]: the values of variables in the model.
    pub(crate) fn model(&mut self, node: NodeId, terms: &[Term]) -> Result<Values, End> {
        let pool = self.pool;
        let solver = &mut self.solver(node)?.solver;
        let mut values = Values::default();
        for variable in free_vars(pool, terms) {
            values.insert(variable, solver.value(pool, variable)?);
        }
        Ok(values)
    }

    /// The variables of a formula.
    pub(crate) fn variables_of(&mut self, formula: Term) -> &[Term] {
        let pool = self.pool;
        self.variables.entry(formula).or_insert_with(|| free_vars(pool, &[formula]).into())
    }
}

/// The literals of a cube whose images are in the core; of literals with one image, the first.
pub(crate) fn used(cube: &[Term], images: &[Term], core: &FxHashSet<Term>) -> Vec<Term> {
    let mut taken = FxHashSet::default();
    let pairs = cube.iter().zip(images);
    pairs.filter(|(_, i)| core.contains(i) && taken.insert(**i)).map(|(l, _)| *l).collect()
}
