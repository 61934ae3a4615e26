//! Sums of numbers as one term: products with constants, each once, and a constant.
//!
//! Numbers that go on by constants keep their balance (`s − 3·i` when `s` goes on by 3 and `i` by 1);
//! written as such sums, that is seen without a solver.

use std::collections::BTreeMap;
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// How many parts of a sum are looked at.
const MAX_PARTS: usize = 64;

/// The same number, as a sum in one form.
pub fn canonical(pool: &Pool, term: Term) -> Term {
    let Sort::BitVec(width) = pool.sort(term) else { return term };
    if !matches!(pool.op(term), Op::BvAdd | Op::BvSub | Op::BvNeg | Op::BvMul | Op::BvConcat) {
        return term;
    }
    let Some((parts, constant)) = sum(pool, term, width) else { return term };
    let parts = parts.into_iter().filter(|(_, factor)| !factor.is_zero());
    let mut whole = None;
    for (part, factor) in parts {
        let times = match factor == Bits::one(width) {
            true => part,
            false => pool.bv_mul(part, pool.bits(factor)),
        };
        whole = Some(whole.map_or(times, |whole| pool.bv_add(whole, times)));
    }
    match whole {
        None => pool.bits(constant),
        Some(whole) if constant.is_zero() => whole,
        Some(whole) => pool.bv_add(whole, pool.bits(constant)),
    }
}

/// The factors of what a sum consists of, and its constant.
fn sum(pool: &Pool, term: Term, width: u32) -> Option<(BTreeMap<Term, Bits>, Bits)> {
    let mut parts: BTreeMap<Term, Bits> = BTreeMap::new();
    let mut constant = Bits::zero(width);
    let mut pending = vec![(term, Bits::one(width))];
    let mut steps = 0;
    while let Some((term, factor)) = pending.pop() {
        steps += 1;
        if steps > MAX_PARTS {
            return None;
        }
        if let Some(value) = pool.as_bits(term) {
            constant = constant.add(&value.mul(&factor));
            continue;
        }
        let args = pool.args(term);
        match pool.op(term) {
            Op::BvAdd => pending.extend(args.iter().map(|arg| (*arg, factor.clone()))),
            Op::BvSub => pending.extend([(args[0], factor.clone()), (args[1], factor.neg())]),
            Op::BvNeg => pending.push((args[0], factor.neg())),
            _ => match scaled(pool, term) {
                Some((part, more)) => pending.push((part, factor.mul(&more))),
                None => {
                    let known = parts.entry(term).or_insert_with(|| Bits::zero(width));
                    *known = known.add(&factor);
                }
            },
        }
    }
    Some((parts, constant))
}

/// A product with a constant, also if it is written as a shift to the left.
fn scaled(pool: &Pool, term: Term) -> Option<(Term, Bits)> {
    let args = pool.args(term);
    let width = pool.width(term);
    match pool.op(term) {
        Op::BvMul => match (pool.as_bits(args[0]), pool.as_bits(args[1])) {
            (Some(factor), _) => Some((args[1], factor.clone())),
            (_, Some(factor)) => Some((args[0], factor.clone())),
            _ => None,
        },
        Op::BvConcat => {
            let low = pool.as_bits(args[1]).filter(|low| low.is_zero())?.width();
            let Op::BvExtract { low: 0, .. } = pool.op(args[0]) else { return None };
            let part = pool.args(args[0])[0];
            let factor = u64::checked_shl(1, low).filter(|_| low < 64)?;
            (pool.width(part) == width).then(|| (part, Bits::from_u64(width, factor)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Value;
    use term::traverse::substitute;

    #[test]
    fn sums_are_what_they_were() {
        let pool = Pool::new();
        let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(8)));
        let number = |n: u64| pool.bv(n, 8);
        let thrice = pool.bv_mul(pool.bv_add(x, number(1)), number(3));
        let four = pool.bv_mul(y, number(4));
        let terms = [
            pool.bv_sub(thrice, pool.bv_mul(x, number(3))),
            pool.bv_sub(pool.bv_neg(four), thrice),
            pool.bv_add(four, pool.bv_sub(x, y)),
            pool.bv_mul(four, pool.bv_sub(x, y)),
        ];
        for term in terms {
            let same = canonical(&pool, term);
            for (a, b) in [(0, 0), (1, 255), (77, 130), (255, 3), (128, 64)] {
                let held = [(x, number(a)), (y, number(b))];
                let values: Vec<Option<Value>> = [term, same]
                    .iter()
                    .map(|t| pool.value(substitute(&pool, *t, held)).cloned())
                    .collect();
                assert!(values[0].is_some() && values[0] == values[1], "{term:?} {a} {b}");
            }
        }
        assert_eq!(canonical(&pool, terms[0]), number(3));
    }
}
