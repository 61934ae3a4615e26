//! Sorts: the types of terms.

use crate::pool::Symbol;
use value::Format;

/// The type of a term. Small and `Copy`: compound array sorts are interned in the [`Pool`].
///
/// [`Pool`]: crate::Pool
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of this width, at least 1.
    BitVec(u32),
    /// IEEE floating-point numbers of this format.
    Float(Format),
    /// The five rounding modes.
    RoundingMode,
    /// Unbounded integers.
    Int,
    /// Real numbers.
    Real,
    /// Arrays; [`Pool::array_parts`](crate::Pool::array_parts) tells of what.
    Array(ArraySort),
    /// A declared sort with nothing known of it.
    Uninterpreted(Symbol),
}

/// An array sort interned in a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArraySort(pub(crate) u32);

impl Sort {
    /// The width, of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }

    /// How many values the sort has; `None` where there are more than fit, or the pool would be
    /// needed to tell.
    pub fn cardinality(self) -> Option<u64> {
        match self {
            Sort::Bool => Some(2),
            Sort::BitVec(width) => 1u64.checked_shl(width),
            // Two signs, all exponents but the highest, all significands; two infinities, one NaN.
            Sort::Float(format) => {
                let exponents = 1u64.checked_shl(format.exponent())?.checked_sub(1)?;
                let significands = 1u64.checked_shl(format.significand() - 1)?;
                exponents.checked_mul(significands)?.checked_mul(2)?.checked_add(3)
            }
            Sort::RoundingMode => Some(5),
            Sort::Int | Sort::Real | Sort::Array(_) | Sort::Uninterpreted(_) => None,
        }
    }

    /// The format, of a floating-point sort.
    pub fn format(self) -> Option<Format> {
        match self {
            Sort::Float(format) => Some(format),
            _ => None,
        }
    }
}
