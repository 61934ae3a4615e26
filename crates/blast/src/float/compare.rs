//! Comparisons. NaN is unordered; zeros of both signs are equal, but not identical.

use super::Float;
use crate::word;
use aig::{Aig, Edge};

/// a < b
pub fn less(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let ordered = ordered(g, a, b);
    let less = less_ordered(g, a, b);
    g.and(ordered, less)
}

/// a ≤ b
pub fn less_equal(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let ordered = ordered(g, a, b);
    let greater = less_ordered(g, b, a);
    g.and(ordered, !greater)
}

/// a = b as IEEE has it: NaN equals nothing, zeros are equal.
pub fn equal(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let ordered = ordered(g, a, b);
    let zeros = g.and(a.zero, b.zero);
    let same = same_number(g, a, b);
    let equal = g.or(zeros, same);
    g.and(ordered, equal)
}

/// a = b as SMT-LIB has it: NaN is NaN, zeros with different signs differ.
pub fn identical(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let ordered = ordered(g, a, b);
    let same = same_number(g, a, b);
    let number = g.and(ordered, same);
    let nans = g.and(a.nan, b.nan);
    g.or(nans, number)
}

/// The smaller of two floats, the number where the other is NaN; of zeros with different signs
/// the first where `first_zero`.
pub fn minimum(g: &mut Aig, a: &Float, b: &Float, first_zero: Edge) -> Float {
    let above = less_ordered(g, b, a);
    choose(g, a, b, !above, first_zero)
}

/// The larger of two floats, the number where the other is NaN; of zeros with different signs
/// the first where `first_zero`.
pub fn maximum(g: &mut Aig, a: &Float, b: &Float, first_zero: Edge) -> Float {
    let below = less_ordered(g, a, b);
    choose(g, a, b, !below, first_zero)
}

/// The first where `preferred` and it is a number, or the other is none.
fn choose(g: &mut Aig, a: &Float, b: &Float, preferred: Edge, first_zero: Edge) -> Float {
    let differ = g.xor(a.sign, b.sign);
    let zeros = g.and_all([a.zero, b.zero, differ]);
    let preferred = g.ite(zeros, first_zero, preferred);
    let number = g.and(preferred, !a.nan);
    let first = g.or(number, b.nan);
    Float::ite(g, first, a, b)
}

/// Neither is NaN.
fn ordered(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    g.and(!a.nan, !b.nan)
}

/// Whether sign and magnitude are the same, if neither is NaN.
fn same_number(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let sign = g.iff(a.sign, b.sign);
    let (x, y, packed) = Float::magnitudes(g, a, b);
    let mut magnitude = word::equal(g, &x, &y);
    if !packed {
        // Infinities have arbitrary normal forms.
        let infinite = g.and(a.infinite, b.infinite);
        magnitude = g.and_all([magnitude, !a.infinite, !b.infinite]);
        magnitude = g.or(infinite, magnitude);
    }
    g.and(sign, magnitude)
}

/// a < b, if neither is NaN.
fn less_ordered(g: &mut Aig, a: &Float, b: &Float) -> Edge {
    let (x, y, packed) = Float::magnitudes(g, a, b);
    let mut below = word::less(g, &x, &y);
    let mut above = word::less(g, &y, &x);
    if !packed {
        below = below_infinity(g, below, a, b);
        above = below_infinity(g, above, b, a);
    }
    let zeros = g.and(a.zero, b.zero);
    // −a < b wherever not both are zero; with both signs minus the larger magnitude is less.
    let both_plus = g.and_all([!a.sign, !b.sign, below]);
    let both_minus = g.and_all([a.sign, b.sign, above]);
    let mixed = g.and_all([a.sign, !b.sign, !zeros]);
    g.or_all([both_plus, both_minus, mixed])
}

/// Corrects |a| < |b| of normal forms, where infinities have arbitrary ones.
fn below_infinity(g: &mut Aig, below: Edge, a: &Float, b: &Float) -> Edge {
    let below = g.or(below, b.infinite);
    g.and(below, !a.infinite)
}
