//! Ends without an answer that are nobody's `unknown`.

use crate::language::Rejection;

/// Why a question can't be decided at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The input has something that Cairn does not take.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// A promise of ours is broken: evidence that should have been accepted was not. The verdict is
    /// withheld.
    #[error("{who}: {why}")]
    Defect {
        /// Who claimed something.
        who: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Failure {
    /// A defect.
    pub(crate) fn defect(who: impl ToString, why: impl ToString) -> Failure {
        Failure::Defect { who: who.to_string(), why: why.to_string() }
    }
}
