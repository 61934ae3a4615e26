//! Cones of influence: what chosen properties depend on, and nothing else.

use crate::reduction::{Reduction, Substitution, Targets, rebuild};
use crate::system::{SystemError, TransitionSystem};
use aig::{Aig, Edge, Node};

/// The part of a system that the targets depend on.
///
/// Keep all constraints ([`Targets::of_bads`]) unless an over-approximation is wanted: without
/// one of them the new system has more traces than the original, so a proof carries over and a
/// violation need not. Even a constraint that shares nothing with the properties matters where
/// it can't hold for ever.
///
/// # Panics
/// If a target's index is out of range.
pub fn reduce(system: &TransitionSystem, targets: &Targets) -> Result<Reduction, SystemError> {
    rebuild(system, &Substitution::identity(system), Vec::new(), targets)
}

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
