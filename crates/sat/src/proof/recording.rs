//! A proving solver as one of many: every clause belongs to one part.

use super::{Partition, Proof, ProofError, ProvingSolver};
use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use answer::Allowance;

/// The part that everything belongs to.
const WHOLE: Partition = Partition(0);

/// CaDiCaL with a record of its steps, behind [`Solver`].
#[derive(Default)]
pub struct Recording(ProvingSolver);

impl Recording {
    /// After [`Answer::Unsat`]: the steps that lead to the contradiction.
    pub fn proof(&self) -> Result<Proof, ProofError> {
        self.0.proof()
    }
}

impl Solver for Recording {
    fn name(&self) -> &'static str {
        "cadical with proofs"
    }

    fn new_var(&mut self) -> Var {
        self.0.new_var()
    }

    fn var_count(&self) -> usize {
        self.0.var_count()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.0.add_clause_in(WHOLE, clause);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        let mut assumed: Vec<(Lit, Partition)> =
            assumptions.iter().map(|literal| (*literal, WHOLE)).collect();
        if !temporary.is_empty() {
            let active = self.new_var().pos();
            let clause: Vec<Lit> = temporary.iter().copied().chain([!active]).collect();
            self.add_clause(&clause);
            assumed.push((active, WHOLE));
        }
        self.0.solve(&assumed)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.0.value(lit)
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.0.failed(assumption)
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.0.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.0.set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.0.statistics()
    }
}
