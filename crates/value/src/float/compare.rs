//! Comparisons, minimum and maximum.

use super::{Float, machine};
use std::cmp::Ordering;

impl Float {
    /// The numeric order; `None` if either is NaN. The zeros are equal.
    #[inline]
    pub fn compare(&self, other: &Float) -> Option<Ordering> {
        self.common_format(other);
        if let Some(order) = machine::compare(self, other) {
            return order;
        }
        if self.is_nan() || other.is_nan() {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        // The encodings are sign and magnitude: signs decide, then magnitudes.
        Some(match (self.sign_bit(), other.sign_bit()) {
            (false, false) => self.encoding().ucmp(other.encoding()),
            (true, true) => other.encoding().ucmp(self.encoding()),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        })
    }

    /// SMT-LIB's `=`: the same value, where NaN is NaN and +0 is not −0. This is `==` too.
    ///
    /// # Panics
    /// If the formats differ.
    #[inline]
    pub fn same(&self, other: &Float) -> bool {
        self.common_format(other);
        self == other
    }

    /// `fp.eq`, IEEE equality: NaN equals nothing, and +0 equals −0.
    #[inline]
    pub fn ieee_eq(&self, other: &Float) -> bool {
        self.compare(other) == Some(Ordering::Equal)
    }

    /// `fp.lt`.
    #[inline]
    pub fn lt(&self, other: &Float) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }

    /// `fp.leq`.
    #[inline]
    pub fn leq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_le)
    }

    /// `fp.gt`.
    #[inline]
    pub fn gt(&self, other: &Float) -> bool {
        self.compare(other) == Some(Ordering::Greater)
    }

    /// `fp.geq`.
    #[inline]
    pub fn geq(&self, other: &Float) -> bool {
        self.compare(other).is_some_and(Ordering::is_ge)
    }

    /// `fp.min`: the other operand if one is NaN. Of two zeros of opposite sign SMT-LIB permits
    /// either; this returns −0 (see [`Float::min_max_is_open`]).
    #[inline]
    pub fn min(&self, other: &Float) -> Float {
        match self.compare(other) {
            None if self.is_nan() => other.clone(),
            None | Some(Ordering::Less) => self.clone(),
            Some(Ordering::Greater) => other.clone(),
            Some(Ordering::Equal) if self.sign_bit() => self.clone(),
            Some(Ordering::Equal) => other.clone(),
        }
    }

    /// `fp.max`: the other operand if one is NaN. Of two zeros of opposite sign SMT-LIB permits
    /// either; this returns +0 (see [`Float::min_max_is_open`]).
    #[inline]
    pub fn max(&self, other: &Float) -> Float {
        match self.compare(other) {
            None if self.is_nan() => other.clone(),
            None | Some(Ordering::Greater) => self.clone(),
            Some(Ordering::Less) => other.clone(),
            Some(Ordering::Equal) if self.sign_bit() => other.clone(),
            Some(Ordering::Equal) => self.clone(),
        }
    }

    /// Whether SMT-LIB leaves `fp.min` and `fp.max` of these operands open: zeros of opposite
    /// sign. A solver's model may then differ from [`Float::min`] and [`Float::max`].
    #[inline]
    pub fn min_max_is_open(&self, other: &Float) -> bool {
        self.common_format(other);
        self.is_zero() && other.is_zero() && self.sign_bit() != other.sign_bit()
    }
}
