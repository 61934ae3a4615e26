//! What every question in Cairn has in common, whoever decides it.
//!
//! * [`allowance`]: [`Allowance`], how long and how hard a question may be worked on, with the one
//!   place that says whether that is used up ([`Allowance::exhausted`]), and by what
//!   ([`Exhausted`]).
//! * [`interrupt`]: [`Interrupt`], the flag by which whoever works on a question is stopped from
//!   another thread, held for a while, or made to take turns.
//! * [`verdict`]: the words of an answer: verdicts, kinds of proof, names of engines, vacuity.
//! * [`reason`]: [`Reason`], why there is no answer, as data.
//! * [`place`]: [`Place`], a line and column of a source.
//!
//! Everything else is above this crate, and nothing here knows what a question is about. What is
//! printed and what is written to documents is the same word, said once.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod allowance;
pub mod interrupt;
pub mod place;
pub mod reason;
pub mod verdict;

pub use allowance::{Allowance, Exhausted};
pub use interrupt::{Held, Interrupt, Pace};
pub use place::Place;
pub use reason::Reason;
pub use verdict::{Ended, EngineName, ProofKind, Unit, Vacuity, VacuityStatus, Verdict};
