//! The three implementations of the arithmetic give the same results: the processor's, the
//! generic one over `u128`, and the generic one over `BigUint`.

use super::remainder::{Quotient, remainder};
use super::{Float, Format, Rounding, Significand, arith, machine};
use num_bigint::BigUint;
use rand::SeedableRng;
use rand::rngs::StdRng;

#[path = "../../tests/sampling/mod.rs"]
mod sampling;

/// The results of all operations by one integer type.
fn results<S: Significand>(a: &Float, b: &Float, c: &Float, rounding: Rounding) -> [Float; 7] {
    [
        arith::add::<S>(a, b, rounding),
        arith::mul::<S>(a, b, rounding),
        arith::div::<S>(a, b, rounding),
        arith::sqrt::<S>(a, rounding),
        arith::fma::<S>(a, b, c, rounding),
        remainder::<S>(a, b, Quotient::NearestEven),
        remainder::<S>(a, b, Quotient::Truncated),
    ]
}

#[test]
fn both_integer_types_agree() {
    let mut rng = StdRng::seed_from_u64(2);
    let formats =
        [(5, 11), (8, 8), (8, 24), (11, 53), (2, 60), (15, 60), (24, 60), (24, 2), (3, 5)];
    for (eb, sb) in formats {
        let format = Format::new(eb, sb).expect("a valid format");
        assert!(format.is_narrow());
        for _ in 0..4_000 {
            let [a, b, c] = sampling::triple(&mut rng, format);
            for rounding in Rounding::ALL {
                let small = results::<u128>(&a, &b, &c, rounding);
                let large = results::<BigUint>(&a, &b, &c, rounding);
                assert_eq!(small, large, "{rounding} {a} {b} {c}");
            }
        }
    }
}

#[test]
fn the_processor_agrees_with_the_integers() {
    let mut rng = StdRng::seed_from_u64(3);
    let nearest = Rounding::NearestEven;
    for format in [Format::F32, Format::F64] {
        for _ in 0..150_000 {
            let [a, b, c] = sampling::triple(&mut rng, format);
            let [add, mul, div, sqrt, fma, _, _] = results::<u128>(&a, &b, &c, nearest);
            let by_machine = |f: fn(f32, f32) -> f32, g: fn(f64, f64) -> f64| {
                machine::binary(nearest, &a, &b, f, g).expect("a machine format")
            };
            assert_eq!(by_machine(|a, b| a + b, |a, b| a + b), add, "{a} + {b}");
            assert_eq!(by_machine(|a, b| a * b, |a, b| a * b), mul, "{a} * {b}");
            assert_eq!(by_machine(|a, b| a / b, |a, b| a / b), div, "{a} / {b}");
            let difference = arith::add::<u128>(&a, &b.neg(), nearest);
            assert_eq!(by_machine(|a, b| a - b, |a, b| a - b), difference, "{a} - {b}");
            assert_eq!(machine::unary(nearest, &a, f32::sqrt, f64::sqrt), Some(sqrt), "√{a}");
            assert_eq!(machine::fma(nearest, &a, &b, &c), Some(fma), "{a} * {b} + {c}");
        }
    }
}

#[test]
fn other_modes_and_formats_are_not_left_to_the_processor() {
    let (single, half) = (Float::one(Format::F32, false), Float::one(Format::F16, false));
    for rounding in Rounding::ALL {
        let nearest = rounding == Rounding::NearestEven;
        let of = |a| machine::unary(rounding, a, f32::sqrt, f64::sqrt).is_some();
        assert_eq!(of(&single), nearest);
        assert!(!of(&half));
    }
}
