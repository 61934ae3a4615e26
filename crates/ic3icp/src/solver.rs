//! Where solvers come from, and what more than [`smt::Solver`] is asked of them.

use crate::options::SolverKind;
use icp::Icp;
use smt::{Allowance, Solver, Solvers};
use term::{Pool, Term};

/// A solver of which bounds may be asked.
pub trait BoundSolver: Solver {
    /// Whether it tells how weak the bounds of a core may be; if not, it is asked question by question
    /// (`weakening`).
    fn tells_weakest(&self) -> bool {
        false
    }

    /// After [`smt::Answer::Unsat`]: the assumptions of the core, each with the weakest bound that may
    /// take its place, all at once ([Sch §III-B]).
    fn weakest(&mut self, pool: &Pool) -> Vec<(Term, Term)> {
        let _ = pool;
        self.core().into_iter().map(|assumption| (assumption, assumption)).collect()
    }
}

impl BoundSolver for Icp {
    fn tells_weakest(&self) -> bool {
        true
    }

    fn weakest(&mut self, pool: &Pool) -> Vec<(Term, Term)> {
        let weakest = Icp::weakest(self, pool).into_iter();
        weakest.map(|weakest| (weakest.assumption, weakest.bound)).collect()
    }
}

/// Any solver, which tells nothing more.
impl BoundSolver for Box<dyn Solver> {}

/// Makes solvers of a kind.
pub struct Factory<'a> {
    kind: SolverKind,
    solvers: &'a dyn Solvers,
    allowance: Allowance,
}

impl<'a> Factory<'a> {
    /// A factory; bit-blasting solvers come from `solvers`.
    pub fn new(kind: SolverKind, solvers: &'a dyn Solvers, allowance: &Allowance) -> Self {
        Factory { kind, solvers, allowance: allowance.clone() }
    }

    /// A solver without formulas.
    pub fn make(&self) -> Box<dyn BoundSolver> {
        let mut solver: Box<dyn BoundSolver> = match self.kind {
            SolverKind::Icp => Box::new(Icp::new()),
            SolverKind::Blast => Box::new(self.solvers.bits()),
        };
        solver.set_allowance(self.allowance.clone());
        solver
    }
}
