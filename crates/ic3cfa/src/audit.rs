//! The invariants of frames as code: what the head of [`crate::cube`] states, as the questions of
//! [`mod@lemmas::audit`].
//!
//! They are asked after every propagation in debug builds, where the automaton and the frames are
//! small, of bit-blasting onto CaDiCaL, which the engine does not use; and preconditions are made
//! by substitution, without [`crate::graph::Arrow::before`]. What this can't answer within its
//! limits is not found broken.

use crate::cube::{Cube, Frames};
use crate::engine::Engine;
use crate::graph::{Graph, NodeId};
use lemmas::audit::{Broken, Frame, Questions, audit};
use sat::cadical::Cadical;
use smt::{Allowance, Answer, BitBlast, Error, Solver};
use term::traverse::Substitution;
use term::{Pool, Term};

/// The most questions that debug builds ask.
const SMALL: usize = 150;
/// The most conflicts of one of them.
const CONFLICTS: u64 = 2_000;

impl Engine<'_> {
    /// Checks the invariants of frames where that is cheap; always returns true.
    ///
    /// # Panics
    /// If one is broken.
    pub(crate) fn audit_if_small(&self) -> bool {
        // What others have proved is inductive over edges, and not over the pieces of an edge.
        if self.told && self.graph.nodes.iter().any(|node| node.location.is_none()) {
            return true;
        }
        let arrows = |node: NodeId| self.graph.nodes[node].incoming.len();
        let lemmas = self.frames.nodes().map(|n| self.frames.lemmas(n, 1).count() * arrows(n));
        let questions = (lemmas.sum::<usize>() + 1) * (self.frames.frontier() + 1);
        if questions < SMALL
            && let Some(broken) =
                audit_frames(self.pool, &self.graph, &self.frames, &self.allowance)
        {
            panic!("{broken}");
        }
        true
    }
}

/// The invariant that is found broken, if one is.
fn audit_frames(
    pool: &Pool,
    graph: &Graph,
    frames: &Frames,
    allowance: &Allowance,
) -> Option<Broken<NodeId>> {
    let mut solver = BitBlast::new(Cadical::default());
    solver.set_allowance(allowance.with_work(CONFLICTS));
    let mut auditor = Auditor { pool, graph, solver };
    // What is beyond the solver is not checked.
    audit(frames, &mut auditor).ok().flatten()
}

/// Answers with a solver of its own.
struct Auditor<'a> {
    pool: &'a Pool,
    graph: &'a Graph,
    solver: BitBlast<Cadical>,
}

impl Auditor<'_> {
    /// Whether an arrow leads from the frame into the cube at a node.
    fn leads_into(
        &mut self,
        frame: Frame<'_, NodeId, Term>,
        node: NodeId,
        cube: &[Term],
    ) -> Result<bool, Error> {
        let (pool, graph) = (self.pool, self.graph);
        for arrow in &graph.nodes[node].incoming {
            let arrow = &graph.arrows[*arrow];
            // F_(0,ℓ) is false but for the initial node.
            if frame.is_initial() && arrow.from != graph.initial {
                continue;
            }
            let mut after = Substitution::new(arrow.effect.assigned.iter().copied());
            let mut question: Vec<Term> = cube.iter().map(|l| after.apply(pool, *l)).collect();
            question.extend(&arrow.effect.guards);
            if arrow.from != graph.initial {
                question.extend(frame.lemmas(arrow.from).map(|lemma| lemma.negation(pool)));
            }
            // SAT? F_(i,ℓ) ∧ guards ∧ c'
            if self.solver.check(pool, &question)? == Answer::Sat {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Questions<NodeId, Term> for Auditor<'_> {
    type Error = Error;

    /// Runs begin at the initial node in any state.
    fn initial(&mut self, node: NodeId, _cube: &Cube) -> Result<bool, Error> {
        Ok(node == self.graph.initial)
    }

    fn consecution(
        &mut self,
        frame: Frame<'_, NodeId, Term>,
        node: NodeId,
        cube: &Cube,
    ) -> Result<bool, Error> {
        self.leads_into(frame, node, cube.literals())
    }

    fn bad(&mut self, frame: Frame<'_, NodeId, Term>) -> Result<bool, Error> {
        self.leads_into(frame, self.graph.error, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lemmas::INFINITE;
    use program::cfa::{Cfa, Command, Edge, Location};
    use term::Sort;

    /// x := 0; loop { x < 9; x := x + 2 }, the error at x = 7.
    fn graph(pool: &Pool) -> (Graph, NodeId) {
        let x = pool.var("x", Sort::BitVec(4));
        let mut cfa = Cfa::default();
        let [start, head, error] = [(); 3].map(|()| cfa.locations.alloc(Location::default()));
        let number = |n: u64| pool.bv(n, 4);
        let below = Command::Assume(pool.bv_ult(x, number(9)));
        let add = Command::Assign(x, pool.bv_add(x, number(2)));
        let edges = [
            (start, head, vec![Command::Assign(x, number(0))]),
            (head, head, vec![below, add]),
            (head, error, vec![Command::Assume(pool.eq(x, number(7)))]),
        ];
        for (from, to, commands) in edges {
            let (command, place) = (Command::Sequence(commands), program::Place::default());
            cfa.edges.alloc(Edge { from, to, command, place, violates: None });
        }
        let graph = Graph::new(pool, &cfa, start, error);
        let head = graph.arrows[0].to;
        (graph, head)
    }

    #[test]
    fn every_invariant_can_be_found_broken() {
        let pool = Pool::new();
        let (graph, head) = graph(&pool);
        let x = pool.var("x", Sort::BitVec(4));
        let odd = Cube::new(vec![pool.eq(pool.bv_extract(x, 0, 0), pool.bv(1, 1))]);
        let is = |n: u64| Cube::new(vec![pool.eq(x, pool.bv(n, 4))]);
        let broken = |lemmas: &[(NodeId, usize, &Cube)]| {
            let mut frames = Frames::new(graph.nodes.len());
            for _ in 0..3 {
                frames.extend();
            }
            for (node, frame, cube) in lemmas {
                frames.add(*node, *frame, (*cube).clone());
            }
            audit_frames(&pool, &graph, &frames, &Allowance::default())
        };
        assert_eq!(broken(&[(head, INFINITE, &odd)]), None);
        assert_eq!(broken(&[(head, 3, &odd)]), None);
        assert_eq!(broken(&[]), Some(Broken::Safety(1)));
        let initial = (graph.initial, 1, &odd);
        assert_eq!(broken(&[initial]), Some(Broken::Initiation(graph.initial)));
        // x = 2n is there after n + 1 steps.
        let consecution = |frame| Some(Broken::Consecution { frame, node: head });
        let (even, two) = ((head, INFINITE, &odd), (head, 1, &is(2)));
        assert_eq!(broken(&[even, two, (head, 2, &is(4))]), None);
        assert_eq!(broken(&[even, two, (head, 3, &is(4))]), consecution(2), "one frame too high");
        let (four, six) = ((head, 1, &is(4)), (head, 2, &is(6)));
        let eight = (head, INFINITE, &is(8));
        assert_eq!(broken(&[even, four, six, (head, 3, &is(8))]), None);
        assert_eq!(broken(&[even, four, six, eight]), consecution(INFINITE));
    }
}
