//! The processor's own arithmetic for binary32 and binary64, rounding to nearest even.
//!
//! Rust guarantees IEEE 754 results for `f32` and `f64` operations in this mode (except on
//! x86 without SSE2, which computes with excess precision), but not which NaN a NaN result is:
//! [`Float::from_f64`] maps all to one. The agreement with the integer arithmetic is tested.

use super::{Float, Format, Rounding};
use crate::bits::Bits;
use std::cmp::Ordering;

/// Whether the target computes `f32` and `f64` without excess precision.
pub(super) const EXACT: bool = cfg!(not(all(target_arch = "x86", not(target_feature = "sse2"))));

/// Whether `mul_add` can be relied on: some C libraries on Windows round it twice.
const EXACT_FMA: bool = EXACT && cfg!(not(windows));

impl Float {
    /// The binary32 value.
    #[inline]
    pub fn from_f32(value: f32) -> Float {
        if value.is_nan() {
            return Float::nan(Format::F32);
        }
        Float::from_encoding(Format::F32, Bits::from_u64(32, u64::from(value.to_bits())))
    }

    /// The binary64 value.
    #[inline]
    pub fn from_f64(value: f64) -> Float {
        if value.is_nan() {
            return Float::nan(Format::F64);
        }
        Float::from_encoding(Format::F64, Bits::from_u64(64, value.to_bits()))
    }

    /// The value as an `f32`, if the format is binary32.
    #[inline]
    pub fn to_f32(&self) -> Option<f32> {
        (self.format() == Format::F32).then(|| self.as_f32())
    }

    /// The value as an `f64`, if the format is binary64.
    #[inline]
    pub fn to_f64(&self) -> Option<f64> {
        (self.format() == Format::F64).then(|| self.as_f64())
    }

    /// Requires: the format is binary32.
    #[inline]
    fn as_f32(&self) -> f32 {
        f32::from_bits(self.encoding().as_inline().expect("32 bits wide") as u32)
    }

    /// Requires: the format is binary64.
    #[inline]
    fn as_f64(&self) -> f64 {
        f64::from_bits(self.encoding().as_inline().expect("64 bits wide") as u64)
    }
}

/// The order of two floats of the same format, if the processor can tell.
#[inline]
pub(super) fn compare(a: &Float, b: &Float) -> Option<Option<Ordering>> {
    match a.format() {
        Format::F64 => Some(a.as_f64().partial_cmp(&b.as_f64())),
        Format::F32 => Some(a.as_f32().partial_cmp(&b.as_f32())),
        _ => None,
    }
}

/// The conversion to another format, if the processor can do it.
#[inline]
pub(super) fn to_format(rounding: Rounding, a: &Float, format: Format) -> Option<Float> {
    match (a.format(), format) {
        (Format::F32, Format::F64) => Some(Float::from_f64(f64::from(a.as_f32()))),
        (Format::F64, Format::F32) if EXACT && rounding == Rounding::NearestEven => {
            Some(Float::from_f32(a.as_f64() as f32))
        }
        _ => None,
    }
}

/// The float for an integer, if the processor can do it.
#[inline]
pub(super) fn from_integer(rounding: Rounding, format: Format, integer: i64) -> Option<Float> {
    match format {
        _ if !EXACT || rounding != Rounding::NearestEven => None,
        Format::F64 => Some(Float::from_f64(integer as f64)),
        Format::F32 => Some(Float::from_f32(integer as f32)),
        _ => None,
    }
}

/// The value without its fraction, if the processor can tell and it fits an `i64`.
#[inline]
pub(super) fn truncate(rounding: Rounding, a: &Float) -> Option<i64> {
    /// 2^63, the bound of `i64`.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let value = match a.format() {
        _ if rounding != Rounding::TowardZero => return None,
        Format::F64 => a.as_f64(),
        Format::F32 => f64::from(a.as_f32()),
        _ => return None,
    };
    (-BOUND..BOUND).contains(&value).then_some(value as i64)
}

/// The operands of an operation as the processor takes them.
pub(super) enum Operands<const N: usize> {
    Single([f32; N]),
    Double([f64; N]),
    /// The processor does not have the format, or not the rounding mode without setting it.
    Other,
}

/// The operands, which are of the same format, for an operation with the given rounding mode.
#[inline]
pub(super) fn operands<const N: usize>(rounding: Rounding, floats: [&Float; N]) -> Operands<N> {
    match floats[0].format() {
        _ if !EXACT || rounding != Rounding::NearestEven => Operands::Other,
        Format::F64 => Operands::Double(floats.map(Float::as_f64)),
        Format::F32 => Operands::Single(floats.map(Float::as_f32)),
        _ => Operands::Other,
    }
}

/// The operands of a fused multiply-add.
#[inline]
pub(super) fn fma_operands(rounding: Rounding, floats: [&Float; 3]) -> Operands<3> {
    if EXACT_FMA { operands(rounding, floats) } else { Operands::Other }
}
