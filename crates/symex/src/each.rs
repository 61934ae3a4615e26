//! All that goes wrong in a few steps of a program: executed once, with a run for each violation that is
//! found, one after the other.
//!
//! This is for those who look for many things at once and execute what they are told: nothing is proved,
//! and a violation that is hard to decide is passed over. [`possible`] tells instead which violations there
//! may be.

use crate::execute::{Bounds, Stop, execute};
use crate::placement::promises;
use crate::question::whole;
use crate::replay::Script;
use crate::runs::Reader;
use program::{Place, Program, Property};
use rustc_hash::FxHashSet;
use smt::{Answer, Error, Solver, Solvers};
use term::{Pool, Term, Value};

/// How many conflicts one violation may take, as a part of what all together may.
const PART: u64 = 8;
/// How many violations are asked about one by one.
const MOST: usize = 64;

/// Executes a program and tells runs that fail checks until all of those are told that can be decided, or
/// until `tell` says that it is enough. `conflicts` is for one question.
///
/// Requires: a deep stack, as calls of the program are calls here.
pub fn each(
    program: &Program,
    properties: &[Property],
    bounds: Bounds,
    solvers: &dyn Solvers,
    conflicts: u64,
    tell: &mut dyn FnMut(Script) -> bool,
) -> Result<(), Stop> {
    let pool = &program.pool;
    let allowance = bounds.allowance.clone();
    let executed = execute(program, properties, bounds, solvers.bits(), &mut ())?;
    let goals = &executed.found.goals;
    let mut left: Vec<Term> =
        goals.iter().map(|goal| whole(pool, &goal.path, goal.violation)).collect();
    left.retain(|goal| pool.as_bool(*goal) != Some(false));
    if left.is_empty() {
        return Ok(());
    }
    let (promises, placed) = promises(pool, &executed.objects, &left);
    let mut solver = solvers.bits();
    solver.set_allowance(allowance.with_work(conflicts));
    for promise in promises {
        solver.assert(pool, promise)?;
    }
    let script = |solver: &mut dyn Solver| Reader::new(pool, solver).script(&executed, &placed);
    // promises ∧ ⋁ violations, until there are no more, or it is hard.
    loop {
        match solver.check(pool, &[pool.or(left.iter().copied())])? {
            Answer::Unsat => return Ok(()),
            Answer::Unknown(_) => break,
            Answer::Sat => {
                let script = script(&mut *solver)?;
                drop_shown(pool, &mut *solver, &mut left)?;
                if !tell(script) {
                    return Ok(());
                }
            }
        }
    }
    // promises ∧ violation
    solver.set_work(Some(conflicts / PART));
    left.truncate(MOST);
    while let Some(goal) = left.pop() {
        if allowance.exhausted().is_some() {
            return Ok(());
        }
        if solver.check(pool, &[goal])? == Answer::Sat {
            let script = script(&mut *solver)?;
            drop_shown(pool, &mut *solver, &mut left)?;
            if !tell(script) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Drops the violations that a model shows.
fn drop_shown(pool: &Pool, solver: &mut dyn Solver, left: &mut Vec<Term>) -> Result<(), Error> {
    let mut others = Vec::with_capacity(left.len());
    for &goal in &*left {
        if solver.value(pool, goal)? != Value::Bool(true) {
            others.push(goal);
        }
    }
    // A model that shows none of them would be shown again.
    if others.len() == left.len() {
        others.pop();
    }
    *left = others;
    Ok(())
}

/// The checks, by their places, of which nobody says that no run fails them within the bounds.
///
/// Requires: a deep stack, as calls of the program are calls here.
pub fn possible(
    program: &Program,
    properties: &[Property],
    bounds: Bounds,
    solvers: &dyn Solvers,
    conflicts: u64,
) -> Result<FxHashSet<Place>, Stop> {
    let pool = &program.pool;
    let allowance = bounds.allowance.clone();
    let executed = execute(program, properties, bounds, solvers.bits(), &mut ())?;
    let goals = executed.found.goals.iter();
    let mut left: Vec<(Term, &Place)> =
        goals.map(|goal| (whole(pool, &goal.path, goal.violation), &goal.place)).collect();
    left.retain(|(goal, _)| pool.as_bool(*goal) != Some(false));
    let formulas: Vec<Term> = left.iter().map(|(goal, _)| *goal).collect();
    let (promises, _) = promises(pool, &executed.objects, &formulas);
    let mut solver = solvers.floats();
    solver.set_allowance(allowance.with_work(conflicts));
    for promise in promises {
        solver.assert(pool, promise)?;
    }
    let mut possible = FxHashSet::default();
    while let Some((goal, place)) = left.pop() {
        if possible.contains(place) {
            continue;
        }
        // promises ∧ violation
        let answer = match allowance.exhausted() {
            Some(_) => None,
            None => Some(solver.check(pool, &[goal])?),
        };
        if answer != Some(Answer::Unsat) {
            possible.insert(place.clone());
        }
        if answer == Some(Answer::Sat) {
            for (other, place) in &left {
                if !possible.contains(*place) && solver.value(pool, *other)? == Value::Bool(true) {
                    possible.insert((*place).clone());
                }
            }
        }
    }
    Ok(possible)
}
