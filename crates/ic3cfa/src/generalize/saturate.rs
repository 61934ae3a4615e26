//! Extending a cube by formulas that it implies.
//!
//! The literals of an exact predecessor come from one path of the program and say too much: x = 7
//! after seven rounds of a loop. A lemma must be about all rounds. The extended cube has the same
//! states, so whatever subset of it is inductive is a valid lemma, and the weaker literals are
//! there to be kept:
//!
//! * for a = b on bit-vectors: a ≤ b and b ≤ a, signed and unsigned; for a < b: a ≠ b;
//! * guards of the program, and their negations, over variables of the cube.
//!
//! Both only where a *counter* is involved, a variable that the program computes by arithmetic: the
//! values of others, such as the state of a protocol, have no order to speak of, and lemmas made
//! of it would only be in the way.

use crate::engine::{End, Engine};
use crate::observer::Phase;
use program::execute::Values;
use rustc_hash::FxHashSet;
use smt::{Answer, Solver};
use term::{Op, Pool, Sort, Term, Value, evaluate};

/// How many guards are tried.
const MAX_PREDICATES: usize = 64;

impl Engine<'_> {
    /// The literals and formulas that they imply.
    pub(crate) fn saturated(&mut self, literals: &[Term]) -> Result<Vec<Term>, End> {
        let pool = self.pool;
        let mut all = literals.to_vec();
        let mut counted = false;
        for literal in literals {
            let mentioned = self.variables_of(*literal).to_vec();
            if mentioned.iter().any(|v| self.counters.contains(v)) {
                counted = true;
                weaker(pool, *literal, &mut all);
            }
        }
        if !counted {
            return Ok(all);
        }
        let candidates = self.candidates(literals);
        all.extend(self.implied_by(literals, candidates)?);
        let mut seen = FxHashSet::default();
        all.retain(|l| pool.as_bool(*l).is_none() && seen.insert(*l));
        Ok(all)
    }

    /// Guards over variables of the literals, and their negations.
    fn candidates(&mut self, literals: &[Term]) -> Vec<Term> {
        let pool = self.pool;
        let mut variables: FxHashSet<Term> = FxHashSet::default();
        for literal in literals {
            variables.extend(self.variables_of(*literal));
        }
        let mut found = Vec::new();
        for predicate in self.predicates.clone() {
            if found.len() >= 2 * MAX_PREDICATES {
                break;
            }
            if self.variables_of(predicate).iter().all(|v| variables.contains(v)) {
                found.extend([predicate, pool.not(predicate)]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|p| !literals.contains(p));
        found
    }

    /// The candidates that the literals imply.
    pub(crate) fn implied_by(
        &mut self,
        literals: &[Term],
        mut candidates: Vec<Term>,
    ) -> Result<Vec<Term>, End> {
        let pool = self.pool;
        self.scratch.set_work(self.strategy.effort.conflicts(Phase::Generalize));
        while !candidates.is_empty() {
            self.check_allowance()?;
            let negations: Vec<Term> = candidates.iter().map(|c| pool.not(*c)).collect();
            let started = std::time::Instant::now();
            // SAT? ⋀ literals ∧ ⋁ ¬candidates
            let answer = self.scratch.check_with(pool, literals, &negations)?;
            self.observer.asked(Phase::Generalize, started.elapsed());
            match answer {
                Answer::Unsat => return Ok(candidates),
                Answer::Unknown(smt::Reason::Stopped(smt::Exhausted::Work)) => {
                    return Ok(Vec::new());
                }
                Answer::Unknown(reason) => return Err(reason.into()),
                Answer::Sat => {
                    let mut model = Values::default();
                    for variable in term::traverse::free_vars(pool, &candidates) {
                        model.insert(variable, self.scratch.value(pool, variable)?);
                    }
                    let before = candidates.len();
                    let holds = |c: &Term| evaluate(pool, *c, &model) == Ok(Value::Bool(true));
                    candidates.retain(holds);
                    if candidates.len() == before {
                        // A model that the evaluation does not share, of a function without
                        // a definition.
                        return Ok(Vec::new());
                    }
                }
            }
        }
        Ok(candidates)
    }
}

/// Literals that one literal implies by its shape.
fn weaker(pool: &Pool, literal: Term, all: &mut Vec<Term>) {
    let [a, b] = pool.args(literal)[..] else { return };
    match pool.op(literal) {
        Op::Eq if matches!(pool.sort(a), Sort::BitVec(width) if width > 1) => {
            all.extend([
                pool.bv_sle(a, b),
                pool.bv_sle(b, a),
                pool.bv_ule(a, b),
                pool.bv_ule(b, a),
            ]);
        }
        Op::BvUlt | Op::BvSlt => all.push(pool.ne(a, b)),
        _ => {}
    }
}
