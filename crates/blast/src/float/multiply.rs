//! Multiplication: the exact product of the significands, rounded.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};

/// A product before rounding.
pub(super) struct Product {
    /// The exponent of the leading bit, two's complement.
    pub exponent: Word,
    /// The least and the greatest exponent possible, of nonzero finite operands.
    pub range: (i128, i128),
    /// Twice as wide as the operands, the leading bit one.
    pub significand: Word,
}

/// The product of two magnitudes; arbitrary where one is special.
pub(super) fn product(g: &mut Aig, a: &Float, b: &Float) -> Product {
    let layout = a.layout;
    let significand = |f: &Float, g: &mut Aig| {
        let mut significand = f.normal(g).significand.clone();
        // Zeros are special; without them the leading bit is one.
        significand[layout.precision - 1] = Edge::TRUE;
        significand
    };
    let (x, y) = (significand(a, g), significand(b, g));
    // Between 1 and 4: the leading bit is one of the two highest.
    let product = word::multiply_full(g, &x, &y);
    let top = product[product.len() - 1];
    let shifted = word::concat(&[Edge::FALSE], &product[..product.len() - 1]);
    let significand = word::ite(g, top, &product, &shifted);

    let range = (2 * layout.least_exponent(), 2 * layout.bias() + 1);
    let width = signed_width(range.0, range.1);
    let ex = word::sign_extend(&a.normal(g).exponent, width);
    let ey = word::sign_extend(&b.normal(g).exponent, width);
    let (exponent, _) = word::add_carry(g, &ex, &ey, top);
    Product { exponent, range, significand }
}

/// Whether a product is NaN, infinite or zero.
pub(super) fn special(g: &mut Aig, a: &Float, b: &Float) -> Special {
    let invalid = [g.and(a.infinite, b.zero), g.and(a.zero, b.infinite)];
    Special {
        nan: g.or_all([a.nan, b.nan, invalid[0], invalid[1]]),
        infinite: g.or(a.infinite, b.infinite),
        zero: g.or(a.zero, b.zero),
    }
}

/// mode: a · b
pub fn multiply(g: &mut Aig, mode: &Mode, a: &Float, b: &Float) -> Float {
    assert_eq!(a.layout, b.layout, "both operands have one format");
    let Product { exponent, range, significand } = product(g, a, b);
    let sign = g.xor(a.sign, b.sign);
    let special = special(g, a, b);
    let exact = Exact { sign, exponent, range, significand };
    round(g, a.layout, mode, &exact, LastPlace::Subnormal, &special)
}
