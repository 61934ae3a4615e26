//! What is found of Horn clauses counts if the independent checker accepts it on the clauses as they
//! were read: a model, if every clause holds in it; a derivation, if every step of it is one.
//!
//! Neither the engine nor the simplification before it has to be believed.

use super::{Judgement, accepted};
use crate::code::{ClausesProof, Decider, PROCEDURES, Setup};
use crate::failure::Failure;
use crate::outcome::{Finding, Held, Proved, Violation};
use crate::task::Clauses;
use answer::{EngineName, ProofKind, Reason};
use certify::{ClausesRejection, check_derivation, check_model};
use horn::Verdict;
use horn::simplify::Simplified;
use passes::Back;
use term::Pool;

/// What counts of a verdict on the simplified clauses, whose terms are of the pool `theirs`.
pub(crate) fn judge(
    clauses: &Clauses,
    simplified: &Simplified<'_>,
    setup: Setup<'_>,
    engine: &EngineName,
    (theirs, verdict): (&Pool, Verdict),
) -> Result<Finding, Failure> {
    let Clauses { pool, system } = clauses;
    let (settings, allowance) = (setup.settings, &setup.budget.allowance);
    let no_way = || Failure::defect(engine, "there is no way back over the simplification");
    match verdict {
        Verdict::Unknown(reason) => Ok(Finding::Unknown(reason)),
        Verdict::Safe(model) => {
            let model = model.import((theirs, &simplified.system), (pool, &simplified.system));
            let model = simplified.back.invariant(model).ok_or_else(no_way)?;
            if !settings.certify {
                return Ok(Finding::Safe(Proved::of_kind(ProofKind::Unchecked)));
            }
            match check_model(pool, system, &model, allowance) {
                Ok(()) => Ok(Finding::Safe(Proved {
                    size: Some(model.size(pool)),
                    invariant: settings.invariant.then_some(Held::Relations(model)),
                    ..Proved::of_kind(ProofKind::Model)
                })),
                Err(ClausesRejection::Stopped(reason)) => Ok(Finding::Unknown(unchecked(reason))),
                Err(rejection) => Err(Failure::defect(engine, rejection)),
            }
        }
        Verdict::Unsafe(refutation) => {
            let refutation = simplified.back.run(refutation).ok_or_else(no_way)?;
            match check_derivation(pool, system, &refutation) {
                Ok(()) => {}
                Err(_) if !settings.certify => {}
                Err(ClausesRejection::Refutation(
                    open @ horn::refutation::RefutationError::Open(_),
                )) => {
                    return Ok(Finding::Unknown(Reason::GaveUp(open.to_string())));
                }
                Err(rejection) => return Err(Failure::defect(engine, rejection)),
            }
            Ok(Finding::Unsafe(Violation::Derivation(Box::new(refutation))))
        }
    }
}

/// What counts of a model of the clauses that the procedures of a program stand for.
pub(super) fn judge_procedures(
    decider: &Decider<'_, '_>,
    proof: &ClausesProof,
) -> Result<Judgement, Failure> {
    let ClausesProof { encoded, model, recalled, .. } = proof;
    if !decider.setup.settings.certify {
        return Ok(accepted(Proved::of_kind(ProofKind::Unchecked)));
    }
    let (pool, allowance) = (&decider.program.pool, &decider.setup.budget.allowance);
    match check_model(pool, &encoded.system, model, allowance) {
        Ok(()) => Ok(accepted(Proved {
            size: Some(model.size(pool)),
            ..Proved::of_kind(ProofKind::Model)
        })),
        Err(ClausesRejection::Stopped(reason)) => Ok(Judgement::Refused(unchecked(reason))),
        // Of another version it may be anything.
        Err(_) if *recalled => Ok(Judgement::Refused(Reason::NoEngine)),
        Err(rejection) => Err(Failure::defect(EngineName::new(PROCEDURES), rejection)),
    }
}

/// Why a check has come to nothing.
fn unchecked(reason: smt::Reason) -> Reason {
    match reason {
        smt::Reason::Stopped(what) => Reason::Unchecked(what),
        other => Reason::GaveUp(format!("{other} while the model was checked")),
    }
}
