//! Bit-parallel simulation: 64 input patterns at a time.

use crate::graph::{Aig, Edge, Node};

/// The values of all nodes under 64 patterns, one bit of a word each.
pub struct Words(Vec<u64>);

impl Words {
    /// Simulates the whole graph; `input(i)` gives the patterns of the i-th input.
    pub fn simulate(aig: &Aig, mut input: impl FnMut(usize) -> u64) -> Self {
        let mut words = Words(Vec::with_capacity(aig.len()));
        let mut inputs = 0;
        for node in aig.nodes() {
            let word = match *node {
                Node::False => 0,
                Node::Input => {
                    inputs += 1;
                    input(inputs - 1)
                }
                Node::And(a, b) => words.word(a) & words.word(b),
            };
            words.0.push(word);
        }
        words
    }

    /// The values of one edge.
    #[inline]
    pub fn word(&self, edge: Edge) -> u64 {
        self.0[edge.node()] ^ if edge.is_inverted() { !0 } else { 0 }
    }
}
