//! The interface of all SMT solvers.
//!
//! A solver belongs to one [`Pool`]: every call names it, and all terms of all calls must be of
//! it. The formula only grows, or is taken back level by level (`push`, `pop`); a question may
//! add assumptions and one clause of its own, which cost nothing to take back and are what
//! engines with tens of thousands of questions use.

use answer::{Allowance, Exhausted};
use term::{Pool, Term, Value};
use thiserror::Error;

/// What a solver says of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable: [`Solver::value`] reads the model.
    Sat,
    /// Unsatisfiable: [`Solver::core`] tells which assumptions were used.
    Unsat,
    /// Not decided, and why.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Reason {
    /// The [`Allowance`] is used up.
    #[error(transparent)]
    Stopped(#[from] Exhausted),
    /// The solver itself gave up; its own words.
    #[error("incomplete: {0}")]
    Incomplete(String),
}

/// Why a term can't be given to a solver.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A theory or construct outside the solver's reach.
    #[error("{solver} does not support {what}")]
    Unsupported {
        /// The solver's name.
        solver: &'static str,
        /// What it met.
        what: String,
    },
    /// A model that does not satisfy what was asked: a defect, of us or of the solver.
    #[error("the model of {solver} does not satisfy the formula {formula}")]
    WrongModel {
        /// The solver's name.
        solver: &'static str,
        /// A formula that is false in the model.
        formula: String,
    },
    /// An external solver failed: not installed, crashed, or said something unexpected.
    #[error("{solver}: {message}")]
    External {
        /// The solver's name.
        solver: String,
        /// What went wrong.
        message: String,
    },
}

/// Counters that every solver keeps.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Questions asked.
    pub queries: u64,
    /// Conflicts of the SAT solver underneath.
    pub conflicts: u64,
    /// Lemmas added on demand.
    pub lemmas: u64,
}

/// An incremental solver for terms.
pub trait Solver {
    /// A name for messages and statistics.
    fn name(&self) -> &'static str;

    /// Opens a level: what is asserted from here on is forgotten by the matching `pop`.
    fn push(&mut self);

    /// Closes `levels` levels.
    ///
    /// # Panics
    /// If fewer are open.
    fn pop(&mut self, levels: usize);

    /// Adds a formula to the current level.
    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error>;

    /// SAT? formulas ∧ ⋀ assumptions
    fn check(&mut self, pool: &Pool, assumptions: &[Term]) -> Result<Answer, Error> {
        self.check_with(pool, assumptions, &[])
    }

    /// SAT? formulas ∧ ⋀ assumptions ∧ ⋁ clause
    ///
    /// `clause` is for this question only; empty means that there is none.
    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error>;

    /// After [`Answer::Sat`]: the value of a term in the model. Any quantifier-free term may be
    /// asked for, also one that no formula mentions.
    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error>;

    /// After [`Answer::Unsat`]: assumptions of the last question that are inconsistent with the
    /// formulas and the clause; not always minimal.
    fn core(&self) -> Vec<Term>;

    /// What each of the questions to come may use; its work is counted in conflicts of the SAT
    /// solver underneath, where there is one.
    fn set_allowance(&mut self, allowance: Allowance);

    /// Changes the work that each of the questions to come may use, and nothing else. This costs
    /// next to nothing, so it can be done before every question.
    fn set_work(&mut self, conflicts: Option<u64>);

    /// Counters since the solver was made.
    fn statistics(&self) -> Statistics;
}

/// A solver in a box is one as well.
impl<S: Solver + ?Sized> Solver for Box<S> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn push(&mut self) {
        (**self).push();
    }

    fn pop(&mut self, levels: usize) {
        (**self).pop(levels);
    }

    fn assert(&mut self, pool: &Pool, formula: Term) -> Result<(), Error> {
        (**self).assert(pool, formula)
    }

    fn check_with(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        clause: &[Term],
    ) -> Result<Answer, Error> {
        (**self).check_with(pool, assumptions, clause)
    }

    fn value(&mut self, pool: &Pool, term: Term) -> Result<Value, Error> {
        (**self).value(pool, term)
    }

    fn core(&self) -> Vec<Term> {
        (**self).core()
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        (**self).set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        (**self).set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }
}
