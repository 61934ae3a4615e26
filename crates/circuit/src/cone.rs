//! Cones of influence.

use aig::{Aig, Edge, Node};

/// Which nodes the given edges depend on combinationally, the edges' own nodes included.
pub fn marked(aig: &Aig, roots: impl IntoIterator<Item = Edge>) -> Vec<bool> {
    let mut marked = vec![false; aig.len()];
    for root in roots {
        marked[root.node()] = true;
    }
    // Operands lie below their gates, so one pass from the top reaches everything.
    for node in (0..aig.len()).rev() {
        if let Node::And(left, right) = aig.node(node)
            && marked[node]
        {
            marked[left.node()] = true;
            marked[right.node()] = true;
        }
    }
    marked
}
