//! What is found is confirmed by another solver: Z3, in a context of its own, while bit-vectors are
//! searched by bit-blasting. The questions have no quantifiers.
//!
//! A Skolem relation is one by \[Fed15\] Definition 17 if S ∧ Sk ⇒ T, and if each x of S has a y in
//! it; the functions give that y: S ⇒ Sk[y := f(x)]. An x without a y is one if S(x) holds and
//! T(x, y) has no model.

use crate::decide::{Broken, Question, Why, at_model};
use crate::model::Model;
use crate::skolem::Skolem;
use answer::Allowance;
use smt::{Answer, Solver, Z3};
use term::traverse::substitute;
use term::{Pool, Term, Value};

/// The second solver, which is asked many questions: its context is dear.
struct Second(Z3);

impl Second {
    fn new(allowance: &Allowance) -> Self {
        let mut second = Z3::new();
        second.set_allowance(allowance.clone());
        Second(second)
    }

    /// Whether a formula has no model.
    fn refuted(
        &mut self,
        pool: &Pool,
        formula: Term,
        claim: impl FnOnce() -> String,
    ) -> Result<Option<Why>, Broken> {
        if pool.as_bool(formula) == Some(false) {
            return Ok(None);
        }
        self.0.push();
        self.0.assert(pool, formula)?;
        let answer = self.0.check(pool, &[])?;
        self.0.pop(1);
        match answer {
            Answer::Unsat => Ok(None),
            Answer::Sat => Err(Broken::Refuted(claim())),
            Answer::Unknown(reason) => Ok(Some(Why::Unchecked(reason.to_string()))),
        }
    }
}

/// S ∧ Sk(x, y) ⇒ T(x, y) (\[Fed15\] Definition 17 (1)); none if that is so.
pub fn inside(
    pool: &Pool,
    question: &Question,
    relation: Term,
    allowance: &Allowance,
) -> Result<Option<Why>, Broken> {
    // UNSAT? S ∧ Sk ∧ ¬T
    let wrong = pool.and([question.premise, relation, pool.not(question.conclusion)]);
    Second::new(allowance)
        .refuted(pool, wrong, || "a Skolem relation: it has a pair that T excludes".into())
}

/// Definition 17 of the relation, with the functions inside of it, case by case; none if all of it is
/// so.
pub fn skolem(
    pool: &Pool,
    question: &Question,
    skolem: &Skolem,
    allowance: &Allowance,
) -> Result<Option<Why>, Broken> {
    let chosen = skolem.functions(pool);
    let mut second = Second::new(allowance);
    // S, and no guard so far.
    let mut here = question.premise;
    for case in &skolem.cases {
        let taken = pool.and([here, case.guard]);
        let relation = pool.and(case.relation.iter().copied());
        // UNSAT? S ∧ ¬I₁ ∧ … ∧ Iᵢ ∧ φᵢ ∧ ¬T
        let wrong = pool.and([taken, relation, pool.not(question.conclusion)]);
        let claim = || "a Skolem relation: it has a pair that T excludes".to_owned();
        if let Some(why) = second.refuted(pool, wrong, claim)? {
            return Ok(Some(why));
        }
        // UNSAT? S ∧ ¬I₁ ∧ … ∧ Iᵢ ∧ ¬φᵢ[y := f(x)]
        let chosen = substitute(pool, relation, chosen.iter().copied());
        let wrong = pool.and([taken, pool.not(chosen)]);
        let claim = || "a Skolem relation: the functions are not in it".to_owned();
        if let Some(why) = second.refuted(pool, wrong, claim)? {
            return Ok(Some(why));
        }
        here = pool.and([here, pool.not(case.guard)]);
    }
    // UNSAT? S ∧ ¬I₁ ∧ … ∧ ¬Iₙ
    second.refuted(pool, here, || "a Skolem relation: some x has no case".to_owned())
}

/// An x without a y; none if it is one.
pub fn gap(
    pool: &Pool,
    question: &Question,
    model: &Model,
    allowance: &Allowance,
) -> Result<Option<Why>, Broken> {
    if term::evaluate(pool, question.premise, model) == Ok(Value::Bool(false)) {
        return Err(Broken::Refuted("an x without a y: S excludes it".into()));
    }
    let (_, conclusion) = at_model(pool, question, model);
    // UNSAT? T(v, y)
    Second::new(allowance).refuted(pool, conclusion, || "an x without a y: it has one".into())
}
