//! The engine on small automata, every verdict checked by enumeration.

mod examples;
mod kit;
mod machines;
mod random;
