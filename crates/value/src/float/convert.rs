//! Conversions between formats and from and to integers, reals and decimal texts: `to_fp`,
//! `to_fp_unsigned`, `fp.to_real`.

use super::{
    Finite, Float, Format, Rounding, Significand, Unpacked, arith, machine, round, unpack,
};
use crate::bits::Bits;
use crate::real::{Numeral, ParseRealError};
use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::One;

impl Float {
    /// `((_ to_fp eb sb) rm x)` for a float x: the value in another format.
    pub fn to_format(&self, format: Format, rounding: Rounding) -> Float {
        if self.format() == format {
            self.clone()
        } else if let Some(float) = machine::to_format(rounding, self, format) {
            float
        } else if self.format().is_narrow() && format.is_narrow() {
            to_format::<u128>(self, format, rounding)
        } else {
            to_format::<BigUint>(self, format, rounding)
        }
    }

    /// `((_ to_fp_unsigned eb sb) rm x)` for an unsigned bit vector x. Zero gives +0.
    pub fn from_ubv(format: Format, rounding: Rounding, bits: &Bits) -> Float {
        if let Some(integer) = bits.to_u64().and_then(|value| i64::try_from(value).ok())
            && let Some(float) = machine::from_integer(rounding, format, integer)
        {
            return float;
        }
        from_magnitude(format, rounding, false, bits)
    }

    /// `((_ to_fp eb sb) rm x)` for a signed bit vector x. Zero gives +0.
    pub fn from_sbv(format: Format, rounding: Rounding, bits: &Bits) -> Float {
        if let Some(integer) = bits.to_i64()
            && let Some(float) = machine::from_integer(rounding, format, integer)
        {
            return float;
        }
        // The magnitude of the least signed value is right as an unsigned number.
        from_magnitude(format, rounding, bits.is_negative(), &bits.abs())
    }

    /// The float for an integer. Zero gives +0.
    pub fn from_bigint(format: Format, rounding: Rounding, value: &BigInt) -> Float {
        if value.sign() == Sign::NoSign {
            return Float::zero(format, false);
        }
        let (negative, significand) = (value.sign() == Sign::Minus, value.magnitude().clone());
        round(format, rounding, Finite { negative, exponent: 0, significand })
    }

    /// `((_ to_fp eb sb) rm x)` for a real x. Zero gives +0.
    pub fn from_rational(format: Format, rounding: Rounding, value: &BigRational) -> Float {
        let negative = value.numer().sign() != value.denom().sign();
        from_ratio(format, rounding, negative, value.numer().magnitude(), value.denom().magnitude())
    }

    /// The float for a decimal (`1.5`, `-2`, `1e-400`) or a fraction of integers (`-1/3`),
    /// rounded once. Zero gives +0, `-0` gives −0.
    pub fn from_decimal(
        format: Format,
        rounding: Rounding,
        text: &str,
    ) -> Result<Float, ParseRealError> {
        Ok(from_numeral(format, rounding, Numeral::parse(text)?))
    }

    /// `fp.to_real`; `None` for NaN and infinities, which SMT-LIB leaves open.
    pub fn to_real(&self) -> Option<BigRational> {
        match unpack::<BigUint>(self) {
            Unpacked::Nan | Unpacked::Infinite { .. } => None,
            Unpacked::Zero { .. } => Some(BigRational::from_integer(BigInt::ZERO)),
            Unpacked::Finite(number) => Some(to_rational(number)),
        }
    }

    /// The value of an x87 80-bit encoding, in the format [`Format::X87`].
    ///
    /// Pseudo-denormals are read as the numbers they stand for. Pseudo-infinities, pseudo-NaNs
    /// and unnormals, which the x87 rejects as invalid operands since the 80387, give NaN.
    ///
    /// # Panics
    /// If `bits` is not 80 bits wide.
    pub fn from_x87(bits: &Bits) -> Float {
        assert_eq!(bits.width(), 80, "x87 extended precision");
        let (sign, integer_bit) = (bits.extract(79, 79), bits.bit(63));
        let (exponent, fraction) = (bits.extract(78, 64), bits.extract(62, 0));
        match (exponent.is_zero(), integer_bit) {
            (false, false) => Float::nan(Format::X87),
            (true, true) => {
                let exponent = Bits::one(15);
                Float::from_bits(Format::X87, &sign.concat(&exponent).concat(&fraction))
            }
            _ => Float::from_bits(Format::X87, &sign.concat(&exponent).concat(&fraction)),
        }
    }

    /// The x87 80-bit encoding; `None` if the format is not [`Format::X87`].
    pub fn to_x87(&self) -> Option<Bits> {
        if self.format() != Format::X87 {
            return None;
        }
        let (negative, exponent, fraction) = self.fields();
        let integer_bit = Bits::from_bool(!exponent.is_zero());
        Some(Bits::from_bool(negative).concat(&exponent).concat(&integer_bit).concat(&fraction))
    }
}

pub(super) fn to_format<S: Significand>(
    float: &Float,
    format: Format,
    rounding: Rounding,
) -> Float {
    match unpack::<S>(float) {
        Unpacked::Nan => Float::nan(format),
        Unpacked::Infinite { negative } => Float::infinity(format, negative),
        Unpacked::Zero { negative } => Float::zero(format, negative),
        Unpacked::Finite(number) => round(format, rounding, number),
    }
}

pub(super) fn from_magnitude(
    format: Format,
    rounding: Rounding,
    negative: bool,
    magnitude: &Bits,
) -> Float {
    if magnitude.is_zero() {
        return Float::zero(format, false);
    }
    match magnitude.to_u128() {
        Some(significand) if format.is_narrow() => {
            round(format, rounding, Finite { negative, exponent: 0, significand })
        }
        _ => {
            let significand = magnitude.to_biguint();
            round(format, rounding, Finite { negative, exponent: 0, significand })
        }
    }
}

/// ±numerator/denominator, rounded; +0 if the numerator is zero.
fn from_ratio(
    format: Format,
    rounding: Rounding,
    negative: bool,
    numerator: &BigUint,
    denominator: &BigUint,
) -> Float {
    if numerator.is_zero() {
        return Float::zero(format, false);
    }
    let integer = |value: &BigUint| Finite { negative, exponent: 0, significand: value.clone() };
    let (exponent, significand) =
        arith::quotient(format, &integer(numerator), &integer(denominator));
    round(format, rounding, Finite { negative, exponent, significand })
}

/// A number as written, rounded. Numbers far outside the range of the format are not expanded.
pub(super) fn from_numeral(format: Format, rounding: Rounding, numeral: Numeral) -> Float {
    let Numeral { negative, digits, denominator, exponent } = numeral;
    if digits.is_zero() {
        return Float::zero(format, negative);
    }
    // 2^(length − 1) ≤ digits < 2^length, and 3.3219 < log2 10 < 3.3220.
    let length = i128::from(digits.bits());
    let scale = i128::from(exponent.unsigned_abs()) * 33219 / 10000;
    let beyond = |exponent| {
        let significand = BigUint::one();
        round(format, rounding, Finite { negative, exponent, significand })
    };
    if exponent > 0 && length - 1 + scale > i128::from(format.max_exponent() + 1) {
        return beyond(format.max_exponent() + 1);
    }
    if exponent < 0 && length - scale < i128::from(format.least_exponent() - 2) {
        return beyond(format.least_exponent() - 2);
    }
    let power = BigUint::from(10u32).pow(
        u32::try_from(exponent.unsigned_abs()).expect("bounded by the exponent range and length"),
    );
    if exponent >= 0 {
        from_ratio(format, rounding, negative, &(digits * power), &denominator)
    } else {
        from_ratio(format, rounding, negative, &digits, &(denominator * power))
    }
}

/// The exact value.
fn to_rational(number: Finite<BigUint>) -> BigRational {
    let Finite { negative, exponent, significand } = number;
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    if exponent >= 0 {
        return BigRational::from_integer(BigInt::from_biguint(sign, significand << exponent));
    }
    // Reduced by hand: the denominator is a power of two.
    let fraction_bits = exponent.unsigned_abs();
    let common = significand.trailing_zeros().unwrap_or(0).min(fraction_bits);
    let numerator = BigInt::from_biguint(sign, significand >> common);
    BigRational::new_raw(numerator, BigInt::one() << (fraction_bits - common))
}
