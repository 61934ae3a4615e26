//! Ranges of values of any sort, and the operators on them.

use crate::bits::BitRange;
use crate::float::FloatRange;
use term::{Op, Sort, Value};
use value::{Format, Rounding};

/// An over-approximation of a set of values of one sort.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Range {
    /// Truth values.
    Truth {
        /// Whether false is possible.
        no: bool,
        /// Whether true is possible.
        yes: bool,
    },
    /// Bit-vectors.
    Bits(BitRange),
    /// Floats.
    Float(FloatRange),
    /// Values of a sort of which nothing is said.
    Any,
}

impl Range {
    /// True alone.
    pub const TRUE: Range = Range::Truth { no: false, yes: true };
    /// False alone.
    pub const FALSE: Range = Range::Truth { no: true, yes: false };

    /// All values of a sort.
    pub fn full(sort: Sort) -> Range {
        match sort {
            Sort::Bool => Range::Truth { no: true, yes: true },
            Sort::BitVec(width @ 1..=64) => Range::Bits(BitRange::full(width)),
            Sort::Float(format) => FloatRange::full(format).map_or(Range::Any, Range::Float),
            _ => Range::Any,
        }
    }

    /// One value.
    pub fn point(value: &Value) -> Range {
        match value {
            Value::Bool(true) => Range::TRUE,
            Value::Bool(false) => Range::FALSE,
            Value::Bits(bits) if bits.width() <= 64 => {
                let value = bits.to_u64().expect("64 bits fit");
                Range::Bits(BitRange::point(bits.width(), value))
            }
            Value::Float(float) => FloatRange::point(float).map_or(Range::Any, Range::Float),
            _ => Range::Any,
        }
    }

    /// Whether a value is in the range.
    pub fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Range::Truth { no, yes }, Value::Bool(value)) => {
                if *value {
                    *yes
                } else {
                    *no
                }
            }
            (Range::Bits(range), Value::Bits(bits)) => range.contains(bits),
            (Range::Float(range), Value::Float(float)) => range.contains(float),
            (Range::Any, _) => true,
            _ => false,
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        match self {
            Range::Truth { no, yes } => !no && !yes,
            Range::Bits(range) => range.is_empty(),
            Range::Float(range) => range.is_empty(),
            Range::Any => false,
        }
    }

    /// The truth value, where only one is possible.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Range::Truth { no: false, yes: true } => Some(true),
            Range::Truth { no: true, yes: false } => Some(false),
            _ => None,
        }
    }

    /// Values in both. Requires: both are of one sort.
    pub fn meet(self, other: Range) -> Range {
        match (self, other) {
            (Range::Truth { no, yes }, Range::Truth { no: n, yes: y }) => {
                Range::Truth { no: no && n, yes: yes && y }
            }
            (Range::Bits(a), Range::Bits(b)) => Range::Bits(a.meet(b)),
            (Range::Float(a), Range::Float(b)) => Range::Float(a.meet(b)),
            (Range::Any, other) => other,
            (this, _) => this,
        }
    }

    /// Values in one of them. Requires: both are of one sort.
    pub fn join(self, other: Range) -> Range {
        match (self, other) {
            (Range::Truth { no, yes }, Range::Truth { no: n, yes: y }) => {
                Range::Truth { no: no || n, yes: yes || y }
            }
            (Range::Bits(a), Range::Bits(b)) => Range::Bits(a.join(b)),
            (Range::Float(a), Range::Float(b)) => Range::Float(a.join(b)),
            _ => Range::Any,
        }
    }

    fn bits(self) -> Option<BitRange> {
        match self {
            Range::Bits(range) => Some(range),
            _ => None,
        }
    }

    fn float(self) -> Option<FloatRange> {
        match self {
            Range::Float(range) => Some(range),
            _ => None,
        }
    }
}

/// What an operator makes of arguments in these ranges. `rounding` is the value of a constant
/// rounding mode among the arguments; `same` says that the last two arguments are one term.
pub fn apply(op: &Op, sort: Sort, args: &[Range], rounding: Option<Rounding>, same: bool) -> Range {
    let known = match op {
        Op::Value(value) => Some(Range::point(value)),
        Op::Not | Op::And | Op::Or => connective(op, args),
        Op::Ite => Some(match args[0].truth() {
            Some(true) => args[1],
            Some(false) => args[2],
            None => args[1].join(args[2]),
        }),
        Op::Eq => Some(equal(args[0], args[1])),
        _ => bit_operator(op, args).or_else(|| float_operator(op, args, rounding, same)),
    };
    known.unwrap_or_else(|| Range::full(sort))
}

fn connective(op: &Op, args: &[Range]) -> Option<Range> {
    let truths = args.iter().map(|range| match range {
        Range::Truth { no, yes } => (*no, *yes),
        _ => (true, true),
    });
    let (no, yes) = match op {
        Op::Not => truths.map(|(no, yes)| (yes, no)).next()?,
        Op::And => truths.fold((false, true), |(no, yes), (n, y)| (no || n, yes && y)),
        Op::Or => truths.fold((true, false), |(no, yes), (n, y)| (no && n, yes || y)),
        _ => return None,
    };
    Some(Range::Truth { no, yes })
}

fn equal(a: Range, b: Range) -> Range {
    let (no, yes) = match (a, b) {
        (Range::Truth { .. }, Range::Truth { .. }) => match (a.truth(), b.truth()) {
            (Some(p), Some(q)) => (p != q, p == q),
            _ => (true, true),
        },
        (Range::Bits(p), Range::Bits(q)) => {
            let common = !p.meet(q).is_empty();
            let one = p.constant().is_some() && p.constant() == q.constant();
            (!one, common)
        }
        (Range::Float(p), Range::Float(q)) => {
            // Zeros differ by their signs, which ranges don't tell.
            let one = |r: FloatRange| r.low == r.high && r.low != 0.0 && !r.nan;
            (!(one(p) && one(q) && p.low == q.low), !p.meet(q).is_empty())
        }
        _ => (true, true),
    };
    Range::Truth { no, yes }
}

fn bit_operator(op: &Op, args: &[Range]) -> Option<Range> {
    let a = args.first()?.bits()?;
    let unary = match op {
        Op::BvNot => Some(a.not()),
        Op::BvNeg => Some(a.neg()),
        Op::BvExtract { high, low } => Some(a.extract(*high, *low)),
        Op::BvZeroExtend(by) if a.width + by <= 64 => Some(a.zero_extend(*by)),
        Op::BvSignExtend(by) if a.width + by <= 64 => Some(a.sign_extend(*by)),
        _ => None,
    };
    if let Some(range) = unary {
        return Some(Range::Bits(range));
    }
    if let Op::FpFromBits(format) = op {
        return from_bits(a, *format).map(Range::Float);
    }
    let b = args.get(1)?.bits()?;
    Some(Range::Bits(match op {
        Op::BvAnd => a.and(b),
        Op::BvOr => a.or(b),
        Op::BvXor => a.xor(b),
        Op::BvAdd => a.add(b),
        Op::BvSub => a.sub(b),
        Op::BvMul => a.mul(b),
        Op::BvUdiv => a.udiv(b),
        Op::BvUrem => a.urem(b),
        Op::BvSdiv => a.sdiv(b),
        Op::BvSrem => a.srem(b),
        Op::BvShl => a.shl(b),
        Op::BvLshr => a.lshr(b),
        Op::BvAshr => a.ashr(b),
        Op::BvConcat if a.width + b.width <= 64 => a.concat(b),
        Op::BvUlt => return Some(Range::Truth { no: a.high >= b.low, yes: a.low < b.high }),
        Op::BvSlt => return Some(Range::Truth { no: a.most >= b.least, yes: a.least < b.most }),
        _ => return None,
    }))
}

/// The floats whose interchange bits are in a range of unsigned numbers.
fn from_bits(bits: BitRange, format: Format) -> Option<FloatRange> {
    let full = FloatRange::full(format)?;
    let single = full.single;
    let number = |bits: u64| match single {
        true => f64::from(f32::from_bits(bits as u32)),
        false => f64::from_bits(bits),
    };
    let sign = 1u64 << (bits.width - 1);
    let infinity = FloatRange::value(single, f64::INFINITY).to_bits().to_u64()?;
    let mut result = FloatRange::none(single);
    for base in [0, sign] {
        let (low, high) = (bits.low.max(base), bits.high.min(base + infinity));
        if low <= high {
            let (a, b) = (number(low), number(high));
            result = result.join(FloatRange { single, low: a.min(b), high: a.max(b), nan: false });
        }
        let (low, high) = (bits.low.max(base + infinity + 1), bits.high.min(base + (sign - 1)));
        result.nan |= low <= high;
    }
    Some(result)
}

fn float_operator(
    op: &Op,
    args: &[Range],
    rounding: Option<Rounding>,
    same: bool,
) -> Option<Range> {
    if let Op::FpAbs | Op::FpNeg = op {
        let a = args.first()?.float()?;
        return Some(Range::Float(if *op == Op::FpAbs { a.abs() } else { a.neg() }));
    }
    if let Some(truth) = float_predicate(op, args) {
        return Some(truth);
    }
    if let Op::FpMin | Op::FpMax = op {
        let (a, b) = (args[0].float()?, args[1].float()?);
        return Some(Range::Float(if *op == Op::FpMin { a.min(b) } else { a.max(b) }));
    }
    let rounding = rounding?;
    if *op == Op::FpRoundToIntegral {
        return Some(Range::Float(args.get(1)?.float()?.round_to_integral(rounding)));
    }
    match op {
        Op::FpToSbv(width) => return to_bits(args.get(1)?.float()?, *width, true, rounding),
        Op::FpToUbv(width) => return to_bits(args.get(1)?.float()?, *width, false, rounding),
        _ => {}
    }
    if rounding != Rounding::NearestEven {
        return None;
    }
    let a = *args.get(1)?;
    Some(Range::Float(match op {
        Op::FpAdd => a.float()?.add(args[2].float()?),
        Op::FpMul if same => a.float()?.square(),
        Op::FpMul => a.float()?.mul(args[2].float()?),
        Op::FpDiv => a.float()?.div(args[2].float()?),
        Op::FpSqrt => a.float()?.sqrt(),
        Op::FpToFp(format) => a.float()?.convert(FloatRange::full(*format)?.single),
        Op::FpFromSbv(format) | Op::FpFromUbv(format) => {
            let (full, bits) = (FloatRange::full(*format)?, a.bits()?);
            // Numbers beyond 2^53 are rounded to binary64, as they are; to binary32 they would be
            // rounded twice.
            let number = |signed: i64, unsigned: u64| match (op, full.single) {
                (Op::FpFromSbv(_), true) => f64::from(signed as f32),
                (Op::FpFromSbv(_), false) => signed as f64,
                (_, true) => f64::from(unsigned as f32),
                (_, false) => unsigned as f64,
            };
            FloatRange {
                low: number(bits.least, bits.low),
                high: number(bits.most, bits.high),
                nan: false,
                ..full
            }
        }
        _ => return None,
    }))
}

/// A float as an integer; nothing is known where it may not fit.
fn to_bits(a: FloatRange, width: u32, signed: bool, rounding: Rounding) -> Option<Range> {
    if width > 64 || a.nan || a.numberless() {
        return None;
    }
    let rounded = a.round_to_integral(rounding);
    let full = BitRange::full(width);
    // Bounds that are exact in binary64: −2^(w−1), 2^(w−1) and 2^w.
    let limit = if signed { 2f64.powi(width as i32 - 1) } else { 2f64.powi(width as i32) };
    let floor = if signed { -limit } else { 0.0 };
    if rounded.low < floor || rounded.high >= limit {
        return None;
    }
    Some(Range::Bits(if signed {
        let (least, most) = (rounded.low as i64, rounded.high as i64);
        BitRange { least, most, ..full }.reduced()
    } else {
        let (low, high) = (rounded.low as u64, rounded.high as u64);
        BitRange { low, high, ..full }.reduced()
    }))
}

fn float_predicate(op: &Op, args: &[Range]) -> Option<Range> {
    let a = args.first()?.float()?;
    let truth = |no: bool, yes: bool| Some(Range::Truth { no, yes });
    let numbers = !a.numberless();
    match op {
        Op::FpIsNan => return truth(numbers, a.nan),
        Op::FpIsZero => {
            return truth(a.nan || numbers && (a.low, a.high) != (0.0, 0.0), a.has(0.0));
        }
        Op::FpIsInfinite => {
            let infinite = a.has(f64::INFINITY) || a.has(f64::NEG_INFINITY);
            let only = a.low == a.high && a.low.is_infinite();
            return truth(a.nan || numbers && !only, infinite);
        }
        Op::FpIsNegative => {
            return truth(a.nan || numbers && a.high >= 0.0, numbers && a.low <= 0.0);
        }
        Op::FpIsPositive => {
            return truth(a.nan || numbers && a.low <= 0.0, numbers && a.high >= 0.0);
        }
        _ => {}
    }
    let b = args.get(1)?.float()?;
    let nan = a.nan || b.nan;
    let numbers = numbers && !b.numberless();
    match op {
        Op::FpLt => truth(nan || numbers && a.high >= b.low, numbers && a.low < b.high),
        Op::FpLeq => truth(nan || numbers && a.high > b.low, numbers && a.low <= b.high),
        Op::FpEq => {
            let one = a.low == a.high && b.low == b.high && a.low == b.low;
            truth(nan || numbers && !one, numbers && a.low <= b.high && b.low <= a.high)
        }
        _ => None,
    }
}
