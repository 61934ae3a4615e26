//! Structural coverage of programs: goals with test vectors or proofs.
//!
//! | module | what |
//! |---|---|
//! | [`search`] | the way to an answer: runs, then engines and runs in turns |
//! | [`probes`], [`states`], [`explore`] | what a run does, and which registers are its state; runs that look for what was not seen |
//! | [`directed`] | inputs for the next cycles by a solver, from states that runs have come to; bounds that cycles keep |
//! | [`judge`], [`prove`], [`flow`], [`mod@select`] | what is known of a goal; questions to engines; what follows; test vectors |
//! | [`goal`] | what a test is to show, as a front end has found it ([`program::coverage`]) |
//! | [`order`] | values of registers as numbers in their order |
//! | [`status`], [`suite`], [`report`] | what is known in the end: of each goal, the test vectors, all of it |
//! | [`drive`], [`outputs`] | a suite as a C file, and what its runs must leave behind |

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod directed;
pub mod drive;
pub mod explore;
pub mod flow;
pub mod goal;
pub mod judge;
pub mod order;
pub mod outputs;
pub mod probes;
pub mod prove;
pub mod report;
pub mod search;
pub mod select;
pub mod states;
pub mod status;
pub mod suite;
pub mod values;
