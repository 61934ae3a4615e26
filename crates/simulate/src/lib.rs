//! Simulation between programs, and proofs carried over it (\[Fed15\] ch. 4).
//!
//! * [`graph`]: programs as cut-point graphs (Definition 18).
//! * [`matching`]: σ, which cut-point of the target each one of the source is matched with
//!   (Definition 22), by structure and names.
//! * [`relation`]: ρ, which states are related, and what has to hold for it (Definition 23): one
//!   ∀∃ formula an edge, which `aeval` decides.
//! * [`simabs`]: the loop of abstraction and refinement (Algorithms 9 to 14), with its outcome.
//! * [`certificate`]: what was found as formulas without quantifiers, checked once more.
//! * [`mod@lift`]: a proof of the target as one of the source (Algorithm 15), and which edges broke it.
//! * [`weaken`]: what of an invariant is inductive elsewhere (Algorithms 16 and 17).
//!
//! The *source* Q is what is simulated, the *target* P what simulates it: each step of Q has one of
//! P. Beyond the thesis, a step of Q may also be matched by no step of P or by two, where one step
//! does not do; what is an invariant of P is kept by those as well.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod certificate;
pub mod graph;
pub mod lift;
pub mod matching;
pub mod relation;
pub mod simabs;
pub mod weaken;

pub use certificate::Certificate;
pub use graph::Graph;
pub use lift::{Lifted, lift};
pub use simabs::{Outcome, Simulation, simulate};
