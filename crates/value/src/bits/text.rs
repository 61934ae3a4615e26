//! Reading and printing bit vectors: `#b0101`, `#xfe`, `(_ bv10 32)` and plain numerals.

use super::{Bits, Repr};
use num_bigint::BigUint;
use std::fmt;
use std::str::FromStr;

/// Why a text is no bit-vector value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseBitsError {
    /// No digits, or zero as the width.
    #[error("a bit vector has at least one bit")]
    Empty,
    /// A character that is no digit of the base.
    #[error("`{0}` is not a digit here")]
    Digit(char),
    /// More than 2^32 − 1 bits.
    #[error("the bit vector is wider than 2^32 - 1 bits")]
    TooWide,
    /// A numeral that is not below 2^width (or, if negative, below −2^(width − 1)).
    #[error("the number does not fit a bit vector of width {0}")]
    OutOfRange(u32),
    /// None of the forms `#b…`, `#x…`, `(_ bvN w)`.
    #[error("expected `#b…`, `#x…` or `(_ bvN w)`")]
    Form,
}

/// The digits of `text` as a number, most significant first. Only ASCII digits count: no sign,
/// no underscore.
fn digits(text: &str, radix: u32) -> Result<BigUint, ParseBitsError> {
    if text.is_empty() {
        return Err(ParseBitsError::Empty);
    }
    if let Some(wrong) = text.chars().find(|c| !c.is_digit(radix)) {
        return Err(ParseBitsError::Digit(wrong));
    }
    Ok(BigUint::parse_bytes(text.as_bytes(), radix).expect("nonempty, and all digits valid"))
}

/// The width of `count` digits of `bits_each` bits.
fn width_of(count: usize, bits_each: u32) -> Result<u32, ParseBitsError> {
    let count = u32::try_from(count).map_err(|_| ParseBitsError::TooWide)?;
    count.checked_mul(bits_each).ok_or(ParseBitsError::TooWide)
}

impl Bits {
    /// The vector with the given binary digits, one bit each, without a prefix.
    pub fn from_binary(text: &str) -> Result<Bits, ParseBitsError> {
        let value = digits(text, 2)?;
        Ok(Bits::from_biguint(width_of(text.len(), 1)?, value))
    }

    /// The vector with the given hexadecimal digits (either case), four bits each, without a
    /// prefix.
    pub fn from_hex(text: &str) -> Result<Bits, ParseBitsError> {
        let value = digits(text, 16)?;
        Ok(Bits::from_biguint(width_of(text.len(), 4)?, value))
    }

    /// The vector of the given width for a decimal numeral `n` with 0 ≤ n < 2^width, or `-n`
    /// with n ≤ 2^(width − 1).
    pub fn from_decimal(width: u32, text: &str) -> Result<Bits, ParseBitsError> {
        if width == 0 {
            return Err(ParseBitsError::Empty);
        }
        let numeral = text.strip_prefix('-');
        let value = digits(numeral.unwrap_or(text), 10)?;
        let fits = value.bits() <= u64::from(width);
        let bits = Bits::from_biguint(width, value);
        match numeral {
            _ if !fits => Err(ParseBitsError::OutOfRange(width)),
            Some(_) if bits.is_negative() && !bits.is_min_signed() => {
                Err(ParseBitsError::OutOfRange(width))
            }
            Some(_) => Ok(bits.neg()),
            None => Ok(bits),
        }
    }

    /// The binary digits, as many as the width, without a prefix.
    pub fn to_binary(&self) -> String {
        let width = self.width as usize;
        match &self.repr {
            Repr::Inline(value) => format!("{:0width$b}", value.get()),
            Repr::Wide(value) => format!("{:0>width$}", value.to_str_radix(2)),
        }
    }

    /// The hexadecimal digits in lower case without a prefix, as many as it takes to hold the
    /// width.
    pub fn to_hex(&self) -> String {
        let count = self.width.div_ceil(4) as usize;
        match &self.repr {
            Repr::Inline(value) => format!("{:0count$x}", value.get()),
            Repr::Wide(value) => format!("{:0>count$}", value.to_str_radix(16)),
        }
    }

    /// The unsigned value in decimal.
    pub fn to_decimal(&self) -> String {
        match &self.repr {
            Repr::Inline(value) => value.get().to_string(),
            Repr::Wide(value) => value.to_string(),
        }
    }
}

/// `#x…` where the width is a multiple of four, else `#b…`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.width.is_multiple_of(4);
        match &self.repr {
            Repr::Inline(value) if hex => {
                write!(f, "#x{:0count$x}", value.get(), count = (self.width / 4) as usize)
            }
            Repr::Inline(value) => {
                write!(f, "#b{:0count$b}", value.get(), count = self.width as usize)
            }
            Repr::Wide(_) if hex => write!(f, "#x{}", self.to_hex()),
            Repr::Wide(_) => write!(f, "#b{}", self.to_binary()),
        }
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads `#b…`, `#x…` and `(_ bvN w)`.
impl FromStr for Bits {
    type Err = ParseBitsError;

    fn from_str(text: &str) -> Result<Bits, ParseBitsError> {
        if let Some(binary) = text.strip_prefix("#b") {
            return Bits::from_binary(binary);
        }
        if let Some(hex) = text.strip_prefix("#x") {
            return Bits::from_hex(hex);
        }
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let parts: Vec<&str> = inner.ok_or(ParseBitsError::Form)?.split_whitespace().collect();
        let ["_", numeral, width] = parts[..] else { return Err(ParseBitsError::Form) };
        let numeral = numeral.strip_prefix("bv").ok_or(ParseBitsError::Form)?;
        let width = digits(width, 10)?;
        let width = u32::try_from(&width).map_err(|_| ParseBitsError::TooWide)?;
        if numeral.starts_with('-') {
            return Err(ParseBitsError::Digit('-'));
        }
        Bits::from_decimal(width, numeral)
    }
}
