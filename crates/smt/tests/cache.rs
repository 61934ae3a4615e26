//! The cache answers what was asked before, and only that.

use smt::{Allowance, Answer, Cached, Exhausted, Reason, Solver, native};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use term::{Pool, Sort, Term, Value};
use value::Bits;

fn cached(capacity: usize) -> Cached<smt::Native> {
    Cached::new(native(), NonZeroUsize::new(capacity).expect("not zero"))
}

struct Words {
    pool: Pool,
    x: Term,
    y: Term,
}

impl Words {
    fn new(width: u32) -> Self {
        let pool = Pool::new();
        let (x, y) = (pool.var("x", Sort::BitVec(width)), pool.var("y", Sort::BitVec(width)));
        Words { pool, x, y }
    }
}

#[test]
fn answers_models_and_cores_are_the_solvers() {
    let Words { pool, x, y } = Words::new(8);
    let mut solver = cached(10);
    let below = pool.bv_ult(x, y);
    let above = pool.bv_ult(y, x);
    let five = pool.eq(x, pool.bv(5, 8));
    for round in 0..2 {
        assert_eq!(solver.check(&pool, &[below, above, five]), Ok(Answer::Unsat));
        let core = solver.core();
        assert!(core.contains(&below) && core.contains(&above), "{core:?}");
        assert_eq!(solver.check(&pool, &[five, below]), Ok(Answer::Sat));
        assert_eq!(solver.value(&pool, x), Ok(Value::Bits(Bits::from_u64(8, 5))));
        assert_eq!(solver.hits_and_misses(), (2 * round, 2));
    }
    // The order of assumptions does not matter; a clause and an assertion do.
    assert_eq!(solver.check(&pool, &[below, five, below]), Ok(Answer::Sat));
    assert_eq!(solver.hits_and_misses().1, 2);
    assert_eq!(solver.check_with(&pool, &[five, below], &[above]), Ok(Answer::Unsat));
    solver.push();
    solver.assert(&pool, above).expect("supported");
    assert_eq!(solver.check(&pool, &[five, below]), Ok(Answer::Unsat));
    solver.pop(1);
    assert_eq!(solver.check(&pool, &[five, below]), Ok(Answer::Sat));
    assert_eq!(solver.hits_and_misses().1, 4);
}

#[test]
fn the_least_recently_used_answer_goes() {
    let Words { pool, x, .. } = Words::new(8);
    let mut solver = cached(2);
    let equals = |n| pool.eq(x, pool.bv(n, 8));
    for n in [0, 1, 0, 2, 0, 1] {
        assert_eq!(solver.check(&pool, &[equals(n)]), Ok(Answer::Sat));
    }
    // 0 was used again before 2 came, so 1 went; asked for again, it is a miss.
    assert_eq!(solver.hits_and_misses(), (2, 4));
}

#[test]
fn an_unknown_holds_for_no_more_time_than_it_had() {
    let Words { pool, x, y } = Words::new(64);
    let mut solver = cached(10);
    // A product of two primes near 2³²; narrow factors keep it from wrapping.
    let product = pool.bv(4_294_967_291 * 4_294_967_279, 64);
    let narrow = |word| pool.bv_ult(word, pool.bv(1 << 32, 64));
    let factors = [
        pool.eq(pool.bv_mul(x, y), product),
        narrow(x),
        narrow(y),
        pool.bv_ult(pool.bv(1, 64), x),
        pool.bv_ult(x, y),
    ];
    let limited = |solver: &mut Cached<smt::Native>, conflicts: u64| {
        solver.set_work(Some(conflicts));
        solver.check(&pool, &factors).expect("supported")
    };
    for (conflicts, hits, misses) in [(10, 0, 1), (5, 1, 1), (20, 1, 2), (10, 2, 2)] {
        assert_eq!(
            limited(&mut solver, conflicts),
            Answer::Unknown(Reason::Stopped(Exhausted::Work))
        );
        assert_eq!(solver.hits_and_misses(), (hits, misses), "{conflicts} conflicts");
    }
    // Time that has passed already is less than any; an hour is more than nothing.
    let timed = |solver: &mut Cached<smt::Native>, deadline: Instant| {
        solver.set_allowance(Allowance::default().until(deadline).with_work(10));
        solver.check(&pool, &factors[1..]).expect("supported")
    };
    let now = Instant::now();
    assert_eq!(timed(&mut solver, now), Answer::Unknown(Reason::Stopped(Exhausted::Time)));
    assert_eq!(timed(&mut solver, now), Answer::Unknown(Reason::Stopped(Exhausted::Time)));
    assert_eq!(solver.hits_and_misses(), (3, 3));
    assert_eq!(timed(&mut solver, now + Duration::from_secs(3600)), Answer::Sat);
    assert_eq!(solver.hits_and_misses(), (3, 4));
}
