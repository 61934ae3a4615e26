//! Rounding to integers: `fp.roundToIntegral`, `fp.to_ubv`, `fp.to_sbv`.

use super::{Finite, Float, Rounding, Significand, Unpacked, machine, round, unpack};
use crate::bits::Bits;
use num_bigint::{BigInt, BigUint, Sign};

impl Float {
    /// `fp.roundToIntegral`: the integer the rounding mode assigns, as a float; a zero result
    /// has the sign of the operand. Infinities and NaN stay.
    pub fn round_to_integral(&self, rounding: Rounding) -> Float {
        if self.format().is_narrow() {
            round_to_integral::<u128>(self, rounding)
        } else {
            round_to_integral::<BigUint>(self, rounding)
        }
    }

    /// `fp.to_ubv`: the integer the rounding mode assigns, as an unsigned bit vector; `None`
    /// for NaN, infinities and integers out of range, which SMT-LIB leaves open.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn to_ubv(&self, width: u32, rounding: Rounding) -> Option<Bits> {
        assert!(width > 0, "a bit vector has at least one bit");
        if let Some(integer) = machine::truncate(rounding, self) {
            let fits = integer >= 0 && (width >= 63 || integer < 1 << width);
            return fits.then(|| Bits::from_i64(width, integer));
        }
        let (negative, magnitude) = self.to_bits_integer(width, rounding)?;
        (!negative || magnitude.is_zero()).then_some(magnitude)
    }

    /// `fp.to_sbv`: the integer the rounding mode assigns, in two's complement; `None` for NaN,
    /// infinities and integers out of range, which SMT-LIB leaves open.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn to_sbv(&self, width: u32, rounding: Rounding) -> Option<Bits> {
        assert!(width > 0, "a bit vector has at least one bit");
        if let Some(integer) = machine::truncate(rounding, self) {
            let bits = Bits::from_i64(width, integer);
            return (bits.to_i64() == Some(integer)).then_some(bits);
        }
        let (negative, magnitude) = self.to_bits_integer(width, rounding)?;
        if negative && (magnitude.is_min_signed() || !magnitude.is_negative()) {
            Some(magnitude.neg())
        } else {
            (!magnitude.is_negative()).then_some(magnitude)
        }
    }

    /// The integer the rounding mode assigns; `None` for NaN and infinities.
    pub fn to_integer(&self, rounding: Rounding) -> Option<BigInt> {
        match unpack::<BigUint>(self) {
            Unpacked::Nan | Unpacked::Infinite { .. } => None,
            Unpacked::Zero { .. } => Some(BigInt::ZERO),
            Unpacked::Finite(number) => {
                let sign = if number.negative { Sign::Minus } else { Sign::Plus };
                Some(BigInt::from_biguint(sign, number.round_at(0, rounding)))
            }
        }
    }

    /// The sign and the magnitude of the rounded integer, if the magnitude is below 2^width.
    fn to_bits_integer(&self, width: u32, rounding: Rounding) -> Option<(bool, Bits)> {
        // A magnitude that passes the first range check has at most width + 1 bits, or those
        // of the significand.
        if self.format().is_narrow() && width < u128::BITS {
            bounded_integer::<u128>(self, width, rounding)
        } else {
            bounded_integer::<BigUint>(self, width, rounding)
        }
    }
}

fn round_to_integral<S: Significand>(float: &Float, rounding: Rounding) -> Float {
    let Unpacked::Finite(number) = unpack::<S>(float) else { return float.clone() };
    if number.exponent >= 0 {
        return float.clone();
    }
    let (format, negative) = (float.format(), number.negative);
    let significand = number.round_at(0, rounding);
    if significand.is_zero() {
        return Float::zero(format, negative);
    }
    // An integer of at most sb bits, or 2^sb. Formats with a short exponent range may lack it:
    // then the result overflows as any other.
    round(format, rounding, Finite { negative, exponent: 0, significand })
}

pub(super) fn bounded_integer<S: Significand>(
    float: &Float,
    width: u32,
    rounding: Rounding,
) -> Option<(bool, Bits)> {
    match unpack::<S>(float) {
        Unpacked::Nan | Unpacked::Infinite { .. } => None,
        Unpacked::Zero { negative } => Some((negative, Bits::zero(width))),
        Unpacked::Finite(number) => {
            if number.top() >= i64::from(width) {
                return None;
            }
            let negative = number.negative;
            let magnitude = number.round_at(0, rounding);
            let fits = magnitude.length() <= u64::from(width);
            fits.then(|| (negative, magnitude.into_bits(width)))
        }
    }
}
