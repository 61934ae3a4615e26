//! A proving solver as one part of a formula sees it.
//!
//! Whoever encodes a part needs a [`Solver`] and knows nothing of parts; what it adds is labelled here.

use super::{Partition, ProvingSolver};
use crate::lit::{Lit, Var};
use crate::solver::{Answer, Solver, Statistics};
use answer::Allowance;
use std::cell::RefCell;
use std::rc::Rc;

/// A proving solver that several parts share.
pub type Shared = Rc<RefCell<ProvingSolver>>;

/// The proving solver as seen by one part: what is added is of it.
pub struct InPart {
    solver: Shared,
    part: Partition,
}

impl InPart {
    /// What is added from here on is of this part.
    pub fn new(solver: Shared, part: Partition) -> Self {
        InPart { solver, part }
    }
}

impl Solver for InPart {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        self.solver.borrow_mut().new_var()
    }

    fn var_count(&self) -> usize {
        self.solver.borrow().var_count()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.borrow_mut().add_clause_in(self.part, clause);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        let mut assumed: Vec<(Lit, Partition)> =
            assumptions.iter().map(|lit| (*lit, self.part)).collect();
        if !temporary.is_empty() {
            let active = self.new_var().pos();
            let clause: Vec<Lit> = temporary.iter().copied().chain([!active]).collect();
            self.add_clause(&clause);
            assumed.push((active, self.part));
        }
        self.solver.borrow_mut().solve(&assumed)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.borrow().value(lit)
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.borrow().failed(assumption)
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.solver.borrow_mut().set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.solver.borrow_mut().set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.solver.borrow().statistics()
    }
}
