//! Seeds: lemmas that are guessed from runs and proved, beside the search ([`analysis::seeds`]).
//!
//! A guess can't harm but by its cost: every seed is proved, with the solvers of the nodes. Easy
//! searches are over before there are any: the engine waits until one has become hard.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::NodeId;
use crate::observer::Phase;
use analysis::seeds::{Graph, Prover, Step, seeds};
use lemmas::INFINITE;
use program::execute::Values;
use smt::Answer;
use term::Term;

impl Engine<'_> {
    /// Guesses lemmas, and adds those that can be proved; once.
    pub(crate) fn plant_seeds(&mut self) -> Result<(), End> {
        if std::mem::replace(&mut self.seeded, true) {
            return Ok(());
        }
        let (pool, random) = (self.pool, self.strategy.seed);
        let step = |arrow: &crate::graph::Arrow| Step {
            from: arrow.from,
            to: arrow.to,
            effect: arrow.effect.clone(),
        };
        let graph = Graph {
            nodes: self.graph.nodes.len(),
            initial: self.graph.initial,
            error: self.graph.error,
            steps: self.graph.arrows.iter().map(step).collect(),
        };
        let found = seeds(pool, graph, random, self)?;
        for (node, formulas) in found.into_iter().enumerate() {
            for formula in self.without_implied(formulas)? {
                let denied = pool.not(formula);
                let cube = if pool.as_bool(denied) == Some(true) { vec![] } else { vec![denied] };
                self.add_lemma(node, INFINITE, Cube::new(cube))?;
            }
        }
        Ok(())
    }

    /// The formulas without those that others among them imply.
    fn without_implied(&mut self, formulas: Vec<Term>) -> Result<Vec<Term>, End> {
        let mut kept: Vec<Term> = Vec::new();
        for formula in formulas {
            let unsatisfiable = self.pool.as_bool(formula) == Some(false);
            if unsatisfiable || self.implied_by(&kept, vec![formula])?.is_empty() {
                kept.push(formula);
            }
        }
        Ok(kept)
    }
}

impl Prover for Engine<'_> {
    type Error = End;

    fn ask(&mut self, node: NodeId, assumptions: &[Term], clause: &[Term]) -> Result<Answer, End> {
        Engine::ask(self, node, assumptions, clause, Phase::Seed)
    }

    fn model(&mut self, node: NodeId, terms: &[Term]) -> Result<Values, End> {
        Engine::model(self, node, terms)
    }
}
