//! Every solver obeys its allowance: the clock, the flag, the amount of work; and goes on
//! afterwards as if nothing had happened.

use sat::cadical::{Cadical, Preset};
use smt::{
    Allowance, Answer, BitBlast, Boxes, Cached, Exhausted, Reason, Solver, Solvers, Standard, Z3,
    native,
};
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};
use term::{Pool, Sort, Term};
use value::Rounding;

/// How late a solver may notice the end.
const PATIENCE: Duration = Duration::from_secs(5);

fn solvers() -> Vec<Box<dyn Solver + Send>> {
    let capacity = NonZeroUsize::new(4).expect("not zero");
    vec![
        Box::new(native()),
        Box::new(BitBlast::new(Cadical::new(Preset::Standard))),
        Box::new(smt::Auto::new()),
        Box::new(smt::Floats::new(native())),
        Box::new(Cached::new(native(), capacity)),
        Box::new(Z3::new()),
    ]
}

/// x · y is a product of two primes of 32 bits, with narrow factors: hard. Or only that x < y.
fn questions(pool: &Pool) -> (Vec<Term>, Vec<Term>) {
    let (x, y) = (pool.var("x", Sort::BitVec(64)), pool.var("y", Sort::BitVec(64)));
    let narrow = |word| pool.bv_ult(word, pool.bv(1 << 32, 64));
    let product = pool.bv(2_971_215_073 * 3_037_000_493, 64);
    let easy = vec![pool.bv_ult(x, y)];
    let mut hard = vec![narrow(x), narrow(y), pool.bv_ult(pool.bv(1, 64), x)];
    hard.extend([easy[0], pool.eq(pool.bv_mul(x, y), product)]);
    (hard, easy)
}

fn stopped(by: Exhausted) -> Result<Answer, smt::Error> {
    Ok(Answer::Unknown(Reason::Stopped(by)))
}

#[test]
fn a_deadline_ends_a_question() {
    let pool = Pool::new();
    let (hard, easy) = questions(&pool);
    for mut solver in solvers() {
        let name = solver.name();
        let begun = Instant::now();
        solver.set_allowance(Allowance::default().within(Duration::from_millis(50)));
        assert_eq!(solver.check(&pool, &hard), stopped(Exhausted::Time), "{name}");
        assert!(begun.elapsed() < PATIENCE, "{name} took {:?}", begun.elapsed());
        // Time that is over is over for easy questions too.
        assert_eq!(solver.check(&pool, &easy), stopped(Exhausted::Time), "{name}");
        solver.set_allowance(Allowance::default());
        assert_eq!(solver.check(&pool, &easy), Ok(Answer::Sat), "{name}");
    }
}

#[test]
fn a_raised_flag_ends_a_question() {
    for solver in solvers() {
        let name = solver.name();
        let allowance = Allowance::default();
        let flag = allowance.interrupt.clone();
        let mut solver = solver;
        solver.set_allowance(allowance);
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let asked = scope.spawn(move || {
                let pool = Pool::new();
                let (hard, easy) = questions(&pool);
                let answer = solver.check(&pool, &hard);
                let later = solver.check(&pool, &easy);
                solver.set_allowance(Allowance::default());
                (answer, later, solver.check(&pool, &easy))
            });
            std::thread::sleep(Duration::from_millis(50));
            flag.raise();
            let (answer, later, freed) = asked.join().expect("no panic");
            assert_eq!(answer, stopped(Exhausted::Interrupted), "{name}");
            assert_eq!(later, stopped(Exhausted::Interrupted), "{name}: the flag stays up");
            assert_eq!(freed, Ok(Answer::Sat), "{name}");
        });
        assert!(begun.elapsed() < PATIENCE, "{name} took {:?}", begun.elapsed());
    }
}

/// Levels are as they were after a question was ended, and what was said meanwhile counts.
#[test]
fn what_was_said_is_known_afterwards() {
    let pool = Pool::new();
    let (hard, easy) = questions(&pool);
    let (x, y) = (pool.var("x", Sort::BitVec(64)), pool.var("y", Sort::BitVec(64)));
    for mut solver in solvers() {
        let name = solver.name();
        solver.assert(&pool, easy[0]).expect("supported");
        solver.set_allowance(Allowance::default().within(Duration::from_millis(50)));
        solver.push();
        assert_eq!(solver.check(&pool, &hard), stopped(Exhausted::Time), "{name}");
        let seven = pool.eq(x, pool.bv(7, 64));
        solver.assert(&pool, seven).expect("supported");
        solver.set_allowance(Allowance::default());
        let small = pool.bv_ult(y, pool.bv(8, 64));
        assert_eq!(solver.check(&pool, &[small]), Ok(Answer::Unsat), "{name}");
        assert_eq!(solver.core(), [small], "{name}");
        solver.pop(1);
        assert_eq!(solver.check(&pool, &[small]), Ok(Answer::Sat), "{name}");
        let back = pool.bv_ult(y, x);
        assert_eq!(solver.check(&pool, &[back]), Ok(Answer::Unsat), "{name}: the first level");
    }
}

#[test]
fn work_ends_a_question() {
    let pool = Pool::new();
    let (hard, easy) = questions(&pool);
    for mut solver in [Standard.general(), Standard.bits(), Standard.floats()] {
        let name = solver.name();
        solver.set_allowance(Allowance::default().with_work(30));
        assert_eq!(solver.check(&pool, &hard), stopped(Exhausted::Work), "{name}");
        let spent = solver.statistics().conflicts;
        assert!((30..60).contains(&spent), "{name}: {spent} conflicts");
        // It is counted by question.
        solver.set_work(Some(50));
        assert_eq!(solver.check(&pool, &hard), stopped(Exhausted::Work), "{name}");
        assert!(solver.statistics().conflicts >= spent + 50, "{name}");
        assert_eq!(solver.check(&pool, &easy), Ok(Answer::Sat), "{name}");
        solver.set_work(None);
        assert_eq!(solver.check(&pool, &easy), Ok(Answer::Sat), "{name}");
    }
}

/// A product of floats that no box decides soon.
#[test]
fn boxes_obey_too() {
    let pool = Pool::new();
    let sort = Sort::Float(value::Format::F64);
    let number = |n: f64| pool.constant(term::Value::Float(value::Float::from_f64(n)));
    let mode = pool.rounding(Rounding::NearestEven);
    let variables: Vec<Term> = ["x", "y", "z"].map(|name| pool.var(name, sort)).to_vec();
    let between = |x: Term| pool.and([pool.fp_leq(number(1.0), x), pool.fp_leq(x, number(2.0))]);
    let mut formulas: Vec<Term> = variables.iter().map(|x| between(*x)).collect();
    let times = |a, b| pool.fp_mul(mode, a, b);
    let [x, y, z] = variables[..] else { unreachable!("three") };
    // x·y·z = z·y·x up to rounding, so boxes around all points stay open.
    let (left, right) = (times(times(x, y), z), times(times(z, y), x));
    formulas.push(pool.fp_lt(pool.fp_add(mode, left, number(1e-13)), right));
    let mut boxes = Boxes::new();
    boxes.set_work(Some(100_000));
    assert_eq!(boxes.check(&pool, &formulas), stopped(Exhausted::Work));
    boxes.set_allowance(Allowance::default().within(Duration::from_millis(50)));
    let begun = Instant::now();
    assert_eq!(boxes.check(&pool, &formulas), stopped(Exhausted::Time));
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    let allowance = Allowance::default();
    allowance.interrupt.raise();
    boxes.set_allowance(allowance);
    assert_eq!(boxes.check(&pool, &formulas), stopped(Exhausted::Interrupted));
}
