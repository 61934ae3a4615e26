//! Circuits on IEEE floats of any format.
//!
//! A [`Float`] carries the flags that every operator asks for, and its number in up to two
//! forms, made from each other on demand and kept:
//!
//! * *packed*: the fields of the interchange format. Inputs and constants come so.
//! * *normal*: a signed exponent and a significand whose highest bit is one, also for subnormal
//!   numbers. The results of arithmetic come so.
//!
//! A chain of operations never packs and unpacks: arithmetic takes and gives the normal form,
//! and the packed form is made only where somebody wants the bits. Operators for which the packed
//! form serves as well (comparison, equality, addition, if-then-else) use it where both
//! operands have it, which spares the normalization of subnormal inputs. The separation of flags
//! and number, and the rounder shared by all operators, follow M. Brain, F. Schanda and Y. Sun,
//! "Building Better Bit-Blasting for Floating-Point Problems" (TACAS 2019); two forms instead of
//! one, and zeros that need no special case in addition, are ours.

mod add;
mod compare;
mod convert;
mod divide;
mod fma;
mod integral;
mod multiply;
mod remainder;
mod root;
pub(crate) mod round;

pub use add::add;
pub use compare::{equal, identical, less, less_equal, maximum, minimum};
pub use convert::{from_signed, from_unsigned, to_format, to_signed, to_unsigned};
pub use divide::divide;
pub use fma::fma;
pub use integral::round_to_integral;
pub use multiply::multiply;
pub use remainder::{remainder, remainder_gates};
pub use root::square_root;

use crate::word::{self, Word};
use aig::{Aig, Edge};
use std::cell::OnceCell;
use value::Format;

/// The numbers that a format fixes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Bits of the exponent field, at least 2.
    pub exponent_bits: usize,
    /// Bits of the significand with the hidden one, at least 2.
    pub precision: usize,
}

impl Layout {
    /// Exponent fields wider than this are not supported: exponents are computed with 128 bits.
    /// Values have no wider ones.
    pub const MAX_EXPONENT_BITS: usize = 64;

    /// The layout with so many bits of exponent field and of significand, the hidden one
    /// included.
    ///
    /// # Panics
    /// If one is less than 2, or the exponent field wider than [`Layout::MAX_EXPONENT_BITS`].
    pub fn new(exponent_bits: usize, precision: usize) -> Self {
        assert!((2..=Self::MAX_EXPONENT_BITS).contains(&exponent_bits) && precision >= 2);
        Layout { exponent_bits, precision }
    }

    /// The layout of a format.
    pub fn of(format: Format) -> Self {
        Layout::new(format.exponent() as usize, format.significand() as usize)
    }

    /// The width of the interchange format.
    pub fn width(self) -> usize {
        self.exponent_bits + self.precision
    }

    /// What the exponent field of 1 holds; also the largest exponent.
    pub fn bias(self) -> i128 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    pub fn min_exponent(self) -> i128 {
        1 - self.bias()
    }

    /// The exponent of the smallest subnormal number.
    pub fn least_exponent(self) -> i128 {
        self.min_exponent() - (self.precision as i128 - 1)
    }

    /// The exponent of a zero in the normal form: what normalization of a zero significand
    /// comes to, at most the least exponent.
    pub fn zero_exponent(self) -> i128 {
        self.min_exponent() - (self.precision.next_power_of_two() as i128 - 1)
    }

    /// The width of exponents in the normal form: from that of a zero to one above the largest.
    pub fn exponent_width(self) -> usize {
        signed_width(self.zero_exponent(), self.bias() + 1)
    }
}

/// How many bits a two's-complement number needs for all values from `low` to `high`.
fn signed_width(low: i128, high: i128) -> usize {
    let bits = |v: i128| 129 - if v < 0 { !v } else { v }.leading_zeros() as usize;
    bits(low).max(bits(high))
}

/// The fields of the interchange format below the sign.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The biased exponent.
    pub exponent: Word,
    /// The significand without the hidden bit.
    pub fraction: Word,
}

impl Packed {
    /// The fraction below the exponent: the order of these words is that of the magnitudes.
    fn magnitude(&self) -> Word {
        word::concat(&self.fraction, &self.exponent)
    }
}

/// A magnitude as a significand with a leading one, and its exponent.
///
/// For a zero the significand is zero and the exponent [`Layout::zero_exponent`], so that zeros are
/// the smallest magnitudes and have one form; for infinities and NaN both are arbitrary.
#[derive(Clone, Debug)]
pub struct Normal {
    /// The exponent of the leading bit, two's complement, as wide as the layout says.
    pub exponent: Word,
    /// The bits from the leading one down: as many as the precision.
    pub significand: Word,
}

impl Normal {
    /// The significand below the exponent (made unsigned): the order of these words is that of
    /// the magnitudes.
    fn magnitude(&self) -> Word {
        word::concat(&self.significand, &offset(&self.exponent))
    }
}

/// A two's-complement word as an unsigned one with the same order and differences.
fn offset(exponent: &[Edge]) -> Word {
    let mut exponent = exponent.to_vec();
    if let Some(sign) = exponent.last_mut() {
        *sign = !*sign;
    }
    exponent
}

/// A float; see the module's head. At most one of the flags `nan`, `infinite`, `zero` is true.
#[derive(Clone, Debug)]
pub struct Float {
    layout: Layout,
    /// Whether it is NaN.
    pub nan: Edge,
    /// Whether it is an infinity.
    pub infinite: Edge,
    /// Whether it is a zero.
    pub zero: Edge,
    /// The sign; arbitrary for NaN.
    pub sign: Edge,
    /// One of the two forms is always there.
    packed: OnceCell<Packed>,
    normal: OnceCell<Normal>,
}

impl Float {
    /// The float with these interchange bits; every NaN pattern is NaN.
    pub fn from_bits(g: &mut Aig, layout: Layout, bits: &[Edge]) -> Float {
        assert_eq!(bits.len(), layout.width(), "the bits of a float have its width");
        let (fraction, rest) = bits.split_at(layout.precision - 1);
        let (exponent, sign) = rest.split_at(layout.exponent_bits);
        let (top, bottom) = (word::all(g, exponent), word::is_zero(g, exponent));
        let integral = word::is_zero(g, fraction);
        let packed = Packed { exponent: exponent.to_vec(), fraction: fraction.to_vec() };
        Float {
            layout,
            nan: g.and(top, !integral),
            infinite: g.and(top, integral),
            zero: g.and(bottom, integral),
            sign: sign[0],
            packed: OnceCell::from(packed),
            normal: OnceCell::new(),
        }
    }

    /// The format.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The interchange bits; those of NaN are the canonical quiet NaN (positive, the highest
    /// bit of the fraction alone set).
    pub fn bits(&self, g: &mut Aig) -> Word {
        let packed = self.packed(g).clone();
        let mut bits = word::mask(g, !self.nan, &packed.fraction);
        if let Some(quiet) = bits.last_mut() {
            *quiet = g.or(*quiet, self.nan);
        }
        // The packed exponent of a NaN is all ones already.
        bits.extend(packed.exponent);
        bits.push(g.and(self.sign, !self.nan));
        bits
    }

    /// The packed form.
    pub fn packed(&self, g: &mut Aig) -> &Packed {
        self.packed.get_or_init(|| self.pack(g))
    }

    /// The normal form.
    pub fn normal(&self, g: &mut Aig) -> &Normal {
        self.normal.get_or_init(|| {
            let packed = self.packed.get().expect("a float has one of its forms");
            normalize(g, self.layout, packed)
        })
    }

    /// The packed form, if it is at hand.
    pub fn packed_form(&self) -> Option<&Packed> {
        self.packed.get()
    }

    /// The normal form, if it is at hand.
    pub fn normal_form(&self) -> Option<&Normal> {
        self.normal.get()
    }

    /// Both in packed form, if both have it at hand.
    fn both_packed<'a>(a: &'a Float, b: &'a Float) -> Option<(&'a Packed, &'a Packed)> {
        a.packed.get().zip(b.packed.get())
    }

    /// Both in normal form, if both have it at hand.
    fn both_normal<'a>(a: &'a Float, b: &'a Float) -> Option<(&'a Normal, &'a Normal)> {
        a.normal.get().zip(b.normal.get())
    }

    /// Words whose unsigned order is that of the magnitudes, for two floats that are not NaN;
    /// for infinities only if the floats are packed, which the last component tells.
    fn magnitudes(g: &mut Aig, a: &Float, b: &Float) -> (Word, Word, bool) {
        match Float::both_packed(a, b) {
            Some((a, b)) => (a.magnitude(), b.magnitude(), true),
            None => (a.normal(g).magnitude(), b.normal(g).magnitude(), false),
        }
    }

    fn pack(&self, g: &mut Aig) -> Packed {
        let Layout { exponent_bits, precision } = self.layout;
        let normal = self.normal.get().expect("a float has one of its forms");
        // The distance below the smallest normal exponent, where that is positive.
        let width = signed_width(
            0,
            self.layout.min_exponent() - self.layout.least_exponent() + self.layout.bias(),
        )
        .max(self.layout.exponent_width() + 1);
        let exponent = word::sign_extend(&normal.exponent, width);
        let smallest = word::constant(self.layout.min_exponent(), width);
        let below = word::subtract(g, &smallest, &exponent);
        let subnormal = word::signed_less(g, &exponent, &smallest);
        let distance = word::mask(g, subnormal, &below);
        let fraction = word::shift_right(g, &normal.significand, &distance);

        let bias = word::constant(self.layout.bias(), width);
        let biased = word::add(g, &exponent, &bias);
        let special = g.or(self.nan, self.infinite);
        let exponent = biased[..exponent_bits]
            .iter()
            .map(|bit| {
                let bit = g.and(*bit, !subnormal);
                g.or(bit, special)
            })
            .collect();
        let fraction = word::mask(g, !special, &fraction[..precision - 1]);
        Packed { exponent, fraction }
    }

    /// Whether it is subnormal.
    pub fn is_subnormal(&self, g: &mut Aig) -> Edge {
        let small = match self.packed.get() {
            Some(packed) => word::is_zero(g, &packed.exponent),
            None => {
                let exponent = self.normal(g).exponent.clone();
                let smallest = word::constant(self.layout.min_exponent(), exponent.len());
                word::signed_less(g, &exponent, &smallest)
            }
        };
        let finite = self.is_finite(g);
        let some = g.and(finite, !self.zero);
        g.and(small, some)
    }

    /// Whether it is normal: finite, neither zero nor subnormal.
    pub fn is_normal(&self, g: &mut Aig) -> Edge {
        let subnormal = self.is_subnormal(g);
        let finite = self.is_finite(g);
        g.and_all([finite, !self.zero, !subnormal])
    }

    /// Whether it is neither infinite nor NaN.
    pub fn is_finite(&self, g: &mut Aig) -> Edge {
        g.and(!self.nan, !self.infinite)
    }

    /// Whether it has a minus sign and is not NaN.
    pub fn is_negative(&self, g: &mut Aig) -> Edge {
        g.and(self.sign, !self.nan)
    }

    /// Whether it has a plus sign and is not NaN.
    pub fn is_positive(&self, g: &mut Aig) -> Edge {
        g.and(!self.sign, !self.nan)
    }

    /// The same with another sign.
    pub fn with_sign(&self, sign: Edge) -> Float {
        Float { sign, ..self.clone() }
    }

    /// −a
    pub fn negate(&self) -> Float {
        self.with_sign(!self.sign)
    }

    /// |a|
    pub fn absolute(&self) -> Float {
        self.with_sign(Edge::FALSE)
    }

    /// if c then t else e, in every form that both have.
    pub fn ite(g: &mut Aig, c: Edge, t: &Float, e: &Float) -> Float {
        assert_eq!(t.layout, e.layout, "both branches have one format");
        if Float::both_packed(t, e).is_none() {
            t.normal(g);
            e.normal(g);
        }
        let packed = OnceCell::new();
        if let Some((t, e)) = Float::both_packed(t, e) {
            let exponent = word::ite(g, c, &t.exponent, &e.exponent);
            let fraction = word::ite(g, c, &t.fraction, &e.fraction);
            let _ = packed.set(Packed { exponent, fraction });
        }
        let normal = OnceCell::new();
        if let Some((t, e)) = Float::both_normal(t, e) {
            let exponent = word::ite(g, c, &t.exponent, &e.exponent);
            let significand = word::ite(g, c, &t.significand, &e.significand);
            let _ = normal.set(Normal { exponent, significand });
        }
        Float {
            layout: t.layout,
            nan: g.ite(c, t.nan, e.nan),
            infinite: g.ite(c, t.infinite, e.infinite),
            zero: g.ite(c, t.zero, e.zero),
            sign: g.ite(c, t.sign, e.sign),
            packed,
            normal,
        }
    }
}

/// The normal form of packed fields: a subnormal number is shifted until its leading one is at
/// the top. The shift amount of a zero is all ones, which gives the exponent of zeros.
fn normalize(g: &mut Aig, layout: Layout, packed: &Packed) -> Normal {
    let width = layout.exponent_width();
    let hidden = word::any(g, &packed.exponent);
    let mut loose = packed.fraction.clone();
    loose.push(hidden);
    let (significand, zeros) = word::normalize(g, &loose);
    // The field of a subnormal number is 0, but its exponent that of the field 1.
    let mut field = word::zero_extend(&packed.exponent, width);
    field[0] = g.or(field[0], !hidden);
    let zeros = word::zero_extend(&zeros, width);
    let exponent = word::subtract(g, &field, &zeros);
    let bias = word::constant(layout.bias(), width);
    Normal { exponent: word::subtract(g, &exponent, &bias), significand }
}

#[cfg(test)]
mod tests;
