//! A proof by summaries counts if the independent checker accepts it on the procedures of the program.

use super::{Judgement, accepted};
use crate::code::{CALLS, CallProof, Decider};
use crate::failure::Failure;
use crate::outcome::{Held, Proved};
use answer::{EngineName, ProofKind, Reason};
use certify::{SummaryRejection, check_summaries};

/// Checks what is known of calls.
pub(super) fn judge(decider: &Decider<'_, '_>, proof: &CallProof) -> Result<Judgement, Failure> {
    let formulas = proof.summaries.nodes.iter().filter_map(|node| node.summary.as_ref());
    let size = formulas.map(|summary| summary.returns.len() + summary.fails.len()).sum();
    let kept = decider.setup.settings.invariant;
    let held = || Held::Procedures(Box::new(proof.procedures.clone()), proof.summaries.clone());
    let proved = Proved {
        size: Some(size),
        invariant: kept.then(held),
        ..Proved::of_kind(ProofKind::Summaries)
    };
    if !decider.setup.settings.certify {
        return Ok(accepted(Proved::of_kind(ProofKind::Unchecked)));
    }
    let (pool, allowance) = (&decider.program.pool, &decider.setup.budget.allowance);
    match check_summaries(pool, &proof.procedures, &proof.summaries, allowance) {
        Ok(()) => Ok(accepted(proved)),
        Err(SummaryRejection::Stopped(reason)) => Ok(Judgement::Refused(match reason {
            smt::Reason::Stopped(what) => Reason::Unchecked(what),
            other => Reason::GaveUp(format!("{other} while the proof was checked")),
        })),
        // Of another version they may be anything.
        Err(_) if proof.recalled.is_some() => Ok(Judgement::Refused(Reason::NoEngine)),
        Err(rejection) => Err(Failure::defect(EngineName::new(CALLS), rejection)),
    }
}
