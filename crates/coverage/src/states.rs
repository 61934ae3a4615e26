//! Which registers are the state of a program where its cycles begin: those that somebody may read before
//! they are set again, global ones and those of what the program starts with, where the cycles are its own.
//! Inputs and outputs of a cycle are none.
//!
//! This is liveness over the calls, with two sets for each function: what it certainly sets before it
//! returns, and what it may read before it has set it.

use program::program::{
    Body, Callee, Edge, FunctionId, Instruction, LocationId, Program, VariableId,
};
use rustc_hash::FxHashMap;
use term::Term;
use term::traverse::free_vars;

/// Registers, by number.
#[derive(Clone, PartialEq, Eq)]
struct Registers(Vec<u64>);

impl Registers {
    fn none(count: usize) -> Registers {
        Registers(vec![0; count.div_ceil(64)])
    }

    fn all(count: usize) -> Registers {
        Registers(vec![u64::MAX; count.div_ceil(64)])
    }

    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    fn combine(&mut self, other: &Registers, how: impl Fn(u64, u64) -> u64) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a = how(*a, *b));
    }
}

/// What a step does to global registers, apart from what a function does that it calls.
struct Effect {
    reads: Registers,
    sets: Registers,
    calls: Vec<FunctionId>,
}

struct Liveness<'p> {
    program: &'p Program,
    /// The global registers, and their numbers.
    registers: Vec<VariableId>,
    /// By function and edge.
    effects: Vec<Vec<Effect>>,
    /// By function: what it certainly sets, and what it may read first.
    sets: Vec<Registers>,
    reads: Vec<Registers>,
}

fn raw(location: LocationId) -> usize {
    location.into_raw().into_u32() as usize
}

fn number(function: FunctionId) -> usize {
    function.into_raw().into_u32() as usize
}

/// The registers that may be read after a location before they are set: global ones, and the function's own
/// if it is what the program starts with.
pub fn live(program: &Program, function: FunctionId, at: LocationId) -> Vec<VariableId> {
    let mut liveness = Liveness::new(program, Some(function).filter(|own| *own == program.start));
    liveness.settle(Liveness::certainly_set, |this| &mut this.sets);
    liveness.settle(
        |this, of, body| this.before(of, body)[raw(body.entry)].clone(),
        |this| &mut this.reads,
    );
    let Some(body) = &program.functions[function].body else { return Vec::new() };
    let live = liveness.before(function, body)[raw(at)].clone();
    let registers = liveness.registers.iter().enumerate();
    registers.filter(|(number, _)| live.has(*number)).map(|(_, register)| *register).collect()
}

impl<'p> Liveness<'p> {
    fn new(program: &'p Program, own: Option<FunctionId>) -> Liveness<'p> {
        let looked_at = |of: Option<FunctionId>| of.is_none() || of == own;
        let variables = program.variables.iter();
        let kept = variables.filter(|(_, variable)| looked_at(variable.function));
        let registers: Vec<VariableId> = kept.map(|(id, _)| id).collect();
        let numbers: FxHashMap<VariableId, usize> =
            registers.iter().enumerate().map(|(number, id)| (*id, number)).collect();
        let terms: FxHashMap<Term, usize> =
            numbers.iter().map(|(id, number)| (program.variables[*id].term, *number)).collect();
        let count = registers.len();
        let effect = |edge: &Edge| {
            let (mut reads, mut sets) = (Registers::none(count), Registers::none(count));
            let read = free_vars(&program.pool, &edge.instruction.terms()).into_iter();
            read.filter_map(|term| terms.get(&term)).for_each(|number| reads.add(*number));
            let mut calls = Vec::new();
            let set: &[VariableId] = match &edge.instruction {
                Instruction::Assign(into, _)
                | Instruction::Havoc(into, _)
                | Instruction::Load { into, .. }
                | Instruction::Measure { into, .. }
                | Instruction::Written { into, .. }
                | Instruction::Allocate { into, .. } => std::slice::from_ref(into),
                Instruction::Call { callee, results, .. } => {
                    match callee {
                        Callee::Function(callee) => calls.push(*callee),
                        Callee::Pointer(_) => {
                            let functions = program.functions.iter();
                            let addressed = functions.filter(|(_, f)| f.address.is_some());
                            calls.extend(addressed.map(|(id, _)| id));
                        }
                    }
                    results
                }
                _ => &[],
            };
            set.iter().filter_map(|id| numbers.get(id)).for_each(|number| sets.add(*number));
            Effect { reads, sets, calls }
        };
        let effects = program.functions.values().map(|function| match &function.body {
            Some(body) => body.edges.values().map(effect).collect(),
            None => Vec::new(),
        });
        let effects = effects.collect();
        let nothing = vec![Registers::none(count); program.functions.len()];
        Liveness { program, registers, effects, sets: nothing.clone(), reads: nothing }
    }

    /// Computes something of all functions, from what is known of those that they call, until nothing
    /// changes.
    fn settle(
        &mut self,
        compute: impl Fn(&Self, FunctionId, &Body) -> Registers,
        known: impl Fn(&mut Self) -> &mut Vec<Registers>,
    ) {
        let program = self.program;
        let mut changed = true;
        while std::mem::replace(&mut changed, false) {
            for (id, function) in program.functions.iter() {
                let Some(body) = &function.body else { continue };
                let new = compute(self, id, body);
                let old = &mut known(self)[number(id)];
                changed |= *old != new;
                *old = new;
            }
        }
    }

    /// What one of the functions that an edge calls may read, and what all of them set.
    fn of_calls(&self, effect: &Effect) -> Option<(Registers, Registers)> {
        let mut callees = effect.calls.iter().map(|callee| number(*callee));
        let first = callees.next()?;
        let (mut reads, mut sets) = (self.reads[first].clone(), self.sets[first].clone());
        for callee in callees {
            reads.combine(&self.reads[callee], |a, b| a | b);
            sets.combine(&self.sets[callee], |a, b| a & b);
        }
        Some((reads, sets))
    }

    /// What a function certainly sets before it returns.
    fn certainly_set(&self, function: FunctionId, body: &Body) -> Registers {
        let count = self.registers.len();
        let mut set = vec![Registers::all(count); body.locations.len()];
        set[raw(body.entry)] = Registers::none(count);
        let mut changed = true;
        while std::mem::replace(&mut changed, false) {
            for (edge, effect) in body.edges.values().zip(&self.effects[number(function)]) {
                let mut after = set[raw(edge.from)].clone();
                after.combine(&effect.sets, |a, b| a | b);
                if let Some((_, sets)) = self.of_calls(effect) {
                    after.combine(&sets, |a, b| a | b);
                }
                let to = &mut set[raw(edge.to)];
                after.combine(to, |a, b| a & b);
                changed |= after != *to;
                *to = after;
            }
        }
        set.swap_remove(raw(body.exit))
    }

    /// What may be read from each location on before it is set, until the function returns.
    fn before(&self, function: FunctionId, body: &Body) -> Vec<Registers> {
        let mut live = vec![Registers::none(self.registers.len()); body.locations.len()];
        let effects = &self.effects[number(function)];
        let mut changed = true;
        while std::mem::replace(&mut changed, false) {
            for (edge, effect) in body.edges.values().zip(effects).rev() {
                let mut before = live[raw(edge.to)].clone();
                before.combine(&effect.sets, |a, b| a & !b);
                if let Some((reads, sets)) = self.of_calls(effect) {
                    before.combine(&sets, |a, b| a & !b);
                    before.combine(&reads, |a, b| a | b);
                }
                before.combine(&effect.reads, |a, b| a | b);
                let from = &mut live[raw(edge.from)];
                before.combine(from, |a, b| a | b);
                changed |= before != *from;
                *from = before;
            }
        }
        live
    }
}
