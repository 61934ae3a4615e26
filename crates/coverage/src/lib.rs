//! Structural coverage of programs: goals with test vectors or proofs.
//!
//! | module | what |
//! |---|---|
//! | [`goal`] | what a test is to show, from the typed program ([`front_c::coverage`]) |
//! | [`status`], [`suite`], [`report`] | what is known in the end: of each goal, the test vectors, all of it |
//! | [`drive`], [`outputs`] | a suite as a C file, and what its runs must leave behind |

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod drive;
pub mod goal;
pub mod outputs;
pub mod report;
pub mod status;
pub mod suite;
