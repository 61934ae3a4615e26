//! Random floats that make rounding, cancellation, overflow and underflow happen.
//!
//! Shared by the integration tests and, by path, by the unit tests of the arithmetic.

// Not every test needs all of it.
#![allow(dead_code)]

use rand::Rng;
use rand::rngs::StdRng;
use value::{Bits, Float, Format};

/// The values at the edges of the format, all positive.
pub fn special(format: Format) -> [Float; 9] {
    let max = Float::max_finite(format, false);
    let normal = Float::min_normal(format, false);
    [
        Float::zero(format, false),
        Float::infinity(format, false),
        Float::nan(format),
        Float::one(format, false),
        max.next_down(),
        max,
        normal.next_down(),
        normal,
        Float::min_subnormal(format, false),
    ]
}

/// A float: special, a neighbour of `near`, of an exponent close to that of `near`, or any;
/// with a random significand, or one of few bits, which makes halfway cases frequent.
pub fn float(rng: &mut StdRng, format: Format, near: Option<&Float>) -> Float {
    let value = match (rng.random_range(0..8), near) {
        (0, _) => special(format)[rng.random_range(0..9)].clone(),
        (1 | 2, Some(near)) => {
            let distance = Bits::from_i64(format.width(), rng.random_range(-3..=3));
            Float::from_bits(format, &near.to_bits().add(&distance))
        }
        (3..=5, Some(near)) => {
            let field = near.fields().1.to_u64().expect("at most 24 exponent bits") as i64;
            let distance = rng.random_range(-70..=70);
            with_field(rng, format, field + distance)
        }
        _ => {
            let field = rng.random_range(0..1 << format.exponent());
            with_field(rng, format, field)
        }
    };
    if rng.random() { value.neg() } else { value }
}

fn with_field(rng: &mut StdRng, format: Format, field: i64) -> Float {
    let fraction_bits = format.significand() - 1;
    let mut fraction = Bits::from_u128(fraction_bits, rng.random());
    if rng.random() {
        let zeros = rng.random_range(0..=fraction_bits);
        fraction = fraction.lshr_by(zeros).shl_by(zeros);
    }
    let field = Bits::from_i64(format.exponent(), field);
    Float::from_fields(false, &field, &fraction).expect("the fields of a format")
}

/// Operands of a fused multiply-add: the second near the first, the third near minus their
/// product.
pub fn triple(rng: &mut StdRng, format: Format) -> [Float; 3] {
    let a = float(rng, format, None);
    let b = float(rng, format, Some(&a));
    let product = a.mul(&b, value::Rounding::TowardZero).neg();
    let c = float(rng, format, Some(&product));
    [a, b, c]
}
