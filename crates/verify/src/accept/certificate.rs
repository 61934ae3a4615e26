//! A proof counts if the independent checker accepts it.
//!
//! It comes from another pool and speaks of the minimized automaton: it is imported, lifted over the
//! minimization, and checked by `certify` on the automaton before minimization. That the lifted
//! invariant is inductive there, and excludes the error location, is all that the verdict rests on;
//! neither the engine nor the minimization has to be believed.

use super::Judgement;
use crate::code::encode::Encoding;
use crate::code::{Decider, RECALL};
use crate::failure::Failure;
use crate::outcome::{Finding, Held, Proved};
use answer::{EngineName, Exhausted, ProofKind, Reason};
use certify::{ProgramRejection, check_program};
use passes::Back;
use program::Imported;
use program::verdict::{Invariant, Proof};
use std::time::{Duration, Instant};
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
    let proof = completed(decider, theirs, proof);
    match check(decider, engine, &proof, decider.patience())? {
        Ok(judgement) => Ok(judgement),
        Err(rejection) => Err(Failure::defect(engine, rejection)),
    }
}

/// Checks what another version had as a proof, as far as it holds here. That it is none is nobody's
/// fault.
pub(super) fn judge_recalled(
    decider: &Decider<'_, '_>,
    proof: &Proof,
) -> Result<Judgement, Failure> {
    let judged = check(decider, &EngineName::new(RECALL), proof, decider.patience_for_known())?;
    Ok(match judged {
        Err(_) => Judgement::Refused(Reason::NoEngine),
        Ok(Judgement::Impatient) => Judgement::Refused(Reason::Unchecked(Exhausted::Time)),
        Ok(judgement) => judgement,
    })
}

/// Checks a proof about the minimized automaton, not longer than somebody is patient.
fn check(
    decider: &Decider<'_, '_>,
    engine: &EngineName,
    proof: &Proof,
    patience: Duration,
) -> Result<Result<Judgement, ProgramRejection>, Failure> {
    let Some(encoding) = decider.encoding() else {
        return Err(Failure::defect(engine, "a proof of no model"));
    };
    let pool = &decider.program.pool;
    let Some(proof) = lifted(encoding, pool, proof) else {
        return Err(Failure::defect(engine, "the proof has no way back over the minimization"));
    };
    let _held = decider.hold(patience);
    let whole = &decider.setup.budget.allowance;
    let end = Instant::now().checked_add(patience);
    let early = end.filter(|end| whole.deadline.is_none_or(|deadline| *end < deadline));
    let allowance = early.map_or(whole.clone(), |end| whole.until(end));
    Ok(match check_program(pool, &encoding.model.cfa, &proof, &allowance) {
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
        Err(rejection) => Err(rejection),
    })
}

/// The same proof in terms of the program's pool, together with what it rests on: engines were given what
/// was known to hold.
pub(crate) fn completed(decider: &Decider<'_, '_>, theirs: &Pool, proof: &Proof) -> Proof {
    let way = Imported { from: &decider.program.pool, into: theirs };
    let import = |invariant: &Invariant| {
        let mut invariant = way.invariant(invariant.clone()).unwrap_or_default();
        decider.held().into_iter().for_each(|held| invariant.add(held));
        invariant
    };
    match proof {
        Proof::Inductive(invariant) => Proof::Inductive(import(invariant)),
        Proof::KInductive { k, invariant } => {
            Proof::KInductive { k: *k, invariant: import(invariant) }
        }
        Proof::Exhausted { depth } => Proof::Exhausted { depth: *depth },
    }
}

/// The proof about the automaton before minimization that one about the small automaton stands for: the
/// list of transformations reversed.
fn lifted(encoding: &Encoding, pool: &Pool, proof: &Proof) -> Option<Proof> {
    let back = encoding.minimized.back(pool, &encoding.model.cfa);
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
