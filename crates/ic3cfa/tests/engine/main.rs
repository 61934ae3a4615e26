//! The engine on small automata, every verdict checked by enumeration.

mod configurations;
mod examples;
mod machines;
mod random;
