//! Literals and variables as the search stores them.
//!
//! [`Lit`] checks its range at every conversion, which is right for an interface and wrong for
//! an inner loop. Inside the solver a literal is its code and a variable its index, both as
//! plain 32-bit numbers; the conversions stand at the solver's border.

use crate::lit::Lit;

/// The index of a variable.
pub(super) type VarIndex = u32;

/// A literal's code: twice the variable's index, plus one where negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Literal(pub u32);

impl Literal {
    /// The variables must be few enough that a literal's code leaves two bits of a 32-bit word
    /// free for the tag of a watch (see `watch.rs`).
    pub const MAX_VARS: usize = 1 << 29;

    #[inline]
    pub fn positive(var: VarIndex) -> Self {
        Literal(var << 1)
    }

    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub fn var(self) -> VarIndex {
        self.0 >> 1
    }

    /// The variable as an index of a table.
    #[inline]
    pub fn slot(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The literal as the interface knows it.
    pub fn to_lit(self) -> Lit {
        Lit::from_code(self.code())
    }
}

impl From<Lit> for Literal {
    #[inline]
    fn from(lit: Lit) -> Self {
        Literal(lit.code() as u32)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}
