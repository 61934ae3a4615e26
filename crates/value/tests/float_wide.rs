//! Floats of any format against exact rational arithmetic.
//!
//! A result is not recomputed but judged by the definition of its rounding mode: where it and
//! its neighbours lie relative to the exact value. So this works for formats where nothing can
//! be enumerated, and for those that no processor has.

mod sampling;

use num_traits::{Signed, Zero};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cmp::Ordering;
use value::{BigInt, BigRational, Bits, Float, Format, Rounding};

fn formats() -> Vec<Format> {
    let of = |(eb, sb)| Format::new(eb, sb).expect("a valid format");
    let sizes = [(2, 2), (5, 11), (11, 53), (3, 60), (3, 61), (11, 61), (15, 64), (15, 113)];
    sizes.into_iter().chain([(2, 150), (13, 20), (9, 237), (6, 500)]).map(of).collect()
}

/// How many samples of a format to take: fewer where the rationals are large.
fn count(format: Format) -> usize {
    if format.exponent() > 12 { 50 } else { 150 }
}

fn integer(n: i64) -> BigRational {
    BigRational::from_integer(n.into())
}

/// 2^exponent.
fn power(exponent: i64) -> BigRational {
    let magnitude = BigRational::from_integer(BigInt::from(1) << exponent.unsigned_abs());
    if exponent >= 0 { magnitude } else { magnitude.recip() }
}

/// The value of a float whose neighbour may be an infinity, which is taken for the number that
/// would come next if the exponent had no bound.
fn real(float: &Float) -> BigRational {
    let Some(value) = float.to_real() else {
        let next = power(float.format().max_exponent() + 1);
        return if float.is_negative() { -next } else { next };
    };
    value
}

/// Whether `result` is the rounding of a nonzero number of the given sign, given how that number
/// compares with rationals.
fn is_rounding(
    rounding: Rounding,
    negative: bool,
    exact: &dyn Fn(&BigRational) -> Ordering,
    result: &Float,
) -> bool {
    if result.is_nan() || result.is_negative() != negative {
        return false;
    }
    // Everything beyond the greatest number: only its direction matters.
    let format = result.format();
    let next = real(&Float::infinity(format, negative));
    let beyond = if negative { exact(&next).is_le() } else { exact(&next).is_ge() };
    if beyond {
        let to_infinity = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::TowardPositive => !negative,
            Rounding::TowardNegative => negative,
            Rounding::TowardZero => false,
        };
        return result.is_infinite() == to_infinity
            && (to_infinity || *result == Float::max_finite(format, negative));
    }
    let value = real(result);
    if exact(&value).is_eq() {
        return result.is_finite();
    }
    // The neighbour on the other side of the exact value, and whether the result is the one of
    // greater magnitude.
    let above = exact(&value).is_lt();
    let away = above != negative;
    let inner = |float: &Float| if negative { float.next_up() } else { float.next_down() };
    let outer = |float: &Float| if negative { float.next_down() } else { float.next_up() };
    let other = if away { inner(result) } else { outer(result) };
    let other = real(&other);
    let between = if above { exact(&other).is_gt() } else { exact(&other).is_lt() };
    if !between {
        return false;
    }
    let halfway = exact(&((&value + &other) / integer(2)));
    let nearer = if above { halfway.is_gt() } else { halfway.is_lt() };
    match rounding {
        Rounding::TowardPositive => above,
        Rounding::TowardNegative => !above,
        Rounding::TowardZero => !away,
        Rounding::NearestEven => nearer || (halfway.is_eq() && !result.to_bits().bit(0)),
        Rounding::NearestAway => nearer || (halfway.is_eq() && away),
    }
}

#[track_caller]
fn expect(rounding: Rounding, exact: &BigRational, zero: bool, result: &Float, what: &str) {
    if exact.is_zero() {
        assert_eq!(*result, Float::zero(result.format(), zero), "{rounding} {what}");
        return;
    }
    let compare = |q: &BigRational| exact.cmp(q);
    assert!(
        is_rounding(rounding, exact.is_negative(), &compare, result),
        "{rounding} {what} gave {result}"
    );
}

/// Finite operands and their values.
fn operands(rng: &mut StdRng, format: Format) -> [(Float, BigRational); 3] {
    loop {
        let triple = sampling::triple(rng, format);
        if triple.iter().all(Float::is_finite) {
            return triple.map(|x| {
                let value = x.to_real().expect("finite");
                (x, value)
            });
        }
    }
}

#[test]
fn arithmetic() {
    let mut rng = StdRng::seed_from_u64(1);
    for format in formats() {
        for _ in 0..count(format) {
            let [(x, a), (y, b), (z, c)] = operands(&mut rng, format);
            let what = format!("{x} {y} {z}");
            for rm in Rounding::ALL {
                let down = rm == Rounding::TowardNegative;
                let (same, product_sign) =
                    (x.is_negative() == y.is_negative(), x.is_negative() != y.is_negative());
                let zero = if same { x.is_negative() } else { down };
                expect(rm, &(&a + &b), zero, &x.add(&y, rm), &what);
                let zero = if same { down } else { x.is_negative() };
                expect(rm, &(&a - &b), zero, &x.sub(&y, rm), &what);
                expect(rm, &(&a * &b), product_sign, &x.mul(&y, rm), &what);
                if !b.is_zero() {
                    expect(rm, &(&a / &b), product_sign, &x.div(&y, rm), &what);
                }
                let zero = if product_sign == z.is_negative() { product_sign } else { down };
                expect(rm, &(&a * &b + &c), zero, &x.fma(&y, &z, rm), &what);
                if a.is_positive() {
                    let root = x.sqrt(rm);
                    let compare = |q: &BigRational| {
                        if q.is_negative() { Ordering::Greater } else { a.cmp(&(q * q)) }
                    };
                    assert!(is_rounding(rm, false, &compare, &root), "{rm} √{x} gave {root}");
                }
            }
        }
    }
}

#[test]
fn remainders() {
    let mut rng = StdRng::seed_from_u64(2);
    for format in formats() {
        for _ in 0..count(format) {
            let [(x, a), (y, b), _] = operands(&mut rng, format);
            if b.is_zero() {
                assert!(x.rem(&y).is_nan() && x.fmod(&y).is_nan());
                continue;
            }
            let n = &a / &b;
            let floor = n.floor();
            let nearest = match (&n - &floor).cmp(&BigRational::new(1.into(), 2.into())) {
                Ordering::Less => floor,
                Ordering::Greater => floor + integer(1),
                Ordering::Equal if (&floor / integer(2)).is_integer() => floor,
                Ordering::Equal => floor + integer(1),
            };
            let check = |result: Float, n: BigRational, what: &str| {
                let exact = &a - &b * n;
                assert_eq!(result.to_real(), Some(exact), "{x} {what} {y}");
                assert!(!result.is_zero() || result.is_negative() == x.is_negative());
            };
            check(x.rem(&y), nearest, "rem");
            check(x.fmod(&y), n.trunc(), "fmod");
        }
    }
}

#[test]
fn conversions() {
    let mut rng = StdRng::seed_from_u64(3);
    for format in formats() {
        for _ in 0..count(format) / 3 {
            let [(x, a), (_, b), _] = operands(&mut rng, format);
            let to = formats()[rng.random_range(0..formats().len())];
            // Quotients are in no format, most of them.
            let quotient = if b.is_zero() { a.clone() } else { &a / &b };
            let bits = Bits::from_biguint(200, rng.random::<u128>().into())
                .mul(&Bits::from_u128(200, rng.random()));
            let n = BigRational::from_integer(bits.to_bigint());
            for rm in Rounding::ALL {
                let what = format!("{x} to {to}");
                expect(rm, &a, x.is_negative(), &x.to_format(to, rm), &what);
                expect(rm, &quotient, false, &Float::from_rational(to, rm, &quotient), &what);
                expect(rm, &n, false, &Float::from_sbv(to, rm, &bits), &what);
                let unsigned = BigRational::from_integer(bits.to_biguint().into());
                expect(rm, &unsigned, false, &Float::from_ubv(to, rm, &bits), &what);
                check_integers(&x, &a, rm);
            }
        }
    }
}

/// The roundings to integers, given the exact value.
fn check_integers(x: &Float, value: &BigRational, rm: Rounding) {
    let half = BigRational::new(1.into(), 2.into());
    let nearest_away = (value.abs() + &half).floor() * value.signum();
    let integer = match rm {
        Rounding::TowardPositive => value.ceil(),
        Rounding::TowardNegative => value.floor(),
        Rounding::TowardZero => value.trunc(),
        Rounding::NearestAway => nearest_away,
        Rounding::NearestEven if (value - value.floor()) == half => {
            (value / integer(2)).round() * integer(2)
        }
        Rounding::NearestEven => nearest_away,
    };
    let n = integer.to_integer();
    expect(rm, &integer, x.is_negative(), &x.round_to_integral(rm), &format!("integral {x}"));
    assert_eq!(x.to_integer(rm), Some(n.clone()), "{rm} {x}");
    for width in [1, 32, 64, 127, 128, 129, 200] {
        let range = BigInt::from(1) << width;
        let unsigned = !n.is_negative() && n < range;
        let expected = unsigned.then(|| Bits::from_bigint(width, &n));
        assert_eq!(x.to_ubv(width, rm), expected, "{rm} {x}");
        let half: BigInt = range >> 1;
        let signed = -&half <= n && n < half;
        let expected = signed.then(|| Bits::from_bigint(width, &n));
        assert_eq!(x.to_sbv(width, rm), expected, "{rm} {x}");
    }
}

/// Exponents millions apart cost no more than others.
#[test]
fn the_widest_exponent_range() {
    let format = Format::new(Format::MAX_EXPONENT, 100).expect("a valid format");
    let max = Float::max_finite(format, false);
    let tiny = Float::min_subnormal(format, false);
    let rm = Rounding::NearestEven;
    assert_eq!(max.add(&tiny, rm), max);
    assert_eq!(max.sub(&tiny, Rounding::TowardZero), max.next_down());
    assert_eq!(tiny.sub(&max, Rounding::TowardPositive), max.next_down().neg());
    assert_eq!(max.mul(&tiny, rm).div(&tiny, rm), max);
    assert_eq!(tiny.div(&max, rm), Float::zero(format, false));
    assert_eq!(tiny.mul(&tiny, Rounding::TowardPositive), tiny);
    assert_eq!(max.fma(&max, &tiny, Rounding::TowardZero), max);
    assert_eq!(max.fma(&tiny, &tiny, rm), max.mul(&tiny, rm));
    assert_eq!(max.rem(&tiny), Float::zero(format, false));
    assert_eq!(tiny.rem(&max), tiny);
    // 2^n modulo 3 is 1 or 2; the remainder of 1 is 1, that of 2 is −1.
    let three = Float::from_bigint(format, rm, &3.into());
    let power = Float::infinity(format, false).to_bits().sub(&Bits::one(format.width()));
    let power = Float::from_bits(format, &power.lshr_by(99).shl_by(99));
    let parity = (format.max_exponent() % 2) == 1;
    assert_eq!(power.rem(&three), Float::one(format, parity));
    assert_eq!(power.to_ubv(1000, rm), None);
    assert_eq!(tiny.to_ubv(1000, Rounding::TowardPositive), Some(Bits::one(1000)));
    assert_eq!(tiny.round_to_integral(Rounding::TowardPositive), Float::one(format, false));
    assert_eq!(tiny.to_real().expect("finite").recip(), crate::power(-format.least_exponent()));
    assert_eq!(Float::from_rational(format, rm, &tiny.to_real().expect("finite")), tiny);
    assert_eq!(tiny.to_decimal(), format!("0x1p{}", format.least_exponent()));
}

#[test]
fn decimals_far_out_of_range_are_not_expanded() {
    for format in formats() {
        let read = |text: &str, rm| Float::from_decimal(format, rm, text).expect("a decimal");
        for huge in ["1e999999999999999999999", "123.456e1000000000000", "0.001e987654321987"] {
            assert_eq!(read(huge, Rounding::NearestEven), Float::infinity(format, false));
            assert_eq!(read(huge, Rounding::TowardZero), Float::max_finite(format, false));
            let text = format!("-{huge}");
            assert_eq!(read(&text, Rounding::TowardNegative), Float::infinity(format, true));
            assert_eq!(read(&text, Rounding::TowardPositive), Float::max_finite(format, true));
        }
        for small in ["1e-999999999999999999999", "123.456e-1000000000000"] {
            assert_eq!(read(small, Rounding::NearestAway), Float::zero(format, false));
            assert_eq!(read(small, Rounding::TowardPositive), Float::min_subnormal(format, false));
            let text = format!("-{small}");
            assert_eq!(read(&text, Rounding::NearestEven), Float::zero(format, true));
            assert_eq!(read(&text, Rounding::TowardNegative), Float::min_subnormal(format, true));
        }
        assert_eq!(
            read("0e999999999999999999999", Rounding::NearestEven),
            Float::zero(format, false)
        );
        assert_eq!(read("-0.00", Rounding::NearestEven), Float::zero(format, true));
    }
}

/// Around the thresholds of the shortcut for numbers out of range.
#[test]
fn decimals_at_the_edge_of_the_range() {
    for format in formats() {
        let top = format.max_exponent() * 30103 / 100_000;
        let bottom = format.least_exponent() * 30103 / 100_000;
        for exponent in (top - 2..=top + 3).chain(bottom - 4..=bottom + 3) {
            for digits in ["1", "2", "3", "4", "4.9", "5", "7", "9.99999", "10.5"] {
                let text = format!("{digits}e{exponent}");
                let exact = value::real::parse(&text).expect("a decimal");
                for rm in Rounding::ALL {
                    let result = Float::from_decimal(format, rm, &text).expect("a decimal");
                    expect(rm, &exact, false, &result, &text);
                    assert_eq!(result, Float::from_rational(format, rm, &exact));
                }
            }
        }
    }
}
