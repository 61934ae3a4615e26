//! Examples of the papers, built by hand.

use crate::kit::{Builder, examine};
use ic3cfa::Options;
use program::cfa::Command;
use program::verdict::Verdict;
use term::{Sort, Term};

use Command::{Assign, Assume};

/// [Lan18, Listing 1]: the greatest common divisor of two numbers of `width` bits, with the
/// assertion y ≥ a where y is the second of them, if it is positive.
fn gcd(width: u32) -> Builder {
    let mut b = Builder::default();
    let [a, d, y, t] = ["a", "b", "y", "t"].map(|n| b.variable(n, Sort::BitVec(width)));
    let locations: Vec<_> = (0..7).map(|_| b.location()).collect();
    let [start, sign, sign_of_b, head, after, last, error] = locations[..] else { unreachable!() };
    b.cfa.initial = Some(start);
    b.cfa.error = Some(error);
    let (havoc_a, havoc_b) = (b.havoc(a), b.havoc(d));
    b.edge(start, vec![havoc_a, havoc_b, Assign(y, d)], sign);
    let pool = &b.pool;
    let zero = pool.bv(0, width);
    let negative = |x: Term| pool.bv_slt(x, zero);
    let negate = |x: Term| vec![Assume(negative(x)), Assign(x, pool.bv_neg(x))];
    let (negate_a, negate_b) = (negate(a), negate(d));
    let (keep_a, keep_b) = (pool.not(negative(a)), pool.not(negative(d)));
    let done = pool.eq(d, zero);
    let step =
        vec![Assume(pool.not(done)), Assign(t, d), Assign(d, pool.bv_srem(a, d)), Assign(a, t)];
    let positive = pool.bv_slt(zero, y);
    let violated = pool.bv_slt(y, a);
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

#[test]
fn the_greatest_common_divisor_is_no_larger() {
    let b = gcd(3);
    let expected = !crate::kit::is_unsafe(&b.pool, &b.cfa);
    for letter in ['D', 'O'] {
        let options = Options::preset(letter).expect("a preset");
        let verdict = b.check(&options);
        assert_eq!(examine(&b.pool, &b.cfa, &verdict), Some(expected), "{letter}");
    }
    let verdict = b.check(&Options::default());
    assert_eq!(examine(&b.pool, &b.cfa, &verdict), Some(expected));
}

/// [Lan18, Figure 4.4]: x counts up from 0 and never is 9 when it has passed 10; exact
/// predecessors of x = 9 alone go on for ever over the integers.
#[test]
fn counting_past_a_value() {
    let mut b = Builder::default();
    let x = b.variable("x", Sort::BitVec(32));
    let locations: Vec<_> = (0..3).map(|_| b.location()).collect();
    let [start, head, error] = locations[..] else { unreachable!() };
    (b.cfa.initial, b.cfa.error) = (Some(start), Some(error));
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, 32);
    let (ten, count) = (Assign(x, n(10)), Assign(x, pool.bv_add(x, n(1))));
    let below = Assume(pool.bv_slt(x, n(1000)));
    let bad = Assume(pool.eq(x, n(9)));
    b.edge(start, vec![ten], head);
    b.edge(head, vec![below, count], head);
    b.edge(head, vec![bad], error);
    assert!(matches!(b.check(&Options::default()), Verdict::Safe(_)));
}

/// A loop of 20 rounds before the violation.
#[test]
fn a_deep_violation_is_found() {
    let mut b = Builder::default();
    let [x, y] = ["x", "y"].map(|n| b.variable(n, Sort::BitVec(32)));
    let locations: Vec<_> = (0..3).map(|_| b.location()).collect();
    let [start, head, error] = locations[..] else { unreachable!() };
    (b.cfa.initial, b.cfa.error) = (Some(start), Some(error));
    let havoc = b.havoc(y);
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, 32);
    let first = vec![Assign(x, n(0)), Assign(y, n(0))];
    let step = vec![havoc, Assume(pool.bv_ult(y, n(2))), Assign(x, pool.bv_add(x, y))];
    let bad = Assume(pool.eq(x, n(20)));
    b.edge(start, first, head);
    b.edge(head, step, head);
    b.edge(head, vec![bad], error);
    let Verdict::Unsafe(run) = b.check(&Options::default()) else { panic!("unsafe") };
    assert_eq!(run.steps.len(), 22);
}
