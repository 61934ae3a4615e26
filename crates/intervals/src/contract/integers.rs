//! Operators of integers that wrap: a relation of numbers without bound, and one branch for each
//! number of times that the result wraps.
//!
//! Either reading of the vectors will do; numbers are what their keys stand for in it.

use super::{Boxes, Empty};
use crate::keys::{Domain, Interval, Key, sign_bit};
use smallvec::SmallVec;

/// The widest vectors that are contracted here: their products are computed with 128 bits.
pub(super) const WIDEST: u32 = 64;

/// The most branches that are looked at.
const BRANCHES: i128 = 5;

/// An interval of numbers; empty if `low` is above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub low: i128,
    pub high: i128,
}

impl Range {
    pub fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    pub fn meet(self, other: Range) -> Range {
        Range { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    pub fn has(self, number: i128) -> bool {
        self.low <= number && number <= self.high
    }

    fn join(self, other: Range) -> Range {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Range { low: self.low.min(other.low), high: self.high.max(other.high) }
        }
    }

    fn shifted(self, by: i128) -> Range {
        Range { low: self.low + by, high: self.high + by }
    }
}

const NOTHING: Range = Range { low: 1, high: 0 };

/// What key 0 stands for.
fn origin(domain: Domain) -> i128 {
    match domain {
        Domain::Signed(width) => -(sign_bit(width) as i128),
        _ => 0,
    }
}

fn width(domain: Domain) -> u32 {
    match domain {
        Domain::Unsigned(width) | Domain::Signed(width) => width,
        _ => unreachable!("typing: a bit-vector"),
    }
}

/// The numbers of an interval of keys.
pub(super) fn numbers(domain: Domain, interval: Interval) -> Range {
    let origin = origin(domain);
    Range { low: interval.low as i128 + origin, high: interval.high as i128 + origin }
}

/// The keys of numbers; none if there are none.
pub(super) fn keys(domain: Domain, range: Range) -> Interval {
    if range.is_empty() {
        return Interval::EMPTY;
    }
    let origin = origin(domain);
    Interval::new((range.low - origin) as Key, (range.high - origin) as Key)
}

/// The sums of two ranges, as far as they are in a third; narrows all.
fn added(a: Range, b: Range, sum: Range) -> Option<[Range; 3]> {
    let sum = sum.meet(Range::new(a.low + b.low, a.high + b.high));
    let a = a.meet(Range::new(sum.low - b.high, sum.high - b.low));
    let b = b.meet(Range::new(sum.low - a.high, sum.high - a.low));
    (!sum.is_empty() && !a.is_empty() && !b.is_empty()).then_some([a, b, sum])
}

/// a + b ≡ c modulo 2^w, where `places` has a, b and c.
pub(super) fn sum(
    domains: &[Domain],
    intervals: &mut [Interval],
    places: [usize; 3],
) -> Result<(), Empty> {
    let ranges = places.map(|i| numbers(domains[i], intervals[i]));
    let narrowed = wrapped_sum(ranges, 1 << width(domains[0]))?;
    for (place, range) in places.into_iter().zip(narrowed) {
        intervals[place] = keys(domains[place], range);
    }
    Ok(())
}

fn wrapped_sum([a, b, c]: [Range; 3], modulus: i128) -> Result<[Range; 3], Empty> {
    let first = (a.low + b.low - c.high).div_euclid(modulus);
    let last = (a.high + b.high - c.low).div_euclid(modulus);
    let mut joined = [NOTHING; 3];
    for wraps in first..=last {
        let by = wraps * modulus;
        if let Some([x, y, sum]) = added(a, b, c.shifted(by)) {
            for (all, part) in joined.iter_mut().zip([x, y, sum.shifted(-by)]) {
                *all = all.join(part);
            }
        }
    }
    if joined[0].is_empty() { Err(Empty) } else { Ok(joined) }
}

/// −a: a and its result add up to nothing.
pub(super) fn negation(domains: &[Domain], intervals: &mut [Interval]) -> Result<(), Empty> {
    let [result, a] = [0, 1].map(|i| numbers(domains[i], intervals[i]));
    let [result, a, _] = wrapped_sum([result, a, Range::new(0, 0)], 1 << width(domains[0]))?;
    intervals[0] = keys(domains[0], result);
    intervals[1] = keys(domains[1], a);
    Ok(())
}

/// The low bits of a number: it minus a multiple of the modulus.
pub(super) fn truncation(domains: &[Domain], intervals: &mut [Interval]) -> Result<(), Empty> {
    let [result, a] = [0, 1].map(|i| numbers(domains[i], intervals[i]));
    let modulus = 1i128 << width(domains[0]);
    let first = (a.low - result.high).div_euclid(modulus);
    let last = (a.high - result.low).div_euclid(modulus);
    if last - first > BRANCHES {
        return Ok(());
    }
    let mut joined = [NOTHING; 2];
    for wraps in first..=last {
        let part = a.meet(result.shifted(wraps * modulus));
        if !part.is_empty() {
            joined = [joined[0].join(part.shifted(-wraps * modulus)), joined[1].join(part)];
        }
    }
    intervals[0] = keys(domains[0], joined[0]);
    intervals[1] = keys(domains[1], joined[1]);
    Ok(())
}

/// The products of two ranges, if they can be computed.
fn products(a: Range, b: Range) -> Option<Range> {
    let corners = [
        a.low.checked_mul(b.low)?,
        a.low.checked_mul(b.high)?,
        a.high.checked_mul(b.low)?,
        a.high.checked_mul(b.high)?,
    ];
    let [low, high] = [corners.iter().min()?, corners.iter().max()?].map(|corner| *corner);
    // Headroom for what is added to them.
    (low > i128::MIN / 4 && high < i128::MAX / 4).then_some(Range { low, high })
}

/// The numbers whose product with one of `factor` is in `product`; `None` if all may be.
fn quotients(product: Range, factor: Range) -> Option<Range> {
    if product.has(0) && factor.has(0) {
        return None;
    }
    let mut joined = NOTHING;
    for part in [factor.meet(Range::new(i128::MIN, -1)), factor.meet(Range::new(1, i128::MAX))] {
        if part.is_empty() {
            continue;
        }
        let mut quotients = Range { low: i128::MAX, high: i128::MIN };
        for (n, d) in [
            (product.low, part.low),
            (product.low, part.high),
            (product.high, part.low),
            (product.high, part.high),
        ] {
            let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
            quotients.low = quotients.low.min(-((-n).div_euclid(d)));
            quotients.high = quotients.high.max(n.div_euclid(d));
        }
        joined = joined.join(quotients);
    }
    Some(joined)
}

/// a · b ≡ c modulo 2^w.
fn wrapped_product([c, a, b]: [Range; 3], modulus: i128) -> Result<[Range; 3], Empty> {
    let Some(all) = products(a, b) else { return Ok([c, a, b]) };
    let first = (all.low - c.high).div_euclid(modulus);
    let last = (all.high - c.low).div_euclid(modulus);
    if last - first > BRANCHES {
        return Ok([c, a, b]);
    }
    let mut joined = [NOTHING; 3];
    for wraps in first..=last {
        let product = all.meet(c.shifted(wraps * modulus));
        if product.is_empty() {
            continue;
        }
        let x = quotients(product, b).map_or(a, |range| a.meet(range));
        if x.is_empty() {
            continue;
        }
        let y = quotients(product, x).map_or(b, |range| b.meet(range));
        if y.is_empty() {
            continue;
        }
        let product = products(x, y).map_or(product, |range| product.meet(range));
        if product.is_empty() {
            continue;
        }
        for (all, part) in joined.iter_mut().zip([product.shifted(-wraps * modulus), x, y]) {
            *all = all.join(part);
        }
    }
    if joined[0].is_empty() { Err(Empty) } else { Ok(joined) }
}

/// c = a · b
pub(super) fn product(domains: &[Domain], intervals: &mut [Interval]) -> Result<(), Empty> {
    let ranges = [0, 1, 2].map(|i| numbers(domains[i], intervals[i]));
    let narrowed = wrapped_product(ranges, 1 << width(domains[0]))?;
    for (i, range) in narrowed.into_iter().enumerate() {
        intervals[i] = keys(domains[i], range);
    }
    Ok(())
}

/// The most shift distances that are looked at one by one.
const DISTANCES: Key = 8;

/// c = a shifted left by b, which is read unsigned.
pub(super) fn shift_left(domains: &[Domain], intervals: &mut [Interval]) -> Result<(), Empty> {
    let width = width(domains[0]);
    let by = intervals[2];
    let beyond = by.meet(Interval::new(Key::from(width), Key::MAX));
    let within = by.meet(Interval::new(0, Key::from(width) - 1));
    if !within.is_empty() && within.high - within.low >= DISTANCES {
        return Ok(());
    }
    let [c, a] = [0, 1].map(|i| numbers(domains[i], intervals[i]));
    let mut joined: Boxes = SmallVec::from_elem(Interval::EMPTY, 3);
    let mut add = |c: Range, a: Range, by: Interval| {
        for (all, part) in joined.iter_mut().zip([keys(domains[0], c), keys(domains[1], a), by]) {
            *all = all.join(part);
        }
    };
    if !beyond.is_empty() && c.has(0) {
        add(Range::new(0, 0), a, beyond);
    }
    if !within.is_empty() {
        for distance in within.low..=within.high {
            let factor = Range::new(1 << distance, 1 << distance);
            if let Ok([c, a, _]) = wrapped_product([c, a, factor], 1 << width) {
                add(c, a, Interval::point(distance));
            }
        }
    }
    if joined[0].is_empty() {
        return Err(Empty);
    }
    intervals.copy_from_slice(&joined);
    Ok(())
}
