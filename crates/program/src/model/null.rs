//! Pointers that are null on every run, and are dereferenced.
//!
//! A run ends at the dereference of null. If a pointer is never anything else, nothing behind its
//! dereference is reached, and a proof says nothing of the code there: a driver's environment that
//! forgets to make the devices it passes is safe in this way. Whoever asks for a proof should know
//! whether it holds for other values of the pointer, too.
//!
//! A register is *always null* if whatever it is assigned is: the greatest such set, whatever the
//! order of instructions, through calls and their results.

use super::targets::{Called, Targets, resolve};
use crate::place::Place;
use crate::program::{Cause, EdgeId, FunctionId, Instruction, Program, Site, VariableId};
use rustc_hash::FxHashSet;
use term::{Op, Term};

/// A pointer that is always null.
#[derive(Clone, Debug)]
pub struct AlwaysNull {
    /// Where it is dereferenced.
    pub place: Place,
    /// Where static pointers that are always null get that value.
    assignments: Vec<EdgeId>,
}

/// The first place at which a static pointer is dereferenced that is null on every run.
pub fn always_null(program: &Program) -> Option<AlwaysNull> {
    let null = Nulls::find(program);
    let place = null.dereferenced()?;
    let start = program.functions[program.start].body.as_ref()?;
    let assigns = |instruction: &Instruction| match instruction {
        Instruction::Assign(variable, _) => null.contains(program.variables[*variable].term),
        _ => false,
    };
    let assignments = start.edges.iter().filter(|(_, edge)| assigns(&edge.instruction));
    let assignments: Vec<EdgeId> = assignments.map(|(id, _)| id).collect();
    (!assignments.is_empty()).then_some(AlwaysNull { place, assignments })
}

impl AlwaysNull {
    /// Gives the static pointers unknown values.
    pub fn forget(&self, program: &mut Program) {
        let Some(body) = &mut program.functions[program.start].body else { return };
        for &edge in &self.assignments {
            let instruction = &mut body.edges[edge].instruction;
            if let Instruction::Assign(variable, _) = instruction {
                let cause = Cause::Unknown("a pointer that nothing assigns".into());
                *instruction = Instruction::Havoc(*variable, cause);
            }
        }
    }
}

struct Nulls<'a> {
    program: &'a Program,
    registers: FxHashSet<Term>,
    /// The functions that can be called.
    called: FxHashSet<FunctionId>,
}

impl<'a> Nulls<'a> {
    fn find(program: &'a Program) -> Self {
        let width = program.pointer_width;
        let pointers = program.variables.values().filter(|v| v.sort.width() == Some(width));
        let registers = pointers.map(|variable| variable.term).collect();
        let called = FxHashSet::from_iter([program.start]);
        let mut null = Nulls { program, registers, called };
        let targets = resolve(program);
        while null.shrink(&targets) {}
        null
    }

    /// One round over the functions that can be called; says whether it found anything.
    fn shrink(&mut self, targets: &Targets) -> bool {
        let before = (self.registers.len(), self.called.len());
        for (site, edge) in self.program.edges() {
            if self.called.contains(&site.0) {
                self.instruction(targets, site, &edge.instruction);
            }
        }
        (self.registers.len(), self.called.len()) != before
    }

    fn instruction(&mut self, targets: &Targets, site: Site, instruction: &Instruction) {
        match instruction {
            Instruction::Assign(variable, term) if !self.is_null(*term) => self.drop(*variable),
            Instruction::Havoc(variable, _)
            | Instruction::Load { into: variable, .. }
            | Instruction::Measure { into: variable, .. }
            | Instruction::Written { into: variable, .. }
            | Instruction::Allocate { into: variable, .. } => self.drop(*variable),
            Instruction::Call { callee, arguments, results } => {
                self.call(targets.called(site, callee), arguments, results);
            }
            _ => {}
        }
    }

    fn contains(&self, term: Term) -> bool {
        self.registers.contains(&term)
    }

    fn is_null(&self, term: Term) -> bool {
        self.program.pool.as_bits(term).is_some_and(|bits| bits.is_zero()) || self.contains(term)
    }

    fn drop(&mut self, variable: VariableId) {
        self.registers.remove(&self.program.variables[variable].term);
    }

    fn call(&mut self, called: Called, arguments: &[Term], results: &[VariableId]) {
        for &callee in called.functions {
            self.called.insert(callee);
            let function = &self.program.functions[callee];
            for (parameter, argument) in function.parameters.iter().zip(arguments) {
                if !self.is_null(*argument) {
                    self.drop(*parameter);
                }
            }
        }
        for (n, result) in results.iter().enumerate() {
            let returned = |callee: &FunctionId| {
                let function = &self.program.functions[*callee];
                let returned = function.results.get(n).filter(|_| function.body.is_some())?;
                Some(self.program.variables[*returned].term)
            };
            let null =
                |callee: &FunctionId| returned(callee).is_some_and(|term| self.contains(term));
            if called.outside || !called.functions.iter().all(null) {
                self.drop(*result);
            }
        }
    }

    /// The place of the first access through a register that is always null.
    fn dereferenced(&self) -> Option<Place> {
        let pool = &self.program.pool;
        let through_null = |address: Term| match (pool.op(address), pool.args(address)) {
            (Op::BvAdd, &[a, b]) => {
                (self.contains(a) && pool.as_bits(b).is_some())
                    || (self.contains(b) && pool.as_bits(a).is_some())
            }
            _ => self.contains(address),
        };
        let edges = self.program.edges().filter(|(site, _)| self.called.contains(&site.0));
        let mut edges = edges.filter(|(_, edge)| !edge.place.is_beyond());
        let found = edges.find(|(_, edge)| match &edge.instruction {
            Instruction::Load { address, .. }
            | Instruction::Written { address, .. }
            | Instruction::Store { address, .. }
            | Instruction::HavocBytes { address, .. }
            | Instruction::Fill { to: address, .. } => through_null(*address),
            Instruction::Copy { to, from, .. } => through_null(*to) || through_null(*from),
            _ => false,
        });
        found.map(|(_, edge)| edge.place.clone())
    }
}
