//! Division with remainder: the restoring method, one quotient bit per step.
//!
//! Before step k (from the highest quotient bit) the partial remainder has only k bits, so its
//! subtractor needs no more; that the divisor's higher bits are zero is a suffix conjunction
//! shared by all steps. Half of the square array is saved so.

use super::add::negate_if;
use super::{Word, absolute, add, any, ite, not};
use aig::{Aig, Edge};

/// Unsigned quotient and remainder; by zero the quotient is all ones and the remainder `a`.
pub fn divide(g: &mut Aig, a: &[Edge], b: &[Edge]) -> (Word, Word) {
    assert_eq!(a.len(), b.len(), "the words of an operator have one width");
    let width = a.len();
    // high[k]: bits k and above of the divisor are all zero.
    let mut high = vec![Edge::TRUE; width + 1];
    for k in (0..width).rev() {
        high[k] = g.and(high[k + 1], !b[k]);
    }
    let mut quotient = vec![Edge::FALSE; width];
    let mut remainder = Word::new();
    for i in (0..width).rev() {
        remainder.insert(0, a[i]);
        let divisor = &b[..remainder.len()];
        let (difference, no_borrow) = super::add_carry(g, &remainder, &not(divisor), Edge::TRUE);
        quotient[i] = g.and(high[remainder.len()], no_borrow);
        remainder = ite(g, quotient[i], &difference, &remainder);
    }
    (quotient, remainder)
}

/// Two's-complement quotient, rounded toward zero; by zero 1 for negative `a`, else −1.
pub fn signed_divide(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    let (quotient, _) = divide_absolute(g, a, b);
    let negative = g.xor(sign(a), sign(b));
    negate_if(g, negative, &quotient)
}

/// Two's-complement remainder with the sign of `a`; by zero `a`.
pub fn signed_remainder(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    let (_, remainder) = divide_absolute(g, a, b);
    negate_if(g, sign(a), &remainder)
}

/// Two's-complement remainder with the sign of `b`; by zero `a`.
pub fn signed_modulo(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    let (_, remainder) = divide_absolute(g, a, b);
    let signed = negate_if(g, sign(a), &remainder);
    // Where the signs differ and something is left, the remainder moves by one divisor. The
    // divisor is not zero there: it would be non-negative, `a` negative, and the sum `a` anyway.
    let differ = g.xor(sign(a), sign(b));
    let some = any(g, &remainder);
    let correct = g.and(differ, some);
    let divisor = super::mask(g, correct, b);
    add(g, &signed, &divisor)
}

fn sign(a: &[Edge]) -> Edge {
    a.last().copied().unwrap_or(Edge::FALSE)
}

fn divide_absolute(g: &mut Aig, a: &[Edge], b: &[Edge]) -> (Word, Word) {
    let (a, b) = (absolute(g, a), absolute(g, b));
    divide(g, &a, &b)
}
