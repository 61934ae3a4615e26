//! Predicates that do not depend on themselves are replaced by what their clauses say: each clause that
//! assumes one is resolved with each that concludes it.
//!
//! A predicate is taken where that makes no more clauses than there were, and none that is too large.
//! In a model such a predicate is what its clauses say ([`Interpretation::Clauses`]); of a derivation,
//! each step is taken apart into those that it was made of.

use super::tidy::solved;
use crate::model::{Interpretation, Model};
use crate::refutation::{Refutation, Step};
use crate::system::{Clause, PredicateId, System};
use passes::Back;
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::evaluate;
use term::traverse::{conjuncts, size};
use term::{Op, Pool, Term, Value};

/// The most nodes that the terms of a clause made here may have.
const MAX_SIZE: usize = 3_000;
/// The most predicates that it may assume.
const MAX_BODY: usize = 8;
/// How many clauses more than before a predicate that is inlined may leave.
const GROWTH: usize = 2;

/// How a clause came about.
#[derive(Clone, Debug)]
enum Made {
    /// It is a clause of the system before.
    Given(usize),
    /// An application that `outer` assumes was replaced by what `inner` assumes.
    Resolved {
        outer: usize,
        /// Which application.
        at: usize,
        inner: usize,
        /// The variables of the inner clause, and those it had when it was made.
        renaming: Vec<(Term, Term)>,
        /// What took the place of variables of both.
        definitions: Vec<(Term, Term)>,
    },
}

pub(super) struct Inlined<'p> {
    pool: &'p Pool,
    /// All clauses that were made on the way, with how many predicates each assumes.
    made: Vec<(Made, usize)>,
    /// Which of them each clause of the new system is.
    result: Vec<usize>,
    /// The predicates that are gone.
    gone: Vec<PredicateId>,
}

/// A clause at work, with its number among those made.
type Numbered = (usize, Clause);

struct Inliner<'p> {
    pool: &'p Pool,
    made: Vec<(Made, usize)>,
    clauses: Vec<Option<Numbered>>,
    concluding: Vec<FxHashSet<usize>>,
    assuming: Vec<FxHashSet<usize>>,
}

/// Inlines what can be inlined.
pub(super) fn pass<'p>(pool: &'p Pool, system: &System) -> Option<(System, Inlined<'p>)> {
    let count = system.predicates.len();
    let mut inliner = Inliner {
        pool,
        made: Vec::new(),
        clauses: Vec::new(),
        concluding: vec![FxHashSet::default(); count],
        assuming: vec![FxHashSet::default(); count],
    };
    for (number, clause) in system.clauses.iter().enumerate() {
        inliner.add(Made::Given(number), clause.clone());
    }
    let mut gone = Vec::new();
    loop {
        let before = gone.len();
        let mut order: Vec<PredicateId> = (0..count).collect();
        order.sort_by_key(|p| inliner.concluding[*p].len() * inliner.assuming[*p].len());
        for p in order {
            if inliner.inline(p) {
                gone.push(p);
            }
        }
        if gone.len() == before {
            break;
        }
    }
    if gone.is_empty() {
        return None;
    }
    let (result, clauses) = inliner.clauses.into_iter().flatten().unzip();
    let system = System { predicates: system.predicates.clone(), clauses };
    Some((system, Inlined { pool, made: inliner.made, result, gone }))
}

impl Inliner<'_> {
    fn add(&mut self, made: Made, clause: Clause) {
        let slot = self.clauses.len();
        for body in &clause.body {
            self.assuming[body.predicate].insert(slot);
        }
        if let Some(head) = &clause.head {
            self.concluding[head.predicate].insert(slot);
        }
        self.made.push((made, clause.body.len()));
        self.clauses.push(Some((self.made.len() - 1, clause)));
    }

    fn remove(&mut self, slot: usize) {
        let Some((_, clause)) = self.clauses[slot].take() else { return };
        for body in &clause.body {
            self.assuming[body.predicate].remove(&slot);
        }
        if let Some(head) = &clause.head {
            self.concluding[head.predicate].remove(&slot);
        }
    }

    /// Replaces a predicate by its clauses, if that pays.
    fn inline(&mut self, p: PredicateId) -> bool {
        let (inner, outer) = (sorted(&self.concluding[p]), sorted(&self.assuming[p]));
        let circular = inner.iter().any(|slot| outer.binary_search(slot).is_ok());
        // What is never concluded or assumed is another pass's.
        if circular || inner.is_empty() || outer.is_empty() {
            return false;
        }
        let uses: usize = outer.iter().map(|slot| self.ways(*slot, p, inner.len())).sum();
        if uses > inner.len() + outer.len() + GROWTH {
            return false;
        }
        let mark = self.made.len();
        let mut new: Vec<Numbered> = Vec::new();
        for &slot in &outer {
            let Some(clause) = self.clauses[slot].clone() else { continue };
            let mut pending = vec![clause];
            while let Some((number, clause)) = pending.pop() {
                let at = clause.body.iter().position(|body| body.predicate == p);
                let Some(at) = at else {
                    new.push((number, clause));
                    continue;
                };
                for &slot in &inner {
                    let Some((by, definition)) = self.clauses[slot].clone() else { continue };
                    match self.resolve((number, &clause), at, (by, &definition)) {
                        Resolvent::Clause(clause) => pending.push(clause),
                        Resolvent::Nothing => {}
                        Resolvent::Large => {
                            self.made.truncate(mark);
                            return false;
                        }
                    }
                }
            }
        }
        inner.iter().chain(&outer).for_each(|slot| self.remove(*slot));
        for (number, clause) in new {
            let slot = self.clauses.len();
            for body in &clause.body {
                self.assuming[body.predicate].insert(slot);
            }
            if let Some(head) = &clause.head {
                self.concluding[head.predicate].insert(slot);
            }
            self.clauses.push(Some((number, clause)));
        }
        true
    }

    /// How many clauses a clause becomes.
    fn ways(&self, slot: usize, p: PredicateId, clauses: usize) -> usize {
        let Some((_, clause)) = &self.clauses[slot] else { return 0 };
        let times = clause.body.iter().filter(|body| body.predicate == p).count();
        clauses.saturating_pow(u32::try_from(times).unwrap_or(u32::MAX))
    }

    fn resolve(
        &mut self,
        (outer, clause): (usize, &Clause),
        at: usize,
        (inner, definition): (usize, &Clause),
    ) -> Resolvent {
        let pool = self.pool;
        let own = definition.variables(pool);
        let mut fresh = crate::model::renaming(pool, definition);
        let renaming: Vec<(Term, Term)> = own.iter().map(|v| (*v, fresh.apply(pool, *v))).collect();
        let definition = definition.substituted(pool, &mut fresh);
        let Some(head) = definition.head else { return Resolvent::Nothing };
        let mut body = clause.body.clone();
        let applied = body.remove(at);
        // In its place, so that premises keep their order.
        body.splice(at..at, definition.body.iter().cloned());
        let equal = applied.arguments.iter().zip(&head.arguments).map(|(a, b)| pool.eq(*a, *b));
        let parts = [clause.constraint, definition.constraint].into_iter().chain(equal);
        let constraint = pool.and(parts.collect::<Vec<_>>());
        let resolvent = Clause { body, constraint, head: clause.head.clone(), place: clause.place };
        let (resolvent, definitions) = solved(pool, &resolvent);
        if pool.as_bool(resolvent.constraint) == Some(false) || contradictory(pool, &resolvent) {
            return Resolvent::Nothing;
        }
        let large = resolvent.body.len() > MAX_BODY.max(clause.body.len())
            || resolvent.terms().iter().map(|term| size(pool, *term)).sum::<usize>() > MAX_SIZE;
        if large {
            return Resolvent::Large;
        }
        let made = Made::Resolved { outer, at, inner, renaming, definitions };
        self.made.push((made, resolvent.body.len()));
        Resolvent::Clause((self.made.len() - 1, resolvent))
    }
}

enum Resolvent {
    Clause(Numbered),
    /// Its constraint is false.
    Nothing,
    Large,
}

/// Whether two conjuncts say that a term equals two constants.
fn contradictory(pool: &Pool, clause: &Clause) -> bool {
    let mut known: FxHashMap<Term, Term> = FxHashMap::default();
    conjuncts(pool, clause.constraint).into_iter().any(|conjunct| {
        if *pool.op(conjunct) != Op::Eq {
            return false;
        }
        let [a, b] = pool.args(conjunct)[..] else { return false };
        pool.value(b).is_some() && known.insert(a, b).is_some_and(|other| other != b)
    })
}

fn sorted(set: &FxHashSet<usize>) -> Vec<usize> {
    let mut all: Vec<usize> = set.iter().copied().collect();
    all.sort_unstable();
    all
}

/// A step on its way back.
struct Task {
    /// Which of the clauses made.
    made: usize,
    values: Vec<(Term, Value)>,
    /// Its premises, as steps of the result.
    premises: Vec<usize>,
    /// Premises that come first: which application, and the task.
    first: Vec<(usize, Task)>,
}

impl Inlined<'_> {
    /// Takes a step apart; answers the number of the step that derives the same.
    fn unfold(&self, task: Task, steps: &mut Vec<Step>) -> Option<usize> {
        let Task { made, values, mut premises, first } = task;
        for (at, inner) in first {
            let number = self.unfold(inner, steps)?;
            premises.insert(at, number);
        }
        match &self.made[made].0 {
            Made::Given(clause) => {
                steps.push(Step { clause: *clause, values, premises });
                Some(steps.len() - 1)
            }
            Made::Resolved { outer, at, inner, renaming, definitions } => {
                let known: FxHashMap<Term, Value> = values.iter().cloned().collect();
                let mut all = values;
                for (variable, definition) in definitions {
                    all.push((*variable, evaluate(self.pool, *definition, &known).ok()?));
                }
                let of: FxHashMap<Term, Value> = all.iter().cloned().collect();
                let value = |(own, fresh): &(Term, Term)| Some((*own, of.get(fresh)?.clone()));
                let theirs = renaming.iter().filter_map(value).collect();
                let count = self.made[*inner].1;
                let inner_premises: Vec<usize> = premises.drain(*at..at + count).collect();
                let (first, premises_left) = (Vec::new(), premises);
                let inner = Task { made: *inner, values: theirs, premises: inner_premises, first };
                let first = vec![(*at, inner)];
                self.unfold(
                    Task { made: *outer, values: all, premises: premises_left, first },
                    steps,
                )
            }
        }
    }
}

impl Back for Inlined<'_> {
    type Before = System;
    type After = System;

    fn invariant(&self, mut invariant: Model) -> Option<Model> {
        for p in &self.gone {
            *invariant.relations.get_mut(*p)? = Interpretation::Clauses;
        }
        Some(invariant)
    }

    fn run(&self, run: Refutation) -> Option<Refutation> {
        let mut steps: Vec<Step> = Vec::new();
        let mut new: Vec<usize> = Vec::new();
        for step in run.steps {
            let premises = step.premises.iter().map(|premise| new.get(*premise).copied());
            let premises = premises.collect::<Option<Vec<usize>>>()?;
            let (made, values, first) = (*self.result.get(step.clause)?, step.values, Vec::new());
            let number = self.unfold(Task { made, values, premises, first }, &mut steps)?;
            new.push(number);
        }
        Some(Refutation { steps })
    }
}
