//! Limits are obeyed, and what interval propagation alone would not get to the end of ends.

use icp::{Icp, Means};
use smt::{Allowance, Answer, Error, Exhausted, Interrupt, Reason, Solver};
use std::time::{Duration, Instant};
use term::{Op, Pool, Sort, Term, Value};
use value::{Float, Format, Rounding};

/// p · q = n for two large primes: nothing that bounds are good at.
fn factors(pool: &Pool) -> Vec<Term> {
    let [p, q] = ["p", "q"].map(|name| pool.var(name, Sort::BitVec(64)));
    let product = pool.eq(pool.bv_mul(p, q), pool.bv(1_000_003 * 1_000_033, 64));
    let above_one = |x| pool.bv_ult(pool.bv(1, 64), x);
    let small = |x| pool.bv_ult(x, pool.bv(1 << 31, 64));
    vec![product, above_one(p), above_one(q), small(p), small(q), pool.bv_ult(p, q)]
}

fn solver(pool: &Pool, formulas: &[Term], means: Means) -> Icp {
    let mut solver = Icp::with_means(means);
    for formula in formulas {
        solver.assert(pool, *formula).expect("supported");
    }
    solver
}

#[test]
fn work_runs_out() {
    let pool = Pool::new();
    for means in [Means::Both, Means::Bounds] {
        let mut solver = solver(&pool, &factors(&pool), means);
        solver.set_work(Some(20));
        let stopped = Answer::Unknown(Reason::Stopped(Exhausted::Work));
        assert_eq!(solver.check(&pool, &[]), Ok(stopped));
        // The next question is another one.
        assert_eq!(solver.check(&pool, &[pool.fls()]), Ok(Answer::Unsat));
    }
}

#[test]
fn time_runs_out() {
    let pool = Pool::new();
    for means in [Means::Both, Means::Bounds] {
        let mut solver = solver(&pool, &factors(&pool), means);
        solver.set_allowance(Allowance::default().within(Duration::from_millis(50)));
        let begun = Instant::now();
        let answer = solver.check(&pool, &[]);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        if means == Means::Bounds {
            assert_eq!(answer, Ok(Answer::Unknown(Reason::Stopped(Exhausted::Time))));
        }
    }
}

#[test]
fn an_interrupt_is_heard() {
    let pool = Pool::new();
    let mut solver = solver(&pool, &factors(&pool), Means::Bounds);
    let interrupt = Interrupt::new();
    interrupt.raise();
    solver.set_allowance(Allowance::interruptible(interrupt));
    let answer = solver.check(&pool, &[]);
    assert_eq!(answer, Ok(Answer::Unknown(Reason::Stopped(Exhausted::Interrupted))));
}

/// x < y < x: each step of propagation moves a bound by one.
#[test]
fn slow_convergence_ends() {
    let pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(64)));
    let formulas = [pool.bv_ult(x, y), pool.bv_ult(y, x)];
    let mut solver = solver(&pool, &formulas, Means::Both);
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Unsat));
    let format = Format::F32;
    let [f, g] = ["f", "g"].map(|name| pool.var(name, Sort::Float(format)));
    let mode = pool.rounding(Rounding::NearestEven);
    let next = pool.fp_add(mode, f, pool.float(Float::one(format, false)));
    let large = pool.float(Float::from_f32(1e6));
    let formulas = [
        pool.fp_lt(next, g),
        pool.fp_lt(g, f),
        pool.fp_leq(f, large),
        pool.fp_leq(pool.fp_neg(large), f),
    ];
    let mut solver = self::solver(&pool, &formulas, Means::Both);
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Unsat));
}

/// What has no bounds is bit-blasting's, and comes and goes with its level.
#[test]
fn arrays_go_to_bit_blasting() {
    let pool = Pool::new();
    let array = pool.var("a", pool.array_sort(Sort::BitVec(4), Sort::BitVec(8)));
    let i = pool.var("i", Sort::BitVec(4));
    let read = pool.select(array, i);
    let mut solver = Icp::new();
    let small = pool.bv_ult(i, pool.bv(3, 4));
    solver.assert(&pool, small).expect("supported");
    solver.push();
    solver.assert(&pool, pool.eq(read, pool.bv(7, 8))).expect("supported");
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Sat));
    assert_eq!(solver.value(&pool, read), Ok(pool.value(pool.bv(7, 8)).expect("a value").clone()));
    assert_eq!(solver.by_bits(), 1);
    solver.pop(1);
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Sat));
    assert_eq!(solver.value(&pool, small), Ok(Value::Bool(true)));
    assert_eq!(solver.by_bits(), 1);
    let mut bounds = Icp::with_means(Means::Bounds);
    let refused = bounds.assert(&pool, pool.eq(read, pool.bv(7, 8)));
    assert!(matches!(refused, Err(Error::Unsupported { solver: "icp", .. })));
}

/// The result of an operator where SMT-LIB leaves it open is a function of the arguments.
#[test]
fn open_results_are_functions() {
    let pool = Pool::new();
    let format = Format::F16;
    let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::Float(format)));
    let mode = pool.rounding(Rounding::TowardZero);
    let byte = |x| pool.make(Op::FpToUbv(8), &[mode, x]);
    let beyond = |x| {
        pool.fp_lt(pool.float(Float::from_f64(300.0).to_format(format, Rounding::NearestEven)), x)
    };
    let mut solver = Icp::new();
    for formula in [beyond(x), beyond(y), pool.eq(byte(x), pool.bv(5, 8))] {
        solver.assert(&pool, formula).expect("supported");
    }
    let seven = pool.eq(byte(y), pool.bv(7, 8));
    assert_eq!(solver.check(&pool, &[seven]), Ok(Answer::Sat));
    assert_eq!(solver.value(&pool, seven), Ok(Value::Bool(true)));
    assert_eq!(solver.check(&pool, &[seven, pool.eq(x, y)]), Ok(Answer::Unsat));
    let zeros = [Float::zero(format, false), Float::zero(format, true)].map(|z| pool.float(z));
    let least = pool.make(Op::FpMin, &zeros);
    for zero in zeros {
        assert_eq!(solver.check(&pool, &[pool.eq(least, zero)]), Ok(Answer::Sat));
    }
}
