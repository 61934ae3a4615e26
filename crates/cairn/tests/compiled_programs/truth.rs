//! The verdicts that follow from the runs of compiled programs, and what the checks of a program
//! compare with so that its verdict is not obvious.
//!
//! A check that fails has values that a run saw. One that holds is near: values that no run saw
//! between such that runs did see, or two values that runs saw, but none both.
//!
//! A run that comes to a failing check ends there. If it was undefined before, it counts as no run
//! that fails; if only such runs could fail, nothing is expected. Of programs that may look at where
//! objects lie, runs show what can happen, but not what can't.

use super::native::{Event, Facts, Run};
use rand::Rng;
use rand::rngs::StdRng;

/// What the tool may say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Safe,
    Unsafe,
    /// Nothing is known.
    Any,
}

impl Expected {
    /// Of two questions asked as one.
    pub fn and(self, other: Expected) -> Expected {
        match (self, other) {
            (Expected::Unsafe, _) | (_, Expected::Unsafe) => Expected::Unsafe,
            (Expected::Safe, Expected::Safe) => Expected::Safe,
            _ => Expected::Any,
        }
    }
}

/// When a check fails.
#[derive(Clone, Debug)]
pub enum Condition {
    Left(i64),
    Both(i64, i64),
    Above(i64),
    Below(i64),
}

impl Condition {
    fn holds(&self, event: Event) -> bool {
        match *self {
            Condition::Left(value) => event.left == value,
            Condition::Both(left, right) => event.left == left && event.right == right,
            Condition::Above(value) => event.left > value,
            Condition::Below(value) => event.left < value,
        }
    }

    /// As a comparison of `left` and `right`.
    pub fn text(&self) -> String {
        match self {
            Condition::Left(value) => format!("left == {value}"),
            Condition::Both(left, right) => format!("left == {left} && right == {right}"),
            Condition::Above(value) => format!("left > {value}"),
            Condition::Below(value) => format!("left < {value}"),
        }
    }
}

/// The first compiler that disagrees with the sanitized program, although where objects lie does not
/// matter: then the program does something that is not defined.
pub fn disagreement(facts: &Facts) -> Option<String> {
    let defined: Vec<&Run> = facts.runs.iter().filter(|run| !run.undefined).collect();
    facts.compiled.iter().find_map(|(compiler, runs)| {
        let other = runs.iter().zip(&defined).find(|(run, expected)| run != *expected);
        match other {
            Some((run, expected)) => Some(format!("{compiler}: {run:?} instead of {expected:?}")),
            None if runs.len() != defined.len() => Some(format!("{compiler}: runs are missing")),
            None => None,
        }
    })
}

/// All runs that count.
fn runs(facts: &Facts) -> impl Iterator<Item = &Run> {
    let compiled = facts.compiled.iter().flat_map(|(_, runs)| runs);
    facts.runs.iter().chain(compiled.filter(|run| !run.undefined))
}

/// What the checks of a program compare with: about every second program has one that fails.
pub fn conditions(facts: &Facts, probes: usize, rng: &mut StdRng) -> Vec<Condition> {
    let mut seen: Vec<Vec<(i64, i64)>> = vec![Vec::new(); probes];
    for event in runs(facts).flat_map(|run| &run.events) {
        seen[event.probe].push((event.left, event.right));
    }
    for values in &mut seen {
        values.sort_unstable();
        values.dedup();
    }
    let mut conditions: Vec<Condition> = seen.iter().map(|seen| unreached(seen, rng)).collect();
    let reached: Vec<usize> = (0..probes).filter(|&probe| !seen[probe].is_empty()).collect();
    if !reached.is_empty() && rng.random_range(0..100) < 55 {
        let probe = reached[rng.random_range(0..reached.len())];
        let (left, right) = seen[probe][rng.random_range(0..seen[probe].len())];
        conditions[probe] = match rng.random_range(0..5) {
            0 => Condition::Above(left - 1),
            1 | 2 => Condition::Left(left),
            _ => Condition::Both(left, right),
        };
    }
    conditions
}

/// A condition that none of the values has, but nearly.
fn unreached(seen: &[(i64, i64)], rng: &mut StdRng) -> Condition {
    let (Some(&(first, _)), Some(&(last, _))) = (seen.first(), seen.last()) else {
        return Condition::Left(rng.random_range(0..4));
    };
    for _ in 0..20 {
        let left = seen[rng.random_range(0..seen.len())].0;
        let right = seen[rng.random_range(0..seen.len())].1;
        if !seen.contains(&(left, right)) {
            return Condition::Both(left, right);
        }
    }
    for _ in 0..20 {
        let near = seen[rng.random_range(0..seen.len())].0;
        let value = near.saturating_add(rng.random_range(-3..4));
        if seen.iter().all(|&(left, _)| left != value) {
            return Condition::Left(value);
        }
    }
    match rng.random() {
        true => Condition::Above(last),
        false => Condition::Below(first),
    }
}

/// How many events come before a check fails, if one does.
fn failing(run: &Run, conditions: &[Condition]) -> bool {
    run.events.iter().any(|&event| conditions[event.probe].holds(event))
}

/// Whether a failing check can be reached.
pub fn reach(facts: &Facts, conditions: &[Condition], addresses: bool) -> Expected {
    if runs(facts).any(|run| failing(run, conditions)) {
        return Expected::Unsafe;
    }
    match addresses || facts.runs.iter().any(|run| run.undefined) {
        true => Expected::Any,
        false => Expected::Safe,
    }
}

/// Whether a run can be undefined before a check of it fails.
pub fn undefined(facts: &Facts, conditions: &[Condition], addresses: bool) -> Expected {
    if facts.runs.iter().any(|run| run.undefined && !failing(run, conditions)) {
        return Expected::Unsafe;
    }
    match addresses {
        true => Expected::Any,
        false => Expected::Safe,
    }
}
