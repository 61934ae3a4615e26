//! An unrolling in two parts that share the latches after its first step.
//!
//! ```text
//! A   R(s₀) ∧ C(s₀) ∧ T(s₀, s₁)
//! B   C(s₁) ∧ (bad(s₁) ∨ T(s₁, s₂) ∧ C(s₂) ∧ (bad(s₂) ∨ … bad(sₖ)))
//! ```
//!
//! If they contradict each other, the interpolant is a formula over s₁ that every successor of R
//! satisfies and that no state satisfies which leads to a violation within k − 1 steps. Constraints are
//! asked for step by step, because a violation counts though nothing may follow it.
//!
//! Each part has its own graph and its own clauses; both know a latch after the first step by the same
//! variable. One solver keeps both for all questions of one k: R is an assumption.

use aig::{Aig, Edge, Encoder, Node};
use answer::{Allowance, Exhausted};
use circuit::{Trace, TransitionSystem};
use rustc_hash::FxHashMap;
use sat::interpolant::{Interpolant, System, interpolate};
use sat::proof::{InPart, Partition, ProvingSolver, Shared};
use sat::{Answer, Lit, Solver, Var};
use std::cell::RefCell;
use std::rc::Rc;

const A: Partition = Partition(0);
const B: Partition = Partition(1);

/// What comes of a question.
pub enum Asked {
    /// A run from R to a violation.
    Run(Trace),
    /// There is none: an interpolant over the cut.
    Refuted(Interpolant),
}

/// Why there is no answer.
pub enum Failed {
    /// The allowance.
    Stopped(Exhausted),
    /// The solver did not justify its answer.
    Unproved(String),
}

/// See the module's head.
pub struct Split<'a> {
    system: &'a TransitionSystem,
    solver: Shared,
    before: InPart,
    /// What of the graph of formulas is known to the first part.
    encoder: Encoder,
    /// The latches after the first step, and what they are before it.
    cut: FxHashMap<Var, Edge>,
    after: After,
}

/// The steps after the first one.
struct After {
    graph: Aig,
    encoder: Encoder,
    inputs: Vec<Vec<Edge>>,
}

impl<'a> Split<'a> {
    /// The unrolling with k steps after the first state; `graph` has the gates of the system.
    pub fn new(
        system: &'a TransitionSystem,
        graph: &Aig,
        property: usize,
        k: usize,
        allowance: &Allowance,
    ) -> Self {
        let mut proving = ProvingSolver::default();
        proving.set_allowance(allowance.clone());
        let solver: Shared = Rc::new(RefCell::new(proving));
        let mut before = InPart::new(solver.clone(), A);
        let mut encoder = Encoder::new();
        for constraint in &system.constraints {
            encoder.assert(graph, &mut before, constraint.edge);
        }
        let (after, first, goal) = After::new(system, property, k);
        let mut split = Split { system, solver, before, encoder, cut: FxHashMap::default(), after };
        split.link(graph, &first);
        let mut part = InPart::new(split.solver.clone(), B);
        split.after.encoder.assert(&split.after.graph, &mut part, goal);
        split
    }

    /// Makes the latches after the first step known to both parts.
    fn link(&mut self, graph: &Aig, first: &[Edge]) {
        for (latch, state) in self.system.latches.iter().zip(first) {
            let shared = self.before.new_var();
            let (q, next) = (shared.pos(), self.encoder.lit(graph, &mut self.before, latch.next));
            self.before.add_clause(&[!q, next]);
            self.before.add_clause(&[q, !next]);
            self.after.encoder.bind(*state, q);
            self.cut.insert(shared, latch.state);
        }
    }

    /// SAT? A ∧ B, where R is `from`.
    pub fn ask(&mut self, graph: &Aig, from: Edge, system: System) -> Result<Asked, Failed> {
        let from: Lit = self.encoder.lit(graph, &mut self.before, from);
        let answer = self.solver.borrow_mut().solve(&[(from, A)]);
        match answer {
            Answer::Unknown(exhausted) => Err(Failed::Stopped(exhausted)),
            Answer::Sat => Ok(Asked::Run(self.trace())),
            Answer::Unsat => {
                let proof = self.solver.borrow().proof();
                let proof = proof.map_err(|error| Failed::Unproved(error.to_string()))?;
                let refutation =
                    proof.check().map_err(|error| Failed::Unproved(error.to_string()))?;
                Ok(Asked::Refuted(interpolate(&refutation, system, |part| part == A)))
            }
        }
    }

    /// What a variable that the parts share stands for, before the step.
    pub fn latch(&self, shared: Var) -> Edge {
        *self.cut.get(&shared).expect("the parts share the latches after the first step alone")
    }

    /// After [`Answer::Sat`]: all steps; the violation is at one of them.
    fn trace(&self) -> Trace {
        let solver = self.solver.borrow();
        let value = |encoder: &Encoder, edge: Edge| match edge.as_constant() {
            Some(value) => Some(value),
            None => solver.value(encoder.known(edge)?),
        };
        let initial = self.system.latches.iter().map(|latch| value(&self.encoder, latch.state));
        let first = self.system.inputs.iter().map(|input| value(&self.encoder, input.edge));
        let later = |step: &Vec<Edge>| {
            step.iter().map(|input| value(&self.after.encoder, *input)).collect()
        };
        let inputs = std::iter::once(first.collect()).chain(self.after.inputs.iter().map(later));
        Trace { initial: initial.collect(), inputs: inputs.collect() }
    }
}

impl After {
    /// The steps, the latches before the first of them, and what B says.
    fn new(system: &TransitionSystem, property: usize, k: usize) -> (After, Vec<Edge>, Edge) {
        let mut graph = Aig::new();
        let first: Vec<Edge> = system.latches.iter().map(|_| graph.input()).collect();
        let mut state = first.clone();
        let (mut inputs, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..k {
            let step = Step::new(&mut graph, system, &state);
            let constraints = system.constraints.iter().map(|c| step.of(c.edge));
            let constraints = graph.and_all(constraints);
            steps.push((constraints, step.of(system.bads[property].edge)));
            state = system.latches.iter().map(|latch| step.of(latch.next)).collect();
            inputs.push(step.inputs);
        }
        let goal = steps.into_iter().rev().fold(Edge::FALSE, |later, (constraints, bad)| {
            let either = graph.or(bad, later);
            graph.and(constraints, either)
        });
        (After { graph, encoder: Encoder::new(), inputs }, first, goal)
    }
}

/// A copy of the system's gates.
struct Step {
    image: Vec<Edge>,
    inputs: Vec<Edge>,
}

impl Step {
    fn new(graph: &mut Aig, system: &TransitionSystem, state: &[Edge]) -> Step {
        let mut step = Step { image: vec![Edge::FALSE; system.aig.len()], inputs: Vec::new() };
        for (latch, edge) in system.latches.iter().zip(state) {
            step.image[latch.state.node()] = *edge;
        }
        for input in &system.inputs {
            let edge = graph.input();
            step.image[input.edge.node()] = edge;
            step.inputs.push(edge);
        }
        for (index, node) in system.aig.nodes().iter().enumerate() {
            if let Node::And(left, right) = *node {
                step.image[index] = graph.and(step.of(left), step.of(right));
            }
        }
        step
    }

    fn of(&self, edge: Edge) -> Edge {
        self.image[edge.node()].xor(edge.is_inverted())
    }
}
