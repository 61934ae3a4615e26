//! Arguments that are one constant in everything derivable take that constant's place.
//!
//! The greatest set of such arguments is found by starting with the least: an argument has no value
//! until a clause concludes one, and is no constant as soon as two differ or one is no constant.

use super::{Origin, each_step};
use crate::model::{Interpretation, Model};
use crate::refutation::Refutation;
use crate::system::{Application, Clause, System};
use passes::Back;
use rustc_hash::FxHashMap;
use term::traverse::{Substitution, substitute};
use term::{Op, Pool, Term};

/// What is known of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Nothing is derived.
    Nothing,
    /// It is this constant.
    Constant(Term),
    /// It may be several things.
    Several,
}

pub(super) struct Constants<'p> {
    pool: &'p Pool,
    origins: Vec<Origin>,
    /// What is said of the parameters that are gone.
    facts: Vec<Term>,
}

/// Takes constant arguments out.
pub(super) fn pass<'p>(pool: &'p Pool, system: &System) -> Option<(System, Constants<'p>)> {
    let known = known(pool, system);
    let constant = |p: usize, i: usize| match known[p][i] {
        Known::Constant(term) => Some(term),
        _ => None,
    };
    if !known.iter().flatten().any(|known| matches!(known, Known::Constant(_))) {
        return None;
    }
    let kept = |application: &Application| -> Application {
        let p = application.predicate;
        let arguments = application.arguments.iter().enumerate();
        let arguments = arguments.filter(|(i, _)| constant(p, *i).is_none()).map(|(_, a)| *a);
        Application { predicate: p, arguments: arguments.collect() }
    };
    let mut clauses = Vec::new();
    let mut origins = Vec::new();
    for (number, clause) in system.clauses.iter().enumerate() {
        let definitions = assumed(pool, clause, &constant);
        let mut substitution = Substitution::new(definitions.variables.iter().copied());
        let mut clause = clause.substituted(pool, &mut substitution);
        let others = definitions.others.iter().map(|(a, b)| pool.eq(*a, *b));
        let others: Vec<Term> = others.map(|term| substitution.apply(pool, term)).collect();
        clause.constraint = pool.and([clause.constraint].into_iter().chain(others));
        clause.body = clause.body.iter().map(kept).collect();
        clause.head = clause.head.as_ref().map(kept);
        clauses.push(clause);
        origins.push(Origin { clause: number, definitions: definitions.variables });
    }
    let mut predicates = system.predicates.clone();
    let mut facts = Vec::new();
    for (p, predicate) in predicates.iter_mut().enumerate() {
        let parameters = std::mem::take(&mut predicate.parameters);
        let mut said = Vec::new();
        for (i, parameter) in parameters.into_iter().enumerate() {
            match constant(p, i) {
                Some(term) => said.push(pool.eq(parameter, term)),
                None => predicate.parameters.push(parameter),
            }
        }
        facts.push(pool.and(said));
    }
    Some((System { predicates, clauses }, Constants { pool, origins, facts }))
}

/// What a clause assumes of constant arguments.
struct Assumed {
    variables: Vec<(Term, Term)>,
    /// Terms that are no variables, with their values.
    others: Vec<(Term, Term)>,
}

fn assumed(
    pool: &Pool,
    clause: &Clause,
    constant: &impl Fn(usize, usize) -> Option<Term>,
) -> Assumed {
    let mut variables: FxHashMap<Term, Term> = FxHashMap::default();
    let (mut order, mut others) = (Vec::new(), Vec::new());
    for body in &clause.body {
        for (i, argument) in body.arguments.iter().enumerate() {
            let Some(value) = constant(body.predicate, i) else { continue };
            let is_variable = matches!(pool.op(*argument), Op::Var(_));
            if is_variable && !variables.contains_key(argument) {
                variables.insert(*argument, value);
                order.push((*argument, value));
            } else {
                others.push((*argument, value));
            }
        }
    }
    Assumed { variables: order, others }
}

/// What is known of every argument, as far as constants go.
fn known(pool: &Pool, system: &System) -> Vec<Vec<Known>> {
    let of = |predicate: &crate::Predicate| vec![Known::Nothing; predicate.parameters.len()];
    let mut known: Vec<Vec<Known>> = system.predicates.iter().map(of).collect();
    let mut derived = vec![false; system.predicates.len()];
    let assuming = system.assuming();
    let mut pending: Vec<usize> = (0..system.clauses.len()).rev().collect();
    let mut queued = vec![true; system.clauses.len()];
    while let Some(number) = pending.pop() {
        queued[number] = false;
        let clause = &system.clauses[number];
        let Some(head) = &clause.head else { continue };
        if !clause.body.iter().all(|body| derived[body.predicate]) {
            continue;
        }
        let constant = |p: usize, i: usize| match known[p][i] {
            Known::Constant(term) => Some(term),
            _ => None,
        };
        let values: Vec<(Term, Term)> = assumed(pool, clause, &constant).variables;
        let mut changed = !std::mem::replace(&mut derived[head.predicate], true);
        for (i, argument) in head.arguments.iter().enumerate() {
            let value = substitute(pool, *argument, values.iter().copied());
            let is_constant = pool.value(value).is_some();
            let before = known[head.predicate][i];
            let after = match before {
                Known::Nothing if is_constant => Known::Constant(value),
                Known::Constant(same) if same == value => before,
                _ => Known::Several,
            };
            changed |= before != after;
            known[head.predicate][i] = after;
        }
        if changed {
            for &next in &assuming[head.predicate] {
                if !std::mem::replace(&mut queued[next], true) {
                    pending.push(next);
                }
            }
        }
    }
    known
}

impl Back for Constants<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, mut invariant: Model) -> Option<Model> {
        for (relation, fact) in invariant.relations.iter_mut().zip(&self.facts) {
            if let Interpretation::Formula(formula) = relation {
                *formula = self.pool.and([*formula, *fact]);
            }
        }
        Some(invariant)
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        each_step(&run, |step| self.origins.get(step.clause)?.step(self.pool, step))
    }
}
