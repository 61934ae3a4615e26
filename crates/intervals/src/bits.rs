//! Ranges of bit-vectors of up to 64 bits, read unsigned and signed at once.
//!
//! Each reading is an interval of integers. An operation is computed without wrapping in wider
//! integers; if all results lie in one copy of the value range, the wrapped interval is exact,
//! otherwise nothing is known of that reading. Each reading tightens the other.

use value::Bits;

/// The values of a bit-vector that lie in both intervals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRange {
    /// How wide the vectors are, 1 to 64.
    pub width: u32,
    /// The least unsigned value.
    pub low: u64,
    /// The greatest unsigned value.
    pub high: u64,
    /// The least signed value.
    pub least: i64,
    /// The greatest signed value.
    pub most: i64,
}

// Named as the operators of terms are.
#[allow(clippy::should_implement_trait)]
impl BitRange {
    /// All values of a width. Requires: 1 ≤ width ≤ 64.
    pub fn full(width: u32) -> BitRange {
        let most = (i64::MAX as u64 >> (64 - width)) as i64;
        BitRange { width, low: 0, high: u64::MAX >> (64 - width), least: -most - 1, most }
    }

    /// One value.
    pub fn point(width: u32, value: u64) -> BitRange {
        let full = BitRange::full(width);
        BitRange { low: value & full.high, high: value & full.high, ..full }.reduced()
    }

    /// The unsigned values between two bounds.
    pub fn unsigned(width: u32, low: u64, high: u64) -> BitRange {
        BitRange { low, high, ..BitRange::full(width) }.reduced()
    }

    /// The signed values between two bounds.
    pub fn signed(width: u32, least: i64, most: i64) -> BitRange {
        BitRange { least, most, ..BitRange::full(width) }.reduced()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.low > self.high || self.least > self.most
    }

    /// The only value, unsigned.
    pub fn constant(&self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether nothing is known.
    pub fn is_full(&self) -> bool {
        *self == BitRange::full(self.width)
    }

    fn sign_bit(&self) -> u64 {
        1 << (self.width - 1)
    }

    fn to_signed(self, value: u64) -> i64 {
        let shift = 64 - self.width;
        ((value << shift) as i64) >> shift
    }

    fn to_unsigned(self, value: i64) -> u64 {
        value as u64 & (u64::MAX >> (64 - self.width))
    }

    /// Tightens each reading by the other where it does not cross the sign.
    pub fn reduced(mut self) -> BitRange {
        for _ in 0..2 {
            if self.is_empty() {
                return self;
            }
            if (self.low < self.sign_bit()) == (self.high < self.sign_bit()) {
                self.least = self.least.max(self.to_signed(self.low));
                self.most = self.most.min(self.to_signed(self.high));
            }
            if self.least > self.most {
                return self;
            }
            if (self.least < 0) == (self.most < 0) {
                self.low = self.low.max(self.to_unsigned(self.least));
                self.high = self.high.min(self.to_unsigned(self.most));
            }
        }
        self
    }

    /// Values in both.
    pub fn meet(self, other: BitRange) -> BitRange {
        BitRange {
            width: self.width,
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
        }
        .reduced()
    }

    /// Values in one of them, and what lies between.
    pub fn join(self, other: BitRange) -> BitRange {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        BitRange {
            width: self.width,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// Whether a value is in the range.
    pub fn contains(&self, bits: &Bits) -> bool {
        let Some(value) = bits.to_u64() else { return false };
        let signed = self.to_signed(value);
        (self.low..=self.high).contains(&value) && (self.least..=self.most).contains(&signed)
    }

    /// The range of results that are known as integers of either reading, before wrapping.
    fn wrapped(width: u32, unsigned: Option<(i128, i128)>, signed: Option<(i128, i128)>) -> Self {
        let modulus = 1i128 << width;
        let mut range = BitRange::full(width);
        if let Some((low, high)) = unsigned
            && low.div_euclid(modulus) == high.div_euclid(modulus)
        {
            range.low = low.rem_euclid(modulus) as u64;
            range.high = high.rem_euclid(modulus) as u64;
        }
        if let Some((least, most)) = signed {
            let half = modulus / 2;
            if (least + half).div_euclid(modulus) == (most + half).div_euclid(modulus) {
                range.least = ((least + half).rem_euclid(modulus) - half) as i64;
                range.most = ((most + half).rem_euclid(modulus) - half) as i64;
            }
        }
        range.reduced()
    }

    fn u(self) -> (i128, i128) {
        (i128::from(self.low), i128::from(self.high))
    }

    fn s(self) -> (i128, i128) {
        (i128::from(self.least), i128::from(self.most))
    }

    /// self + other
    pub fn add(self, other: BitRange) -> BitRange {
        let sum = |a: (i128, i128), b: (i128, i128)| Some((a.0 + b.0, a.1 + b.1));
        Self::wrapped(self.width, sum(self.u(), other.u()), sum(self.s(), other.s()))
    }

    /// self − other
    pub fn sub(self, other: BitRange) -> BitRange {
        let difference = |a: (i128, i128), b: (i128, i128)| Some((a.0 - b.1, a.1 - b.0));
        Self::wrapped(self.width, difference(self.u(), other.u()), difference(self.s(), other.s()))
    }

    /// self · other
    pub fn mul(self, other: BitRange) -> BitRange {
        let product = |a: (i128, i128), b: (i128, i128)| {
            let products = [
                a.0.checked_mul(b.0)?,
                a.0.checked_mul(b.1)?,
                a.1.checked_mul(b.0)?,
                a.1.checked_mul(b.1)?,
            ];
            let bounds = (*products.iter().min()?, *products.iter().max()?);
            // Headroom for the shift by half the modulus.
            (bounds.0 > i128::MIN / 2 && bounds.1 < i128::MAX / 2).then_some(bounds)
        };
        Self::wrapped(self.width, product(self.u(), other.u()), product(self.s(), other.s()))
    }

    /// −self
    pub fn neg(self) -> BitRange {
        BitRange::point(self.width, 0).sub(self)
    }

    /// Bitwise complement: −self − 1.
    pub fn not(self) -> BitRange {
        let full = BitRange::full(self.width);
        BitRange {
            width: self.width,
            low: full.high - self.high,
            high: full.high - self.low,
            least: -1 - self.most,
            most: -1 - self.least,
        }
    }

    /// Bitwise and.
    pub fn and(self, other: BitRange) -> BitRange {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return BitRange::point(self.width, a & b);
        }
        BitRange::unsigned(self.width, 0, self.high.min(other.high))
    }

    /// Bitwise or.
    pub fn or(self, other: BitRange) -> BitRange {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return BitRange::point(self.width, a | b);
        }
        BitRange::unsigned(self.width, self.low.max(other.low), ones(self.high | other.high))
    }

    /// Bitwise exclusive or.
    pub fn xor(self, other: BitRange) -> BitRange {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return BitRange::point(self.width, a ^ b);
        }
        BitRange::unsigned(self.width, 0, ones(self.high | other.high))
    }

    /// Unsigned quotient.
    pub fn udiv(self, other: BitRange) -> BitRange {
        if other.low == 0 {
            return BitRange::full(self.width);
        }
        BitRange::unsigned(self.width, self.low / other.high, self.high / other.low)
    }

    /// Unsigned remainder.
    pub fn urem(self, other: BitRange) -> BitRange {
        if let (Some(a), Some(b)) = (self.constant(), other.constant()) {
            return BitRange::point(self.width, if b == 0 { a } else { a % b });
        }
        if other.low == 0 {
            // a where b = 0, otherwise below b.
            return BitRange::unsigned(self.width, 0, self.high);
        }
        if self.high < other.low {
            return self;
        }
        BitRange::unsigned(self.width, 0, self.high.min(other.high - 1))
    }

    /// Signed quotient, rounded toward zero.
    pub fn sdiv(self, other: BitRange) -> BitRange {
        if other.least <= 0 {
            return BitRange::full(self.width);
        }
        let ((a, b), (c, d)) = (self.s(), other.s());
        let quotients = [a / c, a / d, b / c, b / d];
        let bounds = quotients.iter().min().zip(quotients.iter().max());
        Self::wrapped(self.width, None, bounds.map(|(least, most)| (*least, *most)))
    }

    /// Signed remainder with the sign of self.
    pub fn srem(self, other: BitRange) -> BitRange {
        if other.least <= 0 {
            return BitRange::full(self.width);
        }
        if self.least >= 0 && self.most < other.least {
            return self;
        }
        let largest = other.most - 1;
        let least = if self.least < 0 { self.least.max(-largest) } else { 0 };
        let most = if self.most > 0 { self.most.min(largest) } else { 0 };
        BitRange::signed(self.width, least, most)
    }

    /// Shift to the left.
    pub fn shl(self, other: BitRange) -> BitRange {
        match other.constant() {
            Some(by) if by >= u64::from(self.width) => BitRange::point(self.width, 0),
            Some(by) if by < 63 => self.mul(BitRange::point(self.width, 1 << by)),
            _ => BitRange::full(self.width),
        }
    }

    /// Shift to the right, zeros in.
    pub fn lshr(self, other: BitRange) -> BitRange {
        let shifted = |value: u64, by: u64| if by >= 64 { 0 } else { value >> by };
        let (low, high) = (shifted(self.low, other.high), shifted(self.high, other.low));
        BitRange::unsigned(self.width, low, high)
    }

    /// Shift to the right, sign in.
    pub fn ashr(self, other: BitRange) -> BitRange {
        let Some(by) = other.constant() else { return BitRange::full(self.width) };
        let by = by.min(63);
        BitRange::signed(self.width, self.least >> by, self.most >> by)
    }

    /// `low` below self. Requires: the widths add up to at most 64.
    pub fn concat(self, low: BitRange) -> BitRange {
        let above = |value: u64| value << low.width;
        BitRange::unsigned(
            self.width + low.width,
            above(self.low) | low.low,
            above(self.high) | low.high,
        )
    }

    /// Bits `high` down to `low`.
    pub fn extract(self, high: u32, low: u32) -> BitRange {
        let width = high - low + 1;
        if low == 0 {
            return Self::wrapped(width, Some(self.u()), Some(self.s()));
        }
        let (a, b) = (i128::from(self.low >> low), i128::from(self.high >> low));
        Self::wrapped(width, Some((a, b)), None)
    }

    /// With zeros above. Requires: the result has at most 64 bits.
    pub fn zero_extend(self, by: u32) -> BitRange {
        BitRange::unsigned(self.width + by, self.low, self.high)
    }

    /// With copies of the sign above. Requires: the result has at most 64 bits.
    pub fn sign_extend(self, by: u32) -> BitRange {
        BitRange::signed(self.width + by, self.least, self.most)
    }
}

/// The least number of the form 2^k − 1 that is not below `value`.
fn ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}
