//! Division: long division of the significands, one quotient bit per step.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};

/// mode: a / b
pub fn divide(g: &mut Aig, mode: &Mode, a: &Float, b: &Float) -> Float {
    assert_eq!(a.layout, b.layout, "both operands have one format");
    let layout = a.layout;
    let precision = layout.precision;
    let (x, y) = (a.normal(g).clone(), b.normal(g).clone());
    let mut divisor = y.significand;
    // Zeros are special; without them the leading bits are one.
    divisor[precision - 1] = Edge::TRUE;
    let mut dividend = x.significand;
    dividend[precision - 1] = Edge::TRUE;
    // Between ½ and 2: the leading bit is one of the two highest, and two bits must follow the
    // precision then, of which the lowest takes the remainder in.
    let (mut quotient, rest) = quotient(g, &dividend, &divisor, precision + 2);
    let top = quotient[quotient.len() - 1];
    let inexact = word::any(g, &rest);
    quotient.insert(0, inexact);
    let shifted = word::concat(&[Edge::FALSE], &quotient[..quotient.len() - 1]);
    let significand = word::ite(g, top, &quotient, &shifted);

    let span = layout.bias() - layout.least_exponent();
    let range = (-span - 1, span);
    let width = signed_width(range.0, range.1);
    let ex = word::sign_extend(&x.exponent, width);
    let ey = word::sign_extend(&y.exponent, width);
    // ex − ey, less one where the quotient is below 1.
    let (exponent, _) = word::add_carry(g, &ex, &word::not(&ey), top);

    let invalid = [g.and(a.infinite, b.infinite), g.and(a.zero, b.zero)];
    let special = Special {
        nan: g.or_all([a.nan, b.nan, invalid[0], invalid[1]]),
        infinite: g.or(a.infinite, b.zero),
        zero: g.or(a.zero, b.infinite),
    };
    let sign = g.xor(a.sign, b.sign);
    let exact = Exact { sign, exponent, range, significand };
    round(g, layout, mode, &exact, LastPlace::Subnormal, &special)
}

/// The first quotient bits, beginning with the one worth 1, and the rest.
///
/// Requires: a < 2b, and b's highest bit is one.
fn quotient(g: &mut Aig, a: &[Edge], b: &[Edge], bits: usize) -> (Word, Word) {
    let divisor = word::not(&word::concat(b, &[Edge::FALSE]));
    let mut quotient = Word::new();
    let mut rest = word::concat(a, &[Edge::FALSE]);
    for _ in 0..bits {
        let (difference, fits) = word::add_carry(g, &rest, &divisor, Edge::TRUE);
        quotient.push(fits);
        // What is left is below the divisor; doubled it is below twice the divisor.
        let left = word::ite(g, fits, &difference[..b.len()], &rest[..b.len()]);
        rest = word::concat(&[Edge::FALSE], &left);
    }
    quotient.reverse();
    (quotient, rest)
}
