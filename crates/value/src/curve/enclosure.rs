//! Between which numbers the results of a [`Curve`] lie, whatever library computes them.
//!
//! The arguments are cut into pieces. On a piece where the function is monotone, the correctly rounded
//! results lie between those at its ends, since rounding is monotone, too. A library may give a number
//! that is so many places away in the order of the format's numbers: the *error* in units in the last
//! place, which is stated and not known. Beyond that it is assumed that results keep the sign and the range
//! that the function has (a sine does not exceed one), as libraries do.

use super::Curve;
use crate::bits::Bits;
use crate::float::{Float, Format, Rounding};
use std::cmp::Ordering;
use std::f64::consts::{FRAC_PI_2, PI};

/// What the argument of a table is, and how a result comes of its entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symmetry {
    /// The table is about the argument itself.
    None,
    /// The table is about the absolute value, and a result changes its sign with the argument.
    Odd,
    /// The table is about the absolute value.
    Even,
}

/// Arguments from the end of the piece before, and bounds of the results there.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// The last argument; of the last piece infinity.
    pub to: Float,
    /// The least result.
    pub low: Float,
    /// The greatest result.
    pub high: Float,
}

/// Bounds for all arguments that are neither infinite nor out of the domain of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Enclosure {
    /// What is looked up.
    pub symmetry: Symmetry,
    /// In the order of arguments.
    pub pieces: Vec<Piece>,
}

/// A function of one number, perhaps one of two with one of them fixed.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A function of one number.
    Of(Curve),
    /// A number to a power that is neither zero nor infinite, where that is a number.
    PowerOf(Float),
    /// A power of a positive number other than one and infinity.
    PowerTo(Float),
}

impl Shape {
    /// The correctly rounded result, where it is computed.
    pub fn value(&self, x: &Float) -> Option<Float> {
        match self {
            Shape::Of(curve) => curve.value(&[x]),
            Shape::PowerOf(exponent) => Curve::Pow.value(&[x, exponent]),
            Shape::PowerTo(base) => Curve::Pow.value(&[base, x]),
        }
    }

    fn symmetry(&self) -> Symmetry {
        match self {
            Shape::Of(Curve::Cos | Curve::Cosh) => Symmetry::Even,
            Shape::PowerOf(exponent) if is_odd(exponent) => Symmetry::Odd,
            Shape::PowerOf(_) => Symmetry::Even,
            Shape::Of(
                Curve::Sin
                | Curve::Tan
                | Curve::Asin
                | Curve::Atan
                | Curve::Atanh
                | Curve::Sinh
                | Curve::Asinh
                | Curve::Tanh
                | Curve::Cbrt
                | Curve::Erf,
            ) => Symmetry::Odd,
            _ => Symmetry::None,
        }
    }

    /// The range that results keep to.
    fn range(&self) -> (f64, f64) {
        let all = (f64::NEG_INFINITY, f64::INFINITY);
        match self {
            Shape::Of(Curve::Sin | Curve::Cos) => (-1.0, 1.0),
            Shape::Of(Curve::Tanh | Curve::Erf) => (0.0, 1.0),
            Shape::Of(Curve::Erfc) => (0.0, 2.0),
            Shape::Of(
                Curve::Asin
                | Curve::Atan
                | Curve::Atanh
                | Curve::Sinh
                | Curve::Asinh
                | Curve::Cbrt
                | Curve::Acos
                | Curve::Acosh
                | Curve::Cosh
                | Curve::Exp
                | Curve::Exp2
                | Curve::Exp10,
            )
            | Shape::PowerOf(_)
            | Shape::PowerTo(_) => (0.0, f64::INFINITY),
            Shape::Of(_) => all,
        }
    }

    /// Where a piece may end: arguments in order, first the least that a table is about.
    fn cuts(&self) -> Vec<f64> {
        match self {
            Shape::Of(Curve::Sin | Curve::Cos | Curve::Tan) => turns(),
            Shape::Of(Curve::Asin | Curve::Atanh) => fractions(0.0),
            Shape::Of(Curve::Acos) => fractions(-1.0),
            Shape::Of(Curve::Exp | Curve::Exp2 | Curve::Exp10 | Curve::Expm1 | Curve::Erfc)
            | Shape::PowerTo(_) => both(magnitudes()),
            Shape::Of(Curve::Log1p) => {
                let mut cuts: Vec<f64> =
                    fractions(-1.0).into_iter().filter(|x| *x > -1.0 && *x < 0.0).collect();
                cuts.extend(magnitudes());
                cuts
            }
            Shape::Of(Curve::Acosh) => magnitudes().into_iter().filter(|x| *x >= 1.0).collect(),
            _ => magnitudes(),
        }
    }

    /// Whether the function has an end of monotony at or near a number: an extremum or a pole, if any, is
    /// the value there.
    fn bend(&self, from: f64, to: f64) -> Option<Bend> {
        let Shape::Of(curve) = self else { return None };
        let nearest = |phase: f64| {
            // The least m for which m π + phase is not clearly before the piece.
            let slack = 1e-6 * (1.0 + to.abs());
            let m = ((from - slack - phase) / PI).ceil();
            (m * PI + phase <= to + slack).then_some(m)
        };
        let sign = |m: f64| if m.rem_euclid(2.0) == 0.0 { 1.0 } else { -1.0 };
        match curve {
            Curve::Sin => nearest(FRAC_PI_2).map(|m| Bend::Extremum(sign(m))),
            Curve::Cos => nearest(0.0).map(|m| Bend::Extremum(sign(m))),
            Curve::Tan => nearest(FRAC_PI_2).map(|_| Bend::Pole),
            _ => None,
        }
    }
}

enum Bend {
    Extremum(f64),
    Pole,
}

/// Whether a number is an odd integer.
fn is_odd(x: &Float) -> bool {
    let rounded = |x: &Float| x.round_to_integral(Rounding::TowardZero);
    let half = x.mul(
        &Float::from_f64(0.5).to_format(x.format(), Rounding::TowardZero),
        Rounding::TowardZero,
    );
    x.is_finite() && rounded(x).ieee_eq(x) && !rounded(&half).ieee_eq(&half)
}

/// Where a function goes one way only.
#[derive(Clone, PartialEq, Debug)]
pub struct Trend {
    /// From this argument on,
    pub from: Float,
    /// to this one.
    pub to: Float,
    /// Whether it rises there, or falls.
    pub rises: bool,
}

/// Arguments about one among which a function of one number is monotone, and so are its correctly rounded
/// results; none if none are known.
pub fn trend(curve: Curve, at: &Float) -> Option<Trend> {
    let format = at.format();
    let number = |x: f64, mode: Rounding| Float::from_f64(x).to_format(format, mode);
    let infinity = |negative: bool| Float::infinity(format, negative);
    let between = |from: f64, to: f64, rises: bool| Trend {
        from: number(from, Rounding::TowardPositive),
        to: number(to, Rounding::TowardNegative),
        rises,
    };
    let all = |rises: bool| Trend { from: infinity(true), to: infinity(false), rises };
    let near = at.to_format(Format::F64, Rounding::NearestEven).to_f64()?;
    Some(match curve {
        Curve::Sin | Curve::Cos | Curve::Tan => {
            let phase = if curve == Curve::Cos { 0.0 } else { -FRAC_PI_2 };
            let turn = ((near - phase) / PI).floor();
            // What lies close to the ends is left out: those are not exact.
            let slack = 1e-6 * (1.0 + near.abs());
            let (from, to) = (phase + turn * PI + slack, phase + (turn + 1.0) * PI - slack);
            if near.abs() > 1e4 || !(from..=to).contains(&near) {
                return None;
            }
            let even = turn.rem_euclid(2.0) == 0.0;
            let rises = curve == Curve::Tan || (curve == Curve::Sin) == even;
            between(from, to, rises)
        }
        Curve::Cosh if near >= 0.0 => {
            Trend { from: number(0.0, Rounding::TowardZero), ..all(true) }
        }
        Curve::Cosh => Trend { to: number(0.0, Rounding::TowardZero), ..all(false) },
        Curve::Acos | Curve::Asin | Curve::Atanh => between(-1.0, 1.0, curve != Curve::Acos),
        Curve::Acosh => Trend { from: Float::one(format, false), ..all(true) },
        Curve::Log | Curve::Log2 | Curve::Log10 => {
            Trend { from: number(0.0, Rounding::TowardZero), ..all(true) }
        }
        Curve::Log1p => Trend { from: Float::one(format, true), ..all(true) },
        Curve::Erfc => all(false),
        Curve::Atan2 | Curve::Hypot | Curve::Pow => return None,
        _ => all(true),
    })
}

/// The numbers as far as the error on both sides of a correctly rounded result.
pub fn around(result: &Float, error: u32) -> (Float, Float) {
    (moved(result, error, false), moved(result, error, true))
}

/// Angles up to two whole turns, finer in the first.
fn turns() -> Vec<f64> {
    let mut cuts = vec![0.0, 1.0 / 4096.0, 1.0 / 64.0];
    cuts.extend((1..=32).map(|k| f64::from(k) * PI / 16.0));
    cuts.extend((17..=32).map(|k| f64::from(k) * PI / 8.0));
    cuts
}

/// From a number up to one, finer towards both ends of the unit interval.
fn fractions(least: f64) -> Vec<f64> {
    let mut cuts = vec![0.0, 1.0 / 4096.0, 1.0 / 128.0];
    cuts.extend((1..16).map(|k| f64::from(k) / 16.0));
    cuts.extend([1.0 - 1.0 / 64.0, 1.0 - 1.0 / 1024.0, 1.0]);
    if least < 0.0 { both(cuts) } else { cuts }
}

/// Numbers of every magnitude from zero on, finer about one.
fn magnitudes() -> Vec<f64> {
    let power = |k: i32| 2f64.powi(k);
    let mut cuts = vec![0.0];
    cuts.extend([-1022, -512, -126, -64, -32, -23, -16, -12, -8, -6, -4, -3, -2].map(power));
    cuts.extend((3..32).map(|k| f64::from(k) / 8.0));
    cuts.extend([4.5, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 16.0, 24.0, 32.0, 64.0, 88.0, 100.0, 128.0]);
    cuts.extend([256.0, 512.0, 700.0, 1024.0, 4096.0]);
    cuts.extend([16, 24, 32, 64, 127, 512, 1023].map(power));
    cuts
}

/// The same on both sides of zero.
fn both(cuts: Vec<f64>) -> Vec<f64> {
    let negative = cuts.iter().rev().filter(|x| **x != 0.0).map(|x| -x);
    negative.chain(cuts.iter().copied()).collect()
}

/// A number some places further in the order of its format, which is computed; infinity at the end.
fn moved(number: &Float, places: u32, up: bool) -> Float {
    let format = number.format();
    let magnitude = |x: &Float| x.abs().to_bits().to_u64().map_or(0, |bits| bits as i64);
    let last = magnitude(&Float::infinity(format, false));
    let here = if number.is_negative() { -magnitude(number) } else { magnitude(number) };
    let places = if up { i64::from(places) } else { -i64::from(places) };
    let there = (here + places).clamp(-last, last);
    let bits = Bits::from_u64(64, there.unsigned_abs()).extract(format.width() - 1, 0);
    let moved = Float::from_bits(format, &bits);
    if there < 0 { moved.neg() } else { moved }
}

fn least<'f>(a: &'f Float, b: &'f Float) -> &'f Float {
    if a.compare(b) == Some(Ordering::Greater) { b } else { a }
}

fn greatest<'f>(a: &'f Float, b: &'f Float) -> &'f Float {
    if a.compare(b) == Some(Ordering::Less) { b } else { a }
}

impl Enclosure {
    /// The bounds of a function in a format, with an error in units in the last place; none if results
    /// in the format are not computed.
    pub fn new(shape: &Shape, format: Format, error: u32) -> Option<Enclosure> {
        if !Curve::is_computed(format) {
            return None;
        }
        let number = |x: f64| Float::from_f64(x).to_format(format, Rounding::NearestEven);
        let range = shape.range();
        let range = (number(range.0), number(range.1));
        let mut cuts: Vec<Float> = shape.cuts().into_iter().map(number).collect();
        cuts.retain(Float::is_finite);
        cuts.dedup_by(|a, b| a.ieee_eq(b));
        let symmetry = shape.symmetry();
        let about_all = symmetry == Symmetry::None && cuts.first().is_some_and(Float::is_negative);
        let from_below = about_all && !matches!(shape, Shape::Of(Curve::Acos | Curve::Log1p));
        let bounded = matches!(shape, Shape::Of(Curve::Acos | Curve::Asin | Curve::Atanh));
        let mut pieces = Vec::with_capacity(cuts.len() + 1);
        let mut from = if from_below { Float::infinity(format, true) } else { cuts.remove(0) };
        if matches!(shape, Shape::Of(Curve::Log1p)) {
            cuts.insert(0, from);
            from = number(-1.0);
        }
        if !bounded {
            cuts.push(Float::infinity(format, false));
        }
        for to in cuts {
            let (low, high) = bounds(shape, &from, &to, error, &range)?;
            pieces.push(Piece { to: to.clone(), low, high });
            from = to;
        }
        Some(Enclosure { symmetry, pieces })
    }

    /// Whether a result lies within the bounds.
    pub fn contains(&self, argument: &Float, result: &Float) -> bool {
        let negative = argument.is_negative();
        let (key, result) = match self.symmetry {
            Symmetry::None => (argument.clone(), result.clone()),
            Symmetry::Even => (argument.abs(), result.clone()),
            Symmetry::Odd if negative => (argument.abs(), result.neg()),
            Symmetry::Odd => (argument.clone(), result.clone()),
        };
        let piece = self.pieces.iter().find(|piece| key.leq(&piece.to));
        let Some(piece) = piece.or(self.pieces.last()) else { return false };
        piece.low.leq(&result) && result.leq(&piece.high)
    }
}

/// Bounds of the results of arguments between two.
fn bounds(
    shape: &Shape,
    from: &Float,
    to: &Float,
    error: u32,
    range: &(Float, Float),
) -> Option<(Float, Float)> {
    let format = from.format();
    let wide = |x: &Float| x.to_format(Format::F64, Rounding::NearestEven).to_f64();
    let beyond = to.is_infinite() && shape.bend(wide(from)?, wide(from)? + 4.0).is_some();
    let bend = match beyond {
        true => Some(Bend::Pole),
        false => shape.bend(wide(from)?, wide(to)?),
    };
    if let Some(Bend::Pole) = bend {
        return Some(range.clone());
    }
    let (first, last) = (shape.value(from)?, shape.value(to)?);
    let (mut low, mut high) = (least(&first, &last).clone(), greatest(&first, &last).clone());
    if let Some(Bend::Extremum(value)) = bend {
        let value = Float::from_f64(value).to_format(format, Rounding::NearestEven);
        (low, high) = (least(&low, &value).clone(), greatest(&high, &value).clone());
    }
    // The function is zero there and nowhere near: results keep its sign.
    let root = |argument: &Float, result: &Float| {
        result.is_zero() && (argument.is_zero() || argument.ieee_eq(&Float::one(format, false)))
    };
    let flat = first.ieee_eq(&last);
    let sure = |bound: &Float| {
        let of_first = root(from, &first) && bound.ieee_eq(&first);
        let of_last = root(to, &last) && bound.ieee_eq(&last);
        !flat && (of_first || of_last)
    };
    let below = if sure(&low) { low.clone() } else { moved(&low, error, false) };
    let above = if sure(&high) { high.clone() } else { moved(&high, error, true) };
    Some((greatest(&below, &range.0).clone(), least(&above, &range.1).clone()))
}
