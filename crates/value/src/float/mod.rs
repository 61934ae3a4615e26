//! IEEE 754 binary floating-point values of any format, with SMT-LIB's meaning of
//! `FloatingPoint`.
//!
//! A [`Float`] is its interchange encoding with a single NaN: all NaN encodings are read as the
//! one that is written, the quiet NaN with sign 0 and payload 0. So `==` on floats is SMT-LIB's
//! `=` (see [`Float::same`]); IEEE equality is [`Float::ieee_eq`].
//!
//! Arithmetic is exact over integers followed by one rounding: `round` holds the rounding and
//! `arith`, `remainder`, `integral` and `convert` the operations. Formats up to 60 significand
//! bits compute in `u128`, wider ones in `BigUint`, by the same generic code (`significand`).
//! For binary32 and binary64 rounded to nearest even, `machine` uses the processor's arithmetic.
//! None of the operations on formats up to 60 significand bits allocates.
//!
//! Operations of several floats require equal formats and panic otherwise, as a mismatch is a
//! sort error of the caller.

mod arith;
mod compare;
mod convert;
mod decimal;
mod format;
mod integral;
mod machine;
mod print;
mod remainder;
mod round;
mod rounding;
mod significand;

#[cfg(test)]
mod agreement;

use crate::bits::Bits;
use round::{Finite, Unpacked, round, unpack};
use significand::Significand;
use std::cmp::Ordering;

pub use format::{Format, FormatError};
pub use rounding::{ParseRoundingError, Rounding};

/// A floating-point value of some format.
///
/// `==` and `Hash` are by identity: NaN equals NaN, and +0 differs from −0.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Float {
    format: Format,
    /// The interchange encoding; of NaN always the canonical one.
    encoding: Bits,
}

// Construction.
impl Float {
    /// The float with an encoding that is known not to be a non-canonical NaN.
    #[inline]
    fn from_encoding(format: Format, encoding: Bits) -> Float {
        Float { format, encoding }
    }

    /// The float with the given interchange encoding; every NaN encoding gives NaN.
    ///
    /// # Panics
    /// If `bits` has not the width of the format.
    #[inline]
    pub fn from_bits(format: Format, bits: &Bits) -> Float {
        assert_eq!(bits.width(), format.width(), "encoding of {format}");
        let float = Float::from_encoding(format, bits.clone());
        if float.is_nan() { Float::nan(format) } else { float }
    }

    /// `(fp sign exponent fraction)`: the float with the given fields, whose widths determine
    /// the format.
    pub fn from_fields(
        negative: bool,
        exponent: &Bits,
        fraction: &Bits,
    ) -> Result<Float, FormatError> {
        let (eb, sb) = (exponent.width(), fraction.width().saturating_add(1));
        let format = Format::new(eb, sb)?;
        let bits = Bits::from_bool(negative).concat(exponent).concat(fraction);
        Ok(Float::from_bits(format, &bits))
    }

    /// `(_ NaN eb sb)`.
    #[cold]
    pub fn nan(format: Format) -> Float {
        // All exponent bits and the first fraction bit: the positive quiet NaN.
        let ones = Bits::ones(format.width());
        Float::from_encoding(format, ones.shl_by(format.significand() - 1).lshr_by(1))
    }

    /// `(_ +oo eb sb)` or `(_ -oo eb sb)`.
    #[inline]
    pub fn infinity(format: Format, negative: bool) -> Float {
        let exponent = Bits::ones(format.width()).shl_by(format.significand()).lshr_by(1);
        Float::with_sign(format, exponent, negative)
    }

    /// `(_ +zero eb sb)` or `(_ -zero eb sb)`.
    #[inline]
    pub fn zero(format: Format, negative: bool) -> Float {
        Float::with_sign(format, Bits::zero(format.width()), negative)
    }

    /// ±1.
    pub fn one(format: Format, negative: bool) -> Float {
        let bias = Bits::from_i64(format.width(), format.max_exponent());
        Float::with_sign(format, bias.shl_by(format.significand() - 1), negative)
    }

    /// The finite number of greatest magnitude.
    pub fn max_finite(format: Format, negative: bool) -> Float {
        let infinity = Float::infinity(format, false);
        let one = Bits::one(format.width());
        Float::with_sign(format, infinity.encoding.sub(&one), negative)
    }

    /// The normal number of least magnitude.
    pub fn min_normal(format: Format, negative: bool) -> Float {
        let one = Bits::one(format.width());
        Float::with_sign(format, one.shl_by(format.significand() - 1), negative)
    }

    /// The subnormal number of least magnitude: the nonzero number closest to zero.
    pub fn min_subnormal(format: Format, negative: bool) -> Float {
        Float::with_sign(format, Bits::one(format.width()), negative)
    }

    /// The float with the given exponent and fraction fields and the given sign.
    #[inline]
    fn with_sign(format: Format, magnitude: Bits, negative: bool) -> Float {
        Float::from_encoding(format, magnitude.with_bit(format.width() - 1, negative))
    }
}

// Access and classification.
impl Float {
    /// The format.
    #[inline]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The interchange encoding. NaN gives the positive quiet NaN without payload.
    #[inline]
    pub fn to_bits(&self) -> Bits {
        self.encoding.clone()
    }

    #[inline]
    fn encoding(&self) -> &Bits {
        &self.encoding
    }

    /// The fields of `(fp sign exponent fraction)`: sign, biased exponent, fraction.
    pub fn fields(&self) -> (bool, Bits, Bits) {
        let (width, fraction) = (self.format.width(), self.format.significand() - 1);
        let exponent = self.encoding.extract(width - 2, fraction);
        (self.sign_bit(), exponent, self.encoding.extract(fraction - 1, 0))
    }

    /// The sign bit; false for NaN.
    #[inline]
    fn sign_bit(&self) -> bool {
        self.encoding.is_negative()
    }

    /// The exponent and fraction fields: the encoding without its sign.
    #[inline]
    fn magnitude(&self) -> Bits {
        self.encoding.with_bit(self.format.width() - 1, false)
    }

    /// The biased exponent.
    fn exponent_field(&self) -> u64 {
        let (width, fraction) = (self.format.width(), self.format.significand() - 1);
        let field = self.encoding.extract(width - 2, fraction).to_u64();
        field.expect("at most 24 exponent bits")
    }

    /// How the exponent and fraction fields compare with those of infinity: less for finite
    /// values, greater for NaN.
    #[inline]
    fn compare_infinity(&self) -> Ordering {
        let (eb, sb) = (self.format.exponent(), self.format.significand());
        if let Some(code) = self.encoding.as_inline() {
            let infinity = ((1u128 << eb) - 1) << (sb - 1);
            // Shifting the sign out on both sides leaves the fields.
            return (code << (128 - eb - sb + 1)).cmp(&(infinity << (128 - eb - sb + 1)));
        }
        if self.exponent_field() != (1 << eb) - 1 {
            Ordering::Less
        } else if self.encoding.trailing_zeros() >= sb - 1 {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }

    /// `fp.isNaN`.
    #[inline]
    pub fn is_nan(&self) -> bool {
        self.compare_infinity().is_gt()
    }

    /// `fp.isInfinite`.
    #[inline]
    pub fn is_infinite(&self) -> bool {
        self.compare_infinity().is_eq()
    }

    /// Neither infinite nor NaN.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.compare_infinity().is_lt()
    }

    /// `fp.isZero`.
    #[inline]
    pub fn is_zero(&self) -> bool {
        // The encodings of zero are 0…0 and 10…0.
        self.encoding.is_zero() || self.encoding.is_min_signed()
    }

    /// `fp.isNormal`: finite, not zero, with the hidden bit set.
    pub fn is_normal(&self) -> bool {
        self.exponent_field() != 0 && self.is_finite()
    }

    /// `fp.isSubnormal`: finite, not zero, with the hidden bit clear.
    pub fn is_subnormal(&self) -> bool {
        self.exponent_field() == 0 && !self.is_zero()
    }

    /// `fp.isNegative`: true of −0, false of NaN.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.sign_bit()
    }

    /// `fp.isPositive`: true of +0, false of NaN.
    #[inline]
    pub fn is_positive(&self) -> bool {
        !self.sign_bit() && !self.is_nan()
    }
}

// Sign operations and neighbours.
impl Float {
    /// `fp.abs`.
    #[inline]
    pub fn abs(&self) -> Float {
        Float::from_encoding(self.format, self.magnitude())
    }

    /// `fp.neg`; NaN stays NaN.
    #[inline]
    pub fn neg(&self) -> Float {
        if self.is_nan() {
            return self.clone();
        }
        Float::with_sign(self.format, self.encoding.clone(), !self.sign_bit())
    }

    /// The least float that is greater (IEEE 754 `nextUp`): −0 and +0 give the least subnormal
    /// number, its negative gives −0, +∞ and NaN themselves.
    pub fn next_up(&self) -> Float {
        let one = Bits::one(self.format.width());
        if self.is_nan() || (self.is_infinite() && self.is_positive()) {
            self.clone()
        } else if self.is_zero() {
            Float::min_subnormal(self.format, false)
        } else if self.is_positive() {
            Float::from_encoding(self.format, self.encoding.add(&one))
        } else {
            Float::from_encoding(self.format, self.encoding.sub(&one))
        }
    }

    /// The greatest float that is less (IEEE 754 `nextDown`): +0 and −0 give the greatest
    /// negative subnormal number, the least positive one gives +0, −∞ and NaN themselves.
    pub fn next_down(&self) -> Float {
        self.neg().next_up().neg()
    }
}
