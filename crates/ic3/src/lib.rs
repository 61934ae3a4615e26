//! IC3 for circuits: proofs made of clauses, each inductive relative to those before.
//!
//! The algorithm is Bradley's, with what later work made standard. The code is meant to be read
//! beside the papers:
//!
//! | file | step |
//! |---|---|
//! | [`check`] | reduction before, evidence about the original after |
//! | [`engine`] | the main loop |
//! | [`transition`] | T, C, I and bad as the solvers see them |
//! | [`cube`] | cubes, frames and the queue of obligations, from [`lemmas`]; [`audit`] checks them |
//! | [`block`] | `strengthen`: obligations from bad states down to the initial ones |
//! | [`consecution`] | the query all others are made of |
//! | [`lift`] | predecessors as large cubes |
//! | [`generalize`], [`ctg`], [`activity`] | from an unreachable cube to a strong lemma |
//! | [`propagate`], [`obstacle`], [`infinite`] | lemmas to higher frames |
//! | [`equivalence`] | equal latches as lemmas |
//! | [`counterexample`] | from obligations to a trace |
//! | [`effort`] | turns of so much work, for those who share a thread |
//! | [`exchange`] | the lemmas that several engines share |
//! | [`begin`] | what another search had come to, and what this one leaves |
//! | [`options`], [`settings`], [`observer`] | what can be chosen, by which name, and what can be watched |
//!
//! The other techniques of [Bra11 §7]: unsatisfiable cores are taken from every answer
//! ([`consecution`]); the stepwise cone of influence is the solver's domain ([`transition`]);
//! subsumption between levels is in [`lemmas::frames`]; the prime-implicate variant in
//! [`generalize`]. Equivalences of latches that are inductive by themselves are merged before the
//! engine starts ([`check`], `circuit::sweep`); those that hold relative to a frame are lemmas
//! ([`equivalence`]).
//!
//! # References
//!
//! * \[Bra11\] A. R. Bradley: *SAT-Based Model Checking without Unrolling*. VMCAI 2011.
//! * \[BM07\] A. R. Bradley, Z. Manna: *Checking Safety by Inductive Generalization of
//!   Counterexamples to Induction*. FMCAD 2007.
//! * \[EMB11\] N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*. FMCAD 2011.
//! * \[HBS13\] Z. Hassan, A. R. Bradley, F. Somenzi: *Better Generalization in IC3*. FMCAD 2013.
//! * \[SYCH25\] Y. Su, Q. Yang, Y. Ci, Z. Huang: *Extended CTG Generalization and Dynamic
//!   Adjustment of Generalization Strategies in IC3*. 2025.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod activity;
pub mod audit;
pub mod begin;
pub mod block;
pub mod check;
pub mod consecution;
pub mod counterexample;
pub mod ctg;
pub mod cube;
pub mod effort;
pub mod engine;
pub mod equivalence;
pub mod exchange;
pub mod generalize;
pub mod infinite;
pub mod lift;
pub mod obstacle;
pub mod options;
pub mod propagate;
pub mod settings;
pub mod transition;

pub use check::{CheckError, check_system};
pub use engine::{Ic3, StandardSolver};
pub use lemmas::observer::{self, Observer, Statistics};
pub use options::Options;
