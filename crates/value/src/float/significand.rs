//! The integers that significands are computed with: `u128` for formats where everything fits,
//! [`BigUint`] for the others.
//!
//! The arithmetic is written once over this trait, so both sizes run the same algorithm and the
//! small one needs no allocation.

use crate::bits::Bits;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};

/// An unsigned integer. With `u128` the caller makes sure that results fit (see
/// [`Format::is_narrow`](super::Format::is_narrow)).
pub(super) trait Significand: Clone + Ord {
    fn from_bits(bits: &Bits) -> Self;
    fn from_u64(value: u64) -> Self;
    /// Requires: self < 2^64.
    fn to_u64(&self) -> u64;
    fn into_bits(self, width: u32) -> Bits;

    fn is_zero(&self) -> bool;
    /// The number of bits up to the most significant one; 0 for zero.
    fn length(&self) -> u64;
    fn bit(&self, index: u64) -> bool;
    /// Whether any of the bits 0, …, count − 1 is set; `count` may exceed the length.
    fn any_below(&self, count: u64) -> bool;
    /// The low `count` bits.
    fn low(&self, count: u64) -> Self;
    fn shl(self, by: u64) -> Self;
    /// ⌊self / 2^by⌋; `by` may exceed the length.
    fn shr(self, by: u64) -> Self;

    fn add(self, other: &Self) -> Self;
    /// Requires: other ≤ self.
    fn sub(self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    /// Requires: other > 0.
    fn div_rem(&self, other: &Self) -> (Self, Self);
    /// ⌊√self⌋.
    fn sqrt(&self) -> Self;

    fn is_odd(&self) -> bool {
        self.bit(0)
    }

    /// Sets the lowest bit if `sticky`: the trace that something nonzero was cut off below.
    fn stick(self, sticky: bool) -> Self {
        if sticky && !self.is_odd() { self.add(&Self::from_u64(1)) } else { self }
    }

    /// ⌊self / 2^by⌋ with a sticky bit for what was cut off.
    fn shr_sticky(self, by: u64) -> Self {
        let sticky = self.any_below(by);
        self.shr(by).stick(sticky)
    }

    /// 2^exponent modulo `modulus`, by repeated squaring; the operands of the products are
    /// below `modulus`.
    fn power_of_two_mod(exponent: u64, modulus: &Self) -> Self {
        let mut power = Self::from_u64(1).div_rem(modulus).1;
        let mut square = Self::from_u64(2).div_rem(modulus).1;
        let mut rest = exponent;
        while rest > 0 {
            if rest & 1 == 1 {
                power = power.mul(&square).div_rem(modulus).1;
            }
            square = square.mul(&square).div_rem(modulus).1;
            rest >>= 1;
        }
        power
    }
}

impl Significand for u128 {
    #[inline]
    fn from_bits(bits: &Bits) -> u128 {
        bits.to_u128().expect("at most 128 bits wide")
    }

    #[inline]
    fn from_u64(value: u64) -> u128 {
        u128::from(value)
    }

    #[inline]
    fn to_u64(&self) -> u64 {
        *self as u64
    }

    #[inline]
    fn into_bits(self, width: u32) -> Bits {
        Bits::from_u128(width, self)
    }

    #[inline]
    fn is_zero(&self) -> bool {
        *self == 0
    }

    #[inline]
    fn length(&self) -> u64 {
        u64::from(u128::BITS - self.leading_zeros())
    }

    #[inline]
    fn bit(&self, index: u64) -> bool {
        index < 128 && (self >> index) & 1 == 1
    }

    #[inline]
    fn any_below(&self, count: u64) -> bool {
        self.low(count) != 0
    }

    #[inline]
    fn low(&self, count: u64) -> u128 {
        if count >= 128 { *self } else { self & ((1 << count) - 1) }
    }

    #[inline]
    fn shl(self, by: u64) -> u128 {
        debug_assert!(self.length() + by <= 128, "{self:#x} << {by} does not fit");
        self << by
    }

    #[inline]
    fn shr(self, by: u64) -> u128 {
        if by >= 128 { 0 } else { self >> by }
    }

    #[inline]
    fn add(self, other: &u128) -> u128 {
        self + other
    }

    #[inline]
    fn sub(self, other: &u128) -> u128 {
        self - other
    }

    #[inline]
    fn mul(&self, other: &u128) -> u128 {
        self * other
    }

    #[inline]
    fn div_rem(&self, other: &u128) -> (u128, u128) {
        (self / other, self % other)
    }

    #[inline]
    fn sqrt(&self) -> u128 {
        self.isqrt()
    }
}

impl Significand for BigUint {
    fn from_bits(bits: &Bits) -> BigUint {
        bits.to_biguint()
    }

    fn from_u64(value: u64) -> BigUint {
        BigUint::from(value)
    }

    fn to_u64(&self) -> u64 {
        self.iter_u64_digits().next().unwrap_or(0)
    }

    fn into_bits(self, width: u32) -> Bits {
        Bits::from_biguint(width, self)
    }

    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }

    fn length(&self) -> u64 {
        self.bits()
    }

    fn bit(&self, index: u64) -> bool {
        BigUint::bit(self, index)
    }

    fn any_below(&self, count: u64) -> bool {
        self.trailing_zeros().is_some_and(|zeros| zeros < count)
    }

    fn low(&self, count: u64) -> BigUint {
        if count >= self.bits() { self.clone() } else { self & ((BigUint::one() << count) - 1u32) }
    }

    fn shl(self, by: u64) -> BigUint {
        self << by
    }

    fn shr(self, by: u64) -> BigUint {
        self >> by
    }

    fn add(self, other: &BigUint) -> BigUint {
        self + other
    }

    fn sub(self, other: &BigUint) -> BigUint {
        self - other
    }

    fn mul(&self, other: &BigUint) -> BigUint {
        self * other
    }

    fn div_rem(&self, other: &BigUint) -> (BigUint, BigUint) {
        Integer::div_rem(self, other)
    }

    fn sqrt(&self) -> BigUint {
        BigUint::sqrt(self)
    }
}
