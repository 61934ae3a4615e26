//! Edges to clauses, on demand (Tseitin's encoding).
//!
//! Only the cone of an edge that is asked for reaches the solver, each node once, and each as a
//! *definition* ([`Solver::add_definition`]), so that a solver which restricts its search to the
//! cone of a question knows the DAG. Three conjunctions that form a multiplexer or an
//! exclusive-or become one definition of four clauses; the two inner nodes get variables only
//! if something else needs them.

use crate::graph::{Aig, Edge, Node};
use rustc_hash::FxHashSet;
use sat::{Lit, Solver, Var};

/// Remembers which nodes of one graph have a literal in one solver.
#[derive(Clone, Default)]
pub struct Encoder {
    lits: Vec<Option<Lit>>,
}

/// A node seen as the gate that is encoded.
enum Gate {
    Leaf,
    And(Edge, Edge),
    Xor(Edge, Edge),
    /// if `.0` then `.1` else `.2`
    Mux(Edge, Edge, Edge),
}

impl Encoder {
    /// Nothing encoded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The literal of an edge, if it has one already.
    pub fn known(&self, edge: Edge) -> Option<Lit> {
        let lit = self.lits.get(edge.node()).copied().flatten()?;
        Some(lit.xor(edge.is_inverted()))
    }

    /// Gives an input node a literal chosen by the caller, before anything else asks for it.
    ///
    /// # Panics
    /// If the node has a literal already.
    pub fn bind(&mut self, edge: Edge, lit: Lit) {
        assert!(self.known(edge).is_none(), "{edge:?} has a literal already");
        self.set(edge.node(), lit.xor(edge.is_inverted()));
    }

    /// The literal of an edge; whatever of its cone the solver does not have yet is defined.
    pub fn lit<S: Solver + ?Sized>(&mut self, aig: &Aig, solver: &mut S, edge: Edge) -> Lit {
        let mut pending = vec![edge.node()];
        while let Some(node) = pending.last().copied() {
            if self.lits.get(node).copied().flatten().is_some() {
                pending.pop();
                continue;
            }
            let gate = gate(aig, node);
            let before = pending.len();
            let fanin = match &gate {
                Gate::Leaf => &[][..],
                Gate::And(a, b) | Gate::Xor(a, b) => &[*a, *b][..],
                Gate::Mux(c, t, e) => &[*c, *t, *e][..],
            };
            pending.extend(fanin.iter().filter(|e| self.known(**e).is_none()).map(|e| e.node()));
            if pending.len() == before {
                self.define(solver, node, &gate);
                pending.pop();
            }
        }
        self.known(edge).expect("the loop above encoded the node")
    }

    /// Asserts an edge for good; a conjunction is asserted operand by operand.
    pub fn assert<S: Solver + ?Sized>(&mut self, aig: &Aig, solver: &mut S, edge: Edge) {
        let mut pending = vec![edge];
        // Operands are shared: without this, a chain of n conjunctions can have 2^n paths.
        let mut asserted = FxHashSet::default();
        while let Some(edge) = pending.pop() {
            if !asserted.insert(edge) {
                continue;
            }
            match gate(aig, edge.node()) {
                Gate::And(a, b) if !edge.is_inverted() && self.known(edge).is_none() => {
                    pending.extend([a, b]);
                }
                Gate::And(a, b) if self.known(edge).is_none() => {
                    let (a, b) = (self.lit(aig, solver, a), self.lit(aig, solver, b));
                    solver.add_clause(&[!a, !b]);
                }
                _ => {
                    let lit = self.lit(aig, solver, edge);
                    solver.add_clause(&[lit]);
                }
            }
        }
    }

    fn set(&mut self, node: usize, lit: Lit) {
        if self.lits.len() <= node {
            self.lits.resize(node + 1, None);
        }
        self.lits[node] = Some(lit);
    }

    /// Requires: the gate's operands have literals.
    fn define<S: Solver + ?Sized>(&mut self, solver: &mut S, node: usize, gate: &Gate) {
        let var = solver.new_var();
        let out = var.pos();
        self.set(node, out);
        let lit = |e: &Edge| self.known(*e).expect("operands are encoded before their gate");
        let vars = |lits: &[Lit]| lits.iter().map(|l| l.var()).collect::<Vec<Var>>();
        match gate {
            Gate::Leaf if node == 0 => solver.add_definition(var, &[], &[&[!out]]),
            Gate::Leaf => {}
            Gate::And(a, b) => {
                let (a, b) = (lit(a), lit(b));
                solver.add_definition(
                    var,
                    &vars(&[a, b]),
                    &[&[!out, a], &[!out, b], &[out, !a, !b]],
                );
            }
            Gate::Xor(a, b) => {
                let (a, b) = (lit(a), lit(b));
                solver.add_definition(
                    var,
                    &vars(&[a, b]),
                    &[&[!out, a, b], &[!out, !a, !b], &[out, !a, b], &[out, a, !b]],
                );
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (lit(c), lit(t), lit(e));
                solver.add_definition(
                    var,
                    &vars(&[c, t, e]),
                    &[
                        &[!c, !t, out],
                        &[!c, t, !out],
                        &[c, !e, out],
                        &[c, e, !out],
                        // Redundant, but they propagate where the selector is open.
                        &[!t, !e, out],
                        &[t, e, !out],
                    ],
                );
            }
        }
    }
}

/// ¬(c ∧ t) ∧ ¬(¬c ∧ e) is a multiplexer with inverted data; with e = ¬t an exclusive-or.
fn gate(aig: &Aig, node: usize) -> Gate {
    let Node::And(x, y) = aig.node(node) else { return Gate::Leaf };
    if !(x.is_inverted() && y.is_inverted()) {
        return Gate::And(x, y);
    }
    let (Node::And(a, b), Node::And(c, d)) = (aig.node(x.node()), aig.node(y.node())) else {
        return Gate::And(x, y);
    };
    for (selector, data) in [(a, b), (b, a)] {
        for (opposite, other) in [(c, d), (d, c)] {
            if selector == !opposite {
                return if other == !data {
                    Gate::Xor(selector, data)
                } else {
                    Gate::Mux(selector, !data, !other)
                };
            }
        }
    }
    Gate::And(x, y)
}
