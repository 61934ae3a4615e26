//! Variables and literals of the search.
//!
//! A variable is an integer, the key of a value in its domain; a literal is a bound of it. Literals
//! are not numbered: what is known of all bounds of a variable is its interval, so that the
//! bound-implication clauses of [Sch §II-D] (`x > 7 ⇒ x ≥ 5`) need not be made at all; where an
//! implication graph would have one, the trail has the earlier bounds of the variable in a chain.

use crate::bound::Side;
use intervals::keys::Key;
use std::ops::Not;

/// A variable of the search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Var(pub u32);

impl Var {
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The place of one side of the variable in tables of both.
    pub fn place(self, side: Side) -> usize {
        2 * self.index() + side as usize
    }
}

/// A bound of a variable; neither always true nor always false in its domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lit {
    pub key: Key,
    pub var: Var,
    pub side: Side,
}

impl Lit {
    /// var ≥ key
    pub fn at_least(var: Var, key: Key) -> Lit {
        Lit { key, var, side: Side::AtLeast }
    }

    /// var ≤ key
    pub fn at_most(var: Var, key: Key) -> Lit {
        Lit { key, var, side: Side::AtMost }
    }

    /// A literal of a side, whose key is still to be said.
    pub fn of_place(place: usize) -> Lit {
        let var = Var(place as u32 / 2);
        let side = if place % 2 == Side::AtLeast as usize { Side::AtLeast } else { Side::AtMost };
        Lit { key: 0, var, side }
    }

    /// The place of the literal's side.
    pub fn place(self) -> usize {
        self.var.place(self.side)
    }

    /// Whether a bound of the same variable and side implies this one.
    pub fn follows_from(self, bound: Key) -> bool {
        match self.side {
            Side::AtLeast => bound >= self.key,
            Side::AtMost => bound <= self.key,
        }
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        match self.side {
            Side::AtLeast => Lit::at_most(self.var, self.key - 1),
            Side::AtMost => Lit::at_least(self.var, self.key + 1),
        }
    }
}

/// The side across.
pub(crate) fn opposite(side: Side) -> Side {
    match side {
        Side::AtLeast => Side::AtMost,
        Side::AtMost => Side::AtLeast,
    }
}
