//! Derivations with concrete values, of what is known to be derivable.

use crate::facts::Facts;
use crate::rule::{reason, stopped};
use answer::{Allowance, Reason};
use horn::{PredicateId, Refutation, Step, System};
use rustc_hash::FxHashMap;
use smt::{Answer, Solver, Solvers};
use term::{Pool, Term, Value, evaluate};

/// The values of a predicate's arguments.
type Tuple = Vec<Value>;

/// The derivation of `false` that facts stand for.
///
/// Requires: the last predicate's, that of the queries, has a fact.
pub(crate) fn derivation(
    pool: &Pool,
    system: &System,
    facts: &Facts,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Refutation, Reason> {
    let mut concrete = Concrete { pool, system, facts, solvers, allowance };
    let mut done: FxHashMap<(PredicateId, usize, Tuple), usize> = FxHashMap::default();
    let mut steps: Vec<Step> = Vec::new();
    // Each entry: what is to be derived; once its premises are known, with them.
    let query = system.predicates.len();
    let mut pending = vec![Task { key: (query, 0, Vec::new()), opened: None }];
    while let Some(task) = pending.pop() {
        if done.contains_key(&task.key) {
            continue;
        }
        match task.opened {
            None => {
                let opened = concrete.open(&task.key)?;
                let needed = opened.premises.clone();
                pending.push(Task { key: task.key, opened: Some(opened) });
                let new = needed.into_iter().filter(|key| !done.contains_key(key));
                pending.extend(new.map(|key| Task { key, opened: None }));
            }
            Some(Opened { clause, values, premises }) => {
                let premises = premises.iter().map(|key| done[key]).collect();
                steps.push(Step { clause, values, premises });
                done.insert(task.key, steps.len() - 1);
            }
        }
    }
    Ok(Refutation { steps })
}

/// A fact of a predicate at concrete values.
type Key = (PredicateId, usize, Tuple);

struct Task {
    key: Key,
    opened: Option<Opened>,
}

/// How a fact at concrete values is derived.
struct Opened {
    clause: usize,
    values: Vec<(Term, Value)>,
    premises: Vec<Key>,
}

struct Concrete<'a> {
    pool: &'a Pool,
    system: &'a System,
    facts: &'a Facts,
    solvers: &'a dyn Solvers,
    allowance: &'a Allowance,
}

impl Concrete<'_> {
    /// SAT? constraint ∧ head = tuple ∧ ⋀ facts of the premises
    fn open(&mut self, (predicate, number, tuple): &Key) -> Result<Opened, Reason> {
        let (pool, system) = (self.pool, self.system);
        let fact = &self.facts.of(*predicate)[*number];
        let clause = &system.clauses[fact.clause];
        let mut solver = self.solvers.general();
        solver.set_allowance(self.allowance.clone());
        let mut parts = vec![clause.constraint];
        if let Some(head) = &clause.head {
            let pairs = head.arguments.iter().zip(tuple);
            parts.extend(pairs.map(|(a, v)| pool.eq(*a, pool.constant(v.clone()))));
        }
        for (body, premise) in clause.body.iter().zip(&fact.premises) {
            let formula = self.facts.of(body.predicate)[*premise].formula;
            parts.push(system.predicates[body.predicate].instance(body).apply(pool, formula));
        }
        let variables = clause.variables(pool);
        let values = satisfy(pool, &mut *solver, pool.and(parts), &variables)?
            .ok_or_else(|| Reason::GaveUp("a fact has no derivation".to_owned()))?;
        let mut premises = Vec::new();
        for (body, premise) in clause.body.iter().zip(&fact.premises) {
            premises.push((body.predicate, *premise, at(pool, &body.arguments, &values)?));
        }
        let values = variables.iter().map(|v| (*v, values[v].clone())).collect();
        Ok(Opened { clause: fact.clause, values, premises })
    }
}

/// SAT? formula; the values of the variables, if it is.
fn satisfy(
    pool: &Pool,
    solver: &mut dyn Solver,
    formula: Term,
    variables: &[Term],
) -> Result<Option<FxHashMap<Term, Value>>, Reason> {
    solver.assert(pool, formula).map_err(|error| reason(&error))?;
    match solver.check(pool, &[]).map_err(|error| reason(&error))? {
        Answer::Sat => {}
        Answer::Unsat => return Ok(None),
        Answer::Unknown(why) => return Err(stopped(why)),
    }
    let mut values = FxHashMap::default();
    for variable in variables {
        let value = solver.value(pool, *variable).map_err(|error| reason(&error))?;
        values.insert(*variable, value);
    }
    Ok(Some(values))
}

/// The values of arguments.
fn at(pool: &Pool, arguments: &[Term], values: &FxHashMap<Term, Value>) -> Result<Tuple, Reason> {
    let value = |argument: &Term| evaluate(pool, *argument, values);
    let tuple = arguments.iter().map(value).collect::<Result<Tuple, _>>();
    tuple.map_err(|error| Reason::GaveUp(error.to_string()))
}

/// A derivation of `false` that passes only through the given tuples; none if there is none.
///
/// Clause by clause it is asked whether one that was not derived yet follows from those that were.
pub fn from_tuples(
    pool: &Pool,
    system: &System,
    tuples: &[(PredicateId, Tuple)],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Option<Refutation>, Reason> {
    let mut steps: Vec<Step> = Vec::new();
    let mut derived: Vec<Option<usize>> = vec![None; tuples.len()];
    let mut search = Through { pool, system, tuples, solvers, allowance };
    loop {
        let mut changed = false;
        for target in 0..tuples.len() {
            if derived[target].is_some() {
                continue;
            }
            let (predicate, tuple) = &tuples[target];
            for (number, clause) in system.clauses.iter().enumerate() {
                if clause.concludes(*predicate)
                    && let Some(step) = search.step(number, Some(tuple), &derived)?
                {
                    steps.push(step);
                    derived[target] = Some(steps.len() - 1);
                    changed = true;
                    break;
                }
            }
        }
        for (number, clause) in system.clauses.iter().enumerate() {
            if clause.head.is_none()
                && let Some(step) = search.step(number, None, &derived)?
            {
                steps.push(step);
                return Ok(Some(Refutation { steps }));
            }
        }
        if !changed {
            return Ok(None);
        }
    }
}

struct Through<'a> {
    pool: &'a Pool,
    system: &'a System,
    tuples: &'a [(PredicateId, Tuple)],
    solvers: &'a dyn Solvers,
    allowance: &'a Allowance,
}

impl Through<'_> {
    /// SAT? constraint ∧ head = tuple ∧ ⋀ each premise is one of the derived tuples
    fn step(
        &mut self,
        number: usize,
        tuple: Option<&Tuple>,
        derived: &[Option<usize>],
    ) -> Result<Option<Step>, Reason> {
        let (pool, clause) = (self.pool, &self.system.clauses[number]);
        let equal = |arguments: &[Term], tuple: &Tuple| {
            let pairs = arguments.iter().zip(tuple);
            pool.and(pairs.map(|(a, v)| pool.eq(*a, pool.constant(v.clone()))))
        };
        let mut parts = vec![clause.constraint];
        if let (Some(head), Some(tuple)) = (&clause.head, tuple) {
            parts.push(equal(&head.arguments, tuple));
        }
        for body in &clause.body {
            let known = self.tuples.iter().zip(derived);
            let known = known.filter(|((p, _), at)| *p == body.predicate && at.is_some());
            parts.push(pool.or(known.map(|((_, tuple), _)| equal(&body.arguments, tuple))));
        }
        let formula = pool.and(parts);
        if pool.as_bool(formula) == Some(false) {
            return Ok(None);
        }
        let mut solver = self.solvers.general();
        solver.set_allowance(self.allowance.clone());
        let variables = clause.variables(pool);
        let Some(values) = satisfy(pool, &mut *solver, formula, &variables)? else {
            return Ok(None);
        };
        let mut premises = Vec::new();
        for body in &clause.body {
            let tuple = at(pool, &body.arguments, &values)?;
            let same = |at: &usize| {
                let (predicate, known) = &self.tuples[*at];
                *predicate == body.predicate && *known == tuple && derived[*at].is_some()
            };
            let Some(at) = (0..derived.len()).find(same) else { return Ok(None) };
            premises.extend(derived[at]);
        }
        let values = variables.iter().map(|v| (*v, values[v].clone())).collect();
        Ok(Some(Step { clause: number, values, premises }))
    }
}
