//! A canonical form of linear equations over bit-vectors.
//!
//! Equal up to the laws of addition is a hard question for a SAT solver and an easy one for a
//! table of coefficients: a = b becomes Σ cᵢ·xᵢ + c₀ = 0, modulo 2^width, with the xᵢ in order
//! and the sign chosen such that the first coefficient is positive. Equations that say the same
//! are the same term then.

use std::collections::BTreeMap;
use term::traverse::free_vars;
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// How many sums are opened.
const MAX_NODES: usize = 256;

/// An equation of bit-vectors in canonical form; other formulas as they are.
pub(crate) fn canonical(pool: &Pool, formula: Term) -> Term {
    let [a, b] = pool.args(formula)[..] else { return formula };
    let Sort::BitVec(width) = pool.sort(a) else { return formula };
    if *pool.op(formula) != Op::Eq {
        return formula;
    }
    let mut sum =
        Sum { pool, width, terms: BTreeMap::new(), constant: Bits::zero(width), opened: 0 };
    sum.add(a, Bits::one(width));
    sum.add(b, Bits::ones(width));
    sum.equation()
}

/// A literal that is a linear equation of three variables or more, or the negation of one, with the
/// equation in canonical form; others as they are: a solver sees through those by itself.
pub(crate) fn canonical_literal(pool: &Pool, literal: Term) -> Term {
    let negated = *pool.op(literal) == Op::Not;
    let atom = if negated { pool.args(literal)[0] } else { literal };
    if *pool.op(atom) != Op::Eq || free_vars(pool, &[atom]).len() < 3 {
        return literal;
    }
    let equation = canonical(pool, atom);
    if negated { pool.not(equation) } else { equation }
}

struct Sum<'a> {
    pool: &'a Pool,
    width: u32,
    terms: BTreeMap<Term, Bits>,
    constant: Bits,
    opened: usize,
}

impl Sum<'_> {
    /// Adds factor · term.
    fn add(&mut self, term: Term, factor: Bits) {
        let pool = self.pool;
        let mut pending = vec![(term, factor)];
        while let Some((term, factor)) = pending.pop() {
            if let Some(bits) = pool.as_bits(term) {
                self.constant = self.constant.add(&bits.mul(&factor));
                continue;
            }
            self.opened += 1;
            let args = pool.args(term);
            match pool.op(term) {
                _ if self.opened > MAX_NODES => self.add_atom(term, &factor),
                Op::BvAdd => pending.extend([(args[0], factor.clone()), (args[1], factor)]),
                Op::BvSub => {
                    let negative = factor.neg();
                    pending.extend([(args[0], factor), (args[1], negative)]);
                }
                Op::BvNeg => pending.push((args[0], factor.neg())),
                Op::BvMul | Op::BvShl => match (pool.as_bits(args[1]), pool.op(term)) {
                    (Some(by), Op::BvMul) => pending.push((args[0], factor.mul(by))),
                    (Some(by), _) => pending.push((args[0], factor.shl(by))),
                    (None, _) => self.add_atom(term, &factor),
                },
                Op::BvConcat => match self.shifted(args[0], args[1]) {
                    Some((whole, by)) => {
                        let by = Bits::from_u64(self.width, u64::from(by));
                        pending.push((whole, factor.shl(&by)));
                    }
                    None => self.add_atom(term, &factor),
                },
                _ => self.add_atom(term, &factor),
            }
        }
    }

    fn add_atom(&mut self, term: Term, factor: &Bits) {
        let entry = self.terms.entry(term).or_insert_with(|| Bits::zero(self.width));
        *entry = entry.add(factor);
    }

    /// x and k, of the low bits of x above k zeros: x·2^k.
    fn shifted(&self, upper: Term, lower: Term) -> Option<(Term, u32)> {
        let pool = self.pool;
        if !pool.as_bits(lower)?.is_zero() {
            return None;
        }
        let whole = match pool.op(upper) {
            Op::BvExtract { low: 0, .. } => pool.args(upper)[0],
            _ => return None,
        };
        (pool.width(whole) == self.width).then(|| (whole, pool.width(lower)))
    }

    fn equation(mut self) -> Term {
        let pool = self.pool;
        self.terms.retain(|_, factor| !factor.is_zero());
        let negative = self.terms.values().next().is_some_and(Bits::is_negative);
        let signed = |b: &Bits| if negative { b.neg() } else { b.clone() };
        let zero = pool.bits(Bits::zero(self.width));
        let mut sum = zero;
        for (term, factor) in &self.terms {
            sum = pool.bv_add(sum, pool.bv_mul(*term, pool.bits(signed(factor))));
        }
        // The constant on the other side: Σ cᵢ·xᵢ = −c₀.
        pool.eq(sum, pool.bits(signed(&self.constant).neg()))
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
        let before = pool.eq(z, pool.bv_add(x, pool.bv_mul(y, n(2))));
        let [x1, y1, z1] = [pool.bv_add(x, n(1)), pool.bv_sub(y, n(1)), pool.bv_sub(z, n(1))];
        let after = pool.eq(z1, pool.bv_add(x1, pool.bv_shl(y1, n(1))));
        assert_eq!(canonical(&pool, before), canonical(&pool, after));
        let doubled = pool.make(Op::BvConcat, &[pool.bv_extract(y, 30, 0), pool.bv(0, 1)]);
        assert_eq!(canonical(&pool, pool.eq(z, pool.bv_add(doubled, x))), canonical(&pool, before));
        assert_ne!(canonical(&pool, pool.eq(z, x)), canonical(&pool, before));
        assert_eq!(canonical(&pool, pool.eq(x, pool.bv_add(x, n(0)))), pool.tru());
    }

    #[test]
    fn the_canonical_form_means_the_same() {
        let pool = Pool::new();
        let [x, y] = ["x", "y"].map(|n| pool.var(n, Sort::BitVec(3)));
        let n = |n: u64| pool.bv(n, 3);
        let equation = pool.eq(
            pool.bv_sub(pool.bv_mul(x, n(3)), y),
            pool.bv_add(pool.bv_neg(x), pool.bv_add(pool.bv_and(x, y), n(5))),
        );
        let same = canonical(&pool, equation);
        assert_ne!(same, equation);
        for a in 0..8 {
            for b in 0..8 {
                let value = |n| term::Value::Bits(Bits::from_u64(3, n));
                let state = program::execute::Values::from_iter([(x, value(a)), (y, value(b))]);
                let of = |t| term::evaluate(&pool, t, &state);
                assert_eq!(of(equation), of(same), "{a} {b}");
            }
        }
    }
}
