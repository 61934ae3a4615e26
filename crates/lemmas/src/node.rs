//! Nodes: places with frames of their own.

use std::fmt::Debug;
use std::hash::Hash;

/// A place with frames of its own: a location, a procedure, or `()` where there is but one.
///
/// Nodes are numbered from 0; `of` and `index` are inverse.
pub trait Node: Copy + Ord + Hash + Debug {
    /// The node with this number.
    fn of(index: usize) -> Self;

    /// The node's number.
    fn index(self) -> usize;
}

/// The one node of a circuit.
impl Node for () {
    #[inline]
    fn of(_index: usize) {}

    #[inline]
    fn index(self) -> usize {
        0
    }
}

/// Nodes by number.
impl Node for usize {
    #[inline]
    fn of(index: usize) -> Self {
        index
    }

    #[inline]
    fn index(self) -> usize {
        self
    }
}
