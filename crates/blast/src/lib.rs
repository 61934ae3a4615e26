//! Bit-blasting: terms over Booleans, bit-vectors and IEEE floats become and-inverter graphs.
//!
//! * [`word`]: circuits on words (slices of edges, least significant bit first).

pub mod word;

pub use word::Word;
