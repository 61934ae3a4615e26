//! Ranges of binary32 and binary64 numbers.
//!
//! Bounds are compared as numbers: a range that contains zero contains both zeros. Infinities are
//! bounds like others. All operations round to nearest even, as the processor does; rounding is
//! monotone, so the rounded results at the corners bound all results.

use value::{Float, Format, Rounding};

/// The numbers between two bounds, and NaN if it is said.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FloatRange {
    /// Whether the format is binary32; otherwise it is binary64.
    pub single: bool,
    /// The least number; above `high` if there is none.
    pub low: f64,
    /// The greatest number.
    pub high: f64,
    /// Whether NaN is possible.
    pub nan: bool,
}

// Named as the operators of terms are.
#[allow(clippy::should_implement_trait)]
impl FloatRange {
    /// All values of a format, if it is one that the processor computes with.
    pub fn full(format: Format) -> Option<FloatRange> {
        let single = match format {
            Format::F32 => true,
            Format::F64 => false,
            _ => return None,
        };
        Some(FloatRange::any(single))
    }

    fn any(single: bool) -> FloatRange {
        FloatRange { single, low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true }
    }

    /// No value.
    pub fn none(single: bool) -> FloatRange {
        FloatRange { single, low: f64::INFINITY, high: f64::NEG_INFINITY, nan: false }
    }

    /// One value.
    pub fn point(value: &Float) -> Option<FloatRange> {
        let single = value.format() == Format::F32;
        let number = match single {
            true => f64::from(value.to_f32()?),
            false => value.to_f64()?,
        };
        Some(FloatRange::of(single, number))
    }

    /// One value, given as a number or NaN.
    pub fn of(single: bool, number: f64) -> FloatRange {
        match number.is_nan() {
            true => FloatRange { nan: true, ..FloatRange::none(single) },
            false => FloatRange { single, low: number, high: number, nan: false },
        }
    }

    /// The value of this format that is a number.
    pub fn value(single: bool, number: f64) -> Float {
        if single { Float::from_f32(number as f32) } else { Float::from_f64(number) }
    }

    /// Whether there is no number.
    pub fn numberless(&self) -> bool {
        self.low > self.high
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.numberless() && !self.nan
    }

    /// Whether a number lies between the bounds.
    pub fn has(&self, number: f64) -> bool {
        self.low <= number && number <= self.high
    }

    fn has_infinity(&self) -> bool {
        self.has(f64::INFINITY) || self.has(f64::NEG_INFINITY)
    }

    /// Whether a value is in the range.
    pub fn contains(&self, value: &Float) -> bool {
        match FloatRange::point(value) {
            Some(point) if point.nan => self.nan,
            Some(point) => self.has(point.low),
            None => false,
        }
    }

    /// Values in both.
    pub fn meet(self, other: FloatRange) -> FloatRange {
        let low = self.low.max(other.low);
        let high = self.high.min(other.high);
        let nan = self.nan && other.nan;
        let whole = FloatRange { single: self.single, low, high, nan };
        if whole.numberless() { FloatRange { nan, ..FloatRange::none(self.single) } } else { whole }
    }

    /// Values in one of them, and the numbers between.
    pub fn join(self, other: FloatRange) -> FloatRange {
        FloatRange {
            single: self.single,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            nan: self.nan || other.nan,
        }
    }

    /// A result of this range's format.
    fn round(&self, number: f64) -> f64 {
        if self.single { f64::from(number as f32) } else { number }
    }

    /// The hull of the results of an operation at the corners.
    ///
    /// A corner without a number (0·∞, ∞/∞, ∞−∞) stands for results around zero or beyond all
    /// bounds; `instead` are bounds for those.
    fn corners(
        self,
        other: FloatRange,
        operation: impl Fn(f64, f64) -> f64,
        instead: (f64, f64),
    ) -> FloatRange {
        let mut result = FloatRange::none(self.single);
        if self.numberless() || other.numberless() {
            return FloatRange { nan: self.nan || other.nan, ..result };
        }
        result.nan = self.nan || other.nan;
        for a in [self.low, self.high] {
            for b in [other.low, other.high] {
                let number = operation(a, b);
                let (low, high) = if number.is_nan() { instead } else { (number, number) };
                result.low = result.low.min(low);
                result.high = result.high.max(high);
            }
        }
        result
    }

    /// self + other
    pub fn add(self, other: FloatRange) -> FloatRange {
        let opposite =
            |a: &FloatRange, b: &FloatRange| a.has(f64::INFINITY) && b.has(f64::NEG_INFINITY);
        // A binary64 sum of binary32 numbers, rounded to binary32, is the binary32 sum: 53 ≥ 2·24 + 2.
        let sum = |a: f64, b: f64| self.round(a + b);
        let mut result = self.corners(other, sum, (f64::NEG_INFINITY, f64::INFINITY));
        result.nan |= opposite(&self, &other) || opposite(&other, &self);
        result
    }

    /// self · other
    pub fn mul(self, other: FloatRange) -> FloatRange {
        let product = |a: f64, b: f64| self.round(a * b);
        let mut result = self.corners(other, product, (0.0, 0.0));
        result.nan |=
            self.has(0.0) && other.has_infinity() || other.has(0.0) && self.has_infinity();
        result
    }

    /// self · self
    pub fn square(self) -> FloatRange {
        let product = self.mul(self);
        if product.numberless() {
            return product;
        }
        let nan = self.nan;
        FloatRange { low: if self.has(0.0) { 0.0 } else { product.low }, nan, ..product }
    }

    /// self / other
    pub fn div(self, other: FloatRange) -> FloatRange {
        if other.has(0.0) {
            return FloatRange::any(self.single);
        }
        let quotient = |a: f64, b: f64| self.round(a / b);
        let mut result = self.corners(other, quotient, (0.0, 0.0));
        result.nan |= self.has_infinity() && other.has_infinity();
        result
    }

    /// √self
    pub fn sqrt(self) -> FloatRange {
        let mut result =
            FloatRange { nan: self.nan || self.low < 0.0, ..FloatRange::none(self.single) };
        if self.numberless() {
            return FloatRange { nan: self.nan, ..result };
        }
        if self.high >= 0.0 {
            result.low = self.round(self.low.max(0.0).sqrt());
            result.high = self.round(self.high.sqrt());
        }
        result
    }

    /// −self
    pub fn neg(self) -> FloatRange {
        FloatRange { low: -self.high, high: -self.low, ..self }
    }

    /// |self|
    pub fn abs(self) -> FloatRange {
        if self.numberless() || self.low >= 0.0 {
            return self;
        }
        let low = if self.high < 0.0 { -self.high } else { 0.0 };
        FloatRange { low, high: self.high.max(-self.low), ..self }
    }

    /// Both numbers at the bounds mapped by a monotone function.
    fn monotone(self, single: bool, function: impl Fn(f64) -> f64) -> FloatRange {
        if self.numberless() {
            return FloatRange { nan: self.nan, ..FloatRange::none(single) };
        }
        FloatRange { single, low: function(self.low), high: function(self.high), nan: self.nan }
    }

    /// Rounded to an integral value.
    pub fn round_to_integral(self, rounding: Rounding) -> FloatRange {
        self.monotone(self.single, |number| match rounding {
            Rounding::NearestEven => number.round_ties_even(),
            Rounding::NearestAway => number.round(),
            Rounding::TowardPositive => number.ceil(),
            Rounding::TowardNegative => number.floor(),
            Rounding::TowardZero => number.trunc(),
        })
    }

    /// In another of the two formats.
    pub fn convert(self, single: bool) -> FloatRange {
        self.monotone(single, |number| if single { f64::from(number as f32) } else { number })
    }

    /// The smaller of two; a number beside NaN is the result.
    pub fn min(self, other: FloatRange) -> FloatRange {
        let mut result = FloatRange::none(self.single);
        if !self.numberless() && !other.numberless() {
            result.low = self.low.min(other.low);
            result.high = self.high.min(other.high);
        }
        self.beside_nan(other, result)
    }

    /// The larger of two; a number beside NaN is the result.
    pub fn max(self, other: FloatRange) -> FloatRange {
        let mut result = FloatRange::none(self.single);
        if !self.numberless() && !other.numberless() {
            result.low = self.low.max(other.low);
            result.high = self.high.max(other.high);
        }
        self.beside_nan(other, result)
    }

    fn beside_nan(self, other: FloatRange, mut result: FloatRange) -> FloatRange {
        let numbers = |range: FloatRange| FloatRange { nan: false, ..range };
        if self.nan {
            result = result.join(numbers(other));
        }
        if other.nan {
            result = result.join(numbers(self));
        }
        FloatRange { nan: self.nan && other.nan, ..result }
    }

    /// How many numbers of the format lie between the bounds, less one.
    pub fn extent(&self) -> u64 {
        if self.numberless() {
            return 0;
        }
        self.ordinal(self.high).saturating_sub(self.ordinal(self.low))
    }

    /// The place of a number among those of the format.
    fn ordinal(&self, number: f64) -> u64 {
        if self.single {
            let bits = (number as f32).to_bits();
            u64::from(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
        } else {
            let bits = number.to_bits();
            if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
        }
    }

    /// The number at a place.
    fn at(&self, ordinal: u64) -> f64 {
        if self.single {
            let ordinal = ordinal as u32;
            let bits = if ordinal >> 31 == 1 { ordinal & !(1 << 31) } else { !ordinal };
            f64::from(f32::from_bits(bits))
        } else {
            f64::from_bits(if ordinal >> 63 == 1 { ordinal & !(1 << 63) } else { !ordinal })
        }
    }

    /// A number in the middle: of the values where they are of one size, else of the places.
    ///
    /// Requires: there is a number.
    pub fn middle(&self) -> f64 {
        const WIDE: f64 = 1e6;
        let by_place = self.at(self.ordinal(self.low) + self.extent() / 2);
        if self.high - self.low > WIDE {
            return by_place;
        }
        let by_value = self.round(self.low + (self.high - self.low) / 2.0);
        let inside = self.low <= by_value && by_value < self.high;
        if inside { by_value } else { by_place }
    }

    /// The two halves. None where there is one number and no NaN beside it, or nothing but NaN.
    pub fn split(self) -> Option<(FloatRange, FloatRange)> {
        if self.numberless() {
            return None;
        }
        if self.nan {
            let only_nan = FloatRange { nan: true, ..FloatRange::none(self.single) };
            return Some((FloatRange { nan: false, ..self }, only_nan));
        }
        if self.low >= self.high {
            return None;
        }
        let middle = self.middle();
        let next = self.at(self.ordinal(middle) + 1);
        Some((FloatRange { high: middle, ..self }, FloatRange { low: next, ..self }))
    }
}
