//! `fp.add fp.sub fp.mul fp.div fp.fma fp.sqrt`, each rounded once.
//!
//! The public functions pick the implementation: the processor (`machine`), `u128` or
//! `BigUint`. The generic functions below them state the special cases of IEEE 754-2019 §6.1
//! (infinities), §6.3 (signs of zeros) and §7.2 (invalid operations), which here all give NaN.

use super::machine::{Operands, fma_operands, operands};
use super::{Finite, Float, Format, Rounding, Significand, Unpacked, round, unpack};
use num_bigint::BigUint;

impl Float {
    /// The common format of all operands.
    ///
    /// # Panics
    /// If the formats differ.
    #[inline]
    pub(super) fn common_format(&self, other: &Float) -> Format {
        assert_eq!(self.format(), other.format(), "operands of different format");
        self.format()
    }

    /// `fp.add`.
    #[inline]
    pub fn add(&self, other: &Float, rounding: Rounding) -> Float {
        let format = self.common_format(other);
        match operands(rounding, [self, other]) {
            Operands::Double([a, b]) => Float::from_f64(a + b),
            Operands::Single([a, b]) => Float::from_f32(a + b),
            Operands::Other if format.is_narrow() => add::<u128>(self, other, rounding),
            Operands::Other => add::<BigUint>(self, other, rounding),
        }
    }

    /// `fp.sub`.
    #[inline]
    pub fn sub(&self, other: &Float, rounding: Rounding) -> Float {
        let format = self.common_format(other);
        match operands(rounding, [self, other]) {
            Operands::Double([a, b]) => Float::from_f64(a - b),
            Operands::Single([a, b]) => Float::from_f32(a - b),
            Operands::Other if format.is_narrow() => add::<u128>(self, &other.neg(), rounding),
            Operands::Other => add::<BigUint>(self, &other.neg(), rounding),
        }
    }

    /// `fp.mul`.
    #[inline]
    pub fn mul(&self, other: &Float, rounding: Rounding) -> Float {
        let format = self.common_format(other);
        match operands(rounding, [self, other]) {
            Operands::Double([a, b]) => Float::from_f64(a * b),
            Operands::Single([a, b]) => Float::from_f32(a * b),
            Operands::Other if format.is_narrow() => mul::<u128>(self, other, rounding),
            Operands::Other => mul::<BigUint>(self, other, rounding),
        }
    }

    /// `fp.div`.
    #[inline]
    pub fn div(&self, other: &Float, rounding: Rounding) -> Float {
        let format = self.common_format(other);
        match operands(rounding, [self, other]) {
            Operands::Double([a, b]) => Float::from_f64(a / b),
            Operands::Single([a, b]) => Float::from_f32(a / b),
            Operands::Other if format.is_narrow() => div::<u128>(self, other, rounding),
            Operands::Other => div::<BigUint>(self, other, rounding),
        }
    }

    /// `fp.fma`: self · factor + summand with a single rounding.
    #[inline]
    pub fn fma(&self, factor: &Float, summand: &Float, rounding: Rounding) -> Float {
        self.common_format(factor);
        let format = self.common_format(summand);
        match fma_operands(rounding, [self, factor, summand]) {
            Operands::Double([a, b, c]) => Float::from_f64(a.mul_add(b, c)),
            Operands::Single([a, b, c]) => Float::from_f32(a.mul_add(b, c)),
            Operands::Other if format.is_narrow() => fma::<u128>(self, factor, summand, rounding),
            Operands::Other => fma::<BigUint>(self, factor, summand, rounding),
        }
    }

    /// `fp.sqrt`: of −0 it is −0, of other negative numbers NaN.
    #[inline]
    pub fn sqrt(&self, rounding: Rounding) -> Float {
        match operands(rounding, [self]) {
            Operands::Double([a]) => Float::from_f64(a.sqrt()),
            Operands::Single([a]) => Float::from_f32(a.sqrt()),
            Operands::Other if self.format().is_narrow() => sqrt::<u128>(self, rounding),
            Operands::Other => sqrt::<BigUint>(self, rounding),
        }
    }
}

/// a + b.
pub(super) fn add<S: Significand>(a: &Float, b: &Float, rounding: Rounding) -> Float {
    add_unpacked(a.format(), rounding, unpack::<S>(a), unpack::<S>(b))
}

/// a · b.
pub(super) fn mul<S: Significand>(a: &Float, b: &Float, rounding: Rounding) -> Float {
    let format = a.format();
    match product(unpack::<S>(a), unpack::<S>(b)) {
        Unpacked::Nan => Float::nan(format),
        Unpacked::Infinite { negative } => Float::infinity(format, negative),
        Unpacked::Zero { negative } => Float::zero(format, negative),
        Unpacked::Finite(product) => round(format, rounding, product),
    }
}

/// a · b + c.
pub(super) fn fma<S: Significand>(a: &Float, b: &Float, c: &Float, rounding: Rounding) -> Float {
    let product = product(unpack::<S>(a), unpack::<S>(b));
    add_unpacked(a.format(), rounding, product, unpack::<S>(c))
}

/// The exact product. Its significand has up to 2·sb bits.
fn product<S: Significand>(a: Unpacked<S>, b: Unpacked<S>) -> Unpacked<S> {
    use Unpacked::{Infinite, Nan, Zero};
    let signs = |x: bool, y: bool| x != y;
    match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite { .. }, Zero { .. }) | (Zero { .. }, Infinite { .. }) => {
            Nan
        }
        (Infinite { negative: x }, Infinite { negative: y }) => Infinite { negative: signs(x, y) },
        (Infinite { negative }, Unpacked::Finite(other))
        | (Unpacked::Finite(other), Infinite { negative }) => {
            Infinite { negative: signs(negative, other.negative) }
        }
        (Zero { negative: x }, Zero { negative: y }) => Zero { negative: signs(x, y) },
        (Zero { negative }, Unpacked::Finite(other))
        | (Unpacked::Finite(other), Zero { negative }) => {
            Zero { negative: signs(negative, other.negative) }
        }
        (Unpacked::Finite(a), Unpacked::Finite(b)) => Unpacked::Finite(Finite {
            negative: signs(a.negative, b.negative),
            exponent: a.exponent + b.exponent,
            significand: a.significand.mul(&b.significand),
        }),
    }
}

/// a + b, rounded, for significands of up to 2·sb bits.
fn add_unpacked<S: Significand>(
    format: Format,
    rounding: Rounding,
    a: Unpacked<S>,
    b: Unpacked<S>,
) -> Float {
    use Unpacked::{Infinite, Nan, Zero};
    match (a, b) {
        (Nan, _) | (_, Nan) => Float::nan(format),
        (Infinite { negative: x }, Infinite { negative: y }) if x != y => Float::nan(format),
        (Infinite { negative }, _) | (_, Infinite { negative }) => {
            Float::infinity(format, negative)
        }
        (Zero { negative: x }, Zero { negative: y }) => {
            let negative = if x == y { x } else { cancelled_sign(rounding) };
            Float::zero(format, negative)
        }
        (Zero { .. }, Unpacked::Finite(number)) | (Unpacked::Finite(number), Zero { .. }) => {
            round(format, rounding, number)
        }
        (Unpacked::Finite(a), Unpacked::Finite(b)) => add_finite(format, rounding, a, b),
    }
}

/// The sign of an exact zero sum of numbers of opposite sign.
fn cancelled_sign(rounding: Rounding) -> bool {
    rounding == Rounding::TowardNegative
}

/// The sum of nonzero numbers, for significands of up to 2·sb bits.
///
/// The number with the higher leading bit is shifted up to 2·sb + 4 bits and the other aligned
/// to it, with a sticky bit for what falls out below. Something falls out only if the leading
/// bits are at least four positions apart: then the sum keeps at least 2·sb + 3 bits, and the
/// sticky bit stays below the rounding position. So the cost does not depend on how far apart
/// the exponents are.
fn add_finite<S: Significand>(
    format: Format,
    rounding: Rounding,
    a: Finite<S>,
    b: Finite<S>,
) -> Float {
    let (high, low) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let room = u64::from(2 * format.significand() + 4) - high.significand.length();
    let exponent = high.exponent - room as i64;
    let aligned = high.significand.shl(room);
    let distance = low.exponent - exponent;
    let other = if distance >= 0 {
        low.significand.shl(distance as u64)
    } else {
        low.significand.shr_sticky(distance.unsigned_abs())
    };
    let (negative, significand) = if high.negative == low.negative {
        (high.negative, aligned.add(&other))
    } else if aligned >= other {
        (high.negative, aligned.sub(&other))
    } else {
        (low.negative, other.sub(&aligned))
    };
    if significand.is_zero() {
        return Float::zero(format, cancelled_sign(rounding));
    }
    round(format, rounding, Finite { negative, exponent, significand })
}

/// a / b.
pub(super) fn div<S: Significand>(a: &Float, b: &Float, rounding: Rounding) -> Float {
    let format = a.format();
    let negative = a.sign_bit() != b.sign_bit();
    match (unpack::<S>(a), unpack::<S>(b)) {
        (Unpacked::Nan, _)
        | (_, Unpacked::Nan)
        | (Unpacked::Infinite { .. }, Unpacked::Infinite { .. })
        | (Unpacked::Zero { .. }, Unpacked::Zero { .. }) => Float::nan(format),
        (Unpacked::Infinite { .. }, _) | (_, Unpacked::Zero { .. }) => {
            Float::infinity(format, negative)
        }
        (Unpacked::Zero { .. }, _) | (_, Unpacked::Infinite { .. }) => {
            Float::zero(format, negative)
        }
        (Unpacked::Finite(a), Unpacked::Finite(b)) => {
            let (exponent, significand) = quotient(format, &a, &b);
            round(format, rounding, Finite { negative, exponent, significand })
        }
    }
}

/// |a / b| as (exponent, significand), with a sticky bit: at least sb + 2 bits.
pub(super) fn quotient<S: Significand>(format: Format, a: &Finite<S>, b: &Finite<S>) -> (i64, S) {
    let wanted = u64::from(format.significand() + 2) + b.significand.length();
    let shift = wanted.saturating_sub(a.significand.length());
    let numerator = a.significand.clone().shl(shift);
    let (quotient, remainder) = numerator.div_rem(&b.significand);
    (a.exponent - shift as i64 - b.exponent, quotient.stick(!remainder.is_zero()))
}

/// √a.
pub(super) fn sqrt<S: Significand>(a: &Float, rounding: Rounding) -> Float {
    let format = a.format();
    let number = match unpack::<S>(a) {
        Unpacked::Zero { .. } | Unpacked::Infinite { negative: false } => return a.clone(),
        Unpacked::Finite(number) if !number.negative => number,
        _ => return Float::nan(format),
    };
    // The square root of 2·(sb + 2) bits has sb + 2 bits; its exponent must be even.
    let wanted = 2 * u64::from(format.significand() + 2);
    let shift = wanted.saturating_sub(number.significand.length());
    let shift = shift + (number.exponent - shift as i64).rem_euclid(2) as u64;
    let radicand = number.significand.shl(shift);
    let root = radicand.sqrt();
    let inexact = root.mul(&root) != radicand;
    let exponent = (number.exponent - shift as i64) / 2;
    round(format, rounding, Finite { negative: false, exponent, significand: root.stick(inexact) })
}
