//! The loops of a graph: edges back, heads, and which nodes are inside.

use crate::flat::Flat;
use rustc_hash::FxHashSet;

/// The loops of a graph.
pub struct Shape {
    /// Edges that lead back, by number.
    pub back: Vec<usize>,
    /// The nodes that they lead to, in the order in which they are come to.
    pub heads: Vec<usize>,
    /// The nodes inside of each head's loop, the head among them.
    pub bodies: Vec<FxHashSet<usize>>,
}

impl Shape {
    /// Finds them by a search in depth.
    pub fn of(flat: &Flat) -> Shape {
        let out = flat.out();
        let (mut state, mut back, mut order) = (vec![0u8; flat.nodes], Vec::new(), Vec::new());
        let mut stack = vec![(flat.entry, 0)];
        state[flat.entry] = 1;
        while let Some((node, next)) = stack.pop() {
            let Some(&edge) = out[node].get(next) else {
                state[node] = 2;
                order.push(node);
                continue;
            };
            stack.push((node, next + 1));
            let to = flat.edges[edge].to;
            match state[to] {
                0 => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                1 => back.push(edge),
                _ => {}
            }
        }
        order.reverse();
        let targets: FxHashSet<usize> = back.iter().map(|edge| flat.edges[*edge].to).collect();
        let heads: Vec<usize> = order.into_iter().filter(|n| targets.contains(n)).collect();
        let bodies = heads.iter().map(|head| body(flat, &back, *head)).collect();
        Shape { back, heads, bodies }
    }

    /// The number of a head.
    pub fn number(&self, node: usize) -> Option<usize> {
        self.heads.iter().position(|head| *head == node)
    }
}

/// The nodes from which an edge back to the head can be taken without passing the head.
fn body(flat: &Flat, back: &[usize], head: usize) -> FxHashSet<usize> {
    let mut into = vec![Vec::new(); flat.nodes];
    for edge in &flat.edges {
        into[edge.to].push(edge.from);
    }
    let mut inside = FxHashSet::default();
    inside.insert(head);
    let ends = back.iter().map(|edge| &flat.edges[*edge]).filter(|edge| edge.to == head);
    let mut pending: Vec<usize> = ends.map(|edge| edge.from).collect();
    while let Some(node) = pending.pop() {
        if inside.insert(node) {
            pending.extend(&into[node]);
        }
    }
    inside
}
