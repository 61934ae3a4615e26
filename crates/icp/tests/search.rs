//! Questions that take many conflicts, so that learning, restarts and the deletion of clauses are
//! all met; by bounds alone.

use icp::{Icp, Means};
use smt::{Answer, Solver};
use term::{Pool, Sort, Term, Value};
use value::{Float, Format, Rounding};

fn bounds(pool: &Pool, formulas: &[Term]) -> Icp {
    let mut solver = Icp::with_means(Means::Bounds);
    for formula in formulas {
        solver.assert(pool, *formula).expect("supported");
    }
    solver
}

/// Each of `pigeons` is in one of `holes`, no two in the same.
fn pigeons(pool: &Pool, pigeons: u32, holes: u32) -> Vec<Term> {
    let at = |pigeon: u32, hole: u32| pool.var(&format!("p{pigeon}h{hole}"), Sort::Bool);
    let mut formulas: Vec<Term> =
        (0..pigeons).map(|p| pool.or((0..holes).map(|h| at(p, h)))).collect();
    for hole in 0..holes {
        for p in 0..pigeons {
            for q in 0..p {
                formulas.push(pool.not(pool.and([at(p, hole), at(q, hole)])));
            }
        }
    }
    formulas
}

#[test]
fn pigeons_do_not_fit() {
    let pool = Pool::new();
    let mut solver = bounds(&pool, &pigeons(&pool, 7, 6));
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Unsat));
    let counters = solver.counters();
    assert!(counters.conflicts > 100 && counters.restarts > 5, "{counters:?}");
    let mut solver = bounds(&pool, &pigeons(&pool, 6, 6));
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Sat));
}

/// The same with the hole of each pigeon as a number.
#[test]
fn numbered_pigeons_do_not_fit() {
    let pool = Pool::new();
    let vars: Vec<Term> = (0..6).map(|i| pool.var(&format!("p{i}"), Sort::BitVec(8))).collect();
    let mut formulas: Vec<Term> = vars.iter().map(|p| pool.bv_ult(*p, pool.bv(5, 8))).collect();
    formulas.push(pool.distinct(&vars));
    let mut solver = bounds(&pool, &formulas);
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Unsat));
    assert!(solver.counters().conflicts > 30, "{:?}", solver.counters());
}

/// n = p · q with factors of 8 bits above one.
fn factors(pool: &Pool, n: u64) -> Vec<Term> {
    let [p, q] = ["p", "q"].map(|name| pool.var(name, Sort::BitVec(8)));
    let product = pool.bv_mul(pool.bv_zero_extend(p, 8), pool.bv_zero_extend(q, 8));
    let above_one = |x| pool.bv_ult(pool.bv(1, 8), x);
    vec![pool.eq(product, pool.bv(n, 16)), above_one(p), above_one(q)]
}

#[test]
fn numbers_are_factored() {
    let pool = Pool::new();
    let mut solver = bounds(&pool, &factors(&pool, 151 * 199));
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Sat));
    let p = solver.value(&pool, pool.var("p", Sort::BitVec(8))).expect("a value");
    let p = p.as_bits().and_then(|bits| bits.to_u64()).expect("eight bits");
    assert!(p == 151 || p == 199, "{p}");
    // A prime.
    let mut solver = bounds(&pool, &factors(&pool, 30_011));
    assert_eq!(solver.check(&pool, &[]), Ok(Answer::Unsat));
}

/// A number between 2 and 4 that is no square in binary16, by trying all; numbers close to it are.
#[test]
fn a_root_is_looked_for() {
    let pool = Pool::new();
    let format = Format::F16;
    let mode = Rounding::NearestEven;
    let float = |n: f64| Float::from_f64(n).to_format(format, mode);
    let all = |n: f64, up_to: f64| {
        std::iter::successors(Some(float(n)), |f| Some(f.next_up()))
            .take_while(move |f| f.lt(&float(up_to)))
    };
    let squares: Vec<Float> = all(1.0, 2.0).map(|f| f.mul(&f, mode)).collect();
    let gap = all(2.0, 4.0).find(|f| !squares.contains(f)).expect("there are gaps");
    let x = pool.var("x", Sort::Float(format));
    let square = pool.fp_mul(pool.rounding(mode), x, x);
    let mut solver = bounds(&pool, &[]);
    let exactly = pool.fp_eq(square, pool.float(gap.clone()));
    assert_eq!(solver.check(&pool, &[exactly]), Ok(Answer::Unsat));
    let close = [
        pool.fp_leq(pool.float(gap.next_down().next_down()), square),
        pool.fp_leq(square, pool.float(gap.next_up().next_up())),
    ];
    assert_eq!(solver.check(&pool, &close), Ok(Answer::Sat));
    assert_eq!(solver.value(&pool, pool.and(close)), Ok(Value::Bool(true)));
}
