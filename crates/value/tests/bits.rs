//! Bit vectors against a reference that states SMT-LIB's definitions on unbounded integers.
//!
//! Every operator is compared on all pairs of values up to width 4, and on random and extreme
//! values of the widths from 5 to 200 (both sides of the inline limit of 128 among them).

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use value::Bits;

fn power(width: u32) -> BigInt {
    BigInt::one() << width
}

/// The value of `bits` as an unsigned number.
fn nat(bits: &Bits) -> BigInt {
    BigInt::from(bits.to_biguint())
}

/// The value of `bits` as a two's complement number, by definition: nat(x) − 2^w·(top bit of x).
fn int(bits: &Bits) -> BigInt {
    let value = nat(bits);
    if value >= power(bits.width() - 1) { value - power(bits.width()) } else { value }
}

/// The unsigned representative of `value` modulo 2^width.
fn modulo(width: u32, value: &BigInt) -> BigInt {
    value.mod_floor(&power(width))
}

fn fits_unsigned(width: u32, value: &BigInt) -> bool {
    !value.is_negative() && *value < power(width)
}

fn fits_signed(width: u32, value: &BigInt) -> bool {
    -power(width - 1) <= *value && *value < power(width - 1)
}

/// Asserts the width, the value, and that the result is equal to the same value built anew
/// (which fails if unused bits are not zero or the representation is not the canonical one).
#[track_caller]
fn expect(result: &Bits, width: u32, value: &BigInt, what: &str) {
    assert_eq!(result.width(), width, "width of {what}");
    assert_eq!(&nat(result), value, "{what}");
    let again = Bits::from_biguint(width, value.to_biguint().expect("not negative"));
    assert_eq!(result, &again, "representation of {what}");
}

fn check_unary(x: &Bits) {
    let w = x.width();
    let n = nat(x);
    expect(&x.not(), w, &(power(w) - 1 - &n), "not");
    expect(&x.neg(), w, &modulo(w, &-&n), "neg");
    expect(&x.abs(), w, &modulo(w, &int(x).abs()), "abs");
    assert_eq!(x.nego(), !fits_signed(w, &-int(x)), "nego {x}");

    let ones = (0..w).filter(|&i| ((&n >> i) & BigInt::one()).is_one()).count();
    assert_eq!(x.popcount() as usize, ones, "popcount {x}");
    assert_eq!(x.redand(), ones == w as usize, "redand {x}");
    assert_eq!(x.redor(), ones > 0, "redor {x}");
    assert_eq!(x.redxor(), ones % 2 == 1, "redxor {x}");
    assert_eq!(u64::from(x.leading_zeros()), u64::from(w) - n.bits(), "leading zeros {x}");
    let trailing = (0..w).take_while(|&i| !x.bit(i)).count();
    assert_eq!(x.trailing_zeros() as usize, trailing, "trailing zeros {x}");

    for i in 0..w {
        assert_eq!(x.bit(i), ((&n >> i) & BigInt::one()).is_one(), "bit {i} of {x}");
        let bit = |b: bool| if b { power(i) } else { BigInt::zero() };
        for b in [false, true] {
            expect(&x.with_bit(i, b), w, &(&n - bit(x.bit(i)) + bit(b)), "with_bit");
        }
    }
    assert!(!x.bit(w) && !x.bit(w + 1) && !x.bit(u32::MAX));
    let bits: Vec<bool> = x.iter().collect();
    assert_eq!(&Bits::from_bits(&bits), x);

    assert_eq!(x.to_bigint(), int(x));
    assert_eq!(x.is_negative(), int(x).is_negative());
    assert_eq!(x.is_zero(), n.is_zero());
    assert_eq!(x.is_one(), n.is_one());
    assert_eq!(x.is_ones(), n == power(w) - 1);
    assert_eq!(x.is_min_signed(), int(x) == -power(w - 1), "min {x}");
    assert_eq!(x.is_max_signed(), int(x) == power(w - 1) - 1, "max {x}");
    assert_eq!(x.to_u64(), u64::try_from(&n).ok());
    assert_eq!(x.to_u128(), u128::try_from(&n).ok());
    assert_eq!(x.to_i64(), i64::try_from(&int(x)).ok());
    assert_eq!(x.to_i128(), i128::try_from(&int(x)).ok());
    assert_eq!(x.to_bool(), if w == 1 { Some(n.is_one()) } else { None });
    assert_eq!(&Bits::from_bigint(w, &int(x)), x);
    assert_eq!(&Bits::from_bigint(w, &(int(x) - power(w) * 3)), x);
    check_structure(x);
    check_text(x);
}

fn check_structure(x: &Bits) {
    let w = x.width();
    let n = nat(x);
    for by in [0, 1, 2, 63, 64, 65, 127, 128, 129] {
        expect(&x.zero_extend(by), w + by, &n, "zero_extend");
        expect(&x.sign_extend(by), w + by, &modulo(w + by, &int(x)), "sign_extend");
        expect(&x.resize_unsigned(by + 1), by + 1, &modulo(by + 1, &n), "resize");
        expect(&x.resize_signed(by + 1), by + 1, &modulo(by + 1, &int(x)), "resize signed");
    }
    let step = (w / 5).max(1) as usize;
    for high in (0..w).step_by(step).chain([w - 1]) {
        for low in (0..=high).step_by(step).chain([high]) {
            let expected = modulo(high - low + 1, &(&n >> low));
            expect(&x.extract(high, low), high - low + 1, &expected, "extract");
        }
    }
    let mut repeated = BigInt::zero();
    for count in 1..=7 {
        repeated = (repeated << w) + &n;
        expect(&x.repeat(count), w * count, &repeated, "repeat");
    }
    let step = (w / 3).max(1) as usize;
    for amount in (0..=2 * w + 1).step_by(step) {
        // Bit i moves to i + amount modulo the width.
        let moved: BigInt = (0..w).filter(|&i| x.bit(i)).map(|i| power((i + amount) % w)).sum();
        expect(&x.rotate_left(u64::from(amount)), w, &moved, "rotate_left");
        assert_eq!(&Bits::from_bigint(w, &moved).rotate_right(u64::from(amount)), x);
        let wide_amount = Bits::from_u64(200, u64::from(amount));
        assert_eq!(x.rotate_left_by(&wide_amount), x.rotate_left(u64::from(amount)));
        assert_eq!(x.rotate_right_by(&wide_amount), x.rotate_right(u64::from(amount)));
    }
    assert_eq!(x.rotate_left(u64::from(w) << 30), *x);
}

fn check_text(x: &Bits) {
    let w = x.width();
    let n = nat(x);
    let binary: String = x.iter().rev().map(|b| if b { '1' } else { '0' }).collect();
    assert_eq!(x.to_binary(), binary);
    assert_eq!(x.to_decimal(), n.to_string());
    let shown = x.to_string();
    assert_eq!(shown.starts_with("#x"), w.is_multiple_of(4));
    assert_eq!(shown.len() as u32, if w.is_multiple_of(4) { 2 + w / 4 } else { 2 + w });
    for text in [shown, format!("#b{binary}"), format!("(_ bv{n} {w})"), format!("{x:?}")] {
        assert_eq!(text.parse().as_ref(), Ok(x), "{text}");
    }
    assert_eq!(Bits::from_decimal(w, &n.to_string()).as_ref(), Ok(x));
    assert_eq!(Bits::from_decimal(w, &int(x).to_string()).as_ref(), Ok(x));
    let hex = Bits::from_hex(&x.to_hex().to_uppercase()).expect("hex digits");
    assert_eq!(nat(&hex), n);
}

/// Division and its relatives, by SMT-LIB's case distinctions on the integers.
fn check_division(x: &Bits, y: &Bits) {
    let w = x.width();
    let (a, b, sa, sb) = (nat(x), nat(y), int(x), int(y));
    let udiv = |a: &BigInt, b: &BigInt| if b.is_zero() { power(w) - 1 } else { a / b };
    let urem = |a: &BigInt, b: &BigInt| if b.is_zero() { a.clone() } else { a % b };
    expect(&x.udiv(y), w, &udiv(&a, &b), "udiv");
    expect(&x.urem(y), w, &urem(&a, &b), "urem");

    let quotient = udiv(&sa.abs(), &sb.abs());
    let quotient = if sa.is_negative() == sb.is_negative() { quotient } else { -quotient };
    expect(&x.sdiv(y), w, &modulo(w, &quotient), "sdiv");
    let remainder = urem(&sa.abs(), &sb.abs());
    let remainder = if sa.is_negative() { -remainder } else { remainder };
    expect(&x.srem(y), w, &modulo(w, &remainder), "srem");
    let modulus = if sb.is_zero() { sa.clone() } else { sa.mod_floor(&sb) };
    expect(&x.smod(y), w, &modulo(w, &modulus), "smod");
    let overflow = !sb.is_zero() && !fits_signed(w, &(&sa / &sb));
    assert_eq!(x.sdivo(y), overflow, "sdivo {x} {y}");
}

fn check_shift(x: &Bits, y: &Bits) {
    let w = x.width();
    let (a, amount) = (nat(x), nat(y));
    let beyond = amount >= BigInt::from(w);
    let amount = if beyond { w } else { u32::try_from(&amount).expect("below the width") };
    expect(&x.shl(y), w, &modulo(w, &(&a << amount)), "shl");
    expect(&x.lshr(y), w, &(&a >> amount), "lshr");
    expect(&x.ashr(y), w, &modulo(w, &int(x).div_floor(&power(amount))), "ashr");
    let reduced = u64::try_from(&(nat(y) % w)).expect("below the width");
    assert_eq!(x.rotate_left_by(y), x.rotate_left(reduced));
    assert_eq!(x.rotate_right_by(y), x.rotate_right(reduced));
}

fn check_binary(x: &Bits, y: &Bits) {
    let w = x.width();
    let (a, b, sa, sb) = (nat(x), nat(y), int(x), int(y));
    expect(&x.add(y), w, &modulo(w, &(&a + &b)), "add");
    expect(&x.sub(y), w, &modulo(w, &(&a - &b)), "sub");
    expect(&x.mul(y), w, &modulo(w, &(&a * &b)), "mul");
    check_division(x, y);
    check_shift(x, y);

    let bitwise = |f: fn(bool, bool) -> bool| -> BigInt {
        (0..w).filter(|&i| f(x.bit(i), y.bit(i))).map(power).sum()
    };
    expect(&x.and(y), w, &bitwise(|p, q| p && q), "and");
    expect(&x.or(y), w, &bitwise(|p, q| p || q), "or");
    expect(&x.xor(y), w, &bitwise(|p, q| p != q), "xor");
    expect(&x.nand(y), w, &bitwise(|p, q| !(p && q)), "nand");
    expect(&x.nor(y), w, &bitwise(|p, q| !(p || q)), "nor");
    expect(&x.xnor(y), w, &bitwise(|p, q| p == q), "xnor");

    assert_eq!([x.ult(y), x.ule(y), x.ugt(y), x.uge(y)], [a < b, a <= b, a > b, a >= b]);
    assert_eq!([x.slt(y), x.sle(y), x.sgt(y), x.sge(y)], [sa < sb, sa <= sb, sa > sb, sa >= sb]);
    assert_eq!(x.comp(y), Bits::from_bool(a == b));
    assert_eq!(x == y, a == b);
    assert_eq!(x.cmp(y), a.cmp(&b));

    assert_eq!(x.uaddo(y), !fits_unsigned(w, &(&a + &b)), "uaddo {x} {y}");
    assert_eq!(x.usubo(y), !fits_unsigned(w, &(&a - &b)), "usubo {x} {y}");
    assert_eq!(x.umulo(y), !fits_unsigned(w, &(&a * &b)), "umulo {x} {y}");
    assert_eq!(x.saddo(y), !fits_signed(w, &(&sa + &sb)), "saddo {x} {y}");
    assert_eq!(x.ssubo(y), !fits_signed(w, &(&sa - &sb)), "ssubo {x} {y}");
    assert_eq!(x.smulo(y), !fits_signed(w, &(&sa * &sb)), "smulo {x} {y}");
    check_concat(x, y);
}

fn check_concat(x: &Bits, y: &Bits) {
    let (w, v) = (x.width(), y.width());
    expect(&x.concat(y), w + v, &((nat(x) << v) + nat(y)), "concat");
}

#[test]
fn all_values_of_width_one_to_four() {
    for width in 1..=4 {
        let values: Vec<Bits> = (0..1 << width).map(|n| Bits::from_u64(width, n)).collect();
        for x in &values {
            check_unary(x);
            for y in &values {
                check_binary(x, y);
            }
        }
    }
}

/// A value that is uniform, small, near the top, a power of two or sparse.
fn random(rng: &mut StdRng, width: u32) -> Bits {
    let digits: Vec<u32> = (0..width.div_ceil(32)).map(|_| rng.random()).collect();
    let uniform = Bits::from_biguint(width, BigUint::new(digits));
    match rng.random_range(0..6) {
        0 => Bits::from_u64(width, rng.random_range(0..300)),
        1 => Bits::from_i64(width, -rng.random_range(1..300)),
        2 => Bits::min_signed(width).add(&Bits::from_i64(width, rng.random_range(-2..=2))),
        3 => uniform.lshr_by(rng.random_range(0..width)),
        4 => Bits::one(width).shl_by(rng.random_range(0..width)),
        _ => uniform,
    }
}

#[test]
fn random_values_of_greater_width() {
    let mut rng = StdRng::seed_from_u64(1);
    for width in (5..=200).chain([64; 20]).chain([127, 128, 129, 128, 129]) {
        let x = random(&mut rng, width);
        check_unary(&x);
        for _ in 0..10 {
            check_binary(&random(&mut rng, width), &random(&mut rng, width));
        }
        let other = rng.random_range(1..=200);
        check_concat(&x, &random(&mut rng, other));
    }
}

#[test]
fn extreme_values() {
    for width in [5, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192] {
        let values = [
            Bits::zero(width),
            Bits::one(width),
            Bits::ones(width),
            Bits::min_signed(width),
            Bits::max_signed(width),
            Bits::min_signed(width).add(&Bits::one(width)),
            Bits::from_u64(width, u64::from(width)),
            Bits::from_u64(width, u64::from(width) - 1),
            Bits::from_u128(width, u128::MAX),
            Bits::from_i128(width, i128::MIN),
            Bits::from_i64(width, i64::MIN),
            Bits::from_u64(width, u64::MAX),
        ];
        for x in &values {
            check_unary(x);
            for y in &values {
                check_binary(x, y);
            }
        }
    }
}

#[test]
fn constants_have_their_values() {
    for width in 1..=200 {
        expect(&Bits::zero(width), width, &BigInt::zero(), "zero");
        expect(&Bits::one(width), width, &BigInt::one(), "one");
        expect(&Bits::ones(width), width, &(power(width) - 1), "ones");
        expect(&Bits::min_signed(width), width, &power(width - 1), "min_signed");
        expect(&Bits::max_signed(width), width, &(power(width - 1) - 1), "max_signed");
        for n in [0, 1, -1, i64::MIN, i64::MAX, -300] {
            let expected = modulo(width, &BigInt::from(n));
            expect(&Bits::from_i64(width, n), width, &expected, "from_i64");
            let n = i128::from(n) << 64;
            let expected = modulo(width, &BigInt::from(n));
            expect(&Bits::from_i128(width, n), width, &expected, "from_i128");
            let n = n as u128;
            expect(&Bits::from_u128(width, n), width, &modulo(width, &n.into()), "from_u128");
        }
    }
    assert_eq!(Bits::from(true), Bits::one(1));
    assert_eq!(Bits::from(false), Bits::zero(1));
}

#[test]
fn texts_that_are_no_bit_vector_are_rejected() {
    use value::bits::ParseBitsError::*;
    for (text, error) in [
        ("", Form),
        ("#b", Empty),
        ("#x", Empty),
        ("#b012", Digit('2')),
        ("#x-1", Digit('-')),
        ("#b+1", Digit('+')),
        ("#b1_0", Digit('_')),
        ("#xg", Digit('g')),
        ("#b٠", Digit('٠')),
        ("(_ bv5 2)", OutOfRange(2)),
        ("(_ bv4 2)", OutOfRange(2)),
        ("(_ bv-1 2)", Digit('-')),
        ("(_ bv 2)", Empty),
        ("(_ bv0 0)", Empty),
        ("(_ bv0 -1)", Digit('-')),
        ("(_ bv0 4294967296)", TooWide),
        ("(_ 5 2)", Form),
        ("(_ bv5 2 3)", Form),
        ("12", Form),
    ] {
        assert_eq!(text.parse::<Bits>(), Err(error), "{text}");
    }
    assert_eq!(Bits::from_decimal(8, "-129"), Err(OutOfRange(8)));
    assert_eq!(Bits::from_decimal(8, "-128"), Ok(Bits::min_signed(8)));
    assert_eq!(Bits::from_decimal(8, "-256"), Err(OutOfRange(8)));
    assert_eq!(Bits::from_decimal(8, "255"), Ok(Bits::ones(8)));
    assert_eq!(Bits::from_decimal(8, "256"), Err(OutOfRange(8)));
    assert_eq!(Bits::from_decimal(8, ""), Err(Empty));
    assert_eq!(Bits::from_decimal(8, "-"), Err(Empty));
    assert_eq!(Bits::from_decimal(8, "--1"), Err(Digit('-')));
    assert_eq!(Bits::from_decimal(8, "-0"), Ok(Bits::zero(8)));
}

#[test]
#[should_panic(expected = "different width")]
fn operands_of_different_width_are_refused() {
    Bits::zero(3).add(&Bits::zero(4));
}

#[test]
#[should_panic(expected = "at least one bit")]
fn width_zero_is_refused() {
    Bits::zero(0);
}

#[test]
fn a_value_is_four_words() {
    assert_eq!(size_of::<Bits>(), 32);
}
