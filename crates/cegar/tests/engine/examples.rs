//! Automata built by hand.

use crate::configurations::{certify, check, check_watched, configurations, examine};
use cegar::{Options, Statistics};
use kit::automata::{Automaton, gcd};
use program::cfa::Command::{self, Assign, Assume, Choice, Sequence};
use program::verdict::{Reason, Verdict};
use smt::{Allowance, Exhausted, Standard};
use std::time::{Duration, Instant};
use term::{Sort, Term};

/// x counts from 0 to `end` by `step`; afterwards it is `end`.
fn counter(width: u32, end: u64, step: u64) -> Automaton {
    let mut b = Automaton::default();
    let x = b.variable("x", Sort::BitVec(width));
    let [start, head, error] = b.locations();
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, width);
    let below = pool.bv_ult(x, n(end));
    let (first, next) = (Assign(x, n(0)), Assign(x, pool.bv_add(x, n(step))));
    let (again, bad) = (Assume(below), Assume(pool.and([pool.not(below), pool.ne(x, n(end))])));
    b.edge(start, vec![first], head);
    b.edge(head, vec![again, next], head);
    b.edge(head, vec![bad], error);
    b
}

/// A lock is taken and given back in a loop, which ends when nothing has changed in between
/// (the example of Henzinger et al. 2002).
fn lock(correct: bool) -> Automaton {
    let mut b = Automaton::default();
    let taken = b.variable("lock", Sort::Bool);
    let [old, new] = ["old", "new"].map(|n| b.variable(n, Sort::BitVec(32)));
    let [start, head, inside, error] = b.locations();
    let pool = &b.pool;
    let (yes, no) = (pool.tru(), pool.fls());
    let changed = pool.ne(old, new);
    let release =
        vec![Assign(taken, no), Assign(new, pool.bv_add(new, pool.bv(u64::from(correct), 32)))];
    let work = Choice(vec![Command::skip(), Sequence(release)]);
    let (again, leave) = (Assume(changed), Assume(pool.not(changed)));
    let (held, free) = (Assume(taken), Assume(pool.not(taken)));
    let (acquire, note) = (Assign(taken, yes), Assign(old, new));
    b.edge(start, vec![Assign(taken, no)], head);
    // Taking a lock that is held is an error.
    b.edge(head, vec![held], error);
    b.edge(head, vec![free.clone(), acquire, note, work], inside);
    b.edge(inside, vec![again], head);
    // So is giving back one that is free.
    b.edge(inside, vec![leave, free], error);
    b
}

#[test]
fn counters_stop_at_their_bound() {
    let b = counter(32, 1_000_000, 1);
    let mut statistics = Statistics::default();
    let Verdict::Safe(proof) = check_watched(&b, &Options::default(), &mut statistics) else {
        panic!("safe")
    };
    certify(&b, &proof);
    assert!(statistics.refinements > 0 && statistics.predicates > 0, "{statistics:?}");
    assert!(statistics.refinements < 20, "comparisons of the program do: {statistics:?}");
}

#[test]
fn counters_that_jump_over_their_bound_are_found() {
    let b = counter(8, 20, 3);
    for (name, options) in configurations() {
        let Verdict::Unsafe(run) = check(&b, &options) else { panic!("{name}: unsafe") };
        assert_eq!(run.steps.len(), 9, "{name}");
        examine(&b, &Verdict::Unsafe(run));
    }
}

#[test]
fn locks_are_used_in_turns() {
    for (name, options) in configurations() {
        let b = lock(true);
        let Verdict::Safe(proof) = check(&b, &options) else { panic!("{name}: safe") };
        certify(&b, &proof);
        assert!(matches!(check(&lock(false), &options), Verdict::Unsafe(_)), "{name}: unsafe");
    }
}

#[test]
fn the_greatest_common_divisor_is_no_larger() {
    let b = gcd(3);
    let expected = b.is_safe();
    for (name, options) in configurations() {
        assert_eq!(examine(&b, &check(&b, &options)), Some(expected), "{name}");
    }
}

/// a[i] is written and read in a loop: predicates about elements.
#[test]
fn elements_of_arrays_are_compared() {
    let mut b = Automaton::default();
    let sort = b.pool.array_sort(Sort::BitVec(8), Sort::BitVec(8));
    let a = b.variable("a", sort);
    let i = b.variable("i", Sort::BitVec(8));
    let [start, head, error] = b.locations();
    let havoc = b.havoc(i);
    let pool = &b.pool;
    let three = pool.bv(3, 8);
    let write = Assign(a, pool.store(a, i, three));
    let bad = Assume(pool.bv_ult(pool.bv(5, 8), pool.select(a, i)));
    let again = Assume(pool.bv_ult(pool.select(a, i), pool.bv(4, 8)));
    b.edge(start, vec![havoc, write], head);
    b.edge(head, vec![again], head);
    b.edge(head, vec![bad], error);
    let Verdict::Safe(proof) = check(&b, &Options::default()) else { panic!("safe") };
    certify(&b, &proof);
}

/// The factors of a large number: too hard to be found.
fn hard() -> Automaton {
    let mut b = Automaton::default();
    let [x, y] = ["x", "y"].map(|n| b.variable(n, Sort::BitVec(64)));
    let [start, middle, error] = b.locations();
    let (havoc_x, havoc_y) = (b.havoc(x), b.havoc(y));
    let pool = &b.pool;
    let n = |n: u64| pool.bv(n, 64);
    let factor = |x: Term| Assume(pool.and([pool.bv_ult(n(1), x), pool.bv_ult(x, n(1 << 32))]));
    let (small_x, small_y) = (factor(x), factor(y));
    let product = Assume(pool.eq(pool.bv_mul(x, y), n(9_023_581_641_510_030_989)));
    b.edge(start, vec![havoc_x, havoc_y, small_x, small_y], middle);
    b.edge(middle, vec![product], error);
    b
}

#[test]
fn limits_and_interrupts_end_the_search() {
    let b = hard();
    let (pool, cfa, options) = (&b.pool, &b.cfa, Options::default());
    let started = Instant::now();
    let allowance = Allowance::default();
    let within =
        |allowance: &Allowance| cegar::check(pool, cfa, &options, &Standard, allowance, &mut ());
    let stopped = |verdict: &Verdict, by: Exhausted| match verdict {
        Verdict::Unknown(reason) => *reason == Reason::Stopped(by),
        Verdict::Safe(_) | Verdict::Unsafe(_) => false,
    };
    let verdict = within(&allowance.within(Duration::from_millis(50)));
    assert!(stopped(&verdict, Exhausted::Time), "{verdict:?}");
    let verdict = within(&allowance.with_work(10));
    assert!(stopped(&verdict, Exhausted::Work), "{verdict:?}");
    let interrupt = allowance.interrupt.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        interrupt.raise();
    });
    let verdict = within(&allowance);
    thread.join().expect("it only waits");
    assert!(stopped(&verdict, Exhausted::Interrupted), "{verdict:?}");
    assert!(started.elapsed() < Duration::from_secs(10), "stopped late");
    let few = Options { states: 2, ..options };
    let verdict = check(&counter(8, 20, 1), &few);
    assert!(matches!(verdict, Verdict::Unknown(Reason::GaveUp(_))), "{verdict:?}");
}

#[test]
fn automata_without_a_question_are_answered() {
    let mut b = counter(8, 20, 1);
    b.cfa.error = None;
    assert!(matches!(check(&b, &Options::default()), Verdict::Safe(_)));
    b.cfa.error = b.cfa.initial;
    assert!(matches!(check(&b, &Options::default()), Verdict::Unsafe(_)));
    b.cfa.initial = None;
    assert!(matches!(check(&b, &Options::default()), Verdict::Safe(_)));
}
