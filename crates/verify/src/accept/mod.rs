//! What makes a claim count: one condition a file, with what it rests on.
//!
//! A claim is accepted if all conditions for its kind hold, in this order:
//!
//! | claim | conditions |
//! |---|---|
//! | a proof | [`certificate`]: `certify` accepts it on the automaton before minimization; [`placement`]: it does not rest on where objects lie; [`null`]: nor on runs that end at a pointer that is always null |
//! | what was a proof of another version | as a proof; but that it is none is no defect |
//! | all runs, followed at once | [`refutation`]: the proof that none goes wrong is checked step by step, for every placement; [`null`] |
//! | the only run, executed | [`placement`], [`null`]; the interpreter is the reference of what a run is; that of the slice stands for all of the program |
//! | a proof for every placement | it was accepted as a proof of a program that sees no places; [`null`] |
//! | a model of the clauses that procedures stand for | [`clauses`]: `certify` accepts it on those clauses; [`placement`], [`null`] |
//! | summaries of calls | [`calls`]: `certify` accepts them on the procedures; [`placement`], [`null`]; that those of another version are no proof is no defect |
//! | of Horn clauses, a model or a derivation | [`clauses`]: `certify` accepts it on the clauses as they were read |
//! | a run | [`approximation`]: it takes no value that nothing says can be taken; [`replay`]: the interpreter of the program itself follows it into the violation, perhaps with memory [`outside`] or other arguments of functions that are [`computed`]; [`mod@slice`]: of a part of the program it counts if the whole follows |
//!
//! What is not accepted leaves the question open, or is a defect of Cairn; it is never a verdict.

pub(crate) mod approximation;
mod calls;
pub(crate) mod certificate;
pub(crate) mod clauses;
pub(crate) mod computed;
mod null;
pub(crate) mod outside;
mod placement;
mod refutation;
pub(crate) mod replay;
mod slice;

use crate::code::{Claim, Decider, Size, violated};
use crate::failure::Failure;
use crate::outcome::{Finding, Proved};
use answer::{ProofKind, Reason};
use program::Place;

/// What becomes of a claim.
pub(crate) enum Judgement {
    /// It counts.
    Accepted(Finding),
    /// It does not, and why.
    Refused(Reason),
    /// It does not, and nothing better can be found.
    Open(Reason),
    /// Its check took longer than it is worth while engines may find something better.
    Impatient,
    /// It ends where recursion was not unrolled any further.
    Deeper,
    /// It is about a part of the program, and does not hold for the whole.
    Whole,
    /// It holds for the places that objects have here, and the program looks at them.
    Placed(Place),
}

/// Whether a claim counts.
pub(crate) fn judge(decider: &mut Decider<'_, '_>, claim: &Claim) -> Result<Judgement, Failure> {
    let judgement = match claim {
        Claim::Proof(engine, proof) => certificate::judge(decider, engine, &proof.0, &proof.1)?,
        Claim::Recalled(proof) => certificate::judge_recalled(decider, proof)?,
        // It may be one of no placement.
        Claim::Run(..) if decider.is_unplaced() => Judgement::Refused(Reason::NoEngine),
        Claim::Run(engine, run) => slice::judge(decider, replay::judge(decider, engine, run))?,
        Claim::Unwound(unwound) => refutation::judge(decider, unwound)?,
        Claim::Executed { .. } => accepted(Proved::of_kind(ProofKind::Executed)),
        Claim::Unplaced(_, Size { kind, k, formulas }) => {
            accepted(Proved { kind: *kind, k: *k, size: *formulas, invariant: None })
        }
        Claim::Called(proof) => calls::judge(decider, proof)?,
        Claim::Modelled(proof) => clauses::judge_procedures(decider, proof)?,
        Claim::Failed(_, run) => {
            Judgement::Accepted(violated(run.clone(), replay::matter_to(decider)))
        }
    };
    let Judgement::Accepted(Finding::Safe(proved)) = judgement else { return Ok(judgement) };
    match placement::judge(decider, claim) {
        Some(refused) => Ok(refused),
        None => null::judge(decider, proved),
    }
}

fn accepted(proved: Proved) -> Judgement {
    Judgement::Accepted(Finding::Safe(proved))
}
