//! Simpler systems with the same answer, and the way back for evidence.
//!
//! | pass | what it does |
//! |---|---|
//! | [`tidy`] | what a constraint says a variable equals takes the variable's place; clauses that say nothing go |
//! | [`cone`] | predicates that cannot be derived, or on which no query depends, go |
//! | [`constants`] | arguments that are the same constant in everything derivable go |
//! | [`slice`](mod@slice) | arguments that nothing depends on go |
//! | [`inline`] | predicates that do not depend on themselves are replaced by what their clauses say |
//! | [`split`] | arguments that take few values become part of the predicate, in the end |
//!
//! Each pass is a [`Back`] of its own; [`simplify`] makes a list of them. A model of the simpler
//! system becomes one of the original, a derivation of `false` too. Predicates keep their numbers
//! and, of those that stay, their parameters; cases of split ones come after them.

mod cone;
mod constants;
mod inline;
mod slice;
mod split;
mod tidy;

use crate::model::Model;
use crate::refutation::{Refutation, Step};
use crate::system::System;
use answer::Allowance;
use passes::{Back, Form, Pipeline};
use rustc_hash::FxHashMap;
use smt::Solvers;
use std::time::Duration;
use term::eval::evaluate;
use term::{Pool, Term, Value};

impl Form for System {
    type Invariant = Model;
    type Run = Refutation;
}

/// A simpler system.
pub struct Simplified<'p> {
    /// The system.
    pub system: System,
    /// The way back.
    pub back: Pipeline<'p, System>,
}

/// How often the passes are run at most.
const ROUNDS: usize = 4;
/// The share of the time that splitting may take, and the most.
const SHARE: f64 = 0.1;
const MOST: Duration = Duration::from_secs(1);

/// Simplifies a system; a pass that is stopped leaves it as it is.
pub fn simplify<'p>(
    pool: &'p Pool,
    system: &System,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Simplified<'p> {
    let mut simplified = Simplified { system: system.clone(), back: Pipeline::default() };
    let mut order = inline::Order::of(system);
    for _ in 0..ROUNDS {
        let before = size(&simplified.system);
        simplified.pass_cheaply(pool);
        simplified.pass(|system| inline::pass(pool, system, &mut order, allowance));
        if size(&simplified.system) == before || allowance.exhausted().is_some() {
            break;
        }
    }
    simplified.pass(|system| tidy::pass(pool, system));
    let short = allowance.within(allowance.share(SHARE, MOST));
    simplified.pass(|system| split::pass(pool, system, solvers, &short));
    for _ in 0..ROUNDS {
        let before = size(&simplified.system);
        simplified.pass_cheaply(pool);
        if size(&simplified.system) == before {
            break;
        }
    }
    simplified
}

/// What passes make smaller: clauses, arguments.
fn size(system: &System) -> (usize, usize, usize) {
    let applications =
        system.clauses.iter().flat_map(|clause| clause.body.iter().chain(&clause.head));
    let arguments = system.predicates.iter().map(|predicate| predicate.parameters.len()).sum();
    (system.clauses.len(), applications.count(), arguments)
}

impl<'p> Simplified<'p> {
    /// The passes that take next to no time.
    fn pass_cheaply(&mut self, pool: &'p Pool) {
        self.pass(|system| tidy::pass(pool, system));
        self.pass(|system| cone::pass(pool, system));
        self.pass(|system| constants::pass(pool, system));
        self.pass(|system| slice::pass(pool, system));
    }

    /// Runs a pass; none: it had nothing to do.
    fn pass<B: Back<Before = System, After = System> + 'p>(
        &mut self,
        pass: impl FnOnce(&System) -> Option<(System, B)>,
    ) {
        if let Some((system, back)) = pass(&self.system) {
            self.system = system;
            self.back.push(back);
        }
    }
}

/// Where a clause comes from that was made of one clause by replacing variables.
#[derive(Clone, Debug)]
struct Origin {
    /// The clause.
    clause: usize,
    /// What took the place of variables, over those that are left.
    definitions: Vec<(Term, Term)>,
}

impl Origin {
    /// A clause that was not changed.
    fn of(clause: usize) -> Origin {
        Origin { clause, definitions: Vec::new() }
    }

    /// The step of the original clause that a step of the new one stands for.
    fn step(&self, pool: &Pool, step: &Step) -> Option<Step> {
        let mut values = step.values.clone();
        let known: FxHashMap<Term, Value> = step.values.iter().cloned().collect();
        for (variable, definition) in &self.definitions {
            values.push((*variable, evaluate(pool, *definition, &known).ok()?));
        }
        Some(Step { clause: self.clause, values, premises: step.premises.clone() })
    }
}

/// A derivation step by step.
fn each_step(run: &Refutation, mut step: impl FnMut(&Step) -> Option<Step>) -> Option<Refutation> {
    let steps = run.steps.iter().map(&mut step).collect::<Option<Vec<Step>>>()?;
    Some(Refutation { steps })
}
