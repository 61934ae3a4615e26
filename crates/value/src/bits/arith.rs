//! Arithmetic modulo 2^width: `bvneg bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvsmod`.
//!
//! Division is total, as SMT-LIB defines it: `x udiv 0` is all ones and `x urem 0` is `x`; the
//! signed operators are defined by the unsigned ones on magnitudes, which fixes their value at
//! zero divisors and at the one quotient that does not fit. Division of two words by two is much
//! slower than of one by one, so operands of one word are told apart.

use super::{Bits, Repr, mask, wide_mask};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

impl Bits {
    /// `bvneg`: 2^width − x, modulo 2^width.
    #[inline]
    pub fn neg(&self) -> Bits {
        match &self.repr {
            Repr::Inline(value) => Bits::inline(self.width, value.get().wrapping_neg()),
            Repr::Wide(value) => Bits::wide(self.width, (BigUint::one() << self.width) - value),
        }
    }

    /// `bvadd`.
    #[inline]
    pub fn add(&self, other: &Bits) -> Bits {
        self.zip(other, u128::wrapping_add, |a, b| a + b)
    }

    /// `bvsub`.
    #[inline]
    pub fn sub(&self, other: &Bits) -> Bits {
        let width = self.width;
        self.zip(other, u128::wrapping_sub, |a, b| (BigUint::one() << width) + a - b)
    }

    /// `bvmul`.
    #[inline]
    pub fn mul(&self, other: &Bits) -> Bits {
        self.zip(other, u128::wrapping_mul, |a, b| a * b)
    }

    /// `bvudiv`: all ones if the divisor is zero.
    #[inline]
    pub fn udiv(&self, other: &Bits) -> Bits {
        let width = self.width;
        self.zip(
            other,
            |a, b| match (u64::try_from(a), u64::try_from(b)) {
                (_, Ok(0)) => mask(width),
                (Ok(a), Ok(b)) => u128::from(a / b),
                _ => a / b,
            },
            |a, b| if b.is_zero() { wide_mask(width) } else { a / b },
        )
    }

    /// `bvurem`: the dividend if the divisor is zero.
    #[inline]
    pub fn urem(&self, other: &Bits) -> Bits {
        self.zip(
            other,
            |a, b| match (u64::try_from(a), u64::try_from(b)) {
                (_, Ok(0)) => a,
                (Ok(a), Ok(b)) => u128::from(a % b),
                _ => a % b,
            },
            |a, b| if b.is_zero() { a.clone() } else { a.mod_floor(b) },
        )
    }

    /// |x| as an unsigned number of the same width; of the least signed value that is itself.
    #[inline]
    pub fn abs(&self) -> Bits {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// `bvsdiv`: the quotient rounded toward zero. By zero it is −1 for a dividend ≥ 0, else 1.
    #[inline]
    pub fn sdiv(&self, other: &Bits) -> Bits {
        let quotient = self.abs().udiv(&other.abs());
        if self.is_negative() == other.is_negative() { quotient } else { quotient.neg() }
    }

    /// `bvsrem`: the remainder of [`Bits::sdiv`], with the sign of the dividend. By zero it is
    /// the dividend.
    #[inline]
    pub fn srem(&self, other: &Bits) -> Bits {
        let remainder = self.abs().urem(&other.abs());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// `bvsmod`: the remainder of the quotient rounded toward −∞, with the sign of the divisor.
    /// By zero it is the dividend.
    #[inline]
    pub fn smod(&self, other: &Bits) -> Bits {
        let remainder = self.srem(other);
        let opposite = self.is_negative() != other.is_negative();
        if opposite && !remainder.is_zero() { remainder.add(other) } else { remainder }
    }
}
