//! Bounds of differences of two variables: x − y ≤ c, as a matrix (A. Miné: *A new numerical
//! abstract domain based on difference-bound matrices*, PADO 2001).
//!
//! Variables are taken as integers, which wrapping bit-vectors are not; extensions of a variable
//! stand for the variable. So what comes out is a guess, to be proved on bit-vectors
//! ([`crate::houdini`]).

use crate::fixpoint::{Domain, terms};
use program::Cfa;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{conjuncts, disjuncts, subterms};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// The most variables that are compared.
const MAX_VARIABLES: usize = 24;
/// The most alternatives of an assumption that are followed.
const MAX_CASES: usize = 4;
/// No bound.
const NONE: i64 = i64::MAX;
/// Numbers beyond this are no bounds: sums of them stay far from the ends of the type.
const LARGEST: i64 = 1 << 60;

fn plus(a: i64, b: i64) -> i64 {
    match a == NONE || b == NONE {
        true => NONE,
        false => match a + b {
            sum if sum.abs() > LARGEST => NONE,
            sum => sum,
        },
    }
}

/// x_i − x_j ≤ entry (i, j), where x_0 is zero. An empty matrix knows nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zone {
    bounds: Vec<i64>,
}

/// A variable (or zero, for 0) and a number: their sum.
type Linear = (usize, i64);

/// The domain.
pub struct Zones<'a> {
    pool: &'a Pool,
    variables: Vec<Term>,
    /// The place of each in a matrix; zero has place 0.
    places: FxHashMap<Term, usize>,
    work: usize,
}

impl<'a> Zones<'a> {
    /// The domain for the variables of an automaton that are counted with and compared: of those,
    /// the ones mentioned most.
    pub fn new(pool: &'a Pool, cfa: &Cfa) -> Self {
        let mut mentioned: FxHashMap<Term, usize> = FxHashMap::default();
        for term in subterms(pool, &terms(cfa)) {
            let relates =
                matches!(pool.op(term), Op::BvAdd | Op::BvSub | Op::BvUlt | Op::BvSlt | Op::Eq);
            for argument in pool.args(term).iter().filter(|_| relates) {
                let base = stripped(pool, *argument);
                if matches!((pool.op(base), pool.sort(base)), (Op::Var(_), Sort::BitVec(2..=64))) {
                    *mentioned.entry(base).or_default() += 1;
                }
            }
        }
        mentioned.retain(|variable, _| cfa.variables.contains_key(variable));
        let mut order: Vec<(usize, Term)> = mentioned.into_iter().map(|(v, n)| (n, v)).collect();
        order.sort_unstable_by_key(|(count, variable)| (std::cmp::Reverse(*count), *variable));
        order.truncate(MAX_VARIABLES);
        let variables: Vec<Term> = order.into_iter().map(|(_, variable)| variable).collect();
        let places = variables.iter().enumerate().map(|(i, v)| (*v, i + 1)).collect();
        Zones { pool, variables, places, work: 0 }
    }

    /// How many variables are compared.
    pub fn count(&self) -> usize {
        self.variables.len()
    }

    fn size(&self) -> usize {
        self.variables.len() + 1
    }

    fn at(&self, zone: &Zone, i: usize, j: usize) -> i64 {
        match zone.bounds.is_empty() {
            true if i == j => 0,
            true => NONE,
            false => zone.bounds[i * self.size() + j],
        }
    }

    fn fill(&self, zone: &mut Zone) {
        if zone.bounds.is_empty() {
            let size = self.size();
            zone.bounds = vec![NONE; size * size];
            for i in 0..size {
                zone.bounds[i * size + i] = 0;
            }
        }
    }

    /// Adds x_i − x_j ≤ c and what follows from it; false if that is impossible.
    fn constrain(&mut self, zone: &mut Zone, i: usize, j: usize, c: i64) -> bool {
        if i == j {
            return c >= 0;
        }
        if c.abs() > LARGEST || self.at(zone, i, j) <= c {
            return true;
        }
        self.fill(zone);
        let size = self.size();
        self.work += size * size;
        if plus(self.at(zone, j, i), c) < 0 {
            return false;
        }
        for a in 0..size {
            let to_i = plus(self.at(zone, a, i), c);
            if to_i == NONE {
                continue;
            }
            for b in 0..size {
                let bound = plus(to_i, self.at(zone, j, b));
                let entry = &mut zone.bounds[a * size + b];
                *entry = bound.min(*entry);
            }
        }
        true
    }

    fn forget(&self, zone: &mut Zone, i: usize) {
        if zone.bounds.is_empty() {
            return;
        }
        let size = self.size();
        for j in (0..size).filter(|j| *j != i) {
            zone.bounds[i * size + j] = NONE;
            zone.bounds[j * size + i] = NONE;
        }
    }

    /// A term as a variable and a number.
    fn linear(&self, term: Term, signed: bool) -> Option<Linear> {
        let pool = self.pool;
        let term = stripped(pool, term);
        if let Some(place) = self.places.get(&term) {
            return Some((*place, 0));
        }
        let number = |term: Term, signed: bool| {
            let bits = pool.as_bits(term)?;
            match signed {
                true => bits.to_i64(),
                false => bits.to_u64().and_then(|n| i64::try_from(n).ok()),
            }
        };
        if let Some(number) = number(term, signed) {
            return Some((0, number));
        }
        let (op, &[a, b]) = (pool.op(term), pool.args(term)) else { return None };
        let variable = |term: Term| self.places.get(&stripped(pool, term)).copied();
        match op {
            Op::BvAdd => match (variable(a), variable(b)) {
                (Some(place), None) => Some((place, number(b, true)?)),
                (None, Some(place)) => Some((place, number(a, true)?)),
                _ => None,
            },
            Op::BvSub => Some((variable(a)?, number(b, true)?.checked_neg()?)),
            _ => None,
        }
    }

    /// a + gap ≤ b
    fn order(&mut self, zone: &mut Zone, a: Linear, b: Linear, gap: i64) -> bool {
        match b.1.checked_sub(a.1).and_then(|c| c.checked_sub(gap)) {
            Some(c) => self.constrain(zone, a.0, b.0, c),
            None => true,
        }
    }

    /// What is known if one of some literals holds.
    fn assume_one(&mut self, cases: &[Term], zone: Zone) -> Option<Zone> {
        if cases.len() > MAX_CASES {
            return Some(zone);
        }
        let mut all: Option<Zone> = None;
        for &case in cases {
            let (positive, atom) = match self.pool.op(case) {
                Op::Not => (false, self.pool.args(case)[0]),
                _ => (true, case),
            };
            let Some(one) = self.assume_literal(atom, positive, zone.clone()) else { continue };
            match &mut all {
                Some(all) => {
                    self.join(all, &one);
                }
                None => all = Some(one),
            }
        }
        all
    }

    fn assume_literal(&mut self, atom: Term, positive: bool, mut zone: Zone) -> Option<Zone> {
        let pool = self.pool;
        let (op, &[a, b]) = (pool.op(atom), pool.args(atom)) else { return Some(zone) };
        let signed = *op != Op::BvUlt;
        let (Some(a), Some(b)) = (self.linear(a, signed), self.linear(b, signed)) else {
            return Some(zone);
        };
        let possible = match (op, positive) {
            (Op::BvUlt | Op::BvSlt, true) => self.order(&mut zone, a, b, 1),
            (Op::BvUlt | Op::BvSlt, false) => self.order(&mut zone, b, a, 0),
            (Op::Eq, true) => self.order(&mut zone, a, b, 0) && self.order(&mut zone, b, a, 0),
            (Op::Eq, false) => {
                // x_i − x_j ≠ d: a bound that is d is one less.
                let apart = |zone: &Zone, a: Linear, b: Linear| {
                    b.1.checked_sub(a.1) == Some(self.at(zone, a.0, b.0))
                };
                let (low, high) = (apart(&zone, b, a), apart(&zone, a, b));
                (!high || self.order(&mut zone, a, b, 1))
                    && (!low || self.order(&mut zone, b, a, 1))
            }
            _ => true,
        };
        possible.then_some(zone)
    }

    fn assign_linear(&mut self, x: usize, term: Term, mut zone: Zone) -> Zone {
        match self.linear(term, true) {
            Some((y, c)) if y == x => {
                self.fill(&mut zone);
                let size = self.size();
                for j in (0..size).filter(|j| *j != x) {
                    zone.bounds[x * size + j] = plus(zone.bounds[x * size + j], c);
                    zone.bounds[j * size + x] = plus(zone.bounds[j * size + x], -c);
                }
            }
            Some(value) => {
                self.forget(&mut zone, x);
                self.order(&mut zone, (x, 0), value, 0);
                self.order(&mut zone, value, (x, 0), 0);
            }
            None => self.forget(&mut zone, x),
        }
        zone
    }

    /// Bounds of differences as formulas about the given variables.
    pub fn formulas(&self, zone: &Zone, spoken: &FxHashSet<Term>) -> Vec<Term> {
        let pool = self.pool;
        let mut found = Vec::new();
        for (i, &x) in self.variables.iter().enumerate() {
            for (j, &y) in self.variables.iter().enumerate() {
                let (i, j) = (i + 1, j + 1);
                let c = self.at(zone, i, j);
                let comparable = i != j
                    && pool.sort(x) == pool.sort(y)
                    && spoken.contains(&x)
                    && spoken.contains(&y);
                // What follows from bounds of the two variables is said elsewhere.
                if !comparable || c >= plus(self.at(zone, i, 0), self.at(zone, 0, j)) {
                    continue;
                }
                let width = pool.width(x);
                let number = pool.bits(Bits::from_i64(width, c));
                if self.at(zone, j, i) == -c {
                    if i < j {
                        found.push(pool.eq(x, pool.bv_add(y, number)));
                    }
                    continue;
                }
                match c {
                    0 => found.extend([pool.bv_sle(x, y), pool.bv_ule(x, y)]),
                    -1 => found.extend([pool.bv_slt(x, y), pool.bv_ult(x, y)]),
                    _ => {
                        let shifted = pool.bv_add(y, number);
                        found.extend([pool.bv_sle(x, shifted), pool.bv_ule(x, shifted)]);
                        found.push(pool.bv_sle(pool.bv_sub(x, y), number));
                    }
                }
            }
        }
        found
    }
}

/// A term without extensions around it.
fn stripped(pool: &Pool, mut term: Term) -> Term {
    while let Op::BvZeroExtend(_) | Op::BvSignExtend(_) = pool.op(term) {
        term = pool.args(term)[0];
    }
    term
}

impl Domain for Zones<'_> {
    type Knowledge = Zone;

    fn assume(&mut self, formula: Term, mut zone: Zone) -> Option<Zone> {
        let pool = self.pool;
        for conjunct in conjuncts(pool, formula) {
            if pool.as_bool(conjunct) == Some(false) {
                return None;
            }
            let (positive, atom) = match pool.op(conjunct) {
                Op::Not => (false, pool.args(conjunct)[0]),
                _ => (true, conjunct),
            };
            zone = match (pool.op(atom), positive) {
                (Op::Or, true) => self.assume_one(&disjuncts(pool, atom), zone)?,
                (Op::And, false) => {
                    let negated: Vec<Term> =
                        conjuncts(pool, atom).into_iter().map(|c| pool.not(c)).collect();
                    self.assume_one(&negated, zone)?
                }
                _ => self.assume_literal(atom, positive, zone)?,
            };
        }
        Some(zone)
    }

    fn assign(&mut self, variable: Term, term: Term, mut zone: Zone) -> Option<Zone> {
        let pool = self.pool;
        let Some(&x) = self.places.get(&variable) else { return Some(zone) };
        if let (Op::Ite, &[condition, then, otherwise]) = (pool.op(term), pool.args(term)) {
            let yes = self.assume(condition, zone.clone());
            let no = self.assume(pool.not(condition), zone);
            let yes = yes.map(|zone| self.assign_linear(x, then, zone));
            let no = no.map(|zone| self.assign_linear(x, otherwise, zone));
            return match (yes, no) {
                (Some(mut yes), Some(no)) => {
                    self.join(&mut yes, &no);
                    Some(yes)
                }
                (yes, no) => yes.or(no),
            };
        }
        zone = self.assign_linear(x, term, zone);
        Some(zone)
    }

    fn havoc(&mut self, variable: Term, mut zone: Zone) -> Zone {
        if let Some(&place) = self.places.get(&variable) {
            self.forget(&mut zone, place);
        }
        zone
    }

    fn join(&mut self, known: &mut Zone, other: &Zone) -> bool {
        self.combine(known, other, |new| new)
    }

    /// A bound that grows goes to zero if it is below, else it is given up.
    fn widen(&mut self, known: &mut Zone, other: &Zone) -> bool {
        self.combine(known, other, |new| if new <= 0 { 0 } else { NONE })
    }

    fn keep(&mut self, known: &mut Zone, kept: &FxHashSet<Term>) {
        for (i, variable) in self.variables.iter().enumerate() {
            if !kept.contains(variable) {
                self.forget(known, i + 1);
            }
        }
    }

    fn work(&self) -> usize {
        self.work
    }
}

impl Zones<'_> {
    /// Where the other's bound is larger, takes what `grow` makes of it.
    fn combine(&self, known: &mut Zone, other: &Zone, grow: impl Fn(i64) -> i64) -> bool {
        if known.bounds.is_empty() {
            return false;
        }
        let (size, mut changed) = (self.size(), false);
        for i in 0..size {
            for j in 0..size {
                let new = self.at(other, i, j);
                let entry = &mut known.bounds[i * size + j];
                if new > *entry {
                    *entry = grow(new);
                    changed = true;
                }
            }
        }
        changed
    }
}
