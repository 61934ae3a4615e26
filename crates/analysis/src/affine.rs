//! Linear equations that hold at locations (M. Karr: *Affine relationships among variables of a
//! program*, 1976).
//!
//! What is known of states is the smallest affine space that contains them: the span of vectors
//! (1, x₁, …, xₙ). Linear assignments map it, other assignments and inputs add a direction,
//! equations in assumptions cut it, alternatives are joined. The equations of a space are those
//! that all its vectors satisfy.
//!
//! In programs that multiply variables, a second domain has products of a few variables as further
//! columns, so that its equations are polynomial (M. Müller-Olm, H. Seidl: *Precise interprocedural
//! analysis through linear algebra*, POPL 2004). An assignment then maps every column in which the
//! variable is a factor.
//!
//! Numbers are those of a finite field instead of rationals, so that they stay small; sums of small
//! multiples mean the same there and in bit-vectors. What comes out is a guess nevertheless.

use crate::fixpoint::{Domain, terms};
use crate::polynomial::{Polynomial, factors, product};
use program::Cfa;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use term::traverse::{conjuncts, free_vars, subterms};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// The most variables that are related.
const MAX_VARIABLES: usize = 20;
/// The most columns of a domain with products.
const MAX_MONOMIALS: usize = 56;
/// The longest products.
const MAX_DEGREE: usize = 4;
/// How many products of numbers cost as much as the evaluation of a subterm.
const CHEAP: usize = 16;
/// The largest factor of an equation.
const LARGEST: u64 = 1 << 20;
/// The largest constant of an equation of samples.
const LARGEST_CONSTANT: u64 = 1 << 48;
/// By what an equation is multiplied, at most, to make its factors small.
const SCALES: u64 = 12;

/// 2^61 is 1 here, so what is above the last 61 bits is added to them.
fn times(a: u64, b: u64) -> u64 {
    let whole = u128::from(a) * u128::from(b);
    let sum = (whole as u64 & PRIME) + (whole >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
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

/// A basis of the vectors whose inner products with all rows are zero.
///
/// Requires: the rows are reduced.
fn complement(rows: &[Row], columns: usize) -> Vec<Row> {
    let pivots: Vec<usize> =
        rows.iter().filter_map(|row| row.iter().position(|entry| *entry != 0)).collect();
    let free = (0..columns).filter(|column| !pivots.contains(column));
    let vector = |free: usize| {
        let mut factors = vec![0; columns];
        factors[free] = 1;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            factors[pivot] = minus(0, row[free]);
        }
        factors
    };
    free.map(vector).collect()
}

/// A multiple of a vector with small numbers, if there is one; the first is the constant.
fn small_multiple(factors: &[u64], largest_constant: u64) -> Option<Vec<i64>> {
    let small = |number: u64, largest: u64| match number {
        _ if number <= largest => i64::try_from(number).ok(),
        _ if PRIME - number <= largest => i64::try_from(PRIME - number).ok().map(|n| -n),
        _ => None,
    };
    (1..=SCALES).find_map(|scale| {
        let largest = |column: usize| if column == 0 { largest_constant } else { LARGEST };
        let all = factors.iter().enumerate();
        all.map(|(column, factor)| small(times(*factor, scale), largest(column))).collect()
    })
}

/// A basis of the linear equations that all samples x₁, …, xₙ satisfy, as far as their factors are
/// small: numbers a₀, a₁, …, aₙ with a₀ + Σ aᵢ·xᵢ = 0.
pub fn equations(samples: &[Vec<i64>]) -> Vec<Vec<i64>> {
    let number = |n: i64| i128::from(n).rem_euclid(i128::from(PRIME)) as u64;
    let row = |x: &Vec<i64>| std::iter::once(1).chain(x.iter().copied().map(number)).collect();
    let Some(columns) = samples.first().map(|x| x.len() + 1) else { return Vec::new() };
    let rows = reduced(samples.iter().map(row).collect());
    let all = complement(&rows, columns);
    all.iter().filter_map(|factors| small_multiple(factors, LARGEST_CONSTANT)).collect()
}

/// Where a column goes by an assignment: factors of the columns before; none if that is unknown.
type Image = (usize, Option<Row>);

/// The domain, for variables of one width.
pub struct Affine<'a> {
    pool: &'a Pool,
    width: u32,
    variables: Vec<Term>,
    /// The variables and products of columns, from the second on; the first is that of the one.
    monomials: Vec<Term>,
    columns: FxHashMap<Term, usize>,
    /// The columns in which a variable is a factor.
    uses: FxHashMap<Term, Vec<usize>>,
    /// What assignments do to columns.
    images: FxHashMap<(Term, Term), Rc<Vec<Image>>>,
    work: usize,
}

/// All products of at most so many of some variables, shorter ones first.
fn products(pool: &Pool, variables: &[Term], degree: usize) -> Vec<Term> {
    let mut all: Vec<Vec<Term>> = variables.iter().map(|variable| vec![*variable]).collect();
    let mut last = all.clone();
    for _ in 1..degree {
        let longer = last.iter().flat_map(|shorter: &Vec<Term>| {
            let from = variables.iter().position(|v| Some(v) == shorter.last()).unwrap_or(0);
            variables[from..].iter().map(|v| [&shorter[..], &[*v]].concat())
        });
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all.into_iter().map(|factors| product(pool, factors)).collect()
}

/// The number of products of at most `degree` of `count` variables, with the empty one.
fn count_products(count: usize, degree: usize) -> usize {
    (1..=degree).fold(1, |product, i| product * (count + i) / i)
}

impl<'a> Affine<'a> {
    /// A domain for each width of variables that are counted with, and one with products where
    /// variables are multiplied.
    pub fn all(pool: &'a Pool, cfa: &Cfa) -> Vec<Affine<'a>> {
        let terms = terms(cfa);
        let mut mentioned: FxHashMap<Term, usize> = FxHashMap::default();
        for variable in terms.iter().flat_map(|term| free_vars(pool, &[*term])) {
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
        let degrees = degrees(pool, &terms);
        let mut all: Vec<Affine<'a>> = Vec::new();
        for (width, mut found) in by_width {
            found.sort_unstable_by_key(|(count, variable)| (std::cmp::Reverse(*count), *variable));
            found.truncate(MAX_VARIABLES);
            let mut variables: Vec<Term> =
                found.into_iter().map(|(_, variable)| variable).collect();
            all.push(Affine::new(pool, width, variables.clone(), 1));
            if let Some(&degree) = degrees.get(&width) {
                let fits = |count: &usize| count_products(*count, degree) <= MAX_MONOMIALS;
                variables.truncate((1..=MAX_VARIABLES).rfind(fits).unwrap_or(1));
                all.push(Affine::new(pool, width, variables, degree));
            }
        }
        all.retain(|domain| domain.monomials.len() > 1);
        all.sort_by_key(|domain| (domain.width, domain.monomials.len() - domain.variables.len()));
        all
    }

    fn new(pool: &'a Pool, width: u32, variables: Vec<Term>, degree: usize) -> Self {
        let monomials = products(pool, &variables, degree);
        let columns = monomials.iter().enumerate().map(|(i, v)| (*v, i + 1)).collect();
        let mut uses: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        for (i, monomial) in monomials.iter().enumerate() {
            let mut among = factors(pool, *monomial);
            among.dedup();
            among.into_iter().for_each(|variable| uses.entry(variable).or_default().push(i + 1));
        }
        let images = FxHashMap::default();
        Affine { pool, width, variables, monomials, columns, uses, images, work: 0 }
    }

    fn size(&self) -> usize {
        self.monomials.len() + 1
    }

    fn rows(&self, space: &Space) -> Vec<Row> {
        space.rows.clone().unwrap_or_else(|| {
            let unit = |i| (0..self.size()).map(|j| u64::from(i == j)).collect();
            (0..self.size()).map(unit).collect()
        })
    }

    fn space(&mut self, rows: Vec<Row>) -> Space {
        self.work += rows.len() * rows.len() * self.size() / CHEAP;
        let rows = reduced(rows);
        Space { rows: (rows.len() < self.size()).then_some(rows) }
    }

    /// A sum as factors of the columns.
    fn row(&self, sum: &Polynomial) -> Option<Row> {
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

    fn forget(&mut self, space: &Space, columns: &[usize]) -> Space {
        let mut rows = self.rows(space);
        for row in &mut rows {
            columns.iter().for_each(|column| row[*column] = 0);
        }
        let unit = |column: &usize| (0..self.size()).map(|j| u64::from(j == *column)).collect();
        rows.extend(columns.iter().map(unit));
        self.space(rows)
    }

    /// Where the columns go in which a variable is a factor, if a term is assigned to it.
    fn images(&mut self, variable: Term, term: Term) -> Rc<Vec<Image>> {
        if let Some(known) = self.images.get(&(variable, term)) {
            return known.clone();
        }
        let pool = self.pool;
        let value = Polynomial::of(pool, term).filter(|value| value.width == self.width);
        let image = |column: &usize| {
            let mut result: Option<Polynomial> = None;
            for factor in factors(pool, self.monomials[column - 1]) {
                let factor = match factor == variable {
                    true => value.clone()?,
                    false => Polynomial::of(pool, factor)?,
                };
                result = Some(match result {
                    None => factor,
                    Some(before) => before.times(pool, &factor)?,
                });
            }
            self.row(&result?)
        };
        let columns = self.uses.get(&variable).into_iter().flatten();
        let images = Rc::new(columns.map(|column| (*column, image(column))).collect::<Vec<_>>());
        self.images.insert((variable, term), images.clone());
        images
    }

    fn assign_sum(&mut self, variable: Term, term: Term, space: &Space) -> Space {
        let images = self.images(variable, term);
        let mut rows = self.rows(space);
        for row in &mut rows {
            let before = row.clone();
            for (column, image) in images.iter() {
                row[*column] = image.as_ref().map_or(0, |image| inner(&before, image));
            }
        }
        let lost: Vec<usize> =
            images.iter().filter(|(_, image)| image.is_none()).map(|(c, _)| *c).collect();
        let space = self.space(rows);
        if lost.is_empty() { space } else { self.forget(&space, &lost) }
    }

    /// Cuts a space with an equation; none if nothing is left.
    fn cut(&mut self, factors: &Row, space: Space) -> Option<Space> {
        let mut rows = self.rows(&space);
        let Some(at) = rows.iter().position(|row| inner(row, factors) != 0) else {
            return Some(space);
        };
        let pivot = rows.swap_remove(at);
        let scale = inverse(inner(&pivot, factors));
        for row in &mut rows {
            let factor = times(inner(row, factors), scale);
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a = minus(*a, times(factor, *b)));
        }
        if rows.iter().all(|row| row[0] == 0) {
            return None;
        }
        Some(self.space(rows))
    }

    /// The equations of a space.
    pub fn formulas(&self, space: &Space) -> Vec<Term> {
        let Some(rows) = &space.rows else { return Vec::new() };
        let all = complement(rows, self.size());
        all.iter().filter_map(|factors| self.equation(factors)).collect()
    }

    /// Σ factors · columns = 0 as a formula, if the factors are small.
    fn equation(&self, factors: &[u64]) -> Option<Term> {
        let scaled = small_multiple(factors, LARGEST)?;
        let pool = self.pool;
        let number = |n: i64| pool.bits(Bits::from_i64(self.width, n));
        let (mut left, mut right) = (number(0), number(0));
        for (column, &factor) in scaled.iter().enumerate() {
            let term = match column {
                0 => number(factor.abs()),
                _ => pool.bv_mul(number(factor.abs()), self.monomials[column - 1]),
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

fn inner(a: &[u64], b: &[u64]) -> u64 {
    let sum: u128 = a.iter().zip(b).map(|(a, b)| u128::from(times(*a, *b))).sum();
    (sum % u128::from(PRIME)) as u64
}

/// The lengths of the longest products of variables in some terms, by width.
fn degrees(pool: &Pool, terms: &[Term]) -> FxHashMap<u32, usize> {
    let mut degrees: FxHashMap<u32, usize> = FxHashMap::default();
    for term in subterms(pool, terms).into_iter().filter(|term| *pool.op(*term) == Op::BvMul) {
        let Some(value) = Polynomial::of(pool, term) else { continue };
        let longest = value.terms.keys().map(|monomial| factors(pool, *monomial).len()).max();
        let degree = degrees.entry(value.width).or_default();
        *degree = longest.unwrap_or(0).min(MAX_DEGREE).max(*degree);
    }
    degrees.retain(|_, degree| *degree > 1);
    degrees
}

impl Domain for Affine<'_> {
    type Knowledge = Space;

    /// Cuts the space with the equations of the formula and, where there are columns for products,
    /// with their products.
    fn assume(&mut self, formula: Term, mut space: Space) -> Option<Space> {
        let pool = self.pool;
        if pool.as_bool(formula) == Some(false) {
            return None;
        }
        for conjunct in conjuncts(pool, formula) {
            let Some(sum) = Polynomial::of_equation(pool, conjunct) else { continue };
            let Some(factors) = self.row(&sum) else { continue };
            space = self.cut(&factors, space)?;
            if self.monomials.len() == self.variables.len() {
                continue;
            }
            for variable in self.variables.clone() {
                let product = Polynomial::of(pool, variable).and_then(|v| sum.times(pool, &v));
                if let Some(factors) = product.and_then(|product| self.row(&product)) {
                    space = self.cut(&factors, space)?;
                }
            }
        }
        Some(space)
    }

    fn assign(&mut self, variable: Term, term: Term, space: Space) -> Option<Space> {
        if !self.uses.contains_key(&variable) {
            return Some(space);
        }
        if let (Op::Ite, &[_, then, otherwise]) = (self.pool.op(term), self.pool.args(term)) {
            let mut yes = self.assign_sum(variable, then, &space);
            let no = self.assign_sum(variable, otherwise, &space);
            self.join(&mut yes, &no);
            return Some(yes);
        }
        Some(self.assign_sum(variable, term, &space))
    }

    fn havoc(&mut self, variable: Term, space: Space) -> Space {
        match self.uses.get(&variable).cloned() {
            Some(columns) => self.forget(&space, &columns),
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
        let gone = self.variables.iter().filter(|variable| !kept.contains(variable));
        let columns: BTreeSet<usize> =
            gone.flat_map(|variable| self.uses[variable].iter().copied()).collect();
        if known.rows.is_some() && !columns.is_empty() {
            let columns: Vec<usize> = columns.into_iter().collect();
            *known = self.forget(known, &columns);
        }
    }

    fn work(&self) -> usize {
        self.work
    }
}

#[cfg(test)]
mod tests {
    use super::equations;

    #[test]
    fn equations_hold_for_the_samples_and_are_all() {
        // hi - lo = 2·mid, three degrees of freedom less one, and z = 7.
        let sample = |lo: i64, mid: i64| vec![lo, mid, lo + 2 * mid, 7];
        let samples: Vec<Vec<i64>> =
            [(0, 5), (1, 4), (2, 9), (7, 7), (3, 0)].map(|(l, m)| sample(l, m)).to_vec();
        let found = equations(&samples);
        assert_eq!(found.len(), 2);
        for equation in &found {
            assert!(equation.iter().any(|factor| *factor != 0));
            for sample in &samples {
                let sum: i64 = equation[1..].iter().zip(sample).map(|(a, x)| a * x).sum();
                assert_eq!(equation[0] + sum, 0, "{equation:?}");
            }
        }
    }

    #[test]
    fn independent_values_have_no_equation() {
        assert!(equations(&[vec![0, 0], vec![1, 0], vec![0, 1], vec![5, 3]]).is_empty());
        assert!(equations(&[]).is_empty());
    }
}
