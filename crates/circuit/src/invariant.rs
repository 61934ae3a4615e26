//! Clauses over latches: the form of lemmas, of inductive facts and of invariants.

use crate::system::TransitionSystem;
use aig::{Aig, Edge};

/// The statement that a latch has a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LatchLit {
    /// The latch's index in [`TransitionSystem::latches`].
    pub latch: usize,
    /// The value.
    pub value: bool,
}

impl LatchLit {
    /// "The latch has this value."
    pub fn new(latch: usize, value: bool) -> Self {
        LatchLit { latch, value }
    }
}

impl std::ops::Not for LatchLit {
    type Output = LatchLit;

    fn not(self) -> LatchLit {
        LatchLit { value: !self.value, ..self }
    }
}

/// A disjunction.
pub type Clause = Vec<LatchLit>;

/// Builds ⋀ clauses in `aig`, a graph in which `state(latch)` is the value of a latch.
///
/// # Panics
/// If `state` does, which is asked for the latches of the clauses only.
pub fn conjunction(aig: &mut Aig, clauses: &[Clause], state: impl Fn(usize) -> Edge) -> Edge {
    let mut conjuncts = Vec::with_capacity(clauses.len());
    for clause in clauses {
        let literals = clause.iter().map(|l| state(l.latch).xor(!l.value));
        conjuncts.push(aig.or_all(literals));
    }
    aig.and_all(conjuncts)
}

/// The first latch named by the clauses that the system does not have.
pub fn unknown_latch(system: &TransitionSystem, clauses: &[Clause]) -> Option<usize> {
    clauses.iter().flatten().map(|l| l.latch).find(|l| *l >= system.latches.len())
}
