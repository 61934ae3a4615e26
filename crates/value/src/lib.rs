//! Concrete values of the SMT-LIB theories.
//!
//! The ground truth that constant folding, the evaluation of terms, the interpreters and the
//! differential tests stand on. Each operation has exactly the meaning the theory gives it, in
//! every width and format; where the theory leaves a result open, the interface says so instead
//! of picking one silently.
//!
//! * [`bits`]: bit vectors of any width (`FixedSizeBitVectors`).
//! * [`float`]: IEEE 754 binary floating point of any format (`FloatingPoint`).
//! * [`curve`]: functions of `math.h` that IEEE 754 does not define.
//! * [`int`] and [`real`]: unbounded integers and rational numbers (`Reals_Ints`).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

// The generators of test values are written against the public name of this crate.
#[cfg(test)]
extern crate self as value;

pub mod bits;
pub mod curve;
pub mod float;
pub mod int;
pub mod real;

pub use bits::Bits;
pub use curve::Curve;
pub use float::{Float, Format, Rounding};
pub use int::BigInt;
pub use num_bigint::BigUint;
pub use real::BigRational;
