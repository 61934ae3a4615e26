//! DFS of [Sch §II-C], on a queue of obligations \[EMB11\]: what may lead to a violation is shown
//! unreachable, or leads back to the initial location.

use crate::engine::{End, Search};
use crate::generalize::Blocked;
use crate::literal::{Cube, Literal};
use crate::question::Asked;
use crate::system::{NodeId, RelationId};
use icp::Side;
use lemmas::{INFINITE, ObligationId, Phase};
use program::verdict::Step;
use std::rc::Rc;
use term::{Term, Value};

/// A state before a relation, as a model tells it.
struct Predecessor {
    /// Two bounds for each variable that is read again.
    point: Vec<Literal>,
    inputs: Vec<(Term, Value)>,
    steps: Vec<Step>,
}

/// What comes of asking all relations into a cube.
enum Tried {
    /// None leads there.
    Blocked(Vec<Blocked>),
    /// This one does; its solver has the model.
    Reached(RelationId),
    /// Not known.
    Open(smt::Reason),
}

impl Search<'_> {
    /// Makes the frontier free of states that lead to a violation along the suffix.
    pub(crate) fn strengthen(&mut self) -> Result<(), End> {
        let frontier = self.frames.frontier();
        let mut processed = 0;
        loop {
            while let Some(id) = self.obligations.pop(frontier) {
                processed += 1;
                if self.abort_at.is_some_and(|limit| processed > limit) {
                    return Err(End::Abort(frontier));
                }
                self.check_allowance()?;
                self.block(id)?;
            }
            self.obligations.collect_if_large();
            if !self.find_violation(frontier)? {
                return Ok(());
            }
        }
    }

    /// Adds an obligation for a state of the frontier that leads to a violation.
    fn find_violation(&mut self, frontier: usize) -> Result<bool, End> {
        if frontier == 0 {
            // Runs as short as the suffix have no violation.
            return Ok(false);
        }
        for relation in self.suffix.clone() {
            // SAT? F_k ∧ IND'ᵢ
            match self.ask(relation, frontier, &[], None, Phase::Search)? {
                Asked::Unsat(_) => {}
                Asked::Open(reason) => return Err(reason.into()),
                Asked::Sat => {
                    let found = self.predecessor(relation)?;
                    self.add_obligation(relation, frontier, found, None)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Excludes an obligation's cube, or finds what leads into it.
    fn block(&mut self, id: ObligationId) -> Result<(), End> {
        let obligation = self.obligations.get(id);
        let (frame, node, cube) = (obligation.frame, obligation.node, obligation.cube.clone());
        match self.frames.excluded_at(node, frame, &cube) {
            Some(INFINITE) => return Ok(()),
            Some(excluded) => {
                self.obligations.put_forward(id, excluded + 1);
                return Ok(());
            }
            None => {}
        }
        let literals = self.random.shuffled(cube.literals());
        let mut blocked = match self.relations_lead(node, frame, &cube, &literals)? {
            Tried::Blocked(blocked) => blocked,
            Tried::Reached(relation) => return self.lead_back(id, relation, frame - 1, &cube),
            Tried::Open(reason) => return Err(reason.into()),
        };
        // The weakest bounds say what is reached within a few steps, which is often more than what holds for
        // ever: y ≤ 0.25 after one step, where y is never NaN. So a cube is generalized at the highest
        // frame that it is blocked at, if only beyond the frontier; this is ours.
        let (frontier, mut top) = (self.frames.frontier(), frame);
        while top <= frontier
            && let Tried::Blocked(higher) = self.relations_lead(node, top + 1, &cube, &literals)?
        {
            (blocked, top) = (higher, top + 1);
        }
        let lemma = self.generalize(node, top, &cube, blocked)?;
        self.add_lemma(node, top.min(frontier), lemma)?;
        self.obligations.put_forward(id, top.min(frontier) + 1);
        Ok(())
    }

    /// Whether a relation leads into a cube from the frame below.
    fn relations_lead(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &Cube,
        literals: &[Literal],
    ) -> Result<Tried, End> {
        let mut blocked = Vec::new();
        for relation in self.relations_into(node, frame) {
            // SAT? F_(i-1,m) ∧ ¬c ∧ T_r ∧ c'
            match self.ask(relation, frame - 1, literals, Some(cube), Phase::Block)? {
                Asked::Unsat(core) => blocked.push(Blocked { relation, core }),
                Asked::Open(reason) => return Ok(Tried::Open(reason)),
                Asked::Sat => return Ok(Tried::Reached(relation)),
            }
        }
        Ok(Tried::Blocked(blocked))
    }

    /// After a model of a relation into an obligation's cube.
    fn lead_back(
        &mut self,
        id: ObligationId,
        relation: RelationId,
        frame: usize,
        cube: &Cube,
    ) -> Result<(), End> {
        let found = self.predecessor(relation)?;
        if self.system.relations[relation].from == self.system.initial {
            return Err(End::Violation { first: found.steps, rest: id });
        }
        self.add_obligation(relation, frame, found, Some((id, cube)))?;
        self.obligations.put_back(id);
        Ok(())
    }

    /// Adds an obligation for a state before a relation, and for what is like it.
    fn add_obligation(
        &mut self,
        relation: RelationId,
        frame: usize,
        found: Predecessor,
        parent: Option<(ObligationId, &Cube)>,
    ) -> Result<(), End> {
        let Predecessor { point, inputs, steps } = found;
        let target = parent.map(|(_, cube)| cube);
        let cube = self.lift(relation, point, &inputs, target)?;
        self.observer.obligation(frame, cube.len());
        let node = self.system.relations[relation].from;
        let parent = parent.map(|(id, _)| id);
        self.obligations.add(frame, node, cube, Rc::new(steps), parent);
        Ok(())
    }

    /// The relations into a node that F_(frame-1) has states for: at first those from the initial location
    /// alone.
    pub(crate) fn relations_into(&self, node: NodeId, frame: usize) -> Vec<RelationId> {
        let from_initial = |id: &RelationId| self.system.relations[*id].from == self.system.initial;
        let incoming = self.system.incoming[node].iter().copied();
        incoming.filter(|id| frame > 1 || from_initial(id)).collect()
    }

    /// One question about a relation, with the frame before it.
    pub(crate) fn ask(
        &mut self,
        relation: RelationId,
        frame: usize,
        literals: &[Literal],
        premise: Option<&Cube>,
        phase: Phase,
    ) -> Result<Asked, End> {
        Ok(self.questions(relation, frame, premise, phase)?.ask(literals)?)
    }

    /// After a model of a relation: the state before it, the inputs, and the steps.
    fn predecessor(&mut self, relation: RelationId) -> Result<Predecessor, End> {
        let Search { pool, system, domains, solvers, .. } = self;
        let known = solvers[relation].as_mut().expect("it has just answered");
        let mut value = |term: Term| known.solver.value(pool, term);
        let through = &system.relations[relation];
        let variables = &system.live[through.from];
        let mut point = Vec::with_capacity(2 * variables.len());
        for &variable in variables {
            let key = domains.of(variable).key(&value(variable)?);
            let bounds = [Side::AtLeast, Side::AtMost];
            point.extend(bounds.map(|side| Literal { variable, side, key }));
        }
        let mut inputs = Vec::with_capacity(through.inputs.len());
        for &input in &through.inputs {
            inputs.push((input, value(input)?));
        }
        let steps = through.steps(&mut value)?;
        Ok(Predecessor { point, inputs, steps })
    }
}
