//! What may hold between the arguments and the result of a function: the result is a number of the
//! program, an argument, a sum of such, or bounded by one; perhaps only where a branch of the
//! function is taken.

use super::execute::Executed;
use super::parameters_and_results;
use crate::guards::family;
use program::Program;
use program::program::{FunctionId, Instruction};
use rustc_hash::FxHashSet;
use term::traverse::{conjuncts, disjuncts, free_vars, subterms};
use term::{Op, Pool, Sort, Term};
use value::Bits;

/// The most numbers of a program that are tried.
const MAX_NUMBERS: usize = 14;
/// The most conditions on arguments.
const MAX_CONDITIONS: usize = 12;

/// The candidates for a function, over the terms of its parameters and its result.
pub(super) fn candidates(program: &Program, function: FunctionId, run: &Executed) -> Vec<Term> {
    let pool = &program.pool;
    let (parameters, results) = parameters_and_results(program, function);
    let &[result] = &results[..] else { return Vec::new() };
    let Sort::BitVec(width @ 2..=64) = pool.sort(result) else { return Vec::new() };
    let relations = relations(pool, &parameters, result, &numbers(program, width));
    let mut found = relations.clone();
    for condition in conditions(pool, &parameters, run) {
        found.extend(relations.iter().map(|&relation| pool.implies(condition, relation)));
    }
    let mut known = FxHashSet::default();
    found.retain(|formula| pool.as_bool(*formula).is_none() && known.insert(*formula));
    found
}

/// The numbers of a width that the program mentions, and their neighbours: the small ones.
fn numbers(program: &Program, width: u32) -> Vec<i64> {
    let mut terms = Vec::new();
    for (_, edge) in program.edges() {
        match &edge.instruction {
            Instruction::Assume(term)
            | Instruction::Assign(_, term)
            | Instruction::Check(_, term) => terms.push(*term),
            Instruction::Call { arguments, .. } => terms.extend(arguments),
            _ => {}
        }
    }
    let pool = &program.pool;
    let mut numbers: Vec<i64> = subterms(pool, &terms)
        .into_iter()
        .filter_map(|term| pool.as_bits(term).filter(|bits| bits.width() == width)?.to_i64())
        .chain([0, 1])
        .filter(|number| number.abs() < 1 << 20)
        .collect();
    numbers.sort_unstable_by_key(|number| (number.abs(), *number));
    numbers.dedup();
    numbers.truncate(MAX_NUMBERS);
    numbers
}

fn relations(pool: &Pool, parameters: &[Term], result: Term, numbers: &[i64]) -> Vec<Term> {
    let width = pool.width(result);
    let number = |n: i64| pool.bits(Bits::from_i64(width, n));
    let mut found = Vec::new();
    let mut compare = |other: Term| {
        found.extend([
            pool.eq(result, other),
            pool.bv_sle(result, other),
            pool.bv_sle(other, result),
            pool.ne(result, other),
        ]);
    };
    numbers.iter().for_each(|n| compare(number(*n)));
    let alike: Vec<Term> =
        parameters.iter().copied().filter(|p| pool.sort(*p) == pool.sort(result)).collect();
    for (i, &p) in alike.iter().enumerate() {
        compare(p);
        compare(pool.bv_neg(p));
        for &n in numbers.iter().filter(|n| **n != 0) {
            compare(pool.bv_add(p, number(n)));
            compare(pool.bv_sub(p, number(n)));
        }
        for &q in &alike[i + 1..] {
            compare(pool.bv_add(p, q));
            compare(pool.bv_sub(p, q));
            compare(pool.bv_sub(q, p));
        }
    }
    found
}

/// Conditions of branches that speak of the arguments alone.
fn conditions(pool: &Pool, parameters: &[Term], run: &Executed) -> Vec<Term> {
    let mut found = Vec::new();
    for &condition in &run.conditions {
        for literal in conjuncts(pool, condition).iter().flat_map(|c| disjuncts(pool, *c)) {
            let atom = match pool.op(literal) {
                Op::Not => pool.args(literal)[0],
                _ => literal,
            };
            let spoken = free_vars(pool, &[atom]);
            if spoken.is_empty() || !spoken.iter().all(|v| parameters.contains(v)) {
                continue;
            }
            for formula in family(pool, atom) {
                if pool.as_bool(formula).is_none() && !found.contains(&formula) {
                    found.push(formula);
                }
            }
        }
    }
    found.truncate(MAX_CONDITIONS);
    found
}
