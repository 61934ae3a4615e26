//! Binary floating-point formats, `(_ FloatingPoint eb sb)`.

use std::fmt;

/// A binary format: `eb` exponent bits and `sb` significand bits, the hidden bit included.
///
/// The format's interchange encoding has 1 + eb + (sb − 1) bits: sign, biased exponent, fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    exponent: u32,
    significand: u32,
}

/// Why there is no format with these sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Fewer than two exponent or significand bits, which SMT-LIB excludes.
    #[error("(_ FloatingPoint {0} {1}): both sizes must be at least 2")]
    TooSmall(u32, u32),
    /// Beyond [`Format::MAX_EXPONENT`] or [`Format::MAX_SIGNIFICAND`].
    #[error(
        "(_ FloatingPoint {0} {1}): at most {max_e} exponent and {max_s} significand bits are \
         supported",
        max_e = Format::MAX_EXPONENT,
        max_s = Format::MAX_SIGNIFICAND
    )]
    TooLarge(u32, u32),
}

impl Format {
    /// IEEE 754 binary16, half precision.
    pub const F16: Format = Format { exponent: 5, significand: 11 };
    /// bfloat16: the exponents of binary32 with eight significand bits.
    pub const BF16: Format = Format { exponent: 8, significand: 8 };
    /// IEEE 754 binary32, single precision.
    pub const F32: Format = Format { exponent: 8, significand: 24 };
    /// IEEE 754 binary64, double precision.
    pub const F64: Format = Format { exponent: 11, significand: 53 };
    /// IEEE 754 binary128, quadruple precision.
    pub const F128: Format = Format { exponent: 15, significand: 113 };
    /// The numbers of the x87's 80-bit extended precision.
    ///
    /// This is not an interchange format: the x87 stores the leading bit of the significand
    /// that all other formats hide, and so uses 80 bits where this format has 79. See
    /// [`Float::from_x87`](super::Float::from_x87) and [`Float::to_x87`](super::Float::to_x87).
    pub const X87: Format = Format { exponent: 15, significand: 64 };

    /// The most exponent bits that are supported. The magnitude of a number is then below
    /// 2^(2^23), so that every value can be written down as a rational (of about a megabyte).
    pub const MAX_EXPONENT: u32 = 24;
    /// The most significand bits that are supported.
    pub const MAX_SIGNIFICAND: u32 = 1 << 24;

    /// The format with `exponent` exponent bits and `significand` significand bits, the hidden
    /// bit included (SMT-LIB's convention).
    pub const fn new(exponent: u32, significand: u32) -> Result<Format, FormatError> {
        if exponent < 2 || significand < 2 {
            return Err(FormatError::TooSmall(exponent, significand));
        }
        if exponent > Self::MAX_EXPONENT || significand > Self::MAX_SIGNIFICAND {
            return Err(FormatError::TooLarge(exponent, significand));
        }
        Ok(Format { exponent, significand })
    }

    /// The number of exponent bits, `eb`.
    #[inline]
    pub const fn exponent(self) -> u32 {
        self.exponent
    }

    /// The number of significand bits, the hidden bit included, `sb`.
    #[inline]
    pub const fn significand(self) -> u32 {
        self.significand
    }

    /// The number of bits of the encoding, eb + sb.
    #[inline]
    pub const fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// The greatest exponent of a normal number, and the bias of the encoding: 2^(eb − 1) − 1.
    #[inline]
    pub const fn max_exponent(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The least exponent of a normal number, 2 − 2^(eb − 1).
    #[inline]
    pub const fn min_exponent(self) -> i64 {
        1 - self.max_exponent()
    }

    /// The exponent of the least subnormal number, of which every number is a multiple.
    #[inline]
    pub const fn least_exponent(self) -> i64 {
        self.min_exponent() - (self.significand as i64 - 1)
    }

    /// Whether all intermediate results of the arithmetic fit a `u128`: sums and products take
    /// up to 2·sb + 5 bits.
    #[inline]
    pub(super) const fn is_narrow(self) -> bool {
        self.significand <= 60
    }
}

/// `(_ FloatingPoint eb sb)`.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(_ FloatingPoint {} {})", self.exponent, self.significand)
    }
}
