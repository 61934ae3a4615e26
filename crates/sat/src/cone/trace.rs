//! A trace of what the solver derives, for checking its answers.
//!
//! In the manner of DRUP (Heule, Hunt and Wetzler, FMCAD 2013) every step is a clause that
//! follows from the formula and the earlier steps by *reverse unit propagation*: assuming the
//! negation of all its literals, unit propagation meets a conflict. Deletions are not recorded;
//! they matter for a checker's speed only.

use crate::lit::Lit;

/// What a step of the trace claims.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A question begins; the clause is its temporary clause, empty where there is none. Earlier
    /// temporary clauses and steps derived from them end here.
    Question,
    /// The formula implies the clause.
    Learnt,
    /// The formula and the question's temporary clause imply the clause.
    LearntTemporarily,
    /// The question is unsatisfiable: the formula and its temporary clause imply that not all
    /// failed assumptions hold. The clause consists of their negations.
    Refuted,
}

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What the step claims.
    pub kind: StepKind,
    /// The clause.
    pub clause: Vec<Lit>,
}
