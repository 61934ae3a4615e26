//! All values of tiny formats against a reference written from the definitions.
//!
//! The reference enumerates the numbers of the format as fractions of `i128` and picks the
//! result of a rounding by comparing the exact value with them and with the points halfway
//! between. It shares no code with the crate: it decodes the encodings by itself.

use std::cmp::Ordering;
use value::{BigInt, BigRational, Bits, Float, Format, Rounding};

/// A fraction, not reduced; the denominator is positive.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    n: i128,
    d: i128,
}

impl Fraction {
    fn new(n: i128, d: i128) -> Fraction {
        if d < 0 { Fraction { n: -n, d: -d } } else { Fraction { n, d } }
    }

    fn int(n: i128) -> Fraction {
        Fraction { n, d: 1 }
    }

    fn add(self, other: Fraction) -> Fraction {
        Fraction { n: self.n * other.d + other.n * self.d, d: self.d * other.d }
    }

    fn sub(self, other: Fraction) -> Fraction {
        self.add(Fraction { n: -other.n, ..other })
    }

    fn mul(self, other: Fraction) -> Fraction {
        Fraction { n: self.n * other.n, d: self.d * other.d }
    }

    fn div(self, other: Fraction) -> Fraction {
        Fraction::new(self.n * other.d, self.d * other.n)
    }

    fn abs(self) -> Fraction {
        Fraction { n: self.n.abs(), ..self }
    }

    fn cmp(self, other: Fraction) -> Ordering {
        (self.n * other.d).cmp(&(other.n * self.d))
    }

    fn floor(self) -> i128 {
        self.n.div_euclid(self.d)
    }

    fn is_negative(self) -> bool {
        self.n < 0
    }

    fn to_rational(self) -> BigRational {
        BigRational::new(self.n.into(), self.d.into())
    }
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Nan,
    Infinite(bool),
    Zero(bool),
    Number(Fraction),
}

/// 2^exponent.
fn power(exponent: i64) -> Fraction {
    let magnitude = 1i128 << exponent.unsigned_abs();
    if exponent >= 0 { Fraction::new(magnitude, 1) } else { Fraction::new(1, magnitude) }
}

/// A format and its non-negative numbers, in the order of their encodings.
struct Tiny {
    format: Format,
    eb: u32,
    sb: u32,
    /// The value of each encoding below that of +∞, and then 2^(emax + 1), which is what +∞
    /// would be if there were one more exponent.
    numbers: Vec<Fraction>,
}

impl Tiny {
    fn new(eb: u32, sb: u32) -> Tiny {
        let bias = (1i64 << (eb - 1)) - 1;
        let number = |code: i64| {
            let (field, fraction) = (code >> (sb - 1), code & ((1 << (sb - 1)) - 1));
            let unit = power(field.max(1) - bias - (i64::from(sb) - 1));
            let hidden = if field > 0 { 1 << (sb - 1) } else { 0 };
            Fraction::int(i128::from(hidden + fraction)).mul(unit)
        };
        let infinity = ((1i64 << eb) - 1) << (sb - 1);
        let numbers = (0..=infinity).map(number).collect();
        Tiny { format: Format::new(eb, sb).expect("a valid format"), eb, sb, numbers }
    }

    fn width(&self) -> u32 {
        self.eb + self.sb
    }

    /// The code of +∞.
    fn infinity(&self) -> usize {
        self.numbers.len() - 1
    }

    fn float(&self, negative: bool, code: usize) -> Float {
        let sign = usize::from(negative) << (self.width() - 1);
        Float::from_bits(self.format, &Bits::from_u64(self.width(), (sign | code) as u64))
    }

    /// Every value once: all encodings but the redundant NaNs.
    fn values(&self) -> Vec<Float> {
        let both = [false, true];
        let codes = 0..=self.infinity();
        let numbers = both.into_iter().flat_map(|sign| codes.clone().map(move |code| (sign, code)));
        numbers
            .map(|(sign, code)| self.float(sign, code))
            .chain([Float::nan(self.format)])
            .collect()
    }

    fn decode(&self, float: &Float) -> Value {
        let code = float.to_bits().to_u64().expect("a tiny format") as usize;
        let sign_bit = 1 << (self.width() - 1);
        let (negative, code) = (code & sign_bit != 0, code & !sign_bit);
        match code {
            0 => Value::Zero(negative),
            code if code < self.infinity() => {
                let number = self.numbers[code];
                Value::Number(if negative { Fraction::int(0).sub(number) } else { number })
            }
            code if code == self.infinity() => Value::Infinite(negative),
            _ => Value::Nan,
        }
    }

    /// The rounding of a number of the given sign, given how its magnitude compares with
    /// fractions.
    fn round(
        &self,
        rounding: Rounding,
        negative: bool,
        magnitude: &dyn Fn(Fraction) -> Ordering,
    ) -> Float {
        // The greatest code whose number is not greater.
        let mut below = self.numbers.partition_point(|&number| magnitude(number).is_ge()) - 1;
        let exact = magnitude(self.numbers[below]).is_eq() && below < self.infinity();
        if exact {
            return self.float(negative, below);
        }
        // Out of range is between the greatest finite number and infinity, but nearest to the
        // latter.
        let beyond = below == self.infinity();
        if beyond {
            below -= 1;
        }
        let above = below + 1;
        let halfway = self.numbers[below].add(self.numbers[above]).mul(Fraction::new(1, 2));
        let nearest = |tie: usize| match magnitude(halfway) {
            _ if beyond => above,
            Ordering::Less => below,
            Ordering::Equal => tie,
            Ordering::Greater => above,
        };
        let code = match rounding {
            Rounding::NearestEven => nearest(if below % 2 == 0 { below } else { above }),
            Rounding::NearestAway => nearest(above),
            Rounding::TowardZero => below,
            Rounding::TowardPositive => {
                if negative {
                    below
                } else {
                    above
                }
            }
            Rounding::TowardNegative => {
                if negative {
                    above
                } else {
                    below
                }
            }
        };
        self.float(negative, code)
    }

    /// The rounding of a fraction; `zero` is the sign of a zero.
    fn round_fraction(&self, rounding: Rounding, x: Fraction, zero: bool) -> Float {
        if x.n == 0 {
            return Float::zero(self.format, zero);
        }
        self.round(rounding, x.is_negative(), &|number| x.abs().cmp(number))
    }
}

/// The integer that the rounding mode assigns to a fraction.
fn round_to_integer(rounding: Rounding, x: Fraction) -> i128 {
    let floor = x.floor();
    if x.cmp(Fraction::int(floor)).is_eq() {
        return floor;
    }
    let half = x.sub(Fraction::int(floor)).cmp(Fraction::new(1, 2));
    let up = match rounding {
        Rounding::TowardPositive => true,
        Rounding::TowardNegative => false,
        Rounding::TowardZero => x.is_negative(),
        Rounding::NearestEven => half.is_gt() || (half.is_eq() && floor % 2 != 0),
        Rounding::NearestAway => half.is_gt() || (half.is_eq() && !x.is_negative()),
    };
    floor + i128::from(up)
}

/// The value as a fraction, where a zero is one too.
fn fraction(value: Value) -> Option<(Fraction, bool)> {
    match value {
        Value::Zero(negative) => Some((Fraction::int(0), negative)),
        Value::Number(x) => Some((x, x.is_negative())),
        Value::Nan | Value::Infinite(_) => None,
    }
}

fn add(tiny: &Tiny, rounding: Rounding, a: Value, b: Value) -> Float {
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => return Float::nan(tiny.format),
        (Value::Infinite(x), Value::Infinite(y)) if x != y => return Float::nan(tiny.format),
        (Value::Infinite(x), _) | (_, Value::Infinite(x)) => {
            return Float::infinity(tiny.format, x);
        }
        _ => {}
    }
    let (Some((x, x_negative)), Some((y, y_negative))) = (fraction(a), fraction(b)) else {
        unreachable!("infinities and NaN are done");
    };
    // The sign of a zero sum: that of the summands if they agree, else + except for RTN.
    let zero =
        if x_negative == y_negative { x_negative } else { rounding == Rounding::TowardNegative };
    tiny.round_fraction(rounding, x.add(y), zero)
}

/// The exact product.
fn product(a: Value, b: Value) -> Value {
    let sign = |value| match value {
        Value::Infinite(negative) | Value::Zero(negative) => negative,
        Value::Number(x) => x.is_negative(),
        Value::Nan => false,
    };
    let negative = sign(a) != sign(b);
    match (a, b) {
        (Value::Nan, _) | (_, Value::Nan) => Value::Nan,
        (Value::Infinite(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinite(_)) => Value::Nan,
        (Value::Infinite(_), _) | (_, Value::Infinite(_)) => Value::Infinite(negative),
        (Value::Zero(_), _) | (_, Value::Zero(_)) => Value::Zero(negative),
        (Value::Number(x), Value::Number(y)) => Value::Number(x.mul(y)),
    }
}

/// The exact quotient.
fn quotient(a: Value, b: Value) -> Value {
    match b {
        Value::Nan => Value::Nan,
        Value::Infinite(_) if matches!(a, Value::Infinite(_)) => Value::Nan,
        Value::Infinite(negative) => product(a, Value::Zero(negative)),
        Value::Zero(_) if matches!(a, Value::Zero(_)) => Value::Nan,
        Value::Zero(negative) => product(a, Value::Infinite(negative)),
        Value::Number(y) => product(a, Value::Number(Fraction::int(1).div(y))),
    }
}

fn round_value(tiny: &Tiny, rounding: Rounding, value: Value) -> Float {
    match value {
        Value::Nan => Float::nan(tiny.format),
        Value::Infinite(negative) => Float::infinity(tiny.format, negative),
        Value::Zero(negative) => Float::zero(tiny.format, negative),
        Value::Number(x) => tiny.round_fraction(rounding, x, false),
    }
}

fn sqrt(tiny: &Tiny, rounding: Rounding, a: &Float) -> Float {
    match tiny.decode(a) {
        Value::Zero(_) | Value::Infinite(false) => a.clone(),
        Value::Number(x) if !x.is_negative() => {
            tiny.round(rounding, false, &|number| x.cmp(number.mul(number)))
        }
        _ => Float::nan(tiny.format),
    }
}

/// x − y·n where n is x/y rounded to an integer by the given mode.
fn remainder(tiny: &Tiny, integer: Rounding, a: &Float, b: &Float) -> Float {
    match (tiny.decode(a), tiny.decode(b)) {
        (Value::Nan | Value::Infinite(_), _) | (_, Value::Nan | Value::Zero(_)) => {
            Float::nan(tiny.format)
        }
        (Value::Zero(_), _) | (_, Value::Infinite(_)) => a.clone(),
        (Value::Number(x), Value::Number(y)) => {
            let n = Fraction::int(round_to_integer(integer, x.div(y)));
            let results =
                Rounding::ALL.map(|rm| tiny.round_fraction(rm, x.sub(y.mul(n)), x.is_negative()));
            assert!(results.iter().all(|r| *r == results[0]), "the remainder is exact");
            results[0].clone()
        }
    }
}

const FORMATS: [(u32, u32); 9] =
    [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (3, 4), (4, 3), (2, 6), (4, 4)];

#[test]
fn sums_products_quotients() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        let values = tiny.values();
        for a in &values {
            for b in &values {
                let (x, y) = (tiny.decode(a), tiny.decode(b));
                let minus = tiny.decode(&b.neg());
                for rm in Rounding::ALL {
                    assert_eq!(a.add(b, rm), add(&tiny, rm, x, y), "{rm} {a} + {b}");
                    assert_eq!(a.sub(b, rm), add(&tiny, rm, x, minus), "{rm} {a} - {b}");
                    let expected = round_value(&tiny, rm, product(x, y));
                    assert_eq!(a.mul(b, rm), expected, "{rm} {a} * {b}");
                    let expected = round_value(&tiny, rm, quotient(x, y));
                    assert_eq!(a.div(b, rm), expected, "{rm} {a} / {b}");
                }
            }
        }
    }
}

#[test]
fn fused_multiply_add() {
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (3, 4)] {
        let tiny = Tiny::new(eb, sb);
        let values = tiny.values();
        // All triples of the smaller formats; every seventh third operand of the largest.
        let step = if sb + eb < 7 { 1 } else { 7 };
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                let exact = product(tiny.decode(a), tiny.decode(b));
                for c in values.iter().skip((i + j) % step).step_by(step) {
                    for rm in Rounding::ALL {
                        let expected = add(&tiny, rm, exact, tiny.decode(c));
                        assert_eq!(a.fma(b, c, rm), expected, "{rm} {a} * {b} + {c}");
                    }
                }
            }
        }
    }
}

#[test]
fn roots_remainders_integers() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        let values = tiny.values();
        for a in &values {
            for rm in Rounding::ALL {
                assert_eq!(a.sqrt(rm), sqrt(&tiny, rm, a), "{rm} √{a}");
                check_integers(&tiny, rm, a);
            }
            for b in &values {
                let nearest = remainder(&tiny, Rounding::NearestEven, a, b);
                assert_eq!(a.rem(b), nearest, "{a} rem {b}");
                assert_eq!(a.fmod(b), remainder(&tiny, Rounding::TowardZero, a, b), "{a} fmod {b}");
            }
        }
    }
}

fn check_integers(tiny: &Tiny, rm: Rounding, a: &Float) {
    let Some((x, negative)) = fraction(tiny.decode(a)) else {
        assert_eq!(a.round_to_integral(rm), *a);
        assert_eq!((a.to_ubv(8, rm), a.to_sbv(8, rm), a.to_integer(rm)), (None, None, None));
        return;
    };
    let integer = round_to_integer(rm, x);
    let expected = tiny.round_fraction(rm, Fraction::int(integer), negative);
    assert_eq!(a.round_to_integral(rm), expected, "{rm} integral {a}");
    assert_eq!(a.to_integer(rm), Some(BigInt::from(integer)));
    for width in 1..=9 {
        let unsigned = 0 <= integer && integer < 1 << width;
        let unsigned = unsigned.then(|| Bits::from_i128(width, integer));
        assert_eq!(a.to_ubv(width, rm), unsigned, "{rm} to_ubv {width} {a}");
        let signed = -(1 << (width - 1)) <= integer && integer < 1 << (width - 1);
        let signed = signed.then(|| Bits::from_i128(width, integer));
        assert_eq!(a.to_sbv(width, rm), signed, "{rm} to_sbv {width} {a}");
    }
}

#[test]
fn conversions_between_formats() {
    for (eb, sb) in FORMATS {
        let from = Tiny::new(eb, sb);
        for (eb, sb) in FORMATS {
            let to = Tiny::new(eb, sb);
            for a in from.values() {
                for rm in Rounding::ALL {
                    let expected = round_value(&to, rm, from.decode(&a));
                    assert_eq!(a.to_format(to.format, rm), expected, "{rm} {a} to {}", to.format);
                }
            }
        }
    }
}

#[test]
fn conversions_from_numbers() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        for rm in Rounding::ALL {
            for d in 1..=33 {
                for n in -70..=70 {
                    let x = Fraction::new(n, d);
                    let expected = tiny.round_fraction(rm, x, false);
                    let float = Float::from_rational(tiny.format, rm, &x.to_rational());
                    assert_eq!(float, expected, "{rm} {n}/{d} to {}", tiny.format);
                    let text = format!("{n}/{d}");
                    assert_eq!(Float::from_decimal(tiny.format, rm, &text), Ok(float));
                }
            }
            for n in -700..=700i128 {
                let expected = tiny.round_fraction(rm, Fraction::int(n), false);
                assert_eq!(Float::from_bigint(tiny.format, rm, &n.into()), expected);
                let bits = Bits::from_i128(11, n);
                assert_eq!(Float::from_sbv(tiny.format, rm, &bits), expected);
                let bits = Bits::from_i128(140, n);
                assert_eq!(Float::from_sbv(tiny.format, rm, &bits), expected);
                if n >= 0 {
                    let bits = Bits::from_i128(10, n);
                    assert_eq!(Float::from_ubv(tiny.format, rm, &bits), expected);
                }
                let text = format!(
                    "{}{}.{:02}",
                    if n < 0 { "-" } else { "" },
                    n.abs() / 100,
                    n.abs() % 100
                );
                let expected = tiny.round_fraction(rm, Fraction::new(n, 100), false);
                assert_eq!(
                    Float::from_decimal(tiny.format, rm, &text),
                    Ok(expected),
                    "{rm} {text}"
                );
            }
        }
    }
}

#[test]
fn comparisons() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        let order = |value| match value {
            Value::Nan => None,
            Value::Infinite(false) => Some(Fraction::int(1 << 100)),
            Value::Infinite(true) => Some(Fraction::int(-1 << 100)),
            Value::Zero(_) => Some(Fraction::int(0)),
            Value::Number(x) => Some(x),
        };
        let values = tiny.values();
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                let both = order(tiny.decode(a)).zip(order(tiny.decode(b)));
                let expected = both.map(|(x, y)| x.cmp(y));
                assert_eq!(a.compare(b), expected, "{a} {b}");
                assert_eq!(a.ieee_eq(b), expected == Some(Ordering::Equal));
                assert_eq!(a.lt(b), expected == Some(Ordering::Less));
                assert_eq!(a.gt(b), expected == Some(Ordering::Greater));
                assert_eq!(a.leq(b), expected.is_some_and(|o| o != Ordering::Greater));
                assert_eq!(a.geq(b), expected.is_some_and(|o| o != Ordering::Less));
                assert_eq!(a.same(b), i == j);
                let zeros = a.is_zero() && b.is_zero() && i != j;
                assert_eq!(a.min_max_is_open(b), zeros);
                let (least, greatest) = match expected {
                    None if a.is_nan() => (b, b),
                    None => (a, a),
                    _ if zeros => (&values[tiny.infinity() + 1], &values[0]),
                    Some(Ordering::Greater) => (b, a),
                    Some(_) => (a, b),
                };
                assert_eq!((&a.min(b), &a.max(b)), (least, greatest), "{a} {b}");
            }
        }
    }
}

#[test]
fn classes_signs_neighbours_reals() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        let normal = 1 << (sb - 1);
        for negative in [false, true] {
            for code in 0..1usize << (eb + sb - 1) {
                let a = tiny.float(negative, code);
                let nan = code > tiny.infinity();
                assert_eq!(a.is_nan(), nan, "{a}");
                assert_eq!(a.is_infinite(), code == tiny.infinity());
                assert_eq!(a.is_finite(), code < tiny.infinity());
                assert_eq!(a.is_zero(), code == 0);
                assert_eq!(a.is_subnormal(), 0 < code && code < normal);
                assert_eq!(a.is_normal(), normal <= code && code < tiny.infinity());
                assert_eq!(a.is_negative(), negative && !nan);
                assert_eq!(a.is_positive(), !negative && !nan);
                if nan {
                    // Sign 0, exponent all ones, fraction 10…0.
                    let quiet = (tiny.infinity() | 1 << (sb - 2)) as u64;
                    assert_eq!(a.to_bits(), Bits::from_u64(eb + sb, quiet), "{a}");
                    let same = [a.neg(), a.abs(), a.next_up(), a.next_down()];
                    assert!(same.iter().all(|b| *b == a));
                    continue;
                }
                let (sign, exponent, fraction) = a.fields();
                assert_eq!(Float::from_fields(sign, &exponent, &fraction).as_ref(), Ok(&a));
                assert_eq!(a.neg(), tiny.float(!negative, code));
                assert_eq!(a.abs(), tiny.float(false, code));
                let up = match (negative, code) {
                    (_, 0) => (false, 1),
                    (false, code) => (false, (code + 1).min(tiny.infinity())),
                    (true, code) => (true, code - 1),
                };
                assert_eq!(a.next_up(), tiny.float(up.0, up.1), "up {a}");
                let down = match (negative, code) {
                    (_, 0) => (true, 1),
                    (true, code) => (true, (code + 1).min(tiny.infinity())),
                    (false, code) => (false, code - 1),
                };
                assert_eq!(a.next_down(), tiny.float(down.0, down.1), "down {a}");
                let real = crate::fraction(tiny.decode(&a)).map(|(x, _)| x.to_rational());
                assert_eq!(a.to_real(), real);
            }
        }
        assert_eq!(Float::max_finite(tiny.format, true), tiny.float(true, tiny.infinity() - 1));
        assert_eq!(Float::min_normal(tiny.format, false), tiny.float(false, normal));
        assert_eq!(Float::min_subnormal(tiny.format, true), tiny.float(true, 1));
        assert_eq!(Float::one(tiny.format, false).to_integer(Rounding::TowardZero), Some(1.into()));
    }
}

#[test]
fn decimals_read_back() {
    for (eb, sb) in FORMATS {
        let tiny = Tiny::new(eb, sb);
        for a in tiny.values().iter().filter(|a| a.is_finite()) {
            let text = a.to_decimal();
            let back = Float::from_decimal(tiny.format, Rounding::NearestEven, &text);
            assert_eq!(back.as_ref(), Ok(a), "{text}");
        }
    }
}
