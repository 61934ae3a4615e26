//! Floats against rustc_apfloat, a port of LLVM's software floating point, in all five modes.

mod sampling;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, Status, StatusAnd};
use value::{Bits, Float, Format, Rounding};

fn round(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::TowardPositive => Round::TowardPositive,
        Rounding::TowardNegative => Round::TowardNegative,
        Rounding::TowardZero => Round::TowardZero,
    }
}

fn there<A: ApFloat>(float: &Float) -> A {
    A::from_bits(float.to_bits().to_u128().expect("at most 128 bits"))
}

fn back<A: ApFloat>(format: Format, value: A) -> Float {
    Float::from_bits(format, &Bits::from_u128(format.width(), value.to_bits()))
}

fn check_arithmetic<A: ApFloat>(format: Format, seed: u64, count: usize) {
    let mut rng = StdRng::seed_from_u64(seed);
    let back = |value: StatusAnd<A>| back(format, value.value);
    for _ in 0..count {
        let [x, y, z] = sampling::triple(&mut rng, format);
        let (a, b, c): (A, A, A) = (there(&x), there(&y), there(&z));
        for rm in Rounding::ALL {
            let r = round(rm);
            assert_eq!(x.add(&y, rm), back(a.add_r(b, r)), "{rm} {x} + {y}");
            assert_eq!(x.sub(&y, rm), back(a.sub_r(b, r)), "{rm} {x} - {y}");
            assert_eq!(x.mul(&y, rm), back(a.mul_r(b, r)), "{rm} {x} * {y}");
            assert_eq!(x.div(&y, rm), back(a.div_r(b, r)), "{rm} {x} / {y}");
            assert_eq!(x.fma(&y, &z, rm), back(a.mul_add_r(b, c, r)), "{rm} {x} * {y} + {z}");
            assert_eq!(x.round_to_integral(rm), back(a.round_to_integral(r)), "{rm} {x}");
        }
        assert_eq!(x.rem(&y), back(a.ieee_rem(b)), "{x} rem {y}");
        assert_eq!(x.fmod(&y), back(a.c_fmod(b)), "{x} fmod {y}");
        assert_eq!(x.next_up(), back(a.next_up()), "up {x}");
        assert_eq!(x.next_down(), back(a.next_down()), "down {x}");
        assert_eq!(x.compare(&y), a.partial_cmp(&b), "{x} {y}");
        assert_eq!(x.is_normal(), a.is_normal());
        assert_eq!(x.is_subnormal(), a.is_denormal());
    }
}

#[test]
fn arithmetic() {
    check_arithmetic::<Half>(Format::F16, 1, 6_000);
    check_arithmetic::<BFloat>(Format::BF16, 2, 6_000);
    check_arithmetic::<Single>(Format::F32, 3, 6_000);
    check_arithmetic::<Double>(Format::F64, 4, 6_000);
    check_arithmetic::<Quad>(Format::F128, 5, 3_000);
}

/// A float with an exponent in the range of integers of up to 128 bits.
fn integer_like(rng: &mut StdRng, format: Format) -> Float {
    let exponent = format.max_exponent() + rng.random_range(-3..=format.max_exponent().min(130));
    let exponent = Bits::from_i64(format.exponent(), exponent);
    let (_, _, fraction) = sampling::float(rng, format, None).fields();
    Float::from_fields(rng.random(), &exponent, &fraction).expect("the fields of a format")
}

fn check_integers<A: ApFloat>(format: Format, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    for _ in 0..4_000 {
        let x = integer_like(&mut rng, format);
        let a: A = there(&x);
        let width = rng.random_range(2..=127u32);
        let integer: i128 = rng.random::<i128>() >> rng.random_range(0..128);
        for rm in Rounding::ALL {
            let r = round(rm);
            let valid = |status: Status| !status.contains(Status::INVALID_OP);
            let answer = a.to_u128_r(width as usize, r, &mut false);
            let expected = valid(answer.status).then(|| Bits::from_u128(width, answer.value));
            assert_eq!(x.to_ubv(width, rm), expected, "{rm} to_ubv {width} {x}");
            let answer = a.to_i128_r(width as usize, r, &mut false);
            let expected = valid(answer.status).then(|| Bits::from_i128(width, answer.value));
            assert_eq!(x.to_sbv(width, rm), expected, "{rm} to_sbv {width} {x}");

            let bits = Bits::from_i128(128, integer);
            let expected = back(format, A::from_u128_r(integer as u128, r).value);
            assert_eq!(Float::from_ubv(format, rm, &bits), expected, "{rm} {integer}");
            let expected = back(format, A::from_i128_r(integer, r).value);
            assert_eq!(Float::from_sbv(format, rm, &bits), expected, "{rm} {integer}");
            assert_eq!(Float::from_bigint(format, rm, &integer.into()), expected);
        }
    }
}

#[test]
fn integers() {
    check_integers::<Half>(Format::F16, 1);
    check_integers::<BFloat>(Format::BF16, 2);
    check_integers::<Single>(Format::F32, 3);
    check_integers::<Double>(Format::F64, 4);
    check_integers::<Quad>(Format::F128, 5);
}

fn check_formats<A: ApFloat + FloatConvert<B>, B: ApFloat>(from: Format, to: Format, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    for _ in 0..2_000 {
        // Values of the target brought to the source have an exponent in both ranges; their
        // neighbours are where rounding happens.
        let near = sampling::float(&mut rng, to, None).to_format(from, Rounding::TowardZero);
        let near = sampling::float(&mut rng, from, Some(&near));
        for x in [near, sampling::float(&mut rng, from, None)] {
            for rm in Rounding::ALL {
                let expected: B = there::<A>(&x).convert_r(round(rm), &mut false).value;
                assert_eq!(x.to_format(to, rm), back(to, expected), "{rm} {x} to {to}");
            }
        }
    }
}

#[test]
fn formats() {
    check_formats::<Double, Single>(Format::F64, Format::F32, 1);
    check_formats::<Single, Double>(Format::F32, Format::F64, 2);
    check_formats::<Single, Half>(Format::F32, Format::F16, 3);
    check_formats::<Half, BFloat>(Format::F16, Format::BF16, 4);
    check_formats::<BFloat, Half>(Format::BF16, Format::F16, 5);
    check_formats::<Quad, Double>(Format::F128, Format::F64, 6);
    check_formats::<Double, Quad>(Format::F64, Format::F128, 7);
    check_formats::<Quad, Half>(Format::F128, Format::F16, 8);
    check_formats::<Half, Quad>(Format::F16, Format::F128, 9);
}

fn check_decimals<A: ApFloat>(format: Format, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let range = format.max_exponent() * 30103 / 100_000 + 20;
    for _ in 0..800 {
        let digits: u128 = rng.random::<u128>() >> rng.random_range(0..128);
        let exponent = rng.random_range(-2 * range..=range);
        let sign = if rng.random() { "-" } else { "" };
        let text = match rng.random_range(0..3) {
            0 => format!("{sign}{digits}e{exponent}"),
            1 => format!("{sign}0.{digits}E{exponent}"),
            _ => format!("{sign}{digits}.{}", rng.random::<u32>()),
        };
        for rm in Rounding::ALL {
            let expected = A::from_str_r(&text, round(rm)).expect("a decimal").value;
            let expected = back(format, expected);
            assert_eq!(Float::from_decimal(format, rm, &text), Ok(expected), "{rm} {text}");
        }
    }
}

#[test]
fn decimals() {
    check_decimals::<Half>(Format::F16, 1);
    check_decimals::<Single>(Format::F32, 2);
    check_decimals::<Double>(Format::F64, 3);
    check_decimals::<Quad>(Format::F128, 4);
}
