//! The cone of the queries: predicates of which nothing can be derived are empty, and those on which no
//! query depends may hold of everything.

use super::{Origin, each_step};
use crate::model::{Interpretation, Model};
use crate::refutation::Refutation;
use crate::system::System;
use passes::Back;
use term::Pool;

pub(super) struct Cone<'p> {
    pool: &'p Pool,
    origins: Vec<Origin>,
    /// Of predicates that are gone, whether they hold of everything.
    gone: Vec<Option<bool>>,
}

/// Keeps what the queries depend on.
pub(super) fn pass<'p>(pool: &'p Pool, system: &System) -> Option<(System, Cone<'p>)> {
    let derivable = derivable(system);
    let needed = needed(system, &derivable);
    let gone = derivable.iter().zip(&needed).map(|(derivable, needed)| match (derivable, needed) {
        (false, _) => Some(false),
        (true, false) => Some(true),
        (true, true) => None,
    });
    let gone: Vec<Option<bool>> = gone.collect();
    let stays = |p: usize| gone[p].is_none();
    let mut clauses = Vec::new();
    let mut origins = Vec::new();
    for (number, clause) in system.clauses.iter().enumerate() {
        let body = clause.body.iter().all(|body| stays(body.predicate));
        if body && clause.head.as_ref().is_none_or(|head| stays(head.predicate)) {
            clauses.push(clause.clone());
            origins.push(Origin::of(number));
        }
    }
    if clauses.len() == system.clauses.len() {
        return None;
    }
    let system = System { predicates: system.predicates.clone(), clauses };
    Some((system, Cone { pool, origins, gone }))
}

/// Of which predicates something might be derived, whatever the constraints.
fn derivable(system: &System) -> Vec<bool> {
    let mut derivable = vec![false; system.predicates.len()];
    let assuming = system.assuming();
    let mut pending: Vec<usize> = (0..system.clauses.len()).collect();
    while let Some(number) = pending.pop() {
        let clause = &system.clauses[number];
        let Some(head) = &clause.head else { continue };
        let holds = clause.body.iter().all(|body| derivable[body.predicate]);
        if holds && !std::mem::replace(&mut derivable[head.predicate], true) {
            pending.extend(&assuming[head.predicate]);
        }
    }
    derivable
}

/// The predicates on which queries depend.
fn needed(system: &System, derivable: &[bool]) -> Vec<bool> {
    let mut needed = vec![false; system.predicates.len()];
    let concluding = system.concluding();
    let queries = system.clauses.iter().enumerate().filter(|(_, clause)| clause.head.is_none());
    let mut pending: Vec<usize> = queries.map(|(number, _)| number).collect();
    while let Some(number) = pending.pop() {
        let clause = &system.clauses[number];
        if !clause.body.iter().all(|body| derivable[body.predicate]) {
            continue;
        }
        for body in &clause.body {
            if !std::mem::replace(&mut needed[body.predicate], true) {
                pending.extend(&concluding[body.predicate]);
            }
        }
    }
    needed
}

impl Back for Cone<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, mut invariant: Model) -> Option<Model> {
        for (relation, gone) in invariant.relations.iter_mut().zip(&self.gone) {
            if let Some(everything) = gone {
                *relation = Interpretation::Formula(self.pool.bool(*everything));
            }
        }
        Some(invariant)
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        each_step(&run, |step| self.origins.get(step.clause)?.step(self.pool, step))
    }
}
