//! Which objects a pointer can point to, and where in them: points-to analysis by unification that
//! keeps offsets apart.
//!
//! B. Steensgaard: *Points-to Analysis by Type Inference of Programs with Structures and Unions*, CC
//! 1996, gives every field a type of its own; cells that are unified with a shift, and classes whose
//! offsets count modulo a number, are as in A. Gurfinkel, J. Navas: *A Context-Sensitive Memory Model
//! for Verification of C/C++ Programs*, SAS 2017. On an inlined program it is sensitive to contexts;
//! where calls are kept, arguments and results flow, from and to all calls alike.
//!
//! A *class* is a set of objects that lie over each other, each with a shift. A *value* (a register, an
//! address term, what a cell holds) points to an offset of a class. If a value gets a second place to
//! point to, the two places become one: two classes become one with a shift; a class whose own offsets
//! o and p become one counts its offsets modulo p − o from then on. So does one that is indexed: a
//! pointer with a multiple of n added points to all offsets that are n apart. An array of structures
//! counts modulo their size; nothing is left of offsets where they count modulo one.
//!
//! The *cells* of a class are the bytes that are accessed, apart from each other. A cell is *exact* if
//! all accesses to it are to all of its bytes. If accesses overlap in other ways their cells become
//! one, of bytes; pointers in there may be put together from parts, so nothing is known of where these
//! point to in their class.
//!
//! Copies make cells of both sides alike. Where many bytes are written at once, as many as nobody knows
//! or many elements of several cells, the cells from there on become one.
//!
//! What a program learns of an address by comparing it with numbers is not followed: an access is to
//! the objects that its address was computed from, and to the part of them. That is what C promises,
//! and [`super::Model::assumptions`] says so where it is used. An access through a pointer that comes
//! from outside (an unknown result, a fixed number) is to *external* memory: one class of unknown size
//! and contents.

mod classes;
mod number;
mod ranges;
mod solver;

pub(super) use classes::{Classes, Part};

use super::objects::{Kind, Objects};
use crate::cfa::Command;
use crate::procedures::{Action, Callee, Procedures};
use crate::program::{Cause, Program};
use ranges::{Copied, Ranges, Written};
use rustc_hash::FxHashSet;
use solver::{ClassId, Place, Solver};
use term::{Sort, Term};
use value::Bits;

/// More bytes than an object has.
const ANY_LENGTH: u64 = 1 << 40;

/// How many bytes a value of a sort takes.
pub(super) fn bytes_of(sort: Sort) -> Option<u64> {
    let bits = match sort {
        Sort::BitVec(width) => width,
        Sort::Float(format) => format.width(),
        _ => return None,
    };
    (bits % 8 == 0).then_some(u64::from(bits / 8))
}

/// Analyzes procedures with these objects. `pointers` are the registers that hold addresses.
pub(super) fn analyze(
    program: &Program,
    procedures: &Procedures,
    pointers: &FxHashSet<Term>,
    objects: &Objects,
) -> Classes {
    let mut analysis = Analysis::new(program, objects);
    for edge in procedures.edges() {
        analysis.step(&edge.action, procedures, pointers);
        analysis.solver.settle();
    }
    let addresses: Vec<Term> =
        procedures.edges().flat_map(|edge| edge.action.addresses()).collect();
    loop {
        let arranged = analysis.ranges.arrange(&mut analysis.solver);
        if !analysis.strays(&addresses) && !arranged {
            break;
        }
    }
    let Analysis { mut solver, memory, external, .. } = analysis;
    classes::number(&mut solver, &addresses, &memory, external)
}

struct Analysis<'a> {
    program: &'a Program,
    solver: Solver<'a>,
    ranges: Ranges,
    /// The class of each object.
    memory: Vec<ClassId>,
    external: ClassId,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, objects: &Objects) -> Self {
        let mut solver = Solver::new(&program.pool, program.pointer_width);
        let external = solver.class();
        solver.stride(external, 1);
        // Pointers that come from external memory point to it.
        let outside = solver.cell(Place { class: external, offset: 0 }, 1, true);
        solver.point(outside, Place { class: external, offset: 0 });
        let memory: Vec<ClassId> = objects.all.iter().map(|_| solver.class()).collect();
        for (object, &class) in objects.all.iter().zip(&memory) {
            if let Some(address) = object.address {
                let value = solver.value(address);
                solver.point(value, Place { class, offset: 0 });
            }
            let Kind::Static(id) = object.kind else { continue };
            for (offset, term) in &program.objects[id].initial {
                // A number points nowhere.
                let Some(size) = bytes_of(program.pool.sort(*term)) else { continue };
                if program.pool.value(*term).is_none() {
                    let place = Place { class, offset: *offset as i64 };
                    let (value, cell) = (solver.value(*term), solver.cell(place, size, true));
                    solver.flow(value, cell);
                }
            }
        }
        solver.settle();
        Analysis { program, solver, ranges: Ranges::default(), memory, external }
    }

    fn outside(&self) -> Place {
        Place { class: self.external, offset: 0 }
    }

    /// A term's values are among those of a register.
    fn assign(&mut self, register: Term, term: Term) {
        let (from, to) = (self.solver.value(term), self.solver.value(register));
        self.solver.flow(from, to);
    }

    /// Where an address points to.
    fn place(&mut self, address: Term) -> Place {
        let value = self.solver.value(address);
        self.solver.place(value)
    }

    /// How many bytes an access of a value is to. One of no whole number is an error, found later.
    fn size(&self, value: Term) -> u64 {
        bytes_of(self.program.pool.sort(value)).unwrap_or(0).max(1)
    }

    fn length(&self, length: Term) -> Option<u64> {
        self.program.pool.as_bits(length).and_then(Bits::to_u64)
    }

    fn step(&mut self, action: &Action, procedures: &Procedures, pointers: &FxHashSet<Term>) {
        match action {
            Action::Command(command) => {
                command.for_each_atom(&mut |command| match *command {
                    Command::Assign(register, term) => self.assign(register, term),
                    Command::Havoc(register, input)
                        if pointers.contains(&register)
                            && procedures.inputs[input].cause != Cause::Uninitialized =>
                    {
                        let value = self.solver.value(register);
                        self.solver.point(value, self.outside());
                    }
                    _ => {}
                });
            }
            Action::Load { into: value, address, .. } | Action::Store { address, value } => {
                let (place, size) = (self.place(*address), self.size(*value));
                let (cell, value) =
                    (self.solver.cell(place, size, true), self.solver.value(*value));
                match action {
                    Action::Load { .. } => self.solver.flow(cell, value),
                    _ => self.solver.flow(value, cell),
                }
            }
            // Looks at the bytes as an access of that size does.
            Action::Written { address, size, .. } => {
                let place = self.place(*address);
                self.solver.cell(place, *size, true);
            }
            Action::Allocate(allocation) => {
                let into = self.solver.value(allocation.into);
                let class = self.memory[allocation.object];
                self.solver.point(into, Place { class, offset: 0 });
            }
            Action::Copy { to, from, length } => {
                let (to, from) = (self.place(*to), self.place(*from));
                // A copy of nothing says that addresses flow, whatever happens to bytes.
                let length = self.length(*length).map(|length| match length {
                    0 => ANY_LENGTH,
                    length => length,
                });
                self.ranges.copied.push(Copied { to, from, length });
            }
            Action::HavocBytes { address, length, cause, .. } => {
                let place = self.place(*address);
                let length = self.length(*length);
                // Addresses among the unknown bytes are those that were there, or come from outside.
                let points = (*cause != Cause::Uninitialized).then(|| self.outside());
                self.ranges.written.push(Written { place, length, points });
            }
            Action::Fill { to, length, .. } => {
                let place = self.place(*to);
                let length = self.length(*length);
                self.ranges.written.push(Written { place, length, points: None });
            }
            Action::Free { address, .. } => {
                self.place(*address);
            }
            Action::Call(call) => {
                let Callee::Procedure(callee) = call.callee else { return };
                let callee = &procedures.procedures[callee];
                for (register, term) in callee.parameters.iter().zip(&call.arguments) {
                    self.assign(*register, *term);
                }
                for (register, term) in call.results.iter().zip(&callee.results) {
                    self.assign(*register, *term);
                }
            }
            Action::Check { .. } | Action::Return { .. } => {}
        }
    }

    /// Accesses whose address comes from no object are to external memory; says whether there was
    /// one that was not yet.
    fn strays(&mut self, addresses: &[Term]) -> bool {
        let known = self.memory.iter().chain([&self.external]);
        let known: Vec<ClassId> = known.copied().collect();
        let known: FxHashSet<ClassId> = known.iter().map(|&c| self.solver.find(c).class).collect();
        let mut found = false;
        for &address in addresses {
            let place = self.place(address);
            if known.contains(&self.solver.find(place.class).class) {
                continue;
            }
            found = true;
            let outside = self.outside();
            let value = self.solver.value(address);
            self.solver.point(value, outside);
            for leaf in self.solver.leaves(address) {
                if self.program.pool.sort(leaf) == Sort::BitVec(self.program.pointer_width) {
                    let leaf = self.solver.value(leaf);
                    self.solver.point(leaf, outside);
                }
            }
            self.solver.settle();
        }
        found
    }
}

#[cfg(test)]
mod tests;
