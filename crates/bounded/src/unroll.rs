//! Unrolling: the steps of a trace as gates of one graph, in one incremental solver.
//!
//! The graph hashes structurally and folds constants, so what the reset values decide never
//! reaches the solver. Only what the next states, the bad property and the constraints depend on
//! is copied.

use aig::{Aig, Edge, Encoder, Node};
use answer::{Allowance, Exhausted};
use circuit::{Trace, TransitionSystem, cone};
use sat::{Answer, Lit, Solver};

/// The most gates and inputs of an unrolling: beyond that it would no longer fit into memory.
const MAX_NODES: usize = 30_000_000;

/// The units of work that a gate costs to make and to encode.
const GATE: u64 = 30;
/// The units of work of a propagation, in a formula that is large.
const PROPAGATION: u64 = 5;

/// What the first state of an unrolling may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// An initial state.
    Initial,
    /// Any state.
    Anywhere,
}

/// The steps of a trace so far.
pub struct Unrolling<'a, S> {
    system: &'a TransitionSystem,
    bad: Edge,
    graph: Aig,
    encoder: Encoder,
    solver: S,
    /// The nodes of the system's graph that are copied.
    needed: Vec<bool>,
    /// The latches before each step, and after the last one.
    states: Vec<Vec<Edge>>,
    inputs: Vec<Vec<Edge>>,
    bads: Vec<Edge>,
    /// The gates that all questions so far were about, a gate of two questions counted twice.
    asked: u64,
    allowance: Allowance,
}

impl<'a, S: Solver> Unrolling<'a, S> {
    /// No step yet.
    ///
    /// # Panics
    /// If the system has no bad property with this index.
    pub fn new(system: &'a TransitionSystem, property: usize, start: Start, solver: S) -> Self {
        let bad = system.bads[property].edge;
        let roots = system.latches.iter().map(|l| l.next);
        let roots = roots.chain(system.constraints.iter().map(|c| c.edge)).chain([bad]);
        let mut graph = Aig::new();
        let first = system.latches.iter().map(|latch| match (start, latch.init.value()) {
            (Start::Initial, Some(value)) => Edge::constant(value),
            _ => graph.input(),
        });
        let states = vec![first.collect()];
        Unrolling {
            system,
            bad,
            needed: cone::marked(&system.aig, roots),
            graph,
            encoder: Encoder::new(),
            solver,
            states,
            inputs: Vec::new(),
            bads: Vec::new(),
            asked: 0,
            allowance: Allowance::default(),
        }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Whether there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// What the questions may use.
    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.solver.set_allowance(allowance.clone());
        self.allowance = allowance;
    }

    /// Why there should be no further step. A step that folds to constants asks the solver
    /// nothing, so the allowance must be looked at here as well.
    pub fn exhausted(&self) -> Option<Exhausted> {
        let full = self.graph.len() > MAX_NODES;
        self.allowance.exhausted().or(full.then_some(Exhausted::Memory))
    }

    /// How many gates and inputs there are.
    pub fn size(&self) -> usize {
        self.graph.len()
    }

    /// The work so far, in units that depend on the input alone: what the solver propagated, a
    /// flat amount for every gate, and one unit for every gate that a question is about, because
    /// solvers simplify the whole formula now and then. One unit is in the order of 0.1 µs.
    pub fn work(&self) -> u64 {
        PROPAGATION * self.solver.statistics().propagations
            + GATE * self.graph.len() as u64
            + self.asked
    }

    /// Adds a step under the constraints.
    pub fn extend(&mut self) {
        let mut image = vec![Edge::FALSE; self.system.aig.len()];
        let state = &self.states[self.len()];
        for (latch, edge) in self.system.latches.iter().zip(state) {
            image[latch.state.node()] = *edge;
        }
        let mut inputs = Vec::with_capacity(self.system.inputs.len());
        for input in &self.system.inputs {
            let edge = self.graph.input();
            image[input.edge.node()] = edge;
            inputs.push(edge);
        }
        let of = |image: &[Edge], edge: Edge| image[edge.node()].xor(edge.is_inverted());
        for (index, node) in self.system.aig.nodes().iter().enumerate() {
            if let Node::And(left, right) = *node
                && self.needed[index]
            {
                image[index] = self.graph.and(of(&image, left), of(&image, right));
            }
        }
        for constraint in &self.system.constraints {
            let edge = of(&image, constraint.edge);
            self.encoder.assert(&self.graph, &mut self.solver, edge);
        }
        self.bads.push(of(&image, self.bad));
        self.states.push(self.system.latches.iter().map(|l| of(&image, l.next)).collect());
        self.inputs.push(inputs);
    }

    /// SAT? steps ∧ bad at the last step
    ///
    /// Requires: there is a step.
    pub fn solve_bad(&mut self) -> Answer {
        let bad = self.bads[self.len() - 1];
        if bad == Edge::FALSE {
            return Answer::Unsat;
        }
        let bad = self.encoder.lit(&self.graph, &mut self.solver, bad);
        self.asked += self.graph.len() as u64;
        self.solver.solve(&[bad])
    }

    /// Excludes a violation at the last step for good.
    ///
    /// Requires: there is a step.
    pub fn assert_good(&mut self) {
        let bad = self.bads[self.len() - 1];
        self.encoder.assert(&self.graph, &mut self.solver, !bad);
    }

    /// After [`Answer::Sat`]: the trace found.
    pub fn trace(&self) -> Trace {
        let values = |edges: &Vec<Edge>| edges.iter().map(|e| self.value(*e)).collect();
        Trace { initial: values(&self.states[0]), inputs: self.inputs.iter().map(values).collect() }
    }

    /// After [`Answer::Sat`]: two steps that begin in the same state, the earlier first.
    pub fn repeated_state(&self) -> Option<(usize, usize)> {
        // What the solver does not know does not matter, and may be false.
        let value = |e: &Edge| self.value(*e).unwrap_or(e.is_inverted());
        let state = |k: usize| self.states[k].iter().map(value).collect::<Vec<bool>>();
        let states: Vec<Vec<bool>> = (0..self.len()).map(state).collect();
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_by(|a, b| states[*a].cmp(&states[*b]).then(a.cmp(b)));
        order.windows(2).find(|w| states[w[0]] == states[w[1]]).map(|w| (w[0], w[1]))
    }

    /// Excludes for good that two steps begin in the same state.
    pub fn assert_distinct(&mut self, first: usize, second: usize) {
        let pairs: Vec<(Edge, Edge)> =
            self.states[first].iter().copied().zip(self.states[second].iter().copied()).collect();
        let mut clause: Vec<Lit> = Vec::new();
        for (a, b) in pairs {
            match self.graph.xor(a, b) {
                Edge::FALSE => {}
                Edge::TRUE => return,
                edge => clause.push(self.encoder.lit(&self.graph, &mut self.solver, edge)),
            }
        }
        self.solver.add_clause(&clause);
    }

    fn value(&self, edge: Edge) -> Option<bool> {
        match edge.as_constant() {
            Some(value) => Some(value),
            None => self.solver.value(self.encoder.known(edge)?),
        }
    }
}
