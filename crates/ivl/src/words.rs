//! The words of the language, for the writer and the reader alike: reserved ones, sorts,
//! properties, and the operators that are written as functions.

use crate::lexer::is_word;
use program::Property;
use program::program::Reading;
use std::fmt::Write;
use term::{Op, Pool, Sort};
use value::{Format, Rounding};

/// The largest width of a bit-vector that the language knows.
pub(crate) const MAX_WIDTH: u32 = 1 << 16;

/// Words that begin a statement, an operand or an optional part. A name that is one of them
/// stands in backquotes.
const RESERVED: [&str; 46] = [
    "skip",
    "goto",
    "assume",
    "check",
    "store",
    "free",
    "copy",
    "fill",
    "havoc",
    "call",
    "var",
    "exit",
    "stop",
    "any",
    "load",
    "measure",
    "written",
    "allocate",
    "input",
    "uninitialized",
    "unknown",
    "approximated",
    "assembly",
    "loop",
    "label",
    "signed",
    "unsigned",
    "bool",
    "float",
    "address",
    "named",
    "unnamed",
    "align",
    "scalars",
    "true",
    "false",
    "nan",
    "inf",
    "let",
    "in",
    "RNE",
    "RNA",
    "RTP",
    "RTN",
    "RTZ",
    "none",
];

/// Whether a word can't be a name.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// A name as it is written.
pub(crate) fn name_text(name: &str) -> String {
    if is_word(name) && !is_reserved(name) { name.into() } else { quoted(name.as_bytes(), '`') }
}

/// A string as it is written: all of its bytes that are printable, or part of a character of
/// several bytes, as they are.
pub(crate) fn string_text(text: &str) -> String {
    quoted(text.as_bytes(), '"')
}

/// Bytes as a string, those outside of ASCII by number.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    bytes.iter().for_each(|byte| escaped(&mut out, *byte, '"'));
    out.push('"');
    out
}

fn quoted(bytes: &[u8], quote: char) -> String {
    let mut out = String::from(quote);
    for c in String::from_utf8_lossy(bytes).chars() {
        match u8::try_from(c) {
            Ok(byte) if byte < 0x80 => escaped(&mut out, byte, quote),
            _ => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn escaped(out: &mut String, byte: u8, quote: char) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        b'\\' => out.push_str("\\\\"),
        _ if char::from(byte) == quote => {
            out.push('\\');
            out.push(quote);
        }
        0x20..=0x7e => out.push(char::from(byte)),
        _ => {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

/// All kinds of checks.
const PROPERTIES: [Property; Property::ALL.len() + 2] = {
    let mut all = [Property::Unwinding; Property::ALL.len() + 2];
    let mut i = 0;
    while i < Property::ALL.len() {
        all[i] = Property::ALL[i];
        i += 1;
    }
    all[Property::ALL.len() + 1] = Property::Claim;
    all
};

/// The property with a name, also one that no user can ask for.
pub(crate) fn property(name: &str) -> Option<Property> {
    PROPERTIES.into_iter().find(|property| property.name() == name)
}

/// The names of all properties, for messages.
pub(crate) fn property_names() -> String {
    PROPERTIES.map(Property::name).join(", ")
}

/// How values are written, with its word.
pub(crate) const READINGS: [(&str, Reading); 5] = [
    ("signed", Reading::Signed),
    ("unsigned", Reading::Unsigned),
    ("bool", Reading::Bool),
    ("float", Reading::Float),
    ("address", Reading::Address),
];

/// The source's name of a register where nothing else is said: its own, unless it is one that
/// front ends make up.
pub(crate) fn usual_name(name: &str) -> Option<&str> {
    (name != "result" && !name.starts_with('$')).then_some(name)
}

/// A sort as it is written.
pub(crate) fn sort_text(pool: &Pool, sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".into(),
        Sort::BitVec(width) => format!("bv{width}"),
        Sort::Float(format) => format_text(format),
        Sort::RoundingMode => "rounding".into(),
        Sort::Int => "int".into(),
        Sort::Real => "real".into(),
        Sort::Array(_) => {
            let (index, element) = pool.array_parts(sort).expect("an array sort has parts");
            // As deep as the sort was built; models use arrays of scalars.
            format!("[{}]{}", sort_text(pool, index), sort_text(pool, element))
        }
        Sort::Uninterpreted(name) => {
            let name = pool.name(name);
            if plain_sort(name).is_some() { quoted(name.as_bytes(), '`') } else { name_text(name) }
        }
    }
}

fn format_text(format: Format) -> String {
    match (format.exponent(), format.significand()) {
        (8, 24) => "float".into(),
        (11, 53) => "double".into(),
        (exponent, significand) => format!("fp{exponent}_{significand}"),
    }
}

/// The sort that a word stands for, if it is not a declared one.
pub(crate) fn plain_sort(word: &str) -> Option<Sort> {
    match word {
        "bool" => return Some(Sort::Bool),
        "rounding" => return Some(Sort::RoundingMode),
        "int" => return Some(Sort::Int),
        "real" => return Some(Sort::Real),
        _ => {}
    }
    if let Some(format) = format(word) {
        return Some(Sort::Float(format));
    }
    width(word.strip_prefix("bv")?).map(Sort::BitVec)
}

/// A width in decimal, without leading zeros.
fn width(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    let width: u32 = digits.parse().ok().filter(|_| plain)?;
    (1..=MAX_WIDTH).contains(&width).then_some(width)
}

fn format(word: &str) -> Option<Format> {
    match word {
        "float" => return Some(Format::F32),
        "double" => return Some(Format::F64),
        _ => {}
    }
    let (exponent, significand) = word.strip_prefix("fp")?.split_once('_')?;
    let format = Format::new(width(exponent)?, width(significand)?).ok()?;
    (format.width() <= MAX_WIDTH).then_some(format)
}

/// The rounding mode that a word stands for.
pub(crate) fn rounding(word: &str) -> Option<Rounding> {
    Rounding::ALL.into_iter().find(|mode| mode.to_string() == word)
}

/// What a word before parentheses does.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Function {
    /// An operator without a parameter.
    Plain(Op),
    /// Widens to so many bits.
    Extend {
        /// With copies of the sign, or with zeros.
        signed: bool,
        /// To how many bits.
        width: u32,
    },
    /// From float to bit-vector.
    ToBits(Op),
    /// From integer to bit-vector.
    IntToBits(u32),
    /// A constant of the sort, or the conversion to the float sort.
    Sort(Sort),
    /// The float with these bits.
    FromBits(Format),
    /// The float of an unsigned number.
    FromUnsigned(Format),
}

/// Operators that are written as functions under names of SMT-LIB, and `bits`.
const PLAIN: [(&str, Op); 23] = [
    ("bvsmod", Op::BvSmod),
    ("bits", Op::FpToBits),
    ("fp.abs", Op::FpAbs),
    ("fp.add", Op::FpAdd),
    ("fp.mul", Op::FpMul),
    ("fp.div", Op::FpDiv),
    ("fp.fma", Op::FpFma),
    ("fp.sqrt", Op::FpSqrt),
    ("fp.rem", Op::FpRem),
    ("fp.roundToIntegral", Op::FpRoundToIntegral),
    ("fp.min", Op::FpMin),
    ("fp.max", Op::FpMax),
    ("fp.isNormal", Op::FpIsNormal),
    ("fp.isSubnormal", Op::FpIsSubnormal),
    ("fp.isZero", Op::FpIsZero),
    ("fp.isInfinite", Op::FpIsInfinite),
    ("fp.isNaN", Op::FpIsNan),
    ("fp.isNegative", Op::FpIsNegative),
    ("fp.isPositive", Op::FpIsPositive),
    ("fp.to_real", Op::FpToReal),
    ("to_real", Op::ToReal),
    ("to_int", Op::ToInt),
    ("bv2nat", Op::BvToNat),
];

/// What a word before parentheses does; `None` for others than the built-in ones.
pub(crate) fn function(word: &str) -> Option<Function> {
    if let Some((_, op)) = PLAIN.iter().find(|(name, _)| *name == word) {
        return Some(Function::Plain(op.clone()));
    }
    let sized = |prefix: &str| word.strip_prefix(prefix).and_then(width);
    if let Some(width) = sized("zext") {
        return Some(Function::Extend { signed: false, width });
    }
    if let Some(width) = sized("sext") {
        return Some(Function::Extend { signed: true, width });
    }
    if let Some(width) = sized("unsigned") {
        return Some(Function::ToBits(Op::FpToUbv(width)));
    }
    if let Some(width) = sized("signed") {
        return Some(Function::ToBits(Op::FpToSbv(width)));
    }
    if let Some(width) = sized("int2bv") {
        return Some(Function::IntToBits(width));
    }
    if let Some(format) = word.strip_suffix("_bits").and_then(format) {
        return Some(Function::FromBits(format));
    }
    if let Some(format) = word.strip_suffix("_unsigned").and_then(format) {
        return Some(Function::FromUnsigned(format));
    }
    plain_sort(word).map(Function::Sort)
}

/// The word for an operator that is written as a function, with a result of this sort; `None`
/// for those that have symbols, and leaves.
pub(crate) fn function_text(pool: &Pool, op: &Op, sort: Sort) -> Option<String> {
    if let Some((name, _)) = PLAIN.iter().find(|(_, plain)| plain == op) {
        return Some((*name).into());
    }
    let result = || sort_text(pool, sort);
    Some(match op {
        Op::BvZeroExtend(_) => format!("zext{}", sort.width()?),
        Op::BvSignExtend(_) => format!("sext{}", sort.width()?),
        Op::FpToUbv(width) => format!("unsigned{width}"),
        Op::FpToSbv(width) => format!("signed{width}"),
        Op::IntToBv(width) => format!("int2bv{width}"),
        Op::FpFromBits(_) => format!("{}_bits", result()),
        Op::FpFromUbv(_) => format!("{}_unsigned", result()),
        Op::FpToFp(_) | Op::FpFromSbv(_) | Op::FpFromReal(_) => result(),
        _ => return None,
    })
}

/// Whether the first argument of an operator is a rounding mode, to nearest even if it is not
/// written.
pub(crate) fn rounds(op: &Op) -> bool {
    matches!(
        op,
        Op::FpAdd
            | Op::FpMul
            | Op::FpDiv
            | Op::FpFma
            | Op::FpSqrt
            | Op::FpRoundToIntegral
            | Op::FpToFp(_)
            | Op::FpFromSbv(_)
            | Op::FpFromUbv(_)
            | Op::FpFromReal(_)
            | Op::FpToUbv(_)
            | Op::FpToSbv(_)
    )
}
