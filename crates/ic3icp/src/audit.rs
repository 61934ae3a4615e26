//! The invariants of frames as code: what the head of [`lemmas::frames`] states, as the questions of
//! [`mod@lemmas::audit`].
//!
//! They are asked after every propagation in debug builds, where system and frames are small, of bit-blasting
//! onto CaDiCaL, which the engine does not use. What this can't answer within its limits is not found
//! broken.

use crate::engine::Search;
use crate::literal::{Cube, Literal, negation};
use crate::system::{NodeId, RelationId};
use lemmas::audit::{Frame, Questions, audit};
use sat::cadical::Cadical;
use smt::{Answer, BitBlast, Error, Solver};
use term::Term;

/// The most questions that debug builds ask.
const SMALL: usize = 150;
/// The most conflicts of one of them.
const CONFLICTS: u64 = 1_000;

impl Search<'_> {
    /// Checks the invariants of frames where that is cheap; always returns true.
    ///
    /// # Panics
    /// If one is broken.
    pub(crate) fn audit_if_small(&self) -> bool {
        let into = |node: NodeId| self.system.incoming[node].len();
        let lemmas = self.frames.nodes().map(|n| self.frames.lemmas(n, 1).count() * into(n));
        let questions = (lemmas.sum::<usize>() + 1) * (self.frames.frontier() + 1);
        if questions < SMALL {
            let mut solver = BitBlast::new(Cadical::default());
            solver.set_work(Some(CONFLICTS));
            let mut auditor = Auditor { search: self, solver };
            // What is beyond the solver is not checked.
            if let Ok(Some(broken)) = audit(&self.frames, &mut auditor) {
                panic!("{broken}");
            }
        }
        true
    }
}

/// Answers with a solver of its own.
struct Auditor<'s, 'a> {
    search: &'s Search<'a>,
    solver: BitBlast<Cadical>,
}

impl Auditor<'_, '_> {
    /// Whether a relation leads from the frame into a cube.
    fn leads_into(
        &mut self,
        frame: Frame<'_, NodeId, Literal>,
        relation: RelationId,
        cube: &[Literal],
    ) -> Result<bool, Error> {
        let (pool, domains) = (self.search.pool, &self.search.domains);
        let (system, relation) = (&self.search.system, &self.search.system.relations[relation]);
        // F_(0,ℓ) is false but for the initial node.
        if frame.is_initial() && relation.from != system.initial {
            return Ok(false);
        }
        let mut question: Vec<Term> =
            cube.iter().map(|literal| relation.before(pool, domains, literal)).collect();
        question.push(relation.guard);
        if relation.from != system.initial {
            question.extend(frame.lemmas(relation.from).map(|l| negation(pool, domains, l)));
        }
        // SAT? F_(i,ℓ) ∧ T_r ∧ c'
        Ok(self.solver.check(pool, &question)? == Answer::Sat)
    }
}

impl Questions<NodeId, Literal> for Auditor<'_, '_> {
    type Error = Error;

    /// Runs begin at the initial node in any state.
    fn initial(&mut self, node: NodeId, _cube: &Cube) -> Result<bool, Error> {
        Ok(node == self.search.system.initial)
    }

    fn consecution(
        &mut self,
        frame: Frame<'_, NodeId, Literal>,
        node: NodeId,
        cube: &Cube,
    ) -> Result<bool, Error> {
        for relation in &self.search.system.incoming[node] {
            if self.leads_into(frame, *relation, cube.literals())? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn bad(&mut self, frame: Frame<'_, NodeId, Literal>) -> Result<bool, Error> {
        for relation in &self.search.suffix {
            if self.leads_into(frame, *relation, &[])? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
