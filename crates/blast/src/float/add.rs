//! Addition: align, add, normalize, round.
//!
//! The operands are ordered by magnitude first, so the difference is never negative and takes
//! the sign of the larger. Three bits below the precision suffice: two that a normalization by
//! one place can bring up, and one that stands for all that is shifted out. A sum below the
//! smallest normal number is a multiple of the smallest subnormal one, hence exact: its rounding
//! needs no mask.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, Layout, Normal, Packed, offset, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};

/// A signed magnitude to be added. Zeros have a zero significand.
#[derive(Clone)]
pub(super) struct Operand {
    pub sign: Edge,
    /// Unsigned; only differences count.
    pub exponent: Word,
    pub significand: Word,
    /// A word that orders magnitudes.
    pub magnitude: Word,
}

impl Operand {
    pub fn of_normal(sign: Edge, normal: &Normal) -> Operand {
        Operand {
            sign,
            exponent: offset(&normal.exponent),
            significand: normal.significand.clone(),
            magnitude: normal.magnitude(),
        }
    }

    /// The fields as they are: the significand of a subnormal number begins with a zero.
    fn of_packed(g: &mut Aig, sign: Edge, packed: &Packed) -> Operand {
        let hidden = word::any(g, &packed.exponent);
        let mut exponent = packed.exponent.clone();
        exponent[0] = g.or(exponent[0], !hidden);
        let significand = word::concat(&packed.fraction, &[hidden]);
        Operand { sign, exponent, significand, magnitude: packed.magnitude() }
    }
}

/// The sum of two operands, normalized.
pub(super) struct Sum {
    /// The sign of the operand with the larger magnitude.
    pub sign: Edge,
    /// Whether the signs differ.
    pub subtracts: Edge,
    /// The exponent of the larger operand.
    pub exponent: Word,
    /// The leading zeros removed; of none the exponent is one above the operand's.
    pub zeros: Word,
    /// Four bits more than the operands, the lowest sticky.
    pub significand: Word,
    /// Whether the sum is zero.
    pub zero: Edge,
}

/// The sum of two operands of one width.
pub(super) fn sum(g: &mut Aig, a: &Operand, b: &Operand) -> Sum {
    let swap = word::less(g, &a.magnitude, &b.magnitude);
    let exponent = word::ite(g, swap, &b.exponent, &a.exponent);
    let lower = word::ite(g, swap, &a.exponent, &b.exponent);
    let large = word::ite(g, swap, &b.significand, &a.significand);
    let small = word::ite(g, swap, &a.significand, &b.significand);
    let subtracts = g.xor(a.sign, b.sign);

    let distance = word::subtract(g, &exponent, &lower);
    let small = word::concat(&word::zeros(2), &small);
    let (small, sticky) = word::shift_right_sticky(g, &small, &distance);
    let small = word::concat(&[sticky], &small);
    let small: Word = small.iter().map(|bit| g.xor(*bit, subtracts)).collect();
    let large = word::concat(&word::zeros(3), &large);
    let (mut total, carry) = word::add_carry(g, &large, &small, subtracts);
    total.push(g.and(carry, !subtracts));
    let (significand, zeros) = word::normalize(g, &total);
    let zero = !significand[significand.len() - 1];
    let sign = g.ite(swap, b.sign, a.sign);
    Sum { sign, subtracts, exponent, zeros, significand, zero }
}

/// The sign of a sum: an exact difference of zero is positive, but negative when rounding down.
pub(super) fn sign_of_sum(g: &mut Aig, mode: &Mode, sum: &Sum) -> Edge {
    let cancels = g.and(sum.zero, sum.subtracts);
    let down = mode.is_down(g);
    g.ite(cancels, down, sum.sign)
}

/// mode: a + b
pub fn add(g: &mut Aig, mode: &Mode, a: &Float, b: &Float) -> Float {
    assert_eq!(a.layout, b.layout, "both operands have one format");
    let layout = a.layout;
    let (range, width) = exponents(layout);
    let (sum, exponent) = match Float::both_packed(a, b) {
        Some((x, y)) => {
            let x = Operand::of_packed(g, a.sign, x);
            let y = Operand::of_packed(g, b.sign, y);
            let sum = sum(g, &x, &y);
            let field = word::zero_extend(&sum.exponent, width);
            let bias = word::constant(layout.bias() - 1, width);
            let exponent = word::subtract(g, &field, &bias);
            (sum, exponent)
        }
        None => {
            let x = Operand::of_normal(a.sign, a.normal(g));
            let y = Operand::of_normal(b.sign, b.normal(g));
            let sum = sum(g, &x, &y);
            let exponent = word::sign_extend(&offset(&sum.exponent), width);
            let (exponent, _) = word::increment(g, &exponent, Edge::TRUE);
            (sum, exponent)
        }
    };
    let zeros = word::zero_extend(&sum.zeros, width);
    let exponent = word::subtract(g, &exponent, &zeros);

    let sign = sign_of_sum(g, mode, &sum);
    let infinite = g.or(a.infinite, b.infinite);
    let infinite_sign = g.ite(a.infinite, a.sign, b.sign);
    let sign = g.ite(infinite, infinite_sign, sign);
    let cancels = g.and_all([a.infinite, b.infinite, sum.subtracts]);
    let nan = g.or_all([a.nan, b.nan, cancels]);
    let exact = Exact { sign, exponent, range, significand: sum.significand };
    let special = Special { nan, infinite, zero: sum.zero };
    round(g, layout, mode, &exact, LastPlace::Follows, &special)
}

/// The exponents of sums, and a width for them and for what a zero sum computes.
fn exponents(layout: Layout) -> ((i128, i128), usize) {
    let range = (layout.least_exponent(), layout.bias() + 1);
    (range, layout.exponent_width().max(signed_width(range.0, range.1)))
}
