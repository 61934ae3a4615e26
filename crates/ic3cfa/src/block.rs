//! Strengthening and backward search: [Lan18, Algorithms 13 and 14].
//!
//! The root obligation is the error node at frame k + 1. The lowest obligation is asked for
//! predecessors in the frames below, arrow by arrow; each becomes an obligation there, and the
//! first one waits. If there is none, its cube is generalized to a lemma. A predecessor at the
//! initial node is the beginning of a counterexample, as runs start there in any state.

use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::{ArrowId, NodeId};
use crate::joint::Joint;
use crate::observer::{Phase, Technique};
use crate::options::QueryForm;
use crate::predecessor::ModelOf;
use crate::strategy::{ArrowQuery, Premise, Settled};
use lemmas::{INFINITE, Obligation, ObligationId};
use term::Term;

/// How many times longer than the frontier is high a chain of obligations may become.
const CHAIN: usize = 2;

/// How many obligations make a search hard enough for seeds.
const SEED_OBLIGATIONS: usize = 60;

/// A cube that an arrow, or several, do not lead into.
pub(crate) struct Excluded {
    /// Literals that are enough.
    pub(crate) literals: Vec<Term>,
    /// Whether lemmas were needed; if not, the same holds for all frames.
    pub(crate) framed: bool,
}

/// Why no arrow leads into a cube: a core for each incoming arrow.
#[derive(Default)]
pub(crate) struct Unreachable {
    /// In the order of [`crate::graph::Node::incoming`].
    pub(crate) cores: Vec<(ArrowId, Vec<Term>)>,
    /// Whether lemmas were needed.
    pub(crate) framed: bool,
}

impl Unreachable {
    fn add(&mut self, arrow: ArrowId, excluded: Excluded) {
        self.framed |= excluded.framed;
        self.cores.push((arrow, excluded.literals));
    }
}

impl Engine<'_> {
    /// Ensures: F_(k,ℓ) ∧ T_a is unsatisfiable for every arrow a from ℓ to the error node.
    pub(crate) fn strengthen(&mut self) -> Result<(), End> {
        let frontier = self.frames.frontier();
        self.obligations.collect_if_large();
        let (error, cube) = (self.graph.error, Cube::default());
        let root = self.obligations.note(frontier + 1, error, cube.clone(), None, None);
        loop {
            while let Some(id) = self.obligations.pop(frontier) {
                if self.obligations.kept() > SEED_OBLIGATIONS {
                    self.plant_seeds()?;
                }
                self.attend(id)?;
            }
            if self.find_predecessors(root, frontier + 1, error, &cube)?.is_some() {
                return Ok(());
            }
        }
    }

    /// Settles an obligation, or finds predecessors that must be settled before it.
    fn attend(&mut self, id: ObligationId) -> Result<(), End> {
        let Obligation { frame, node, cube, .. } = self.obligations.get(id);
        let (frame, node, cube) = (*frame, *node, cube.clone());
        if self.is_futile(id) {
            return Ok(());
        }
        if let Some(excluded) = self.frames.excluded_at(node, frame, &cube) {
            self.move_up(id, excluded.saturating_add(1));
            return Ok(());
        }
        let Some(unreachable) = self.find_predecessors(id, frame, node, &cube)? else {
            self.obligations.put_back(id);
            return Ok(());
        };
        let (lemma, frame) = self.generalize(node, frame, &cube, unreachable)?;
        if !self.is_known(node, frame, &lemma)? {
            self.add_lemma(node, frame, lemma)?;
        }
        self.move_up(id, frame.saturating_add(1));
        Ok(())
    }

    /// Lets a settled obligation wait for a higher frame. What holds in all frames is settled for
    /// good, and an attempt has what it wanted.
    ///
    /// An obligation that is attended to again in the same iteration leads to chains of parents
    /// that are longer than the frontier is high, and thus to long counterexamples early
    /// \[EMB11\]; but around a loop exact predecessors have no end. So long chains wait for the
    /// next iteration.
    fn move_up(&mut self, id: ObligationId, frame: usize) {
        let frontier = self.frames.frontier();
        if frame == INFINITE || self.obligations.get(id).attempt.is_some() {
            return;
        }
        let long = self.obligations.get(id).depth > CHAIN * (frontier + 1);
        let frame = if long { frame.max(frontier + 1) } else { frame };
        match self.strategy.settled {
            Settled::Forgotten if frame > frontier => {}
            Settled::Forgotten | Settled::Reused => self.obligations.put_forward(id, frame),
        }
    }

    /// Asks the incoming arrows for states of the frame below that lead into the cube; they
    /// become obligations. `Some` if there are none.
    fn find_predecessors(
        &mut self,
        id: ObligationId,
        frame: usize,
        node: NodeId,
        cube: &Cube,
    ) -> Result<Option<Unreachable>, End> {
        match self.strategy.query_form {
            QueryForm::First => self.check_up_to_first(id, frame, node, cube),
            QueryForm::Check => self.check_at_once(id, frame, node, cube),
            QueryForm::CheckByFilter => self.check_by_filter(id, frame, node, cube),
            QueryForm::CheckAndFilter => self.check_and_filter(id, frame, node, cube),
        }
    }

    /// Asks the arrows one by one, up to the first that leads into the cube.
    fn check_up_to_first(
        &mut self,
        id: ObligationId,
        frame: usize,
        node: NodeId,
        cube: &Cube,
    ) -> Result<Option<Unreachable>, End> {
        let mut result = Unreachable::default();
        for arrow in self.graph.nodes[node].incoming.clone() {
            match self.check_single_edge(arrow, frame - 1, cube)? {
                Some(excluded) => result.add(arrow, excluded),
                None => {
                    self.add_predecessor(id, arrow, frame - 1, cube, ModelOf::Source)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(result))
    }

    /// Asks the arrows one by one: *check_by_filter* ([Lan18 §5.1.3]).
    fn check_by_filter(
        &mut self,
        id: ObligationId,
        frame: usize,
        node: NodeId,
        cube: &Cube,
    ) -> Result<Option<Unreachable>, End> {
        let mut result = Unreachable::default();
        let mut found = false;
        for arrow in self.graph.nodes[node].incoming.clone() {
            match self.check_single_edge(arrow, frame - 1, cube)? {
                Some(excluded) => result.add(arrow, excluded),
                None => {
                    found = true;
                    self.add_predecessor(id, arrow, frame - 1, cube, ModelOf::Source)?;
                }
            }
        }
        Ok((!found).then_some(result))
    }

    /// Asks all arrows at once: *check* ([Lan18 §5.1.3]). The model gives one predecessor.
    fn check_at_once(
        &mut self,
        id: ObligationId,
        frame: usize,
        node: NodeId,
        cube: &Cube,
    ) -> Result<Option<Unreachable>, End> {
        match self.check_all_edges(node, frame - 1, cube)? {
            Ok(unreachable) => Ok(Some(unreachable)),
            Err(arrow) => {
                let several = self.graph.nodes[node].incoming.len() > 1;
                let model = if several { ModelOf::AllArrows } else { ModelOf::Source };
                self.add_predecessor(id, arrow, frame - 1, cube, model)?;
                Ok(None)
            }
        }
    }

    /// Asks all arrows at once, and one by one if there is a predecessor: *check_and_filter*
    /// ([Lan18 §5.1.3]).
    fn check_and_filter(
        &mut self,
        id: ObligationId,
        frame: usize,
        node: NodeId,
        cube: &Cube,
    ) -> Result<Option<Unreachable>, End> {
        match self.check_all_edges(node, frame - 1, cube)? {
            Ok(unreachable) => Ok(Some(unreachable)),
            Err(_) => self.check_by_filter(id, frame, node, cube),
        }
    }

    /// Asks all arrows at once; the error is an arrow that leads into the cube.
    fn check_all_edges(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: &Cube,
    ) -> Result<Result<Unreachable, ArrowId>, End> {
        match self.check_jointly(node, frame, cube.literals(), Phase::Block)? {
            Joint::Inductive { core, framed } => {
                let arrows = self.graph.nodes[node].incoming.iter();
                let cores = arrows.map(|arrow| (*arrow, core.clone())).collect();
                Ok(Ok(Unreachable { cores, framed }))
            }
            Joint::Reachable(arrow) => Ok(Err(arrow)),
            Joint::Undecided => unreachable!("critical queries are decided"),
        }
    }

    /// Asks one arrow: *check_single_edge*. None if it leads into the cube.
    fn check_single_edge(
        &mut self,
        arrow: ArrowId,
        frame: usize,
        cube: &Cube,
    ) -> Result<Option<Excluded>, End> {
        match self.strategy.arrow_query {
            ArrowQuery::LemmasFirst if frame > 0 => {
                if let Some(literals) = self.predecessor_cube(arrow, frame, cube) {
                    self.observer.technique(Technique::StaticInductivity);
                    return Ok(Some(Excluded { literals, framed: true }));
                }
            }
            ArrowQuery::LemmasFirst | ArrowQuery::Solver => {}
        }
        let premise = self.premise(arrow, cube.literals());
        match self.relative(arrow, frame, cube.literals(), premise, Phase::Block)? {
            Relative::Inductive { core, framed } => Ok(Some(Excluded { literals: core, framed })),
            Relative::Reachable => Ok(None),
            Relative::Undecided => unreachable!("critical queries are decided or end the run"),
        }
    }

    /// The cube that may be denied before an arrow when it is asked whether it leads into it.
    pub(crate) fn premise<'c>(&self, arrow: ArrowId, cube: &'c [Term]) -> Option<&'c [Term]> {
        match self.strategy.premise {
            Premise::None => None,
            Premise::OwnClause => self.graph.is_loop(arrow).then_some(cube),
        }
    }

    /// Makes an obligation of the states that lead into the cube by an arrow.
    ///
    /// Requires: the last query was about this arrow and cube, and satisfiable.
    fn add_predecessor(
        &mut self,
        id: ObligationId,
        arrow: ArrowId,
        frame: usize,
        cube: &Cube,
        model: ModelOf,
    ) -> Result<(), End> {
        let before = self.predecessor(arrow, cube, model)?;
        let node = self.graph.arrows[arrow].from;
        if node == self.graph.initial {
            if self.refute_attempt(id) {
                return Ok(());
            }
            let first = self.obligations.note(frame, node, before, Some(arrow), Some(id));
            return Err(End::Violation(first));
        }
        self.observer.obligation(frame, before.len());
        self.obligations.add(frame, node, before, Some(arrow), Some(id));
        Ok(())
    }
}
