//! The interface of all SAT solvers.
//!
//! The contract is written for what IC3 needs: one formula that only grows, and tens of
//! thousands of questions that differ in their assumptions and in at most one clause that holds
//! for a single question. Two things are unusual and both serve speed:
//!
//! * **Definitions.** A clause set may be declared to *define* a variable in terms of others
//!   ([`Solver::add_definition`]). Definitions form a DAG, so a variable that no question
//!   mentions, directly or through definitions, need not be assigned: whatever the rest of the
//!   model is, its value can be computed. A solver may use this to search only in the cone of a
//!   question; a solver that does not care receives plain clauses.
//! * **Partial models.** As a consequence [`Solver::value`] may answer `None` for a variable
//!   outside the question's cone. For an undefined (free) variable this means "any value";
//!   for a defined one, "compute it from its fan-in".

use crate::lit::{Lit, Var};
use answer::{Allowance, Exhausted};

/// What a solver says of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Satisfiable: [`Solver::value`] gives a model.
    Sat,
    /// Unsatisfiable: [`Solver::failed`] tells which assumptions were used.
    Unsat,
    /// Not decided, and why; [`Exhausted::Work`] is a bound on conflicts.
    Unknown(Exhausted),
}

/// Counters that every solver keeps.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of `solve` and `solve_with`.
    pub queries: u64,
    /// Conflicts met.
    pub conflicts: u64,
    /// Decisions made, assumptions not counted.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
}

/// An incremental SAT solver.
pub trait Solver {
    /// A name for messages and statistics.
    fn name(&self) -> &'static str;

    /// A new variable.
    fn new_var(&mut self) -> Var;

    /// How many variables there are.
    fn var_count(&self) -> usize;

    /// Adds a clause for good. The empty clause makes the formula unsatisfiable for good.
    fn add_clause(&mut self, clause: &[Lit]);

    /// Adds clauses that define `out` as a function of the variables `fanin`.
    ///
    /// Requires: every assignment of `fanin` can be extended by a value of `out` such that all
    /// `clauses` hold; the clauses mention only `out` and `fanin`; `out` was not defined before
    /// and occurs in no clause added so far; following definitions never leads back to `out`.
    fn add_definition(&mut self, out: Var, fanin: &[Var], clauses: &[&[Lit]]) {
        let _ = (out, fanin);
        for clause in clauses {
            self.add_clause(clause);
        }
    }

    /// SAT? formula ∧ ⋀ assumptions
    fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_with(assumptions, &[])
    }

    /// SAT? formula ∧ ⋀ assumptions ∧ ⋁ temporary
    ///
    /// `temporary` is a clause for this question only; empty means that there is none (not that
    /// the question is false).
    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer;

    /// After [`Answer::Sat`]: the value of a literal in the model, `None` where the question did
    /// not depend on it (see the module's head).
    fn value(&self, lit: Lit) -> Option<bool>;

    /// After [`Answer::Unsat`]: whether this assumption of the last question belongs to a set of
    /// assumptions that is inconsistent with the formula and the temporary clause. The set is not
    /// always minimal.
    fn failed(&self, assumption: Lit) -> bool;

    /// What each of the questions to come may use; its work is counted in conflicts.
    fn set_allowance(&mut self, allowance: Allowance);

    /// Changes the conflicts that each of the questions to come may use, and nothing else. This
    /// costs next to nothing, so it can be done before every question.
    fn set_work(&mut self, conflicts: Option<u64>);

    /// Counters since the solver was made.
    fn statistics(&self) -> Statistics;
}
