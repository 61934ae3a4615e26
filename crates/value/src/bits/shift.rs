//! Shifts and rotations.
//!
//! The amount of a shift is a vector of the same width read as an unsigned number; amounts at
//! or above the width shift everything out. Rotations take the amount modulo the width.

use super::{Bits, Repr};
use num_traits::ToPrimitive;

impl Bits {
    /// The shift amount; if it does not fit, the greatest, which is no less than any width.
    #[inline]
    fn shift_amount(&self, amount: &Bits) -> u32 {
        assert_eq!(self.width, amount.width, "operands of different width");
        amount.to_u128().and_then(|amount| u32::try_from(amount).ok()).unwrap_or(u32::MAX)
    }

    /// `bvshl`.
    #[inline]
    pub fn shl(&self, amount: &Bits) -> Bits {
        self.shl_by(self.shift_amount(amount))
    }

    /// `bvlshr`.
    #[inline]
    pub fn lshr(&self, amount: &Bits) -> Bits {
        self.lshr_by(self.shift_amount(amount))
    }

    /// `bvashr`: copies of the sign bit come in from the left.
    #[inline]
    pub fn ashr(&self, amount: &Bits) -> Bits {
        self.ashr_by(self.shift_amount(amount))
    }

    /// [`Bits::shl`] by a number.
    #[inline]
    pub fn shl_by(&self, amount: u32) -> Bits {
        match &self.repr {
            _ if amount >= self.width => Bits::zero(self.width),
            Repr::Inline(value) => Bits::inline(self.width, value.get() << amount),
            Repr::Wide(value) => Bits::wide(self.width, value << amount),
        }
    }

    /// [`Bits::lshr`] by a number.
    #[inline]
    pub fn lshr_by(&self, amount: u32) -> Bits {
        match &self.repr {
            _ if amount >= self.width => Bits::zero(self.width),
            Repr::Inline(value) => Bits::inline(self.width, value.get() >> amount),
            Repr::Wide(value) => Bits::wide(self.width, value >> amount),
        }
    }

    /// [`Bits::ashr`] by a number.
    #[inline]
    pub fn ashr_by(&self, amount: u32) -> Bits {
        // ¬x is non-negative, and the ones shifted into x are the zeros shifted into ¬x.
        if self.is_negative() { self.not().lshr_by(amount).not() } else { self.lshr_by(amount) }
    }

    /// `(_ rotate_left n)`.
    #[inline]
    pub fn rotate_left(&self, amount: u64) -> Bits {
        let amount = u32::try_from(amount % u64::from(self.width)).expect("below the width");
        self.shl_by(amount).or(&self.lshr_by(self.width - amount))
    }

    /// `(_ rotate_right n)`.
    #[inline]
    pub fn rotate_right(&self, amount: u64) -> Bits {
        let amount = u32::try_from(amount % u64::from(self.width)).expect("below the width");
        self.lshr_by(amount).or(&self.shl_by(self.width - amount))
    }

    /// This unsigned value modulo `width`.
    fn modulo_width(&self, width: u32) -> u64 {
        match &self.repr {
            Repr::Inline(value) => (value.get() % u128::from(width)) as u64,
            Repr::Wide(value) => (value % width).to_u64().expect("below the width"),
        }
    }

    /// Rotation to the left by the unsigned value of `amount` (`ext_rotate_left`, BTOR2 `rol`),
    /// whose width may differ.
    #[inline]
    pub fn rotate_left_by(&self, amount: &Bits) -> Bits {
        self.rotate_left(amount.modulo_width(self.width))
    }

    /// Rotation to the right by the unsigned value of `amount` (`ext_rotate_right`, BTOR2
    /// `ror`), whose width may differ.
    #[inline]
    pub fn rotate_right_by(&self, amount: &Bits) -> Bits {
        self.rotate_right(amount.modulo_width(self.width))
    }
}
