//! What every question in Cairn has in common, whoever decides it.
//!
//! * [`allowance`]: [`Allowance`], how long and how hard a question may be worked on, with the one
//!   place that says whether that is used up ([`Allowance::exhausted`]), and by what
//!   ([`Exhausted`]).
//! * [`interrupt`]: [`Interrupt`], the flag by which whoever works on a question is stopped from
//!   another thread, held for a while, or made to take turns.
//!
//! Everything else is above this crate, and nothing here knows what a question is about.

pub mod allowance;
pub mod interrupt;

pub use allowance::{Allowance, Exhausted};
pub use interrupt::{Held, Interrupt, Pace};
