//! Constrained Horn clauses: read, simplified, written, and made of programs.
//!
//! A clause says ∀ variables. p₁(t₁) ∧ … ∧ pₙ(tₙ) ∧ φ ⇒ p(t), or ⇒ false; a [`System`] of them is
//! satisfiable if relations can be given to the predicates such that all clauses hold, a [`Model`],
//! and unsatisfiable if `false` can be derived, a [`Refutation`]. Programs are safe exactly if their
//! clauses are satisfiable, so `sat` is told as `safe` and `unsat` as `unsafe`.
//!
//! * [`system`]: predicates and clauses; [`model`], [`refutation`]: the evidence.
//! * [`mod@read`]: SMT-LIB's logic HORN, and what people write beside it; [`write`](mod@write): the way
//!   out.
//! * [`simplify`]: passes with their way back.
//! * [`encode`]: programs and circuits as clauses.
//! * [`automaton`]: linear clauses over bits as a control-flow automaton.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod automaton;
pub mod encode;
pub mod model;
pub mod read;
pub mod refutation;
pub mod simplify;
pub mod system;
pub mod write;

pub use model::{Interpretation, Model};
pub use read::{ReadError, read};
pub use refutation::{Refutation, Step};
pub use system::{Application, Clause, Predicate, PredicateId, System, Verdict};
