//! Fused multiplication and addition: the exact product, added as in [`mod@super::add`] with twice
//! the precision, rounded once.

use super::add::{Operand, sign_of_sum, sum};
use super::multiply::{Product, product, special};
use super::round::{Exact, LastPlace, Special, round};
use super::{Float, Normal, offset};
use crate::rounding::Mode;
use crate::word;
use aig::{Aig, Edge};

/// mode: a · b + c with one rounding
pub fn fma(g: &mut Aig, mode: &Mode, a: &Float, b: &Float, c: &Float) -> Float {
    assert!(a.layout == b.layout && b.layout == c.layout, "all operands have one format");
    let layout = a.layout;
    let factors = special(g, a, b);
    let sign = g.xor(a.sign, b.sign);
    let Product { exponent, range, significand } = product(g, a, b);
    // One bit more than the product's exponents, for one below all of them: that of a zero.
    let width = exponent.len() + 1;
    let least = word::constant(range.0 - 1, width);
    let exponent = word::sign_extend(&exponent, width);
    let exponent = word::ite(g, factors.zero, &least, &exponent);
    let significand = word::mask(g, !factors.zero, &significand);
    let product = Operand::of_normal(sign, &Normal { exponent, significand });

    let normal = c.normal(g).clone();
    let exponent = word::sign_extend(&normal.exponent, width);
    let exponent = word::ite(g, c.zero, &least, &exponent);
    let significand = word::concat(&word::zeros(layout.precision), &normal.significand);
    let addend = Operand::of_normal(c.sign, &Normal { exponent, significand });

    let sum = sum(g, &product, &addend);
    let exponent = word::sign_extend(&offset(&sum.exponent), width + 1);
    let (exponent, _) = word::increment(g, &exponent, Edge::TRUE);
    let zeros = word::zero_extend(&sum.zeros, width + 1);
    let exponent = word::subtract(g, &exponent, &zeros);

    let result = sign_of_sum(g, mode, &sum);
    let infinite = g.or(factors.infinite, c.infinite);
    let infinite_sign = g.ite(c.infinite, c.sign, sign);
    let result = g.ite(infinite, infinite_sign, result);
    let cancels = g.and_all([factors.infinite, c.infinite, sum.subtracts]);
    let special =
        Special { nan: g.or_all([factors.nan, c.nan, cancels]), infinite, zero: sum.zero };
    // The last place of the product is its least exponent less twice the precision.
    let range = (range.0 - 2 * layout.precision as i128, range.1 + 1);
    let exact = Exact { sign: result, exponent, range, significand: sum.significand };
    round(g, layout, mode, &exact, LastPlace::Subnormal, &special)
}
