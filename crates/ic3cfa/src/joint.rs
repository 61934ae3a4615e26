//! All incoming arrows of a node in one query: (4.14) of [Lan18 §4.3.2].
//!
//! SAT? ⋁_a (F_(i,ℓ_a) ∧ T_a) ∧ c', over primed variables. One solver a node, beside those of
//! [`crate::consecution`]: it knows the frames of all predecessors, each under a literal that the
//! literals of its arrows imply, and the arrows by x' = t. A variable that no arrow assigns needs
//! no prime. The thesis calls the query *check* and uses it in the search (§5.1.3) and for the
//! edge approach *multi*.

use crate::activation::Activation;
use crate::consecution::{Relative, used};
use crate::cube::Cube;
use crate::engine::{End, Engine, new_solver};
use crate::graph::{ArrowId, NodeId};
use crate::observer::{Phase, Technique};
use lemmas::INFINITE;
use program::execute::Values;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Solver};
use std::time::Instant;
use term::traverse::{free_vars, rewrite};
use term::{Sort, Term, Value};

/// The solver of all arrows into a node.
pub(crate) struct JointSolver {
    solver: Box<dyn Solver>,
    /// Of all predecessors.
    activation: Activation,
    /// The predecessors, with the literals that stand for being there.
    sources: Vec<(NodeId, Term)>,
    /// The arrows, with the literals that stand for taking them.
    arrows: Vec<(ArrowId, Term)>,
    /// What formulas are when primed; variables first.
    primed: FxHashMap<Term, Term>,
}

/// The answer about all arrows at once.
pub(crate) enum Joint {
    /// As [`Relative::Inductive`], for every arrow.
    Inductive { core: Vec<Term>, framed: bool },
    /// This arrow leads into the cube.
    Reachable(ArrowId),
    /// The query was not worth more effort.
    Undecided,
}

impl Engine<'_> {
    /// Whether no arrow leads from F_(frame,·) into the cube at a node.
    pub(crate) fn check_jointly(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &[Term],
        phase: Phase,
    ) -> Result<Joint, End> {
        if let [arrow] = self.graph.nodes[node].incoming[..] {
            return Ok(match self.relative(arrow, frame, cube, None, phase)? {
                Relative::Inductive { core, framed } => Joint::Inductive { core, framed },
                Relative::Reachable => Joint::Reachable(arrow),
                Relative::Undecided => Joint::Undecided,
            });
        }
        self.check_allowance()?;
        let (pool, initial) = (self.pool, self.graph.initial);
        let conflicts = self.strategy.effort.conflicts(phase);
        self.prepare_joint(node)?;
        let from = |arrow: ArrowId| self.graph.arrows[arrow].from;
        let joint = self.joints[node].as_mut().expect("prepared above");
        // F_(0,ℓ) is false but for the initial node.
        let open = joint.arrows.iter().filter(|(a, _)| frame > 0 || from(*a) == initial);
        let clause: Vec<Term> = open.map(|(_, literal)| *literal).collect();
        if clause.is_empty() {
            self.observer.shortcut(phase);
            return Ok(Joint::Inductive { core: Vec::new(), framed: true });
        }
        let JointSolver { solver, activation, primed, .. } = joint;
        let after: Vec<Term> = cube.iter().map(|l| rewrite(pool, *l, primed, |_| None)).collect();
        let active = activation.frame(frame);
        let mut assumptions = vec![active];
        assumptions.extend(after.iter().filter(|l| pool.as_bool(**l) != Some(true)));
        solver.set_work(conflicts);
        let started = Instant::now();
        // SAT? ⋁_a (F_(frame,ℓ_a) ∧ T_a) ∧ c'
        let answer = solver.check_with(pool, &assumptions, &clause)?;
        self.observer.asked(phase, started.elapsed());
        self.observer.technique(Technique::JointQuery);
        match answer {
            Answer::Unsat => {
                let core: FxHashSet<Term> = solver.core().into_iter().collect();
                let framed = frame == 0 || core.contains(&active);
                Ok(Joint::Inductive { core: used(cube, &after, &core), framed })
            }
            Answer::Sat => self.taken(node, frame).map(Joint::Reachable),
            Answer::Unknown(reason) => {
                self.undecided(reason, phase)?;
                Ok(Joint::Undecided)
            }
        }
    }

    /// The arrow that the model takes.
    fn taken(&mut self, node: NodeId, frame: usize) -> Result<ArrowId, End> {
        let (pool, initial) = (self.pool, self.graph.initial);
        let joint = self.joints[node].as_mut().expect("it was asked");
        for (arrow, literal) in &joint.arrows {
            let possible = frame > 0 || self.graph.arrows[*arrow].from == initial;
            if possible && joint.solver.value(pool, *literal)? == Value::Bool(true) {
                return Ok(*arrow);
            }
        }
        unreachable!("the clause of the query has a true literal")
    }

    /// After [`Joint::Reachable`]: the values of variables in the model.
    pub(crate) fn joint_model(&mut self, node: NodeId, terms: &[Term]) -> Result<Values, End> {
        let pool = self.pool;
        let joint = self.joints[node].as_mut().expect("it was asked");
        let mut values = Values::default();
        for variable in free_vars(pool, terms) {
            values.insert(variable, joint.solver.value(pool, variable)?);
        }
        Ok(values)
    }

    /// Makes the solver of all arrows into a node, once.
    fn prepare_joint(&mut self, node: NodeId) -> Result<(), End> {
        if self.joints[node].is_some() {
            return Ok(());
        }
        let pool = self.pool;
        let solver = new_solver(self.factory, &self.allowance);
        let mut joint = JointSolver {
            solver,
            activation: Activation::default(),
            sources: Vec::new(),
            arrows: Vec::new(),
            primed: FxHashMap::default(),
        };
        let incoming = self.graph.nodes[node].incoming.clone();
        for arrow in &incoming {
            for (variable, _) in &self.graph.arrows[*arrow].effect.assigned {
                let fresh = || pool.fresh_var("next", pool.sort(*variable));
                joint.primed.entry(*variable).or_insert_with(fresh);
            }
        }
        let mut variables: Vec<(Term, Term)> =
            joint.primed.iter().map(|(variable, prime)| (*variable, *prime)).collect();
        variables.sort_unstable();
        for arrow in incoming {
            self.add_arrow(&mut joint, arrow, &variables)?;
        }
        self.joints[node] = Some(joint);
        self.extend_joint(node)?;
        let sources = self.joints[node].as_ref().expect("made above").sources.clone();
        for (source, _) in sources {
            for cube in self.frames.lemmas(source, INFINITE).cloned().collect::<Vec<_>>() {
                self.assert_jointly(node, source, INFINITE, &cube)?;
            }
            for frame in 0..=self.frames.frontier() {
                for cube in self.frames.at(source, frame).to_vec() {
                    self.assert_jointly(node, source, frame, &cube)?;
                }
            }
        }
        Ok(())
    }

    /// Asserts a → ⋀ guards ∧ ⋀ x' = t ∧ "at the source".
    fn add_arrow(
        &self,
        joint: &mut JointSolver,
        arrow: ArrowId,
        variables: &[(Term, Term)],
    ) -> Result<(), End> {
        let pool = self.pool;
        let source = self.graph.arrows[arrow].from;
        let effect = &self.graph.arrows[arrow].effect;
        let known = joint.sources.iter().find(|(node, _)| *node == source);
        let at = known.map(|(_, at)| *at).unwrap_or_else(|| pool.fresh_var("at", Sort::Bool));
        if known.is_none() {
            joint.sources.push((source, at));
        }
        let taken = pool.fresh_var("taken", Sort::Bool);
        joint.arrows.push((arrow, taken));
        let next = |(variable, prime): &(Term, Term)| {
            let assigned = effect.assigned.iter().find(|(v, _)| v == variable);
            pool.eq(*prime, assigned.map_or(*variable, |(_, value)| *value))
        };
        let facts = effect.guards.iter().copied().chain(variables.iter().map(next)).chain([at]);
        for fact in facts {
            joint.solver.assert(pool, pool.or([pool.not(taken), fact]))?;
        }
        Ok(())
    }

    /// Makes activation literals up to one frame above the frontier, if the solver exists.
    pub(crate) fn extend_joint(&mut self, node: NodeId) -> Result<(), End> {
        let pool = self.pool;
        let Some(joint) = self.joints[node].as_mut() else { return Ok(()) };
        Ok(joint.activation.extend(pool, &mut joint.solver, self.frames.frontier())?)
    }

    /// Tells the solver of a node, if it exists, of a lemma at one of its predecessors.
    pub(crate) fn assert_jointly(
        &mut self,
        node: NodeId,
        source: NodeId,
        frame: usize,
        cube: &Cube,
    ) -> Result<(), End> {
        let pool = self.pool;
        let Some(joint) = self.joints[node].as_mut() else { return Ok(()) };
        let Some((_, at)) = joint.sources.iter().find(|(n, _)| *n == source) else {
            return Ok(());
        };
        let lemma = pool.or([pool.not(*at), cube.negation(pool)]);
        joint.solver.assert(pool, joint.activation.at(pool, frame, lemma))?;
        Ok(())
    }
}
