//! Tests of the whole engine.

mod configurations;
mod examples;
mod machines;
mod random;
