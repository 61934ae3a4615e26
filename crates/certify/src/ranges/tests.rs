//! What has a model is never refuted, and what ranges decide is.

use super::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use value::{Float, Format};

const NEVER: fn() -> bool = || false;

fn number(random: &mut StdRng) -> f64 {
    match random.random_range(0..8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        4 => f64::NAN,
        5 => f64::from_bits(random.random()),
        _ => f64::from(random.random_range(-24..24)) / 8.0,
    }
}

fn float(number: f64, single: bool) -> Value {
    Value::Float(if single { Float::from_f32(number as f32) } else { Float::from_f64(number) })
}

/// Random formulas of one format over two variables and a Bool.
fn formulas(pool: &Pool, random: &mut StdRng, single: bool) -> (Vec<Term>, Vec<Term>) {
    let sort = Sort::Float(if single { Format::F32 } else { Format::F64 });
    let bool_variable = pool.var("b", Sort::Bool);
    let mut floats = vec![pool.var("x", sort), pool.var("y", sort)];
    let mut truths = vec![bool_variable];
    let variables = vec![floats[0], floats[1], bool_variable];
    let even = pool.rounding(Rounding::NearestEven);
    for _ in 0..3 {
        floats.push(pool.constant(float(number(random), single)));
    }
    for _ in 0..12 {
        let f = floats[random.random_range(0..floats.len())];
        let g = floats[random.random_range(0..floats.len())];
        let a = truths[random.random_range(0..truths.len())];
        let b = truths[random.random_range(0..truths.len())];
        match random.random_range(0..15) {
            0 => floats.push(pool.fp_add(even, f, g)),
            1 => floats.push(pool.fp_mul(even, f, g)),
            2 => floats.push(pool.fp_mul(even, f, f)),
            3 => floats.push(pool.fp_div(even, f, g)),
            4 => floats.push(pool.fp_sqrt(even, f)),
            5 => floats.push(pool.fp_neg(f)),
            6 => floats.push(pool.fp_abs(f)),
            7 => floats.push(pool.ite(a, f, g)),
            8 | 9 => truths.push(pool.fp_lt(f, g)),
            10 => truths.push(pool.fp_leq(f, g)),
            11 => truths.push(pool.fp_eq(f, g)),
            12 => truths.push(pool.and([a, pool.not(b)])),
            13 => truths.push(pool.or([a, b])),
            _ => truths.push(pool.make(Op::FpIsNan, &[f])),
        }
    }
    let asked = truths.split_off(truths.len().saturating_sub(3));
    (asked, variables)
}

#[test]
fn what_has_a_model_is_not_refuted() {
    let mut random = StdRng::seed_from_u64(11);
    let (mut refuted, mut satisfied) = (0, 0);
    for round in 0..3000 {
        let pool = Pool::new();
        let single = round % 2 == 0;
        let (asked, variables) = formulas(&pool, &mut random, single);
        if !unsatisfiable(&pool, &asked, 100_000, &NEVER) {
            continue;
        }
        refuted += 1;
        for _ in 0..60 {
            let mut model = FxHashMap::default();
            for &variable in &variables {
                let value = match pool.sort(variable) {
                    Sort::Bool => Value::Bool(random.random()),
                    _ => float(number(&mut random), single),
                };
                model.insert(variable, value);
            }
            let holds = |f: &Term| term::evaluate(&pool, *f, &model) == Ok(Value::Bool(true));
            satisfied += usize::from(asked.iter().all(holds));
        }
    }
    assert_eq!(satisfied, 0);
    assert!(refuted > 300, "only {refuted} were refuted");
}

/// 0 · ∞ lies inside of the ranges, where no bound shows it.
#[test]
fn zero_times_infinity_is_not_overlooked() {
    let pool = Pool::new();
    let sort = Sort::Float(Format::F64);
    let (x, y) = (pool.var("x", sort), pool.var("y", sort));
    let constant = |number| pool.constant(float(number, false));
    let product = pool.fp_mul(pool.rounding(Rounding::NearestEven), x, y);
    let asked = [
        pool.fp_leq(constant(-1.0), x),
        pool.fp_leq(x, constant(1.0)),
        pool.fp_leq(constant(2.0), y),
        pool.make(Op::FpIsNan, &[product]),
    ];
    assert!(!unsatisfiable(&pool, &asked, 1_000_000, &NEVER));
}

/// x - x³/6 + x⁵/120 stays below 1.01 for |x| ≤ 1.6 and reaches 0.99.
#[test]
fn a_polynomial_keeps_its_bound() {
    for single in [true, false] {
        let pool = Pool::new();
        let sort = Sort::Float(if single { Format::F32 } else { Format::F64 });
        let even = pool.rounding(Rounding::NearestEven);
        let x = pool.var("x", sort);
        let constant = |number| pool.constant(float(number, single));
        let square = pool.fp_mul(even, x, x);
        let cube = pool.fp_mul(even, square, x);
        let fifth = pool.fp_mul(even, cube, square);
        let third = pool.fp_div(even, cube, constant(-6.0));
        let last = pool.fp_div(even, fifth, constant(120.0));
        let sum = pool.fp_add(even, pool.fp_add(even, x, third), last);
        let inside = pool.and([pool.fp_leq(constant(-1.6), x), pool.fp_leq(x, constant(1.6))]);
        let above = |bound| pool.fp_lt(constant(bound), sum);
        assert!(unsatisfiable(&pool, &[inside, above(1.01)], 10_000_000, &NEVER));
        assert!(!unsatisfiable(&pool, &[inside, above(0.99)], 1_000_000, &NEVER));
    }
}
