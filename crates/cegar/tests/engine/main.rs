//! Tests of the whole engine.

mod examples;
mod kit;
mod machines;
mod random;
