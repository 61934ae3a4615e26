//! Linear equations over bit-vectors, modulo 2^width.
//!
//! That equations follow from others is a hard question for a SAT solver, which sees adders, and
//! an easy one for elimination; so questions about equations are asked here first.

use std::collections::BTreeMap;
use term::traverse::conjuncts;
use term::{Op, Pool, Sort, Term};

/// How many sums are opened in one term.
const MAX_NODES: usize = 256;

/// Σ factor · term + constant, modulo 2^width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    /// At most 64.
    pub width: u32,
    /// No factor is zero. Terms that are not sums are taken as they are.
    pub terms: BTreeMap<Term, u64>,
    /// The rest.
    pub constant: u64,
}

impl Linear {
    fn zero(width: u32) -> Linear {
        Linear { width, terms: BTreeMap::new(), constant: 0 }
    }

    fn cut(&self, number: u64) -> u64 {
        number & (u64::MAX >> (64 - self.width))
    }

    /// A bit-vector term of at most 64 bits as a sum.
    pub fn of(pool: &Pool, term: Term) -> Option<Linear> {
        let Sort::BitVec(width @ 1..=64) = pool.sort(term) else { return None };
        let mut sum = Linear::zero(width);
        sum.add_term(pool, term, 1);
        Some(sum)
    }

    /// The sum that an equation says is zero.
    pub fn of_equation(pool: &Pool, formula: Term) -> Option<Linear> {
        let (Op::Eq, &[a, b]) = (pool.op(formula), pool.args(formula)) else { return None };
        let mut sum = Linear::of(pool, a)?;
        sum.add_term(pool, b, u64::MAX);
        Some(sum)
    }

    /// Whether it is zero whatever the terms are.
    pub fn is_zero(&self) -> bool {
        self.constant == 0 && self.terms.is_empty()
    }

    fn add_atom(&mut self, term: Term, factor: u64) {
        let old = self.terms.remove(&term).unwrap_or(0);
        let new = self.cut(old.wrapping_add(factor));
        if new != 0 {
            self.terms.insert(term, new);
        }
    }

    /// Adds factor · other.
    pub fn add(&mut self, other: &Linear, factor: u64) {
        self.constant = self.cut(self.constant.wrapping_add(other.constant.wrapping_mul(factor)));
        for (&term, &coefficient) in &other.terms {
            self.add_atom(term, coefficient.wrapping_mul(factor));
        }
    }

    fn add_term(&mut self, pool: &Pool, term: Term, factor: u64) {
        let number = |term: Term| pool.as_bits(term).and_then(value::Bits::to_u64);
        let mut pending = vec![(term, factor)];
        let mut opened = 0;
        while let Some((term, factor)) = pending.pop() {
            if let Some(number) = number(term) {
                self.constant = self.cut(self.constant.wrapping_add(number.wrapping_mul(factor)));
                continue;
            }
            opened += 1;
            let args = pool.args(term);
            match pool.op(term) {
                _ if opened > MAX_NODES => self.add_atom(term, factor),
                Op::BvAdd => pending.extend(args.iter().map(|a| (*a, factor))),
                Op::BvSub => pending.extend([(args[0], factor), (args[1], factor.wrapping_neg())]),
                Op::BvNeg => pending.push((args[0], factor.wrapping_neg())),
                Op::BvMul => match (number(args[0]), number(args[1])) {
                    (Some(by), _) => pending.push((args[1], factor.wrapping_mul(by))),
                    (_, Some(by)) => pending.push((args[0], factor.wrapping_mul(by))),
                    _ => self.add_atom(term, factor),
                },
                Op::BvShl => match number(args[1]) {
                    Some(by) if by < u64::from(self.width) => {
                        pending.push((args[0], factor.wrapping_mul(1 << by)));
                    }
                    _ => self.add_atom(term, factor),
                },
                _ => self.add_atom(term, factor),
            }
        }
    }
}

/// The inverse of an odd number modulo 2^64: each round doubles the bits that are right.
fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    for _ in 0..6 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

/// Equations in solved form: each has a term with factor one that no other mentions.
#[derive(Default, Debug)]
pub struct Equations {
    rows: Vec<(Term, Linear)>,
}

impl Equations {
    /// The equations among the conjuncts of some formulas, as far as they can be solved for a term.
    pub fn new(pool: &Pool, formulas: &[Term]) -> Equations {
        let mut equations = Equations::default();
        for &formula in formulas {
            for conjunct in conjuncts(pool, formula) {
                if let Some(sum) = Linear::of_equation(pool, conjunct) {
                    equations.assume(&sum);
                }
            }
        }
        equations
    }

    fn assume(&mut self, sum: &Linear) {
        let mut row = self.reduce(sum);
        let Some((&pivot, &factor)) = row.terms.iter().find(|(_, factor)| **factor % 2 == 1) else {
            return;
        };
        let scale = inverse(factor);
        let mut solved = Linear::zero(row.width);
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

    /// The sum with the solved terms eliminated.
    fn reduce(&self, sum: &Linear) -> Linear {
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
    pub fn imply(&self, sum: &Linear) -> bool {
        self.reduce(sum).is_zero()
    }

    /// Whether some of the formulas deny an equation that follows.
    pub fn contradict(&self, pool: &Pool, formulas: &[Term]) -> bool {
        formulas.iter().flat_map(|formula| conjuncts(pool, *formula)).any(|conjunct| {
            let denied = (*pool.op(conjunct) == Op::Not).then(|| pool.args(conjunct)[0]);
            let sum = denied.and_then(|equation| Linear::of_equation(pool, equation));
            sum.is_some_and(|sum| self.imply(&sum))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let sum = Linear::of_equation(&pool, follows).expect("an equation of bit-vectors");
        assert!(equations.imply(&sum));
        assert!(equations.contradict(&pool, &[pool.not(follows)]));
        let other = pool.eq(z, x);
        let sum = Linear::of_equation(&pool, other).expect("an equation of bit-vectors");
        assert!(!equations.imply(&sum));
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 255, 0xdead_beef, u64::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }
}
