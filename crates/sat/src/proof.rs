//! Proofs of unsatisfiability: recorded, trimmed, checked.
//!
//! A [`Proof`] is a list of steps. A leaf is a clause of the formula or an assumption, with the
//! label of the part of the formula it belongs to ([`Partition`]). Every other step is a clause
//! with its *antecedents* in the order of reverse unit propagation (RUP): assume the clause
//! false, propagate through the antecedents one after the other, and the last one is false.
//! This is what LRAT files hold (Cruz-Filipe et al., "Efficient certified RAT verification",
//! CADE 2017), without its RAT steps, since these are not resolutions.
//!
//! * [`ProvingSolver`] is CaDiCaL with a recorder (`record.rs`); [`ProvingSolver::proof`] returns
//!   the steps that the conclusion rests on.
//! * [`Proof::check`] replays every step and turns it into explicit linear resolutions: a
//!   [`Refutation`]. There is no other way to make one, so what is computed from a refutation
//!   (see [`crate::interpolant`]) rests on checked steps only.

mod check;
mod lists;
mod part;
mod record;
mod recording;
mod solver;

pub use check::{CheckError, Link, Refutation};
pub use part::{InPart, Shared};
pub use record::ProofError;
pub use recording::Recording;
pub use solver::ProvingSolver;

use crate::lit::Lit;
use lists::Lists;

/// The label of a part of the formula, chosen by whoever adds the clauses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Partition(pub u32);

/// The position of a step in its proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StepId(u32);

impl StepId {
    /// No step.
    const NONE: StepId = StepId(u32::MAX);

    /// The step at this position.
    ///
    /// # Panics
    /// If there can be no such step: a proof has fewer than 2³² - 1 steps.
    pub fn new(index: usize) -> Self {
        assert!(index < u32::MAX as usize, "a proof of {index} steps");
        StepId(index as u32)
    }

    /// The position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where the clause of a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is a clause of the formula.
    Clause(Partition),
    /// It is an assumption of the question, as a unit clause.
    Assumption(Partition),
    /// It follows from its antecedents.
    Derived,
}

impl Origin {
    /// The partition of a leaf; `None` for a derived clause.
    pub fn partition(self) -> Option<Partition> {
        match self {
            Origin::Clause(partition) | Origin::Assumption(partition) => Some(partition),
            Origin::Derived => None,
        }
    }
}

/// A proof of unsatisfiability that nobody has checked yet.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Proof {
    origins: Vec<Origin>,
    clauses: Lists<Lit>,
    /// Empty for leaves.
    antecedents: Lists<StepId>,
}

impl Proof {
    /// A proof without steps, to be built by [`Proof::leaf`] and [`Proof::derive`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a clause that needs no justification.
    ///
    /// # Panics
    /// If `origin` is [`Origin::Derived`].
    pub fn leaf(&mut self, origin: Origin, clause: &[Lit]) -> StepId {
        assert!(origin != Origin::Derived, "a derived clause is not a leaf");
        self.push(origin, clause, &[])
    }

    /// Adds a clause that follows from earlier steps, given in the order of their propagation.
    /// Whether it does is for [`Proof::check`] to find out.
    pub fn derive(&mut self, clause: &[Lit], antecedents: &[StepId]) -> StepId {
        self.push(Origin::Derived, clause, antecedents)
    }

    fn push(&mut self, origin: Origin, clause: &[Lit], antecedents: &[StepId]) -> StepId {
        let step = StepId::new(self.len());
        self.origins.push(origin);
        self.clauses.push(clause.iter().copied());
        self.antecedents.push(antecedents.iter().copied());
        step
    }

    /// The number of steps, leaves included.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// All steps in their order.
    pub fn steps(&self) -> impl Iterator<Item = StepId> + use<> {
        (0..self.len()).map(StepId::new)
    }

    /// Where the step's clause comes from.
    pub fn origin(&self, step: StepId) -> Origin {
        self.origins[step.index()]
    }

    /// The step's clause.
    pub fn clause(&self, step: StepId) -> &[Lit] {
        self.clauses.get(step.index())
    }

    /// The step's antecedents; none for a leaf.
    pub fn antecedents(&self, step: StepId) -> &[StepId] {
        self.antecedents.get(step.index())
    }
}

/// The position of each marked step once only marked steps are kept.
fn positions(needed: &[bool]) -> Vec<StepId> {
    let mut next = 0;
    let position = |&needed: &bool| {
        if needed {
            next += 1;
            StepId::new(next - 1)
        } else {
            StepId::NONE
        }
    };
    needed.iter().map(position).collect()
}
