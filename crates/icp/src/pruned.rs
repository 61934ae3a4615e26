//! Bit-blasting with what is known of bounds.
//!
//! What the search knows for good of free constants and of the results of operators goes along as
//! formulas: bits that a bound fixes are constants of the circuits from the beginning, and an
//! interval cuts off what a circuit of multipliers would have to find out. These bounds follow from
//! the formulas of the ground level, so they change no answer.

use crate::bound::Bound;
use crate::bound::Side;
use crate::encode::Encoder;
use crate::engine::Engine;
use rustc_hash::FxHashSet;
use smt::{Allowance, Answer, Error, Native, Solver, Statistics, native};
use term::{Pool, Term, Value};

/// Bit-blasting that is told of formulas when it is asked.
pub(crate) struct Pruned {
    /// Made when it is first needed.
    bits: Option<Native>,
    allowance: Allowance,
    /// How many formulas of each level it has, the ground level first.
    told: Vec<usize>,
    bounds: FxHashSet<Bound>,
}

/// What holds for good of terms, beyond their domains.
pub(crate) fn ground_bounds(engine: &Engine, encoder: &Encoder) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for (term, var) in encoder.owned() {
        let (domain, interval) = (engine.domain(var), engine.interval(var));
        for (side, key) in [(Side::AtLeast, interval.low), (Side::AtMost, interval.high)] {
            let bound = Bound { term, domain, side, key };
            if !bound.is_trivial() {
                bounds.push(bound);
            }
        }
    }
    bounds
}

impl Pruned {
    pub fn new() -> Pruned {
        Pruned {
            bits: None,
            allowance: Allowance::default(),
            told: vec![0],
            bounds: FxHashSet::default(),
        }
    }

    /// Forgets levels until so many are left, the ground level included.
    pub fn pop_to(&mut self, levels: usize) {
        if self.told.len() > levels {
            if let Some(bits) = &mut self.bits {
                bits.pop(self.told.len() - levels);
            }
            self.told.truncate(levels);
        }
    }

    /// SAT? formulas ∧ bounds ∧ ⋀ assumptions ∧ ⋁ clause
    ///
    /// Requires: the bounds follow from the formulas of the ground level.
    pub fn check<'a>(
        &mut self,
        pool: &Pool,
        levels: impl Iterator<Item = &'a [Term]>,
        bounds: Vec<Bound>,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        let Pruned { bits, told, bounds: known, .. } = self;
        let bits = bits.get_or_insert_with(native);
        bits.set_allowance(self.allowance.clone());
        for (depth, formulas) in levels.enumerate() {
            if depth == told.len() {
                bits.push();
                told.push(0);
            }
            if depth == 0 && told.len() == 1 {
                for bound in bounds.iter().filter(|bound| known.insert(**bound)) {
                    bits.assert(pool, bound.formula(pool))?;
                }
            }
            for formula in &formulas[told[depth]..] {
                bits.assert(pool, *formula)?;
                told[depth] += 1;
            }
        }
        bits.check_with(pool, assumptions, clause)
    }

    /// After [`Answer::Sat`].
    pub fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        self.bits.get_or_insert_with(native).value(pool, term)
    }

    /// After [`Answer::Unsat`].
    pub fn core(&self) -> Vec<Term> {
        self.bits.as_ref().map_or_else(Vec::new, Solver::core)
    }

    pub fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    pub fn statistics(&self) -> Statistics {
        self.bits.as_ref().map_or_else(Statistics::default, Solver::statistics)
    }
}
