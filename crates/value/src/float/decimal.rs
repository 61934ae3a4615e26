//! The shortest decimal that stands for a float.
//!
//! Of the decimals that round (to nearest even) to the float, one with the fewest digits, and
//! of those the one nearest to the float (the greater, where two are equally near). Found by
//! bisection on the number of digits: among the decimals with n digits, the two next to the
//! float on either side are the only candidates, and if n digits suffice, n + 1 digits do.

use super::convert::from_numeral;
use super::{Finite, Float, Rounding};
use crate::real::Numeral;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

/// The number digits·10^exponent, digits being the decimal digits of a number without trailing
/// zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) digits: String,
    pub(super) exponent: i64,
}

/// The shortest decimal for |number|, which is the value of |float|.
pub(super) fn shortest(float: &Float, number: &Finite<BigUint>) -> Decimal {
    let (numerator, denominator) = ratio(number);
    // 0.30103 > log10 2, so that this many digits always suffice to tell neighbours apart.
    let enough = u64::from(float.format().significand()) * 30103 / 100_000 + 2;
    let enough = i64::try_from(enough).expect("the significand has less than 2^32 bits");
    let (mut least, mut most) = (1, enough);
    let magnitude = decimal_magnitude(number, &numerator, &denominator);
    let find = |count| with_digits(float, &numerator, &denominator, magnitude - count + 1);
    let mut found = find(most).expect("enough digits determine the float");
    while least < most {
        let middle = least.midpoint(most);
        match find(middle) {
            Some(decimal) => {
                found = decimal;
                most = middle;
            }
            None => least = middle + 1,
        }
    }
    found
}

/// |number| as a fraction of integers, not necessarily reduced.
fn ratio(number: &Finite<BigUint>) -> (BigUint, BigUint) {
    let shift = number.exponent.unsigned_abs();
    if number.exponent >= 0 {
        (&number.significand << shift, BigUint::one())
    } else {
        (number.significand.clone(), BigUint::one() << shift)
    }
}

/// The fraction scaled by 10^exponent.
fn scale(numerator: &BigUint, denominator: &BigUint, exponent: i64) -> (BigUint, BigUint) {
    let power = u32::try_from(exponent.unsigned_abs()).expect("decimals are for small exponents");
    let power = BigUint::from(10u32).pow(power);
    if exponent >= 0 {
        (numerator * power, denominator.clone())
    } else {
        (numerator.clone(), denominator * power)
    }
}

/// The k with 10^k ≤ |number| < 10^(k + 1).
fn decimal_magnitude(number: &Finite<BigUint>, numerator: &BigUint, denominator: &BigUint) -> i64 {
    // top·log10 2 is at most one too small, as |number| < 2^(top + 1); the division rounds down
    // and the constant is precise enough for the exponents that are printed in decimal.
    let estimate = (number.top() * 30103).div_euclid(100_000) - 1;
    let reaches = |k: i64| {
        let (scaled, unit) = scale(numerator, denominator, -k);
        scaled >= unit
    };
    let mut k = estimate;
    while reaches(k + 1) {
        k += 1;
    }
    while !reaches(k) {
        k -= 1;
    }
    k
}

/// A multiple of 10^unit that rounds to the float, if there is one: of two the nearer, of two
/// equally near the greater.
fn with_digits(
    float: &Float,
    numerator: &BigUint,
    denominator: &BigUint,
    unit: i64,
) -> Option<Decimal> {
    let (scaled, divisor) = scale(numerator, denominator, -unit);
    let (below, rest) = scaled.div_rem(&divisor);
    let above = &below + 1u32;
    let candidates = if rest * 2u32 < divisor { [below, above] } else { [above, below] };
    candidates
        .into_iter()
        .find(|digits| {
            let numeral = Numeral {
                negative: float.is_negative(),
                digits: digits.clone(),
                denominator: BigUint::one(),
                exponent: unit,
            };
            from_numeral(float.format(), Rounding::NearestEven, numeral).same(float)
        })
        .map(|digits| {
            let digits = digits.to_string();
            let trimmed = digits.trim_end_matches('0');
            let zeros = (digits.len() - trimmed.len()) as i64;
            Decimal { digits: trimmed.to_owned(), exponent: unit + zeros }
        })
}
