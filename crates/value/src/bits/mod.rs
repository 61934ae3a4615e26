//! Bit-vector values of any width, with the meaning SMT-LIB gives to `FixedSizeBitVectors`.
//!
//! A value of width `w` is an element of {0, …, 2^w − 1}. Up to [`INLINE_WIDTH`] bits it lives
//! inside the struct and no operation allocates; wider ones hold a [`BigUint`]. The
//! representation is a function of the width alone and bits at or above the width are always
//! zero, so equality, order and hash can be derived.
//!
//! The operators live in one file per group: `arith`, `logic`, `shift`, `structure`,
//! `compare`, `overflow`, and `text` for reading and printing. Operators of two arguments
//! require equal widths and panic otherwise: a mismatch is a sort error that whoever builds
//! terms has to exclude, and continuing would mean a wrong answer.

mod arith;
mod compare;
mod logic;
mod overflow;
mod shift;
mod structure;
mod text;

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

pub use text::ParseBitsError;

/// The widest value that is stored without allocation.
pub const INLINE_WIDTH: u32 = 128;

/// A bit-vector value: a width of at least one, and that many bits.
///
/// `Ord` compares the width first and then the unsigned value; it serves sorted containers. Use
/// [`Bits::ult`] and [`Bits::slt`] for the theory's orders.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bits {
    width: u32,
    repr: Repr,
}

/// `Inline` exactly for widths up to [`INLINE_WIDTH`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Inline(Inline),
    Wide(BigUint),
}

/// A `u128` in two words, to keep the alignment (and so the size of [`Bits`]) at eight bytes.
/// The high word comes first: the derived order is the numeric one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Inline {
    high: u64,
    low: u64,
}

impl Inline {
    #[inline]
    fn get(self) -> u128 {
        (u128::from(self.high) << 64) | u128::from(self.low)
    }

    #[inline]
    fn of(value: u128) -> Inline {
        Inline { high: (value >> 64) as u64, low: value as u64 }
    }
}

/// 2^width − 1 for 1 ≤ width ≤ 128. Shifts of one word are several times faster than those of
/// two, and most vectors fit one.
#[inline]
fn mask(width: u32) -> u128 {
    if width <= 64 {
        u128::from(u64::MAX >> (64 - width))
    } else {
        u128::MAX >> (INLINE_WIDTH - width)
    }
}

/// The low `width` bits of `value`, read as a two's complement number, for width ≤ 128.
#[inline]
fn signed(width: u32, value: u128) -> i128 {
    if width <= 64 {
        return i128::from(((value as u64) << (64 - width)) as i64 >> (64 - width));
    }
    let unused = INLINE_WIDTH - width;
    ((value << unused) as i128) >> unused
}

/// 2^width − 1.
fn wide_mask(width: u32) -> BigUint {
    (BigUint::one() << width) - BigUint::one()
}

// Construction.
impl Bits {
    /// `value` modulo 2^width, for width ≤ 128.
    #[inline]
    fn inline(width: u32, value: u128) -> Bits {
        Bits { width, repr: Repr::Inline(Inline::of(value & mask(width))) }
    }

    /// `value` modulo 2^width, for width > 128.
    fn wide(width: u32, value: BigUint) -> Bits {
        let value = if value.bits() > u64::from(width) { value & wide_mask(width) } else { value };
        Bits { width, repr: Repr::Wide(value) }
    }

    /// `value` modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn from_u128(width: u32, value: u128) -> Bits {
        assert!(width > 0, "a bit vector has at least one bit");
        if width <= INLINE_WIDTH {
            Bits::inline(width, value)
        } else {
            Bits { width, repr: Repr::Wide(BigUint::from(value)) }
        }
    }

    /// `value` in two's complement, modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn from_i128(width: u32, value: i128) -> Bits {
        if width <= INLINE_WIDTH {
            Bits::from_u128(width, value as u128)
        } else {
            Bits::from_bigint(width, &BigInt::from(value))
        }
    }

    /// `value` modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn from_u64(width: u32, value: u64) -> Bits {
        Bits::from_u128(width, u128::from(value))
    }

    /// `value` in two's complement, modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn from_i64(width: u32, value: i64) -> Bits {
        Bits::from_i128(width, i128::from(value))
    }

    /// `value` modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn from_biguint(width: u32, value: BigUint) -> Bits {
        assert!(width > 0, "a bit vector has at least one bit");
        if width > INLINE_WIDTH {
            return Bits::wide(width, value);
        }
        let low = value.iter_u64_digits().take(2).enumerate();
        Bits::inline(width, low.fold(0, |sum, (i, digit)| sum | (u128::from(digit) << (64 * i))))
    }

    /// `value` in two's complement, modulo 2^width.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn from_bigint(width: u32, value: &BigInt) -> Bits {
        let magnitude = Bits::from_biguint(width, value.magnitude().clone());
        if value.sign() == Sign::Minus { magnitude.neg() } else { magnitude }
    }

    /// `#b1` for true, `#b0` for false.
    #[inline]
    pub fn from_bool(value: bool) -> Bits {
        Bits::inline(1, u128::from(value))
    }

    /// All bits zero.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn zero(width: u32) -> Bits {
        Bits::from_u128(width, 0)
    }

    /// The number one.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn one(width: u32) -> Bits {
        Bits::from_u128(width, 1)
    }

    /// All bits one: 2^width − 1, or −1.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn ones(width: u32) -> Bits {
        if width > INLINE_WIDTH {
            Bits { width, repr: Repr::Wide(wide_mask(width)) }
        } else {
            Bits::from_u128(width, u128::MAX)
        }
    }

    /// The least signed value, −2^(width − 1).
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn min_signed(width: u32) -> Bits {
        if width > INLINE_WIDTH {
            Bits { width, repr: Repr::Wide(BigUint::one() << (width - 1)) }
        } else {
            assert!(width > 0, "a bit vector has at least one bit");
            Bits::inline(width, 1 << (width - 1))
        }
    }

    /// The greatest signed value, 2^(width − 1) − 1.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn max_signed(width: u32) -> Bits {
        Bits::min_signed(width).not()
    }
}

// Access.
impl Bits {
    /// The number of bits.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The value of a vector of at most 128 bits; `None` for wider ones.
    #[inline]
    pub(crate) fn as_inline(&self) -> Option<u128> {
        match &self.repr {
            Repr::Inline(value) => Some(value.get()),
            Repr::Wide(_) => None,
        }
    }

    /// The unsigned value, if it is below 2^128 (whatever the width).
    #[inline]
    pub fn to_u128(&self) -> Option<u128> {
        match &self.repr {
            Repr::Inline(value) => Some(value.get()),
            Repr::Wide(value) => value.to_u128(),
        }
    }

    /// The signed value, if it fits an `i128` (whatever the width).
    #[inline]
    pub fn to_i128(&self) -> Option<i128> {
        match &self.repr {
            Repr::Inline(value) => Some(signed(self.width, value.get())),
            Repr::Wide(_) => self.to_bigint().to_i128(),
        }
    }

    /// The unsigned value, if it fits a `u64` (whatever the width).
    #[inline]
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|value| u64::try_from(value).ok())
    }

    /// The signed value, if it fits an `i64` (whatever the width).
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        self.to_i128().and_then(|value| i64::try_from(value).ok())
    }

    /// The unsigned value.
    pub fn to_biguint(&self) -> BigUint {
        match &self.repr {
            Repr::Inline(value) => BigUint::from(value.get()),
            Repr::Wide(value) => value.clone(),
        }
    }

    /// The signed (two's complement) value.
    pub fn to_bigint(&self) -> BigInt {
        match &self.repr {
            Repr::Inline(value) => BigInt::from(signed(self.width, value.get())),
            Repr::Wide(_) if self.is_negative() => {
                BigInt::from_biguint(Sign::Minus, self.neg().to_biguint())
            }
            Repr::Wide(value) => BigInt::from(value.clone()),
        }
    }

    /// The truth value of a vector of width one; `None` for wider ones.
    #[inline]
    pub fn to_bool(&self) -> Option<bool> {
        (self.width == 1).then(|| self.bit(0))
    }

    /// Bit `index`, counted from the least significant; false at and above the width.
    #[inline]
    pub fn bit(&self, index: u32) -> bool {
        match &self.repr {
            Repr::Inline(value) => index < self.width && (value.get() >> index) & 1 == 1,
            Repr::Wide(value) => value.bit(u64::from(index)),
        }
    }

    /// The bits from the least to the most significant.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = bool> + '_ {
        (0..self.width).map(|index| self.bit(index))
    }

    /// The vector whose bit `i` is `bits[i]`.
    ///
    /// # Panics
    /// If `bits` is empty or has 2^32 elements or more.
    pub fn from_bits(bits: &[bool]) -> Bits {
        let width = u32::try_from(bits.len()).expect("the width of a bit vector is below 2^32");
        if width <= INLINE_WIDTH {
            let value = bits.iter().rev().fold(0, |value, &bit| (value << 1) | u128::from(bit));
            return Bits::from_u128(width, value);
        }
        let byte = |chunk: &[bool]| chunk.iter().rev().fold(0, |b, &bit| (b << 1) | u8::from(bit));
        let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
        Bits::wide(width, BigUint::from_bytes_le(&bytes))
    }

    /// The same vector with bit `index` set to `value`.
    ///
    /// # Panics
    /// If `index` is not below the width.
    pub fn with_bit(&self, index: u32, value: bool) -> Bits {
        assert!(index < self.width, "bit {index} of a vector of width {}", self.width);
        match &self.repr {
            Repr::Inline(old) => {
                let cleared = old.get() & !(1 << index);
                Bits::inline(self.width, cleared | (u128::from(value) << index))
            }
            Repr::Wide(old) => {
                let mut new = old.clone();
                new.set_bit(u64::from(index), value);
                Bits { width: self.width, repr: Repr::Wide(new) }
            }
        }
    }

    /// Whether the most significant bit is set: the sign of the two's complement value.
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) if self.width <= 64 => (value.low >> (self.width - 1)) == 1,
            Repr::Inline(value) => (value.high >> (self.width - 65)) == 1,
            Repr::Wide(value) => value.bits() == u64::from(self.width),
        }
    }

    /// Whether all bits are zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) => value.get() == 0,
            Repr::Wide(value) => value.is_zero(),
        }
    }

    /// Whether the unsigned value is one.
    #[inline]
    pub fn is_one(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) => value.get() == 1,
            Repr::Wide(value) => value.is_one(),
        }
    }

    /// Whether all bits are one.
    #[inline]
    pub fn is_ones(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) => value.get() == mask(self.width),
            Repr::Wide(value) => value.trailing_ones() == u64::from(self.width),
        }
    }

    /// Whether this is the least signed value.
    #[inline]
    pub fn is_min_signed(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) => value.get() == 1 << (self.width - 1),
            Repr::Wide(value) => value.trailing_zeros() == Some(u64::from(self.width) - 1),
        }
    }

    /// Whether this is the greatest signed value.
    #[inline]
    pub fn is_max_signed(&self) -> bool {
        match &self.repr {
            Repr::Inline(value) => value.get() == mask(self.width) >> 1,
            Repr::Wide(value) => {
                let below_sign = u64::from(self.width) - 1;
                value.bits() == below_sign && value.trailing_ones() == below_sign
            }
        }
    }

    /// Both values and their common width where they are stored inline, else `None`.
    ///
    /// # Panics
    /// If the widths differ.
    #[inline]
    fn inline_pair(&self, other: &Bits) -> Option<(u128, u128)> {
        assert_eq!(self.width, other.width, "operands of different width");
        match (&self.repr, &other.repr) {
            (Repr::Inline(a), Repr::Inline(b)) => Some((a.get(), b.get())),
            _ => None,
        }
    }

    /// `op` on two vectors of equal width, its result taken modulo 2^width.
    #[inline]
    fn zip(
        &self,
        other: &Bits,
        inline: impl FnOnce(u128, u128) -> u128,
        wide: impl FnOnce(&BigUint, &BigUint) -> BigUint,
    ) -> Bits {
        match self.inline_pair(other) {
            Some((a, b)) => Bits::inline(self.width, inline(a, b)),
            None => Bits::wide(self.width, wide(self.as_wide(), other.as_wide())),
        }
    }

    /// The value of a vector wider than 128 bits.
    fn as_wide(&self) -> &BigUint {
        match &self.repr {
            Repr::Wide(value) => value,
            Repr::Inline(_) => unreachable!("widths above {INLINE_WIDTH} are stored as BigUint"),
        }
    }
}

impl From<bool> for Bits {
    fn from(value: bool) -> Bits {
        Bits::from_bool(value)
    }
}
