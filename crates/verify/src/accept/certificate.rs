//! A proof counts if the independent checker accepts it.
//!
//! It comes from another pool and speaks of the minimized automaton: it is imported, lifted over the
//! minimization, and checked by `certify` on the automaton before minimization. That the lifted
//! invariant is inductive there, and excludes the error location, is all that the verdict rests on;
//! neither the engine nor the minimization has to be believed.

use super::Judgement;
use crate::code::Decider;
use crate::code::encode::Encoding;
use crate::failure::Failure;
use crate::outcome::{Finding, Held, Proved};
use answer::{EngineName, Exhausted, ProofKind, Reason};
use certify::{ProgramRejection, check_program};
use passes::Back;
use program::Imported;
use program::verdict::{Invariant, Proof};
use std::time::Instant;
use term::Pool;

/// Checks a proof whose terms are of the pool `theirs`, not longer than the decider is patient.
pub(super) fn judge(
    decider: &Decider<'_, '_>,
    engine: &EngineName,
    theirs: &Pool,
    proof: &Proof,
) -> Result<Judgement, Failure> {
    if !decider.setup.settings.certify {
        let proved = Proved::of_kind(ProofKind::Unchecked);
        return Ok(Judgement::Accepted(Finding::Safe(proved)));
    }
    let Some(encoding) = decider.encoding() else {
        return Err(Failure::defect(engine, "a proof of no model"));
    };
    let pool = &decider.program.pool;
    let Some(proof) = lifted(encoding, pool, theirs, proof) else {
        return Err(Failure::defect(engine, "the proof has no way back over the minimization"));
    };
    let patience = decider.patience();
    let _held = decider.hold(patience);
    let whole = &decider.setup.budget.allowance;
    let end = Instant::now().checked_add(patience);
    let early = end.filter(|end| whole.deadline.is_none_or(|deadline| *end < deadline));
    let allowance = early.map_or(whole.clone(), |end| whole.until(end));
    match check_program(pool, &encoding.model.cfa, &proof, &allowance) {
        Ok(()) => Ok(Judgement::Accepted(Finding::Safe(proved(decider, proof)))),
        Err(ProgramRejection::Stopped(smt::Reason::Stopped(Exhausted::Time)))
            if early.is_some() =>
        {
            Ok(Judgement::Impatient)
        }
        Err(ProgramRejection::Stopped(reason)) => Ok(Judgement::Refused(match reason {
            smt::Reason::Stopped(what) => Reason::Unchecked(what),
            other => Reason::GaveUp(format!("{other} while the proof was checked")),
        })),
        Err(rejection) => Err(Failure::defect(engine, rejection)),
    }
}

/// The proof about the automaton before minimization that one about the small automaton, in terms of
/// another pool, stands for: the list of transformations reversed.
fn lifted(encoding: &Encoding, pool: &Pool, theirs: &Pool, proof: &Proof) -> Option<Proof> {
    let minimized = encoding.minimized.back(pool, &encoding.model.cfa);
    let back = minimized.followed_by(Imported { from: pool, into: theirs });
    let lift = |invariant: &Invariant| back.invariant(invariant.clone());
    Some(match proof {
        Proof::Inductive(invariant) => Proof::Inductive(lift(invariant)?),
        Proof::KInductive { k, invariant } => {
            Proof::KInductive { k: *k, invariant: lift(invariant)? }
        }
        Proof::Exhausted { depth } => Proof::Exhausted { depth: *depth },
    })
}

/// What is told of an accepted proof.
fn proved(decider: &Decider<'_, '_>, proof: Proof) -> Proved {
    let (kind, k, invariant) = match proof {
        Proof::Inductive(invariant) => (ProofKind::Inductive, None, invariant),
        Proof::KInductive { k, invariant } => (ProofKind::KInductive, Some(k), invariant),
        Proof::Exhausted { .. } => return Proved::of_kind(ProofKind::Exhausted),
    };
    // Formulas that say nothing do not count.
    let formulas = invariant.at.iter().flat_map(|(_, formulas)| formulas);
    let pool = &decider.program.pool;
    let size = formulas.filter(|formula| pool.as_bool(**formula).is_none()).count();
    let kept = decider.encoding().filter(|_| decider.setup.settings.invariant);
    let cfa = kept.map(|encoding| encoding.model.cfa.clone());
    let held = cfa.map(|cfa| Held::Automaton(Box::new(cfa), invariant));
    Proved { kind, k, size: Some(size), invariant: held }
}
