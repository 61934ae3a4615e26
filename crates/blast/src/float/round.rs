//! The rounder: an exact result becomes a float of some format.
//!
//! The significand is cut to the precision, and one unit of the last place is added where the
//! mode says so. Below some exponent the last place does not move any further (subnormal numbers,
//! rounding to an integral value): there the lowest bits are masked instead of shifted, as many
//! as the exponent lies below. The mask is a thermometer code; setting the masked bits to one
//! before the increment carries it to the right place.

use super::{Float, Layout, Normal, signed_width};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};
use std::cell::OnceCell;

/// A nonzero magnitude before rounding, with its sign.
///
/// Where the result is special (see [`Special`]) only the sign has a meaning.
pub(crate) struct Exact {
    pub sign: Edge,
    /// The exponent of the leading bit, two's complement.
    pub exponent: Word,
    /// The least and the greatest exponent possible.
    pub range: (i128, i128),
    /// The leading bit is one. The lowest may stand for any number of bits below it.
    pub significand: Word,
}

/// Conditions under which a result is no rounded number.
pub(crate) struct Special {
    /// The result is NaN; overrides the others.
    pub nan: Edge,
    /// The result is an infinity; overrides `zero`.
    pub infinite: Edge,
    /// The result is a zero.
    pub zero: Edge,
}

/// Where the last place stops to follow the leading bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastPlace {
    /// At the smallest normal exponent of the format.
    Subnormal,
    /// Nowhere: results below the smallest normal exponent are known to be exact.
    Follows,
    /// At 1: the result is integral.
    One,
}

/// The exact result rounded to a format.
pub(crate) fn round(
    g: &mut Aig,
    layout: Layout,
    mode: &Mode,
    exact: &Exact,
    last_place: LastPlace,
    special: &Special,
) -> Float {
    let fixed = match last_place {
        LastPlace::Subnormal => Some(layout.min_exponent()),
        LastPlace::One => Some(layout.precision as i128 - 1),
        LastPlace::Follows => None,
    };
    let fixed = fixed.filter(|threshold| exact.range.0 < *threshold);
    let rounded = match fixed {
        Some(threshold) => round_masked(g, layout, mode, exact, threshold),
        None => round_normal(g, layout, mode, exact),
    };
    finish(g, layout, mode, exact, rounded, special)
}

/// A significand of the right precision.
struct Rounded {
    exponent: Word,
    /// The greatest exponent possible.
    greatest: i128,
    significand: Word,
    /// Whether nothing is left.
    zero: Edge,
}

/// The `precision` highest bits, the next one, and whether there is a one below.
fn cut(g: &mut Aig, significand: &[Edge], precision: usize) -> (Word, Edge, Edge) {
    let missing = (precision + 1).saturating_sub(significand.len());
    let padded = word::concat(&word::zeros(missing), significand);
    let (low, kept) = padded.split_at(padded.len() - precision);
    let (rest, guard) = low.split_at(low.len() - 1);
    let sticky = word::any(g, rest);
    let mut kept = kept.to_vec();
    kept[precision - 1] = Edge::TRUE;
    (kept, guard[0], sticky)
}

fn exponent_plus(g: &mut Aig, exact: &Exact, carry: Edge) -> Word {
    let (low, high) = exact.range;
    let exponent = word::sign_extend(&exact.exponent, signed_width(low, high + 1));
    word::increment(g, &exponent, carry).0
}

fn round_normal(g: &mut Aig, layout: Layout, mode: &Mode, exact: &Exact) -> Rounded {
    let (kept, guard, sticky) = cut(g, &exact.significand, layout.precision);
    let up = mode.increments(g, exact.sign, kept[0], guard, sticky);
    let (mut significand, carry) = word::increment(g, &kept, up);
    // A carry out leaves zeros, and the leading one moves up.
    significand[layout.precision - 1] = Edge::TRUE;
    let exponent = exponent_plus(g, exact, carry);
    // Nothing is cut off a short significand, so nothing carries.
    let short = exact.significand.len() <= layout.precision;
    let greatest = exact.range.1 + i128::from(!short);
    Rounded { exponent, greatest, significand, zero: Edge::FALSE }
}

/// Rounds where the last place of numbers with an exponent below `threshold` is that of
/// `threshold`.
fn round_masked(
    g: &mut Aig,
    layout: Layout,
    mode: &Mode,
    exact: &Exact,
    threshold: i128,
) -> Rounded {
    let precision = layout.precision;
    let (kept, guard, sticky) = cut(g, &exact.significand, precision);
    // mask[j]: bit j is below the last place; the place above all bits counts too, since only
    // its being masked tells a half from less.
    let mask = distance_below(g, exact, threshold, precision + 1);
    // place[j]: bit j is the last place.
    let place: Word = (0..=precision)
        .map(|j| if j == 0 { !mask[0] } else { g.and(mask[j - 1], !mask[j]) })
        .collect();
    let lowest = select(g, &kept, &place[..precision]);
    let guards = word::concat(&[guard], &kept);
    let new_guard = select(g, &guards, &place);
    let lost = word::and(g, &guards, &mask);
    let lost = word::any(g, &lost);
    let sticky = g.or(sticky, lost);

    let up = mode.increments(g, exact.sign, lowest, new_guard, sticky);
    let filled = word::or(g, &kept, &mask[..precision]);
    let (sum, carry) = word::increment(g, &filled, up);
    let mut significand = word::and(g, &sum, &word::not(&mask[..precision]));
    significand[precision - 1] = Edge::TRUE;
    // With all bits masked, either nothing is left or one unit of the last place.
    let all = mask[precision - 1];
    let exponent = exponent_plus(g, exact, carry);
    let unit = word::constant(threshold - (precision as i128 - 1), exponent.len());
    let exponent = word::ite(g, all, &unit, &exponent);
    // A short significand is cut only below the threshold, and carries up to it at most.
    let short = exact.significand.len() <= precision && exact.range.1 >= threshold;
    let greatest = exact.range.1 + i128::from(!short);
    Rounded { exponent, greatest, significand, zero: g.and(all, !carry) }
}

/// The thermometer code of how far the exponent is below the threshold: bit j is one where it is
/// more than j below.
fn distance_below(g: &mut Aig, exact: &Exact, threshold: i128, length: usize) -> Word {
    let (low, high) = exact.range;
    let width = signed_width((threshold - high).min(low), (threshold - low).max(high));
    let exponent = word::sign_extend(&exact.exponent, width);
    let limit = word::constant(threshold, width);
    let distance = word::subtract(g, &limit, &exponent);
    let negative = distance[width - 1];
    let stages = (length as u64 + 1).next_power_of_two().trailing_zeros() as usize;
    let (near, far) = distance.split_at(stages.min(width - 1));
    let far = word::any(g, far);
    // Saturated: all ones where far, zero where negative. A negative distance is far as well.
    let near: Word = near
        .iter()
        .map(|bit| {
            let bit = g.or(*bit, far);
            g.and(bit, !negative)
        })
        .collect();
    let mut code = thermometer(g, &near);
    code.resize(length, Edge::FALSE);
    code
}

/// The word with a one at each place below the number.
fn thermometer(g: &mut Aig, number: &[Edge]) -> Word {
    let mut code = Word::new();
    for bit in number {
        let low: Word = code.iter().map(|c| g.or(*bit, *c)).collect();
        let high: Word = code.iter().map(|c| g.and(*bit, *c)).collect();
        code = [low, vec![*bit], high].concat();
    }
    code
}

/// The bit of the word at the place that is one, if there is one.
fn select(g: &mut Aig, bits: &[Edge], place: &[Edge]) -> Edge {
    let chosen = word::and(g, bits, place);
    word::any(g, &chosen)
}

/// Overflow, the special cases, and the normal form of zeros.
fn finish(
    g: &mut Aig,
    layout: Layout,
    mode: &Mode,
    exact: &Exact,
    rounded: Rounded,
    special: &Special,
) -> Float {
    let Rounded { mut exponent, greatest, mut significand, zero } = rounded;
    let mut overflow = Edge::FALSE;
    if greatest > layout.bias() {
        let largest = word::constant(layout.bias(), exponent.len());
        let over = word::signed_less(g, &largest, &exponent);
        let nearest = mode.is_nearest(g);
        let outward = mode.is_outward(g, exact.sign);
        let infinite = g.or(nearest, outward);
        overflow = g.and(over, infinite);
        let clamp = g.and(over, !infinite);
        exponent = word::ite(g, clamp, &largest, &exponent);
        significand = significand.iter().map(|bit| g.or(*bit, clamp)).collect();
    }
    let zero = g.or(special.zero, zero);
    let overflow = g.and(overflow, !zero);
    let infinite = g.or(special.infinite, overflow);
    let infinite = g.and(infinite, !special.nan);
    let zero = g.and_all([zero, !special.infinite, !special.nan]);

    let exponent = word::sign_extend(&exponent, layout.exponent_width());
    let of_zero = word::constant(layout.zero_exponent(), exponent.len());
    let exponent = word::ite(g, zero, &of_zero, &exponent);
    let significand = word::mask(g, !zero, &significand);
    let normal = Normal { exponent, significand };
    Float {
        layout,
        nan: special.nan,
        infinite,
        zero,
        sign: exact.sign,
        packed: OnceCell::new(),
        normal: OnceCell::from(normal),
    }
}
