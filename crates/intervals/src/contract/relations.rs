//! Comparisons, equality and choice: one branch for each outcome, joined.

use super::Empty;
use crate::keys::{Domain, FloatKeys, Interval, Key};

const FALSE: Key = 0;
const TRUE: Key = 1;

/// Joins what branches leave of boxes of three.
struct Branches<'a> {
    intervals: &'a mut [Interval],
    joined: [Interval; 3],
}

impl<'a> Branches<'a> {
    fn new(intervals: &'a mut [Interval]) -> Self {
        Branches { intervals, joined: [Interval::EMPTY; 3] }
    }

    /// A branch with these values, as far as they are possible.
    fn add(&mut self, branch: [Interval; 3]) {
        let mut met = branch;
        for (interval, possible) in met.iter_mut().zip(&*self.intervals) {
            *interval = interval.meet(*possible);
        }
        if met.iter().all(|interval| !interval.is_empty()) {
            for (all, part) in self.joined.iter_mut().zip(met) {
                *all = all.join(part);
            }
        }
    }

    fn done(self) -> Result<(), Empty> {
        if self.joined[0].is_empty() {
            return Err(Empty);
        }
        self.intervals.copy_from_slice(&self.joined);
        Ok(())
    }
}

/// The keys below and above others.
fn below(key: Key) -> Interval {
    key.checked_sub(1).map_or(Interval::EMPTY, |last| Interval::new(0, last))
}

fn above(key: Key) -> Interval {
    key.checked_add(1).map_or(Interval::EMPTY, |first| Interval::new(first, Key::MAX))
}

/// result ⇔ a < b, in the order of the keys.
pub(super) fn less(intervals: &mut [Interval]) -> Result<(), Empty> {
    let (a, b) = (intervals[1], intervals[2]);
    let mut branches = Branches::new(intervals);
    branches.add([Interval::point(TRUE), below(b.high), above(a.low)]);
    branches.add([
        Interval::point(FALSE),
        Interval::new(b.low, Key::MAX),
        Interval::new(0, a.high),
    ]);
    branches.done()
}

/// result ⇔ a = b, the same value.
pub(super) fn equal(intervals: &mut [Interval]) -> Result<(), Empty> {
    let (a, b) = (intervals[1], intervals[2]);
    let mut branches = Branches::new(intervals);
    let both = a.meet(b);
    branches.add([Interval::point(TRUE), both, both]);
    let mut different = [a, b];
    for (one, other) in [(0, b), (1, a)] {
        if let Some(key) = other.only() {
            different[one] = without(different[one], key);
        }
    }
    branches.add([Interval::point(FALSE), different[0], different[1]]);
    branches.done()
}

/// An interval without a key, if that is at an end.
fn without(interval: Interval, key: Key) -> Interval {
    if interval.only() == Some(key) {
        Interval::EMPTY
    } else if interval.low == key {
        Interval { low: key + 1, ..interval }
    } else if interval.high == key {
        Interval { high: key - 1, ..interval }
    } else {
        interval
    }
}

/// result = condition ? a : b
pub(super) fn choice(intervals: &mut [Interval]) -> Result<(), Empty> {
    let [result, condition, a, b] = *intervals else { unreachable!("typing: three arguments") };
    let mut joined = [Interval::EMPTY; 4];
    for (truth, chosen) in [(TRUE, result.meet(a)), (FALSE, result.meet(b))] {
        if !condition.contains(truth) || chosen.is_empty() {
            continue;
        }
        let branch = match truth {
            TRUE => [chosen, Interval::point(truth), chosen, b],
            _ => [chosen, Interval::point(truth), a, chosen],
        };
        for (all, part) in joined.iter_mut().zip(branch) {
            *all = all.join(part);
        }
    }
    if joined[0].is_empty() {
        return Err(Empty);
    }
    intervals.copy_from_slice(&joined);
    Ok(())
}

/// A comparison of floats, in which NaN is nothing's equal and zeros are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    keys: FloatKeys,
    relation: Relation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Less,
    AtMost,
    Equal,
}

impl Comparison {
    fn new(domain: Domain, relation: Relation) -> Comparison {
        let Domain::Float(format) = domain else { unreachable!("typing: a float") };
        Comparison { keys: FloatKeys::new(format), relation }
    }

    pub fn less(domain: Domain) -> Comparison {
        Comparison::new(domain, Relation::Less)
    }

    pub fn at_most(domain: Domain) -> Comparison {
        Comparison::new(domain, Relation::AtMost)
    }

    pub fn equal(domain: Domain) -> Comparison {
        Comparison::new(domain, Relation::Equal)
    }

    /// The keys of numbers at least, or at most, as great as one; zeros are as great as each other.
    fn from(self, key: Key) -> Interval {
        let first = if key == self.keys.plus_zero() { key - 1 } else { key };
        Interval::new(first, self.keys.plus_infinity())
    }

    fn up_to(self, key: Key) -> Interval {
        let last = if key == self.keys.minus_zero() { key + 1 } else { key };
        Interval::new(0, last.min(self.keys.plus_infinity()))
    }

    fn greater(self, key: Key) -> Interval {
        let last = self.up_to(key).high;
        Interval::new(last + 1, self.keys.plus_infinity())
    }

    fn smaller(self, key: Key) -> Interval {
        below(self.from(key).low)
    }

    /// Narrows the truth value and both floats.
    pub fn contract(self, intervals: &mut [Interval]) -> Result<(), Empty> {
        let nan = Interval::point(self.keys.nan());
        let numbers = Interval::new(0, self.keys.plus_infinity());
        let (a, b) = (intervals[1], intervals[2]);
        let (x, y) = (a.meet(numbers), b.meet(numbers));
        let (yes, no) = (Interval::point(TRUE), Interval::point(FALSE));
        let mut branches = Branches::new(intervals);
        branches.add([no, nan, b]);
        branches.add([no, a, nan]);
        if x.is_empty() || y.is_empty() {
            return branches.done();
        }
        match self.relation {
            Relation::Less => {
                branches.add([yes, x.meet(self.smaller(y.high)), y.meet(self.greater(x.low))]);
                branches.add([no, x.meet(self.from(y.low)), y.meet(self.up_to(x.high))]);
            }
            Relation::AtMost => {
                branches.add([yes, x.meet(self.up_to(y.high)), y.meet(self.from(x.low))]);
                branches.add([no, x.meet(self.greater(y.low)), y.meet(self.smaller(x.high))]);
            }
            Relation::Equal => {
                let meeting = [
                    x.meet(self.from(y.low)).meet(self.up_to(y.high)),
                    y.meet(self.from(x.low)).meet(self.up_to(x.high)),
                ];
                branches.add([yes, meeting[0], meeting[1]]);
                // One below the other, or above.
                branches.add([no, x.meet(self.smaller(y.high)), y.meet(self.greater(x.low))]);
                branches.add([no, x.meet(self.greater(y.low)), y.meet(self.smaller(x.high))]);
            }
        }
        branches.done()
    }
}
