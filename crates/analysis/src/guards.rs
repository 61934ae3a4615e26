//! Candidates from the program's own guards.
//!
//! What a loop keeps is often what it tests: with `while (i < n)`, i ≤ n holds at its head. So
//! every comparison of an assumption is a predicate, with its negation and its neighbour (< and
//! ≤); of sums with a constant also the comparison without it. A block may assign what it has
//! tested: where the value of a variable after it occurs in its tests, the variable takes its place.

use program::cfa::{Cfa, Command};
use program::split::{count, split};
use program::symbolic::{State, execute};
use rustc_hash::FxHashSet;
use term::traverse::{size, substitute};
use term::{Op, Pool, Sort, Term};

/// The largest comparison that is taken.
const LARGEST: usize = 16;
/// The largest equation that is taken: what a program says of products is mostly long.
const LARGEST_EQUATION: usize = 48;
/// How many paths of a block are looked at.
const MAX_PATHS: u64 = 16;
/// The most predicates of a program.
const MAX_PREDICATES: usize = 400;

/// The predicates of an automaton's assumptions, in the order of their terms.
pub fn predicates(pool: &Pool, cfa: &Cfa) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut atoms = Vec::new();
    let mut pending = assumptions(cfa);
    pending.extend(cfa.edges.values().flat_map(|edge| afterwards(pool, &edge.command)));
    while let Some(formula) = pending.pop() {
        if !seen.insert(formula) {
            continue;
        }
        match pool.op(formula) {
            Op::Not | Op::And | Op::Or => pending.extend(pool.args(formula)),
            Op::Ite => pending.extend(pool.args(formula)),
            Op::Eq if pool.sort(pool.args(formula)[0]) == Sort::Bool => {
                pending.extend(pool.args(formula));
            }
            Op::Value(_) => {}
            Op::Eq if size(pool, formula) <= LARGEST_EQUATION => atoms.push(formula),
            _ if size(pool, formula) <= LARGEST => atoms.push(formula),
            _ => {}
        }
    }
    atoms.sort_unstable();
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    for atom in atoms {
        for predicate in family(pool, atom) {
            if pool.as_bool(predicate).is_none() && known.insert(predicate) {
                found.push(predicate);
            }
        }
    }
    found.truncate(MAX_PREDICATES);
    found
}

/// What the paths of a command assume, in terms of the variables after it.
fn afterwards(pool: &Pool, command: &Command) -> Vec<Term> {
    if count(pool, command) > MAX_PATHS {
        return Vec::new();
    }
    let mut guards = Vec::new();
    for path in split(pool, command) {
        let mut state = State::new();
        let guard = execute(pool, &path.command(), &mut state).guard;
        let mut named: Vec<(Term, Term)> = state.entries().map(|(x, value)| (value, x)).collect();
        let names =
            |value| matches!(pool.sort(value), Sort::BitVec(_)) && pool.as_bits(value).is_none();
        named.retain(|(value, _)| names(*value));
        named.sort_unstable();
        // Of several variables with one value, the last has its name in one, the first in the other.
        guards.push(substitute(pool, guard, named.iter().copied()));
        guards.push(substitute(pool, guard, named.iter().rev().copied()));
    }
    guards
}

fn assumptions(cfa: &Cfa) -> Vec<Term> {
    let mut formulas = Vec::new();
    let mut pending: Vec<&Command> = cfa.edges.values().map(|edge| &edge.command).collect();
    while let Some(command) = pending.pop() {
        match command {
            Command::Assume(formula) => formulas.push(*formula),
            Command::Sequence(commands) | Command::Choice(commands) => pending.extend(commands),
            Command::Assign(..) | Command::Havoc(..) => {}
        }
    }
    formulas
}

/// A comparison and what resembles it.
pub(crate) fn family(pool: &Pool, atom: Term) -> Vec<Term> {
    let mut found = Vec::new();
    match (pool.op(atom), pool.args(atom)) {
        (Op::BvUlt | Op::BvSlt, &[a, b]) => {
            let signed = *pool.op(atom) == Op::BvSlt;
            let less = |a, b| if signed { pool.bv_slt(a, b) } else { pool.bv_ult(a, b) };
            for (a, b) in sides(pool, a, b) {
                found.extend([less(a, b), pool.not(less(a, b))]);
                found.extend([less(b, a), pool.not(less(b, a))]);
            }
        }
        (Op::Eq, &[a, b]) if matches!(pool.sort(a), Sort::BitVec(_)) => {
            for (a, b) in sides(pool, a, b) {
                found.extend([pool.eq(a, b), pool.not(pool.eq(a, b))]);
                if pool.width(a) > 1 {
                    found.extend([pool.bv_sle(a, b), pool.bv_sle(b, a)]);
                    found.extend([pool.bv_ule(a, b), pool.bv_ule(b, a)]);
                }
            }
        }
        _ => found.extend([atom, pool.not(atom)]),
    }
    found
}

/// The sides of a comparison, as they are and without a constant that is added to one of them.
fn sides(pool: &Pool, a: Term, b: Term) -> Vec<(Term, Term)> {
    let plain = |t: Term| match (pool.op(t), pool.args(t)) {
        (Op::BvAdd, &[x, y]) if pool.as_bits(y).is_some() => Some(x),
        (Op::BvAdd, &[x, y]) if pool.as_bits(x).is_some() => Some(y),
        (Op::BvSub, &[x, y]) if pool.as_bits(y).is_some() => Some(x),
        _ => None,
    };
    let mut found = vec![(a, b)];
    found.extend(plain(a).map(|x| (x, b)));
    found.extend(plain(b).map(|y| (a, y)));
    found
}
