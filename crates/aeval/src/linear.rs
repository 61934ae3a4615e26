//! Sums: terms of integer and real arithmetic as Σ cᵢ·pᵢ + c.
//!
//! A part pᵢ is whatever is no sum itself: a variable, a read, a quotient, an if-then-else. Both
//! sorts have rational coefficients here; a sum of integers is scaled before it becomes a term
//! again. `to_real` is looked through, so a sum of reals may have parts that are integers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;
use term::{Op, Pool, Sort, Term, Value};

/// Σ coefficient · part + constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Linear {
    /// The parts with their coefficients, none of which is zero.
    pub parts: BTreeMap<Term, BigRational>,
    /// What is left without parts.
    pub constant: BigRational,
}

/// The number that a value is, of an integer or a real.
pub fn number(value: &Value) -> Option<BigRational> {
    match value {
        Value::Int(n) => Some(BigRational::from_integer(n.clone())),
        Value::Real(r) => Some(r.clone()),
        _ => None,
    }
}

impl Linear {
    /// A sum without parts.
    pub fn number(constant: impl Into<BigRational>) -> Self {
        Linear { parts: BTreeMap::new(), constant: constant.into() }
    }

    /// The sum that a term is.
    pub fn of(pool: &Pool, term: Term) -> Self {
        let mut sum = Linear::default();
        sum.add_term(pool, term, BigRational::one());
        sum
    }

    /// Adds `factor` · `term`.
    pub fn add_term(&mut self, pool: &Pool, term: Term, factor: BigRational) {
        // Users have larger numbers than their arguments: whoever is taken out here has all of
        // its multiplicity, so each shared sum is opened once.
        let mut pending: BTreeMap<Term, BigRational> = [(term, factor)].into();
        while let Some((top, factor)) = pending.pop_last() {
            if factor.is_zero() {
                continue;
            }
            let mut give = |part: Term, by: BigRational| {
                *pending.entry(part).or_insert_with(BigRational::zero) += by;
            };
            match (pool.op(top), pool.args(top)) {
                (Op::Value(value), _) => match number(value) {
                    Some(value) => self.constant += factor * value,
                    None => self.add_part(top, factor),
                },
                (Op::Add, args) => args.iter().for_each(|a| give(*a, factor.clone())),
                (Op::Sub, [first, rest @ ..]) => {
                    give(*first, factor.clone());
                    rest.iter().for_each(|a| give(*a, -factor.clone()));
                }
                (Op::Neg, [a]) => give(*a, -factor),
                (Op::ToReal, [a]) => give(*a, factor),
                (Op::Mul, [a, b]) => match (pool.value(*a), pool.value(*b)) {
                    (Some(value), _) if number(value).is_some() => {
                        give(*b, factor * number(value).unwrap_or_default());
                    }
                    (_, Some(value)) if number(value).is_some() => {
                        give(*a, factor * number(value).unwrap_or_default());
                    }
                    _ => self.add_part(top, factor),
                },
                (Op::RealDiv, [a, b]) => match pool.value(*b).and_then(number) {
                    Some(value) if !value.is_zero() => give(*a, factor / value),
                    _ => self.add_part(top, factor),
                },
                _ => self.add_part(top, factor),
            }
        }
    }

    /// Adds `factor` · `part`.
    pub fn add_part(&mut self, part: Term, factor: BigRational) {
        let sum = self.parts.remove(&part).unwrap_or_default() + factor;
        if !sum.is_zero() {
            self.parts.insert(part, sum);
        }
    }

    /// Adds `factor` · `other`.
    pub fn add(&mut self, other: &Linear, factor: &BigRational) {
        for (part, by) in &other.parts {
            self.add_part(*part, by * factor);
        }
        self.constant += &other.constant * factor;
    }

    /// This sum times a number.
    pub fn times(&self, factor: &BigRational) -> Linear {
        let mut product = Linear::default();
        product.add(self, factor);
        product
    }

    /// This sum plus a number.
    pub fn plus(mut self, number: impl Into<BigRational>) -> Linear {
        self.constant += number.into();
        self
    }

    /// Takes a part out; its coefficient, zero if there is none.
    pub fn take(&mut self, part: Term) -> BigRational {
        self.parts.remove(&part).unwrap_or_default()
    }

    /// The smallest positive integer that makes all coefficients integers.
    pub fn denominator(&self) -> BigInt {
        let all = self.parts.values().chain([&self.constant]);
        all.fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom()))
    }

    /// The value, where each part has one.
    pub fn value(&self, of: impl Fn(Term) -> Option<BigRational>) -> Option<BigRational> {
        let mut sum = self.constant.clone();
        for (part, factor) in &self.parts {
            sum += factor * of(*part)?;
        }
        Some(sum)
    }

    /// The term of a sort, [`Sort::Int`] or [`Sort::Real`].
    ///
    /// Requires: of integers, the coefficients and the constant are integers.
    pub fn term(&self, pool: &Pool, sort: Sort) -> Term {
        let constant = |number: &BigRational| match sort {
            Sort::Int => pool.int(number.to_integer()),
            _ => pool.real(number.clone()),
        };
        let mut sum: Option<Term> = None;
        for (part, factor) in &self.parts {
            let part = match (sort, pool.sort(*part)) {
                (Sort::Real, Sort::Int) => pool.make(Op::ToReal, &[*part]),
                _ => *part,
            };
            let size = factor.abs();
            let product = if size.is_one() { part } else { pool.mul(part, constant(&size)) };
            sum = Some(match (sum, factor.is_negative()) {
                (None, false) => product,
                (None, true) => pool.neg(product),
                (Some(sum), false) => pool.add(sum, product),
                (Some(sum), true) => pool.sub(sum, product),
            });
        }
        match sum {
            None => constant(&self.constant),
            Some(sum) if self.constant.is_zero() => sum,
            Some(sum) if self.constant.is_negative() => {
                pool.sub(sum, constant(&self.constant.abs()))
            }
            Some(sum) => pool.add(sum, constant(&self.constant)),
        }
    }

    /// The atom `self ⋈ 0`, with the positive and the negative parts on sides of their own and
    /// coefficients that have no common factor. Atoms with one meaning tend to be one term.
    pub fn compare(&self, pool: &Pool, relation: Relation) -> Term {
        let mut numerators = self.parts.values().map(BigRational::numer);
        let scale = match numerators.next() {
            None => BigRational::one(),
            Some(first) => {
                let gcd = numerators.fold(first.abs(), |gcd, n| gcd.gcd(n));
                let parts = self.parts.values();
                let lcm = parts.fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom()));
                BigRational::new(lcm, gcd)
            }
        };
        let is_int = self.parts.keys().all(|part| pool.sort(*part) == Sort::Int);
        let mut scaled = self.times(&scale);
        let (sort, relation) = if is_int {
            match relation.tighten(&scaled.constant) {
                Some((constant, relation)) => {
                    scaled.constant = constant;
                    (Sort::Int, relation)
                }
                None => return pool.fls(),
            }
        } else {
            (Sort::Real, relation)
        };
        let (mut left, mut right) = (Linear::default(), Linear::default());
        for (part, factor) in &scaled.parts {
            let side = if factor.is_positive() { &mut left } else { &mut right };
            side.add_part(*part, factor.abs());
        }
        let side =
            if left.parts.is_empty() || scaled.constant.is_positive() && !right.parts.is_empty() {
                left.constant = scaled.constant.clone();
                None
            } else {
                Some(-scaled.constant.clone())
            };
        if let Some(constant) = side {
            right.constant = constant;
        }
        relation.atom(pool, left.term(pool, sort), right.term(pool, sort))
    }
}

/// How a sum is compared with zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// =
    Eq,
    /// <
    Lt,
    /// ≤
    Le,
}

impl Relation {
    /// The relation of an operator that compares numbers.
    pub fn of(op: &Op) -> Option<Relation> {
        match op {
            Op::Eq => Some(Relation::Eq),
            Op::Lt => Some(Relation::Lt),
            Op::Le => Some(Relation::Le),
            _ => None,
        }
    }

    /// `left` ⋈ `right`
    pub fn atom(self, pool: &Pool, left: Term, right: Term) -> Term {
        match self {
            Relation::Eq => pool.eq(left, right),
            Relation::Lt => pool.lt(left, right),
            Relation::Le => pool.le(left, right),
        }
    }

    /// What `integer + constant ⋈ 0` says, with a constant that is an integer and without `<`;
    /// `None` if nothing satisfies it.
    pub(crate) fn tighten(self, constant: &BigRational) -> Option<(BigRational, Relation)> {
        match self {
            Relation::Eq => constant.is_integer().then(|| (constant.clone(), self)),
            Relation::Le => Some((constant.ceil(), self)),
            Relation::Lt => Some((constant.floor() + BigRational::one(), Relation::Le)),
        }
    }
}
