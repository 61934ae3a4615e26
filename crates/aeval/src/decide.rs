//! AE-VAL (\[Fed15\] Algorithm 6): whether S(x) ⇒ ∃y. T(x, y) is valid.
//!
//! Models of S ∧ T are enumerated, each is generalized to its projection Tᵢ, and what that covers is
//! taken out of S. If nothing of S is left, the formula is valid, and the projections with their
//! definitions are the cases of a Skolem relation. If something is left that T excludes, it is an x
//! without a y.
//!
//! The thesis asks S first and then S ∧ T; here S ∧ T is asked, and S alone only where that has no
//! model, which is one question a case instead of two. Nothing is returned that another solver has
//! not confirmed ([`crate::check`]).

use crate::check;
use crate::guards;
use crate::model::Model;
use crate::project::{Stuck, project};
use crate::skolem::{Case, Skolem, merge};
use answer::{Allowance, Exhausted};
use rustc_hash::FxHashSet;
use smt::{Answer, Reason, Solver, Solvers};
use term::traverse::{free_vars, substitute, subterms};
use term::{Op, Pool, Sort, Term};
use thiserror::Error;

/// S(x) ⇒ ∃y. T(x, y); every variable that is not among y is universal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// S, without quantifiers and without y.
    pub premise: Term,
    /// T, without quantifiers.
    pub conclusion: Term,
    /// y
    pub variables: Vec<Term>,
}

impl Question {
    /// x: the free variables that are not y.
    pub fn universal(&self, pool: &Pool) -> Vec<Term> {
        let all = free_vars(pool, &[self.premise, self.conclusion]);
        all.into_iter().filter(|v| !self.variables.contains(v)).collect()
    }
}

/// How much is done for a Skolem relation that is easy to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// The cases as they are found.
    Plain,
    /// Cases merged where one function does for both, guards over as few variables as possible.
    Minimal,
}

/// What is known of a question.
#[derive(Clone, Debug)]
pub enum Validity {
    /// Valid, with a Skolem relation that was checked.
    Valid(Skolem),
    /// Not valid: S holds for these values of x, and T for no y; that was checked.
    Invalid(Model),
    /// Not decided.
    Unknown(Why),
}

/// Why a question is open.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Why {
    /// Time, or an interrupt.
    #[error(transparent)]
    Stopped(#[from] Exhausted),
    /// A solver gave up; its own words.
    #[error("the solver gave up: {0}")]
    GaveUp(String),
    /// A formula has no projection.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// So many cases cover single values of a sort without end, and more would not do either.
    #[error("{0} cases, each for single values, do not cover it")]
    Endless(usize),
    /// The check was stopped or gave up.
    #[error("an answer was found but not checked: {0}")]
    Unchecked(String),
}

/// A broken promise: of ours or of a solver.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Broken {
    /// A solver failed.
    #[error(transparent)]
    Solver(#[from] smt::Error),
    /// The second solver refuted what was found.
    #[error("the second solver refutes {0}")]
    Refuted(String),
}

/// So many cases for single values of integers, reals or arrays are made before a question is
/// given up.
const VALUES: usize = 200;

impl From<Reason> for Why {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Stopped(exhausted) => Why::Stopped(exhausted),
            Reason::Incomplete(words) => Why::GaveUp(words),
        }
    }
}

/// Decides S(x) ⇒ ∃y. T(x, y), with a Skolem relation or an x that has no y.
///
/// Requires: S and T are free of quantifiers, S of y.
/// Ensures: an answer that is not `Unknown` was confirmed by a solver that did not find it
/// ([`check`]).
pub fn decide(
    pool: &Pool,
    question: &Question,
    solvers: &dyn Solvers,
    allowance: &Allowance,
    effort: Effort,
) -> Result<Validity, Broken> {
    let formulas = [question.premise, question.conclusion];
    let quantified = |t: &Term| matches!(pool.op(*t), Op::Forall | Op::Exists);
    if subterms(pool, &formulas).iter().any(quantified) {
        return Ok(Validity::Unknown(Stuck::Quantifier.into()));
    }
    let mut solver = solvers.general();
    solver.set_allowance(allowance.clone());
    solver.assert(pool, question.premise)?;
    match search(pool, question, &mut *solver, allowance) {
        Ok(Found::Cases(mut cases)) => {
            if effort == Effort::Minimal {
                merge(pool, question, &mut cases, &mut *solvers.general(), allowance)?;
                guards::minimize(pool, question, &mut cases, solvers, allowance)?;
            }
            let skolem = Skolem { variables: question.variables.clone(), cases };
            Ok(match check::skolem(pool, question, &skolem, allowance)? {
                None => Validity::Valid(skolem),
                Some(why) => Validity::Unknown(why),
            })
        }
        Ok(Found::Gap(model)) => Ok(match check::gap(pool, question, &model, allowance)? {
            None => Validity::Invalid(model),
            Some(why) => Validity::Unknown(why),
        }),
        Err(Ended::Open(why)) => Ok(Validity::Unknown(why)),
        Err(Ended::Broken(broken)) => Err(broken),
    }
}

enum Found {
    Cases(Vec<Case>),
    Gap(Model),
}

/// Why a search has no result.
pub(crate) enum Ended {
    /// There is none yet.
    Open(Why),
    /// There will be none.
    Broken(Broken),
}

impl From<smt::Error> for Ended {
    fn from(error: smt::Error) -> Self {
        match error {
            // A value that can't be written down, as of √2, or a theory that nobody knows.
            smt::Error::Unsupported { .. } | smt::Error::External { .. } => {
                Ended::Open(Why::GaveUp(error.to_string()))
            }
            error => Ended::Broken(error.into()),
        }
    }
}

impl<W: Into<Why>> From<W> for Ended {
    fn from(why: W) -> Self {
        Ended::Open(why.into())
    }
}

/// The loop of Algorithm 6.
///
/// Requires: the solver knows S.
fn search(
    pool: &Pool,
    question: &Question,
    solver: &mut dyn Solver,
    allowance: &Allowance,
) -> Result<Found, Ended> {
    let conclusion = question.conclusion;
    let mut cases: Vec<Case> = Vec::new();
    let mut values = 0;
    loop {
        if let Some(exhausted) = allowance.exhausted() {
            return Err(Ended::Open(Why::Stopped(exhausted)));
        }
        // SAT? S ∧ ¬T₁ ∧ … ∧ ¬Tᵢ₋₁ ∧ T
        match solver.check(pool, &[conclusion])? {
            Answer::Sat => {}
            Answer::Unsat => break,
            Answer::Unknown(reason) => return Err(Ended::Open(reason.into())),
        }
        let model = Model::read(pool, solver, &[question.premise, conclusion])?;
        let projection = project(pool, &model, conclusion, &question.variables)?;
        values += usize::from(projection.values > 0);
        if values > VALUES {
            return Err(Ended::Open(Why::Endless(values)));
        }
        solver.assert(pool, pool.not(projection.formula))?;
        cases.push(Case::new(pool, &question.variables, &projection));
    }
    // SAT? S ∧ ¬T₁ ∧ … ∧ ¬Tₙ
    match solver.check(pool, &[])? {
        Answer::Unsat => Ok(Found::Cases(cases)),
        Answer::Sat => Ok(Found::Gap(Model::read(pool, solver, &[question.premise, conclusion])?)),
        Answer::Unknown(reason) => Err(Ended::Open(reason.into())),
    }
}

/// ∃ variables. formula as a disjunction of at most `most` projections; none if there are more.
/// What is returned is equivalent to it.
pub fn eliminate(
    pool: &Pool,
    formula: Term,
    variables: &[Term],
    solver: &mut dyn Solver,
    most: usize,
) -> Result<Option<Term>, smt::Error> {
    let mut found = Vec::new();
    solver.push();
    let result = (|| {
        solver.assert(pool, formula)?;
        loop {
            // SAT? formula ∧ ¬P₁ ∧ … ∧ ¬Pᵢ
            match solver.check(pool, &[])? {
                Answer::Unsat => return Ok(Some(pool.or(found.iter().copied()))),
                Answer::Unknown(_) => return Ok(None),
                Answer::Sat if found.len() == most => return Ok(None),
                Answer::Sat => {}
            }
            let model = Model::read(pool, solver, &[formula])?;
            let Ok(projection) = project(pool, &model, formula, variables) else {
                return Ok(None);
            };
            found.push(projection.formula);
            solver.assert(pool, pool.not(projection.formula))?;
        }
    })();
    solver.pop(1);
    result
}

/// T(v, y) for the values v that a model gives x; sorts whose values no term names keep their
/// variables, with what the model says of their equality.
pub(crate) fn at_model(pool: &Pool, question: &Question, model: &Model) -> (Term, Term) {
    let universal = question.universal(pool);
    let mut map = Vec::new();
    let mut arrangement = Vec::new();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    for x in universal {
        let value = model.value(pool, x);
        match pool.sort(x) {
            Sort::Uninterpreted(_) => {
                for other in &seen {
                    if pool.sort(*other) == pool.sort(x) {
                        let same = model.value(pool, *other) == value;
                        let equal = pool.eq(x, *other);
                        arrangement.push(if same { equal } else { pool.not(equal) });
                    }
                }
                seen.insert(x);
            }
            _ => map.push((x, pool.constant(value))),
        }
    }
    let premise = substitute(pool, question.premise, map.iter().copied());
    let conclusion = substitute(pool, question.conclusion, map);
    (premise, pool.and(arrangement.into_iter().chain([conclusion])))
}
