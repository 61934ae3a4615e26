//! Examples of the papers, built by hand.

use super::Automaton;
use program::cfa::Command::{Assign, Assume};
use term::{Sort, Term};

/// \[Lan18, Listing 1\]: the greatest common divisor of two numbers of `width` bits is no larger than
/// the second, if that is positive.
pub fn gcd(width: u32) -> Automaton {
    let mut b = Automaton::default();
    let [a, d, y, t] = ["a", "b", "y", "t"].map(|n| b.variable(n, Sort::BitVec(width)));
    let [start, sign, sign_of_b, head, after, last, error] = b.locations();
    let (havoc_a, havoc_b) = (b.havoc(a), b.havoc(d));
    let pool = &b.pool;
    let zero = pool.bv(0, width);
    let negative = |x: Term| pool.bv_slt(x, zero);
    let negate = |x: Term| vec![Assume(negative(x)), Assign(x, pool.bv_neg(x))];
    let (negate_a, negate_b) = (negate(a), negate(d));
    let (keep_a, keep_b) = (pool.not(negative(a)), pool.not(negative(d)));
    let done = pool.eq(d, zero);
    let step =
        vec![Assume(pool.not(done)), Assign(t, d), Assign(d, pool.bv_srem(a, d)), Assign(a, t)];
    let (positive, violated) = (pool.bv_slt(zero, y), pool.bv_slt(y, a));
    b.edge(start, vec![havoc_a, havoc_b, Assign(y, d)], sign);
    b.edge(sign, negate_a, sign_of_b);
    b.edge(sign, vec![Assume(keep_a)], sign_of_b);
    b.edge(sign_of_b, negate_b, head);
    b.edge(sign_of_b, vec![Assume(keep_b)], head);
    b.edge(head, step, head);
    b.edge(head, vec![Assume(done)], after);
    b.edge(after, vec![Assume(positive)], last);
    b.edge(last, vec![Assume(violated)], error);
    b
}
