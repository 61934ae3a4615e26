//! Literals: what cubes are made of.
//!
//! Where a literal is an atom and says nothing about others, as with circuits and formulas, it is
//! its own subject, and only equal literals imply each other. A bound x ≤ 3 implies x ≤ 5: there
//! the variable and the direction are the subject.

use sat::Lit;
use std::fmt::Debug;
use std::hash::Hash;
use term::Term;

/// A literal of a cube.
///
/// The order must agree with the subjects: a ≤ b implies a.subject() ≤ b.subject(). Of two
/// literals with the same subject at least one must imply the other.
pub trait Literal: Clone + Ord + Hash + Debug {
    /// What a literal is about. Literals about different things never imply each other.
    type Subject: Ord;

    /// What this one is about.
    fn subject(&self) -> Self::Subject;

    /// A number that depends on the subject alone and tells most subjects apart by its last bits.
    fn code(&self) -> usize;

    /// Whether every state that satisfies this literal satisfies the other.
    fn implies(&self, other: &Self) -> bool {
        self == other
    }

    /// Whether the literal and the one after it in a cube are known to have no common state. Cubes
    /// without states are not wanted; debug builds refuse those that this finds.
    fn contradicts(&self, next: &Self) -> bool {
        let _ = next;
        false
    }
}

/// A latch and its value.
impl Literal for Lit {
    type Subject = Lit;

    #[inline]
    fn subject(&self) -> Lit {
        *self
    }

    #[inline]
    fn code(&self) -> usize {
        Lit::code(*self)
    }

    fn contradicts(&self, next: &Self) -> bool {
        *self == !*next
    }
}

/// Any formula, as a rule a comparison.
impl Literal for Term {
    type Subject = Term;

    #[inline]
    fn subject(&self) -> Term {
        *self
    }

    #[inline]
    fn code(&self) -> usize {
        self.index()
    }
}
