//! That all runs were followed and none goes wrong counts if the refutation is one.
//!
//! Symbolic execution (`symex`) leaves one formula: a run goes wrong, or was not followed. The solver's
//! proof that it has no model is a list of resolutions over the formula's clauses; `certify` makes
//! these clauses anew and replays every step. The formula itself is not checked: like a model, it is
//! what the verdict is about.

use super::{Judgement, accepted};
use crate::code::{Decider, Unwound};
use crate::failure::Failure;
use crate::outcome::Proved;
use answer::{EngineName, ProofKind};
use certify::check_refutation;

/// Checks the refutation.
pub(super) fn judge(decider: &Decider<'_, '_>, unwound: &Unwound) -> Result<Judgement, Failure> {
    if !decider.setup.settings.certify {
        return Ok(accepted(Proved::of_kind(ProofKind::Unchecked)));
    }
    match check_refutation(&unwound.pool, unwound.formula, &unwound.proof) {
        Ok(()) => Ok(accepted(Proved::of_kind(ProofKind::Exhausted))),
        Err(rejection) => Err(Failure::defect(EngineName::new(crate::code::UNWIND), rejection)),
    }
}
