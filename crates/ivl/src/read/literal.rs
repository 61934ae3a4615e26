//! Numbers: the value that a text has in a sort.
//!
//! A bit-vector takes what it can hold as a signed or as an unsigned number. A float takes
//! decimals, rounded to nearest even; a hexadecimal number is its interchange bits.

use ::term::{Sort, Value};
use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use value::{Bits, Float, Format, Rounding};

/// Larger decimal exponents are refused: the number would take millions of digits.
const MAX_EXPONENT: u32 = 10_000;

/// The value of a number, or why it has none.
pub(super) fn number(negative: bool, text: &str, sort: Sort) -> Result<Value, String> {
    match sort {
        Sort::BitVec(width) => bits(negative, text, width),
        Sort::Float(format) => float(negative, text, format).map(Value::Float),
        Sort::Int => integer(negative, text).map(Value::Int),
        Sort::Real => {
            let exponent = text.split_once('e').map_or(Ok(0), |(_, e)| e.parse::<i32>());
            if exponent.is_ok_and(|e| e.unsigned_abs() <= MAX_EXPONENT) && !text.starts_with("0x") {
                rational(negative, text).map(Value::Real)
            } else {
                Err("a real number is written in decimal, with a small exponent".into())
            }
        }
        _ => Err("a number is no value of this sort".into()),
    }
}

fn magnitude(text: &str) -> Option<BigUint> {
    match text.strip_prefix("0x") {
        Some(digits) => BigUint::parse_bytes(digits.as_bytes(), 16),
        None => BigUint::parse_bytes(text.as_bytes(), 10),
    }
}

fn integer(negative: bool, text: &str) -> Result<BigInt, String> {
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    let magnitude = magnitude(text).ok_or_else(|| "an integer has no fraction".to_string())?;
    Ok(BigInt::from_biguint(sign, magnitude))
}

fn bits(negative: bool, text: &str, width: u32) -> Result<Value, String> {
    let number = integer(negative, text)?;
    let length = number.bits();
    // -2^(w-1) is the one negative number of w bits that fits.
    let least = negative && number.magnitude().trailing_zeros() == Some(u64::from(width) - 1);
    let fits = match negative {
        true => length < u64::from(width) || length == u64::from(width) && least,
        false => length <= u64::from(width),
    };
    if !fits {
        return Err(format!("the number does not fit into {width} bits"));
    }
    Ok(Value::Bits(Bits::from_bigint(width, &number)))
}

fn float(negative: bool, text: &str, format: Format) -> Result<Float, String> {
    if let Some(digits) = text.strip_prefix("0x") {
        let bits = BigUint::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
        if negative || bits.bits() > u64::from(format.width()) {
            return Err(format!("a float of hexadecimal bits has {} of them", format.width()));
        }
        let float = Float::from_bits(format, &Bits::from_biguint(format.width(), bits));
        return Ok(float);
    }
    let exponent = text.split_once('e').map_or(Ok(0), |(_, e)| e.parse::<i32>());
    if !exponent.is_ok_and(|e| e.unsigned_abs() <= MAX_EXPONENT) {
        return Err(format!("a decimal exponent is at most {MAX_EXPONENT}"));
    }
    let sign = if negative { "-" } else { "" };
    let float = Float::from_decimal(format, Rounding::NearestEven, &format!("{sign}{text}"));
    float.map_err(|error| error.to_string())
}

/// A decimal as a fraction.
fn rational(negative: bool, text: &str) -> Result<BigRational, String> {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i32 = exponent.parse().map_err(|_| "an exponent too large".to_string())?;
    let exponent = exponent - fraction.len() as i32;
    let number = BigRational::from_integer(integer(negative, &format!("{whole}{fraction}"))?);
    let ten = BigRational::from_integer(10.into());
    Ok(number * ten.pow(exponent))
}

/// The value of a fraction of integers.
pub(super) fn fraction(negative: bool, above: &str, below: &str) -> Result<Value, String> {
    let (above, below) = (integer(negative, above)?, integer(false, below)?);
    if below.sign() == Sign::NoSign {
        return Err("a fraction over zero".into());
    }
    Ok(Value::Real(BigRational::new(above, below)))
}
