//! Abstract interpretation by intervals.
//!
//! * [`bits`], [`float`], [`range`]: sets of values, over-approximated by bounds: of bit-vectors
//!   read unsigned and signed at once, of floats with or without NaN.
//! * [`formula`]: the ranges of all subterms of a formula, forwards and backwards.
//! * [`keys`]: values of any sort as integers in their order, and intervals of them.
//! * [`contract`]: contractors of all operators on such intervals, forwards and backwards.
//! * [`boxes`]: whether a formula is satisfiable, by splitting the ranges of its variables.
//!
//! Everything is sound for wrapping arithmetic and for IEEE rounding to nearest even: rounding is
//! monotone, so the bounds of a result are the rounded results of bounds, computed by the
//! processor.
//!
//! # References
//!
//! * F. Benhamou, F. Goualard, L. Granvilliers, J.-F. Puget: *Revising hull and box
//!   consistency*. ICLP 1999 (the forward and backward passes).
//! * V. D'Silva, L. Haller, D. Kroening, M. Tautschnig: *Numeric bounds analysis with
//!   conflict-driven learning*. TACAS 2012 (splitting of float intervals).
//! * P. Cousot, R. Cousot: *Static determination of dynamic properties of programs*. 1976.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod bits;
pub mod boxes;
pub mod contract;
pub mod float;
pub mod formula;
pub mod keys;
pub mod range;

pub use boxes::{Outcome, decide};
pub use range::Range;
