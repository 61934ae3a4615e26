//! Bitwise operators, reductions and bit counts.

use super::{Bits, INLINE_WIDTH, Repr, wide_mask};

impl Bits {
    /// `bvnot`.
    #[inline]
    pub fn not(&self) -> Bits {
        match &self.repr {
            Repr::Inline(value) => Bits::inline(self.width, !value.get()),
            Repr::Wide(value) => Bits::wide(self.width, wide_mask(self.width) - value),
        }
    }

    /// `bvand`.
    #[inline]
    pub fn and(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a & b, |a, b| a & b)
    }

    /// `bvor`.
    #[inline]
    pub fn or(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a | b, |a, b| a | b)
    }

    /// `bvxor`.
    #[inline]
    pub fn xor(&self, other: &Bits) -> Bits {
        self.zip(other, |a, b| a ^ b, |a, b| a ^ b)
    }

    /// `bvnand`.
    #[inline]
    pub fn nand(&self, other: &Bits) -> Bits {
        self.and(other).not()
    }

    /// `bvnor`.
    #[inline]
    pub fn nor(&self, other: &Bits) -> Bits {
        self.or(other).not()
    }

    /// `bvxnor`.
    #[inline]
    pub fn xnor(&self, other: &Bits) -> Bits {
        self.xor(other).not()
    }

    /// The conjunction of all bits (BTOR2 `redand`).
    #[inline]
    pub fn redand(&self) -> bool {
        self.is_ones()
    }

    /// The disjunction of all bits (BTOR2 `redor`).
    #[inline]
    pub fn redor(&self) -> bool {
        !self.is_zero()
    }

    /// The parity of all bits (BTOR2 `redxor`).
    #[inline]
    pub fn redxor(&self) -> bool {
        self.popcount() % 2 == 1
    }

    /// The number of bits that are one.
    #[inline]
    pub fn popcount(&self) -> u32 {
        match &self.repr {
            Repr::Inline(value) => value.get().count_ones(),
            Repr::Wide(value) => u32::try_from(value.count_ones()).expect("at most the width"),
        }
    }

    /// The number of zeros above the most significant one; the width for zero.
    #[inline]
    pub fn leading_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Inline(value) => value.get().leading_zeros() - (INLINE_WIDTH - self.width),
            Repr::Wide(value) => {
                self.width - u32::try_from(value.bits()).expect("at most the width")
            }
        }
    }

    /// The number of zeros below the least significant one; the width for zero.
    #[inline]
    pub fn trailing_zeros(&self) -> u32 {
        match &self.repr {
            Repr::Inline(value) => value.get().trailing_zeros().min(self.width),
            Repr::Wide(value) => value.trailing_zeros().map_or(self.width, |zeros| {
                u32::try_from(zeros).expect("a set bit is below the width")
            }),
        }
    }
}
