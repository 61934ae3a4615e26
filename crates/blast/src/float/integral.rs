//! Rounding to an integral value: the rounder with its last place fixed at 1.

use super::Float;
use super::round::{Exact, LastPlace, Special, round};
use crate::rounding::Mode;
use aig::Aig;

/// mode: a rounded to an integral value, with a's sign
pub fn round_to_integral(g: &mut Aig, mode: &Mode, a: &Float) -> Float {
    let layout = a.layout;
    let normal = a.normal(g).clone();
    let exact = Exact {
        sign: a.sign,
        exponent: normal.exponent,
        range: (layout.least_exponent(), layout.bias()),
        significand: normal.significand,
    };
    let special = Special { nan: a.nan, infinite: a.infinite, zero: a.zero };
    round(g, layout, mode, &exact, LastPlace::One, &special)
}
