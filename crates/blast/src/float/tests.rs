//! The float circuits against the host's floats.

use super::*;
use crate::rounding::Mode;
use aig::simulate::Words;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const SINGLE: Layout = Layout { exponent_bits: 8, precision: 24 };
const DOUBLE: Layout = Layout { exponent_bits: 11, precision: 53 };

/// Interchange bits, special ones often, near ones often.
fn random_bits(rng: &mut StdRng, layout: Layout) -> u128 {
    let ones = |n: usize| (1u128 << n) - 1;
    let random_field = |rng: &mut StdRng, n: usize| {
        let any = rng.random::<u128>() & ones(n);
        match rng.random_range(0..8) {
            0 => 0,
            1 => ones(n),
            2 => 1,
            3 => 1 << rng.random_range(0..n),
            4 => ones(n) ^ (1 << rng.random_range(0..n)),
            5 => ones(n - 1),
            _ => any,
        }
    };
    let fraction = random_field(rng, layout.precision - 1);
    let exponent = if rng.random_bool(0.5) {
        let near = layout.bias() + rng.random_range(-3..=3);
        near as u128 & ones(layout.exponent_bits)
    } else {
        random_field(rng, layout.exponent_bits)
    };
    let sign = rng.random_range(0..2u128);
    fraction | exponent << (layout.precision - 1) | sign << (layout.width() - 1)
}

type Circuit = fn(&mut Aig, &[Float]) -> Word;

fn check(
    name: &str,
    layout: Layout,
    operands: usize,
    circuit: Circuit,
    reference: impl Fn(&[u128]) -> u128,
) {
    let mut g = Aig::new();
    let width = layout.width();
    let floats: Vec<Float> = (0..operands)
        .map(|_| {
            let bits = word::inputs(&mut g, width);
            Float::from_bits(&mut g, layout, &bits)
        })
        .collect();
    let out = circuit(&mut g, &floats);
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..60 {
        let patterns: Vec<Vec<u128>> = (0..64)
            .map(|_| (0..operands).map(|_| random_bits(&mut rng, layout)).collect())
            .collect();
        let words = Words::simulate(&g, |i| {
            (0..64)
                .fold(0, |word, p| word | ((patterns[p][i / width] >> (i % width) & 1) as u64) << p)
        });
        for (p, operands) in patterns.iter().enumerate() {
            let found = out
                .iter()
                .enumerate()
                .fold(0, |sum, (i, e)| sum | u128::from(words.word(*e) >> p & 1) << i);
            assert_eq!(found, reference(operands), "{name} of {operands:x?}");
        }
    }
}

fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn bits32(f: f32) -> u128 {
    if f.is_nan() { 0x7fc0_0000 } else { u128::from(f.to_bits()) }
}

fn bits64(f: f64) -> u128 {
    if f.is_nan() { 0x7ff8_0000_0000_0000 } else { u128::from(f.to_bits()) }
}

const RNE: Mode = Mode::NEAREST_EVEN;

#[test]
fn forms() {
    check("bits", SINGLE, 1, |g, a| a[0].bits(g), |a| bits32(f32_of(a[0])));
    let repacked: Circuit = |g, a| {
        a[0].normal(g);
        let float = Float { packed: OnceCell::new(), ..a[0].clone() };
        float.bits(g)
    };
    check("repacked bits", SINGLE, 1, repacked, |a| bits32(f32_of(a[0])));
    check("repacked bits", DOUBLE, 1, repacked, |a| bits64(f64_of(a[0])));
}

#[test]
fn arithmetic_of_singles() {
    check(
        "add",
        SINGLE,
        2,
        |g, a| add(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits32(f32_of(a[0]) + f32_of(a[1])),
    );
    check(
        "multiply",
        SINGLE,
        2,
        |g, a| multiply(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits32(f32_of(a[0]) * f32_of(a[1])),
    );
    check(
        "divide",
        SINGLE,
        2,
        |g, a| divide(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits32(f32_of(a[0]) / f32_of(a[1])),
    );
    check(
        "root",
        SINGLE,
        1,
        |g, a| square_root(g, &RNE, &a[0]).bits(g),
        |a| bits32(f32_of(a[0]).sqrt()),
    );
    check(
        "fma",
        SINGLE,
        3,
        |g, a| fma(g, &RNE, &a[0], &a[1], &a[2]).bits(g),
        |a| bits32(f32_of(a[0]).mul_add(f32_of(a[1]), f32_of(a[2]))),
    );
    check(
        "integral",
        SINGLE,
        1,
        |g, a| round_to_integral(g, &RNE, &a[0]).bits(g),
        |a| bits32(f32_of(a[0]).round_ties_even()),
    );
}

#[test]
fn arithmetic_of_doubles() {
    check(
        "add",
        DOUBLE,
        2,
        |g, a| add(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits64(f64_of(a[0]) + f64_of(a[1])),
    );
    check(
        "multiply",
        DOUBLE,
        2,
        |g, a| multiply(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits64(f64_of(a[0]) * f64_of(a[1])),
    );
    check(
        "divide",
        DOUBLE,
        2,
        |g, a| divide(g, &RNE, &a[0], &a[1]).bits(g),
        |a| bits64(f64_of(a[0]) / f64_of(a[1])),
    );
    check(
        "root",
        DOUBLE,
        1,
        |g, a| square_root(g, &RNE, &a[0]).bits(g),
        |a| bits64(f64_of(a[0]).sqrt()),
    );
    check(
        "to single",
        DOUBLE,
        1,
        |g, a| to_format(g, &RNE, &a[0], SINGLE).bits(g),
        |a| bits32(f64_of(a[0]) as f32),
    );
    check(
        "to double",
        SINGLE,
        1,
        |g, a| to_format(g, &RNE, &a[0], DOUBLE).bits(g),
        |a| bits64(f64::from(f32_of(a[0]))),
    );
}
