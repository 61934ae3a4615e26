//! Values as keys: the values of a sort, numbered in their order from 0 on.
//!
//! With keys an interval of any sort is two integers, the value after a value is the next integer,
//! and a bound `x ≥ v` has the complement `x ≤ v − 1`, for Booleans, bit-vectors and floats alike.
//!
//! The order of a bit-vector is that of its unsigned or of its signed reading, as the domain says.
//! The order of floats is total: −∞ < … < −0 < +0 < … < +∞ < NaN. So a bound from above other than
//! NaN itself excludes NaN, and one from below never does; −0 and +0 are neighbours that bounds can
//! tell apart, where `fp.leq` cannot.

use term::{Sort, Value};
use value::{Bits, Float, Format, Rounding};

/// The number of a value in the order of its domain.
pub type Key = u128;

/// The widest bit-vectors and floats with keys, in bits.
pub const WIDEST: u32 = 128;

/// A sort of values with their order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Domain {
    /// false < true
    Truth,
    /// Bit-vectors of this width, read unsigned.
    Unsigned(u32),
    /// Bit-vectors of this width, read signed.
    Signed(u32),
    /// Floats, by the total order above.
    Float(Format),
    /// Rounding modes, in the order of [`Rounding::ALL`].
    Rounding,
}

impl Domain {
    /// The domain of a sort; bit-vectors are read unsigned. `None` where values have no keys.
    pub fn of(sort: Sort) -> Option<Domain> {
        match sort {
            Sort::Bool => Some(Domain::Truth),
            Sort::BitVec(width @ 1..=WIDEST) => Some(Domain::Unsigned(width)),
            Sort::Float(format) if format.width() <= WIDEST => Some(Domain::Float(format)),
            Sort::RoundingMode => Some(Domain::Rounding),
            _ => None,
        }
    }

    /// The greatest key; the least is 0.
    pub fn last(self) -> Key {
        match self {
            Domain::Truth => 1,
            Domain::Unsigned(width) | Domain::Signed(width) => ones(width),
            Domain::Float(format) => FloatKeys::new(format).nan(),
            Domain::Rounding => Rounding::ALL.len() as Key - 1,
        }
    }

    /// The key of a value. Requires: the value is of the domain.
    pub fn key(self, value: &Value) -> Key {
        match (self, value) {
            (Domain::Truth, Value::Bool(value)) => Key::from(*value),
            (Domain::Unsigned(_), Value::Bits(bits)) => unsigned(bits),
            (Domain::Signed(width), Value::Bits(bits)) => unsigned(bits) ^ sign_bit(width),
            (Domain::Float(format), Value::Float(float)) => FloatKeys::new(format).key(float),
            (Domain::Rounding, Value::Rounding(mode)) => {
                let place = Rounding::ALL.iter().position(|m| m == mode);
                place.expect("all modes are listed") as Key
            }
            _ => unreachable!("{value:?} is not of {self:?}"),
        }
    }

    /// The value with a key. Requires: the key is at most [`Domain::last`].
    pub fn value(self, key: Key) -> Value {
        match self {
            Domain::Truth => Value::Bool(key != 0),
            Domain::Unsigned(width) => Value::Bits(Bits::from_u128(width, key)),
            Domain::Signed(width) => Value::Bits(Bits::from_u128(width, key ^ sign_bit(width))),
            Domain::Float(format) => Value::Float(FloatKeys::new(format).float(key)),
            Domain::Rounding => Value::Rounding(Rounding::ALL[key as usize]),
        }
    }
}

fn unsigned(bits: &Bits) -> Key {
    bits.to_u128().expect("a domain is at most 128 bits wide")
}

/// The greatest unsigned number of a width of at most 128.
pub fn ones(width: u32) -> Key {
    Key::MAX >> (128 - width)
}

/// The weight of the highest bit of a width.
pub fn sign_bit(width: u32) -> Key {
    1 << (width - 1)
}

/// The keys of a float format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatKeys {
    format: Format,
    /// The encoding of +∞, which is also the greatest magnitude.
    infinity: Key,
}

impl FloatKeys {
    /// The keys of a format. Requires: it is at most 128 bits wide.
    pub fn new(format: Format) -> FloatKeys {
        let fraction = format.significand() - 1;
        FloatKeys { format, infinity: ones(format.exponent()) << fraction }
    }

    /// The format.
    pub fn format(self) -> Format {
        self.format
    }

    /// −∞
    pub fn minus_infinity(self) -> Key {
        0
    }

    /// −0
    pub fn minus_zero(self) -> Key {
        self.infinity
    }

    /// +0
    pub fn plus_zero(self) -> Key {
        self.infinity + 1
    }

    /// +∞
    pub fn plus_infinity(self) -> Key {
        2 * self.infinity + 1
    }

    /// NaN
    pub fn nan(self) -> Key {
        2 * self.infinity + 2
    }

    /// The number of the opposite sign; NaN stays.
    pub fn negated(self, key: Key) -> Key {
        if key == self.nan() { key } else { self.plus_infinity() - key }
    }

    /// The key of the float with an interchange encoding.
    pub fn of_encoding(self, encoding: Key) -> Key {
        let sign = sign_bit(self.format.width());
        let magnitude = encoding & (sign - 1);
        if magnitude > self.infinity {
            self.nan()
        } else if encoding & sign == 0 {
            self.infinity + 1 + magnitude
        } else {
            self.infinity - magnitude
        }
    }

    /// The interchange encoding of the float with a key; of NaN the canonical one.
    pub fn encoding(self, key: Key) -> Key {
        if key > self.plus_infinity() {
            self.infinity | 1 << (self.format.significand() - 2)
        } else if key > self.infinity {
            key - self.infinity - 1
        } else {
            sign_bit(self.format.width()) | (self.infinity - key)
        }
    }

    /// The key of a float.
    pub fn key(self, float: &Float) -> Key {
        self.of_encoding(unsigned(&float.to_bits()))
    }

    /// The float with a key.
    pub fn float(self, key: Key) -> Float {
        let bits = Bits::from_u128(self.format.width(), self.encoding(key));
        Float::from_bits(self.format, &bits)
    }
}

/// The keys from `low` to `high`; none if `low` is above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least key.
    pub low: Key,
    /// The greatest key.
    pub high: Key,
}

impl Interval {
    /// No key.
    pub const EMPTY: Interval = Interval { low: Key::MAX, high: 0 };

    /// The keys between two bounds.
    pub fn new(low: Key, high: Key) -> Interval {
        Interval { low, high }
    }

    /// One key.
    pub fn point(key: Key) -> Interval {
        Interval { low: key, high: key }
    }

    /// All keys of a domain.
    pub fn full(domain: Domain) -> Interval {
        Interval { low: 0, high: domain.last() }
    }

    /// Whether there is no key.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The only key.
    pub fn only(self) -> Option<Key> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether a key lies between the bounds.
    pub fn contains(self, key: Key) -> bool {
        self.low <= key && key <= self.high
    }

    /// The keys in both.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The keys of both, and what lies between.
    #[must_use]
    pub fn join(self, other: Interval) -> Interval {
        if self.is_empty() {
            other
        } else if other.is_empty() {
            self
        } else {
            Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::value::all_values;

    #[test]
    fn keys_number_the_values_in_their_order() {
        let format = Format::new(3, 4).expect("a format");
        let signed = (Sort::BitVec(4), Domain::Signed(4));
        let plain = [Sort::Bool, Sort::BitVec(5), Sort::Float(format), Sort::RoundingMode]
            .map(|sort| (sort, Domain::of(sort).expect("it has keys")));
        for (sort, domain) in plain.into_iter().chain([signed]) {
            let mut keys: Vec<Key> = all_values(sort)
                .map(|value| {
                    let key = domain.key(&value);
                    assert_eq!(domain.value(key), value, "{domain:?}");
                    key
                })
                .collect();
            keys.sort_unstable();
            assert!(keys.iter().copied().eq(0..=domain.last()), "{domain:?}");
        }
    }

    #[test]
    fn the_order_of_floats_is_that_of_numbers() {
        let keys = FloatKeys::new(Format::F64);
        let key = |number: f64| keys.key(&Float::from_f64(number));
        let rising = [f64::NEG_INFINITY, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1.0, f64::INFINITY];
        assert!(rising.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert_eq!(key(f64::NEG_INFINITY), keys.minus_infinity());
        assert_eq!(key(-0.0), keys.minus_zero());
        assert_eq!(key(0.0), keys.plus_zero());
        assert_eq!(key(f64::INFINITY), keys.plus_infinity());
        assert_eq!(key(f64::NAN), keys.nan());
        assert_eq!(keys.negated(key(2.5)), key(-2.5));
        assert_eq!(keys.negated(keys.nan()), keys.nan());
    }

    #[test]
    fn wide_domains_have_keys() {
        assert_eq!(Domain::Unsigned(128).last(), Key::MAX);
        assert_eq!(Domain::of(Sort::BitVec(129)), None);
        let domain = Domain::of(Sort::Float(Format::F128)).expect("128 bits");
        let one = Value::Float(Float::one(Format::F128, true));
        assert_eq!(domain.value(domain.key(&one)), one);
    }
}
