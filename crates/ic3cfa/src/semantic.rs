//! Questions about what frames mean, where the algorithm is content with their clauses.
//!
//! * *Semantic blocking* ([Lan18 §5.2.1]): a lemma that the frame implies is not added.
//! * *Semantic termination* ([Lan18 §4.4]): F_(i,ℓ) = F_(i+1,ℓ) if each clause of the one that is
//!   no clause of the other is implied by it. By (4.6) only one direction is open.
//!
//! Both ask non-critical queries: an answer that takes too long is no.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::NodeId;
use crate::observer::{Phase, Technique};
use crate::strategy::Comparison;
use smt::Answer;
use term::Term;

impl Engine<'_> {
    /// A frame i with F_(i,ℓ) = F_(i+1,ℓ) for all ℓ ([Lan18, Lemma 4.1]).
    pub(crate) fn fixpoint(&mut self) -> Result<Option<usize>, End> {
        if let Some(frame) = self.frames.fixpoint() {
            return Ok(Some(frame));
        }
        match self.strategy.termination {
            Comparison::ByClauses => Ok(None),
            Comparison::ByMeaning => self.semantic_fixpoint(),
        }
    }

    fn semantic_fixpoint(&mut self) -> Result<Option<usize>, End> {
        for frame in 1..self.frames.frontier() {
            if self.equal_frames(frame)? {
                self.observer.technique(Technique::SemanticTermination);
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// F_(frame+1,ℓ) ⇒ F_(frame,ℓ) for all ℓ?
    fn equal_frames(&mut self, frame: usize) -> Result<bool, End> {
        for node in 0..self.graph.nodes.len() {
            for cube in self.frames.at(node, frame).to_vec() {
                if !self.implied(node, frame + 1, &cube)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a lemma need not be added.
    pub(crate) fn is_known(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &Cube,
    ) -> Result<bool, End> {
        match self.strategy.blocking {
            Comparison::ByClauses => Ok(false),
            Comparison::ByMeaning => {
                let known = self.implied(node, frame, cube)?;
                if known {
                    self.observer.technique(Technique::SemanticBlocking);
                }
                Ok(known)
            }
        }
    }

    /// F_(frame,node) ⇒ ¬cube ?
    fn implied(&mut self, node: NodeId, frame: usize, cube: &Cube) -> Result<bool, End> {
        let frame = frame.min(self.frames.frontier());
        let mut assumptions: Vec<Term> = self.frame_literal(node, frame)?.into_iter().collect();
        assumptions.extend(cube.literals());
        // SAT? F_(frame,node) ∧ cube
        let answer = self.ask(node, &assumptions, &[], Phase::Generalize)?;
        Ok(answer == Answer::Unsat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::options::Options;
    use program::cfa::{Cfa, Command, Edge, Location};
    use smt::Allowance;
    use term::{Pool, Sort};

    /// x ≥ 2 is excluded at frame 2, and x = 3 at frame 1 only.
    #[test]
    fn a_clause_that_follows_makes_no_difference() {
        let pool = Pool::new();
        let x = pool.var("x", Sort::BitVec(4));
        let mut cfa = Cfa::default();
        let [start, head, error] = [(); 3].map(|()| cfa.locations.alloc(Location::default()));
        for (from, to) in [(start, head), (head, error)] {
            let command = Command::Assume(pool.bv_ult(x, pool.bv(9, 4)));
            let place = program::Place::default();
            cfa.edges.alloc(Edge { from, to, command, place, violates: None });
        }
        let fixpoint = |semantic_termination: bool, weaker: u64| {
            let graph = Graph::new(&pool, &cfa, start, error);
            let node = graph.arrows[0].to;
            let options = Options { semantic_termination, ..Options::default() };
            let allowance = Allowance::default();
            let mut observer = crate::Statistics::default();
            let mut nobody = ();
            let mut engine = Engine::new(
                &pool,
                graph,
                &options,
                &smt::Standard,
                &allowance,
                &mut observer,
                &mut nobody,
            );
            for _ in 0..2 {
                engine.frames.extend();
            }
            let large = Cube::new(vec![pool.bv_ule(pool.bv(2, 4), x)]);
            let one = Cube::new(vec![pool.eq(x, pool.bv(weaker, 4))]);
            assert!(engine.add_lemma(node, 2, large).is_ok());
            assert!(engine.add_lemma(node, 1, one).is_ok());
            let Ok(frame) = engine.fixpoint() else { panic!("no limit") };
            (frame, observer.count(Technique::SemanticTermination))
        };
        assert_eq!(fixpoint(false, 3), (None, 0));
        assert_eq!(fixpoint(true, 3), (Some(1), 1));
        assert_eq!(fixpoint(true, 1), (None, 0), "x = 1 is excluded at frame 1 only");
    }
}
