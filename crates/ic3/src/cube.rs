//! Cubes over latches, and the clauses that deny them.
//!
//! A literal names a latch of the system: the variable with index `i` is latch `i`, here and in
//! every solver of the engine (see [`crate::transition`]), so a cube can be assumed as it is.
//! A *lemma* is stored as the cube that it denies: the clause ¬c.

use sat::Lit;
use std::fmt;

/// A conjunction of literals over distinct latches, sorted, with a signature that refutes most
/// subset tests at a glance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    literals: Box<[Lit]>,
    signature: u64,
}

impl Cube {
    /// The cube of the given literals, in any order.
    ///
    /// Requires: no latch occurs in both polarities.
    pub fn new(mut literals: Vec<Lit>) -> Self {
        literals.sort_unstable();
        literals.dedup();
        debug_assert!(literals.windows(2).all(|pair| pair[0].var() != pair[1].var()));
        let signature = literals.iter().fold(0, |bits, l| bits | 1 << (l.code() % 64));
        Cube { literals: literals.into(), signature }
    }

    /// The literals in ascending order.
    pub fn literals(&self) -> &[Lit] {
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

    /// The clause ¬self.
    pub fn negation(&self) -> Vec<Lit> {
        self.literals.iter().map(|l| !*l).collect()
    }
}

impl fmt::Debug for Cube {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(&self.literals).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sat::Var;

    fn cube(values: &[Option<bool>]) -> Cube {
        let literal = |(i, v): (usize, &Option<bool>)| v.map(|v| Var::new(i).lit(v));
        Cube::new(values.iter().enumerate().filter_map(literal).collect())
    }

    proptest! {
        #[test]
        fn subsumption_is_the_subset_relation(
            a in prop::collection::vec(any::<Option<bool>>(), 100),
            flips in prop::collection::vec(0..100usize, 0..4),
        ) {
            let mut b = a.clone();
            for at in flips {
                b[at] = b[at].map(|v| !v);
            }
            let (a, b) = (cube(&a), cube(&b));
            for (x, y) in [(&a, &b), (&b, &a)] {
                let subset = x.literals().iter().all(|l| y.literals().contains(l));
                prop_assert_eq!(x.subsumes(y), subset);
            }
        }
    }
}
