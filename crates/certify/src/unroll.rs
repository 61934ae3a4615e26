//! Steps of a circuit as gates of one graph.

use aig::{Aig, Edge, Node};
use circuit::TransitionSystem;

/// One step: the state before it, and every function of the system over it.
pub struct Step {
    /// The latches before the step.
    pub state: Vec<Edge>,
    /// The image of each node of the system's graph.
    nodes: Vec<Edge>,
}

impl Step {
    /// A copy of the system's functions over the given state and fresh inputs.
    pub fn new(graph: &mut Aig, system: &TransitionSystem, state: Vec<Edge>) -> Step {
        let inputs: Vec<Edge> = system.inputs.iter().map(|_| graph.input()).collect();
        Step::with_inputs(graph, system, state, &inputs)
    }

    /// The same over given inputs, the first of which are the system's.
    pub fn with_inputs(
        graph: &mut Aig,
        system: &TransitionSystem,
        state: Vec<Edge>,
        inputs: &[Edge],
    ) -> Step {
        let mut nodes = vec![Edge::FALSE; system.aig.len()];
        for (latch, edge) in system.latches.iter().zip(&state) {
            nodes[latch.state.node()] = *edge;
        }
        for (input, edge) in system.inputs.iter().zip(inputs) {
            nodes[input.edge.node()] = *edge;
        }
        for (index, node) in system.aig.nodes().iter().enumerate() {
            if let Node::And(a, b) = node {
                let (a, b) = (image(&nodes, *a), image(&nodes, *b));
                nodes[index] = graph.and(a, b);
            }
        }
        Step { state, nodes }
    }

    /// The image of an edge of the system.
    pub fn edge(&self, edge: Edge) -> Edge {
        image(&self.nodes, edge)
    }

    /// The latches after the step.
    pub fn next(&self, system: &TransitionSystem) -> Vec<Edge> {
        system.latches.iter().map(|latch| self.edge(latch.next)).collect()
    }

    /// All constraints, at this step.
    pub fn constraints(&self, graph: &mut Aig, system: &TransitionSystem) -> Edge {
        let constraints: Vec<Edge> = system.constraints.iter().map(|c| self.edge(c.edge)).collect();
        graph.and_all(constraints)
    }
}

fn image(nodes: &[Edge], edge: Edge) -> Edge {
    nodes[edge.node()].xor(edge.is_inverted())
}
