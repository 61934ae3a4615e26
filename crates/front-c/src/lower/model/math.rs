//! Numbers: `math.h`, the rounding mode, absolute values.
//!
//! Functions with a variant for each floating type (`fabs`, `fabsf`, `fabsl`) are known by the stem;
//! the argument's sort tells the format. Functions that IEEE 754 does not define exactly (`sin`,
//! `exp`, `pow`, …) are in [`super::curve`].

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::Property;
use program::program::Cause;
use term::{Op, Sort, Term};
use value::{Bits, Float, Format, Rounding};

/// Functions of one float and their results.
const UNARY: [&str; 10] =
    ["fabs", "floor", "ceil", "trunc", "round", "roundeven", "rint", "nearbyint", "sqrt", "nan"];
/// Functions of two.
const BINARY: [&str; 7] = ["fmin", "fmax", "fmod", "remainder", "drem", "fdim", "copysign"];
/// Questions about a float, without leading underscores.
const CLASSES: [&str; 7] =
    ["isnan", "isinf", "finite", "isfinite", "isnormal", "signbit", "fpclassify"];
/// Roundings to an integer type.
const TO_INTEGER: [&str; 4] = ["lrint", "llrint", "lround", "llround"];

/// The numbers that `fpclassify` gives in glibc.
const FP_NAN: u64 = 0;
const FP_INFINITE: u64 = 1;
const FP_ZERO: u64 = 2;
const FP_SUBNORMAL: u64 = 3;
const FP_NORMAL: u64 = 4;

/// The numbers of the rounding modes on x86.
const MODES: [(u64, Rounding); 4] = [
    (0, Rounding::NearestEven),
    (0x400, Rounding::TowardNegative),
    (0x800, Rounding::TowardPositive),
    (0xc00, Rounding::TowardZero),
];

/// The name in a list that a function is a variant of.
pub(super) fn stem_in(name: &str, list: &[&'static str]) -> Option<&'static str> {
    let matches = |n: &&&'static str| {
        **n == name || name.strip_suffix(['f', 'l']).is_some_and(|stem| **n == stem)
    };
    list.iter().find(matches).copied()
}

/// Whether the function computes a float's function and changes nothing.
pub(in crate::lower) fn is_function_of_floats(name: &str) -> bool {
    let plain = name.trim_start_matches('_');
    stem_in(name, &UNARY).is_some()
        || stem_in(name, &BINARY).is_some()
        || stem_in(name, &TO_INTEGER).is_some()
        || stem_in(plain, &CLASSES).is_some()
}

impl Lowerer<'_> {
    pub(super) fn math_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let name = call.name;
        if let Some(value) = self.quotient_and_remainder(call)? {
            return Ok(Some(value));
        }
        if let Some(term) = self.integer_function(call)? {
            return Ok(self.result(call, term));
        }
        if stem_in(name, &["nan"]).is_some() {
            let sort = self.register_sort(call.ty).and_then(Sort::format);
            let nan = self.pool.float(Float::nan(sort.unwrap_or(Format::F64)));
            return Ok(self.result(call, nan));
        }
        let Some((Value::Scalar(_), _)) = call.arguments.first() else { return Ok(None) };
        let x = self.argument(call, 0)?;
        let format = self.pool.sort(x);
        if format.format().is_none() {
            return Ok(None);
        }
        let is_float = |l: &mut Self, i: usize| {
            i < call.arguments.len()
                && matches!(l.argument(call, i), Ok(t) if l.pool.sort(t) == format)
        };
        let plain = name.trim_start_matches('_');
        if let Some(class) = stem_in(plain, &CLASSES) {
            if class == "signbit" {
                let negative = self.sign_bit(x);
                let term = self.bool_to_bits(negative, 32);
                return Ok(self.result(call, term));
            }
            let term = self.float_class(class, x);
            return Ok(self.result(call, term));
        }
        let term = if let Some(stem) = stem_in(name, &UNARY) {
            self.unary_float(stem, x)
        } else if let Some(stem) = stem_in(name, &TO_INTEGER) {
            let away = stem.ends_with("lround");
            let mode = match away {
                true => self.pool.rounding(Rounding::NearestAway),
                false => self.rounding_mode(),
            };
            let width = self.register_sort(call.ty).and_then(Sort::width).unwrap_or(64);
            self.rounded_to_int(x, width, mode)
        } else if let Some(stem) = stem_in(name, &BINARY).filter(|_| is_float(self, 1)) {
            let y = self.argument(call, 1)?;
            self.binary_float(stem, x, y)
        } else if stem_in(name, &["fma"]).is_some() && is_float(self, 1) && is_float(self, 2) {
            let (y, z) = (self.argument(call, 1)?, self.argument(call, 2)?);
            let mode = self.rounding_mode();
            self.pool.fp_fma(mode, x, y, z)
        } else if stem_in(name, &["nextafter", "nexttoward"]).is_some() && call.arguments.len() == 2
        {
            let Some(next) = self.neighbour(call, x)? else { return Ok(None) };
            next
        } else if stem_in(name, &["modf"]).is_some() && call.arguments.len() == 2 {
            self.split_float(call, x)?
        } else {
            return Ok(None);
        };
        Ok(self.result(call, term))
    }

    fn integer_function(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        Ok(Some(match call.name {
            "abs" | "labs" | "llabs" | "imaxabs" if call.arguments.len() == 1 => {
                let x = self.argument(call, 0)?;
                let Sort::BitVec(width) = self.pool.sort(x) else { return Ok(None) };
                let pool = &self.pool;
                let least = pool.bits(Bits::min_signed(width));
                let fits = pool.ne(x, least);
                let negative = pool.bv_slt(x, pool.bv(0, width));
                let absolute = pool.ite(negative, pool.bv_neg(x), x);
                self.check(Property::Overflow, fits);
                absolute
            }
            "fesetround" if call.arguments.len() == 1 => {
                let mode = self.integer_argument(call, 0, 32)?;
                self.set_rounding(mode)
            }
            "fesetenv" | "feupdateenv" if call.arguments.len() == 1 => {
                // The environment that is set may be any that was saved.
                if let Some(register) = self.rounding {
                    self.havoc(register, Cause::Approximated(call.name.into()));
                }
                self.pool.bv(0, 32)
            }
            "fegetround" => {
                let current = self.rounding_mode();
                let pool = &self.pool;
                MODES.iter().rev().fold(pool.bv(0, 32), |rest, (number, mode)| {
                    let is_mode = pool.eq(current, pool.rounding(*mode));
                    pool.ite(is_mode, pool.bv(*number, 32), rest)
                })
            }
            _ => return Ok(None),
        }))
    }

    /// `div` and its kin: a struct of two numbers.
    fn quotient_and_remainder(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let known = matches!(call.name, "div" | "ldiv" | "lldiv" | "imaxdiv");
        if !known || call.arguments.len() != 2 || self.members(call.ty).len() != 2 {
            return Ok(None);
        }
        let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let Sort::BitVec(width) = self.pool.sort(a) else { return Ok(None) };
        let pool = &self.pool;
        let (zero, minus_one) = (pool.bv(0, width), pool.bits(Bits::ones(width)));
        let least = pool.bits(Bits::min_signed(width));
        let not_zero = pool.ne(b, zero);
        let fits = pool.or([pool.ne(a, least), pool.ne(b, minus_one)]);
        let (quotient, remainder) = (pool.bv_sdiv(a, b), pool.bv_srem(a, b));
        self.check(Property::DivisionByZero, not_zero);
        self.check(Property::Overflow, fits);
        self.struct_of(call.ty, &[quotient, remainder]).map(Some)
    }

    /// Sets the rounding mode; gives zero if the number is that of one.
    fn set_rounding(&mut self, number: Term) -> Term {
        let number = self.keep(number);
        let current = self.rounding_mode();
        let pool = &self.pool;
        let (mut new, mut unknown) = (current, pool.tru());
        for (value, mode) in MODES {
            let is_mode = pool.eq(number, pool.bv(value, 32));
            new = pool.ite(is_mode, pool.rounding(mode), new);
            unknown = pool.and([unknown, pool.not(is_mode)]);
        }
        if let Some(register) = self.rounding {
            self.assign(register, new);
        }
        self.bool_to_bits(unknown, 32)
    }

    fn unary_float(&mut self, stem: &str, x: Term) -> Term {
        let current = self.rounding_mode();
        let pool = &self.pool;
        let mode = match stem {
            "fabs" => return pool.fp_abs(x),
            "sqrt" => return pool.fp_sqrt(current, x),
            "floor" => pool.rounding(Rounding::TowardNegative),
            "ceil" => pool.rounding(Rounding::TowardPositive),
            "trunc" => pool.rounding(Rounding::TowardZero),
            "round" => pool.rounding(Rounding::NearestAway),
            "roundeven" => pool.rounding(Rounding::NearestEven),
            _ => current,
        };
        pool.fp_round_to_integral(mode, x)
    }

    fn binary_float(&mut self, stem: &str, x: Term, y: Term) -> Term {
        let mode = self.rounding_mode();
        let pool = &self.pool;
        let (x_nan, y_nan) = (pool.fp_is_nan(x), pool.fp_is_nan(y));
        match stem {
            "fmin" | "fmax" => {
                // Of zeros with different signs the second, as the SSE instructions have it.
                let first = if stem == "fmin" { pool.fp_lt(x, y) } else { pool.fp_lt(y, x) };
                let ordered = pool.ite(first, x, y);
                pool.ite(x_nan, y, pool.ite(y_nan, x, ordered))
            }
            "fmod" => self.fmod(x, y),
            "fdim" => {
                let format = pool.sort(x).format().unwrap_or(Format::F64);
                let zero = pool.float(Float::zero(format, false));
                let difference = pool.fp_sub(mode, x, y);
                // Greater or unordered: the difference, a NaN in the second case.
                pool.ite(pool.fp_leq(x, y), zero, difference)
            }
            "copysign" => {
                let negative = self.sign_bit(y);
                self.with_sign(x, negative)
            }
            _ => pool.fp_rem(x, y),
        }
    }

    /// |x| with a minus sign if `negative`.
    fn with_sign(&self, x: Term, negative: Term) -> Term {
        let absolute = self.pool.fp_abs(x);
        self.pool.ite(negative, self.pool.fp_neg(absolute), absolute)
    }

    /// The remainder with the sign of x, from the IEEE remainder r of |x| and |y|: r if it is not
    /// negative, otherwise r + |y|, which is exact.
    fn fmod(&self, x: Term, y: Term) -> Term {
        let pool = &self.pool;
        let divisor = pool.fp_abs(y);
        let remainder = pool.fp_rem(pool.fp_abs(x), divisor);
        let nearest = pool.rounding(Rounding::NearestEven);
        let format = pool.sort(x).format().unwrap_or(Format::F64);
        let below = pool.fp_lt(remainder, pool.float(Float::zero(format, false)));
        let positive = pool.ite(below, pool.fp_add(nearest, remainder, divisor), remainder);
        self.with_sign(positive, pool.make(Op::FpIsNegative, &[x]))
    }

    fn float_class(&self, class: &str, x: Term) -> Term {
        let pool = &self.pool;
        let infinite = pool.fp_is_infinite(x);
        let number = |n: u64| pool.bv(n, 32);
        match class {
            "isnan" => self.bool_to_bits(pool.fp_is_nan(x), 32),
            "isinf" => {
                let negative = pool.make(Op::FpIsNegative, &[x]);
                let sign = pool.ite(negative, pool.bv_neg(number(1)), number(1));
                pool.ite(infinite, sign, number(0))
            }
            "finite" | "isfinite" => {
                let finite = pool.not(pool.or([infinite, pool.fp_is_nan(x)]));
                self.bool_to_bits(finite, 32)
            }
            "isnormal" => self.bool_to_bits(pool.make(Op::FpIsNormal, &[x]), 32),
            _ => {
                let classes = [
                    (Op::FpIsNan, FP_NAN),
                    (Op::FpIsInfinite, FP_INFINITE),
                    (Op::FpIsZero, FP_ZERO),
                    (Op::FpIsSubnormal, FP_SUBNORMAL),
                ];
                classes.into_iter().fold(number(FP_NORMAL), |rest, (op, value)| {
                    pool.ite(pool.make(op, &[x]), number(value), rest)
                })
            }
        }
    }

    /// The next number in the direction of another, which may be of a longer format.
    fn neighbour(&mut self, call: &Call<'_>, x: Term) -> Result<Option<Term>> {
        let y = self.argument(call, 1)?;
        // It is said there if the result is no normal number.
        self.forget_errno(&Cause::Approximated(call.name.into()));
        let pool = &self.pool;
        let (Sort::Float(format), Sort::Float(wide)) = (pool.sort(x), pool.sort(y)) else {
            return Ok(None);
        };
        let nearest = pool.rounding(Rounding::NearestEven);
        let to = |format, x| match pool.sort(x) == Sort::Float(format) {
            true => x,
            false => pool.make(Op::FpToFp(format), &[nearest, x]),
        };
        let same = to(wide, x);
        let bits = pool.fp_to_bits(x);
        let one = pool.bv(1, format.width());
        let up = pool.fp_lt(same, y);
        let outwards = pool.eq(up, pool.make(Op::FpIsPositive, &[x]));
        let moved = pool.ite(outwards, pool.bv_add(bits, one), pool.bv_sub(bits, one));
        let next = pool.make(Op::FpFromBits(format), &[moved]);
        let least = pool.make(Op::FpFromBits(format), &[one]);
        let from_zero = pool.ite(up, least, pool.fp_neg(least));
        let next = pool.ite(pool.make(Op::FpIsZero, &[x]), from_zero, next);
        let equal = pool.make(Op::FpEq, &[same, y]);
        let next = pool.ite(equal, to(format, y), next);
        let nan = pool.or([pool.fp_is_nan(x), pool.fp_is_nan(y)]);
        Ok(Some(pool.ite(nan, pool.float(Float::nan(format)), next)))
    }

    /// `modf`: stores the integral part, gives the fraction; both have the sign of x.
    fn split_float(&mut self, call: &Call<'_>, x: Term) -> Result<Term> {
        let address = self.word_argument(call, 1)?;
        let ty = call.arguments[0].1;
        let pool = &self.pool;
        let integral = pool.fp_round_to_integral(pool.rounding(Rounding::TowardZero), x);
        let nearest = pool.rounding(Rounding::NearestEven);
        let format = pool.sort(x).format().unwrap_or(Format::F64);
        let zero = pool.float(Float::zero(format, false));
        let rest = pool.fp_sub(nearest, x, integral);
        let fraction = pool.ite(pool.fp_is_infinite(x), zero, rest);
        let fraction = self.with_sign(fraction, pool.make(Op::FpIsNegative, &[x]));
        let access = crate::lower::memory::Access { address, pointer: Some(address), bits: None };
        self.store_scalar(access, ty, integral);
        Ok(fraction)
    }

    /// A number that the environment chooses, within bounds.
    pub(super) fn unknown_between(&mut self, name: &str, low: i64, high: i64) -> Term {
        self.some_between(Cause::Unknown(name.into()), low, high)
    }

    /// A number between two others that comes from somewhere.
    pub(super) fn some_between(&mut self, cause: Cause, low: i64, high: i64) -> Term {
        let value = self.unknown(Sort::BitVec(32), cause);
        let pool = &self.pool;
        let bound = |n: i64| pool.bits(Bits::from_i64(32, n));
        let within = pool.and([pool.bv_sle(bound(low), value), pool.bv_sle(value, bound(high))]);
        self.assume(within);
        value
    }
}
