//! Cubes, frames and obligations of circuits: those of `lemmas` over latches, at one node.
//!
//! A literal names a latch of the system: the variable with index `i` is latch `i`, here and in
//! every solver of the engine (see [`crate::transition`]), so a cube can be assumed as it is.
//!
//! The invariants of the frames are in the head of [`lemmas::frames`]; constraints C are assumed of
//! every step. [`crate::audit`] checks them.

use sat::Lit;

/// A conjunction of literals over distinct latches.
pub type Cube = lemmas::Cube<Lit>;
/// F_0, …, F_k, F_∞.
pub type Frames = lemmas::Frames<(), Lit>;
/// The queue. The step from an obligation's cube to its parent's is given by the literals of
/// inputs; those not named may be anything.
pub type Obligations = lemmas::Obligations<(), Lit, Vec<Lit>>;
