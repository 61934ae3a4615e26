//! Square root: digit by digit, the restoring method.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};

/// mode: √a
pub fn square_root(g: &mut Aig, mode: &Mode, a: &Float) -> Float {
    let layout = a.layout;
    let precision = layout.precision;
    let normal = a.normal(g).clone();
    let mut significand = normal.significand;
    significand[precision - 1] = Edge::TRUE;
    // √(s·2^e) = √s·2^(e/2) for even e, √(2s)·2^((e−1)/2) for odd e.
    let odd = normal.exponent[0];
    let even = word::concat(&significand, &[Edge::FALSE]);
    let doubled = word::concat(&[Edge::FALSE], &significand);
    let radicand = word::ite(g, odd, &doubled, &even);
    let (mut root, rest) = root(g, &radicand, precision + 1);
    let inexact = word::any(g, &rest);
    root.insert(0, inexact);

    let exponent = normal.exponent[1..].to_vec();
    let range = (layout.least_exponent().div_euclid(2), layout.bias() / 2);
    let exponent = word::sign_extend(&exponent, signed_width(range.0, range.1));
    let negative = g.and(a.sign, !a.zero);
    let special = Special { nan: g.or(a.nan, negative), infinite: a.infinite, zero: a.zero };
    let exact = Exact { sign: a.sign, exponent, range, significand: root };
    round(g, layout, mode, &exact, LastPlace::Subnormal, &special)
}

/// The first `bits` bits of the root of a number between 1 and 4, beginning with the one worth
/// 1, and whether something is left.
///
/// The radicand has two bits before the point.
fn root(g: &mut Aig, radicand: &[Edge], bits: usize) -> (Word, Word) {
    let bit = |i: usize| {
        // The i-th bit from the top.
        radicand.len().checked_sub(i + 1).map_or(Edge::FALSE, |i| radicand[i])
    };
    let mut root = Word::new();
    let mut rest = Word::new();
    for step in 0..bits {
        rest.splice(0..0, [bit(2 * step + 1), bit(2 * step)]);
        // (2r + 1)² = 4r² + (4r + 1): the root grows by a one if 4r + 1 fits into the rest.
        let mut trial = word::concat(&[Edge::TRUE, Edge::FALSE], &root);
        trial.resize(rest.len(), Edge::FALSE);
        let (difference, fits) = word::add_carry(g, &rest, &word::not(&trial), Edge::TRUE);
        rest = word::ite(g, fits, &difference, &rest);
        root.insert(0, fits);
        // What is left is at most twice the root.
        rest.truncate(root.len() + 1);
    }
    (root, rest)
}
