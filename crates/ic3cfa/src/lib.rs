//! IC3 on control-flow automata: IC3CFA.
//!
//! The proof of a program is made of clauses by location, each inductive relative to those found
//! before; the search goes backwards from the error location by weakest existential
//! preconditions. The code is meant to be read beside [Lan18 ch. 4] and \[LPN18\]:
//!
//! | file | step |
//! |---|---|
//! | `engine` | Algorithm 12, the outer loop |
//! | `block` | Algorithms 13 and 14: strengthening, backward search |
//! | `graph` | the automaton with choice-free arrows |
//! | `cube`, `activation` | location-local frames and the queue, from [`lemmas`], and how solvers know them |
//! | `audit` | the invariants of frames, checked |
//! | `consecution` | edge-relative inductivity, the query all others are made of |
//! | `joint`, `static_check` | the same for all edges at once, and without a solver |
//! | `predecessor`, `cases`, `project`, `valuation` | predecessors as cubes, without quantifiers |
//! | `generalize`, `interpolate` | lemmas as in [Lan18 §4.3], and as we make them by default |
//! | `propagate`, `may` | lemmas to higher frames |
//! | [`begin`] | what another search had come to, and what this one leaves |
//! | `semantic` | what frames mean, beyond their clauses |
//! | `seed` | bounds, residues and relations, guessed from runs and proved by [`analysis::seeds`] |
//! | `counterexample` | from obligations to a run |
//! | `baseline` | the algorithms it is compared with |
//! | [`options`], [`settings`], `strategy` | what can be chosen, by name, and what it means |
//! | [`observer`] | what can be watched |
//!
//! # References
//!
//! * \[Lan18\] T. Lange: *IC3 Software Model Checking*. PhD thesis, RWTH Aachen, 2018.
//! * \[LPN18\] T. Lange, F. Prinz, M. R. Neuhäußer, T. Noll, J.-P. Katoen: *Improving
//!   Generalization in Software IC3*. SPIN 2018.
//! * \[EMB11\] N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*. FMCAD 2011.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod activation;
mod audit;
mod baseline;
pub mod begin;
mod block;
mod cases;
mod consecution;
mod counterexample;
mod cube;
mod engine;
mod generalize;
mod graph;
mod interpolate;
mod joint;
mod may;
pub mod observer;
pub mod options;
mod predecessor;
mod project;
mod propagate;
mod seed;
mod semantic;
pub mod settings;
mod static_check;
mod strategy;
mod valuation;

pub use baseline::{ic3smt, treeic3};
pub use begin::Partner;
pub use engine::{check, check_with};
pub use observer::{Observer, Statistics};
pub use options::Options;
