//! Conversions between formats, and from and to integers.

use super::round::{Exact, LastPlace, Special, round};
use super::{Float, Layout, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word, add::negate_if};
use aig::{Aig, Edge};

/// mode: a in another format
pub fn to_format(g: &mut Aig, mode: &Mode, a: &Float, layout: Layout) -> Float {
    if layout == a.layout {
        return a.clone();
    }
    let normal = a.normal(g).clone();
    let exact = Exact {
        sign: a.sign,
        exponent: normal.exponent,
        range: (a.layout.least_exponent(), a.layout.bias()),
        significand: normal.significand,
    };
    let special = Special { nan: a.nan, infinite: a.infinite, zero: a.zero };
    round(g, layout, mode, &exact, LastPlace::Subnormal, &special)
}

/// mode: an unsigned number in a format
pub fn from_unsigned(g: &mut Aig, mode: &Mode, a: &[Edge], layout: Layout) -> Float {
    from_magnitude(g, mode, Edge::FALSE, a, layout)
}

/// mode: a two's-complement number in a format
pub fn from_signed(g: &mut Aig, mode: &Mode, a: &[Edge], layout: Layout) -> Float {
    let sign = a[a.len() - 1];
    let magnitude = word::absolute(g, a);
    from_magnitude(g, mode, sign, &magnitude, layout)
}

fn from_magnitude(g: &mut Aig, mode: &Mode, sign: Edge, a: &[Edge], layout: Layout) -> Float {
    let (significand, zeros) = word::normalize(g, a);
    let zero = !significand[a.len() - 1];
    let range = (0, a.len() as i128 - 1);
    let width = signed_width(range.0, range.1);
    let zeros = word::zero_extend(&zeros, width);
    let top = word::constant(range.1, width);
    let exponent = word::subtract(g, &top, &zeros);
    let exact = Exact { sign, exponent, range, significand };
    let special = Special { nan: Edge::FALSE, infinite: Edge::FALSE, zero };
    round(g, layout, mode, &exact, LastPlace::Subnormal, &special)
}

/// mode: a as an unsigned number of this width, and whether it fits (elsewhere the number is
/// arbitrary)
pub fn to_unsigned(g: &mut Aig, mode: &Mode, a: &Float, width: usize) -> (Word, Edge) {
    let (magnitude, fits) = to_magnitude(g, mode, a, width);
    let zero = word::is_zero(g, &magnitude);
    let allowed = g.or(!a.sign, zero);
    let fits = g.and_all([fits, allowed, !magnitude[width]]);
    (magnitude[..width].to_vec(), fits)
}

/// mode: a as a two's-complement number of this width, and whether it fits (elsewhere the
/// number is arbitrary)
pub fn to_signed(g: &mut Aig, mode: &Mode, a: &Float, width: usize) -> (Word, Edge) {
    let (magnitude, fits) = to_magnitude(g, mode, a, width);
    // At most 2^(width−1) − 1, or exactly 2^(width−1) of a negative number.
    let (rest, top) = (&magnitude[..width - 1], magnitude[width - 1]);
    let rest = word::is_zero(g, rest);
    let least = g.and(a.sign, rest);
    let small = g.or(!top, least);
    let fits = g.and_all([fits, small, !magnitude[width]]);
    (negate_if(g, a.sign, &magnitude[..width]), fits)
}

/// mode: |a| as an unsigned number of one bit more than `width`, and whether it is below
/// 2^width before rounding.
fn to_magnitude(g: &mut Aig, mode: &Mode, a: &Float, width: usize) -> (Word, Edge) {
    let normal = a.normal(g).clone();
    let layout = a.layout;
    // Significand bits below the second fractional place of the largest number only matter
    // together.
    let length = width + 2;
    let cut = normal.significand.len().saturating_sub(length);
    let lost = word::any(g, &normal.significand[..cut]);
    let kept = &normal.significand[cut..];
    let aligned = word::concat(&word::zeros(length - kept.len()), kept);

    // With an exponent of width − 1 the leading bit is in place; below that it goes right.
    let top = width as i128 - 1;
    let (low, high) = (layout.least_exponent(), layout.bias());
    let bits =
        signed_width((top - high).min(low), (top - low).max(high)).max(normal.exponent.len() + 1);
    let exponent = word::sign_extend(&normal.exponent, bits);
    let limit = word::constant(top, bits);
    let distance = word::subtract(g, &limit, &exponent);
    let negative = distance[bits - 1];
    let (shifted, sticky) = word::shift_right_sticky(g, &aligned, &distance[..bits - 1]);
    let sticky = g.or_all([sticky, lost, shifted[0]]);
    let number = &shifted[2..];
    let up = mode.increments(g, a.sign, number[0], shifted[1], sticky);
    let (mut magnitude, carry) = word::increment(g, number, up);
    magnitude.push(carry);
    // A zero may have any exponent, but none of a number.
    let special = g.or(a.nan, a.infinite);
    let small = g.or(!negative, a.zero);
    (magnitude, g.and(small, !special))
}
