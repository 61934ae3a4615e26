//! What holds of formulas that held of other clauses: those that follow from each other (Houdini,
//! C. Flanagan, K. R. M. Leino: *Houdini, an annotation assistant for ESC/Java*, FME 2001, on clauses).
//!
//! Formulas over the parameters of each predicate are believed of the premises of every clause; one that
//! a clause does not conclude is dropped, until all that are left are concluded wherever their predicate
//! is. They hold of everything derivable then, whatever they were guessed from.

use crate::hull::Hull;
use crate::rule::{reason, stopped};
use answer::{Allowance, Reason};
use horn::model::instance;
use horn::{PredicateId, System};
use smt::{Answer, Solver, Solvers};
use term::{Pool, Sort, Term, Value};

/// A clause that concludes candidates, with a solver that knows what it assumes.
struct Clause {
    /// What is believed of its premises: the predicate, which of its candidates, what switches it on.
    believed: Vec<(PredicateId, usize, Term)>,
    /// The predicate that it concludes; none: `false`.
    head: Option<PredicateId>,
    /// The negations of what it has to conclude, in the order of candidates.
    denied: Vec<Term>,
    solver: Box<dyn Solver>,
}

/// The candidates that hold, and whether they exclude the queries.
///
/// `candidates` are over the parameters of the predicates, by predicates.
pub fn sift(
    pool: &Pool,
    system: &System,
    candidates: Vec<Vec<Term>>,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Hull, Reason> {
    let mut clauses = Vec::new();
    for clause in &system.clauses {
        let claims = |head: &horn::Application| !candidates[head.predicate].is_empty();
        if clause.head.as_ref().is_none_or(claims) {
            clauses.push(Clause::of(pool, system, clause, &candidates, solvers, allowance)?);
        }
    }
    let mut alive: Vec<Vec<bool>> = candidates.iter().map(|all| vec![true; all.len()]).collect();
    let mut again = true;
    while again {
        again = false;
        for clause in &mut clauses {
            let Some(head) = clause.head else { continue };
            while let Some(broken) = clause.broken(pool, &alive)? {
                broken.into_iter().for_each(|number| alive[head][number] = false);
                again = true;
            }
        }
    }
    let mut proves = true;
    for query in clauses.iter_mut().filter(|clause| clause.head.is_none()) {
        proves = proves && query.broken(pool, &alive)?.is_none();
    }
    let kept = candidates.into_iter().zip(alive).map(|(formulas, alive)| {
        formulas.into_iter().zip(alive).filter_map(|(f, alive)| alive.then_some(f)).collect()
    });
    Ok(Hull { of: kept.collect(), proves })
}

impl Clause {
    fn of(
        pool: &Pool,
        system: &System,
        clause: &horn::Clause,
        candidates: &[Vec<Term>],
        solvers: &dyn Solvers,
        allowance: &Allowance,
    ) -> Result<Clause, Reason> {
        let mut solver = solvers.general();
        solver.set_allowance(allowance.clone());
        let mut told = vec![clause.constraint];
        let mut believed = Vec::new();
        for premise in &clause.body {
            let predicate = &system.predicates[premise.predicate];
            for (number, &formula) in candidates[premise.predicate].iter().enumerate() {
                let on = pool.fresh_var("believed", Sort::Bool);
                told.push(pool.implies(on, instance(pool, predicate, premise, formula)));
                believed.push((premise.predicate, number, on));
            }
        }
        for formula in told {
            solver.assert(pool, formula).map_err(|error| reason(&error))?;
        }
        let denied = clause.head.iter().flat_map(|head| {
            let predicate = &system.predicates[head.predicate];
            let formulas = candidates[head.predicate].iter();
            formulas.map(|formula| pool.not(instance(pool, predicate, head, *formula)))
        });
        let denied = denied.collect();
        let head = clause.head.as_ref().map(|head| head.predicate);
        Ok(Clause { believed, head, denied, solver })
    }

    /// Candidates of the head that the clause does not conclude, by numbers; none if it concludes all that
    /// are left. Of a query: something, if it is not excluded.
    fn broken(&mut self, pool: &Pool, alive: &[Vec<bool>]) -> Result<Option<Vec<usize>>, Reason> {
        let believed = self.believed.iter().filter(|(predicate, n, _)| alive[*predicate][*n]);
        let believed: Vec<Term> = believed.map(|(_, _, on)| *on).collect();
        let claimed: Vec<(usize, Term)> = match self.head {
            None => Vec::new(),
            Some(head) => (self.denied.iter().copied().enumerate())
                .filter(|(number, _)| alive[head][*number])
                .collect(),
        };
        if self.head.is_some() && claimed.is_empty() {
            return Ok(None);
        }
        let denied: Vec<Term> = claimed.iter().map(|(_, denied)| *denied).collect();
        // SAT? constraint ∧ candidates of the premises ∧ ⋁ ¬ candidates of the head
        let asked = self.solver.check_with(pool, &believed, &denied);
        match asked.map_err(|error| reason(&error))? {
            Answer::Unsat => return Ok(None),
            Answer::Unknown(why) => return Err(stopped(why)),
            Answer::Sat => {}
        }
        let mut broken = Vec::new();
        for (number, denied) in claimed {
            let value = self.solver.value(pool, denied).map_err(|error| reason(&error))?;
            if value == Value::Bool(true) {
                broken.push(number);
            }
        }
        match self.head.is_some() && broken.is_empty() {
            true => Err(Reason::GaveUp("the model of a question does not answer it".to_owned())),
            false => Ok(Some(broken)),
        }
    }
}
