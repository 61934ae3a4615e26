//! Arithmetic on addresses: offsets from an object, and indices of arrays of words.

use term::{Op, Pool, Term};

/// How deep sums and choices are taken apart.
const DEPTH: u32 = 16;

/// `term − base`; if the term is a sum with the base in it, the rest of the sum.
pub(super) fn offset(pool: &Pool, term: Term, base: Term) -> Term {
    without(pool, term, base, DEPTH).unwrap_or_else(|| pool.bv_sub(term, base))
}

fn without(pool: &Pool, term: Term, base: Term, depth: u32) -> Option<Term> {
    if term == base {
        return Some(pool.bv(0, pool.width(term)));
    }
    if depth == 0 {
        return None;
    }
    match (pool.op(term), pool.args(term)) {
        (Op::BvAdd, &[a, b]) => without(pool, a, base, depth - 1)
            .map(|rest| pool.bv_add(rest, b))
            .or_else(|| Some(pool.bv_add(a, without(pool, b, base, depth - 1)?))),
        (Op::BvSub, &[a, b]) => Some(pool.bv_sub(without(pool, a, base, depth - 1)?, b)),
        _ => None,
    }
}

/// Bits `high` down to `low` of a term, with the cut moved inwards through sums.
///
/// Requires: `aligned(t)` only if the bits of t below `low` are zero.
pub(super) fn slice(
    pool: &Pool,
    term: Term,
    high: u32,
    low: u32,
    aligned: &mut impl FnMut(Term) -> bool,
) -> Term {
    cut(pool, term, high, low, DEPTH, aligned)
}

fn cut(
    pool: &Pool,
    term: Term,
    high: u32,
    low: u32,
    depth: u32,
    aligned: &mut impl FnMut(Term) -> bool,
) -> Term {
    if depth > 0 {
        match (pool.op(term), pool.args(term)) {
            // No carry comes from below if the low bits of both are zero; what is above does
            // not matter to a sum.
            (Op::BvAdd | Op::BvSub, &[a, b]) if low == 0 || (aligned(a) && aligned(b)) => {
                let a = cut(pool, a, high, low, depth - 1, aligned);
                let b = cut(pool, b, high, low, depth - 1, aligned);
                return pool.make(pool.op(term).clone(), &[a, b]);
            }
            (Op::BvNeg, &[a]) if low == 0 || aligned(a) => {
                return pool.bv_neg(cut(pool, a, high, low, depth - 1, aligned));
            }
            (Op::Ite, &[c, a, b]) => {
                let a = cut(pool, a, high, low, depth - 1, aligned);
                let b = cut(pool, b, high, low, depth - 1, aligned);
                return pool.ite(c, a, b);
            }
            _ => {}
        }
    }
    pool.bv_extract(term, high, low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::Sort;

    #[test]
    fn indices_of_words_need_no_division() {
        let pool = Pool::new();
        let base = pool.var("base", Sort::BitVec(32));
        let i = pool.var("i", Sort::BitVec(32));
        let four_i = pool.bv_mul(i, pool.bv(4, 32));
        let address = pool.bv_add(pool.bv_add(base, pool.bv(8, 32)), four_i);
        let rest = offset(&pool, address, base);
        let index = slice(&pool, rest, 4, 2, &mut |_| true);
        let expected = pool.bv_add(pool.bv_extract(i, 2, 0), pool.bv(2, 3));
        assert_eq!(index, expected);
    }
}
