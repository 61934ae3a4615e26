//! What shows that a system is unsatisfiable: a derivation of `false` with concrete values.

use crate::system::System;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use term::eval::{Assignment, evaluate};
use term::{Func, Pool, Symbol, Term, Value};

/// A derivation, premises before what follows from them; the last step derives `false`. A step may
/// be the premise of several others, so that a tree in which parts repeat is no larger than its
/// different parts.
#[derive(Clone, Debug, Default)]
pub struct Refutation {
    /// The steps.
    pub steps: Vec<Step>,
}

/// A clause at concrete values.
#[derive(Clone, Debug)]
pub struct Step {
    /// The number of the clause.
    pub clause: usize,
    /// The values of its variables; one without has the default value of its sort.
    pub values: Vec<(Term, Value)>,
    /// For each application that the clause assumes, the step that derives it.
    pub premises: Vec<usize>,
}

/// What is wrong with a refutation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RefutationError {
    /// It has no steps.
    #[error("the refutation is empty")]
    Empty,
    /// A step names a clause that is not there.
    #[error("step {0} uses a clause that the system does not have")]
    NoClause(usize),
    /// A step has another number of premises than its clause, or one that does not come before it.
    #[error("step {0} does not have the premises that its clause needs")]
    Premises(usize),
    /// The constraint of a step's clause is not true.
    #[error("step {0}: the constraint of its clause does not hold")]
    Constraint(usize),
    /// A premise derives something else.
    #[error("step {0}: premise {1} derives something else")]
    Premise(usize, usize),
    /// A step depends on what SMT-LIB leaves open, such as a division by zero.
    #[error("step {0} depends on what the theory leaves open")]
    Open(usize),
    /// The last step does not derive `false`.
    #[error("the last step does not derive false")]
    End,
}

/// Values, and whether anything was asked for that the theory leaves open.
struct Concrete<'a> {
    values: &'a FxHashMap<Term, Value>,
    open: Cell<bool>,
}

impl Assignment for Concrete<'_> {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.values.get(&term).cloned()
    }

    fn function(&self, _: Func, _: &[&Value]) -> Option<Value> {
        self.open.set(true);
        None
    }
}

/// The predicate that a step derives, with the values of its arguments; none: `false`.
pub type Fact = Option<(usize, Vec<Value>)>;

impl Refutation {
    /// Evaluates every step; what each derives.
    pub fn replay(&self, pool: &Pool, system: &System) -> Result<Vec<Fact>, RefutationError> {
        let mut facts: Vec<Fact> = Vec::new();
        for (number, step) in self.steps.iter().enumerate() {
            facts.push(step.derived(pool, system, number, &facts)?);
        }
        match facts.last() {
            None => Err(RefutationError::Empty),
            Some(None) => Ok(facts),
            Some(Some(_)) => Err(RefutationError::End),
        }
    }
}

impl Step {
    /// What the step derives from the facts before it.
    fn derived(
        &self,
        pool: &Pool,
        system: &System,
        number: usize,
        facts: &[Fact],
    ) -> Result<Fact, RefutationError> {
        let clause = system.clauses.get(self.clause).ok_or(RefutationError::NoClause(number))?;
        let values: FxHashMap<Term, Value> = self.values.iter().cloned().collect();
        let concrete = Concrete { values: &values, open: Cell::new(false) };
        let value = |term: Term| evaluate(pool, term, &concrete).ok();
        if value(clause.constraint) != Some(Value::Bool(true)) {
            return Err(RefutationError::Constraint(number));
        }
        if self.premises.len() != clause.body.len() {
            return Err(RefutationError::Premises(number));
        }
        for (at, (premise, body)) in self.premises.iter().zip(&clause.body).enumerate() {
            let fact = facts.get(*premise).ok_or(RefutationError::Premises(number))?;
            let arguments = body.arguments.iter().map(|a| value(*a));
            let arguments: Option<Vec<Value>> = arguments.collect();
            let same = match (fact, arguments) {
                (Some((predicate, known)), Some(arguments)) => {
                    *predicate == body.predicate && *known == arguments
                }
                _ => false,
            };
            if !same {
                return Err(RefutationError::Premise(number, at));
            }
        }
        let derived = match &clause.head {
            None => None,
            Some(head) => {
                let arguments = head.arguments.iter().map(|a| value(*a));
                let arguments: Option<Vec<Value>> = arguments.collect();
                Some((head.predicate, arguments.ok_or(RefutationError::Constraint(number))?))
            }
        };
        match concrete.open.get() {
            true => Err(RefutationError::Open(number)),
            false => Ok(derived),
        }
    }
}
