//! The theory's orders, unsigned and signed, and `bvcomp`.

use super::{Bits, signed};
use std::cmp::Ordering;

impl Bits {
    /// The order of the unsigned values.
    #[inline]
    pub fn ucmp(&self, other: &Bits) -> Ordering {
        match self.inline_pair(other) {
            Some((a, b)) => a.cmp(&b),
            None => self.as_wide().cmp(other.as_wide()),
        }
    }

    /// The order of the signed values.
    #[inline]
    pub fn scmp(&self, other: &Bits) -> Ordering {
        match self.inline_pair(other) {
            Some((a, b)) => signed(self.width, a).cmp(&signed(self.width, b)),
            // Among values of the same sign the signed order is the unsigned one.
            None => other.is_negative().cmp(&self.is_negative()).then_with(|| self.ucmp(other)),
        }
    }

    /// `bvult`.
    #[inline]
    pub fn ult(&self, other: &Bits) -> bool {
        self.ucmp(other).is_lt()
    }

    /// `bvule`.
    #[inline]
    pub fn ule(&self, other: &Bits) -> bool {
        self.ucmp(other).is_le()
    }

    /// `bvugt`.
    #[inline]
    pub fn ugt(&self, other: &Bits) -> bool {
        self.ucmp(other).is_gt()
    }

    /// `bvuge`.
    #[inline]
    pub fn uge(&self, other: &Bits) -> bool {
        self.ucmp(other).is_ge()
    }

    /// `bvslt`.
    #[inline]
    pub fn slt(&self, other: &Bits) -> bool {
        self.scmp(other).is_lt()
    }

    /// `bvsle`.
    #[inline]
    pub fn sle(&self, other: &Bits) -> bool {
        self.scmp(other).is_le()
    }

    /// `bvsgt`.
    #[inline]
    pub fn sgt(&self, other: &Bits) -> bool {
        self.scmp(other).is_gt()
    }

    /// `bvsge`.
    #[inline]
    pub fn sge(&self, other: &Bits) -> bool {
        self.scmp(other).is_ge()
    }

    /// `bvcomp`: `#b1` if equal, else `#b0`.
    #[inline]
    pub fn comp(&self, other: &Bits) -> Bits {
        Bits::from_bool(self.ucmp(other).is_eq())
    }
}
