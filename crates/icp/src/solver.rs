//! [`Icp`], the solver, behind the interface of all SMT solvers.

use smt::{Allowance, Answer, Error, Native, Solver, Statistics, native};
use term::{Pool, Term, Value};

/// An assumption of a core, generalized.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Weakest {
    /// The assumption as it was given.
    pub assumption: Term,
    /// A weaker bound of the same term that refutes as well, or the assumption itself.
    pub bound: Term,
}

/// A solver by CDCL over interval bounds.
pub struct Icp {
    bits: Native,
}

impl Default for Icp {
    fn default() -> Self {
        Self::new()
    }
}

impl Icp {
    /// A solver with no formulas.
    pub fn new() -> Self {
        Icp { bits: native() }
    }

    /// After [`Answer::Unsat`]: the terms of [`Solver::core`] in its order, each with the weakest
    /// bound that may take its place. All of them may be replaced at once.
    pub fn weakest(&self, pool: &Pool) -> Vec<Weakest> {
        let _ = pool;
        self.core()
            .into_iter()
            .map(|assumption| Weakest { assumption, bound: assumption })
            .collect()
    }
}

impl Solver for Icp {
    fn name(&self) -> &'static str {
        "icp"
    }

    fn push(&mut self) {
        self.bits.push();
    }

    fn pop(&mut self, levels: usize) {
        self.bits.pop(levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.bits.assert(pool, formula)
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        self.bits.check_with(pool, assumptions, clause)
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        self.bits.value(pool, term)
    }

    fn core(&self) -> Vec<Term> {
        self.bits.core()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.bits.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.bits.set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.bits.statistics()
    }
}
