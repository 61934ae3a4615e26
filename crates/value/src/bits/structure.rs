//! Operators that change the width: `concat extract repeat zero_extend sign_extend`.

use super::{Bits, INLINE_WIDTH, Repr};

impl Bits {
    /// `concat`: `self` becomes the high part, `low` the low part.
    ///
    /// # Panics
    /// If the sum of the widths is 2^32 or more.
    #[inline]
    pub fn concat(&self, low: &Bits) -> Bits {
        let width = self.width.checked_add(low.width).expect("the width stays below 2^32");
        match (self.as_inline(), low.as_inline()) {
            (Some(a), Some(b)) if width <= INLINE_WIDTH => {
                Bits::inline(width, (a << low.width) | b)
            }
            _ => Bits::wide(width, (self.to_biguint() << low.width) | low.to_biguint()),
        }
    }

    /// `(_ extract high low)`: the bits from `low` to `high`, both included.
    ///
    /// # Panics
    /// Unless low ≤ high < width.
    #[inline]
    pub fn extract(&self, high: u32, low: u32) -> Bits {
        assert!(
            low <= high && high < self.width,
            "extract {high} {low} of a vector of width {}",
            self.width
        );
        let width = high - low + 1;
        match &self.repr {
            Repr::Inline(value) => Bits::inline(width, value.get() >> low),
            Repr::Wide(value) => Bits::from_biguint(width, value >> low),
        }
    }

    /// `(_ repeat count)`: `count` copies, one after the other.
    ///
    /// # Panics
    /// If `count` is zero, or the width of the result is 2^32 or more.
    pub fn repeat(&self, count: u32) -> Bits {
        assert!(count > 0, "repeat at least once");
        // Doubling, along the binary digits of `count` from the most significant one.
        let mut result = self.clone();
        for digit in (0..count.ilog2()).rev() {
            result = result.concat(&result);
            if (count >> digit) & 1 == 1 {
                result = result.concat(self);
            }
        }
        result
    }

    /// `(_ zero_extend by)`: `by` more bits, all zero, on the left.
    ///
    /// # Panics
    /// If the width of the result is 2^32 or more.
    #[inline]
    pub fn zero_extend(&self, by: u32) -> Bits {
        let width = self.width.checked_add(by).expect("the width stays below 2^32");
        match &self.repr {
            Repr::Inline(value) => Bits::from_u128(width, value.get()),
            Repr::Wide(value) => Bits { width, repr: Repr::Wide(value.clone()) },
        }
    }

    /// `(_ sign_extend by)`: `by` more copies of the sign bit on the left.
    ///
    /// # Panics
    /// If the width of the result is 2^32 or more.
    #[inline]
    pub fn sign_extend(&self, by: u32) -> Bits {
        // As with the arithmetic shift, the ones to add are the zeros added to ¬x.
        if self.is_negative() { self.not().zero_extend(by).not() } else { self.zero_extend(by) }
    }

    /// The low `width` bits, or the zero extension to `width` bits.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn resize_unsigned(&self, width: u32) -> Bits {
        assert!(width > 0, "a bit vector has at least one bit");
        if width <= self.width {
            self.extract(width - 1, 0)
        } else {
            self.zero_extend(width - self.width)
        }
    }

    /// The low `width` bits, or the sign extension to `width` bits.
    ///
    /// # Panics
    /// If `width` is zero.
    #[inline]
    pub fn resize_signed(&self, width: u32) -> Bits {
        assert!(width > 0, "a bit vector has at least one bit");
        if width <= self.width {
            self.extract(width - 1, 0)
        } else {
            self.sign_extend(width - self.width)
        }
    }
}
