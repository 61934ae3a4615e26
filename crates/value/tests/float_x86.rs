//! Floats against the processor: SSE in its four rounding modes for binary32 and binary64, and
//! the x87 for its 80-bit format and for remainders.
//!
//! Each operation is one block of assembly that sets the rounding mode, computes and restores
//! the mode, so that the compiler can neither fold nor move it.

#![cfg(target_arch = "x86_64")]

mod sampling;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::arch::asm;
use value::{Bits, Float, Format, Rounding};

/// The modes the processor has, each with its code in MXCSR and in the x87 control word.
const MODES: [(Rounding, u32); 4] = [
    (Rounding::NearestEven, 0),
    (Rounding::TowardNegative, 1),
    (Rounding::TowardPositive, 2),
    (Rounding::TowardZero, 3),
];

/// MXCSR with all exceptions masked, subnormals honoured, and the given mode.
fn mxcsr(mode: u32) -> u32 {
    0x1f80 | mode << 13
}

/// The x87 control word with all exceptions masked, 64-bit precision, and the given mode.
fn control_word(mode: u32) -> u16 {
    0x037f | (mode << 10) as u16
}

/// `fn name(mode, a, b) -> result`: the result of one SSE instruction on `a` and `b`.
macro_rules! sse_binary {
    ($name:ident, $type:ty, $instruction:literal) => {
        fn $name(mode: u32, a: $type, b: $type) -> $type {
            let (new, mut old, mut result) = (mxcsr(mode), 0u32, a);
            // SAFETY: reads and writes only the named operands, and restores MXCSR.
            unsafe {
                asm!(
                    "stmxcsr [{old}]",
                    "ldmxcsr [{new}]",
                    concat!($instruction, " {result}, {b}"),
                    "ldmxcsr [{old}]",
                    old = in(reg) &mut old,
                    new = in(reg) &new,
                    result = inout(xmm_reg) result,
                    b = in(xmm_reg) b,
                    options(nostack),
                );
            }
            result
        }
    };
}

/// `fn name(mode, a) -> result`: the result of one SSE instruction from one register class to
/// another.
macro_rules! sse_convert {
    ($name:ident, $from:ty, $in:ident, $to:ty, $out:ident, $instruction:literal) => {
        fn $name(mode: u32, a: $from) -> $to {
            let (new, mut old) = (mxcsr(mode), 0u32);
            let result: $to;
            // SAFETY: reads and writes only the named operands, and restores MXCSR.
            unsafe {
                asm!(
                    "stmxcsr [{old}]",
                    "ldmxcsr [{new}]",
                    $instruction,
                    "ldmxcsr [{old}]",
                    old = in(reg) &mut old,
                    new = in(reg) &new,
                    result = out($out) result,
                    a = in($in) a,
                    options(nostack),
                );
            }
            result
        }
    };
}

sse_binary!(addss, f32, "addss");
sse_binary!(subss, f32, "subss");
sse_binary!(mulss, f32, "mulss");
sse_binary!(divss, f32, "divss");
sse_binary!(sqrtss, f32, "sqrtss");
sse_binary!(addsd, f64, "addsd");
sse_binary!(subsd, f64, "subsd");
sse_binary!(mulsd, f64, "mulsd");
sse_binary!(divsd, f64, "divsd");
sse_binary!(sqrtsd, f64, "sqrtsd");
sse_convert!(cvtsd2ss, f64, xmm_reg, f32, xmm_reg, "cvtsd2ss {result}, {a}");
sse_convert!(cvtss2sd, f32, xmm_reg, f64, xmm_reg, "cvtss2sd {result}, {a}");
sse_convert!(cvtss2si32, f32, xmm_reg, i32, reg, "cvtss2si {result:e}, {a}");
sse_convert!(cvtss2si64, f32, xmm_reg, i64, reg, "cvtss2si {result:r}, {a}");
sse_convert!(cvtsd2si32, f64, xmm_reg, i32, reg, "cvtsd2si {result:e}, {a}");
sse_convert!(cvtsd2si64, f64, xmm_reg, i64, reg, "cvtsd2si {result:r}, {a}");
sse_convert!(cvtsi2ss32, i32, reg, f32, xmm_reg, "cvtsi2ss {result}, {a:e}");
sse_convert!(cvtsi2ss64, i64, reg, f32, xmm_reg, "cvtsi2ss {result}, {a:r}");
sse_convert!(cvtsi2sd64, i64, reg, f64, xmm_reg, "cvtsi2sd {result}, {a:r}");
// The immediate 4 stands for the mode in MXCSR. SSE4.1.
sse_convert!(roundss, f32, xmm_reg, f32, xmm_reg, "roundss {result}, {a}, 4");
sse_convert!(roundsd, f64, xmm_reg, f64, xmm_reg, "roundsd {result}, {a}, 4");

/// `fn name(mode, a, b, c) -> result`: a·b + c by one FMA3 instruction.
macro_rules! fma {
    ($name:ident, $type:ty, $instruction:literal) => {
        fn $name(mode: u32, a: $type, b: $type, c: $type) -> $type {
            let (new, mut old, mut result) = (mxcsr(mode), 0u32, a);
            // SAFETY: reads and writes only the named operands, and restores MXCSR.
            unsafe {
                asm!(
                    "stmxcsr [{old}]",
                    "ldmxcsr [{new}]",
                    concat!($instruction, " {result}, {b}, {c}"),
                    "ldmxcsr [{old}]",
                    old = in(reg) &mut old,
                    new = in(reg) &new,
                    result = inout(xmm_reg) result,
                    b = in(xmm_reg) b,
                    c = in(xmm_reg) c,
                    options(nostack),
                );
            }
            result
        }
    };
}

fma!(vfmadd213ss, f32, "vfmadd213ss");
fma!(vfmadd213sd, f64, "vfmadd213sd");

/// An x87 register image.
type Extended = [u8; 16];

/// `fn name(mode, a, b) -> result`: x87 instructions on a stack with b on top of a.
macro_rules! x87 {
    ($name:ident, $($instruction:literal),+) => {
        fn $name(mode: u32, a: &Extended, b: &Extended) -> Extended {
            let (new, mut old, mut result) = (control_word(mode), 0u16, [0u8; 16]);
            // SAFETY: reads and writes only the named operands, clobbers what is named, restores
            // the control word and leaves the register stack empty.
            unsafe {
                asm!(
                    "fnstcw word ptr [{old}]",
                    "fldcw word ptr [{new}]",
                    "fld tbyte ptr [{a}]",
                    "fld tbyte ptr [{b}]",
                    $($instruction,)+
                    "fstp tbyte ptr [{result}]",
                    "fnclex",
                    "fldcw word ptr [{old}]",
                    old = in(reg) &mut old,
                    new = in(reg) &new,
                    a = in(reg) a,
                    b = in(reg) b,
                    result = in(reg) &mut result,
                    out("ax") _,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    options(nostack),
                );
            }
            result
        }
    };
}

x87!(x87_add, "faddp st(1), st");
x87!(x87_sub, "fsubp st(1), st");
x87!(x87_mul, "fmulp st(1), st");
x87!(x87_div, "fdivp st(1), st");
x87!(x87_sqrt, "fstp st(0)", "fsqrt");
x87!(x87_round, "fstp st(0)", "frndint");
// Partial remainders until the C2 flag is clear; the divisor goes below the dividend.
x87!(x87_rem, "fxch st(1)", "2: fprem1", "fnstsw ax", "test ah, 4", "jnz 2b", "fstp st(1)");
x87!(x87_fmod, "fxch st(1)", "2: fprem", "fnstsw ax", "test ah, 4", "jnz 2b", "fstp st(1)");

fn extended(float: &Float) -> Extended {
    let bits = float.to_x87().expect("the x87 format").to_u128().expect("80 bits");
    bits.to_le_bytes()
}

fn from_extended(image: &Extended) -> Float {
    Float::from_x87(&Bits::from_u128(80, u128::from_le_bytes(*image)))
}

fn single(float: &Float) -> f32 {
    float.to_f32().expect("binary32")
}

fn double(float: &Float) -> f64 {
    float.to_f64().expect("binary64")
}

fn have(feature: &str) -> bool {
    match feature {
        "fma" => std::arch::is_x86_feature_detected!("fma"),
        _ => std::arch::is_x86_feature_detected!("sse4.1"),
    }
}

/// Every pair of special values of both signs, and then random triples.
fn triples(seed: u64, format: Format, count: usize) -> impl Iterator<Item = [Float; 3]> {
    let positive = sampling::special(format);
    let special: Vec<Float> = positive.iter().flat_map(|x| [x.clone(), x.neg()]).collect();
    let mut rng = StdRng::seed_from_u64(seed);
    let n = special.len();
    let all =
        (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n].map(|k| special[k].clone()));
    all.chain((0..count).map(move |_| sampling::triple(&mut rng, format)))
}

#[test]
fn binary32_arithmetic() {
    for [x, y, z] in triples(1, Format::F32, 40_000) {
        let (a, b, c) = (single(&x), single(&y), single(&z));
        for (rm, mode) in MODES {
            assert_eq!(x.add(&y, rm), Float::from_f32(addss(mode, a, b)), "{rm} {x} + {y}");
            assert_eq!(x.sub(&y, rm), Float::from_f32(subss(mode, a, b)), "{rm} {x} - {y}");
            assert_eq!(x.mul(&y, rm), Float::from_f32(mulss(mode, a, b)), "{rm} {x} * {y}");
            assert_eq!(x.div(&y, rm), Float::from_f32(divss(mode, a, b)), "{rm} {x} / {y}");
            assert_eq!(x.sqrt(rm), Float::from_f32(sqrtss(mode, a, a)), "{rm} √{x}");
            if have("fma") {
                let expected = Float::from_f32(vfmadd213ss(mode, a, b, c));
                assert_eq!(x.fma(&y, &z, rm), expected, "{rm} {x} * {y} + {z}");
            }
        }
    }
}

#[test]
fn binary64_arithmetic() {
    for [x, y, z] in triples(2, Format::F64, 40_000) {
        let (a, b, c) = (double(&x), double(&y), double(&z));
        for (rm, mode) in MODES {
            assert_eq!(x.add(&y, rm), Float::from_f64(addsd(mode, a, b)), "{rm} {x} + {y}");
            assert_eq!(x.sub(&y, rm), Float::from_f64(subsd(mode, a, b)), "{rm} {x} - {y}");
            assert_eq!(x.mul(&y, rm), Float::from_f64(mulsd(mode, a, b)), "{rm} {x} * {y}");
            assert_eq!(x.div(&y, rm), Float::from_f64(divsd(mode, a, b)), "{rm} {x} / {y}");
            assert_eq!(x.sqrt(rm), Float::from_f64(sqrtsd(mode, a, a)), "{rm} √{x}");
            if have("fma") {
                let expected = Float::from_f64(vfmadd213sd(mode, a, b, c));
                assert_eq!(x.fma(&y, &z, rm), expected, "{rm} {x} * {y} + {z}");
            }
        }
    }
}

/// A float of the format whose exponent is such that it is neither always zero nor always out
/// of range as an integer of 64 bits.
fn integer_like(rng: &mut StdRng, format: Format) -> Float {
    let (_, _, fraction) = sampling::float(rng, format, None).fields();
    let exponent = format.max_exponent() + rng.random_range(-3..=66);
    let exponent = Bits::from_i64(format.exponent(), exponent);
    Float::from_fields(rng.random(), &exponent, &fraction).expect("the fields of a format")
}

/// The processor's answer to a conversion to an integer: what is out of range or no number
/// gives the least signed value.
fn check_signed(x: &Float, rm: Rounding, width: u32, answer: i64) {
    let expected = Bits::from_i64(width, answer);
    match x.to_sbv(width, rm) {
        Some(bits) => assert_eq!(bits, expected, "{rm} to_sbv {width} {x}"),
        None => assert!(expected.is_min_signed(), "{rm} to_sbv {width} {x}"),
    }
}

#[test]
fn conversions() {
    let mut rng = StdRng::seed_from_u64(3);
    for i in 0..60_000 {
        let any = i % 2 == 0;
        let pick = |rng: &mut StdRng, format| {
            if any { sampling::float(rng, format, None) } else { integer_like(rng, format) }
        };
        let (x, y) = (pick(&mut rng, Format::F32), pick(&mut rng, Format::F64));
        let (a, b) = (single(&x), double(&y));
        // Doubles in and around the range of singles.
        let near = Float::from_f64(f64::from(a));
        let z = sampling::float(&mut rng, Format::F64, Some(&near));
        let integer: i64 = rng.random::<i64>() >> rng.random_range(0..64);
        for (rm, mode) in MODES {
            for d in [&y, &z] {
                let expected = Float::from_f32(cvtsd2ss(mode, double(d)));
                assert_eq!(d.to_format(Format::F32, rm), expected, "{rm} {d}");
            }
            assert_eq!(x.to_format(Format::F64, rm), Float::from_f64(cvtss2sd(mode, a)));
            check_signed(&x, rm, 32, cvtss2si32(mode, a).into());
            check_signed(&x, rm, 64, cvtss2si64(mode, a));
            check_signed(&y, rm, 32, cvtsd2si32(mode, b).into());
            check_signed(&y, rm, 64, cvtsd2si64(mode, b));
            if have("sse4.1") {
                assert_eq!(x.round_to_integral(rm), Float::from_f32(roundss(mode, a)), "{rm} {x}");
                assert_eq!(y.round_to_integral(rm), Float::from_f64(roundsd(mode, b)), "{rm} {y}");
            }
            let bits = Bits::from_i64(64, integer);
            let from = |format, bits: &Bits| Float::from_sbv(format, rm, bits);
            assert_eq!(from(Format::F32, &bits), Float::from_f32(cvtsi2ss64(mode, integer)));
            assert_eq!(from(Format::F64, &bits), Float::from_f64(cvtsi2sd64(mode, integer)));
            let short = cvtsi2ss32(mode, integer as i32);
            assert_eq!(from(Format::F32, &bits.extract(31, 0)), Float::from_f32(short));
        }
    }
}

#[test]
fn extended_arithmetic() {
    for [x, y, _] in triples(4, Format::X87, 15_000) {
        let (a, b) = (extended(&x), extended(&y));
        for (rm, mode) in MODES {
            let expect = |result: Float, image: Extended, what: &str| {
                assert_eq!(result, from_extended(&image), "{rm} {x} {what} {y}");
            };
            expect(x.add(&y, rm), x87_add(mode, &a, &b), "+");
            expect(x.sub(&y, rm), x87_sub(mode, &a, &b), "-");
            expect(x.mul(&y, rm), x87_mul(mode, &a, &b), "*");
            expect(x.div(&y, rm), x87_div(mode, &a, &b), "/");
            expect(x.sqrt(rm), x87_sqrt(mode, &a, &b), "√");
            expect(x.round_to_integral(rm), x87_round(mode, &a, &b), "integral");
        }
    }
}

#[test]
fn remainders() {
    for format in [Format::F32, Format::F64, Format::X87] {
        for [x, y, _] in triples(5, format, 6_000) {
            // Exact in the wider format, so the x87's remainder is that of the narrower one.
            let wide = |float: &Float| float.to_format(Format::X87, Rounding::NearestEven);
            let (a, b) = (extended(&wide(&x)), extended(&wide(&y)));
            assert_eq!(wide(&x.rem(&y)), from_extended(&x87_rem(0, &a, &b)), "{x} rem {y}");
            assert_eq!(wide(&x.fmod(&y)), from_extended(&x87_fmod(0, &a, &b)), "{x} fmod {y}");
        }
    }
}

#[test]
fn the_x87_encoding_is_read_and_written() {
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..20_000 {
        let x = sampling::float(&mut rng, Format::X87, None);
        assert_eq!(from_extended(&extended(&x)), x);
        // The processor reads our encoding of a double's value as that double.
        let y = sampling::float(&mut rng, Format::F64, None);
        let image = extended(&y.to_format(Format::X87, Rounding::NearestEven));
        let mut result = 0.0f64;
        // SAFETY: reads and writes only the named operands; the register stack is left empty.
        unsafe {
            asm!(
                "fld tbyte ptr [{image}]",
                "fstp qword ptr [{result}]",
                image = in(reg) &image,
                result = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        assert_eq!(Float::from_f64(result), y);
    }
    // A pseudo-denormal stands for a number; unnormals and pseudo-infinities are invalid.
    let encode = |exponent: u64, significand: u64| {
        Float::from_x87(&Bits::from_u64(16, exponent).concat(&Bits::from_u64(64, significand)))
    };
    assert_eq!(encode(0, 1 << 63), Float::min_normal(Format::X87, false));
    assert_eq!(encode(0, 1), Float::min_subnormal(Format::X87, false));
    assert!(encode(1, 1 << 62).is_nan());
    assert!(encode(0x7fff, 0).is_nan());
    assert_eq!(encode(0xffff, 1 << 63), Float::infinity(Format::X87, true));
    assert!(encode(0x7fff, 3 << 62).is_nan());
}
