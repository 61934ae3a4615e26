//! The solvers that the engine asks, and the limits of the search.
//!
//! There is one solver for each location: questions about the states there share their formulas.
//! Nothing is asserted; a question has assumptions and a clause, and a formula is bit-blasted once.

use crate::observer::{Observer, Purpose};
use program::cfa::LocationId;
use program::verdict::Reason;
use rustc_hash::FxHashMap;
use smt::{Allowance, Answer, Solver, Solvers};
use std::time::Instant;
use term::{Pool, Term, Value};

/// See the module's head.
pub(crate) struct Questions<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) allowance: Allowance,
    solvers: &'a dyn Solvers,
    by_location: FxHashMap<LocationId, Box<dyn Solver>>,
}

impl<'a> Questions<'a> {
    pub(crate) fn new(
        pool: &'a Pool,
        solvers: &'a dyn Solvers,
        allowance: &Allowance,
        observer: &'a mut dyn Observer,
    ) -> Self {
        let allowance = allowance.clone();
        Questions { pool, observer, allowance, solvers, by_location: FxHashMap::default() }
    }

    /// Ends the search if its time is over or somebody stopped it.
    pub(crate) fn check_allowance(&self) -> Result<(), Reason> {
        match self.allowance.exhausted() {
            Some(exhausted) => Err(exhausted.into()),
            None => Ok(()),
        }
    }

    /// A solver that knows nothing, for small questions.
    pub(crate) fn solver(&self) -> Box<dyn Solver> {
        self.allowed(self.solvers.general())
    }

    /// A solver for the formula of a whole path.
    pub(crate) fn path_solver(&self) -> Box<dyn Solver> {
        self.allowed(self.solvers.floats())
    }

    fn allowed(&self, mut solver: Box<dyn Solver>) -> Box<dyn Solver> {
        solver.set_allowance(self.allowance.clone());
        solver
    }

    /// SAT? ⋀ assumptions ∧ ⋁ clause, where an empty clause is none; asked of the solver of a
    /// location.
    pub(crate) fn satisfiable(
        &mut self,
        at: LocationId,
        purpose: Purpose,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<bool, Reason> {
        let mut solver = self.by_location.remove(&at).unwrap_or_else(|| self.solver());
        let answer = self.ask(&mut *solver, purpose, assumptions, clause);
        self.by_location.insert(at, solver);
        answer
    }

    /// The same, asked of a solver of the caller's.
    pub(crate) fn ask(
        &mut self,
        solver: &mut dyn Solver,
        purpose: Purpose,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<bool, Reason> {
        self.check_allowance()?;
        let started = Instant::now();
        let answer = solver.check_with(self.pool, assumptions, clause);
        self.observer.query(purpose, started.elapsed());
        match answer.map_err(gave_up)? {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(why(reason)),
        }
    }

    /// Whether a formula holds in the model of the last question to the solver of a location.
    pub(crate) fn holds(&mut self, at: LocationId, formula: Term) -> Result<bool, Reason> {
        let solver = self.by_location.get_mut(&at).expect("it was asked");
        holds(self.pool, &mut **solver, formula)
    }
}

/// Whether a formula holds in the model of the last question.
pub(crate) fn holds(pool: &Pool, solver: &mut dyn Solver, formula: Term) -> Result<bool, Reason> {
    Ok(solver.value(pool, formula).map_err(gave_up)? == Value::Bool(true))
}

/// Why the search ends with an error of a solver.
pub(crate) fn gave_up(error: smt::Error) -> Reason {
    Reason::GaveUp(error.to_string())
}

/// Why the search ends with a question that a solver does not answer.
pub(crate) fn why(reason: smt::Reason) -> Reason {
    match reason {
        smt::Reason::Stopped(exhausted) => Reason::Stopped(exhausted),
        smt::Reason::Incomplete(_) => Reason::GaveUp(reason.to_string()),
    }
}
