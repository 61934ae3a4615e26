//! Arguments that nothing depends on go.
//!
//! An argument is needed if a clause that assumes its predicate says something of it: it is no
//! variable there, or one that the constraint, another assumed argument or a needed argument of the
//! head mentions. What a derivation has in the other arguments follows from its steps, from the
//! first on.

use crate::model::Model;
use crate::refutation::{Refutation, Step};
use crate::system::{Application, Clause, System};
use passes::Back;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::evaluate;
use term::traverse::free_vars;
use term::{Op, Pool, Term, Value};

pub(super) struct Sliced<'p> {
    pool: &'p Pool,
    before: System,
    needed: Vec<Vec<bool>>,
}

/// Takes arguments out that nothing depends on.
pub(super) fn pass<'p>(pool: &'p Pool, system: &System) -> Option<(System, Sliced<'p>)> {
    let needed = needed(pool, system);
    if needed.iter().flatten().all(|needed| *needed) {
        return None;
    }
    let kept = |application: &Application| -> Application {
        let p = application.predicate;
        let arguments = application.arguments.iter().enumerate();
        let arguments = arguments.filter(|(i, _)| needed[p][*i]).map(|(_, a)| *a);
        Application { predicate: p, arguments: arguments.collect() }
    };
    let clause = |clause: &Clause| Clause {
        body: clause.body.iter().map(kept).collect(),
        head: clause.head.as_ref().map(kept),
        ..clause.clone()
    };
    let clauses = system.clauses.iter().map(clause).collect();
    let mut predicates = system.predicates.clone();
    for (predicate, needed) in predicates.iter_mut().zip(&needed) {
        let mut flags = needed.iter();
        predicate.parameters.retain(|_| *flags.next().expect("a flag for each parameter"));
    }
    let back = Sliced { pool, before: system.clone(), needed };
    Some((System { predicates, clauses }, back))
}

/// What is needed of each predicate's arguments.
fn needed(pool: &Pool, system: &System) -> Vec<Vec<bool>> {
    let of = |predicate: &crate::Predicate| vec![false; predicate.parameters.len()];
    let mut needed: Vec<Vec<bool>> = system.predicates.iter().map(of).collect();
    let concluding = system.concluding();
    let mut pending: Vec<usize> = (0..system.clauses.len()).collect();
    let mut queued = vec![true; system.clauses.len()];
    while let Some(number) = pending.pop() {
        queued[number] = false;
        let clause = &system.clauses[number];
        let used = used(pool, clause, &needed);
        let mut seen: FxHashMap<Term, usize> = FxHashMap::default();
        for argument in clause.body.iter().flat_map(|body| &body.arguments) {
            for variable in free_vars(pool, &[*argument]) {
                *seen.entry(variable).or_default() += 1;
            }
        }
        for body in &clause.body {
            for (i, argument) in body.arguments.iter().enumerate() {
                let plain = matches!(pool.op(*argument), Op::Var(_))
                    && seen[argument] == 1
                    && !used.contains(argument);
                if !plain && !std::mem::replace(&mut needed[body.predicate][i], true) {
                    for &next in &concluding[body.predicate] {
                        if !std::mem::replace(&mut queued[next], true) {
                            pending.push(next);
                        }
                    }
                }
            }
        }
    }
    needed
}

/// The variables that the constraint and the needed arguments of the head mention.
fn used(pool: &Pool, clause: &Clause, needed: &[Vec<bool>]) -> FxHashSet<Term> {
    let mut terms = vec![clause.constraint];
    if let Some(head) = &clause.head {
        let arguments = head.arguments.iter().zip(&needed[head.predicate]);
        terms.extend(arguments.filter(|(_, needed)| **needed).map(|(argument, _)| *argument));
    }
    free_vars(pool, &terms).into_iter().collect()
}

impl Back for Sliced<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, invariant: Model) -> Option<Model> {
        Some(invariant)
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        let mut facts: Vec<Vec<Value>> = Vec::new();
        let mut steps = Vec::new();
        for step in run.steps {
            let clause = self.before.clauses.get(step.clause)?;
            let mut values: FxHashMap<Term, Value> = step.values.iter().cloned().collect();
            let mut all = step.values.clone();
            for (body, premise) in clause.body.iter().zip(&step.premises) {
                for (i, argument) in body.arguments.iter().enumerate() {
                    if !self.needed[body.predicate][i] {
                        let value = facts.get(*premise)?.get(i)?.clone();
                        values.insert(*argument, value.clone());
                        all.retain(|(variable, _)| variable != argument);
                        all.push((*argument, value));
                    }
                }
            }
            let arguments = clause.head.iter().flat_map(|head| &head.arguments);
            let fact = arguments.map(|argument| evaluate(self.pool, *argument, &values).ok());
            facts.push(fact.collect::<Option<Vec<Value>>>()?);
            steps.push(Step { values: all, ..step });
        }
        Some(Refutation { steps })
    }
}
