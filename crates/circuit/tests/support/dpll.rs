//! A solver without cleverness: the second opinion on everything that uses a solver here.

use sat::{Allowance, Answer, Exhausted, Lit, Solver, Statistics, Var};

/// Backtracking with unit propagation over all clauses.
#[derive(Default)]
pub struct Dpll {
    variables: usize,
    clauses: Vec<Vec<Lit>>,
    model: Vec<Option<bool>>,
    allowance: Allowance,
    statistics: Statistics,
}

impl Dpll {
    fn value_in(model: &[Option<bool>], lit: Lit) -> Option<bool> {
        model[lit.var().index()].map(|v| v == lit.is_pos())
    }

    /// Propagates units to a fixed point; false on a conflict.
    fn propagate(&self, model: &mut [Option<bool>], temporary: &[Lit]) -> bool {
        let extra = (!temporary.is_empty()).then(|| temporary.to_vec());
        loop {
            let mut changed = false;
            for clause in self.clauses.iter().chain(&extra) {
                if clause.iter().any(|l| Self::value_in(model, *l) == Some(true)) {
                    continue;
                }
                let mut open = clause.iter().filter(|l| Self::value_in(model, **l).is_none());
                match (open.next(), open.next()) {
                    (None, _) => return false,
                    (Some(unit), None) => {
                        model[unit.var().index()] = Some(unit.is_pos());
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return true;
            }
        }
    }

    fn search(&mut self, model: Vec<Option<bool>>, temporary: &[Lit]) -> Answer {
        let mut stack = vec![model];
        let mut conflicts = 0;
        while let Some(mut model) = stack.pop() {
            if let Some(exhausted) = self.allowance.exhausted() {
                return Answer::Unknown(exhausted);
            }
            if !self.propagate(&mut model, temporary) {
                conflicts += 1;
                self.statistics.conflicts += 1;
                if self.allowance.work.is_some_and(|limit| conflicts > limit) {
                    return Answer::Unknown(Exhausted::Work);
                }
                continue;
            }
            let Some(open) = model.iter().position(Option::is_none) else {
                self.model = model;
                return Answer::Sat;
            };
            for value in [true, false] {
                let mut branch = model.clone();
                branch[open] = Some(value);
                stack.push(branch);
            }
        }
        Answer::Unsat
    }
}

impl Solver for Dpll {
    fn name(&self) -> &'static str {
        "dpll"
    }

    fn new_var(&mut self) -> Var {
        self.variables += 1;
        Var::new(self.variables - 1)
    }

    fn var_count(&self) -> usize {
        self.variables
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.push(clause.to_vec());
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        self.statistics.queries += 1;
        let mut model = vec![None; self.variables];
        for lit in assumptions {
            if Self::value_in(&model, *lit) == Some(false) {
                return Answer::Unsat;
            }
            model[lit.var().index()] = Some(lit.is_pos());
        }
        self.search(model, temporary)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        Self::value_in(&self.model, lit)
    }

    fn failed(&self, _assumption: Lit) -> bool {
        true
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.allowance.work = conflicts;
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}
