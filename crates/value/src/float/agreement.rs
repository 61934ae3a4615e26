//! The three implementations of the arithmetic give the same results: the processor's, the
//! generic one over `u128`, and the generic one over `BigUint`.

use super::convert::{from_magnitude, to_format};
use super::integral::bounded_integer;
use super::machine::{EXACT, Operands, operands};
use super::remainder::{Quotient, remainder};
use super::{Float, Format, Rounding, Significand, arith};
use crate::bits::Bits;
use num_bigint::{BigInt, BigUint};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

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
        assert!(matches!(operands(nearest, [&Float::nan(format)]), Operands::Other) != EXACT);
        for _ in 0..150_000 {
            let [a, b, c] = sampling::triple(&mut rng, format);
            let [add, mul, div, sqrt, fma, _, _] = results::<u128>(&a, &b, &c, nearest);
            assert_eq!(a.add(&b, nearest), add, "{a} + {b}");
            assert_eq!(a.sub(&b.neg(), nearest), add, "{a} - -{b}");
            assert_eq!(a.mul(&b, nearest), mul, "{a} * {b}");
            assert_eq!(a.div(&b, nearest), div, "{a} / {b}");
            assert_eq!(a.sqrt(nearest), sqrt, "√{a}");
            assert_eq!(a.fma(&b, &c, nearest), fma, "{a} * {b} + {c}");
        }
    }
}

#[test]
fn the_processor_converts_as_the_integers_do() {
    let mut rng = StdRng::seed_from_u64(4);
    let nearest = Rounding::NearestEven;
    for _ in 0..50_000 {
        let single = sampling::float(&mut rng, Format::F32, None);
        let wide = single.to_format(Format::F64, nearest);
        assert_eq!(wide, to_format::<u128>(&single, Format::F64, nearest), "{single}");
        let any = sampling::float(&mut rng, Format::F64, None);
        for double in [sampling::float(&mut rng, Format::F64, Some(&wide)), any] {
            let narrowed = to_format::<u128>(&double, Format::F32, nearest);
            assert_eq!(double.to_format(Format::F32, nearest), narrowed, "{double}");
        }
        let bits = Bits::from_i64(64, rng.random::<i64>() >> rng.random_range(0..64));
        for format in [Format::F32, Format::F64] {
            let unsigned = from_magnitude(format, nearest, false, &bits);
            assert_eq!(Float::from_ubv(format, nearest, &bits), unsigned, "{bits}");
            let signed = from_magnitude(format, nearest, bits.is_negative(), &bits.abs());
            assert_eq!(Float::from_sbv(format, nearest, &bits), signed, "{bits}");
        }
    }
}

#[test]
fn the_processor_truncates_as_the_integers_do() {
    let mut rng = StdRng::seed_from_u64(5);
    let zero = Rounding::TowardZero;
    for format in [Format::F32, Format::F64] {
        for _ in 0..50_000 {
            // Near ±2^n for n around the width, and anywhere.
            let width = rng.random_range(1..=66);
            let n = i64::from(width) + rng.random_range(-3..=1);
            let power = Bits::from_i64(format.exponent(), format.max_exponent() + n);
            let fraction = Bits::zero(format.significand() - 1);
            let near = Float::from_fields(rng.random(), &power, &fraction).expect("a format");
            let float = sampling::float(&mut rng, format, Some(&near));
            for x in [near.next_down(), near.next_up(), near, float] {
                let exact = bounded_integer::<BigUint>(&x, width, zero);
                let signed = exact.clone().and_then(|(negative, magnitude)| {
                    let value = BigInt::from(magnitude.to_biguint());
                    let value = if negative { -value } else { value };
                    let bits = Bits::from_bigint(width, &value);
                    (bits.to_bigint() == value).then_some(bits)
                });
                assert_eq!(x.to_sbv(width, zero), signed, "{x} to {width} bits");
                let unsigned = exact.filter(|(negative, m)| !negative || m.is_zero());
                let unsigned = unsigned.map(|(_, magnitude)| magnitude);
                assert_eq!(x.to_ubv(width, zero), unsigned, "{x} to {width} bits");
            }
        }
    }
}

#[test]
fn other_modes_and_formats_are_not_left_to_the_processor() {
    let (single, half) = (Float::one(Format::F32, false), Float::one(Format::F16, false));
    for rounding in Rounding::ALL {
        let ours = |float| matches!(operands(rounding, [float]), Operands::Other);
        assert!(ours(&half));
        assert!(ours(&single) || rounding == Rounding::NearestEven);
    }
}
