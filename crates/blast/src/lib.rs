//! Bit-blasting: terms over Booleans, bit-vectors and IEEE floats become and-inverter graphs.
//!
//! * [`word`]: circuits on words (slices of edges, least significant bit first).
//! * [`float`]: circuits on IEEE floats of any format, and [`rounding`], their modes.
//! * [`blaster`]: terms to edges, each term once, and model values back.
//!
//! The graphs are pure functions of their inputs: no side constraint is ever needed. Terms of
//! other theories are free inputs, listed for whoever constrains them (see
//! [`Blaster::atoms`]).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod blaster;
pub mod float;
pub mod rounding;
pub mod word;

#[cfg(test)]
mod simulation;

pub use blaster::{Blaster, Reason, Unsupported};
pub use float::{Float, Layout};
pub use rounding::Mode;
pub use word::Word;
