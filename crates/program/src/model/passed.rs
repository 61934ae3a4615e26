//! Checks that every run has passed already where they stand: the same condition was checked on all
//! ways there, and nothing that it reads has been assigned since (available expressions, F. Nielson et
//! al.: *Principles of Program Analysis*, 1999, §2.1.1).
//!
//! Code that goes through one pointer many times checks it as often; of a function that is inlined
//! hundreds of times, only the first check of each way needs to be built.

use crate::program::{Body, EdgeId, Instruction, Program};
use rustc_hash::{FxHashMap, FxHashSet};
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
    let numbers = number_conditions(body, moves);
    if numbers.is_empty() || numbers.len().next_multiple_of(64) * count > BITS {
        return Vec::new();
    }
    let conditions = Conditions::new(program, body, numbers);
    let known = conditions.known(count, moves);
    let holds = |step: &&Move| {
        // Only of what is executed has the condition a number.
        step.acts
            && known[step.from]
                .as_ref()
                .zip(conditions.number(&body.edges[step.edge].instruction))
                .is_some_and(|(set, number)| set.contains(number))
    };
    moves.iter().filter(holds).map(|step| step.edge).collect()
}

/// Numbers the conditions that are checked or assumed.
fn number_conditions(body: &Body, moves: &[Move]) -> FxHashMap<Term, usize> {
    let mut numbers = FxHashMap::default();
    for step in moves.iter().filter(|step| step.acts) {
        if let Some(condition) = condition(&body.edges[step.edge].instruction) {
            let next = numbers.len();
            numbers.entry(condition).or_insert(next);
        }
    }
    numbers
}

/// A set of conditions, by their numbers.
#[derive(Clone)]
struct Set(Vec<u64>);

impl Set {
    /// None of so many conditions.
    fn none(count: usize) -> Set {
        Set(vec![0; count.div_ceil(64)])
    }

    fn contains(&self, n: usize) -> bool {
        self.0[n / 64] >> (n % 64) & 1 == 1
    }

    fn insert(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn remove(&mut self, numbers: &[usize]) {
        for n in numbers {
            self.0[n / 64] &= !(1 << (n % 64));
        }
    }

    /// Leaves only what is in the other set too; whether something has gone.
    fn intersect(&mut self, other: &Set) -> bool {
        self.0.iter_mut().zip(&other.0).fold(false, |changed, (a, b)| {
            let before = *a;
            *a &= b;
            changed | (*a != before)
        })
    }
}

/// The conditions of a function, and what makes a run forget them.
struct Conditions<'a> {
    program: &'a Program,
    body: &'a Body,
    numbers: FxHashMap<Term, usize>,
    /// The conditions that read a register.
    reading: FxHashMap<Term, Vec<usize>>,
    /// Those that read any global register.
    global: Vec<usize>,
}

impl<'a> Conditions<'a> {
    fn new(
        program: &'a Program,
        body: &'a Body,
        numbers: FxHashMap<Term, usize>,
    ) -> Conditions<'a> {
        let globals = program.variables.values().filter(|variable| variable.function.is_none());
        let globals: FxHashSet<Term> = globals.map(|variable| variable.term).collect();
        let mut reading: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut global: Vec<usize> = Vec::new();
        for (&condition, &n) in &numbers {
            for variable in free_vars(&program.pool, &[condition]) {
                if globals.contains(&variable) {
                    global.push(n);
                }
                reading.entry(variable).or_default().push(n);
            }
        }
        Conditions { program, body, numbers, reading, global }
    }

    /// The number of the condition that an instruction checks or assumes.
    fn number(&self, instruction: &Instruction) -> Option<usize> {
        condition(instruction).map(|condition| self.numbers[&condition])
    }

    /// From what has been passed before an instruction to what has been passed after it.
    fn step_over(&self, set: &mut Set, instruction: &Instruction) {
        if let Instruction::Call { .. } = instruction {
            set.remove(&self.global);
        }
        for written in instruction.writes() {
            let term = self.program.variables[*written].term;
            set.remove(self.reading.get(&term).map_or(&[], Vec::as_slice));
        }
        if let Some(n) = self.number(instruction) {
            set.insert(n);
        }
    }

    /// What every run has passed where it comes to a location: the greatest solution, from the first
    /// location on; none where no run comes.
    fn known(&self, count: usize, moves: &[Move]) -> Vec<Option<Set>> {
        let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (n, step) in moves.iter().enumerate() {
            leaving[step.from].push(n);
        }
        let mut known: Vec<Option<Set>> = vec![None; count];
        known[0] = Some(Set::none(self.numbers.len()));
        let mut pending = vec![0];
        while let Some(location) = pending.pop() {
            for &n in &leaving[location] {
                let Some(mut set) = known[location].clone() else { continue };
                let step = &moves[n];
                if step.acts {
                    self.step_over(&mut set, &self.body.edges[step.edge].instruction);
                }
                let changed = match &mut known[step.to] {
                    None => {
                        known[step.to] = Some(set);
                        true
                    }
                    Some(there) => there.intersect(&set),
                };
                if changed {
                    pending.push(step.to);
                }
            }
        }
        known
    }
}

/// What holds after an instruction because a run goes on.
fn condition(instruction: &Instruction) -> Option<Term> {
    match instruction {
        Instruction::Assume(formula) => Some(*formula),
        Instruction::Check(property, formula) if property.is_fatal() => Some(*formula),
        _ => None,
    }
}
