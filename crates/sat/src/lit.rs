//! Variables and literals.

use std::fmt;
use std::ops::Not;

/// A propositional variable, numbered from 0 in the order of [`crate::Solver::new_var`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(u32);

impl Var {
    /// The largest index a variable may have: two literals per variable must fit in 32 bits,
    /// and DIMACS (one-based, signed) must be able to name it.
    pub const MAX_INDEX: usize = (i32::MAX - 1) as usize;

    /// The variable with this index.
    ///
    /// # Panics
    /// If `index` exceeds [`Var::MAX_INDEX`].
    #[inline]
    pub fn new(index: usize) -> Self {
        assert!(index <= Self::MAX_INDEX, "variable index {index} out of range");
        Var(index as u32)
    }

    /// The index, for tables indexed by variable.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal of this variable that is true where the variable is `value`.
    #[inline]
    pub fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }

    /// The positive literal.
    #[inline]
    pub fn pos(self) -> Lit {
        self.lit(true)
    }

    /// The negative literal.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "not the arithmetic negation of a variable")]
    pub fn neg(self) -> Lit {
        self.lit(false)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A variable or its negation: twice the variable's index, plus one where negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The literal with this code (see [`Lit::code`]).
    #[inline]
    pub fn from_code(code: usize) -> Self {
        Var::new(code >> 1).lit(code & 1 == 0)
    }

    /// Twice the variable's index, plus one where negated: for tables indexed by literal.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal's variable.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether this is a negation.
    #[inline]
    pub fn is_neg(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether this is a variable itself.
    #[inline]
    pub fn is_pos(self) -> bool {
        !self.is_neg()
    }

    /// This literal, negated where `flip`.
    #[inline]
    pub fn xor(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }

    /// The literal as DIMACS writes it: one-based, negative where negated.
    #[inline]
    pub fn to_dimacs(self) -> i32 {
        let var = (self.0 >> 1) as i32 + 1;
        if self.is_neg() { -var } else { var }
    }

    /// The literal that DIMACS writes so.
    ///
    /// # Panics
    /// If `dimacs` is zero, which ends a clause and names no literal.
    #[inline]
    pub fn from_dimacs(dimacs: i32) -> Self {
        assert!(dimacs != 0, "0 is not a literal");
        Var::new(dimacs.unsigned_abs() as usize - 1).lit(dimacs > 0)
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", if self.is_neg() { "¬" } else { "" }, self.var())
    }
}
