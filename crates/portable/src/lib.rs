//! What was found of a program or a circuit, in words that outlive the run.
//!
//! Terms, locations and variables are numbers of one run. A later run, of the same program or of its
//! next version, begins with what this one found if it is said in names: which function, by which calls,
//! which of its loops, which of its variables. Here are the documents ([`Lemmas`], [`Inputs`]) and the
//! way there and back.
//!
//! * [`names`]: what things of an automaton are called;
//! * [`invariant`]: an invariant, or lemmas that a search has come to, as a document;
//! * [`matching`]: candidates for the automaton of another version. What is called the same is taken for
//!   the same; where a version has more, less, or other names, order and sorts decide;
//! * [`calls`]: summaries of procedures, and for which procedures of another version they may be believed;
//! * [`relations`]: what solves the clauses that procedures stand for;
//! * [`inputs`]: the unknown values that a failing run took, and how another version is given them;
//! * [`circuits`]: clauses and traces of circuits;
//! * [`difference`]: which functions of two versions differ;
//! * [`align`]: the longest common subsequence, by which sequences of two versions are compared.
//!
//! Nothing here is believed. Candidates are tried ([`analysis::houdini`]) and what is left is checked
//! like any other proof; inputs are executed. So matching may guess: a wrong guess costs time, never a
//! verdict. This is the step beyond the upgrade check of \[Fed15 §2.3\], whose summaries hold up to a bound:
//! what is carried over here is inductive.
//!
//! [`analysis::houdini`]: ../analysis/houdini/index.html
//!
//! # References
//!
//! * \[Fed15\] G. Fedyukovich: *Incremental Verification of Software*, PhD thesis, Università della
//!   Svizzera italiana, 2015.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod align;
pub mod calls;
pub mod circuits;
pub mod difference;
pub mod inputs;
pub mod invariant;
pub mod matching;
pub mod names;
pub mod relations;

pub use calls::Calls;
pub use circuits::{Clauses, Stimulus};
pub use inputs::Inputs;
pub use invariant::Lemmas;
pub use relations::Relations;
