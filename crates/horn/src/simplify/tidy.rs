//! What a constraint says a variable equals takes the variable's place: ∀x. x = t ∧ φ ⇒ ψ is φ\[t\] ⇒
//! ψ\[t\]. Clauses whose constraint is false, that conclude what they assume, or that are there twice,
//! go.

use super::{Origin, each_step};
use crate::model::Model;
use crate::refutation::Refutation;
use crate::system::{Clause, System};
use passes::Back;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::{Substitution, conjuncts, free_vars};
use term::{Op, Pool, Term};

/// How often variables are replaced in one clause at most.
const ROUNDS: usize = 60;

pub(super) struct Tidied<'p> {
    pool: &'p Pool,
    origins: Vec<Origin>,
}

/// Tidies all clauses.
pub(super) fn pass<'p>(pool: &'p Pool, system: &System) -> Option<(System, Tidied<'p>)> {
    let mut clauses = Vec::new();
    let mut origins = Vec::new();
    let mut seen = FxHashSet::default();
    let mut changed = false;
    for (number, clause) in system.clauses.iter().enumerate() {
        let (clause, definitions) = solved(pool, clause);
        changed |= !definitions.is_empty();
        let says_nothing = pool.as_bool(clause.constraint) == Some(false)
            || clause.head.as_ref().is_some_and(|head| clause.body.contains(head));
        let key = (clause.body.clone(), clause.constraint, clause.head.clone());
        if says_nothing || !seen.insert(key) {
            changed = true;
            continue;
        }
        clauses.push(clause);
        origins.push(Origin { clause: number, definitions });
    }
    let system = System { predicates: system.predicates.clone(), clauses };
    changed.then_some((system, Tidied { pool, origins }))
}

/// The clause with variables replaced by what they equal, and those definitions.
pub(super) fn solved(pool: &Pool, clause: &Clause) -> (Clause, Vec<(Term, Term)>) {
    let mut clause = clause.clone();
    let mut definitions: Vec<(Term, Term)> = Vec::new();
    for _ in 0..ROUNDS {
        let round = definable(pool, clause.constraint);
        if round.is_empty() {
            break;
        }
        let mut substitution = Substitution::new(round.iter().copied());
        clause = clause.substituted(pool, &mut substitution);
        for (_, definition) in &mut definitions {
            *definition = substitution.apply(pool, *definition);
        }
        definitions.extend(round);
    }
    (clause, definitions)
}

/// Variables that a conjunction says equal a term, none of which occurs in one of the terms.
fn definable(pool: &Pool, constraint: Term) -> Vec<(Term, Term)> {
    let mut found: FxHashMap<Term, Term> = FxHashMap::default();
    let mut mentioned: FxHashSet<Term> = FxHashSet::default();
    let mut order = Vec::new();
    for conjunct in conjuncts(pool, constraint) {
        for (variable, term) in equations(pool, conjunct) {
            if found.contains_key(&variable) || mentioned.contains(&variable) {
                continue;
            }
            let inside = free_vars(pool, &[term]);
            if inside.iter().any(|v| *v == variable || found.contains_key(v)) {
                continue;
            }
            found.insert(variable, term);
            mentioned.extend(inside);
            order.push((variable, term));
            break;
        }
    }
    order
}

/// What a conjunct says of variables.
fn equations(pool: &Pool, conjunct: Term) -> Vec<(Term, Term)> {
    let is_variable = |term: Term| matches!(pool.op(term), Op::Var(_));
    let args = pool.args(conjunct);
    match pool.op(conjunct) {
        Op::Var(_) => vec![(conjunct, pool.tru())],
        Op::Not if is_variable(args[0]) => vec![(args[0], pool.fls())],
        // ¬(x = t) of Booleans
        Op::Not if *pool.op(args[0]) == Op::Eq => {
            let [a, b] = pool.args(args[0])[..] else { return Vec::new() };
            if pool.sort(a) != term::Sort::Bool {
                return Vec::new();
            }
            sides(pool, a, pool.not(b)).into_iter().chain(sides(pool, pool.not(a), b)).collect()
        }
        Op::Eq => sides(pool, args[0], args[1]),
        _ => Vec::new(),
    }
}

/// The sides of an equation that are variables, with the others.
fn sides(pool: &Pool, a: Term, b: Term) -> Vec<(Term, Term)> {
    let is_variable = |term: Term| matches!(pool.op(term), Op::Var(_));
    let pairs = [(a, b), (b, a)].into_iter();
    pairs.filter(|(variable, _)| is_variable(*variable)).collect()
}

impl Back for Tidied<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, invariant: Model) -> Option<Model> {
        Some(invariant)
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        each_step(&run, |step| self.origins.get(step.clause)?.step(self.pool, step))
    }
}
