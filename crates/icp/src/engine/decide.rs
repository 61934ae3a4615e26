//! Decisions: which variable, and where its interval is split.
//!
//! Variables that took part in conflicts come first (VSIDS). A Boolean gets the value that it had
//! last. An interval is split: what is not a number or infinite is put off first (after some
//! restarts it is tried first instead); then it is halved by value, and now and then by key, which
//! halves the exponents of floats. After some splits of one variable the search tries a point
//! instead, first the value that the variable had last, as most formulas that have a model have
//! many; half of the restarts do so from the beginning.

use super::Engine;
use super::heap::Heap;
use super::trail::{Entry, Reason};
use crate::lit::{Lit, Var};
use intervals::keys::{Domain, FloatKeys, Interval, Key};
use value::{Float, Rounding};

/// How often a variable is split before a point is tried.
const SPLITS: u32 = 6;
const DECAY: f64 = 1.0 / 0.95;
const RESCALE: f64 = 1e100;

/// See the file's head.
#[derive(Default)]
pub(super) struct Decider {
    heap: Heap,
    activity: Vec<f64>,
    increment: f64,
    allowed: Vec<bool>,
    /// The key that a variable had last, if there was one.
    phases: Vec<Option<Key>>,
    /// How many decisions of a variable stand.
    splits: Vec<u32>,
    /// Whether phases are tried before splits.
    pub points_first: bool,
    /// Whether infinities and NaN are tried before finite numbers.
    pub specials_first: bool,
}

impl Decider {
    pub fn new_var(&mut self, domain: Domain) {
        self.heap.new_var();
        // Truth values first, as long as nothing is known.
        self.activity.push(if domain == Domain::Truth { 1e-3 } else { 0.0 });
        self.allowed.push(false);
        self.phases.push(None);
        self.splits.push(0);
    }

    pub fn allow(&mut self, var: Var) {
        if !std::mem::replace(&mut self.allowed[var.index()], true) {
            self.heap.insert(var, &self.activity);
        }
    }

    /// A variable took part in a conflict.
    pub fn bump(&mut self, var: Var) {
        self.increment = self.increment.max(1.0);
        self.activity[var.index()] += self.increment;
        if self.activity[var.index()] > RESCALE {
            self.activity.iter_mut().for_each(|activity| *activity /= RESCALE);
            self.increment /= RESCALE;
        }
        self.heap.raised(var, &self.activity);
    }

    pub fn decay(&mut self) {
        self.increment *= DECAY;
    }

    /// A bound of an interval is taken back.
    pub fn undone(&mut self, entry: &Entry, interval: Interval) {
        let var = entry.lit.var;
        let place = var.index();
        if self.allowed[place] {
            self.heap.insert(var, &self.activity);
            self.phases[place] = interval.only().or(self.phases[place]);
        }
        if entry.reason == Reason::Decision {
            self.splits[place] = self.splits[place].saturating_sub(1);
        }
    }

    /// The value of a variable in a model is tried first from now on.
    pub fn remember(&mut self, var: Var, key: Key) {
        self.phases[var.index()] = Some(key);
    }

    /// Where a variable is split that can be all of an interval of several keys.
    fn split(&mut self, domain: Domain, var: Var, interval: Interval) -> Lit {
        let place = var.index();
        let Interval { low, high } = interval;
        if domain == Domain::Truth {
            return match self.phases[place] {
                Some(1) => Lit::at_least(var, 1),
                _ => Lit::at_most(var, 0),
            };
        }
        let splits = self.splits[place];
        self.splits[place] += 1;
        if let Domain::Float(format) = domain {
            let keys = FloatKeys::new(format);
            let last = keys.plus_infinity();
            if self.specials_first && high >= last && low < last {
                return Lit::at_least(var, last);
            }
            if self.specials_first && low == keys.minus_infinity() {
                return Lit::at_most(var, 0);
            }
            if high >= last && low < high {
                return Lit::at_most(var, (high - 1).min(last));
            }
            if low == keys.minus_infinity() {
                return Lit::at_least(var, 1);
            }
        }
        let phase = self.phases[place].filter(|key| interval.contains(*key));
        if let Some(key) = phase
            && (self.points_first || splits >= SPLITS)
        {
            return if low < key { Lit::at_least(var, key) } else { Lit::at_most(var, key) };
        }
        let middle = middle(domain, interval, splits);
        if splits >= SPLITS {
            self.phases[place] = Some(middle);
        }
        match phase {
            Some(key) if key <= middle => Lit::at_most(var, middle),
            None if splits.is_multiple_of(2) => Lit::at_most(var, middle),
            _ => Lit::at_least(var, middle + 1),
        }
    }
}

/// A key below the greatest of an interval, about where half of it is.
fn middle(domain: Domain, interval: Interval, splits: u32) -> Key {
    let Interval { low, high } = interval;
    let by_key = low + (high - low) / 2;
    let Domain::Float(format) = domain else { return by_key };
    if splits % 3 == 2 {
        return by_key;
    }
    let keys = FloatKeys::new(format);
    let mode = Rounding::NearestEven;
    let two = Float::one(format, false).add(&Float::one(format, false), mode);
    let [a, b] = [low, high].map(|key| keys.float(key).div(&two, mode));
    let by_value = keys.key(&a.add(&b, mode));
    if (low..high).contains(&by_value) { by_value } else { by_key }
}

impl Engine {
    /// A literal to decide; none if every variable that has to be decided is.
    pub(super) fn next_decision(&mut self) -> Option<Lit> {
        loop {
            let decider = &mut self.decider;
            let var = decider.heap.pop(&decider.activity)?;
            let interval = self.trail.interval(var);
            if interval.only().is_some() {
                continue;
            }
            // It may have to be split again.
            if self.domains[var.index()] != Domain::Truth {
                decider.heap.insert(var, &decider.activity);
                self.counters.splits += 1;
            }
            self.counters.decisions += 1;
            return Some(decider.split(self.domains[var.index()], var, interval));
        }
    }

    /// The current values are tried first from now on.
    pub(super) fn remember_point(&mut self) {
        for i in 0..self.domains.len() as u32 {
            let var = Var(i);
            if let Some(key) = self.trail.interval(var).only() {
                self.decider.remember(var, key);
            }
        }
    }
}
