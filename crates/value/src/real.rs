//! Values of the theory `Reals` that can be written down: rational numbers.

use num_bigint::{BigInt, BigUint};
pub use num_rational::BigRational;
use num_traits::{One, Zero};

/// `/`; `None` for division by zero, which the theory leaves open.
pub fn div(a: &BigRational, b: &BigRational) -> Option<BigRational> {
    if b.is_zero() { None } else { Some(a / b) }
}

/// `to_int`: the greatest integer that is not above `a`.
pub fn to_int(a: &BigRational) -> BigInt {
    a.floor().to_integer()
}

/// `is_int`.
pub fn is_int(a: &BigRational) -> bool {
    a.is_integer()
}

/// Why a text is no decimal number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseRealError {
    /// A number without any digit.
    #[error("a number has at least one digit")]
    Empty,
    /// A character that is no decimal digit.
    #[error("`{0}` is not a decimal digit")]
    Digit(char),
    /// A fraction over zero.
    #[error("the denominator is zero")]
    ZeroDenominator,
    /// A decimal exponent whose value would not fit into memory.
    #[error("the exponent of the number is too large")]
    Exponent,
}

/// A number as written: ±digits·10^exponent, or ±digits/denominator.
///
/// Kept apart from [`BigRational`] because 10^exponent need not fit into memory, while the
/// rounding of the number to a floating-point format always does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numeral {
    pub(crate) negative: bool,
    pub(crate) digits: BigUint,
    pub(crate) denominator: BigUint,
    /// Saturated at the ends of `i64`.
    pub(crate) exponent: i64,
}

fn digits(text: &str) -> Result<BigUint, ParseRealError> {
    if text.is_empty() {
        return Err(ParseRealError::Empty);
    }
    if let Some(wrong) = text.chars().find(|c| !c.is_ascii_digit()) {
        return Err(ParseRealError::Digit(wrong));
    }
    Ok(BigUint::parse_bytes(text.as_bytes(), 10).expect("nonempty, and all digits valid"))
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Digits with at most one point among them, as (digits, number of digits after the point).
fn decimal(text: &str) -> Result<(BigUint, i64), ParseRealError> {
    let Some((whole, fraction)) = text.split_once('.') else {
        return Ok((digits(text)?, 0));
    };
    let after = i64::try_from(fraction.len()).expect("a text is shorter than 2^63");
    Ok((digits(&[whole, fraction].concat())?, after))
}

impl Numeral {
    /// Reads `[+-]d.d`, the same followed by `e[+-]d` or `E[+-]d`, and `[+-]n/n`.
    pub(crate) fn parse(text: &str) -> Result<Numeral, ParseRealError> {
        let (negative, text) = sign(text);
        if let Some((numerator, denominator)) = text.split_once('/') {
            let (digits, denominator) = (digits(numerator)?, digits(denominator)?);
            if denominator.is_zero() {
                return Err(ParseRealError::ZeroDenominator);
            }
            return Ok(Numeral { negative, digits, denominator, exponent: 0 });
        }
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Self::exponent(exponent)?),
            None => (text, 0),
        };
        let (digits, after) = decimal(mantissa)?;
        let exponent = exponent.saturating_sub(after);
        Ok(Numeral { negative, digits, denominator: BigUint::one(), exponent })
    }

    fn exponent(text: &str) -> Result<i64, ParseRealError> {
        let (negative, text) = sign(text);
        let magnitude = i64::try_from(&digits(text)?).unwrap_or(i64::MAX);
        Ok(if negative { -magnitude } else { magnitude })
    }
}

/// The largest decimal exponent (by magnitude) that [`parse`] expands.
const MAX_EXPONENT: u64 = 1 << 22;

/// Reads a decimal (`1.5`, `-2`, `1.5e-3`) or a fraction of integers (`-1/3`), exactly.
pub fn parse(text: &str) -> Result<BigRational, ParseRealError> {
    let numeral = Numeral::parse(text)?;
    if numeral.digits.is_zero() {
        return Ok(BigRational::zero());
    }
    if numeral.exponent.unsigned_abs() > MAX_EXPONENT {
        return Err(ParseRealError::Exponent);
    }
    let magnitude = u32::try_from(numeral.exponent.unsigned_abs()).expect("bounded above");
    let power = BigInt::from(10u32).pow(magnitude);
    let (mut numerator, mut denominator) =
        (BigInt::from(numeral.digits), BigInt::from(numeral.denominator));
    if numeral.exponent >= 0 {
        numerator *= power
    } else {
        denominator *= power
    }
    let value = BigRational::new(numerator, denominator);
    Ok(if numeral.negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn floor_and_integrality() {
        for (numerator, denominator, floor) in
            [(7, 2, 3), (-7, 2, -4), (6, 3, 2), (-6, 3, -2), (0, 5, 0), (-1, 9, -1)]
        {
            let value = ratio(numerator, denominator);
            assert_eq!(to_int(&value), BigInt::from(floor));
            assert_eq!(is_int(&value), numerator % denominator == 0);
        }
    }

    #[test]
    fn division() {
        assert_eq!(div(&ratio(1, 2), &ratio(-3, 1)), Some(ratio(-1, 6)));
        assert_eq!(div(&ratio(1, 2), &ratio(0, 1)), None);
    }

    #[test]
    fn numbers_are_read_exactly() {
        for (text, numerator, denominator) in [
            ("0", 0, 1),
            ("-0.0", 0, 1),
            ("0e99999999999999999999", 0, 1),
            ("1.5", 3, 2),
            ("-2", -2, 1),
            ("+.5", 1, 2),
            ("5.", 5, 1),
            ("1.25e-3", 1, 800),
            ("12.5E+2", 1250, 1),
            ("-1/3", -1, 3),
            ("4/6", 2, 3),
        ] {
            assert_eq!(parse(text), Ok(ratio(numerator, denominator)), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_rejected() {
        for (text, error) in [
            ("", ParseRealError::Empty),
            ("-", ParseRealError::Empty),
            (".", ParseRealError::Empty),
            ("e5", ParseRealError::Empty),
            ("1e", ParseRealError::Empty),
            ("1/", ParseRealError::Empty),
            ("1/0", ParseRealError::ZeroDenominator),
            ("1.2.3", ParseRealError::Digit('.')),
            ("--1", ParseRealError::Digit('-')),
            ("1_0", ParseRealError::Digit('_')),
            ("1.5/2", ParseRealError::Digit('.')),
            ("٣", ParseRealError::Digit('٣')),
            ("1e99999999999999999999", ParseRealError::Exponent),
            ("1e-9999999999", ParseRealError::Exponent),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }
}
