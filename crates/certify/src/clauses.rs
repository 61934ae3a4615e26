//! Evidence about constrained Horn clauses, checked on the clauses as they were read.
//!
//! Of a model, that each clause holds: p₁(t₁) ∧ … ∧ φ ∧ ¬p(t) must have no model. Relations that the
//! model leaves to their clauses hold by definition where they are concluded, and are unfolded where
//! they are assumed. The solver is CaDiCaL under the bit-blaster where everything is made of bits,
//! engines ask our own CDCL first; for integers and reals it is a Z3 of its own, which has seen
//! nothing of the search.
//!
//! A derivation of `false` is evaluated step by step ([`Refutation::replay`]), with no solver.

use ::horn::model::{Meaning, Meaningless};
use ::horn::refutation::RefutationError;
use ::horn::{Model, Refutation, System};
use answer::Allowance;
use sat::cadical::{Cadical, Preset};
use smt::{Answer, BitBlast, Error, Solver, Z3};
use term::Pool;
use term::smtlib::Place;

/// Why evidence is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ClausesRejection {
    /// A clause does not hold.
    #[error("the clause at {0} does not hold in the model")]
    Clause(Place),
    /// The model is none.
    #[error(transparent)]
    Model(#[from] Meaningless),
    /// A step of the derivation is wrong.
    #[error(transparent)]
    Refutation(#[from] RefutationError),
    /// The check was stopped.
    #[error("the check was stopped: {0}")]
    Stopped(smt::Reason),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] Error),
}

/// Checks that all clauses hold in a model. A stopped check accepts nothing.
pub fn check_model(
    pool: &Pool,
    system: &System,
    model: &Model,
    allowance: &Allowance,
) -> Result<(), ClausesRejection> {
    let meaning = Meaning::new(pool, system, model)?;
    let bits = system.is_of_bits(pool);
    for clause in &system.clauses {
        let Some(counterexample) = meaning.counterexample(clause)? else { continue };
        match pool.as_bool(counterexample) {
            Some(false) => continue,
            Some(true) => return Err(ClausesRejection::Clause(clause.place)),
            None => {}
        }
        // SAT? φ ∧ ⋀ pᵢ(tᵢ) ∧ ¬p(t)
        let mut solver: Box<dyn Solver> = match bits {
            true => Box::new(BitBlast::new(Cadical::new(Preset::Standard))),
            false => Box::new(Z3::new()),
        };
        solver.set_allowance(allowance.clone());
        solver.assert(pool, counterexample)?;
        match solver.check(pool, &[])? {
            Answer::Unsat => {}
            Answer::Sat => return Err(ClausesRejection::Clause(clause.place)),
            Answer::Unknown(reason) => return Err(ClausesRejection::Stopped(reason)),
        }
    }
    Ok(())
}

/// Checks that a derivation of `false` is one.
pub fn check_derivation(
    pool: &Pool,
    system: &System,
    refutation: &Refutation,
) -> Result<(), ClausesRejection> {
    refutation.replay(pool, system)?;
    Ok(())
}
