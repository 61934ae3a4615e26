//! Reading and printing floats, reals, formats and rounding modes.

mod sampling;

use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use value::float::FormatError;
use value::{Bits, Float, Format, Rounding, real};

fn half(code: u64) -> Float {
    Float::from_bits(Format::F16, &Bits::from_u64(16, code))
}

#[test]
fn floats_print_as_smt_lib_terms() {
    for (code, text) in [
        (0x0000, "(_ +zero 5 11)"),
        (0x8000, "(_ -zero 5 11)"),
        (0x7c00, "(_ +oo 5 11)"),
        (0xfc00, "(_ -oo 5 11)"),
        (0x7c01, "(_ NaN 5 11)"),
        (0xffff, "(_ NaN 5 11)"),
        (0x0001, "(fp #b0 #b00000 #b0000000001)"),
        (0xbe00, "(fp #b1 #b01111 #b1000000000)"),
    ] {
        assert_eq!(half(code).to_string(), text);
        assert_eq!(format!("{:?}", half(code)), text);
    }
}

#[test]
fn floats_print_for_people() {
    for (value, decimal, hex) in [
        (0.0, "0.0", "0x0p+0"),
        (-0.0, "-0.0", "-0x0p+0"),
        (f64::NAN, "NaN", "NaN"),
        (f64::INFINITY, "inf", "inf"),
        (f64::NEG_INFINITY, "-inf", "-inf"),
        (1.0, "1.0", "0x1p+0"),
        (-1.5, "-1.5", "-0x1.8p+0"),
        (3.0, "3.0", "0x1.8p+1"),
        (0.1, "0.1", "0x1.999999999999ap-4"),
        (100.0, "100.0", "0x1.9p+6"),
        (123.456, "123.456", "0x1.edd2f1a9fbe77p+6"),
        (0.00001, "0.00001", "0x1.4f8b588e368f1p-17"),
        (0.000001, "1e-6", "0x1.0c6f7a0b5ed8dp-20"),
        (0.0000015, "1.5e-6", "0x1.92a737110e454p-20"),
        (1e15, "1000000000000000.0", "0x1.c6bf52634p+49"),
        (1e16, "1e16", "0x1.1c37937e08p+53"),
        (1.5e300, "1.5e300", "0x1.1eb2d66005835p+997"),
        (f64::MAX, "1.7976931348623157e308", "0x1.fffffffffffffp+1023"),
        (f64::from_bits(1), "5e-324", "0x1p-1074"),
        (f64::from_bits(5), "2.5e-323", "0x1.4p-1072"),
    ] {
        let float = Float::from_f64(value);
        assert_eq!(float.to_decimal(), decimal);
        assert_eq!(float.to_hex(), hex);
    }
}

/// The digits and the exponent of a decimal, however it is laid out.
fn normalized(text: &str) -> (String, i64) {
    let text = text.trim_start_matches('-');
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let exponent: i64 = exponent.parse().expect("an exponent");
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let exponent = exponent - fraction.len() as i64 + trailing as i64;
    (digits.trim_matches('0').to_owned(), exponent)
}

#[test]
fn decimals_are_the_shortest_ones() {
    let mut rng = StdRng::seed_from_u64(1);
    for _ in 0..4_000 {
        let x = sampling::float(&mut rng, Format::F64, None);
        let y = sampling::float(&mut rng, Format::F32, None);
        for (float, machine) in [
            (&x, format!("{:e}", x.to_f64().expect("binary64"))),
            (&y, format!("{:e}", y.to_f32().expect("binary32"))),
        ] {
            if float.is_finite() && !float.is_zero() {
                assert_eq!(normalized(&float.to_decimal()), normalized(&machine), "{float}");
            }
        }
    }
    // Powers of two, where the gap below is half the gap above.
    for exponent in -1022..=1023 {
        let value = 2f64.powi(exponent);
        let decimal = Float::from_f64(value).to_decimal();
        assert_eq!(normalized(&decimal), normalized(&format!("{value:e}")));
    }
}

#[test]
fn decimals_of_any_format_read_back() {
    let mut rng = StdRng::seed_from_u64(2);
    for (eb, sb) in [(5, 11), (15, 64), (15, 113), (10, 300)] {
        let format = Format::new(eb, sb).expect("a valid format");
        for _ in 0..40 {
            let x = sampling::float(&mut rng, format, None);
            if x.is_finite() {
                let text = x.to_decimal();
                let back = Float::from_decimal(format, Rounding::NearestEven, &text);
                assert_eq!(back, Ok(x), "{text}");
            }
        }
    }
}

#[test]
fn decimals_are_read_as_the_machine_reads_them() {
    let mut rng = StdRng::seed_from_u64(3);
    for _ in 0..2_000 {
        let digits: u64 = rng.random::<u64>() >> rng.random_range(0..64);
        let text = format!("-{digits}.{}e{}", rng.random::<u16>(), rng.random_range(-360..320));
        let read = |format| Float::from_decimal(format, Rounding::NearestEven, &text);
        let double: f64 = text.parse().expect("a double");
        assert_eq!(read(Format::F64), Ok(Float::from_f64(double)), "{text}");
        let single: f32 = text.parse().expect("a single");
        assert_eq!(read(Format::F32), Ok(Float::from_f32(single)), "{text}");
    }
}

#[test]
fn formats_are_checked() {
    assert_eq!(Format::new(8, 24), Ok(Format::F32));
    assert_eq!(Format::F128.to_string(), "(_ FloatingPoint 15 113)");
    assert_eq!(Format::new(1, 24), Err(FormatError::TooSmall(1, 24)));
    assert_eq!(Format::new(8, 1), Err(FormatError::TooSmall(8, 1)));
    assert_eq!(Format::new(25, 24), Err(FormatError::TooLarge(25, 24)));
    assert_eq!(Format::new(2, u32::MAX), Err(FormatError::TooLarge(2, u32::MAX)));
    let message = FormatError::TooLarge(25, 24).to_string();
    assert!(message.starts_with("(_ FloatingPoint 25 24): at most 24 exponent"), "{message}");
    let one_bit = Float::from_fields(false, &Bits::zero(1), &Bits::zero(3));
    assert_eq!(one_bit, Err(FormatError::TooSmall(1, 4)));
    for (format, width, max) in [
        (Format::F16, 16, 15),
        (Format::BF16, 16, 127),
        (Format::F32, 32, 127),
        (Format::F64, 64, 1023),
        (Format::X87, 79, 16383),
        (Format::F128, 128, 16383),
    ] {
        assert_eq!((format.width(), format.max_exponent()), (width, max));
        assert_eq!(format.min_exponent(), 1 - max);
    }
}

#[test]
fn rounding_modes_have_short_and_long_names() {
    let long = [
        "roundNearestTiesToEven",
        "roundNearestTiesToAway",
        "roundTowardPositive",
        "roundTowardNegative",
        "roundTowardZero",
    ];
    let short = ["RNE", "RNA", "RTP", "RTN", "RTZ"];
    for ((mode, long), short) in Rounding::ALL.into_iter().zip(long).zip(short) {
        assert_eq!(mode.to_string(), short);
        assert_eq!(short.parse(), Ok(mode));
        assert_eq!(long.parse(), Ok(mode));
    }
    assert!("rne".parse::<Rounding>().is_err());
}

#[test]
#[should_panic(expected = "different format")]
fn operands_of_different_format_are_refused() {
    Float::one(Format::F32, false).add(&Float::one(Format::F64, false), Rounding::NearestEven);
}

/// A text made of the characters that numbers are made of.
fn number_like() -> impl Strategy<Value = String> {
    "[-+]{0,2}[0-9.]{0,6}[-+0-9.eE/_]{0,8}"
}

proptest! {
    #[test]
    fn any_text_is_read_or_rejected(text in prop_oneof![number_like(), any::<String>()]) {
        let exact = real::parse(&text);
        let float = Float::from_decimal(Format::F64, Rounding::TowardZero, &text);
        // Both accept the same texts, except for exponents that only the float can do without.
        if let Ok(exact) = &exact {
            let expected = Float::from_rational(Format::F64, Rounding::TowardZero, exact);
            prop_assert_eq!(float.map(|float| float.abs()), Ok(expected.abs()));
        } else {
            prop_assert!(float.is_err() || exact == Err(real::ParseRealError::Exponent));
        }
        let _ = text.parse::<Bits>();
        let _ = Bits::from_decimal(70, &text);
        let _ = text.parse::<Rounding>();
    }

    #[test]
    fn any_text_after_a_prefix_is_read_or_rejected(
        prefix in prop_oneof![Just("#b"), Just("#x"), Just("(_ bv")],
        text in prop_oneof!["[0-9a-fA-F) ]{0,30}", any::<String>()],
    ) {
        let text = [prefix, &text].concat();
        if let Ok(bits) = text.parse::<Bits>() {
            prop_assert_eq!(bits.to_string().parse(), Ok(bits));
        }
    }
}
