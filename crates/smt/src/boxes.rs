//! Splitting of ranges behind [`Solver`]: for floating-point arithmetic with few variables, where
//! bounds settle what circuits of multipliers make hard ([`intervals::boxes`]).
//!
//! A question is reduced to the formulas that it hangs on: engines name what they build by
//! `name ⇒ formula`, and a name that nobody mentions may be false. If those formulas have no
//! common model, all of them have none. If they have one, it is extended by default values and
//! evaluated against every formula before it counts; what it violates is added, and the question
//! asked again.
//!
//! Without float arithmetic in the question there is no answer either: bit-blasting is better
//! then. Work is counted in evaluations of subterms.

use crate::levels::Levels;
use crate::solver::{Answer, Error, Reason, Solver, Statistics};
use answer::{Allowance, Exhausted};
use intervals::boxes::{Outcome, cone, decide, worthwhile};
use rustc_hash::FxHashMap;
use term::eval::{EvalError, evaluate_all};
use term::{Pool, Term, Value, evaluate};

const NAME: &str = "boxes";

/// How often formulas that a point violates are added.
const ADDITIONS: usize = 8;

/// A solver that splits ranges.
pub struct Boxes {
    levels: Levels,
    core: Vec<Term>,
    /// The last model.
    point: FxHashMap<Term, Value>,
    allowance: Allowance,
    queries: u64,
}

impl Default for Boxes {
    fn default() -> Self {
        Self::new()
    }
}

impl Boxes {
    /// A solver with no formulas.
    pub fn new() -> Self {
        Boxes {
            levels: Levels::default(),
            core: Vec::new(),
            point: FxHashMap::default(),
            allowance: Allowance::default(),
            queries: 0,
        }
    }

    /// The formulas that a point, extended by default values, does not satisfy.
    fn violated(&self, pool: &Pool, point: &FxHashMap<Term, Value>) -> Result<Vec<Term>, Error> {
        let formulas: Vec<Term> = self.levels.formulas().collect();
        let values = evaluate_all(pool, &formulas, point).map_err(unsupported)?;
        Ok(formulas.into_iter().filter(|f| values[f] != Value::Bool(true)).collect())
    }

    /// SAT? formulas ∧ ⋀ question
    fn ask(&mut self, pool: &Pool, mut question: Vec<Term>) -> Result<Answer, Error> {
        let open = |why: &str| Ok(Answer::Unknown(Reason::Incomplete(why.to_owned())));
        for _ in 0..=ADDITIONS {
            let formulas = cone(pool, &question, self.levels.formulas());
            if !worthwhile(pool, &formulas) {
                return open("no float arithmetic");
            }
            let mut stopped = None;
            let mut look = || {
                stopped = self.allowance.exhausted();
                stopped.is_some()
            };
            let effort = self.allowance.work.unwrap_or(u64::MAX);
            // SAT? ⋀ question ∧ formulas that it hangs on
            match decide(pool, &formulas, effort, &mut look) {
                Outcome::Unsat => return Ok(Answer::Unsat),
                Outcome::Open => return open("a box can't be split"),
                Outcome::Exhausted => {
                    return Ok(Answer::Unknown(stopped.unwrap_or(Exhausted::Work).into()));
                }
                Outcome::Sat(point) => {
                    let violated = self.violated(pool, &point)?;
                    if violated.is_empty() {
                        self.point = point;
                        return Ok(Answer::Sat);
                    }
                    question.extend(violated);
                }
            }
        }
        open("points satisfy only a part")
    }
}

fn unsupported(error: EvalError) -> Error {
    Error::Unsupported { solver: NAME, what: error.to_string() }
}

impl Solver for Boxes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn push(&mut self) {
        self.levels.push();
    }

    fn pop(&mut self, levels: usize) {
        self.levels.pop(levels);
    }

    fn assert(&mut self, _: &Pool, formula: Term) -> Result<(), Error> {
        self.levels.assert(formula);
        Ok(())
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.queries += 1;
        self.core.clear();
        self.point.clear();
        let mut question = assumptions.to_vec();
        if !clause.is_empty() {
            question.push(pool.or(clause.iter().copied()));
        }
        if question.is_empty() {
            question.extend(self.levels.formulas());
        }
        let answer = self.ask(pool, question)?;
        if answer == Answer::Unsat {
            self.core.extend(assumptions);
        }
        Ok(answer)
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        evaluate(pool, term, &self.point).map_err(unsupported)
    }

    fn core(&self) -> Vec<Term> {
        self.core.clone()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    fn set_work(&mut self, evaluations: Option<u64>) {
        self.allowance.work = evaluations;
    }

    fn statistics(&self) -> Statistics {
        Statistics { queries: self.queries, ..Statistics::default() }
    }
}
