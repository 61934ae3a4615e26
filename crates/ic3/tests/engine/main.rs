//! The engine's tests: every verdict is compared with the truth, and its evidence is checked.

mod designs;
mod exchange;
mod kit;
mod pauses;
mod random;
mod settings;
