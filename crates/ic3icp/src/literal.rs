//! Bounds of variables as literals.
//!
//! `x ≤ 3` subsumes what `x ≤ 5` denies: the variable and the side are the subject, and of two bounds about
//! the same subject the stronger implies the weaker.

use crate::domains::Domains;
use icp::{Bound, Key, Side};
use lemmas::Literal as _;
use term::{Pool, Term};

/// `x ≥ v` or `x ≤ v`, for a variable of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The variable.
    pub variable: Term,
    /// From which side it is bounded.
    pub side: Side,
    /// The number of the value in the order of the variable's domain.
    pub key: Key,
}

/// A box.
pub type Cube = lemmas::Cube<Literal>;

impl lemmas::Literal for Literal {
    type Subject = (Term, Side);

    fn subject(&self) -> (Term, Side) {
        (self.variable, self.side)
    }

    fn code(&self) -> usize {
        2 * self.variable.index() + usize::from(self.side == Side::AtMost)
    }

    fn implies(&self, other: &Self) -> bool {
        self.subject() == other.subject()
            && match self.side {
                Side::AtLeast => self.key >= other.key,
                Side::AtMost => self.key <= other.key,
            }
    }

    fn contradicts(&self, next: &Self) -> bool {
        self.variable == next.variable && self.side != next.side && self.key > next.key
    }
}

impl Literal {
    /// The literal about a term that stands for the variable.
    pub fn about(&self, domains: &Domains, term: Term) -> Bound {
        let domain = domains.of(self.variable);
        Bound { term, domain, side: self.side, key: self.key }
    }

    /// The literal as a formula.
    pub fn formula(&self, pool: &Pool, domains: &Domains) -> Term {
        self.about(domains, self.variable).formula(pool)
    }
}

/// The clause ¬cube.
pub fn negation(pool: &Pool, domains: &Domains, cube: &Cube) -> Term {
    pool.or(cube.literals().iter().map(|literal| pool.not(literal.formula(pool, domains))))
}

/// The cube of bounds of which some may be about the same subject, or say nothing.
pub fn cube(domains: &Domains, literals: impl IntoIterator<Item = Literal>) -> Cube {
    let says_something = |literal: &Literal| !literal.about(domains, literal.variable).is_trivial();
    Cube::new(literals.into_iter().filter(says_something).collect())
}

/// Whether some literal of a list implies this one.
pub fn is_implied(literal: &Literal, by: &[Literal]) -> bool {
    by.iter().any(|other| other.implies(literal))
}
