//! Evidence about constrained Horn clauses, checked on the clauses as they were read.
//!
//! Of a model, that each clause holds: p₁(t₁) ∧ … ∧ φ ∧ ¬p(t) must have no model, asked for each
//! conjunct of the relation that the model gives to p. Relations that the
//! model leaves to their clauses hold by definition where they are concluded, and are unfolded where
//! they are assumed. The solver is CaDiCaL under the bit-blaster where everything is made of bits,
//! engines ask our own CDCL first; for integers and reals it is a Z3 of its own, which has seen
//! nothing of the search.
//!
//! A derivation of `false` is evaluated step by step ([`Refutation::replay`]), with no solver.

use ::horn::model::{Meaning, Meaningless, Question};
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
    // Clauses share a Z3, whose contexts are dear. The bit-blaster forgets nothing that it was told, so
    // each clause has one of its own.
    let mut z3 = Z3::new();
    z3.set_allowance(allowance.clone());
    for clause in &system.clauses {
        let Some(question) = meaning.question(clause)? else { continue };
        match pool
            .as_bool(pool.and([question.premise, pool.not(pool.and(question.claims.clone()))]))
        {
            Some(false) => continue,
            Some(true) => return Err(ClausesRejection::Clause(clause.place)),
            None => {}
        }
        if bits {
            let mut solver = BitBlast::new(Cadical::new(Preset::Standard));
            solver.set_allowance(allowance.clone());
            check_clause(pool, &mut solver, clause.place, &question, allowance)?;
        } else {
            z3.push();
            check_clause(pool, &mut z3, clause.place, &question, allowance)?;
            z3.pop(1);
        }
    }
    Ok(())
}

/// Checks a clause, claim by claim: all at once are a disjunction of their negations, in which solvers
/// of arithmetic are slow.
fn check_clause(
    pool: &Pool,
    solver: &mut dyn Solver,
    place: Place,
    question: &Question,
    allowance: &Allowance,
) -> Result<(), ClausesRejection> {
    solver.assert(pool, question.premise)?;
    for claim in &question.claims {
        let denied = pool.not(*claim);
        // SAT? φ ∧ ⋀ pᵢ(tᵢ) ∧ ¬claim
        let mut answer = solver.check(pool, &[denied])?;
        if matches!(answer, Answer::Unknown(smt::Reason::Incomplete(_))) {
            // Z3 knows more where it is asked only once.
            let mut once = Z3::new();
            once.set_allowance(allowance.clone());
            once.assert(pool, pool.and([question.premise, denied]))?;
            answer = once.check(pool, &[])?;
        }
        match answer {
            Answer::Unsat => {}
            Answer::Sat => return Err(ClausesRejection::Clause(place)),
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
