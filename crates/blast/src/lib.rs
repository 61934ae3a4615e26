//! Bit-blasting: terms over Booleans, bit-vectors and IEEE floats become and-inverter graphs.
//!
//! * [`word`]: circuits on words (slices of edges, least significant bit first).
//! * [`float`]: circuits on IEEE floats of any format, and [`rounding`], their modes.

pub mod float;
pub mod rounding;
pub mod word;

#[cfg(test)]
mod simulation;

pub use float::{Float, Layout};
pub use rounding::Mode;
pub use word::Word;
