//! Blocked cubes become lemmas: fewer bounds, and weaker ones, relation by relation.
//!
//! A cube c at ℓ is blocked by every relation into ℓ. What the first of them needs is found by rotation;
//! that is then fixed for the next, ĉ_a1, and rotated is what this one needs beyond it, ĉ_a2. The premise
//! ¬c before a loop stays that of the whole cube, so all reductions are monotone ([Sch §III-A]).
//!
//! *Ungeneralization* ([Sch §III-C]): the relations from the initial location come last. They say what I
//! says in the paper: a lemma must not exclude a state that they lead to. So the generalized cube ĉ' is
//! fixed, and rotation tells which bounds of ĉ have to come back; mostly none. A bound that comes back as
//! it was replaces its weaker form.

use crate::engine::{End, Search};
use crate::literal::{Cube, Literal, cube, is_implied};
use crate::rotation::fewer;
use crate::system::{NodeId, RelationId};
use lemmas::Phase;

/// A relation that does not lead into a cube, and the bounds that show it.
pub(crate) struct Blocked {
    pub(crate) relation: RelationId,
    pub(crate) core: Vec<Literal>,
}

impl Search<'_> {
    /// A cube that no relation leads into from the frame below, and that all states of the given one are
    /// in.
    ///
    /// Requires: the relations into the node are blocked by these cores.
    /// Ensures: F_(frame-1,m) ∧ ¬c ∧ T_r ∧ c'* is unsatisfiable for all relations r into the node.
    pub(crate) fn generalize(
        &mut self,
        node: NodeId,
        frame: usize,
        whole: &Cube,
        mut blocked: Vec<Blocked>,
    ) -> Result<Cube, End> {
        let initial = self.system.initial;
        blocked.sort_by_key(|b| self.system.relations[b.relation].from == initial);
        let mut kept: Vec<Literal> = Vec::new();
        for Blocked { relation, core } in blocked {
            let further: Vec<Literal> =
                core.into_iter().filter(|literal| !is_implied(literal, &kept)).collect();
            if further.is_empty() {
                continue;
            }
            let needed = self.needed(relation, frame, whole, &kept, further)?;
            kept.extend(needed);
            kept = cube(&self.domains, kept).literals().to_vec();
        }
        let general = cube(&self.domains, kept);
        debug_assert!(lemmas::Cube::subsumes(&general, whole), "node {node}");
        Ok(general)
    }

    /// What of `further` a relation needs beside what is kept.
    fn needed(
        &mut self,
        relation: RelationId,
        frame: usize,
        whole: &Cube,
        kept: &[Literal],
        further: Vec<Literal>,
    ) -> Result<Vec<Literal>, End> {
        let (pool, strategy) = (self.pool, self.strategy);
        let fixed: Vec<_> = {
            let (relation, domains) = (&self.system.relations[relation], &self.domains);
            kept.iter().map(|literal| relation.before(pool, domains, literal)).collect()
        };
        if fixed.iter().any(|term| pool.as_bool(*term) == Some(false)) {
            return Ok(Vec::new());
        }
        let conflicts = self.options.conflicts;
        let mut questions = self.questions(relation, frame - 1, Some(whole), Phase::Generalize)?;
        questions.fixed.extend(fixed);
        questions.solver.set_work(Some(conflicts));
        let needed = fewer(&mut questions, further, strategy);
        questions.solver.set_work(None);
        Ok(needed?)
    }
}
