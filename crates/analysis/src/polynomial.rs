//! Polynomials over bit-vectors, modulo 2^width, and equations of them.
//!
//! That equations follow from others is a hard question for a SAT solver, which sees adders and
//! multipliers, and an easy one for elimination; so questions about equations are asked here first.
//! Monomials are eliminated as if they were variables; where there are products, equations are
//! also multiplied by what they are about, once.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use term::traverse::{conjuncts, free_vars};
use term::{Op, Pool, Sort, Term};

/// How many sums and products are opened in one term.
const MAX_NODES: usize = 256;
/// How many monomials a product may have, and how many factors each of them.
const MAX_PRODUCT: usize = 64;

/// For how many equations and how many atoms of them all products are looked at.
const MAX_FACTORS: usize = 10;

/// Σ factor · monomial + constant, modulo 2^width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Polynomial {
    /// At most 64.
    pub width: u32,
    /// No factor is zero. A monomial is a product as [`product`] makes it, or a term that is no sum
    /// or product, taken as it is.
    pub terms: BTreeMap<Term, u64>,
    /// The rest.
    pub constant: u64,
}

/// What a product is made of, in order; of another term, the term.
pub fn factors(pool: &Pool, monomial: Term) -> Vec<Term> {
    let (mut found, mut pending) = (Vec::new(), vec![monomial]);
    while let Some(term) = pending.pop() {
        match pool.op(term) {
            Op::BvMul if found.len() + pending.len() < MAX_PRODUCT => {
                pending.extend(pool.args(term));
            }
            _ => found.push(term),
        }
    }
    found.sort_unstable();
    found
}

/// The one product of some terms, in whatever order they are given.
pub fn product(pool: &Pool, mut factors: Vec<Term>) -> Term {
    factors.sort_unstable();
    let multiplied = factors.into_iter().reduce(|a, b| pool.bv_mul(a, b));
    multiplied.expect("a monomial has factors")
}

impl Polynomial {
    fn zero(width: u32) -> Polynomial {
        Polynomial { width, terms: BTreeMap::new(), constant: 0 }
    }

    fn cut(&self, number: u64) -> u64 {
        number & (u64::MAX >> (64 - self.width))
    }

    /// A bit-vector term of at most 64 bits as a polynomial.
    pub fn of(pool: &Pool, term: Term) -> Option<Polynomial> {
        let Sort::BitVec(width @ 1..=64) = pool.sort(term) else { return None };
        let mut known: FxHashMap<Term, Polynomial> = FxHashMap::default();
        // A term is made after its arguments, so its number is larger.
        for inner in opened(pool, term) {
            let value = expand(pool, inner, width, &known);
            known.insert(inner, value);
        }
        Some(part(pool, term, width, &known))
    }

    /// The polynomial that an equation says is zero.
    pub fn of_equation(pool: &Pool, formula: Term) -> Option<Polynomial> {
        let (Op::Eq, &[a, b]) = (pool.op(formula), pool.args(formula)) else { return None };
        let mut sum = Polynomial::of(pool, a)?;
        sum.add(&Polynomial::of(pool, b)?, u64::MAX);
        Some(sum)
    }

    /// Whether it is zero whatever the terms are.
    pub fn is_zero(&self) -> bool {
        self.constant == 0 && self.terms.is_empty()
    }

    fn add_monomial(&mut self, monomial: Term, factor: u64) {
        let old = self.terms.remove(&monomial).unwrap_or(0);
        let new = self.cut(old.wrapping_add(factor));
        if new != 0 {
            self.terms.insert(monomial, new);
        }
    }

    /// Adds factor · other.
    pub fn add(&mut self, other: &Polynomial, factor: u64) {
        self.constant = self.cut(self.constant.wrapping_add(other.constant.wrapping_mul(factor)));
        for (&monomial, &coefficient) in &other.terms {
            self.add_monomial(monomial, coefficient.wrapping_mul(factor));
        }
    }

    /// The product; none if it has too many monomials or too long ones.
    pub fn times(&self, pool: &Pool, other: &Polynomial) -> Option<Polynomial> {
        if (self.terms.len() + 1) * (other.terms.len() + 1) > MAX_PRODUCT {
            return None;
        }
        let mut result = Polynomial::zero(self.width);
        result.add(self, other.constant);
        for (&monomial, &coefficient) in &other.terms {
            result.add_monomial(monomial, coefficient.wrapping_mul(self.constant));
            let right = factors(pool, monomial);
            for (&left, &factor) in &self.terms {
                let mut both = factors(pool, left);
                both.extend(&right);
                if both.len() >= MAX_PRODUCT {
                    return None;
                }
                let factor = factor.wrapping_mul(coefficient);
                result.add_monomial(product(pool, both), factor);
            }
        }
        Some(result)
    }
}

/// A comparison with its sides as polynomials in order, so that what says the same by the laws of
/// rings is the same formula: (i + 1) − (j + 1) ≤ 9 is i − j ≤ 9. Other formulas stay.
pub fn canonical(pool: &Pool, formula: Term) -> Term {
    match (pool.op(formula), pool.args(formula)) {
        (Op::Not, &[denied]) if *pool.op(denied) != Op::Not => pool.not(canonical(pool, denied)),
        (Op::BvUlt, &[a, b]) => pool.bv_ult(ordered(pool, a), ordered(pool, b)),
        (Op::BvSlt, &[a, b]) => pool.bv_slt(ordered(pool, a), ordered(pool, b)),
        _ => formula,
    }
}

/// An equation of bit-vectors as Σ factor · monomial = constant, the monomials in order and the first
/// factor positive, so that equations that say the same are the same formula. Others stay.
pub fn canonical_equation(pool: &Pool, formula: Term) -> Term {
    let Some(sum) = Polynomial::of_equation(pool, formula) else { return formula };
    let bits = |n: u64| value::Bits::from_u64(sum.width, n);
    let negative = sum.terms.values().next().is_some_and(|factor| bits(*factor).is_negative());
    let signed = |n: u64| if negative { bits(n).neg() } else { bits(n) };
    let monomials = sum.terms.iter().map(|(m, f)| pool.bv_mul(*m, pool.bits(signed(*f))));
    let left = monomials.fold(pool.bits(bits(0)), |sum, monomial| pool.bv_add(sum, monomial));
    pool.eq(left, pool.bits(signed(sum.constant).neg()))
}

/// A literal that is an equation of three variables or more, or the negation of one, with the
/// equation in canonical form; others as they are: a solver sees through those by itself.
pub fn canonical_literal(pool: &Pool, literal: Term) -> Term {
    let negated = *pool.op(literal) == Op::Not;
    let atom = if negated { pool.args(literal)[0] } else { literal };
    if *pool.op(atom) != Op::Eq || free_vars(pool, &[atom]).len() < 3 {
        return literal;
    }
    let equation = canonical_equation(pool, atom);
    if negated { pool.not(equation) } else { equation }
}

/// A term as the sum of its monomials, in order.
fn ordered(pool: &Pool, term: Term) -> Term {
    let Some(polynomial) = Polynomial::of(pool, term) else { return term };
    let number = |n: u64| pool.bits(value::Bits::from_u64(polynomial.width, n));
    let monomials = polynomial.terms.iter().map(|(m, factor)| pool.bv_mul(number(*factor), *m));
    monomials.fold(number(polynomial.constant), |sum, monomial| pool.bv_add(sum, monomial))
}

/// The sums and products that a term consists of, arguments before their users; none if there are
/// too many.
fn opened(pool: &Pool, term: Term) -> BTreeSet<Term> {
    let mut found = BTreeSet::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        let parts = match pool.op(term) {
            Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvMul => pool.args(term).to_vec(),
            _ => shifted(pool, term).map_or(Vec::new(), |(whole, _)| vec![whole]),
        };
        if !parts.is_empty() && found.insert(term) {
            pending.extend(parts);
        }
        if found.len() > MAX_NODES {
            return BTreeSet::new();
        }
    }
    found
}

/// x and k < 64 of a term that is x·2^k: a shift, or the low bits of x above zeros.
fn shifted(pool: &Pool, term: Term) -> Option<(Term, u32)> {
    let (op, &[first, second]) = (pool.op(term), pool.args(term)) else { return None };
    let width = pool.sort(term).width()?;
    let number = pool.as_bits(second)?;
    let (whole, by) = match op {
        Op::BvShl => (first, u32::try_from(number.to_u64()?).ok()?),
        Op::BvConcat if number.is_zero() => match pool.op(first) {
            Op::BvExtract { low: 0, .. } => (pool.args(first)[0], number.width()),
            _ => return None,
        },
        _ => return None,
    };
    (by < width.min(64) && pool.sort(whole) == Sort::BitVec(width)).then_some((whole, by))
}

/// An argument as a polynomial: what is known of it, a number, or the term itself.
fn part(pool: &Pool, term: Term, width: u32, known: &FxHashMap<Term, Polynomial>) -> Polynomial {
    if let Some(known) = known.get(&term) {
        return known.clone();
    }
    let mut atom = Polynomial::zero(width);
    match pool.as_bits(term).and_then(value::Bits::to_u64) {
        Some(number) => atom.constant = number,
        None => atom.add_monomial(term, 1),
    }
    atom
}

/// A sum or product of what is known.
fn expand(pool: &Pool, term: Term, width: u32, known: &FxHashMap<Term, Polynomial>) -> Polynomial {
    let args = pool.args(term);
    let part = |i: usize| part(pool, args[i], width, known);
    let mut result = Polynomial::zero(width);
    match pool.op(term) {
        Op::BvNeg => result.add(&part(0), u64::MAX),
        Op::BvSub => {
            result.add(&part(0), 1);
            result.add(&part(1), u64::MAX);
        }
        Op::BvMul => match part(0).times(pool, &part(1)) {
            Some(product) => result = product,
            None => result.add_monomial(term, 1),
        },
        Op::BvAdd => (0..args.len()).for_each(|i| result.add(&part(i), 1)),
        _ => {
            if let Some((whole, by)) = shifted(pool, term) {
                result.add(&self::part(pool, whole, width, known), 1 << by);
            }
        }
    }
    result
}

/// The inverse of an odd number modulo 2^64: each round doubles the bits that are right.
fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

/// Equations in solved form: each has a monomial with factor one that no other mentions.
#[derive(Default, Debug)]
pub struct Equations {
    rows: Vec<(Term, Polynomial)>,
}

impl Equations {
    /// The equations among the conjuncts of some formulas, as far as they can be solved for a
    /// monomial, and their products with atoms if they contain products.
    pub fn new(pool: &Pool, formulas: &[Term]) -> Equations {
        let mut equations = Equations::default();
        let all = formulas.iter().flat_map(|formula| conjuncts(pool, *formula));
        let all: Vec<Polynomial> = all.filter_map(|f| Polynomial::of_equation(pool, f)).collect();
        all.iter().for_each(|sum| equations.assume(sum));
        let monomials: BTreeSet<Term> =
            all.iter().flat_map(|sum| sum.terms.keys().copied()).collect();
        let nonlinear = monomials.iter().any(|monomial| *pool.op(*monomial) == Op::BvMul);
        if !nonlinear || all.len() > MAX_FACTORS {
            return equations;
        }
        let atoms: BTreeSet<Term> = monomials.iter().flat_map(|m| factors(pool, *m)).collect();
        if atoms.len() <= MAX_FACTORS {
            for sum in &all {
                let same = atoms.iter().filter_map(|atom| Polynomial::of(pool, *atom));
                for atom in same.filter(|atom| atom.width == sum.width) {
                    if let Some(product) = sum.times(pool, &atom) {
                        equations.assume(&product);
                    }
                }
            }
        }
        equations
    }

    fn assume(&mut self, sum: &Polynomial) {
        let mut row = self.reduce(sum);
        let Some((&pivot, &factor)) = row.terms.iter().find(|(_, factor)| **factor % 2 == 1) else {
            return;
        };
        let scale = inverse(factor);
        let mut solved = Polynomial::zero(row.width);
        solved.add(&row, scale);
        row = solved;
        for (_, other) in &mut self.rows {
            if other.width == row.width
                && let Some(&factor) = other.terms.get(&pivot)
            {
                other.add(&row, factor.wrapping_neg());
            }
        }
        self.rows.push((pivot, row));
    }

    /// The sum with the solved monomials eliminated.
    fn reduce(&self, sum: &Polynomial) -> Polynomial {
        let mut reduced = sum.clone();
        for (pivot, row) in &self.rows {
            if row.width == sum.width
                && let Some(&factor) = reduced.terms.get(pivot)
            {
                reduced.add(row, factor.wrapping_neg());
            }
        }
        reduced
    }

    /// Whether the sum is zero in all solutions, as far as elimination shows it.
    pub fn imply(&self, sum: &Polynomial) -> bool {
        self.reduce(sum).is_zero()
    }

    /// Whether some of the formulas deny an equation that follows.
    pub fn contradict(&self, pool: &Pool, formulas: &[Term]) -> bool {
        formulas.iter().flat_map(|formula| conjuncts(pool, *formula)).any(|conjunct| {
            let denied = (*pool.op(conjunct) == Op::Not).then(|| pool.args(conjunct)[0]);
            let sum = denied.and_then(|equation| Polynomial::of_equation(pool, equation));
            sum.is_some_and(|sum| self.imply(&sum))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_that_say_the_same_are_the_same() {
        let pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::BitVec(32)));
        let n = |n: u64| pool.bv(n, 32);
        let canonical = |formula| canonical_equation(&pool, formula);
        let before = pool.eq(z, pool.bv_add(x, pool.bv_mul(y, n(2))));
        let [x1, y1, z1] = [pool.bv_add(x, n(1)), pool.bv_sub(y, n(1)), pool.bv_sub(z, n(1))];
        let after = pool.eq(z1, pool.bv_add(x1, pool.bv_shl(y1, n(1))));
        assert_eq!(canonical(before), canonical(after));
        let doubled = pool.make(Op::BvConcat, &[pool.bv_extract(y, 30, 0), pool.bv(0, 1)]);
        assert_eq!(canonical(pool.eq(z, pool.bv_add(doubled, x))), canonical(before));
        assert_ne!(canonical(pool.eq(z, x)), canonical(before));
        assert_eq!(canonical(pool.eq(x, pool.bv_add(x, n(0)))), pool.tru());
        // (x + 1)·y = x·y + y
        let product = pool.eq(z, pool.bv_mul(x1, y));
        let sum = pool.eq(z, pool.bv_add(pool.bv_mul(x, y), y));
        assert_eq!(canonical(product), canonical(sum));
    }

    #[test]
    fn the_canonical_equation_means_the_same() {
        let pool = Pool::new();
        let [x, y] = ["x", "y"].map(|n| pool.var(n, Sort::BitVec(3)));
        let n = |n: u64| pool.bv(n, 3);
        let equation = pool.eq(
            pool.bv_sub(pool.bv_mul(x, n(3)), pool.bv_mul(y, pool.bv_add(x, n(2)))),
            pool.bv_add(pool.bv_neg(x), pool.bv_add(pool.bv_and(x, y), n(5))),
        );
        let same = canonical_equation(&pool, equation);
        assert_ne!(same, equation);
        for a in 0..8 {
            for b in 0..8 {
                let value = |n| term::Value::Bits(value::Bits::from_u64(3, n));
                let state = program::execute::Values::from_iter([(x, value(a)), (y, value(b))]);
                let of = |t| term::evaluate(&pool, t, &state);
                assert_eq!(of(equation), of(same), "{a} {b}");
            }
        }
    }

    #[test]
    fn elimination_finds_consequences() {
        let pool = Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.var(name, Sort::BitVec(8)));
        let number = |n| pool.bv(n, 8);
        let first = pool.eq(pool.bv_add(x, y), number(7));
        let second = pool.eq(pool.bv_mul(number(3), z), pool.bv_sub(x, y));
        let equations = Equations::new(&pool, &[pool.and([first, second])]);
        // 3z = x − y and y = 7 − x give 3z = 2x − 7.
        let follows = pool.eq(pool.bv_add(pool.bv_mul(z, number(3)), number(7)), pool.bv_add(x, x));
        let sum = Polynomial::of_equation(&pool, follows).expect("an equation of bit-vectors");
        assert!(equations.imply(&sum));
        assert!(equations.contradict(&pool, &[pool.not(follows)]));
        let other = pool.eq(z, x);
        let sum = Polynomial::of_equation(&pool, other).expect("an equation of bit-vectors");
        assert!(!equations.imply(&sum));
    }

    #[test]
    fn products_are_multiplied_out() {
        let pool = Pool::new();
        let [x, n, y] = ["x", "n", "y"].map(|name| pool.var(name, Sort::BitVec(32)));
        let number = |n| pool.bv(n, 32);
        // From x = n², y = 2n + 1: x + y = (n + 1)².
        let square = pool.eq(x, pool.bv_mul(n, n));
        let odd = pool.eq(y, pool.bv_add(pool.bv_mul(number(2), n), number(1)));
        let equations = Equations::new(&pool, &[square, odd]);
        let next = pool.bv_add(n, number(1));
        let follows = pool.eq(pool.bv_add(x, y), pool.bv_mul(next, next));
        let sum = Polynomial::of_equation(&pool, follows).expect("an equation of bit-vectors");
        assert!(equations.imply(&sum));
        let other = pool.eq(pool.bv_add(x, n), pool.bv_mul(next, next));
        let sum = Polynomial::of_equation(&pool, other).expect("an equation of bit-vectors");
        assert!(!equations.imply(&sum));
        // (x·y)·n is n·(y·x).
        let left = pool.bv_mul(pool.bv_mul(x, y), n);
        let right = pool.bv_mul(n, pool.bv_mul(y, x));
        let same = Polynomial::of(&pool, left) == Polynomial::of(&pool, right);
        assert!(same);
    }

    #[test]
    fn comparisons_have_one_form() {
        let pool = Pool::new();
        let [i, j] = ["i", "j"].map(|name| pool.var(name, Sort::BitVec(32)));
        let number = |n| pool.bv(n, 32);
        let next = |x| pool.bv_add(x, number(1));
        let near = |i, j| pool.bv_sle(pool.bv_sub(i, j), number(9));
        let form = |formula| canonical(&pool, formula);
        assert_eq!(form(near(next(i), next(j))), form(near(i, j)));
        assert_ne!(form(near(next(i), j)), form(near(i, j)));
        assert_ne!(form(pool.bv_ule(pool.bv_sub(i, j), number(9))), form(near(i, j)));
        // Both sides may not be moved: bit-vectors wrap.
        assert_ne!(form(pool.bv_slt(i, next(j))), form(pool.bv_slt(pool.bv_sub(i, j), number(1))));
    }

    #[test]
    fn random_polynomials_keep_their_values() {
        let pool = Pool::new();
        let variables: Vec<Term> =
            (0..3).map(|i| pool.var(&format!("v{i}"), Sort::BitVec(16))).collect();
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let mut terms = variables.clone();
            terms.push(pool.bv(random(1 << 16), 16));
            for _ in 0..8 {
                let a = terms[random(terms.len() as u64) as usize];
                let b = terms[random(terms.len() as u64) as usize];
                terms.push(match random(5) {
                    0 => pool.bv_add(a, b),
                    1 => pool.bv_sub(a, b),
                    2 => pool.bv_neg(a),
                    3 => pool.bv_shl(a, pool.bv(random(17), 16)),
                    _ => pool.bv_mul(a, b),
                });
            }
            let term = terms[terms.len() - 1];
            let values: Vec<u64> = variables.iter().map(|_| random(1 << 16)).collect();
            let constants = values.iter().map(|value| pool.bv(*value, 16));
            let map: Vec<(Term, Term)> = variables.iter().copied().zip(constants).collect();
            let number = |term: Term| {
                let value = term::traverse::substitute(&pool, term, map.iter().copied());
                pool.as_bits(value).and_then(value::Bits::to_u64).expect("all is known")
            };
            let polynomial = Polynomial::of(&pool, term).expect("bit-vectors");
            let sum =
                polynomial.terms.iter().fold(polynomial.constant, |sum, (monomial, factor)| {
                    sum.wrapping_add(factor.wrapping_mul(number(*monomial)))
                });
            assert_eq!(sum & 0xffff, number(term));
        }
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 255, 0xdead_beef, u64::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
