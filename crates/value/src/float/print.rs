//! Floats as text: SMT-LIB terms, decimals for people, and hexadecimal.

use super::decimal::{Decimal, shortest};
use super::{Finite, Float, Significand, Unpacked, unpack};
use num_bigint::BigUint;
use std::fmt;

/// Beyond this binary exponent or precision, [`Float::to_decimal`] resorts to hexadecimal. It
/// covers binary128; the decimal of a number with millions of digits helps nobody.
const MAX_DECIMAL: i64 = 20_000;

/// Decimals are written without an exponent up to this many digits before the point,
const PLAIN_DIGITS: i64 = 16;

/// or up to this many zeros after it.
const PLAIN_ZEROS: i64 = 4;

impl Float {
    /// The value for people: the shortest decimal that rounds to it (`0.1`, `-1.5`, `3e-45`),
    /// or `NaN`, `inf`, `-inf`, `-0.0`. Numbers beyond 2^±20000, and those of formats with more
    /// than 20000 significand bits, are given as by [`Float::to_hex`].
    pub fn to_decimal(&self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        match unpack::<BigUint>(self) {
            Unpacked::Nan => "NaN".to_owned(),
            Unpacked::Infinite { .. } => format!("{sign}inf"),
            Unpacked::Zero { .. } => format!("{sign}0.0"),
            Unpacked::Finite(number)
                if number.top().abs() > MAX_DECIMAL
                    || i64::from(self.format().significand()) > MAX_DECIMAL =>
            {
                self.to_hex()
            }
            Unpacked::Finite(number) => format!("{sign}{}", layout(&shortest(self, &number))),
        }
    }

    /// The value as a hexadecimal floating constant of C, exactly: `0x1.8p+1` is 3. Infinities
    /// and NaN as by [`Float::to_decimal`].
    pub fn to_hex(&self) -> String {
        let sign = if self.is_negative() { "-" } else { "" };
        match unpack::<BigUint>(self) {
            Unpacked::Nan => "NaN".to_owned(),
            Unpacked::Infinite { .. } => format!("{sign}inf"),
            Unpacked::Zero { .. } => format!("{sign}0x0p+0"),
            Unpacked::Finite(number) => format!("{sign}{}", hexadecimal(number)),
        }
    }
}

/// The decimal with a point or an exponent.
fn layout(decimal: &Decimal) -> String {
    let Decimal { digits, exponent } = decimal;
    let count = digits.len() as i64;
    let point = count + exponent;
    if *exponent >= 0 && point <= PLAIN_DIGITS {
        format!("{digits}{}.0", "0".repeat(*exponent as usize))
    } else if (1..=PLAIN_DIGITS).contains(&point) {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{whole}.{fraction}")
    } else if (-PLAIN_ZEROS..=0).contains(&point) {
        format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
    } else if count == 1 {
        format!("{digits}e{}", point - 1)
    } else {
        let (first, rest) = digits.split_at(1);
        format!("{first}.{rest}e{}", point - 1)
    }
}

fn hexadecimal(number: Finite<BigUint>) -> String {
    let top = number.top();
    let fraction_bits = number.significand.length() - 1;
    // Padded on the right to whole hexadecimal digits, below the leading one.
    let digits = fraction_bits.div_ceil(4);
    let padded = number.significand << (4 * digits - fraction_bits);
    let text = padded.to_str_radix(16);
    let fraction = text[1..].trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("0x1{point}{fraction}p{top:+}")
}

/// The SMT-LIB term: `(fp #b0 #b… #b…)`, `(_ NaN eb sb)`, `(_ +oo eb sb)`, `(_ -zero eb sb)`.
impl fmt::Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (eb, sb) = (self.format().exponent(), self.format().significand());
        let sign = if self.is_negative() { '-' } else { '+' };
        if self.is_nan() {
            write!(f, "(_ NaN {eb} {sb})")
        } else if self.is_infinite() {
            write!(f, "(_ {sign}oo {eb} {sb})")
        } else if self.is_zero() {
            write!(f, "(_ {sign}zero {eb} {sb})")
        } else {
            let (negative, exponent, fraction) = self.fields();
            let sign = u8::from(negative);
            write!(f, "(fp #b{sign} #b{} #b{})", exponent.to_binary(), fraction.to_binary())
        }
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
