//! The operators that [`super::monotone`] contracts: their value on keys, where their domains must
//! be cut so that they are monotone on each cell, and in which direction.
//!
//! In the total order of floats the arithmetic operators are monotone wherever no NaN comes out of
//! numbers, also between −0 and +0; so cuts at infinities and zeros are needed only where the other
//! arguments make a NaN with them.

use crate::keys::{Domain, FloatKeys, Interval, Key, WIDEST, ones, sign_bit};
use smallvec::{SmallVec, smallvec};
use term::Op;
use value::{Bits, Float, Format, Rounding};

/// Keys at which cells begin, rising.
pub(super) type Cuts = SmallVec<[Key; 8]>;

/// An operator that is monotone by cells. Of those that round, the mode is the first argument.
#[derive(Clone, Debug)]
pub(super) enum Function {
    /// Bitwise complement of either reading.
    Not {
        width: u32,
    },
    /// The unsigned reading of the signed one.
    Flip {
        width: u32,
    },
    /// Zeros above.
    ZeroExtend,
    /// Signs above: the difference of the keys.
    SignExtend {
        offset: Key,
    },
    /// So many bits below.
    Concat {
        low: u32,
    },
    Lshr,
    Ashr {
        width: u32,
    },
    Udiv {
        width: u32,
    },
    Sdiv {
        width: u32,
    },
    FromBits(FloatKeys, u32),
    ToBits(FloatKeys),
    Abs(FloatKeys),
    Neg(FloatKeys),
    Min(FloatKeys),
    Max(FloatKeys),
    Sqrt(FloatKeys),
    RoundToIntegral(FloatKeys),
    Convert {
        from: FloatKeys,
        to: FloatKeys,
    },
    FromInteger {
        signed: bool,
        width: u32,
        to: FloatKeys,
    },
    ToInteger {
        signed: bool,
        width: u32,
        from: FloatKeys,
        fitting: Box<[Interval; 5]>,
    },
    Add(FloatKeys),
    Mul(FloatKeys),
    Div(FloatKeys),
    Fma(FloatKeys),
}

impl Function {
    /// The function of an operator on these domains, if it is one of these.
    pub fn of(op: &Op, result: Domain, args: &[Domain]) -> Option<Function> {
        let keys = |domain: Domain| match domain {
            Domain::Float(format) => Some(FloatKeys::new(format)),
            _ => None,
        };
        let signed = |domain: Domain| matches!(domain, Domain::Signed(_));
        let width = |domain: Domain| match domain {
            Domain::Unsigned(width) | Domain::Signed(width) => width,
            _ => 0,
        };
        Some(match op {
            Op::BvNot => Function::Not { width: width(result) },
            Op::BvZeroExtend(_) if !signed(result) => Function::ZeroExtend,
            Op::BvSignExtend(_) if signed(result) => {
                Function::SignExtend { offset: sign_bit(width(result)) - sign_bit(width(args[0])) }
            }
            Op::BvConcat if !signed(result) => Function::Concat { low: width(args[1]) },
            Op::BvLshr if !signed(result) => Function::Lshr,
            Op::BvAshr if signed(result) => Function::Ashr { width: width(result) },
            Op::BvUdiv if !signed(result) => Function::Udiv { width: width(result) },
            Op::BvSdiv if signed(result) && width(result) < WIDEST => {
                Function::Sdiv { width: width(result) }
            }
            Op::FpFromBits(_) => Function::FromBits(keys(result)?, width(args[0])),
            Op::FpToBits => Function::ToBits(keys(args[0])?),
            Op::FpAbs => Function::Abs(keys(result)?),
            Op::FpNeg => Function::Neg(keys(result)?),
            Op::FpMin => Function::Min(keys(result)?),
            Op::FpMax => Function::Max(keys(result)?),
            Op::FpSqrt => Function::Sqrt(keys(result)?),
            Op::FpRoundToIntegral => Function::RoundToIntegral(keys(result)?),
            Op::FpToFp(_) => Function::Convert { from: keys(args[1])?, to: keys(result)? },
            Op::FpFromSbv(_) | Op::FpFromUbv(_) => Function::FromInteger {
                signed: signed(args[1]),
                width: width(args[1]),
                to: keys(result)?,
            },
            Op::FpToSbv(_) | Op::FpToUbv(_) => {
                let (signed, width, from) = (signed(result), width(result), keys(args[1])?);
                let fitting = Box::new(Rounding::ALL.map(|m| fitting(from, signed, width, m)));
                Function::ToInteger { signed, width, from, fitting }
            }
            Op::FpAdd => Function::Add(keys(result)?),
            Op::FpMul => Function::Mul(keys(result)?),
            Op::FpDiv => Function::Div(keys(result)?),
            Op::FpFma => Function::Fma(keys(result)?),
            _ => return None,
        })
    }

    pub fn is_cheap(&self) -> bool {
        !matches!(self, Function::Div(_) | Function::Fma(_) | Function::Sqrt(_))
    }

    /// The results for some arguments: one key, or several where SMT-LIB leaves it open.
    pub fn apply(&self, args: &[Key]) -> Interval {
        let key = match self {
            Function::Not { width } => ones(*width) - args[0],
            Function::Flip { width } => args[0] ^ sign_bit(*width),
            Function::ZeroExtend => args[0],
            Function::SignExtend { offset } => args[0] + offset,
            Function::Concat { low } => args[0] << low | args[1],
            Function::Lshr => {
                if args[1] >= 128 {
                    0
                } else {
                    args[0] >> args[1]
                }
            }
            Function::Ashr { width } => {
                let shifted = signed(*width, args[0]) >> args[1].min(127);
                of_signed(*width, shifted)
            }
            Function::Udiv { width } => args[0].checked_div(args[1]).unwrap_or(ones(*width)),
            Function::Sdiv { width } => signed_quotient(*width, args[0], args[1]),
            Function::FromBits(keys, _) => keys.of_encoding(args[0]),
            Function::ToBits(keys) => keys.encoding(args[0]),
            Function::Abs(keys) if args[0] <= keys.minus_zero() => keys.negated(args[0]),
            Function::Abs(_) => args[0],
            Function::Neg(keys) => keys.negated(args[0]),
            Function::Min(keys) | Function::Max(keys) => {
                return extremum(*keys, matches!(self, Function::Min(_)), args[0], args[1]);
            }
            Function::ToInteger { signed, width, from, fitting } => {
                if !fitting[args[0] as usize].contains(args[1]) {
                    return Interval::new(0, ones(*width));
                }
                integer(*from, *signed, *width, mode(args[0]), args[1])
                    .expect("it was found to fit")
            }
            _ => self.rounded(mode(args[0]), &args[1..]),
        };
        Interval::point(key)
    }

    /// The result of an operator that rounds.
    fn rounded(&self, mode: Rounding, args: &[Key]) -> Key {
        if mode == Rounding::NearestEven
            && let Some(key) = self.by_processor(args)
        {
            return key;
        }
        match self {
            Function::Add(keys) => keys.key(&keys.float(args[0]).add(&keys.float(args[1]), mode)),
            Function::Mul(keys) => keys.key(&keys.float(args[0]).mul(&keys.float(args[1]), mode)),
            Function::Div(keys) => keys.key(&keys.float(args[0]).div(&keys.float(args[1]), mode)),
            Function::Fma(keys) => {
                let (b, c) = (keys.float(args[1]), keys.float(args[2]));
                keys.key(&keys.float(args[0]).fma(&b, &c, mode))
            }
            Function::Sqrt(keys) => keys.key(&keys.float(args[0]).sqrt(mode)),
            Function::RoundToIntegral(keys) => {
                keys.key(&keys.float(args[0]).round_to_integral(mode))
            }
            Function::Convert { from, to } => {
                to.key(&from.float(args[0]).to_format(to.format(), mode))
            }
            Function::FromInteger { signed: false, width, to } => {
                let bits = Bits::from_u128(*width, args[0]);
                to.key(&Float::from_ubv(to.format(), mode, &bits))
            }
            Function::FromInteger { signed: true, width, to } => {
                let bits = Bits::from_u128(*width, args[0] ^ sign_bit(*width));
                to.key(&Float::from_sbv(to.format(), mode, &bits))
            }
            _ => unreachable!("{self:?} does not round"),
        }
    }

    /// The result by the processor's arithmetic, without going through [`Float`], which would use
    /// it as well: most contractions are of these operators and formats.
    fn by_processor(&self, args: &[Key]) -> Option<Key> {
        let (Function::Add(keys) | Function::Mul(keys) | Function::Div(keys)) = self else {
            return None;
        };
        if cfg!(all(target_arch = "x86", not(target_feature = "sse2"))) {
            // It would compute with excess precision.
            return None;
        }
        if keys.format() == Format::F64 {
            let [a, b] = [args[0], args[1]].map(|key| f64::from_bits(keys.encoding(key) as u64));
            let result = match self {
                Function::Add(_) => a + b,
                Function::Mul(_) => a * b,
                _ => a / b,
            };
            return Some(keys.of_encoding(Key::from(result.to_bits())));
        }
        if keys.format() == Format::F32 {
            let [a, b] = [args[0], args[1]].map(|key| f32::from_bits(keys.encoding(key) as u32));
            let result = match self {
                Function::Add(_) => a + b,
                Function::Mul(_) => a * b,
                _ => a / b,
            };
            return Some(keys.of_encoding(Key::from(result.to_bits())));
        }
        None
    }

    /// Where cells of an argument begin.
    pub fn cuts(&self, args: &[Interval], arg: usize) -> Cuts {
        match self {
            Function::Flip { width } => smallvec![sign_bit(*width)],
            Function::Ashr { width } if arg == 0 => smallvec![sign_bit(*width)],
            Function::Udiv { .. } if arg == 1 => smallvec![1],
            Function::Sdiv { width } => {
                let zero = sign_bit(*width);
                if arg == 0 { smallvec![1, zero] } else { smallvec![zero - 1, zero, zero + 1] }
            }
            Function::FromBits(keys, width) => {
                let (sign, infinity) = (sign_bit(*width), keys.minus_zero());
                smallvec![infinity + 1, sign, sign + infinity + 1]
            }
            Function::ToBits(keys) | Function::Abs(keys) => {
                smallvec![keys.plus_zero(), keys.nan()]
            }
            Function::Neg(keys) => smallvec![keys.nan()],
            Function::Min(keys) | Function::Max(keys) => {
                let zeros = Interval::new(keys.minus_zero(), keys.plus_zero());
                if args.iter().all(|interval| !interval.meet(zeros).is_empty()) {
                    let zero = keys.minus_zero();
                    smallvec![zero, zero + 1, zero + 2, keys.nan()]
                } else {
                    smallvec![keys.nan()]
                }
            }
            // What rounds: the mode is one of few.
            _ if self.rounds() && arg == 0 => smallvec![1, 2, 3, 4],
            Function::Sqrt(keys) => smallvec![keys.minus_zero(), keys.nan()],
            Function::RoundToIntegral(from) | Function::Convert { from, .. } => {
                smallvec![from.nan()]
            }
            Function::ToInteger { fitting, .. } => {
                let modes = &fitting[args[0].low as usize..=args[0].high as usize];
                let mut cuts: Cuts =
                    modes.iter().flat_map(|fits| [fits.low, fits.high + 1]).collect();
                cuts.sort_unstable();
                cuts
            }
            Function::Add(keys) => arithmetic_cuts(*keys, &args[1..], false),
            Function::Fma(keys) if arg == 3 => arithmetic_cuts(*keys, &args[1..], false),
            Function::Mul(keys) | Function::Div(keys) | Function::Fma(keys) => {
                arithmetic_cuts(*keys, &args[1..], true)
            }
            _ => Cuts::new(),
        }
    }

    fn rounds(&self) -> bool {
        matches!(
            self,
            Function::Sqrt(_)
                | Function::RoundToIntegral(_)
                | Function::Convert { .. }
                | Function::FromInteger { .. }
                | Function::ToInteger { .. }
                | Function::Add(_)
                | Function::Mul(_)
                | Function::Div(_)
                | Function::Fma(_)
        )
    }

    /// Whether the result rises with an argument, on a product of cells; where it stays the same,
    /// either.
    pub fn rises(&self, args: &[Interval], arg: usize) -> bool {
        let positive = |keys: &FloatKeys, i: usize| args[i].low >= keys.plus_zero();
        match self {
            Function::Not { .. } | Function::Neg(_) => false,
            Function::Lshr | Function::Udiv { .. } => arg == 0,
            Function::Ashr { width } => arg == 0 || args[0].low < sign_bit(*width),
            Function::Sdiv { width } if arg == 0 => args[1].low > sign_bit(*width),
            Function::Sdiv { width } => args[0].low < sign_bit(*width),
            Function::FromBits(_, width) => args[0].low < sign_bit(*width),
            Function::ToBits(keys) | Function::Abs(keys) => positive(keys, 0),
            Function::Mul(keys) => positive(keys, 3 - arg),
            Function::Fma(keys) if arg != 3 => positive(keys, 3 - arg),
            Function::Div(keys) if arg == 1 => positive(keys, 2),
            // x / y falls with y where x is positive, on either side of zero.
            Function::Div(keys) => !positive(keys, 1),
            _ => true,
        }
    }
}

/// Cells of the arguments of an operation: signs, where they matter, and what makes NaN.
fn arithmetic_cuts(keys: FloatKeys, args: &[Interval], signs: bool) -> Cuts {
    let infinite = |interval: &Interval| {
        interval.low == keys.minus_infinity() || interval.high >= keys.plus_infinity()
    };
    let zero = keys.minus_zero();
    let special = args.iter().any(infinite);
    // 0 / 0 makes a NaN of zeros alone.
    let zeros = Interval::new(zero, zero + 1);
    let all_zero = signs && args.iter().all(|interval| !interval.meet(zeros).is_empty());
    match (special, signs) {
        (true, true) => {
            smallvec![1, zero, zero + 1, zero + 2, keys.plus_infinity(), keys.nan()]
        }
        (true, false) => smallvec![1, keys.plus_infinity(), keys.nan()],
        (false, true) if all_zero => smallvec![zero, zero + 1, zero + 2],
        (false, true) => smallvec![zero + 1],
        (false, false) => Cuts::new(),
    }
}

fn mode(key: Key) -> Rounding {
    Rounding::ALL[key as usize]
}

/// The number that the key of a signed reading stands for. Requires: width ≤ 128.
fn signed(width: u32, key: Key) -> i128 {
    let shift = 128 - width;
    (((key ^ sign_bit(width)) << shift) as i128) >> shift
}

fn of_signed(width: u32, number: i128) -> Key {
    (number as Key & ones(width)) ^ sign_bit(width)
}

fn signed_quotient(width: u32, a: Key, b: Key) -> Key {
    let (a, b) = (signed(width, a), signed(width, b));
    let quotient = match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a / b,
    };
    of_signed(width, quotient)
}

/// `fp.min` and `fp.max`: of zeros with different signs, either.
fn extremum(keys: FloatKeys, least: bool, a: Key, b: Key) -> Interval {
    if a == keys.nan() || b == keys.nan() {
        return Interval::point(a.min(b));
    }
    let (low, high) = (a.min(b), a.max(b));
    if low == keys.minus_zero() && high == keys.plus_zero() {
        return Interval::new(low, high);
    }
    Interval::point(if least { low } else { high })
}

/// A float as an integer of a width, if it fits.
fn integer(from: FloatKeys, signed: bool, width: u32, mode: Rounding, key: Key) -> Option<Key> {
    let float = from.float(key);
    let bits = if signed { float.to_sbv(width, mode)? } else { float.to_ubv(width, mode)? };
    let key = bits.to_u128()?;
    Some(if signed { key ^ sign_bit(width) } else { key })
}

/// The floats that fit an integer of a width.
fn fitting(from: FloatKeys, signed: bool, width: u32, mode: Rounding) -> Interval {
    let fits = |key: Key| integer(from, signed, width, mode, key).is_some();
    // Zeros fit; they are in the middle.
    let (mut low, mut below) = (from.minus_zero(), 0);
    while low > below {
        let middle = below + (low - below) / 2;
        if fits(middle) { low = middle } else { below = middle + 1 }
    }
    let (mut high, mut above) = (from.plus_zero(), from.plus_infinity());
    while above - high > 1 {
        let middle = high + (above - high) / 2;
        if fits(middle) { high = middle } else { above = middle }
    }
    Interval::new(low, high)
}
