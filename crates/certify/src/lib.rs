//! The independent checkers: no verdict leaves Cairn before this crate has accepted it.
//!
//! Small, and without a line of engine code: it knows systems, clauses and traces, and asks a
//! solver other than the one that found the proof. A rejected certificate is a defect of ours,
//! to be reported with everything needed to repeat it, and never a verdict.
//!
//! * [`circuit`]: verdicts about circuits. An inductive invariant is checked for initiation,
//!   consecution and safety on the *original* system, not on the reduced one that the engine saw;
//!   a trace is replayed on it.
//! * [`certificate`]: certificate circuits from anywhere.
//! * [`clauses`]: models of Horn clauses, and derivations of `false`.
//! * [`program`]: proofs about programs, checked on the automaton before minimization. Float
//!   arithmetic is refuted by ranges of its own (`ranges`), not by those of the engines.
//! * [`summaries`]: proofs call by call, on the program that keeps its calls.
//! * [`refutation`]: formulas that have no model, by resolutions that are replayed.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod certificate;
pub mod circuit;
pub mod clauses;
mod equations;
mod induction;
pub mod program;
mod ranges;
pub mod refutation;
mod region;
pub mod summaries;
mod unroll;

pub use certificate::{CertificateRejection, check_certificate};
pub use circuit::{Rejection, check_circuit};
pub use clauses::{ClausesRejection, check_derivation, check_model};
pub use program::{ProgramRejection, check_program};
pub use refutation::{RefutationRejection, check_refutation};
pub use summaries::{SummaryRejection, check_summaries};
