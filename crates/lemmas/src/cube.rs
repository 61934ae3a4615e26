//! Cubes: conjunctions of literals, and the clauses that deny them.
//!
//! A *lemma* is stored as the cube that it denies: the clause ¬c.

use crate::literal::Literal;
use sat::Lit;
use std::fmt;
use std::sync::Arc;
use term::{Pool, Term};

/// A conjunction of literals about distinct subjects, sorted, with a signature that refutes most
/// subset tests at a glance. Clones share the literals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube<L> {
    literals: Arc<[L]>,
    signature: u64,
}

impl<L: Literal> Cube<L> {
    /// The cube of the given literals, in any order. Of several about the same subject the
    /// strongest is kept.
    ///
    /// Requires: no literal contradicts another.
    pub fn new(mut literals: Vec<L>) -> Self {
        literals.sort_unstable();
        literals.dedup_by(|later, kept| {
            let same = later.subject() == kept.subject();
            if same && !kept.implies(later) {
                std::mem::swap(later, kept);
            }
            same
        });
        debug_assert!(literals.windows(2).all(|pair| !pair[0].contradicts(&pair[1])));
        let signature = literals.iter().fold(0, |bits, l| bits | 1 << (l.code() % 64));
        Cube { literals: literals.into(), signature }
    }

    /// Whether all literals of this cube follow from `other`'s: then the lemma ¬self implies
    /// ¬other. Where literals are atoms this is the subset relation.
    #[inline]
    pub fn subsumes(&self, other: &Cube<L>) -> bool {
        if self.signature & !other.signature != 0 || self.len() > other.len() {
            return false;
        }
        let mut theirs = other.literals.iter();
        self.literals.iter().all(|mine| {
            let subject = mine.subject();
            theirs.by_ref().find(|l| l.subject() >= subject).is_some_and(|l| l.implies(mine))
        })
    }

    /// Whether the cube has this very literal.
    pub fn contains(&self, literal: &L) -> bool {
        self.literals.binary_search(literal).is_ok()
    }
}

impl<L> Cube<L> {
    /// The literals in ascending order.
    #[inline]
    pub fn literals(&self) -> &[L] {
        &self.literals
    }

    /// How many literals there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether this is the cube of all states.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }
}

impl Cube<Lit> {
    /// The clause ¬self.
    pub fn negation(&self) -> Vec<Lit> {
        self.literals.iter().map(|l| !*l).collect()
    }
}

impl Cube<Term> {
    /// The clause ¬self as a formula.
    pub fn negation(&self, pool: &Pool) -> Term {
        pool.or(self.literals.iter().map(|l| pool.not(*l)))
    }
}

/// The cube of all states.
impl<L> Default for Cube<L> {
    fn default() -> Self {
        Cube { literals: Arc::new([]), signature: 0 }
    }
}

impl<L: fmt::Debug> fmt::Debug for Cube<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.literals.iter()).finish()
    }
}
