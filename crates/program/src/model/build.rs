//! The procedures of a program, as the program has them: calls through pointers, calls of
//! functions without a body, checks and memory are what they were.
//!
//! What is left out is what needs no knowledge of contexts: locations that the entry does not reach
//! or where nothing happens ([`super::shape`]), unknown first values that nobody reads, and, where
//! only the slice of some properties is asked for, what is not in it. No term is made here, so
//! passes find the pool as the front end left it.

use super::cone::Cone;
use super::initialized::Unread;
use super::shape::Shape;
use super::targets::Targets;
use super::{Error, Options};
use crate::cfa::{Command, Context, ContextId, Input, Location, LocationId, Origin};
use crate::place::Place;
use crate::procedures::{
    Action, Allocation, Behind, Call, Callee, Edge, Extent, Procedure, ProcedureId, Procedures,
    Slice,
};
use crate::program::{
    self, Body, Cause, EdgeId, FunctionId, Instruction, LocationId as BodyLocation, Program,
    VariableId,
};
use crate::property::Property;
use la_arena::{Arena, ArenaMap};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::Term;

/// The procedures that the start of a program can reach.
pub(super) fn build(
    program: &Program,
    options: &Options,
    targets: &Targets,
    cone: Option<&Cone>,
    unread: &Unread,
) -> Result<Procedures, Error> {
    let mut contexts = Arena::new();
    let root = contexts.alloc(Context::default());
    let mut builder = Builder {
        program,
        options,
        targets,
        cone,
        unread,
        root,
        locals: FxHashMap::default(),
        numbers: FxHashMap::default(),
        called: Vec::new(),
        inputs: Arena::new(),
    };
    let globals = builder.sort_variables();
    let start = builder.procedure(program.start);
    let mut procedures = Arena::new();
    let mut next = 0;
    while let Some(&function) = builder.called.get(next) {
        next += 1;
        procedures.alloc(builder.build(function));
    }
    if procedures[start].extent == Extent::Unknown {
        let definition = &program.functions[program.start];
        let what = format!("{} has no body", definition.name);
        return Err(Error::Malformed { place: definition.place.clone(), what });
    }
    let slice = cone.map(|cone| Slice {
        needed: (program.variables.iter())
            .filter(|(id, _)| cone.needs(*id))
            .map(|(_, variable)| variable.term)
            .collect(),
        globals: (program.variables.values())
            .filter(|variable| variable.function.is_none())
            .map(|variable| variable.term)
            .collect(),
    });
    let inputs = builder.inputs;
    let assumptions = Vec::new();
    let outside = FxHashMap::default();
    Ok(Procedures { procedures, start, globals, inputs, contexts, assumptions, outside, slice })
}

struct Builder<'a> {
    program: &'a Program,
    options: &'a Options,
    targets: &'a Targets,
    cone: Option<&'a Cone>,
    unread: &'a Unread,
    /// The chain without a call.
    root: ContextId,
    locals: FxHashMap<FunctionId, Vec<VariableId>>,
    numbers: FxHashMap<FunctionId, ProcedureId>,
    /// Functions in the order of their procedures.
    called: Vec<FunctionId>,
    inputs: Arena<Input>,
}

impl Builder<'_> {
    /// Finds the variables of each function, and answers the global ones.
    fn sort_variables(&mut self) -> FxHashMap<Term, Origin> {
        let mut globals = FxHashMap::default();
        for (id, variable) in self.program.variables.iter() {
            if !self.is_needed(id) {
                continue;
            }
            match variable.function {
                Some(function) => self.locals.entry(function).or_default().push(id),
                None => {
                    globals.insert(variable.term, origin(self.program, id));
                }
            }
        }
        globals
    }

    fn is_needed(&self, register: VariableId) -> bool {
        self.cone.is_none_or(|cone| cone.needs(register))
    }

    /// The number of a function's procedure, which is built later if it is new.
    fn procedure(&mut self, function: FunctionId) -> ProcedureId {
        let next = ProcedureId::from_raw((self.called.len() as u32).into());
        let number = *self.numbers.entry(function).or_insert(next);
        if number == next {
            self.called.push(function);
        }
        number
    }

    fn term(&self, register: VariableId) -> Term {
        self.program.variables[register].term
    }

    fn build(&mut self, function: FunctionId) -> Procedure {
        let program = self.program;
        let definition = &program.functions[function];
        let (name, place) = (definition.name.clone(), definition.place.clone());
        let mut procedure = Procedure::new(name, function, place);
        procedure.parameters = definition.parameters.iter().map(|id| self.term(*id)).collect();
        procedure.results = definition.results.iter().map(|id| self.term(*id)).collect();
        let locals = self.locals.get(&function).into_iter().flatten();
        procedure.variables = locals.map(|id| (self.term(*id), origin(program, *id))).collect();
        let Some(body) = &definition.body else {
            procedure.extent = Extent::Unknown;
            return procedure;
        };
        match self.cone {
            None => {
                let unread = self.unread;
                let shape = Shape::of(program, body, |edge| unread.contains((function, edge)));
                self.whole(&mut procedure, body, &shape);
            }
            Some(cone) => match cone.part(function) {
                Some(part) => {
                    let shape = Shape::of_part(program, body, part, &self.options.properties);
                    let assigned = shape.assigned.iter().map(|id| self.term(*id));
                    procedure.assigned = assigned.collect();
                    self.part(&mut procedure, body, &shape);
                }
                None if cone.returns(function) => procedure.extent = Extent::Idle,
                None => procedure.extent = Extent::Endless,
            },
        }
        procedure
    }

    fn copy(&self, procedure: &mut Procedure, body: &Body, location: BodyLocation) -> LocationId {
        let location = &body.locations[location];
        let (place, loop_head) = (location.place.clone(), location.loop_head);
        procedure.locations.alloc(Location { place, loop_head, context: Some(self.root) })
    }

    /// What a function's objects on the stack need at its end.
    fn back(&self, shape: &Shape) -> Action {
        if shape.stack.is_empty() {
            return Action::skip();
        }
        let stack = shape.stack.iter().filter(|id| self.is_needed(**id));
        let objects: Arc<[Term]> = stack.map(|id| self.term(*id)).collect();
        Action::Return { objects }
    }

    /// Copies a whole body.
    fn whole(&mut self, procedure: &mut Procedure, body: &Body, shape: &Shape) {
        let mut map: ArenaMap<BodyLocation, LocationId> = ArenaMap::default();
        for &location in &shape.locations {
            map.insert(location, self.copy(procedure, body, location));
        }
        let dead_end = procedure.dead_end;
        let at = |location: BodyLocation| {
            shape.representative(location).map_or(dead_end, |location| map[location])
        };
        let (entry, exit) = (procedure.entry, procedure.exit);
        let place = procedure.place.clone();
        step(procedure, entry, at(body.entry), Action::skip(), &place);
        let place = &body.locations[body.exit].place;
        step(procedure, at(body.exit), exit, self.back(shape), place);
        for &id in &shape.edges {
            let edge = &body.edges[id];
            let action = self.action(procedure.function, id, edge, shape);
            step(procedure, at(edge.from), at(edge.to), action, &edge.place);
        }
    }

    /// Copies what is left of a body.
    fn part(&mut self, procedure: &mut Procedure, body: &Body, shape: &Shape) {
        let first = shape.representative(body.entry);
        let (entry, exit) = (procedure.entry, procedure.exit);
        let place = &body.locations[body.exit].place;
        if first == Some(body.exit) {
            return step(procedure, entry, exit, Action::skip(), place);
        }
        let mut map: ArenaMap<BodyLocation, LocationId> = ArenaMap::default();
        map.insert(body.exit, exit);
        if !shape.stack.is_empty() {
            let last = self.copy(procedure, body, body.exit);
            map.insert(body.exit, last);
            step(procedure, last, exit, self.back(shape), place);
        }
        for &location in shape.locations.iter().filter(|location| **location != body.exit) {
            let copy = match Some(location) == first && !shape.entry_repeats {
                true => entry,
                false => self.copy(procedure, body, location),
            };
            map.insert(location, copy);
        }
        if shape.entry_repeats
            && let Some(first) = first
        {
            let place = procedure.place.clone();
            step(procedure, entry, map[first], Action::skip(), &place);
        }
        let dead_end = procedure.dead_end;
        let at = |location: BodyLocation| {
            let location = shape.representative(location);
            location.and_then(|location| map.get(location).copied()).unwrap_or(dead_end)
        };
        for &id in &shape.edges {
            let edge = &body.edges[id];
            let action = match shape.idle.contains(&id) {
                true => Action::skip(),
                false => self.action(procedure.function, id, edge, shape),
            };
            step(procedure, at(edge.from), at(edge.to), action, &edge.place);
        }
    }

    fn action(
        &mut self,
        function: FunctionId,
        id: EdgeId,
        edge: &program::Edge,
        shape: &Shape,
    ) -> Action {
        let instruction = (self.root, function, id);
        let register = |builder: &Self, id: &VariableId| builder.term(*id);
        match &edge.instruction {
            Instruction::Skip => Action::skip(),
            Instruction::Assume(formula) => Action::Command(Command::Assume(*formula)),
            Instruction::Assign(variable, term) => {
                Action::Command(Command::Assign(register(self, variable), *term))
            }
            Instruction::Havoc(..) if self.unread.contains((function, id)) => Action::skip(),
            Instruction::Havoc(variable, cause) => {
                let sort = self.program.variables[*variable].sort;
                let input = Input { instruction: Some(instruction), cause: cause.clone(), sort };
                let input = self.inputs.alloc(input);
                Action::Command(Command::Havoc(register(self, variable), input))
            }
            // How large objects are is not modelled: any number, which no run may rest on.
            Instruction::Measure { into, .. } => {
                let sort = self.program.variables[*into].sort;
                let cause = Cause::Approximated("the size of an object".into());
                let input = Input { instruction: Some(instruction), cause, sort };
                let input = self.inputs.alloc(input);
                Action::Command(Command::Havoc(register(self, into), input))
            }
            Instruction::Check(property, formula) => {
                Action::Check { property: *property, formula: *formula }
            }
            Instruction::Load { into, address } => {
                Action::Load { into: register(self, into), address: *address, instruction }
            }
            Instruction::Written { into, address, size } => {
                Action::Written { into: register(self, into), address: *address, size: *size }
            }
            Instruction::Store { address, value } => {
                Action::Store { address: *address, value: *value }
            }
            Instruction::Allocate { into, size, align, storage, written, name, .. } => {
                Action::Allocate(Box::new(Allocation {
                    into: register(self, into),
                    size: *size,
                    align: *align,
                    storage: *storage,
                    written: *written,
                    name: name.clone().unwrap_or_else(|| "object".into()),
                    several: shape.several.contains(&id),
                    object: usize::MAX,
                }))
            }
            Instruction::Free { address, storage } => {
                Action::Free { address: *address, storage: *storage }
            }
            Instruction::Copy { to, from, length } => {
                Action::Copy { to: *to, from: *from, length: *length }
            }
            Instruction::Fill { to, byte, length } => {
                Action::Fill { to: *to, byte: *byte, length: *length }
            }
            Instruction::HavocBytes { address, length, cause } => {
                let (address, length, cause) = (*address, *length, cause.clone());
                Action::HavocBytes { address, length, cause, instruction }
            }
            Instruction::Call { callee, arguments, results } => Action::Call(Box::new(Call {
                callee: self.callee((function, id), callee),
                arguments: arguments.clone(),
                results: results.iter().map(|id| self.term(*id)).collect(),
                instruction: Some(instruction),
            })),
        }
    }

    fn callee(&mut self, site: program::Site, callee: &program::Callee) -> Callee {
        let address = match callee {
            program::Callee::Function(function) => {
                return Callee::Procedure(self.procedure(*function));
            }
            program::Callee::Pointer(address) => *address,
        };
        let program = self.program;
        let address_of = |function: &FunctionId| program.functions[*function].address;
        let behind = self.targets.behind_pointer(site);
        let (mut targets, mut fitting) = (Vec::new(), Vec::new());
        if let Some(behind) = behind {
            for function in &behind.functions {
                if let Some(address) = address_of(function) {
                    targets.push((self.procedure(*function), address));
                }
            }
            fitting = behind.fitting.iter().filter_map(address_of).collect();
        }
        let outside = behind.is_some_and(|behind| behind.outside);
        let place = &program.functions[site.0].body().edges[site.1].place;
        let asked = program.asked.asks(Property::Pointer, place);
        Callee::Pointer(Box::new(Behind { address, targets, fitting, outside, asked }))
    }
}

fn step(procedure: &mut Procedure, from: LocationId, to: LocationId, action: Action, at: &Place) {
    procedure.edges.alloc(Edge { from, to, action, place: at.clone(), violates: None });
}

/// Where a register comes from.
fn origin(program: &Program, id: VariableId) -> Origin {
    let variable = &program.variables[id];
    let name = match &variable.name {
        Some(name) => name.clone(),
        None => program.pool.var_name(variable.term).unwrap_or("register").into(),
    };
    let (sort, reading) = (variable.sort, variable.reading);
    Origin { sort, variable: Some(id), context: None, name, reading }
}
