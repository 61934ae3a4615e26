//! Circuits as transition systems: formats, reductions, traces and certificates.
//!
//! * [`system`]: the bit-level [`TransitionSystem`] that the engines see.
//! * [`random`]: random numbers and small random systems for tests.
//! * [`aiger`]: reader and writer of AIGER 1.9, ascii and binary.

pub mod aiger;
pub mod cone;
pub mod place;
pub mod random;
pub mod system;

pub use place::Place;
pub use system::{Init, Latch, Signal, Source, SystemError, TransitionSystem};
