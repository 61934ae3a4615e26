//! Operators on `float` and `double` as words: by the processor, rounding to the nearest, which is nearly
//! all that programs compute with. [`term::eval::apply`] is the reference, and the tests compare with it.
//!
//! A word is the interchange encoding, of NaN the canonical one. Rust guarantees IEEE 754 results, but not
//! which NaN one is ([`value::Float::from_f64`]).

use super::word::{is_word, mask, signed};
use term::{Node, Op, Pool, Sort, Term, Value};
use value::{Format, Rounding};

/// An operator on floats of the same format, or of the one that is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FloatOp {
    Add,
    Mul,
    Div,
    Fma,
    Sqrt,
    Abs,
    Neg,
    Lt,
    Leq,
    Eq,
    IsNan,
    IsInfinite,
    IsZero,
    IsNegative,
    IsPositive,
    FromBits,
    ToBits,
    /// To the other format.
    Convert,
    /// From a signed number of so many bits.
    FromSigned(u32),
    FromUnsigned,
    /// Towards zero, to so many bits; zero if it does not fit.
    ToSigned(u32),
    ToUnsigned(u32),
}

/// Whether the format is one that the processor has.
pub(super) fn is_machine(format: Format) -> bool {
    // Without SSE2, x86 computes with excess precision.
    let exact = cfg!(not(all(target_arch = "x86", not(target_feature = "sse2"))));
    exact && (format == Format::F32 || format == Format::F64)
}

/// The encoding with one NaN.
#[inline]
pub(super) fn canonical(word: u64, single: bool) -> u64 {
    match single {
        true => of_single(f32::from_bits(word as u32)),
        false => of_double(f64::from_bits(word)),
    }
}

#[inline]
fn of_single(value: f32) -> u64 {
    if value.is_nan() { 0x7fc0_0000 } else { u64::from(value.to_bits()) }
}

#[inline]
fn of_double(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

/// The operator for a term, whether it is on `float`, and how many of the term's first arguments it has
/// no use for.
pub(super) fn operator(pool: &Pool, term: Term) -> Option<(FloatOp, bool, usize)> {
    let node = pool.node(term);
    let rounding = |expected: Rounding| {
        node.args.first().is_some_and(
            |mode| matches!(pool.value(*mode), Some(Value::Rounding(mode)) if *mode == expected),
        )
    };
    let (op, rounded) = named(pool, node)?;
    let needed = match op {
        FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => Rounding::TowardZero,
        _ => Rounding::NearestEven,
    };
    if rounded && !rounding(needed) {
        return None;
    }
    // Some C libraries on Windows round it twice.
    if op == FloatOp::Fma && cfg!(windows) {
        return None;
    }
    let skipped = usize::from(rounded);
    let args = &node.args[skipped..];
    let words = args.iter().all(|arg| is_word(pool.sort(*arg))) && is_word(node.sort);
    let formats = [node.sort].into_iter().chain(args.iter().map(|arg| pool.sort(*arg)));
    let format = match op {
        // What is converted from says it.
        FloatOp::Convert | FloatOp::ToSigned(_) | FloatOp::ToUnsigned(_) => pool.sort(args[0]),
        _ => formats.into_iter().find(|sort| matches!(sort, Sort::Float(_)))?,
    };
    let single = format == Sort::Float(Format::F32);
    words.then_some((op, single, skipped))
}

/// The operator of a node, and whether its first argument is a rounding mode.
fn named(pool: &Pool, node: &Node) -> Option<(FloatOp, bool)> {
    let width = |arg: usize| pool.sort(node.args[arg]).width();
    Some(match &node.op {
        Op::FpAdd => (FloatOp::Add, true),
        Op::FpMul => (FloatOp::Mul, true),
        Op::FpDiv => (FloatOp::Div, true),
        Op::FpFma => (FloatOp::Fma, true),
        Op::FpSqrt => (FloatOp::Sqrt, true),
        Op::FpAbs => (FloatOp::Abs, false),
        Op::FpNeg => (FloatOp::Neg, false),
        Op::FpLt => (FloatOp::Lt, false),
        Op::FpLeq => (FloatOp::Leq, false),
        Op::FpEq => (FloatOp::Eq, false),
        Op::FpIsNan => (FloatOp::IsNan, false),
        Op::FpIsInfinite => (FloatOp::IsInfinite, false),
        Op::FpIsZero => (FloatOp::IsZero, false),
        Op::FpIsNegative => (FloatOp::IsNegative, false),
        Op::FpIsPositive => (FloatOp::IsPositive, false),
        Op::FpFromBits(_) => (FloatOp::FromBits, false),
        Op::FpToBits => (FloatOp::ToBits, false),
        Op::FpToFp(format)
            if is_machine(*format) && Sort::Float(*format) != pool.sort(node.args[1]) =>
        {
            (FloatOp::Convert, true)
        }
        Op::FpFromSbv(_) => (FloatOp::FromSigned(width(1)?), true),
        Op::FpFromUbv(_) => (FloatOp::FromUnsigned, true),
        Op::FpToSbv(width) => (FloatOp::ToSigned(*width), true),
        Op::FpToUbv(width) => (FloatOp::ToUnsigned(*width), true),
        _ => return None,
    })
}

/// The operators that are the same for both formats, by the format's name and functions.
macro_rules! apply {
    ($op:expr, $a:expr, $b:expr, $c:expr, $read:expr, $write:expr, $type:ty) => {{
        let (x, y, z) = ($read($a), $read($b), $read($c));
        match $op {
            FloatOp::Add => $write(x + y),
            FloatOp::Mul => $write(x * y),
            FloatOp::Div => $write(x / y),
            FloatOp::Fma => $write(x.mul_add(y, z)),
            FloatOp::Sqrt => $write(x.sqrt()),
            FloatOp::Abs => $write(x.abs()),
            FloatOp::Neg => $write(-x),
            FloatOp::Lt => u64::from(x < y),
            FloatOp::Leq => u64::from(x <= y),
            FloatOp::Eq => u64::from(x == y),
            FloatOp::IsNan => u64::from(x.is_nan()),
            FloatOp::IsInfinite => u64::from(x.is_infinite()),
            FloatOp::IsZero => u64::from(x == 0.0),
            FloatOp::IsNegative => u64::from(!x.is_nan() && x.is_sign_negative()),
            FloatOp::IsPositive => u64::from(!x.is_nan() && x.is_sign_positive()),
            FloatOp::FromBits => $write(x),
            FloatOp::ToBits => $a,
            FloatOp::FromSigned(width) => $write(signed($a, width) as $type),
            FloatOp::FromUnsigned => $write($a as $type),
            FloatOp::ToSigned(width) => to_signed(f64::from(x), width),
            FloatOp::ToUnsigned(width) => to_unsigned(f64::from(x), width),
            FloatOp::Convert => unreachable!("between formats"),
        }
    }};
}

impl FloatOp {
    /// The result.
    #[inline]
    pub(super) fn apply(self, single: bool, a: u64, b: u64, c: u64) -> u64 {
        if self == FloatOp::Convert {
            return match single {
                true => of_double(f64::from(f32::from_bits(a as u32))),
                false => of_single(f64::from_bits(a) as f32),
            };
        }
        if single {
            apply!(self, a, b, c, |word: u64| f32::from_bits(word as u32), of_single, f32)
        } else {
            apply!(self, a, b, c, f64::from_bits, of_double, f64)
        }
    }
}

/// Towards zero; zero if it does not fit.
fn to_signed(value: f64, width: u32) -> u64 {
    let (value, limit) = (value.trunc(), 2f64.powi(width as i32 - 1));
    if value >= -limit && value < limit { value as i64 as u64 & mask(width) } else { 0 }
}

fn to_unsigned(value: f64, width: u32) -> u64 {
    let value = value.trunc();
    if value >= 0.0 && value < 2f64.powi(width as i32) { value as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::word::{WordOp, of_value, to_value};
    use super::*;
    use term::eval;

    const DOUBLES: [f64; 22] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        -0.5,
        1.5,
        2.5,
        127.5,
        -128.0,
        255.9,
        32767.0,
        2_147_483_647.0,
        -2_147_483_648.0,
        9.3e18,
        1e30,
        -1e300,
        5e-324,
        2.3e-308,
        1e-45,
        f64::INFINITY,
        f64::NAN,
    ];

    fn samples(sort: Sort) -> Vec<Value> {
        let double = |bits: u64| to_value(bits, Sort::Float(Format::F64));
        match sort {
            Sort::Float(format) if format == Format::F64 => {
                DOUBLES.iter().map(|value| double(of_double(*value))).collect()
            }
            Sort::Float(_) => {
                let single = |value: &f64| to_value(of_single(*value as f32), sort);
                DOUBLES.iter().map(single).collect()
            }
            _ => [0, 1, 2, 127, 128, 255, 0x7fff_ffff, 0xffff_ffff, 1 << 63, u64::MAX]
                .into_iter()
                .map(|word| to_value(word & mask(sort.width().expect("of bits")), sort))
                .collect(),
        }
    }

    /// Compares an operator with the reference on all pairs of samples (and some triples).
    fn compare(pool: &Pool, op: Op, mode: Option<Rounding>, sorts: &[Sort]) {
        let mut args: Vec<Term> = Vec::new();
        args.extend(mode.map(|mode| pool.rounding(mode)));
        let first = args.len();
        args.extend(
            sorts
                .iter()
                .enumerate()
                .map(|(n, sort)| pool.var(&format!("{op:?}{n}{sort:?}"), *sort)),
        );
        let term = pool.make(op.clone(), &args);
        if *pool.op(term) != op || pool.args(term) != args {
            return;
        }
        let word = WordOp::of(pool, term).expect("it is an operator on words");
        let all: Vec<Vec<Value>> = sorts.iter().map(|sort| samples(*sort)).collect();
        let none = [Value::Bool(false)];
        let second = all.get(1).map_or(&none[..], |values| values);
        for x in &all[0] {
            for y in second {
                let operands = [x, y, x];
                let mut values: Vec<Value> = mode.map(Value::Rounding).into_iter().collect();
                values.extend(operands.iter().take(sorts.len()).map(|value| (*value).clone()));
                let references: Vec<&Value> = values.iter().collect();
                let expected = eval::apply(&op, pool.sort(term), &references)
                    .unwrap_or_else(|| eval::default_value(pool, pool.sort(term)));
                let [a, b, c] = operands.map(of_value);
                let ours = to_value(word.0.apply(a, b, c), pool.sort(term));
                assert_eq!(ours, expected, "{op:?} {x:?} {y:?}");
            }
        }
        assert_eq!(word.1, first);
    }

    #[test]
    fn operators_on_floats_mean_what_the_reference_says() {
        let pool = Pool::new();
        let nearest = Some(Rounding::NearestEven);
        for format in [Format::F32, Format::F64] {
            let sort = Sort::Float(format);
            for op in [Op::FpAdd, Op::FpMul, Op::FpDiv] {
                compare(&pool, op, nearest, &[sort, sort]);
            }
            compare(&pool, Op::FpFma, nearest, &[sort, sort, sort]);
            compare(&pool, Op::FpSqrt, nearest, &[sort]);
            for op in [Op::FpLt, Op::FpLeq, Op::FpEq, Op::Eq] {
                compare(&pool, op, None, &[sort, sort]);
            }
            let unary = [
                Op::FpAbs,
                Op::FpNeg,
                Op::FpIsNan,
                Op::FpIsInfinite,
                Op::FpIsZero,
                Op::FpIsNegative,
                Op::FpIsPositive,
                Op::FpToBits,
            ];
            for op in unary {
                compare(&pool, op, None, &[sort]);
            }
            compare(&pool, Op::FpFromBits(format), None, &[Sort::BitVec(format.width())]);
            for other in [Format::F32, Format::F64].into_iter().filter(|other| *other != format) {
                compare(&pool, Op::FpToFp(other), nearest, &[sort]);
            }
            for width in [8, 32, 64] {
                compare(&pool, Op::FpFromSbv(format), nearest, &[Sort::BitVec(width)]);
                compare(&pool, Op::FpFromUbv(format), nearest, &[Sort::BitVec(width)]);
                compare(&pool, Op::FpToSbv(width), Some(Rounding::TowardZero), &[sort]);
                compare(&pool, Op::FpToUbv(width), Some(Rounding::TowardZero), &[sort]);
            }
        }
    }
}
