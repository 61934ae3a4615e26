//! Values of the theory `Ints`: integers with Euclidean division.
//!
//! SMT-LIB fixes `div` and `mod` by m = n·q + r with 0 ≤ r < |n|, and leaves both open for
//! n = 0, where each model may give `(div m 0)` and `(mod m 0)` any value. The functions here
//! return `None` there, so that no caller takes a chosen value for the only one.

pub use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// `div` and `mod` at once: (q, r) with m = n·q + r and 0 ≤ r < |n|; `None` for n = 0.
pub fn div_mod(m: &BigInt, n: &BigInt) -> Option<(BigInt, BigInt)> {
    if n.is_zero() {
        return None;
    }
    let (quotient, remainder) = m.div_rem(n);
    // The truncated remainder has the sign of m; a negative one is moved up by |n|.
    Some(if !remainder.is_negative() {
        (quotient, remainder)
    } else if n.is_positive() {
        (quotient - 1, remainder + n)
    } else {
        (quotient + 1, remainder - n)
    })
}

/// `div`; `None` for division by zero, which the theory leaves open.
pub fn div(m: &BigInt, n: &BigInt) -> Option<BigInt> {
    div_mod(m, n).map(|(quotient, _)| quotient)
}

/// `mod`; `None` for division by zero, which the theory leaves open.
pub fn modulo(m: &BigInt, n: &BigInt) -> Option<BigInt> {
    div_mod(m, n).map(|(_, remainder)| remainder)
}

/// `abs`.
pub fn abs(m: &BigInt) -> BigInt {
    m.abs()
}

/// `((_ divisible n) m)`: whether n divides m; `None` for n = 0, which the theory excludes.
pub fn divisible(m: &BigInt, n: &BigInt) -> Option<bool> {
    modulo(m, n).map(|remainder| remainder.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for m in -20..=20 {
            for n in -7..=7 {
                let (big_m, big_n) = (BigInt::from(m), BigInt::from(n));
                if n == 0 {
                    assert_eq!(div_mod(&big_m, &big_n), None);
                    assert_eq!(div(&big_m, &big_n), None);
                    assert_eq!(modulo(&big_m, &big_n), None);
                    assert_eq!(divisible(&big_m, &big_n), None);
                    continue;
                }
                let (m, n): (i32, i32) = (m, n);
                assert_eq!(div(&big_m, &big_n), Some(BigInt::from(m.div_euclid(n))));
                assert_eq!(modulo(&big_m, &big_n), Some(BigInt::from(m.rem_euclid(n))));
                assert_eq!(divisible(&big_m, &big_n), Some(m % n == 0));
            }
            assert_eq!(abs(&BigInt::from(m)), BigInt::from(i32::abs(m)));
        }
    }
}
