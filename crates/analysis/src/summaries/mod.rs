//! Summaries of recursive functions: relations of arguments and results, guessed and proved, by
//! which proofs about recursive programs need no unrolling.
//!
//! A function that is part of a cycle of calls is executed once, symbolically ([`execute`]); the
//! calls of the cycle inside it return unknown results of which its own summary holds. Candidates
//! ([`candidates`]) that do not hold at its exit then are dropped until none is (as in
//! [`crate::houdini`]): by induction on the depth of the recursion, the rest holds of every call
//! that returns.
//!
//! The proof that counts is another: [`mod@replace`] makes ordinary programs of this argument, in which
//! the calls are gone, to be proved safe as any other and with the same certificates. So a mistake
//! here costs time and nothing else.
//!
//! Only functions are taken that touch neither memory nor global registers, have no loops of their
//! own and one result.

mod candidates;
mod execute;
mod replace;

pub use replace::{Obligations, replace};

use answer::Allowance;
use execute::{Executed, Site};
use program::Program;
use program::program::{Callee, FunctionId, Instruction};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Error, Solver, Solvers};
use term::traverse::substitute;
use term::{Pool, Term, Value};

/// Questions that the proof of the summaries may take.
const MAX_QUERIES: usize = 1_000;
/// Conflicts of one of them.
const CONFLICTS: u64 = 2_000;

/// What holds of calls that return, by function: formulas over the terms of its parameters and
/// results.
pub type Summaries = FxHashMap<FunctionId, Vec<Term>>;

/// The functions on cycles of calls.
pub fn recursive(program: &Program) -> FxHashSet<FunctionId> {
    let mut calls: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    for ((function, _), edge) in program.edges() {
        if let Instruction::Call { callee: Callee::Function(callee), .. } = &edge.instruction {
            calls.entry(function).or_default().push(*callee);
        }
    }
    let reaches_itself = |function: &FunctionId| {
        let mut seen = FxHashSet::default();
        let mut pending = calls.get(function).cloned().unwrap_or_default();
        while let Some(next) = pending.pop() {
            if next == *function {
                return true;
            }
            if seen.insert(next) {
                pending.extend(calls.get(&next).into_iter().flatten());
            }
        }
        false
    };
    program.functions.iter().map(|(function, _)| function).filter(reaches_itself).collect()
}

/// Finds summaries of all recursive functions of a program; none if one of them can't have one, or
/// there is nothing to say of any.
pub fn summarize(
    program: &Program,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<Option<Summaries>, Error> {
    let cycle = recursive(program);
    if cycle.is_empty() {
        return Ok(None);
    }
    let mut order: Vec<FunctionId> = cycle.iter().copied().collect();
    order.sort();
    let mut executed = Vec::new();
    for &function in &order {
        match execute::execute(program, function, &cycle) {
            Some(run) => executed.push((function, run)),
            None => return Ok(None),
        }
    }
    let mut believed: Summaries = executed
        .iter()
        .map(|(function, run)| (*function, candidates::candidates(program, *function, run)))
        .collect();
    if !prove(program, &executed, &mut believed, solvers, allowance)? {
        return Ok(None);
    }
    Ok(believed.values().any(|formulas| !formulas.is_empty()).then_some(believed))
}

/// Drops candidates until the others hold at every exit; false if that takes too much.
fn prove(
    program: &Program,
    executed: &[(FunctionId, Executed)],
    believed: &mut Summaries,
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<bool, Error> {
    let pool = &program.pool;
    let mut solver = solvers.bits();
    solver.set_allowance(allowance.with_work(CONFLICTS));
    let mut queries = 0;
    loop {
        let mut changed = false;
        for (function, run) in executed {
            let mut assumptions: Vec<Term> =
                run.sites.iter().flat_map(|site| instances(program, site, believed)).collect();
            assumptions.push(run.returns);
            let claimed = believed[function].clone();
            let results = parameters_and_results(program, *function).1;
            let map: Vec<(Term, Term)> = results.into_iter().zip(run.results.clone()).collect();
            let after: Vec<Term> =
                claimed.iter().map(|&claim| substitute(pool, claim, map.clone())).collect();
            let broken: Vec<Term> = after
                .iter()
                .map(|&formula| pool.not(formula))
                .filter(|formula| pool.as_bool(*formula) != Some(false))
                .collect();
            if broken.is_empty() {
                continue;
            }
            queries += 1;
            if queries > MAX_QUERIES || allowance.exhausted().is_some() {
                return Ok(false);
            }
            // SAT? the body returns ∧ summaries of the calls in it ∧ ¬summary
            let answer = solver.check_with(pool, &assumptions, &broken)?;
            let mut kept = Vec::new();
            for (&claim, &formula) in claimed.iter().zip(&after) {
                let holds = match answer {
                    Answer::Unsat => true,
                    Answer::Sat => solver.value(pool, formula)? == Value::Bool(true),
                    Answer::Unknown(_) => {
                        queries += 1;
                        // SAT? the body returns ∧ summaries of the calls in it ∧ ¬claim
                        queries <= MAX_QUERIES
                            && solver.check_with(pool, &assumptions, &[pool.not(formula)])?
                                == Answer::Unsat
                    }
                };
                kept.extend(holds.then_some(claim));
            }
            changed |= kept.len() < claimed.len();
            believed.insert(*function, kept);
        }
        if !changed {
            return Ok(true);
        }
    }
}

/// The terms of a function's parameters and results.
fn parameters_and_results(program: &Program, function: FunctionId) -> (Vec<Term>, Vec<Term>) {
    let terms = |ids: &[program::program::VariableId]| {
        ids.iter().map(|id| program.variables[*id].term).collect()
    };
    let function = &program.functions[function];
    (terms(&function.parameters), terms(&function.results))
}

/// What the summary of a call's function says of the call.
fn instances(program: &Program, site: &Site, believed: &Summaries) -> Vec<Term> {
    let pool: &Pool = &program.pool;
    let (parameters, results) = parameters_and_results(program, site.callee);
    let map: Vec<(Term, Term)> = parameters
        .into_iter()
        .zip(site.arguments.iter().copied())
        .chain(results.into_iter().zip(site.results.iter().copied()))
        .collect();
    let instance = |claim: &Term| pool.implies(site.at, substitute(pool, *claim, map.clone()));
    believed.get(&site.callee).into_iter().flatten().map(instance).collect()
}
