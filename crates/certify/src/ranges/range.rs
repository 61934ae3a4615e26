//! Sets of floats and of truth values, by bounds.

use term::{Sort, Value};
use value::Format;

/// A set of values that contains at least those that a term can have: the numbers between the
/// bounds, infinities included, none if the bounds are crossed; and NaN, if so said. A zero is of
/// either sign. Truth values are the numbers 0 and 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
    pub nan: bool,
}

/// All there is, also where values are no numbers.
pub const ANY: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
pub const NAN: Range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

impl Range {
    /// The truth values that are possible.
    pub fn truth(no: bool, yes: bool) -> Range {
        Range { low: if no { 0.0 } else { 1.0 }, high: if yes { 1.0 } else { 0.0 }, nan: false }
    }

    pub fn exactly(value: &Value) -> Range {
        let number = match value {
            Value::Bool(value) => return Range::truth(!value, *value),
            Value::Float(float) => float.to_f64().or_else(|| float.to_f32().map(f64::from)),
            _ => None,
        };
        match number {
            None => ANY,
            Some(number) if number.is_nan() => NAN,
            Some(number) => Range { low: number, high: number, nan: false },
        }
    }

    pub fn union(self, other: Range) -> Range {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        Range { low, high, nan: self.nan | other.nan }
    }

    pub fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    /// Whether it lies on both sides of zero or touches it.
    pub fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// The absolute values.
    ///
    /// Requires: there are numbers.
    pub fn magnitude(self) -> Range {
        let (a, b) = (self.low.abs(), self.high.abs());
        Range { low: if self.has_zero() { 0.0 } else { a.min(b) }, high: a.max(b), nan: self.nan }
    }

    /// The same numbers of binary32, with bounds that are among them.
    pub fn tightened(self) -> Range {
        if !self.has_numbers() {
            return self;
        }
        let (low, high) = (self.low as f32, self.high as f32);
        let low = if f64::from(low) < self.low { low.next_up() } else { low };
        let high = if f64::from(high) > self.high { high.next_down() } else { high };
        Range { low: low.into(), high: high.into(), nan: self.nan }
    }

    /// Two parts that together are the whole; none if there is one value.
    ///
    /// Requires: the bounds are values of the sort.
    pub fn halves(self, sort: Sort) -> Option<[Range; 2]> {
        let Range { low, high, nan } = self;
        if nan {
            return self.has_numbers().then_some([Range { nan: false, ..self }, NAN]);
        }
        if low >= high {
            return None;
        }
        let (middle, above) = match sort {
            Sort::Bool => (0.0, 1.0),
            _ if is_single(sort) => {
                let last = f64::from((high as f32).next_down());
                let middle = (f64::from(middle(low, high) as f32)).clamp(low, last);
                (middle, f64::from((middle as f32).next_up()))
            }
            _ => {
                let middle = middle(low, high).clamp(low, high.next_down());
                (middle, middle.next_up())
            }
        };
        Some([Range { high: middle, ..self }, Range { low: above, ..self }])
    }
}

/// A number about the middle between two different ones: wide ranges are halved by magnitude, narrow
/// ones by distance.
fn middle(low: f64, high: f64) -> f64 {
    let distance = low + (high - low) / 2.0;
    if low < 0.0 && high > 0.0 {
        0.0
    } else if distance.is_finite() && low != 0.0 && (high / low).abs() < 4.0 {
        distance
    } else {
        let magnitude = low.abs().to_bits().midpoint(high.abs().to_bits());
        f64::from_bits(magnitude).copysign(if high > 0.0 { 1.0 } else { -1.0 })
    }
}

/// The place of a number among all of binary64.
pub fn rank(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
}

pub fn is_single(sort: Sort) -> bool {
    sort == Sort::Float(Format::F32)
}

/// Whether ranges say anything about values of a sort.
pub fn has_ranges(sort: Sort) -> bool {
    sort == Sort::Bool || sort == Sort::Float(Format::F64) || is_single(sort)
}
