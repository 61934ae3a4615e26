//! Places in the user's sources.

pub use answer::Place;
