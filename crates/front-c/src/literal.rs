//! Decoding of numbers, character constants and strings [C11 §6.4.4, §6.4.5].
//!
//! Floating constants are kept as written: the type decides how they are rounded, which is done
//! later.

use crate::lexer::{Encoding, Literal};

/// The length suffix of an integer constant.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IntSuffix {
    /// None.
    Int,
    /// `l`.
    Long,
    /// `ll`.
    LongLong,
}

/// An integer constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct IntLiteral {
    /// Its value.
    pub value: u128,
    /// Whether it has a `u` suffix.
    pub unsigned: bool,
    /// Its length suffix.
    pub suffix: IntSuffix,
    /// Decimal constants never get an unsigned type by themselves.
    pub decimal: bool,
}

/// The type suffix of a floating constant.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatSuffix {
    /// `f`, `F32`.
    Float,
    /// None, `F64`, `F32x`.
    Double,
    /// `l`, `w`, `F64x`.
    LongDouble,
    /// `q`, `F128`.
    Quad,
}

/// A number token.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    /// An integer.
    Int(IntLiteral),
    /// Digits without the suffix, and what the suffix says.
    Float(String, FloatSuffix),
}

/// Reads a number, or says what is wrong with it.
pub fn parse_number(text: &str) -> Result<Number, String> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.starts_with("0x");
    let binary = lower.starts_with("0b");
    let floating = if hex { lower.contains(['.', 'p']) } else { lower.contains(['.', 'e']) };
    if floating && !binary {
        return parse_float(text, &lower, hex);
    }
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        _ if lower.starts_with('0') => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let end = digits.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        return Err(format!("invalid number '{text}'"));
    }
    let mut value = 0u128;
    for c in digits.chars() {
        let digit = c.to_digit(radix).ok_or_else(|| format!("invalid digit '{c}' in '{text}'"))?;
        value = value
            .checked_mul(radix.into())
            .and_then(|v| v.checked_add(digit.into()))
            .ok_or_else(|| format!("integer constant '{text}' is too large"))?;
    }
    if value > u128::from(u64::MAX) {
        return Err(format!("integer constant '{text}' is too large for its type"));
    }
    let (unsigned, suffix) = int_suffix(suffix).ok_or_else(|| {
        if suffix.contains(['i', 'j']) {
            format!("imaginary constant '{text}' is not supported")
        } else {
            format!("invalid suffix '{suffix}' on integer constant")
        }
    })?;
    Ok(Number::Int(IntLiteral { value, unsigned, suffix, decimal: radix == 10 }))
}

fn int_suffix(suffix: &str) -> Option<(bool, IntSuffix)> {
    Some(match suffix {
        "" => (false, IntSuffix::Int),
        "u" => (true, IntSuffix::Int),
        "l" => (false, IntSuffix::Long),
        "ul" | "lu" => (true, IntSuffix::Long),
        "ll" => (false, IntSuffix::LongLong),
        "ull" | "llu" => (true, IntSuffix::LongLong),
        _ => return None,
    })
}

fn parse_float(text: &str, lower: &str, hex: bool) -> Result<Number, String> {
    let end = float_body(lower, hex).ok_or_else(|| format!("invalid number '{text}'"))?;
    let (body, suffix) = lower.split_at(end);
    let suffix = match suffix {
        "f" | "f32" => FloatSuffix::Float,
        "" | "d" | "f64" | "f32x" => FloatSuffix::Double,
        "l" | "w" | "f64x" => FloatSuffix::LongDouble,
        "q" | "f128" => FloatSuffix::Quad,
        s if s.contains(['i', 'j']) => {
            return Err(format!("imaginary constant '{text}' is not supported"));
        }
        "df" | "dd" | "dl" => return Err("decimal floating point is not supported".into()),
        s => return Err(format!("invalid suffix '{s}' on floating constant")),
    };
    Ok(Number::Float(body.to_owned(), suffix))
}

/// The length of the digits, point and exponent that a floating constant starts with.
fn float_body(lower: &str, hex: bool) -> Option<usize> {
    let bytes = lower.as_bytes();
    let radix = if hex { 16 } else { 10 };
    let start = if hex { 2 } else { 0 };
    let mut at = start;
    let (mut digits, mut points) = (0, 0);
    while let Some(&b) = bytes.get(at) {
        match b {
            b'.' => points += 1,
            b if char::from(b).is_digit(radix) => digits += 1,
            _ => break,
        }
        at += 1;
    }
    let exponent = if hex { b'p' } else { b'e' };
    if digits == 0 || points > 1 || (hex && bytes.get(at) != Some(&b'p')) {
        return None;
    }
    if bytes.get(at) == Some(&exponent) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        let from = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == from {
            return None;
        }
    }
    Some(at)
}

/// The units of a string: bytes, or code units of the wider encodings.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct StringLiteral {
    /// Its encoding.
    pub encoding: Encoding,
    /// The units without the terminating zero.
    pub units: Vec<u32>,
}

/// Concatenates adjacent string literals [C11 §6.4.5 ¶5].
pub fn decode_string(parts: &[&Literal]) -> Result<StringLiteral, String> {
    let mut encoding = Encoding::Narrow;
    for part in parts {
        if part.encoding != Encoding::Narrow {
            if encoding != Encoding::Narrow && encoding != part.encoding {
                return Err("concatenation of strings with different encodings".into());
            }
            encoding = part.encoding;
        }
    }
    let mut units = Vec::new();
    for part in parts {
        decode_units(&part.body, encoding, &mut units)?;
    }
    Ok(StringLiteral { encoding, units })
}

/// The value of a character constant as an `int` (narrow) or as its unit (wide).
pub fn decode_char(literal: &Literal) -> Result<i64, String> {
    let mut units = Vec::new();
    decode_units(&literal.body, literal.encoding, &mut units)?;
    match (literal.encoding, units.as_slice()) {
        (_, []) => Err("empty character constant".into()),
        // Plain char is signed on the targets.
        (Encoding::Narrow, [unit]) => Ok(i64::from(*unit as u8 as i8)),
        // gcc: each character shifts the earlier ones up; the value is that of the last four.
        (Encoding::Narrow, units) => {
            let value = units.iter().fold(0u32, |v, &u| (v << 8) | (u & 0xff));
            Ok(i64::from(value as i32))
        }
        (Encoding::Wide, units) => Ok(i64::from(units[units.len() - 1] as i32)),
        (_, units) => Ok(i64::from(units[units.len() - 1])),
    }
}

fn decode_units(body: &[u8], encoding: Encoding, out: &mut Vec<u32>) -> Result<(), String> {
    let mut at = 0;
    while at < body.len() {
        if body[at] == b'\\' {
            let (value, width, is_character) = decode_escape(&body[at..])?;
            at += width;
            if is_character {
                let c = char::from_u32(value)
                    .ok_or_else(|| format!("\\u{value:x} is not a character"))?;
                push_char(c, encoding, out);
            } else {
                out.push(value & unit_mask(encoding));
            }
        } else if encoding == Encoding::Narrow {
            out.push(body[at].into());
            at += 1;
        } else {
            let (c, width) = decode_utf8(&body[at..]);
            push_char(c, encoding, out);
            at += width;
        }
    }
    Ok(())
}

fn unit_mask(encoding: Encoding) -> u32 {
    match encoding {
        Encoding::Narrow => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Wide | Encoding::Utf32 => u32::MAX,
    }
}

/// The first character of a text; a byte that is not UTF-8 stands for itself.
fn decode_utf8(bytes: &[u8]) -> (char, usize) {
    let valid = (1..=bytes.len().min(4)).find_map(|n| {
        let text = std::str::from_utf8(&bytes[..n]).ok()?;
        text.chars().next().map(|c| (c, n))
    });
    valid.unwrap_or((char::from(bytes[0]), 1))
}

fn push_char(c: char, encoding: Encoding, out: &mut Vec<u32>) {
    match encoding {
        Encoding::Narrow => {
            let mut buffer = [0; 4];
            out.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Encoding::Utf16 => {
            let mut buffer = [0; 2];
            out.extend(c.encode_utf16(&mut buffer).iter().map(|&u| u32::from(u)));
        }
        Encoding::Wide | Encoding::Utf32 => out.push(c.into()),
    }
}

/// The value and width of an escape sequence, and whether it names a character (`\u`).
fn decode_escape(bytes: &[u8]) -> Result<(u32, usize, bool), String> {
    let Some(&kind) = bytes.get(1) else { return Err("backslash at the end of a literal".into()) };
    let simple = |value: u8| Ok((u32::from(value), 2, false));
    match kind {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'a' => simple(7),
        b'b' => simple(8),
        b'f' => simple(12),
        b'v' => simple(11),
        b'e' | b'E' => simple(27),
        b'0'..=b'7' => {
            let digits = bytes[1..].iter().take(3).take_while(|b| matches!(b, b'0'..=b'7'));
            let (value, n) = digits.fold((0, 0), |(v, n), b| (v * 8 + u32::from(b - b'0'), n + 1));
            Ok((value, 1 + n, false))
        }
        b'x' => {
            let (value, n) = hex_digits(&bytes[2..], usize::MAX);
            if n == 0 { Err("\\x without digits".into()) } else { Ok((value, 2 + n, false)) }
        }
        b'u' | b'U' => {
            let wanted = if kind == b'u' { 4 } else { 8 };
            let (value, n) = hex_digits(&bytes[2..], wanted);
            if n < wanted {
                return Err("incomplete universal character name".into());
            }
            Ok((value, 2 + n, true))
        }
        // `\'`, `\"`, `\?`, `\\`; gcc takes an unknown escape for the character itself.
        other => simple(other),
    }
}

fn hex_digits(bytes: &[u8], most: usize) -> (u32, usize) {
    let digits = bytes.iter().take(most).map_while(|&b| char::from(b).to_digit(16));
    digits.fold((0u32, 0), |(v, n), d| ((v << 4) | d, n + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> IntLiteral {
        match parse_number(text) {
            Ok(Number::Int(i)) => i,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("0x7FuLL").value, 127);
        assert_eq!(int("0x7FuLL").suffix, IntSuffix::LongLong);
        assert_eq!(int("017").value, 15);
        assert_eq!(int("0b101").value, 5);
        assert_eq!(int("0").value, 0);
        assert!(parse_number("09").is_err());
        assert!(parse_number("1x").is_err());
        assert!(parse_number("2i").is_err_and(|e| e.contains("imaginary")));
        assert!(parse_number("99999999999999999999999").is_err());
    }

    #[test]
    fn floats() {
        let float = |t: &str| match parse_number(t) {
            Ok(Number::Float(body, suffix)) => (body, suffix),
            other => panic!("{t}: {other:?}"),
        };
        assert_eq!(float("1.5e-3F"), ("1.5e-3".into(), FloatSuffix::Float));
        assert_eq!(float("0x1.8p3L"), ("0x1.8p3".into(), FloatSuffix::LongDouble));
        assert_eq!(float("1e5"), ("1e5".into(), FloatSuffix::Double));
        assert!(parse_number("1.2.3").is_err());
        assert!(parse_number("0x1.8").is_err());
        assert!(parse_number("1e").is_err());
    }

    #[test]
    fn characters_and_strings() {
        let lit = |encoding, body: &[u8]| Literal { encoding, body: body.into() };
        let narrow = |body: &[u8]| decode_char(&lit(Encoding::Narrow, body));
        assert_eq!(narrow(b"\\377"), Ok(-1));
        assert_eq!(narrow(b"ab"), Ok(0x6162));
        assert_eq!(narrow(b"\\x41"), Ok(65));
        assert_eq!(decode_char(&lit(Encoding::Wide, "é".as_bytes())), Ok(0xe9));
        let (a, b) = (lit(Encoding::Narrow, b"x\\0"), lit(Encoding::Wide, "é".as_bytes()));
        let s = decode_string(&[&a, &b]).expect("valid");
        assert_eq!(s.units, vec![0x78, 0, 0xe9]);
    }
}
