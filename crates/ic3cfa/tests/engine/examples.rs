//! Examples of the papers, built by hand.

use crate::configurations::check;
use ic3cfa::Options;
use kit::automata::{Automaton, gcd};
use program::cfa::Command::{Assign, Assume};
use program::verdict::Verdict;
use term::Sort;

#[test]
fn the_greatest_common_divisor_is_no_larger() {
    let b = gcd(3);
    let expected = b.is_safe();
    for letter in ['D', 'O'] {
        let options = Options::preset(letter).expect("a preset");
        let verdict = check(&b, &options);
        assert_eq!(b.examine(&verdict), Some(expected), "{letter}");
    }
    let verdict = check(&b, &Options::default());
    assert_eq!(b.examine(&verdict), Some(expected));
}

/// [Lan18, Figure 4.4]: x counts up from 0 and never is 9 when it has passed 10; exact
/// predecessors of x = 9 alone go on for ever over the integers.
#[test]
fn counting_past_a_value() {
    let mut b = Automaton::default();
    let x = b.variable("x", Sort::BitVec(32));
    let [start, head, error] = b.locations();
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, 32);
    let (ten, count) = (Assign(x, n(10)), Assign(x, pool.bv_add(x, n(1))));
    let below = Assume(pool.bv_slt(x, n(1000)));
    let bad = Assume(pool.eq(x, n(9)));
    b.edge(start, vec![ten], head);
    b.edge(head, vec![below, count], head);
    b.edge(head, vec![bad], error);
    assert!(matches!(check(&b, &Options::default()), Verdict::Safe(_)));
}

/// A loop of 20 rounds before the violation.
#[test]
fn a_deep_violation_is_found() {
    let mut b = Automaton::default();
    let [x, y] = ["x", "y"].map(|n| b.variable(n, Sort::BitVec(32)));
    let [start, head, error] = b.locations();
    let havoc = b.havoc(y);
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, 32);
    let first = vec![Assign(x, n(0)), Assign(y, n(0))];
    let step = vec![havoc, Assume(pool.bv_ult(y, n(2))), Assign(x, pool.bv_add(x, y))];
    let bad = Assume(pool.eq(x, n(20)));
    b.edge(start, first, head);
    b.edge(head, step, head);
    b.edge(head, vec![bad], error);
    let Verdict::Unsafe(run) = check(&b, &Options::default()) else { panic!("unsafe") };
    assert_eq!(run.steps.len(), 22);
}
