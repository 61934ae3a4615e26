//! Refinement: predicates from the interpolants of a path that can't be taken.
//!
//! Sequence interpolants I_1, …, I_k of the path's edges say for each location on the way what
//! excludes the path: I_i follows from the edges before, I_i and the next edge imply I_(i+1), and
//! the last edge can't be taken from I_k. Their conjuncts become predicates of these locations.
//!
//! The interpolants are made of comparisons of the program where possible. Which ones are offered,
//! is decided for the whole path at once, as predicates over the variables of the automaton: what
//! the edges of the path compare, the same seen before assignments, bounds that go with them
//! ([`mod@smt::interpolate::words`]), and first of all what was a predicate somewhere before. Each is
//! offered at all locations where its variables are read later, and is preferably used at none of
//! them. So what excludes one round of a loop is found again in the next.

use crate::path::PathFormula;
use crate::questions::{Questions, why};
use crate::step::Step;
use program::cfa::LocationId;
use program::verdict::Reason;
use rustc_hash::FxHashMap;
use smt::interpolate::words::{comparisons, with_bounds};
use smt::interpolate::{Failure, Group, Options, sequence_over, words};
use std::collections::BTreeSet;
use std::time::Instant;
use term::traverse::{Substitution, free_vars};
use term::{Pool, Term};

/// How many predicates are offered, and how many times all together.
const MAX_OFFERED: usize = 300;
const MAX_LINKS: usize = 20_000;

/// Interpolants of a path that can't be taken, over the variables of the automaton, one for each
/// location between its edges. `known` are predicates that were of use before.
pub(crate) fn interpolants(
    questions: &mut Questions<'_>,
    path: &PathFormula,
    steps: &[(&Step, LocationId)],
    known: &BTreeSet<Term>,
    options: &Options,
) -> Result<Vec<Term>, Reason> {
    questions.check_allowance()?;
    let pool = questions.pool;
    let groups = if options.words { offered(pool, path, steps, known) } else { Vec::new() };
    let started = Instant::now();
    let found = sequence_over(pool, &path.parts, &groups, options, &questions.allowance);
    questions.observer.interpolated(started.elapsed());
    let found = found.map_err(|failure| match failure {
        Failure::Stopped(reason) => why(reason),
        other => Reason::GaveUp(format!("no interpolant of a path: {other}")),
    })?;
    let named = |(formula, state): (Term, &Vec<(Term, Term)>)| {
        let back = state.iter().map(|(variable, name)| (*name, *variable));
        Substitution::new(back).apply(pool, formula)
    };
    Ok(found.into_iter().zip(&path.states).map(named).collect())
}

/// The predicates that are offered, each with its instances.
fn offered(
    pool: &Pool,
    path: &PathFormula,
    steps: &[(&Step, LocationId)],
    known: &BTreeSet<Term>,
) -> Vec<Group> {
    let mut suggested: BTreeSet<Term> = BTreeSet::new();
    for (step, _) in steps {
        suggested.extend(&step.comparisons);
    }
    let names = |state: &Vec<(Term, Term)>| state.iter().map(|(v, name)| (*name, *v)).collect();
    let back: Vec<FxHashMap<Term, Term>> = path.states.iter().map(names).collect();
    for (cut, word) in words(pool, &path.parts) {
        if free_vars(pool, &[word]).iter().all(|name| back[cut].contains_key(name)) {
            let renaming = back[cut].iter().map(|(name, variable)| (*name, *variable));
            suggested.extend(comparisons(pool, &[Substitution::new(renaming).apply(pool, word)]));
        }
    }
    let mut order: Vec<Term> =
        comparisons(pool, &known.iter().copied().collect::<Vec<_>>()).into_iter().collect();
    let others = with_bounds(pool, suggested);
    order.extend(others.into_iter().filter(|p| !known.contains(p)));
    order.truncate(MAX_OFFERED);
    let mut forth: Vec<Substitution> =
        path.states.iter().map(|state| Substitution::new(state.iter().copied())).collect();
    let mut links = 0;
    let instances = order.iter().map(|predicate| {
        let variables = free_vars(pool, &[*predicate]);
        let read = |cut: &usize| variables.iter().all(|v| path.has(*cut, *v));
        let cuts: Vec<usize> = (0..path.states.len()).filter(read).collect();
        cuts.into_iter().map(|cut| (cut, forth[cut].apply(pool, *predicate))).collect::<Group>()
    });
    let within = |group: &Group| {
        links += group.len();
        links <= MAX_LINKS
    };
    instances.filter(|group| !group.is_empty()).take_while(within).collect()
}
