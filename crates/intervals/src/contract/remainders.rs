//! Remainders: of unsigned and signed division, and the IEEE remainder.
//!
//! They are monotone on no few pieces, so their contractors are not exact before the arguments are
//! known: a remainder is less than the divisor, at most the dividend, and their difference a
//! multiple of the divisor where the quotient is known.

use super::integers::{Range, keys, numbers};
use super::{Boxes, Empty};
use crate::keys::{Domain, FloatKeys, Interval, Key};
use smallvec::SmallVec;

/// Which remainder of bit-vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Of unsigned numbers.
    Unsigned,
    /// With the sign of the dividend.
    Signed,
    /// With the sign of the divisor.
    Modulo,
}

/// Joins narrowed ranges of numbers.
struct Joined<'a> {
    domains: &'a [Domain],
    boxes: Boxes,
}

impl Joined<'_> {
    fn add(&mut self, ranges: [Range; 3]) {
        if ranges.iter().any(|range| range.is_empty()) {
            return;
        }
        for ((all, range), domain) in self.boxes.iter_mut().zip(ranges).zip(self.domains) {
            *all = all.join(keys(*domain, range));
        }
    }
}

const POSITIVE: Range = Range { low: 1, high: i128::MAX };
const NEGATIVE: Range = Range { low: i128::MIN, high: -1 };
const NOT_NEGATIVE: Range = Range { low: 0, high: i128::MAX };
const ZERO: Range = Range { low: 0, high: 0 };

/// Narrows the remainder, the dividend and the divisor.
pub(super) fn contract(
    kind: Kind,
    domains: &[Domain],
    intervals: &mut [Interval],
) -> Result<(), Empty> {
    let [r, x, y] = [0, 1, 2].map(|i| numbers(domains[i], intervals[i]));
    let mut joined = Joined { domains, boxes: SmallVec::from_elem(Interval::EMPTY, 3) };
    // Division by zero leaves the dividend.
    let same = r.meet(x);
    joined.add([same, same, y.meet(ZERO)]);
    match kind {
        Kind::Unsigned => {
            if let Some(ranges) = positive(r, x, y.meet(POSITIVE)) {
                joined.add(ranges);
            }
        }
        Kind::Signed => {
            for x_sign in [1, -1] {
                for y_sign in [1, -1] {
                    let (x_part, r_part) = if x_sign == 1 {
                        (x.meet(NOT_NEGATIVE), r.meet(NOT_NEGATIVE))
                    } else {
                        (signed(x.meet(NEGATIVE), -1), signed(r, -1).meet(NOT_NEGATIVE))
                    };
                    let y_part = signed(y, y_sign).meet(POSITIVE);
                    if let Some([r, x, y]) = positive(r_part, x_part, y_part) {
                        joined.add([signed(r, x_sign), signed(x, x_sign), signed(y, y_sign)]);
                    }
                }
            }
        }
        Kind::Modulo => {
            let above = y.meet(POSITIVE);
            joined.add(modulo(r, x, above));
            let below = signed(y.meet(NEGATIVE), -1);
            let [r, x, y] = modulo(signed(r, -1), signed(x, -1), below);
            joined.add([signed(r, -1), signed(x, -1), signed(y, -1)]);
        }
    }
    if joined.boxes[0].is_empty() {
        return Err(Empty);
    }
    intervals.copy_from_slice(&joined.boxes);
    Ok(())
}

/// The range times 1 or −1.
fn signed(range: Range, sign: i128) -> Range {
    if sign == 1 || range.is_empty() {
        return range;
    }
    Range::new(range.high.saturating_neg(), range.low.saturating_neg())
}

/// r = x mod y of numbers that are not negative; y is positive.
fn positive(r: Range, x: Range, y: Range) -> Option<[Range; 3]> {
    let x = x.meet(NOT_NEGATIVE);
    if x.is_empty() || y.is_empty() {
        return None;
    }
    let mut r = r.meet(Range::new(0, (y.high - 1).min(x.high)));
    let mut x = x.meet(Range::new(r.low, i128::MAX));
    let mut y = y.meet(Range::new(r.low.saturating_add(1), i128::MAX));
    if r.is_empty() || x.is_empty() || y.is_empty() {
        return None;
    }
    let quotient = x.low / y.high;
    if quotient == x.high / y.low {
        // x = q·y + r
        let product = Range::new(quotient * y.low, quotient * y.high);
        r = r.meet(Range::new(x.low - product.high, x.high - product.low));
        x = x.meet(Range::new(product.low + r.low, product.high + r.high));
        if quotient > 0 {
            let (least, most) = (x.low - r.high, x.high - r.low);
            y = y.meet(Range::new(-((-least).div_euclid(quotient)), most.div_euclid(quotient)));
        }
    }
    Some([r, x, y])
}

/// r = x modulo y with 0 ≤ r < y.
fn modulo(r: Range, x: Range, y: Range) -> [Range; 3] {
    if y.is_empty() || r.is_empty() {
        return [r, x, y];
    }
    if x.low >= 0 {
        return positive(r, x, y).unwrap_or([Range::new(1, 0), x, y]);
    }
    let r = r.meet(Range::new(0, y.high - 1));
    [r, x, y.meet(Range::new(r.low.saturating_add(1), i128::MAX))]
}

/// The IEEE remainder: no further from zero than either argument, NaN of infinities and by zeros.
pub(super) fn float(domains: &[Domain], intervals: &mut [Interval]) -> Result<(), Empty> {
    let Domain::Float(format) = domains[0] else { unreachable!("typing: a float") };
    let keys = FloatKeys::new(format);
    let nan = keys.nan();
    let (x, y) = (intervals[1], intervals[2]);
    let zeros = Interval::new(keys.minus_zero(), keys.plus_zero());
    let infinite = |interval: Interval| interval.contains(0) || interval.high > nan - 2;
    let may_be_nan = infinite(x) || y.high == nan || !y.meet(zeros).is_empty();
    // The numbers that x and y can be where the remainder is one.
    let finite = x.meet(Interval::new(1, nan - 2));
    let divisors = y.meet(Interval::new(0, nan - 1));
    let mut numbers = Interval::EMPTY;
    if !finite.is_empty() && !divisors.is_empty() {
        let largest = magnitude(keys, finite).min(magnitude(keys, divisors));
        numbers = Interval::new(keys.minus_zero() - largest, keys.plus_zero() + largest);
    }
    let mut result = intervals[0].meet(numbers);
    if may_be_nan && intervals[0].high == nan {
        result = result.join(Interval::point(nan));
    } else {
        // Not NaN: x is finite and y a number other than zero.
        intervals[1] = finite;
        intervals[2] = divisors;
        for zero in [keys.minus_zero(), keys.plus_zero(), keys.minus_zero()] {
            let y = &mut intervals[2];
            if y.low == zero {
                y.low += 1;
            }
            if y.high == zero {
                y.high -= 1;
            }
        }
    }
    intervals[0] = result;
    if intervals[..3].iter().any(|interval| interval.is_empty()) { Err(Empty) } else { Ok(()) }
}

/// The greatest distance from zero.
fn magnitude(keys: FloatKeys, interval: Interval) -> Key {
    let below = keys.minus_zero().saturating_sub(interval.low);
    below.max(interval.high.saturating_sub(keys.plus_zero()))
}
