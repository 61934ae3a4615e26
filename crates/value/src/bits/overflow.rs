//! The overflow predicates of SMT-LIB 2.7: whether the exact result leaves the value range.

use super::{Bits, mask, signed};

impl Bits {
    /// `bvnego`: signed negation overflows, that is, for the least signed value alone.
    #[inline]
    pub fn nego(&self) -> bool {
        self.is_min_signed()
    }

    /// `bvuaddo`: unsigned addition overflows.
    #[inline]
    pub fn uaddo(&self, other: &Bits) -> bool {
        // The sum wrapped around if and only if it became smaller than either summand.
        self.add(other).ult(self)
    }

    /// `bvsaddo`: signed addition overflows.
    #[inline]
    pub fn saddo(&self, other: &Bits) -> bool {
        let negative = self.is_negative();
        negative == other.is_negative() && self.add(other).is_negative() != negative
    }

    /// `bvusubo`: unsigned subtraction goes below zero.
    #[inline]
    pub fn usubo(&self, other: &Bits) -> bool {
        self.ult(other)
    }

    /// `bvssubo`: signed subtraction overflows.
    #[inline]
    pub fn ssubo(&self, other: &Bits) -> bool {
        let negative = self.is_negative();
        negative != other.is_negative() && self.sub(other).is_negative() != negative
    }

    /// `bvumulo`: unsigned multiplication overflows.
    #[inline]
    pub fn umulo(&self, other: &Bits) -> bool {
        match self.inline_pair(other) {
            Some((a, b)) => a.checked_mul(b).is_none_or(|product| product > mask(self.width)),
            None => (self.as_wide() * other.as_wide()).bits() > u64::from(self.width),
        }
    }

    /// `bvsmulo`: signed multiplication overflows.
    #[inline]
    pub fn smulo(&self, other: &Bits) -> bool {
        let Some((a, b)) = self.inline_pair(other) else {
            let product = self.to_bigint() * other.to_bigint();
            return Bits::from_bigint(self.width, &product).to_bigint() != product;
        };
        let product = signed(self.width, a).checked_mul(signed(self.width, b));
        product.is_none_or(|product| signed(self.width, product as u128) != product)
    }

    /// `bvsdivo`: signed division overflows, that is, for −2^(width − 1) by −1 alone.
    #[inline]
    pub fn sdivo(&self, other: &Bits) -> bool {
        assert_eq!(self.width, other.width, "operands of different width");
        self.is_min_signed() && other.is_ones()
    }
}
