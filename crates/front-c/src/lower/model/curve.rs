//! Functions of `math.h` that are not computed exactly: exponentials, logarithms, angles.
//!
//! Where C's Annex F says what a function gives (of infinities, zeros, numbers out of its domain), it gives
//! that. Elsewhere the result is approximated: it has the sign and lies in the range that the function
//! has, with room for errors of rounding, so that proofs hold for any library. Only that sines, cosines,
//! hyperbolic tangents and the error function do not exceed one is taken from what libraries do, and not
//! if the program changes the rounding mode.

use super::Call;
use super::math::stem_in;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Cause, Computed};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::sync::Arc;
use term::{Op, Pool, Sort, Term};
use value::curve::enclosure::{Enclosure, Piece, Shape, Symmetry, around};
use value::{Curve, Float, Format, Rounding};

/// Functions of one number.
const UNARY: [&str; 24] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp10", "exp2", "expm1", "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh",
    "pow10",
];
/// Functions of two.
const BINARY: [&str; 3] = ["pow", "hypot", "atan2"];

/// What is known of a result.
#[derive(Default)]
struct Facts {
    /// Conditions and what they make the result; the first one that holds counts.
    exact: Vec<(Term, Term)>,
    /// What holds otherwise.
    otherwise: Vec<Term>,
    /// A result of which this holds.
    example: Option<Term>,
}

/// Numbers of a format, and questions about them.
struct Numbers<'l, 'a> {
    lowerer: &'l Lowerer<'a>,
    format: Format,
}

impl Numbers<'_, '_> {
    fn number(&self, value: f64) -> Term {
        let float = Float::from_f64(value).to_format(self.format, Rounding::NearestEven);
        self.lowerer.pool.float(float)
    }

    fn nan(&self) -> Term {
        self.lowerer.pool.float(Float::nan(self.format))
    }

    fn infinity(&self, negative: bool) -> Term {
        self.lowerer.pool.float(Float::infinity(self.format, negative))
    }

    fn is(&self, x: Term, value: f64) -> Term {
        self.lowerer.pool.make(Op::FpEq, &[x, self.number(value)])
    }

    fn below(&self, x: Term, value: f64) -> Term {
        self.lowerer.pool.fp_lt(x, self.number(value))
    }

    fn above(&self, x: Term, value: f64) -> Term {
        self.lowerer.pool.fp_lt(self.number(value), x)
    }

    fn between(&self, low: f64, x: Term, high: f64) -> Term {
        let pool = &self.lowerer.pool;
        pool.and([pool.fp_leq(self.number(low), x), pool.fp_leq(x, self.number(high))])
    }

    fn is_infinite(&self, x: Term, negative: bool) -> Term {
        self.lowerer.pool.make(Op::FpEq, &[x, self.infinity(negative)])
    }

    /// Whether two numbers are on the same side of zero, if they are on one.
    fn same_sign(&self, a: Term, b: Term) -> Term {
        let pool = &self.lowerer.pool;
        let zero = self.number(0.0);
        let up = pool.implies(pool.fp_lt(zero, a), pool.fp_leq(zero, b));
        let down = pool.implies(pool.fp_lt(a, zero), pool.fp_leq(b, zero));
        pool.and([up, down])
    }

    /// Whether a number is an integer; of halves, whether the number is an even one.
    fn is_integral(&self, x: Term) -> Term {
        let pool = &self.lowerer.pool;
        let mode = pool.rounding(Rounding::TowardZero);
        pool.make(Op::FpEq, &[x, pool.fp_round_to_integral(mode, x)])
    }
}

/// Whether zero is in the range of a function, for arguments on both sides of zero.
fn has_zero(stem: &str) -> bool {
    !matches!(stem, "exp" | "exp2" | "exp10" | "pow10" | "cos" | "cosh" | "acos" | "erfc")
}

impl Lowerer<'_> {
    pub(super) fn curve_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let (stem, count) = match (stem_in(call.name, &UNARY), stem_in(call.name, &BINARY)) {
            (Some(stem), _) => (stem, 1),
            (_, Some(stem)) => (stem, 2),
            _ => return Ok(None),
        };
        let Some(Sort::Float(format)) = self.register_sort(call.ty) else { return Ok(None) };
        if call.arguments.len() != count {
            return Ok(None);
        }
        let mut terms = Vec::new();
        for index in 0..count {
            let term = self.argument(call, index)?;
            if self.pool.sort(term) != Sort::Float(format) {
                return Ok(None);
            }
            terms.push(self.keep(term));
        }
        let approximated = Cause::Approximated(call.name.into());
        self.forget_errno(&approximated);
        let (cause, enclosed) = match self.computed(stem, call.name, format, &terms) {
            Some(computed) => computed,
            None => (approximated, None),
        };
        let variable = self.temporary(Sort::Float(format));
        let unknown = self.term_of(variable);
        let facts = {
            let numbers = Numbers { lowerer: self, format };
            match terms[..] {
                [x, y] => numbers.of_two(stem, x, y, unknown),
                _ => numbers.of_one(stem, terms[0], unknown),
            }
        };
        let special = self.pool.or(facts.exact.iter().map(|(condition, _)| *condition));
        if self.pool.as_bool(special) != Some(true) {
            self.havoc(variable, cause);
        }
        // Nothing is assumed, so that a run which does not need the result does not ask for it.
        let mut otherwise = facts.otherwise;
        let mut example = facts.example.unwrap_or(unknown);
        if let Some(enclosed) = enclosed {
            let pool = &self.pool;
            // Of a power with one number fixed, the other one counts.
            let key = terms.iter().find(|term| pool.value(**term).is_none()).unwrap_or(&terms[0]);
            let bounded = Table { pool, enclosure: &enclosed }.of(*key, unknown);
            otherwise.push(bounded.possible);
            let finite =
                pool.not(pool.or([pool.fp_is_infinite(*key), pool.make(Op::FpIsZero, &[*key])]));
            example = pool.ite(finite, bounded.example, example);
        }
        let possible = self.pool.and(otherwise);
        let approximated = self.pool.ite(possible, unknown, example);
        let exact = facts.exact.iter().rev();
        let result = exact
            .fold(approximated, |rest, (condition, value)| self.pool.ite(*condition, *value, rest));
        Ok(self.result(call, result))
    }
}

/// What a table of bounds says of a result.
struct Bounded {
    /// Whether it is one that a library may give.
    possible: Term,
    /// One of those.
    example: Term,
}

/// Bounds by pieces of the arguments as terms.
struct Table<'p> {
    pool: &'p Pool,
    enclosure: &'p Enclosure,
}

impl Table<'_> {
    fn of(&self, x: Term, r: Term) -> Bounded {
        let pool = self.pool;
        let key = match self.enclosure.symmetry {
            Symmetry::None => x,
            Symmetry::Odd | Symmetry::Even => pool.fp_abs(x),
        };
        let turned = |r: Term| match self.enclosure.symmetry {
            Symmetry::Odd => pool.ite(pool.make(Op::FpIsNegative, &[x]), pool.fp_neg(r), r),
            _ => r,
        };
        let pieces = &self.enclosure.pieces;
        // At the end of a piece both neighbours say something, and the closer bound counts.
        let low = self.entry(key, pieces, |piece| &piece.low, Float::lt);
        let high = self.entry(key, pieces, |piece| &piece.high, Float::gt);
        let result = turned(r);
        let possible = pool.and([pool.fp_leq(low, result), pool.fp_leq(result, high)]);
        Bounded { possible, example: turned(low) }
    }

    /// What the piece says in which the key lies, by halves. `better` says of two bounds whether the second
    /// one is closer.
    fn entry(
        &self,
        key: Term,
        pieces: &[Piece],
        bound: fn(&Piece) -> &Float,
        better: fn(&Float, &Float) -> bool,
    ) -> Term {
        match pieces {
            [] => unreachable!("an enclosure has pieces"),
            [piece] => self.pool.float(bound(piece).clone()),
            _ => {
                let (first, second) = pieces.split_at(pieces.len() / 2);
                let last = &first[first.len() - 1];
                let end = self.pool.float(last.to.clone());
                let before = match better(bound(last), bound(&second[0])) {
                    true => self.pool.fp_lt(key, end),
                    false => self.pool.fp_leq(key, end),
                };
                let then = self.entry(key, first, bound, better);
                self.pool.ite(before, then, self.entry(key, second, bound, better))
            }
        }
    }
}

impl Lowerer<'_> {
    /// Where results come from that are known up to their last digits, with bounds if there are some; none
    /// in other formats, and where the program changes the rounding mode.
    fn computed(
        &mut self,
        stem: &'static str,
        name: &str,
        format: Format,
        arguments: &[Term],
    ) -> Option<(Cause, Option<Enclosure>)> {
        let curve = Curve::named(stem).filter(|_| Curve::is_computed(format))?;
        if self.rounding.is_some() {
            return None;
        }
        let error = self.options.world.libm_error.0;
        self.assume_that(format!(
            "results of '{name}' differ from the correctly rounded ones by at most {error} units in \
             the last place, and keep the sign and the range of the function"
        ));
        let fixed = |term: Term| self.pool.value(term).and_then(|value| value.as_float().cloned());
        let shape = match *arguments {
            [_] => Some(Shape::Of(curve)),
            [x, y] if curve == Curve::Pow => power_shape(fixed(x), fixed(y)),
            _ => None,
        };
        let enclosed = shape.and_then(|shape| Enclosure::new(&shape, format, error));
        let (name, arguments) = (name.into(), arguments.to_vec());
        Some((Cause::Computed(Arc::new(Computed { curve, name, arguments, error })), enclosed))
    }
}

/// What a power is a function of, where one of both numbers is fixed.
fn power_shape(x: Option<Float>, y: Option<Float>) -> Option<Shape> {
    let usable = |x: &Float| x.is_finite() && !x.is_zero();
    match (x.filter(usable), y.filter(usable)) {
        (_, Some(exponent)) => Some(Shape::PowerOf(exponent)),
        (Some(base), _) => {
            let one = Float::one(base.format(), false);
            (base.is_positive() && !base.ieee_eq(&one)).then_some(Shape::PowerTo(base))
        }
        _ => None,
    }
}

impl Numbers<'_, '_> {
    fn of_one(&self, stem: &str, x: Term, r: Term) -> Facts {
        let pool = &self.lowerer.pool;
        let mut facts = Facts::default();
        let nan = pool.fp_is_nan(x);
        facts.exact.push((nan, self.nan()));
        facts.otherwise.push(pool.not(pool.fp_is_nan(r)));
        match stem {
            "exp" | "exp2" | "exp10" | "pow10" => self.exponential(x, r, &mut facts),
            "log" | "log2" | "log10" | "acosh" => self.logarithm(stem, x, r, &mut facts),
            "cos" | "cosh" | "acos" | "erfc" => self.even(stem, x, r, &mut facts),
            _ => self.odd(stem, x, r, &mut facts),
        }
        facts.example = Some(self.number(if has_zero(stem) { 0.0 } else { 1.0 }));
        facts
    }

    fn exponential(&self, x: Term, r: Term, facts: &mut Facts) {
        facts.exact.push((self.is(x, 0.0), self.number(1.0)));
        facts.exact.push((self.is_infinite(x, true), self.number(0.0)));
        facts.exact.push((self.is_infinite(x, false), self.infinity(false)));
        let pool = &self.lowerer.pool;
        let positive = pool.make(Op::FpIsPositive, &[r]);
        let grows = pool.implies(self.above(x, 0.0), self.above(r, 0.99));
        let falls = pool.implies(self.below(x, 0.0), self.below(r, 1.01));
        facts.otherwise.extend([positive, grows, falls]);
    }

    /// Logarithms, and `acosh`, which ends at one instead of zero.
    fn logarithm(&self, stem: &str, x: Term, r: Term, facts: &mut Facts) {
        let pool = &self.lowerer.pool;
        let least = if stem == "acosh" { 1.0 } else { 0.0 };
        facts.exact.push((self.below(x, least), self.nan()));
        if stem != "acosh" {
            facts.exact.push((self.is(x, 0.0), self.infinity(true)));
        }
        facts.exact.push((self.is(x, 1.0), self.number(0.0)));
        facts.exact.push((self.is_infinite(x, false), self.infinity(false)));
        let (zero, infinite) = (self.number(0.0), pool.fp_is_infinite(r));
        facts.otherwise.extend([
            pool.not(infinite),
            pool.implies(self.above(x, 1.0), pool.fp_leq(zero, r)),
            pool.implies(self.below(x, 1.0), pool.fp_leq(r, zero)),
        ]);
    }

    /// Functions whose sign is not that of the argument.
    fn even(&self, stem: &str, x: Term, r: Term, facts: &mut Facts) {
        let pool = &self.lowerer.pool;
        let infinite = pool.fp_is_infinite(x);
        match stem {
            "cos" => {
                facts.exact.push((infinite, self.nan()));
                facts.exact.push((self.is(x, 0.0), self.number(1.0)));
                facts.otherwise.push(self.within_one(r));
            }
            "cosh" => {
                facts.exact.push((infinite, self.infinity(false)));
                facts.exact.push((self.is(x, 0.0), self.number(1.0)));
                facts.otherwise.push(self.above(r, 0.99));
            }
            "acos" => {
                let outside = pool.or([self.below(x, -1.0), self.above(x, 1.0)]);
                facts.exact.push((outside, self.nan()));
                facts.exact.push((self.is(x, 1.0), self.number(0.0)));
                facts.otherwise.push(self.between(0.0, r, 3.15));
            }
            _ => {
                facts.exact.push((self.is_infinite(x, false), self.number(0.0)));
                facts.exact.push((self.is_infinite(x, true), self.number(2.0)));
                facts.otherwise.push(self.between(0.0, r, 2.01));
            }
        }
    }

    /// Functions that keep zero and the sign.
    fn odd(&self, stem: &str, x: Term, r: Term, facts: &mut Facts) {
        let pool = &self.lowerer.pool;
        facts.exact.push((self.is(x, 0.0), x));
        let infinite = pool.fp_is_infinite(x);
        let outside = pool.or([self.below(x, -1.0), self.above(x, 1.0)]);
        let ends = |value: f64| {
            [
                (self.is_infinite(x, false), self.number(value)),
                (self.is_infinite(x, true), self.number(-value)),
            ]
        };
        match stem {
            "sin" | "tan" => facts.exact.push((infinite, self.nan())),
            "asin" | "atanh" => facts.exact.push((outside, self.nan())),
            "tanh" | "erf" => facts.exact.extend(ends(1.0)),
            "sinh" | "asinh" | "cbrt" => facts.exact.push((infinite, x)),
            "expm1" => {
                facts.exact.push((self.is_infinite(x, false), x));
                facts.exact.push((self.is_infinite(x, true), self.number(-1.0)));
                facts.otherwise.push(self.above(r, -1.01));
            }
            "log1p" => {
                facts.exact.push((self.below(x, -1.0), self.nan()));
                facts.exact.push((self.is(x, -1.0), self.infinity(true)));
                facts.exact.push((self.is_infinite(x, false), x));
            }
            _ => {}
        }
        if stem == "atanh" {
            facts.exact.push((self.is(x, 1.0), self.infinity(false)));
            facts.exact.push((self.is(x, -1.0), self.infinity(true)));
        }
        match stem {
            "sin" | "tanh" | "erf" => facts.otherwise.push(self.within_one(r)),
            "asin" | "atan" => facts.otherwise.push(self.between(-1.58, r, 1.58)),
            _ => {}
        }
        if !matches!(stem, "sin" | "tan") {
            facts.otherwise.push(self.same_sign(x, r));
        }
    }

    /// That a result lies between -1 and 1, as far as rounding is as libraries expect it.
    fn within_one(&self, r: Term) -> Term {
        match self.lowerer.rounding {
            None => self.between(-1.0, r, 1.0),
            Some(_) => self.between(-1.01, r, 1.01),
        }
    }

    fn of_two(&self, stem: &str, x: Term, y: Term, r: Term) -> Facts {
        let pool = &self.lowerer.pool;
        let mut facts = Facts::default();
        let nan = pool.or([pool.fp_is_nan(x), pool.fp_is_nan(y)]);
        let number = pool.not(pool.fp_is_nan(r));
        match stem {
            "pow" => self.power(x, y, r, &mut facts),
            "hypot" => {
                let infinite = pool.or([pool.fp_is_infinite(x), pool.fp_is_infinite(y)]);
                facts.exact.push((infinite, self.infinity(false)));
                facts.exact.push((nan, self.nan()));
                let positive = pool.make(Op::FpIsPositive, &[r]);
                facts.otherwise.extend([number, positive]);
                facts.example = Some(self.number(1.0));
                self.length(x, y, r, &mut facts);
            }
            _ => {
                facts.exact.push((nan, self.nan()));
                let flat = pool.make(Op::FpIsZero, &[x]);
                let right = pool.and([flat, pool.make(Op::FpIsPositive, &[y])]);
                facts.exact.push((right, x));
                facts.otherwise.extend([number, self.between(-3.15, r, 3.15)]);
                // C's y comes first.
                facts.otherwise.push(self.same_sign(x, r));
                facts.example = Some(self.number(0.0));
                self.octants(x, y, r, &mut facts);
            }
        }
        facts
    }

    /// A length is not below that of the longer side, and not above the sum of both.
    fn length(&self, x: Term, y: Term, r: Term, facts: &mut Facts) {
        let Some(error) = self.error() else { return };
        let pool = &self.lowerer.pool;
        let width = self.format.width();
        let (x, y) = (pool.fp_abs(x), pool.fp_abs(y));
        let number = |bits: Term| pool.make(Op::FpFromBits(self.format), &[bits]);
        let places = pool.bv(u64::from(error), width);
        let longer = pool.fp_to_bits(pool.ite(pool.fp_leq(x, y), y, x));
        let below =
            pool.ite(pool.bv_ule(longer, places), pool.bv(0, width), pool.bv_sub(longer, places));
        let sum = pool.fp_add(pool.rounding(Rounding::TowardPositive), x, y);
        let above = pool.bv_add(pool.fp_to_bits(sum), places);
        let infinity = self.infinity(false);
        let last = pool.fp_to_bits(infinity);
        let above = pool.ite(pool.bv_ule(above, last), number(above), infinity);
        facts.otherwise.extend([pool.fp_leq(number(below), r), pool.fp_leq(r, above)]);
        facts.example = Some(number(longer));
    }

    /// In which eighth of a turn an angle lies. `atan2` takes y first, which is called x here.
    fn octants(&self, x: Term, y: Term, r: Term, facts: &mut Facts) {
        let Some(error) = self.error() else { return };
        let pool = &self.lowerer.pool;
        let (rise, run, angle) = (x, y, pool.fp_abs(r));
        let near = |angle: f64| {
            let angle = Float::from_f64(angle).to_format(self.format, Rounding::NearestEven);
            let (low, high) = around(&angle, error);
            (pool.float(low), pool.float(high))
        };
        let (quarter, eighth, much) = (near(FRAC_PI_2), near(FRAC_PI_4), near(3.0 * FRAC_PI_4));
        let half = near(PI);
        let flat = pool.fp_leq(pool.fp_abs(rise), pool.fp_abs(run));
        let (right, left) = (self.above(run, 0.0), self.below(run, 0.0));
        let when =
            |conditions: &[Term], then: Term| pool.implies(pool.and(conditions.to_vec()), then);
        facts.otherwise.extend([
            pool.fp_leq(angle, half.1),
            when(&[right], pool.fp_leq(angle, quarter.1)),
            when(&[left], pool.fp_leq(quarter.0, angle)),
            when(&[right, flat], pool.fp_leq(angle, eighth.1)),
            when(&[left, flat], pool.fp_leq(much.0, angle)),
            when(&[pool.not(flat)], pool.fp_leq(eighth.0, angle)),
            when(&[pool.not(flat)], pool.fp_leq(angle, much.1)),
        ]);
        let of_right = pool.ite(flat, self.number(0.0), eighth.1);
        let of_left = pool.ite(flat, much.1, much.0);
        let example = pool.ite(left, of_left, of_right);
        let below = pool.make(Op::FpIsNegative, &[rise]);
        facts.example = Some(pool.ite(below, pool.fp_neg(example), example));
    }

    /// The stated error of results, where they are computed.
    fn error(&self) -> Option<u32> {
        let computed = Curve::is_computed(self.format) && self.lowerer.rounding.is_none();
        computed.then_some(self.lowerer.options.world.libm_error.0)
    }

    fn power(&self, x: Term, y: Term, r: Term, facts: &mut Facts) {
        let pool = &self.lowerer.pool;
        let one = self.number(1.0);
        let nan = pool.or([pool.fp_is_nan(x), pool.fp_is_nan(y)]);
        facts.exact.push((self.is(y, 0.0), one));
        facts.exact.push((self.is(x, 1.0), one));
        facts.exact.push((nan, self.nan()));
        let finite = pool.not(pool.or([pool.fp_is_infinite(x), pool.fp_is_infinite(y)]));
        let broken = pool.not(self.is_integral(y));
        let outside = pool.and([finite, self.below(x, 0.0), broken]);
        facts.exact.push((outside, self.nan()));
        let half =
            pool.make(Op::FpMul, &[pool.rounding(Rounding::TowardZero), y, self.number(0.5)]);
        let even = pool.and([self.is_integral(y), self.is_integral(half)]);
        let (absolute, zero, infinite) = (pool.fp_abs(x), self.is(x, 0.0), pool.fp_is_infinite(x));
        let (up, down) = (self.above(y, 0.0), self.below(y, 0.0));
        let vanishes = pool.or([pool.and([zero, up]), pool.and([infinite, down])]);
        let explodes = pool.or([pool.and([zero, down]), pool.and([infinite, up])]);
        let positive = pool.fp_leq(self.number(0.0), r);
        let large = pool.and([self.above(absolute, 1.0), up]);
        facts.otherwise.extend([
            pool.not(pool.fp_is_nan(r)),
            pool.implies(pool.or([self.above(x, 0.0), even]), positive),
            pool.implies(vanishes, self.is(r, 0.0)),
            pool.implies(explodes, pool.fp_is_infinite(r)),
            pool.implies(large, self.above(pool.fp_abs(r), 0.99)),
        ]);
        let example = pool.ite(explodes, self.infinity(false), self.number(1.0));
        facts.example = Some(pool.ite(vanishes, self.number(0.0), example));
    }
}
