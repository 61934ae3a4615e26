//! What every IC3 has, whatever its states are: lemmas and the books they are kept in.
//!
//! An IC3 proves a property by clauses, each inductive relative to those before. What a state is,
//! how steps are asked about and how a cube becomes a strong lemma differ from engine to engine;
//! what is here does not.
//!
//! | file | subject |
//! |---|---|
//! | [`literal`], [`cube`] | conjunctions of literals and their subsumption |
//! | [`node`], [`frames`] | F_0, …, F_k, F_∞ by node, delta-encoded, and their invariants |
//! | [`obligation`] | the queue of what must be shown unreachable |
//! | [`mod@audit`] | the invariants of frames as three questions |
//! | [`observer`] | what can be watched and counted |
//! | [`settings`] | options by name |
//!
//! A *node* is a place with frames of its own: a location of a control-flow automaton, a
//! procedure, or the one node `()` of a circuit. A *literal* may be a latch, a formula or a bound
//! of a variable. There is no solver in here, and none is needed but for the audit, which asks the
//! engine.
//!
//! # Other engines
//!
//! *Over bounds of variables*: the literal is a bound with the variable and the direction as its
//! subject, ordered by them first; then x ≤ 3 is subsumed by x ≤ 5 where it should be, and frames
//! need nothing else. `tests/engine.rs` is such an engine over boxes, complete in two hundred lines.
//!
//! *Over procedures*: a node is a procedure, F_(i,p) over its inputs and outputs holds what may be a
//! call of p of depth at most i, and the step of an obligation says which call of which path of
//! the caller it stands for, so that the chain of parents is the stack of calls. The question of
//! consecution is then asked with the frames of the callees in place of the calls. What such an
//! engine knows to be reachable (summaries from below) is its own affair.
//!
//! # References
//!
//! * \[Bra11\] A. R. Bradley: *SAT-Based Model Checking without Unrolling*. VMCAI 2011.
//! * \[EMB11\] N. Eén, A. Mishchenko, R. Brayton: *Efficient Implementation of Property Directed
//!   Reachability*. FMCAD 2011.
//! * \[Lan18\] T. Lange: *IC3 Software Model Checking*. PhD thesis, RWTH Aachen, 2018.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod audit;
pub mod cube;
pub mod frames;
pub mod literal;
pub mod node;
pub mod obligation;
pub mod observer;
pub mod settings;

pub use audit::audit;
pub use cube::Cube;
pub use frames::{Frames, INFINITE, Placement};
pub use literal::Literal;
pub use node::Node;
pub use obligation::{Obligation, ObligationId, Obligations, Order};
pub use observer::{Observer, Phase, Statistics};
