//! What is known of each variable by itself: a range and a residue.
//!
//! Commands are executed on such knowledge: an assignment evaluates its term, an assumption
//! narrows the ranges of its variables forwards and backwards ([`intervals::formula`]), a choice
//! joins what its alternatives leave.

use crate::fixpoint::Domain;
use crate::residue::{Residue, Residues};
use intervals::Range;
use intervals::bits::BitRange;
use intervals::float::FloatRange;
use intervals::formula::Formula;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Pool, Sort, Term};

/// How often an assumption is propagated forwards and backwards.
const ROUNDS: usize = 3;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Known {
    /// Bounds.
    pub range: Range,
    /// The last bits, of a bit-vector.
    pub residue: Residue,
}

impl Known {
    fn nothing(sort: Sort) -> Known {
        Known { range: Range::full(sort), residue: Residue::default() }
    }

    fn join(self, other: Known) -> Known {
        let residue = self.residue.join(other.residue);
        Known { range: self.range.join(other.range), residue }
    }
}

/// What is known of variables; of one without an entry, nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    known: FxHashMap<Term, Known>,
}

impl Facts {
    /// What is known of a variable.
    pub fn get(&self, pool: &Pool, variable: Term) -> Known {
        let nothing = || Known::nothing(pool.sort(variable));
        self.known.get(&variable).copied().unwrap_or_else(nothing)
    }

    fn residue(&self, variable: Term) -> Residue {
        self.known.get(&variable).map_or(Residue::default(), |known| known.residue)
    }

    fn set(&mut self, pool: &Pool, variable: Term, known: Known) {
        if known == Known::nothing(pool.sort(variable)) {
            self.known.remove(&variable);
        } else {
            self.known.insert(variable, known);
        }
    }

    fn join(&mut self, pool: &Pool, other: &Facts) -> bool {
        self.merge(pool, other, &|old, new| old.join(new))
    }

    fn merge(
        &mut self,
        pool: &Pool,
        other: &Facts,
        combine: &dyn Fn(Known, Known) -> Known,
    ) -> bool {
        let mut changed = false;
        let variables: Vec<Term> = self.known.keys().copied().collect();
        for variable in variables {
            let (old, new) = (self.get(pool, variable), other.get(pool, variable));
            let joined = combine(old, new);
            if joined != old {
                changed = true;
                self.set(pool, variable, joined);
            }
        }
        changed
    }
}

/// Where bounds stop on their way to infinity: the constants of a program and their neighbours.
#[derive(Default, Debug)]
pub struct Thresholds {
    /// By width, as signed numbers, ascending.
    signed: FxHashMap<u32, Vec<i64>>,
    /// By width, as unsigned numbers, ascending.
    unsigned: FxHashMap<u32, Vec<u64>>,
}

impl Thresholds {
    /// The thresholds that these terms contain.
    pub fn new(pool: &Pool, terms: &[Term]) -> Thresholds {
        let mut found = Thresholds::default();
        for term in term::traverse::subterms(pool, terms) {
            let Some(bits) = pool.as_bits(term).filter(|bits| bits.width() <= 64) else { continue };
            let width = bits.width();
            let full = BitRange::full(width);
            if let Some(number) = bits.to_u64() {
                let near = [number.checked_sub(1), Some(number), number.checked_add(1)];
                let numbers = found.unsigned.entry(width).or_default();
                numbers.extend(near.into_iter().flatten().filter(|n| *n <= full.high));
            }
            if let Some(number) = bits.to_i64() {
                let near = [number.checked_sub(1), Some(number), number.checked_add(1)];
                let numbers = found.signed.entry(width).or_default();
                let fits = |n: &i64| (full.least..=full.most).contains(n);
                numbers.extend(near.into_iter().flatten().filter(fits));
            }
        }
        for numbers in found.signed.values_mut() {
            numbers.extend([0]);
            numbers.sort_unstable();
            numbers.dedup();
        }
        for numbers in found.unsigned.values_mut() {
            numbers.sort_unstable();
            numbers.dedup();
        }
        found
    }

    fn widen(&self, old: Known, new: Known) -> Known {
        let range = match (old.range, new.range) {
            (Range::Bits(old), Range::Bits(new)) => Range::Bits(self.widen_bits(old, new)),
            (Range::Float(old), Range::Float(new)) => Range::Float(widen_float(old, new)),
            (_, new) => new,
        };
        Known { range, ..new }
    }

    fn widen_bits(&self, old: BitRange, new: BitRange) -> BitRange {
        let full = BitRange::full(new.width);
        let signed = self.signed.get(&new.width).map_or(&[][..], |numbers| &numbers[..]);
        let unsigned = self.unsigned.get(&new.width).map_or(&[][..], |numbers| &numbers[..]);
        let mut wide = new;
        if new.low < old.low {
            wide.low = unsigned.iter().rev().find(|n| **n <= new.low).map_or(full.low, |n| *n);
        }
        if new.high > old.high {
            wide.high = unsigned.iter().find(|n| **n >= new.high).map_or(full.high, |n| *n);
        }
        if new.least < old.least {
            wide.least = signed.iter().rev().find(|n| **n <= new.least).map_or(full.least, |n| *n);
        }
        if new.most > old.most {
            wide.most = signed.iter().find(|n| **n >= new.most).map_or(full.most, |n| *n);
        }
        wide
    }
}

fn widen_float(old: FloatRange, new: FloatRange) -> FloatRange {
    let low = match new.low < old.low {
        true if new.low >= 0.0 => 0.0,
        true => f64::NEG_INFINITY,
        false => new.low,
    };
    let high = match new.high > old.high {
        true if new.high <= 0.0 => 0.0,
        true => f64::INFINITY,
        false => new.high,
    };
    FloatRange { low, high, ..new }
}

/// Ranges and residues as a domain; terms are prepared once.
pub struct Ranges<'a> {
    pool: &'a Pool,
    thresholds: Thresholds,
    formulas: FxHashMap<Term, Formula>,
    residues: Residues,
    /// How many subterms were evaluated.
    evaluations: usize,
}

impl Domain for Ranges<'_> {
    type Knowledge = Facts;

    fn assume(&mut self, term: Term, mut facts: Facts) -> Option<Facts> {
        let pool = self.pool;
        match pool.as_bool(term) {
            Some(true) => return Some(facts),
            Some(false) => return None,
            None => {}
        }
        let formula = self.formulas.entry(term).or_insert_with(|| Formula::new(pool, &[term]));
        self.evaluations += formula.len() * (1 + ROUNDS);
        let mut ranges = formula.unknown();
        for (variable, place) in formula.variables() {
            ranges[place] = facts.get(pool, variable).range;
        }
        ranges[formula.roots()[0]] = Range::TRUE;
        formula.propagate(&mut ranges, ROUNDS).ok()?;
        for (variable, place) in formula.variables() {
            let known = Known { range: ranges[place], ..facts.get(pool, variable) };
            facts.set(pool, variable, known);
        }
        let found = self.residues.assume(pool, term, &|variable| facts.residue(variable));
        for (variable, residue) in found {
            let known = facts.get(pool, variable);
            let residue = known.residue.meet(residue)?;
            facts.set(pool, variable, Known { residue, ..known });
        }
        Some(facts)
    }

    fn assign(&mut self, variable: Term, term: Term, mut facts: Facts) -> Option<Facts> {
        let known = self.evaluate(term, &facts)?;
        facts.set(self.pool, variable, known);
        Some(facts)
    }

    fn havoc(&mut self, variable: Term, mut facts: Facts) -> Facts {
        facts.known.remove(&variable);
        facts
    }

    fn join(&mut self, known: &mut Facts, other: &Facts) -> bool {
        known.join(self.pool, other)
    }

    /// What grows, grows to the next threshold.
    fn widen(&mut self, known: &mut Facts, other: &Facts) -> bool {
        let widen = |old: Known, new| self.thresholds.widen(old, old.join(new));
        known.merge(self.pool, other, &widen)
    }

    fn keep(&mut self, known: &mut Facts, kept: &FxHashSet<Term>) {
        known.known.retain(|variable, _| kept.contains(variable));
    }

    fn work(&self) -> usize {
        self.evaluations
    }
}

impl<'a> Ranges<'a> {
    /// The domain for a program with these terms.
    pub fn new(pool: &'a Pool, terms: &[Term]) -> Self {
        let thresholds = Thresholds::new(pool, terms);
        let (formulas, residues) = (FxHashMap::default(), Residues::default());
        Ranges { pool, thresholds, formulas, residues, evaluations: 0 }
    }

    /// What is known of a term's value; none if the facts contradict each other.
    fn evaluate(&mut self, term: Term, facts: &Facts) -> Option<Known> {
        let pool = self.pool;
        let formula = self.formulas.entry(term).or_insert_with(|| Formula::new(pool, &[term]));
        self.evaluations += formula.len();
        let mut ranges = formula.unknown();
        for (variable, place) in formula.variables() {
            ranges[place] = facts.get(pool, variable).range;
        }
        formula.forward(&mut ranges).ok()?;
        let range = ranges[formula.roots()[0]];
        let residue = self.residues.evaluate(pool, term, &|variable| facts.residue(variable));
        Some(Known { range, residue })
    }
}
