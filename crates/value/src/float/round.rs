//! Between encodings and exact numbers: unpacking, and the one rounding function.
//!
//! Every operation unpacks its operands, computes exactly (or with a sticky bit far below the
//! rounding position) and calls [`round`]; IEEE 754-2019 §4.3 defines rounding that way, with
//! overflow decided as if the exponent were unbounded (§7.4) and subnormal results rounded at
//! the position of the least subnormal.

use super::{Float, Format, Rounding, Significand};

/// A nonzero number (−1)^negative · significand · 2^exponent.
#[derive(Clone, Debug)]
pub(super) struct Finite<S> {
    pub(super) negative: bool,
    pub(super) exponent: i64,
    /// Never zero.
    pub(super) significand: S,
}

/// What a floating-point value stands for.
#[derive(Clone, Debug)]
pub(super) enum Unpacked<S> {
    Nan,
    Infinite { negative: bool },
    Zero { negative: bool },
    Finite(Finite<S>),
}

impl<S: Significand> Finite<S> {
    /// The exponent of the most significant bit: 2^top ≤ |self| < 2^(top + 1).
    #[inline]
    pub(super) fn top(&self) -> i64 {
        self.exponent + self.significand.length() as i64 - 1
    }

    /// |self| rounded to an integer multiple of 2^unit, as that integer.
    #[inline]
    pub(super) fn round_at(self, unit: i64, rounding: Rounding) -> S {
        let Finite { negative, exponent, significand } = self;
        if exponent >= unit {
            return significand.shl((exponent - unit) as u64);
        }
        let cut = (unit - exponent) as u64;
        let half = significand.bit(cut - 1);
        let rest = significand.any_below(cut - 1);
        let kept = significand.shr(cut);
        if rounding.increments(negative, kept.is_odd(), half, rest) {
            kept.add(&S::from_u64(1))
        } else {
            kept
        }
    }
}

/// The float of the format that the rounding mode assigns to a nonzero number.
///
/// The lowest bit of the significand may be a sticky bit if the significand has at least sb + 2
/// bits: then it lies below the half of a unit in the last place.
#[inline]
pub(super) fn round<S: Significand>(
    format: Format,
    rounding: Rounding,
    number: Finite<S>,
) -> Float {
    let negative = number.negative;
    let fraction_bits = u64::from(format.significand() - 1);
    let least = format.least_exponent();
    let unit = (number.top() - fraction_bits as i64).max(least);
    // Numbers of exponent field 2^eb − 1 and above are infinite or out of range; the field is
    // unit − least + 1 for normal numbers.
    let field = (unit - least) as u64;
    if field >= (1 << format.exponent()) - 2 {
        return overflow(format, rounding, negative);
    }
    // The integral significand includes the hidden bit, which makes the field one greater for
    // normal numbers; a carry out of the significand arrives in the exponent, and a subnormal
    // number that is rounded up to the least normal one becomes that.
    let integral = number.round_at(unit, rounding);
    let magnitude = S::from_u64(field).shl(fraction_bits).add(&integral);
    if magnitude.clone().shr(fraction_bits).to_u64() >= (1 << format.exponent()) - 1 {
        return overflow(format, rounding, negative);
    }
    pack(format, negative, magnitude)
}

fn overflow(format: Format, rounding: Rounding, negative: bool) -> Float {
    if rounding.overflows_to_infinity(negative) {
        Float::infinity(format, negative)
    } else {
        Float::max_finite(format, negative)
    }
}

/// The float with the given sign and the given exponent and fraction fields.
#[inline]
fn pack<S: Significand>(format: Format, negative: bool, magnitude: S) -> Float {
    let sign_position = u64::from(format.width() - 1);
    let sign = S::from_u64(u64::from(negative)).shl(sign_position);
    Float::from_encoding(format, magnitude.add(&sign).into_bits(format.width()))
}

/// What `float` stands for.
#[inline]
pub(super) fn unpack<S: Significand>(float: &Float) -> Unpacked<S> {
    let format = float.format();
    let negative = float.sign_bit();
    let fraction_bits = u64::from(format.significand() - 1);
    let encoding = S::from_bits(float.encoding());
    let fraction = encoding.low(fraction_bits);
    let field = encoding.low(u64::from(format.width() - 1)).shr(fraction_bits).to_u64();
    let least = format.least_exponent();
    if field == (1 << format.exponent()) - 1 {
        if fraction.is_zero() { Unpacked::Infinite { negative } } else { Unpacked::Nan }
    } else if field > 0 {
        let significand = fraction.add(&S::from_u64(1).shl(fraction_bits));
        Unpacked::Finite(Finite { negative, exponent: least + field as i64 - 1, significand })
    } else if fraction.is_zero() {
        Unpacked::Zero { negative }
    } else {
        Unpacked::Finite(Finite { negative, exponent: least, significand: fraction })
    }
}
