//! The processor's own arithmetic for binary32 and binary64, rounding to nearest even.
//!
//! Rust guarantees IEEE 754 results for `f32` and `f64` operations in this mode (except on
//! x86 without SSE2, which computes with excess precision), but not which NaN a NaN result is:
//! [`Float::from_f64`] maps all to one. The agreement with the integer arithmetic is tested.

use super::{Float, Format, Rounding};
use crate::bits::Bits;

/// Whether the target computes `f32` and `f64` without excess precision.
const EXACT: bool = cfg!(not(all(target_arch = "x86", not(target_feature = "sse2"))));

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
        f32::from_bits(self.encoding().to_u128().expect("32 bits wide") as u32)
    }

    /// Requires: the format is binary64.
    #[inline]
    fn as_f64(&self) -> f64 {
        f64::from_bits(self.encoding().to_u128().expect("64 bits wide") as u64)
    }
}

/// The operation on one float, if the processor can do it.
#[inline]
pub(super) fn unary(
    rounding: Rounding,
    a: &Float,
    single: impl FnOnce(f32) -> f32,
    double: impl FnOnce(f64) -> f64,
) -> Option<Float> {
    match a.format() {
        _ if !EXACT || rounding != Rounding::NearestEven => None,
        Format::F64 => Some(Float::from_f64(double(a.as_f64()))),
        Format::F32 => Some(Float::from_f32(single(a.as_f32()))),
        _ => None,
    }
}

/// The operation on two floats of the same format, if the processor can do it.
#[inline]
pub(super) fn binary(
    rounding: Rounding,
    a: &Float,
    b: &Float,
    single: impl FnOnce(f32, f32) -> f32,
    double: impl FnOnce(f64, f64) -> f64,
) -> Option<Float> {
    match a.format() {
        _ if !EXACT || rounding != Rounding::NearestEven => None,
        Format::F64 => Some(Float::from_f64(double(a.as_f64(), b.as_f64()))),
        Format::F32 => Some(Float::from_f32(single(a.as_f32(), b.as_f32()))),
        _ => None,
    }
}

/// a·b + c for floats of the same format, rounded once, if the processor can do it.
#[inline]
pub(super) fn fma(rounding: Rounding, a: &Float, b: &Float, c: &Float) -> Option<Float> {
    match a.format() {
        _ if !EXACT_FMA || rounding != Rounding::NearestEven => None,
        Format::F64 => Some(Float::from_f64(a.as_f64().mul_add(b.as_f64(), c.as_f64()))),
        Format::F32 => Some(Float::from_f32(a.as_f32().mul_add(b.as_f32(), c.as_f32()))),
        _ => None,
    }
}
