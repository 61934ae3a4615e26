//! What every engine is tested with.
//!
//! * [`programs`]: small programs, in the text form of `ivl`, whose answers are known by thought, and
//!   random ones whose answers are known by visiting every state.
//! * [`circuits`]: the same of circuits.
//! * [`clauses`]: random Horn clauses, with what enumeration says of them.
//! * [`automata`]: automata built edge by edge, of which every state is visited; for engines that test
//!   their own options with them.
//! * [`engines`]: runs an engine on all of them. A verdict must be right, a proof must be accepted by
//!   `certify` and a damaged one must not, a run must be one.
//!
//! Whoever has an engine calls [`engines::programs`] or [`engines::circuits`] from a test; `verify` does
//! for every row of its table.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod automata;
pub mod circuits;
pub mod clauses;
pub mod engines;
pub mod programs;
