//! Over-approximations of the reachable states, as formulas over latches.
//!
//! All formulas live in one graph, a copy of the system's: its gates are the step, so that formulas about
//! the state before a step need no copy of it. Inputs of the graph keep their places.

use aig::{Aig, Edge, Encoder};
use answer::Allowance;
use circuit::{Init, TransitionSystem};
use sat::cadical::Cadical;
use sat::interpolant::{Interpolant, Node};
use sat::{Answer, Exhausted, Solver};

/// Formulas over the latches of a system, and who compares them.
pub struct Reached {
    /// The system's graph, and the formulas.
    pub graph: Aig,
    /// The states found so far, if the search has ended: an invariant.
    pub states: Edge,
    encoder: Encoder,
    solver: Cadical,
}

impl Reached {
    /// The states in which traces begin.
    pub fn initial(system: &TransitionSystem, allowance: &Allowance) -> Reached {
        let mut graph = system.aig.clone();
        let resets = system.latches.iter().filter_map(|latch| match latch.init {
            Init::Zero => Some(!latch.state),
            Init::One => Some(latch.state),
            Init::Free => None,
        });
        let states = graph.and_all(resets);
        let mut solver = Cadical::default();
        solver.set_allowance(allowance.clone());
        Reached { graph, states, encoder: Encoder::new(), solver }
    }

    /// An interpolant as a formula; `latch` says what a variable of the solver stands for.
    pub fn formula(&mut self, interpolant: &Interpolant, latch: impl Fn(sat::Var) -> Edge) -> Edge {
        let graph = &mut self.graph;
        let found = interpolant.formulas.fold(&[interpolant.root], |node| match node {
            Node::Constant(value) => Edge::constant(value),
            Node::Literal(lit) => latch(lit.var()).xor(lit.is_neg()),
            Node::And(a, b) => graph.and(a, b),
            Node::Or(a, b) => graph.or(a, b),
        });
        found[0]
    }

    /// Whether one formula implies another.
    pub fn implies(&mut self, a: Edge, b: Edge) -> Result<bool, Exhausted> {
        // SAT? a ∧ ¬b
        Ok(!self.possible(&[a, !b])?)
    }

    /// Whether all these edges can hold at once.
    pub fn possible(&mut self, edges: &[Edge]) -> Result<bool, Exhausted> {
        if edges.contains(&Edge::FALSE) {
            return Ok(false);
        }
        let mut lits = Vec::with_capacity(edges.len());
        for edge in edges {
            lits.push(self.encoder.lit(&self.graph, &mut self.solver, *edge));
        }
        match self.solver.solve(&lits) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(exhausted) => Err(exhausted),
        }
    }

    /// After an answer that edges can hold: the value of an edge, if it mattered.
    pub fn value(&self, edge: Edge) -> Option<bool> {
        self.solver.value(self.encoder.known(edge)?)
    }

    /// After an answer that edges can't hold: those of them that can't.
    pub fn core(&self, edges: &[Edge]) -> Vec<Edge> {
        let used = |edge: &Edge| self.encoder.known(*edge).is_some_and(|l| self.solver.failed(l));
        edges.iter().copied().filter(used).collect()
    }

    /// Changes the conflicts that each question may use.
    pub fn set_work(&mut self, conflicts: Option<u64>) {
        self.solver.set_work(conflicts);
    }
}
