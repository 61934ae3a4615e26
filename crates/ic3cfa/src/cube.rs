//! Cubes: conjunctions of formulas over the variables of the automaton.
//!
//! A literal is any formula, as a rule a comparison. A *lemma* is stored as the cube that it
//! denies ([Lan18 §5.1.3]).

use std::rc::Rc;
use term::{Pool, Term};

/// A conjunction of distinct literals, sorted, with a signature that refutes most subset tests at
/// a glance. Clones share the literals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube {
    literals: Rc<[Term]>,
    signature: u64,
}

impl Cube {
    /// The cube of the given literals, in any order.
    pub fn new(mut literals: Vec<Term>) -> Self {
        literals.sort_unstable();
        literals.dedup();
        let signature = literals.iter().fold(0, |bits, l| bits | 1 << (l.index() % 64));
        Cube { literals: literals.into(), signature }
    }

    /// The literals in ascending order.
    pub fn literals(&self) -> &[Term] {
        &self.literals
    }

    /// How many literals there are.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether this is the cube of all states.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// Whether all literals of this cube occur in `other`: then the lemma ¬self implies ¬other.
    pub fn subsumes(&self, other: &Cube) -> bool {
        if self.signature & !other.signature != 0 || self.len() > other.len() {
            return false;
        }
        let mut theirs = other.literals.iter();
        self.literals.iter().all(|mine| theirs.by_ref().find(|l| *l >= mine) == Some(mine))
    }

    /// Whether the cube contains a literal.
    pub fn contains(&self, literal: Term) -> bool {
        self.literals.binary_search(&literal).is_ok()
    }

    /// The clause ¬self as a formula.
    pub fn negation(&self, pool: &Pool) -> Term {
        pool.or(self.literals.iter().map(|l| pool.not(*l)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn subsumption_is_the_subset_relation() {
        let pool = Pool::new();
        let atoms: Vec<Term> = (0..80).map(|i| pool.var(&format!("a{i}"), Sort::Bool)).collect();
        let cube = |indices: &[usize]| Cube::new(indices.iter().map(|i| atoms[*i]).collect());
        assert!(cube(&[]).subsumes(&cube(&[3])));
        assert!(cube(&[70, 3]).subsumes(&cube(&[3, 5, 70])));
        assert!(!cube(&[3, 6]).subsumes(&cube(&[3, 70])), "6 and 70 share a bit of the signature");
        assert!(!cube(&[3, 5]).subsumes(&cube(&[3])));
    }
}
