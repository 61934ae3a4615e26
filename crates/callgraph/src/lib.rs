//! IC3 over a call graph, which is IC3 for Horn clauses that need not be linear.
//!
//! [Lan18 ch. 6] sketches an IC3 with one automaton a procedure, whose frames are bounded by the depth
//! of calls ("Meta-IC3"); GPDR and Spacer are what became of the idea for clauses, and this follows
//! them. A predicate is a procedure, a location of one, or whatever the clauses say.
//!
//! * A *frame* k of a predicate holds of everything that a derivation of height k or less derives of
//!   it ([`frames`]): a may-summary. *Facts* are what certainly can be derived ([`facts`]):
//!   must-summaries.
//! * An *obligation* asks whether something of a cube can be derived within a height ([`engine`]). A
//!   clause that may do it is entered with facts for its first premises and frames for the others;
//!   the first premise for which facts do not suffice becomes an obligation of its own, the cube by
//!   model-based projection ([`predecessor`]).
//! * A cube out of reach becomes a lemma, with fewer and weaker literals ([`generalize`]); lemmas move
//!   to higher frames, and where all of a frame do, it is a model of the clauses.
//!
//! Formulas that held of another version are sifted first ([`mod@sift`]). Before it, [`mod@hull`] finds what holds of everything derivable, as far as equations and bounds of
//! numbers say it; premises may assume that. Beside it, [`mod@unfold`] looks for derivations of growing height in one formula.
//!
//! Deviations from Spacer: cubes are made of an implicant of the clause and not of all of it, clauses
//! of one predicate have solvers of their own, lemmas are weakened by search for bounds instead of by
//! coefficients from proofs, and what is said of reachability is a derivation with values.
//!
//! References: A. Komuravelli, A. Gurfinkel, S. Chaki: *SMT-Based Model Checking for Recursive
//! Programs* (2014); K. Hoder, N. Bjørner: *Generalized Property Directed Reachability* (2012).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod derive;
mod engine;
mod facts;
mod frames;
mod generalize;
pub mod hull;
mod predecessor;
mod rule;
pub mod sift;
mod unfold;
mod weaken;

pub use engine::{decide, decide_from};
pub use unfold::unfold;
