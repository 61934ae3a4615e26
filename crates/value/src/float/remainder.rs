//! `fp.rem`, the IEEE remainder, and C's `fmod`. Both are exact.
//!
//! x rem y = x − y·n where n is the integer nearest to x/y, of two the even one. The exponents
//! of x and y may lie thousands apart, so n is never computed: for x = a·2^(e+d), y = b·2^e the
//! remainder is a·2^d modulo 2b, with 2^d modulo 2b found by repeated squaring. Taking 2b
//! rather than b keeps the parity of the quotient, which decides ties.

use super::{Finite, Float, Format, Rounding, Significand, Unpacked, round, unpack};
use num_bigint::BigUint;

/// Which integer next to x/y is taken for the quotient.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotient {
    NearestEven,
    Truncated,
}

impl Float {
    /// `fp.rem`: x − y·n with n the integer nearest to x/y, of two the even one. A zero result
    /// has the sign of x; y = ±∞ gives x; x = ±∞ or y = ±0 gives NaN.
    pub fn rem(&self, other: &Float) -> Float {
        if self.common_format(other).is_narrow() {
            remainder::<u128>(self, other, Quotient::NearestEven)
        } else {
            remainder::<BigUint>(self, other, Quotient::NearestEven)
        }
    }

    /// C's `fmod`: x − y·n with n the quotient x/y rounded toward zero. Special cases as for
    /// [`Float::rem`].
    pub fn fmod(&self, other: &Float) -> Float {
        if self.common_format(other).is_narrow() {
            remainder::<u128>(self, other, Quotient::Truncated)
        } else {
            remainder::<BigUint>(self, other, Quotient::Truncated)
        }
    }
}

/// x − y·n for the given choice of n.
pub(super) fn remainder<S: Significand>(x: &Float, y: &Float, quotient: Quotient) -> Float {
    let format = x.format();
    match (unpack::<S>(x), unpack::<S>(y)) {
        (Unpacked::Nan | Unpacked::Infinite { .. }, _)
        | (_, Unpacked::Nan | Unpacked::Zero { .. }) => Float::nan(format),
        (Unpacked::Zero { .. }, _) | (_, Unpacked::Infinite { .. }) => x.clone(),
        // |x| < |y| / 2, so that n = 0.
        (Unpacked::Finite(a), Unpacked::Finite(b)) if a.top() + 1 < b.top() => x.clone(),
        (Unpacked::Finite(a), Unpacked::Finite(b)) => finite(format, a, b, quotient),
    }
}

fn finite<S: Significand>(format: Format, a: Finite<S>, b: Finite<S>, quotient: Quotient) -> Float {
    // Both as multiples of 2^exponent, the divisor in full and the dividend modulo twice it.
    let exponent = a.exponent.min(b.exponent);
    let divisor = b.significand.shl((b.exponent - exponent) as u64);
    let twice = divisor.clone().shl(1);
    let power = S::power_of_two_mod((a.exponent - exponent) as u64, &twice);
    let dividend = a.significand.div_rem(&twice).1;
    let reduced = dividend.mul(&power).div_rem(&twice).1;
    let odd = reduced >= divisor;
    let rest = if odd { reduced.sub(&divisor) } else { reduced };

    let doubled = rest.clone().shl(1);
    let up =
        quotient == Quotient::NearestEven && (doubled > divisor || (doubled == divisor && odd));
    let (negative, significand) =
        if up { (!a.negative, divisor.sub(&rest)) } else { (a.negative, rest) };
    if significand.is_zero() {
        return Float::zero(format, a.negative);
    }
    // The result is a number of the format (IEEE 754-2019 §5.3.1): no rounding takes place.
    round(format, Rounding::TowardZero, Finite { negative, exponent, significand })
}
