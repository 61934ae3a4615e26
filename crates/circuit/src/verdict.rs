//! Verdicts: what an engine says of a property, with the evidence for it.

use crate::invariant::Clause;
use crate::trace::Trace;
use answer::Exhausted;

/// What an engine found out about one bad property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No trace violates the property.
    Safe(Proof),
    /// The trace violates the property.
    Unsafe(Trace),
    /// Not decided, and why.
    Unknown(Reason),
}

/// Why a property holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Clauses over latches whose conjunction Inv is an inductive invariant: I ⇒ Inv,
    /// Inv ∧ C ∧ T ⇒ Inv', and Inv ∧ C ⇒ ¬bad, with C the constraints of a step.
    Inductive(Vec<Clause>),
    /// The property is k-inductive: no violation within the first `k` steps, and no violation
    /// after `k` steps without one.
    KInductive {
        /// How many steps are assumed to be good.
        k: usize,
        /// Whether the steps assumed have pairwise different states.
        distinct: bool,
    },
}

/// Why an engine gave up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// What it may use is used up.
    #[error(transparent)]
    Stopped(#[from] Exhausted),
    /// All traces up to this number of steps are good.
    #[error("no violation within {0} steps")]
    Bound(usize),
}
