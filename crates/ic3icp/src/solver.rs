//! Where solvers come from, and what more than [`smt::Solver`] is asked of them.

use crate::options::SolverKind;
use icp::Icp;
use smt::{Allowance, Answer, Error, Solver, Solvers, Statistics};
use term::{Pool, Term, Value};

/// A solver of which bounds may be asked.
pub trait BoundSolver: Solver {
    /// Whether it tells how weak the bounds of its last core may be; if not, it is asked question by question
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

/// The solver over bounds, which also knows whether bounds gave its last answer.
#[derive(Default)]
struct Bounds {
    icp: Icp,
    by_bits: bool,
}

impl Solver for Bounds {
    fn name(&self) -> &'static str {
        self.icp.name()
    }

    fn push(&mut self) {
        self.icp.push();
    }

    fn pop(&mut self, levels: usize) {
        self.icp.pop(levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        self.icp.assert(pool, formula)
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        let before = self.icp.by_bits();
        let answer = self.icp.check_with(pool, assumptions, clause);
        self.by_bits = self.icp.by_bits() > before;
        answer
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        self.icp.value(pool, term)
    }

    fn core(&self) -> Vec<Term> {
        self.icp.core()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.icp.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.icp.set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.icp.statistics()
    }
}

impl BoundSolver for Bounds {
    fn tells_weakest(&self) -> bool {
        !self.by_bits
    }

    fn weakest(&mut self, pool: &Pool) -> Vec<(Term, Term)> {
        let weakest = self.icp.weakest(pool).into_iter();
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
            SolverKind::Icp => Box::new(Bounds::default()),
            SolverKind::Blast => Box::new(self.solvers.bits()),
        };
        solver.set_allowance(self.allowance.clone());
        solver
    }
}
