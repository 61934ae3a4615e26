//! What can be chosen.

use smt::interpolate;

/// How the states after an edge are abstracted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Abstraction {
    /// By the predicates that hold: the strongest conjunction of them.
    Cartesian,
    /// By the comparisons that the predicates consist of: the strongest Boolean combination, where
    /// it is small.
    Boolean,
}

/// A configuration of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The abstraction.
    pub abstraction: Abstraction,
    /// How paths are interpolated.
    pub interpolation: interpolate::Options,
    /// How many abstract states may be made, removed ones included.
    pub states: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            abstraction: Abstraction::Cartesian,
            interpolation: interpolate::Options::default(),
            states: 1 << 18,
        }
    }
}
