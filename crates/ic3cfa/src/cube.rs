//! Cubes, frames and obligations of automata: those of `lemmas` over formulas, by node.
//!
//! F_(i,ℓ) over-approximates the states at node ℓ after at most i steps ([Lan18 §4.2.1]). For all
//! nodes but the error node, with T_a the relation of arrow a:
//! * F_(0,ℓ₀) = true, and F_(0,ℓ) = false for the others (4.5);
//! * F_(i,ℓ) ⇒ F_(i+1,ℓ) (4.6), by the encoding;
//! * F_(i,ℓ) ∧ T_a is unsatisfiable for every arrow a into the error node, i < k (4.7);
//! * F_(i,ℓ) ∧ T_a ⇒ F'_(i+1,ℓ') for every arrow a from ℓ to ℓ' and i < k (4.8).
//!
//! The initial node has no lemmas: runs start there in any state. [`crate::audit`] checks the
//! rest.

use crate::graph::{ArrowId, NodeId};
use term::Term;

/// A conjunction of formulas over the variables of the automaton, as a rule comparisons.
pub type Cube = lemmas::Cube<Term>;
/// F_(0,ℓ), …, F_(k,ℓ), F_(∞,ℓ) for all nodes ℓ.
pub type Frames = lemmas::Frames<NodeId, Term>;
/// The queue. The step from an obligation's cube to its parent's is an arrow; there is none from
/// the error node.
pub(crate) type Obligations = lemmas::Obligations<NodeId, Term, Option<ArrowId>>;
