//! Checks that every run has passed already where they stand: the same condition was checked on all
//! ways there, and nothing that it reads has been assigned since (available expressions, F. Nielson et
//! al.: *Principles of Program Analysis*, 1999, §2.1.1).
//!
//! Code that goes through one pointer many times checks it as often; of a function that is inlined
//! hundreds of times, only the first check of each way needs to be built.

use crate::program::{Body, EdgeId, Instruction, Program};
use rustc_hash::FxHashMap;
use term::Term;
use term::traverse::free_vars;

/// The most bits that sets of conditions may take; larger functions are left as they are.
const BITS: usize = 1 << 26;

/// An edge of a function between locations by number, as far as it matters.
pub(super) struct Move {
    pub from: usize,
    pub to: usize,
    pub edge: EdgeId,
    /// Whether its instruction is executed; one that is not changes nothing.
    pub acts: bool,
}

/// The edges with a check or an assumption that always holds, because it has been passed. Runs begin
/// at the first of the locations.
pub(super) fn passed(program: &Program, body: &Body, count: usize, moves: &[Move]) -> Vec<EdgeId> {
    let pool = &program.pool;
    let mut conditions: FxHashMap<Term, usize> = FxHashMap::default();
    for step in moves.iter().filter(|step| step.acts) {
        if let Some(condition) = condition(&body.edges[step.edge].instruction) {
            let next = conditions.len();
            conditions.entry(condition).or_insert(next);
        }
    }
    let words = conditions.len().div_ceil(64);
    if conditions.is_empty() || words * 64 * count > BITS {
        return Vec::new();
    }
    // The conditions that read a register; those that read any global one.
    let mut reading: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
    let mut global: Vec<usize> = Vec::new();
    let globals = program.variables.values().filter(|variable| variable.function.is_none());
    let globals: rustc_hash::FxHashSet<Term> = globals.map(|variable| variable.term).collect();
    for (&condition, &n) in &conditions {
        for variable in free_vars(pool, &[condition]) {
            if globals.contains(&variable) {
                global.push(n);
            }
            reading.entry(variable).or_default().push(n);
        }
    }
    let forget = |set: &mut [u64], numbers: &[usize]| {
        for n in numbers {
            set[n / 64] &= !(1 << (n % 64));
        }
    };
    let step_over = |set: &mut [u64], instruction: &Instruction| {
        if let Instruction::Call { .. } = instruction {
            forget(set, &global);
        }
        for written in instruction.writes() {
            let term = program.variables[*written].term;
            forget(set, reading.get(&term).map_or(&[], Vec::as_slice));
        }
        if let Some(condition) = condition(instruction) {
            let n = conditions[&condition];
            set[n / 64] |= 1 << (n % 64);
        }
    };
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (n, step) in moves.iter().enumerate() {
        leaving[step.from].push(n);
    }
    // The greatest solution, from the first location on; none where no run comes.
    let mut known: Vec<Option<Vec<u64>>> = vec![None; count];
    known[0] = Some(vec![0; words]);
    let mut pending = vec![0];
    while let Some(location) = pending.pop() {
        for &n in &leaving[location] {
            let Some(mut set) = known[location].clone() else { continue };
            let step = &moves[n];
            if step.acts {
                step_over(&mut set, &body.edges[step.edge].instruction);
            }
            let changed = match &mut known[step.to] {
                None => {
                    known[step.to] = Some(set);
                    true
                }
                Some(there) => there.iter_mut().zip(&set).fold(false, |changed, (a, b)| {
                    let before = *a;
                    *a &= b;
                    changed | (*a != before)
                }),
            };
            if changed {
                pending.push(step.to);
            }
        }
    }
    let holds = |step: &&Move| {
        let set = known[step.from].as_ref();
        let condition = condition(&body.edges[step.edge].instruction);
        step.acts
            && set.zip(condition).is_some_and(|(set, condition)| {
                let n = conditions[&condition];
                set[n / 64] >> (n % 64) & 1 == 1
            })
    };
    moves.iter().filter(holds).map(|step| step.edge).collect()
}

/// What holds after an instruction because a run goes on.
fn condition(instruction: &Instruction) -> Option<Term> {
    match instruction {
        Instruction::Assume(formula) => Some(*formula),
        Instruction::Check(property, formula) if property.is_fatal() => Some(*formula),
        _ => None,
    }
}
