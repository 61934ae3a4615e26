//! PUSH of [Sch §II-C]: lemmas move to higher frames.

use crate::engine::{End, Search};
use crate::literal::Cube;
use crate::question::Asked;
use crate::system::NodeId;
use lemmas::Phase;

impl Search<'_> {
    /// Moves every lemma as far up as it holds.
    pub(crate) fn propagate(&mut self) -> Result<(), End> {
        for frame in self.frames.unpropagated()..self.frames.frontier() {
            for node in self.frames.nodes() {
                for lemma in self.frames.at(node, frame).to_vec() {
                    self.check_allowance()?;
                    if !self.frames.is_at(node, frame, &lemma) {
                        continue;
                    }
                    if self.holds_after(node, frame, &lemma)? {
                        self.add_lemma(node, frame + 1, lemma)?;
                    }
                }
            }
        }
        self.frames.end_propagation();
        Ok(())
    }

    /// Whether no relation leads from a frame, without the cube, into the cube, as far as little effort
    /// shows.
    fn holds_after(&mut self, node: NodeId, frame: usize, lemma: &Cube) -> Result<bool, End> {
        for relation in self.relations_into(node, frame + 1) {
            let conflicts = self.options.conflicts;
            let mut questions = self.questions(relation, frame, Some(lemma), Phase::Propagate)?;
            questions.solver.set_work(Some(conflicts));
            // SAT? F_(i,m) ∧ ¬c ∧ T_r ∧ c'
            let asked = questions.ask(lemma.literals());
            questions.solver.set_work(None);
            if !matches!(asked?, Asked::Unsat(_)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
