//! Linear equations that hold at locations (M. Karr: *Affine relationships among variables of a
//! program*, 1976).
//!
//! What is known of states is the smallest affine space that contains them: the span of vectors
//! (1, x₁, …, xₙ). Linear assignments map it, other assignments and inputs add a direction,
//! equations in assumptions cut it, alternatives are joined. The equations of a space are those
//! that all its vectors satisfy.
//!
//! Numbers are those of a finite field instead of rationals, so that they stay small; sums of small
//! multiples mean the same there and in bit-vectors. What comes out is a guess nevertheless.

use crate::fixpoint::{Domain, terms};
use crate::linear::Linear;
use program::Cfa;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{conjuncts, free_vars};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// The most variables that are related.
const MAX_VARIABLES: usize = 20;
/// The largest factor of an equation.
const LARGEST: u64 = 1 << 20;
/// By what an equation is multiplied, at most, to make its factors small.
const SCALES: u64 = 12;

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

/// a^(p − 2)
fn inverse(a: u64) -> u64 {
    let (mut result, mut square, mut exponent) = (1, a, PRIME - 2);
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        exponent /= 2;
    }
    result
}

type Row = Vec<u64>;

/// The span of some rows, in reduced echelon form; without rows given, all states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    rows: Option<Vec<Row>>,
}

/// Brings rows into reduced echelon form.
fn reduced(mut rows: Vec<Row>) -> Vec<Row> {
    let columns = rows.first().map_or(0, Vec::len);
    let mut done = 0;
    for column in 0..columns {
        let Some(at) = (done..rows.len()).find(|i| rows[*i][column] != 0) else { continue };
        rows.swap(done, at);
        let scale = inverse(rows[done][column]);
        rows[done].iter_mut().for_each(|entry| *entry = times(*entry, scale));
        let pivot = rows[done].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if i != done && factor != 0 {
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a = minus(*a, times(factor, *b)));
            }
        }
        done += 1;
    }
    rows.truncate(done);
    rows
}

/// The domain, for variables of one width.
pub struct Affine<'a> {
    pool: &'a Pool,
    width: u32,
    variables: Vec<Term>,
    /// The column of each; the first is that of the one.
    columns: FxHashMap<Term, usize>,
    work: usize,
}

impl<'a> Affine<'a> {
    /// A domain for each width of variables that are counted with.
    pub fn all(pool: &'a Pool, cfa: &Cfa) -> Vec<Affine<'a>> {
        let mut mentioned: FxHashMap<Term, usize> = FxHashMap::default();
        for variable in terms(cfa).iter().flat_map(|term| free_vars(pool, &[*term])) {
            *mentioned.entry(variable).or_default() += 1;
        }
        let mut by_width: FxHashMap<u32, Vec<(usize, Term)>> = FxHashMap::default();
        for (variable, count) in mentioned {
            if let Sort::BitVec(width @ 2..=64) = pool.sort(variable)
                && cfa.variables.contains_key(&variable)
            {
                by_width.entry(width).or_default().push((count, variable));
            }
        }
        let mut all: Vec<Affine<'a>> = Vec::new();
        for (width, mut found) in by_width {
            found.sort_unstable_by_key(|(count, variable)| (std::cmp::Reverse(*count), *variable));
            found.truncate(MAX_VARIABLES);
            let variables: Vec<Term> = found.into_iter().map(|(_, variable)| variable).collect();
            let columns = variables.iter().enumerate().map(|(i, v)| (*v, i + 1)).collect();
            all.push(Affine { pool, width, variables, columns, work: 0 });
        }
        all.retain(|domain| domain.variables.len() > 1);
        all.sort_by_key(|domain| domain.width);
        all
    }

    fn size(&self) -> usize {
        self.variables.len() + 1
    }

    fn rows(&self, space: &Space) -> Vec<Row> {
        space.rows.clone().unwrap_or_else(|| {
            let unit = |i| (0..self.size()).map(|j| u64::from(i == j)).collect();
            (0..self.size()).map(unit).collect()
        })
    }

    fn space(&mut self, rows: Vec<Row>) -> Space {
        self.work += rows.len() * rows.len() * self.size();
        let rows = reduced(rows);
        Space { rows: (rows.len() < self.size()).then_some(rows) }
    }

    /// A sum as factors of the columns.
    fn factors(&self, sum: &Linear) -> Option<Row> {
        if sum.width != self.width {
            return None;
        }
        let number = |n: u64| {
            let signed = Bits::from_u64(self.width, n).to_i64().unwrap_or(0);
            (i128::from(signed).rem_euclid(i128::from(PRIME))) as u64
        };
        let mut row = vec![0; self.size()];
        row[0] = number(sum.constant);
        for (term, factor) in &sum.terms {
            row[*self.columns.get(term)?] = number(*factor);
        }
        Some(row)
    }

    fn forget(&mut self, space: Space, column: usize) -> Space {
        let mut rows = self.rows(&space);
        rows.iter_mut().for_each(|row| row[column] = 0);
        rows.push((0..self.size()).map(|j| u64::from(j == column)).collect());
        self.space(rows)
    }

    fn assign_sum(&mut self, column: usize, term: Term, space: Space) -> Space {
        let factors = Linear::of(self.pool, term).and_then(|sum| self.factors(&sum));
        let Some(factors) = factors else { return self.forget(space, column) };
        let mut rows = self.rows(&space);
        for row in &mut rows {
            row[column] = product(row, &factors);
        }
        self.space(rows)
    }

    /// The equations of a space.
    pub fn formulas(&self, space: &Space) -> Vec<Term> {
        let Some(rows) = &space.rows else { return Vec::new() };
        let pivots: Vec<usize> =
            rows.iter().filter_map(|row| row.iter().position(|entry| *entry != 0)).collect();
        let mut found = Vec::new();
        for free in (0..self.size()).filter(|column| !pivots.contains(column)) {
            let mut factors = vec![0; self.size()];
            factors[free] = 1;
            for (row, &pivot) in rows.iter().zip(&pivots) {
                factors[pivot] = minus(0, row[free]);
            }
            found.extend(self.equation(&factors));
        }
        found
    }

    /// Σ factors · columns = 0 as a formula, if the factors are small.
    fn equation(&self, factors: &[u64]) -> Option<Term> {
        let small = |number: u64| match number {
            _ if number <= LARGEST => i64::try_from(number).ok(),
            _ if PRIME - number <= LARGEST => i64::try_from(PRIME - number).ok().map(|n| -n),
            _ => None,
        };
        let scaled = (1..=SCALES).find_map(|scale| {
            let all = factors.iter().map(|factor| small(times(*factor, scale)));
            all.collect::<Option<Vec<i64>>>()
        })?;
        let pool = self.pool;
        let number = |n: i64| pool.bits(Bits::from_i64(self.width, n));
        let (mut left, mut right) = (number(0), number(0));
        for (column, &factor) in scaled.iter().enumerate() {
            let term = match column {
                0 => number(factor.abs()),
                _ => pool.bv_mul(number(factor.abs()), self.variables[column - 1]),
            };
            match factor {
                1.. => left = pool.bv_add(left, term),
                0 => {}
                _ => right = pool.bv_add(right, term),
            }
        }
        Some(pool.eq(left, right))
    }
}

fn product(a: &[u64], b: &[u64]) -> u64 {
    let sum: u128 = a.iter().zip(b).map(|(a, b)| u128::from(times(*a, *b))).sum();
    (sum % u128::from(PRIME)) as u64
}

impl Domain for Affine<'_> {
    type Knowledge = Space;

    /// Cuts the space with the equations of the formula.
    fn assume(&mut self, formula: Term, mut space: Space) -> Option<Space> {
        if self.pool.as_bool(formula) == Some(false) {
            return None;
        }
        for conjunct in conjuncts(self.pool, formula) {
            let sum = Linear::of_equation(self.pool, conjunct);
            let Some(factors) = sum.and_then(|sum| self.factors(&sum)) else { continue };
            let mut rows = self.rows(&space);
            let Some(at) = rows.iter().position(|row| product(row, &factors) != 0) else {
                continue;
            };
            let pivot = rows.swap_remove(at);
            let scale = inverse(product(&pivot, &factors));
            for row in &mut rows {
                let factor = times(product(row, &factors), scale);
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a = minus(*a, times(factor, *b)));
            }
            if rows.iter().all(|row| row[0] == 0) {
                return None;
            }
            space = self.space(rows);
        }
        Some(space)
    }

    fn assign(&mut self, variable: Term, term: Term, space: Space) -> Option<Space> {
        let Some(&column) = self.columns.get(&variable) else { return Some(space) };
        if let (Op::Ite, &[_, then, otherwise]) = (self.pool.op(term), self.pool.args(term)) {
            let mut yes = self.assign_sum(column, then, space.clone());
            let no = self.assign_sum(column, otherwise, space);
            self.join(&mut yes, &no);
            return Some(yes);
        }
        Some(self.assign_sum(column, term, space))
    }

    fn havoc(&mut self, variable: Term, space: Space) -> Space {
        match self.columns.get(&variable).copied() {
            Some(column) => self.forget(space, column),
            None => space,
        }
    }

    fn join(&mut self, known: &mut Space, other: &Space) -> bool {
        let (Some(rows), Some(more)) = (&known.rows, &other.rows) else {
            return known.rows.take().is_some();
        };
        let all = rows.iter().chain(more).cloned().collect();
        let united = self.space(all);
        let changed = united != *known;
        *known = united;
        changed
    }

    /// Dimensions are few.
    fn widen(&mut self, known: &mut Space, other: &Space) -> bool {
        self.join(known, other)
    }

    fn keep(&mut self, known: &mut Space, kept: &FxHashSet<Term>) {
        for column in 1..self.size() {
            if known.rows.is_some() && !kept.contains(&self.variables[column - 1]) {
                *known = self.forget(std::mem::take(known), column);
            }
        }
    }

    fn work(&self) -> usize {
        self.work
    }
}
