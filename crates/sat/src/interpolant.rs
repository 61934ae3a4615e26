//! Craig interpolants from refutations.
//!
//! For an unsatisfiable formula A ∧ B an interpolant is a formula I over their common variables
//! with A ⇒ I and I ∧ B ⇒ ⊥ [Fed15 §2.1.1, Definition 1]: what A says of B's world, as far as it
//! matters. This module computes interpolants in time linear in a [`Refutation`]:
//!
//! * [`Interpolator`] and [`interpolate`]: the labelled interpolation systems of McMillan, of
//!   Pudlák and of McMillan's dual, for one cut of the formula (`labelling.rs`).
//! * [`tree_interpolants`]: interpolants for all nodes of a tree of parts (`tree.rs`).
//! * [`Formulas`]: what an interpolant is made of, with evaluation, folding into other
//!   representations and an encoding into clauses (`formula.rs`).

mod formula;
mod labelling;
mod tree;

pub use formula::{Formula, Formulas, Node};
pub use labelling::{Interpolator, Label, System};
pub use tree::{Tree, TreeError, TreeInterpolants, separate_interpolants, tree_interpolants};

use crate::proof::{Partition, Refutation};

/// One interpolant.
#[derive(Clone, Debug)]
pub struct Interpolant {
    /// What the interpolant consists of.
    pub formulas: Formulas,
    /// The interpolant.
    pub root: Formula,
}

/// The interpolant of A = the leaves in partitions that `in_a` accepts and B = all others.
pub fn interpolate(
    refutation: &Refutation,
    system: System,
    in_a: impl Fn(Partition) -> bool,
) -> Interpolant {
    let mut interpolator = Interpolator::new(refutation);
    let mut root = [interpolator.interpolant(system, in_a)];
    let formulas = interpolator.into_formulas(&mut root);
    Interpolant { formulas, root: root[0] }
}
