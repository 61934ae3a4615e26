//! The three implementations of the arithmetic give the same results: the processor's, the
//! generic one over `u128`, and the generic one over `BigUint`.

use super::remainder::{Quotient, remainder};
use super::{Float, Format, Rounding, Significand, arith, machine};
use crate::bits::Bits;
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Floats where rounding, cancellation, overflow and underflow happen: special values and
/// their neighbours, few-bit significands, random ones, exponents anywhere or near `near`.
fn sample(rng: &mut StdRng, format: Format, near: Option<&Float>) -> Float {
    let special = [
        Float::zero(format, false),
        Float::infinity(format, false),
        Float::nan(format),
        Float::one(format, false),
        Float::max_finite(format, false),
        Float::min_normal(format, false),
        Float::min_subnormal(format, false),
    ];
    let mut float = match rng.random_range(0..8) {
        0 => special[rng.random_range(0..special.len())].clone(),
        1 | 2 if near.is_some() => {
            let magnitude = near.expect("checked").magnitude();
            let distance = Bits::from_i64(format.width(), rng.random_range(-3..=3));
            Float::from_bits(format, &magnitude.add(&distance))
        }
        kind => {
            let field = match near {
                Some(near) if kind < 6 => near.exponent_field() as i64 + rng.random_range(-70..=70),
                _ => rng.random_range(0..1 << format.exponent()),
            };
            let field = Bits::from_i64(format.exponent(), field);
            let mut fraction = Bits::from_u128(format.significand() - 1, rng.random());
            if rng.random() {
                let zeros = rng.random_range(0..format.significand());
                fraction = fraction.lshr_by(zeros).shl_by(zeros);
            }
            Float::from_fields(false, &field, &fraction).expect("a valid format")
        }
    };
    for _ in 0..rng.random_range(0..3) {
        float = if rng.random() { float.next_up() } else { float.next_down() };
    }
    if rng.random() { float.neg() } else { float }
}

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
            let a = sample(&mut rng, format, None);
            let b = sample(&mut rng, format, Some(&a));
            let product = arith::mul::<u128>(&a, &b, Rounding::TowardZero);
            let c = sample(&mut rng, format, Some(&product));
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
            let a = sample(&mut rng, format, None);
            let b = sample(&mut rng, format, Some(&a));
            let product = arith::mul::<u128>(&a, &b, Rounding::TowardZero);
            let c = sample(&mut rng, format, Some(&product));
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
