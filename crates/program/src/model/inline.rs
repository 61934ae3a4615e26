//! Inlining: one instance of a function for every chain of calls that leads to it.
//!
//! Each instance has registers of its own, except that the first one of a function takes the
//! function's own; so a program without repeated calls keeps its names. Instances are
//! expanded from a worklist, never by recursion, and only the part of a body that its entry
//! reaches is built.
//!
//! A call through a pointer is a choice over the functions that [`super::targets`] gives, each
//! guarded by the pointer being its address; a function that comes from outside the program is
//! one without a body.
//!
//! Of a program with a [`Cone`], only that is built, and less of it: as no call changes the registers
//! of its callers, what a parameter is given takes its place where nothing assigns the parameter;
//! branches that turn out impossible thereby are not built, nor what only they lead to.

use super::cone::Cone;
use super::flat::{Action, Allocation, Flat, Step};
use super::initialized::Unread;
use super::shape::{Shape, Taken};
use super::targets::Targets;
use super::{Error, Options};
use crate::cfa::{Cfa, Context, ContextId, Input, Location, LocationId, Origin};
use crate::place::Place;
use crate::program::{
    Assumption, Body, Callee, Cause, Edge, EdgeId, FunctionId, Instruction,
    LocationId as BodyLocation, Program, VariableId,
};
use crate::property::Property;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use term::traverse::{Substitution, subterms};
use term::{Op, Pool, Term};

/// The inlined program.
pub(super) fn inline(
    program: &Program,
    options: &Options,
    targets: &Targets,
    cone: Option<&Cone>,
    unread: &Unread,
) -> Result<Flat, Error> {
    let mut inliner = Inliner::new(program, options, targets, cone, unread);
    let entry = inliner.location();
    let exit = inliner.location();
    inliner.flat.cfa.initial = Some(entry);
    let context = inliner.flat.cfa.contexts.alloc(Context::default());
    if cone.is_none_or(|cone| cone.part(program.start).is_some()) {
        inliner.open(program.start, context, None, (entry, exit), &[])?;
    }
    while let Some(instance) = inliner.pending.pop() {
        inliner.expand(instance)?;
    }
    Ok(inliner.flat)
}

/// A call that is open, with the one around it.
struct Chain {
    parent: Option<ContextId>,
    function: FunctionId,
}

/// The largest argument that takes the place of a parameter.
const LARGEST_ARGUMENT: usize = 12;

/// Registers with the values that they take.
type Assignments = Vec<(Term, Term)>;

/// A body that is to be copied.
struct Instance {
    function: FunctionId,
    context: ContextId,
    entry: LocationId,
    exit: LocationId,
    /// From the function's registers to those of the instance.
    registers: Substitution,
    fresh: FxHashMap<VariableId, Term>,
}

struct Inliner<'a> {
    program: &'a Program,
    pool: &'a Pool,
    options: &'a Options,
    targets: &'a Targets,
    cone: Option<&'a Cone>,
    unread: &'a Unread,
    flat: Flat,
    error: LocationId,
    /// Where runs end that no edge leads on from.
    dead_end: LocationId,
    pending: Vec<Instance>,
    chains: ArenaMap<ContextId, Chain>,
    locals: FxHashMap<FunctionId, Rc<[VariableId]>>,
    shapes: FxHashMap<FunctionId, Rc<Shape>>,
    /// Functions whose own registers an instance has taken.
    taken: FxHashSet<FunctionId>,
    /// Registers that every function can assign.
    globals: FxHashSet<Term>,
}

impl<'a> Inliner<'a> {
    fn new(
        program: &'a Program,
        options: &'a Options,
        targets: &'a Targets,
        cone: Option<&'a Cone>,
        unread: &'a Unread,
    ) -> Self {
        let mut locals: FxHashMap<FunctionId, Vec<VariableId>> = FxHashMap::default();
        let mut cfa = Cfa::default();
        let error = cfa.locations.alloc(Location::default());
        cfa.error = Some(error);
        let dead_end = cfa.locations.alloc(Location::default());
        let globals = program.variables.values().filter(|variable| variable.function.is_none());
        let globals = globals.map(|variable| variable.term).collect();
        for (id, variable) in program.variables.iter() {
            if cone.is_some_and(|cone| !cone.needs(id)) {
                continue;
            }
            match variable.function {
                Some(function) => locals.entry(function).or_default().push(id),
                None => {
                    cfa.variables.insert(variable.term, origin(program, id, None));
                }
            }
        }
        Inliner {
            program,
            pool: &program.pool,
            options,
            targets,
            cone,
            unread,
            flat: Flat { cfa, steps: Vec::new(), assumptions: Vec::new() },
            error,
            dead_end,
            pending: Vec::new(),
            chains: ArenaMap::default(),
            locals: locals.into_iter().map(|(function, ids)| (function, ids.into())).collect(),
            shapes: FxHashMap::default(),
            taken: FxHashSet::default(),
            globals,
        }
    }

    fn location(&mut self) -> LocationId {
        self.flat.cfa.locations.alloc(Location::default())
    }

    fn copy_location(
        &mut self,
        body: &Body,
        location: BodyLocation,
        context: ContextId,
    ) -> LocationId {
        let location = &body.locations[location];
        let (place, loop_head) = (location.place.clone(), location.loop_head);
        self.flat.cfa.locations.alloc(Location { place, loop_head, context: Some(context) })
    }

    fn step(
        &mut self,
        from: LocationId,
        to: LocationId,
        action: Action,
        place: &Place,
    ) -> Result<(), Error> {
        self.push(Step { from, to, action, place: place.clone(), violates: None })
    }

    fn violation(
        &mut self,
        from: LocationId,
        when: Term,
        property: Property,
        place: &Place,
    ) -> Result<(), Error> {
        if self.pool.as_bool(when) == Some(false) {
            return Ok(());
        }
        let (action, to, place) = (Action::Assume(when), self.error, place.clone());
        self.push(Step { from, to, action, place, violates: Some(property) })
    }

    fn push(&mut self, step: Step) -> Result<(), Error> {
        if self.flat.steps.len() >= self.options.edges {
            return Err(Error::Size { place: step.place, limit: self.options.edges });
        }
        self.flat.steps.push(step);
        Ok(())
    }

    /// Puts an instance with registers of its own on the worklist, and answers which registers take
    /// which arguments, and the results.
    fn open(
        &mut self,
        function: FunctionId,
        context: ContextId,
        parent: Option<ContextId>,
        (entry, exit): (LocationId, LocationId),
        arguments: &[Term],
    ) -> Result<(Assignments, Vec<Term>), Error> {
        let program = self.program;
        let definition = &program.functions[function];
        if definition.body.is_none() {
            let what = format!("{} has no body", definition.name);
            return Err(Error::Malformed { place: definition.place.clone(), what });
        }
        self.chains.insert(context, Chain { parent, function });
        let own = self.taken.insert(function);
        let mut fresh = FxHashMap::default();
        let mut map = Vec::new();
        let mut replaced: FxHashSet<VariableId> = FxHashSet::default();
        if self.cone.is_some() {
            let shape = self.shape(function);
            for (&id, &argument) in definition.parameters.iter().zip(arguments) {
                let returned = definition.results.contains(&id);
                if !returned && !shape.assigned.contains(&id) && self.is_lasting(argument) {
                    map.push((program.variables[id].term, argument));
                    replaced.insert(id);
                }
            }
        }
        for &id in self.locals.get(&function).cloned().iter().flat_map(|ids| ids.iter()) {
            if replaced.contains(&id) {
                continue;
            }
            let variable = &program.variables[id];
            let mut term = variable.term;
            if !own {
                let name = self.pool.var_name(variable.term).unwrap_or("register");
                term = self.pool.fresh_var(name, variable.sort);
                map.push((variable.term, term));
                fresh.insert(id, term);
            }
            self.flat.cfa.variables.insert(term, origin(program, id, Some(context)));
        }
        let of = |id: &VariableId| fresh.get(id).copied().unwrap_or(program.variables[*id].term);
        let bound = definition.parameters.iter().zip(arguments);
        let bound = bound.filter(|(id, _)| !replaced.contains(id) && self.is_needed(**id));
        let bound = bound.map(|(id, argument)| (of(id), *argument)).collect();
        let results = definition.results.iter().map(of).collect();
        let registers = Substitution::new(map);
        self.pending.push(Instance { function, context, entry, exit, registers, fresh });
        Ok((bound, results))
    }

    fn is_needed(&self, register: VariableId) -> bool {
        self.cone.is_none_or(|cone| cone.needs(register))
    }

    /// Whether an argument is small and keeps its value during a call: it reads no register
    /// that the callee can assign.
    fn is_lasting(&self, argument: Term) -> bool {
        let local = |term: &Term| !self.globals.contains(term);
        match self.pool.op(argument) {
            Op::Value(_) => true,
            Op::Var(_) => local(&argument),
            _ => {
                let subterms = subterms(self.pool, &[argument]);
                subterms.len() <= LARGEST_ARGUMENT && subterms.iter().all(local)
            }
        }
    }

    /// What is to be copied of a function.
    fn shape(&mut self, function: FunctionId) -> Rc<Shape> {
        if let Some(shape) = self.shapes.get(&function) {
            return shape.clone();
        }
        let body = self.program.functions[function].body();
        let part = self.cone.and_then(|cone| cone.part(function));
        let shape = Rc::new(match part {
            Some(part) => Shape::of_part(self.program, body, part, &self.options.properties),
            None => Shape::of(self.program, body, |edge| self.unread.contains((function, edge))),
        });
        self.shapes.insert(function, shape.clone());
        shape
    }

    /// Copies the body of an instance.
    fn expand(&mut self, mut instance: Instance) -> Result<(), Error> {
        let program = self.program;
        let body = program.functions[instance.function].body();
        let shape = self.shape(instance.function);
        if self.cone.is_some() {
            return self.expand_part(instance, body, &shape);
        }
        let mut map: ArenaMap<BodyLocation, LocationId> = ArenaMap::default();
        for &location in &shape.locations {
            map.insert(location, self.copy_location(body, location, instance.context));
        }
        let dead_end = self.dead_end;
        let at = |location: BodyLocation| {
            shape.representative(location).map_or(dead_end, |location| map[location])
        };
        let place = &program.functions[instance.function].place;
        self.step(instance.entry, at(body.entry), Action::Skip, place)?;
        let place = &body.locations[body.exit].place;
        let stack: Arc<[Term]> =
            shape.stack.iter().map(|id| self.register(&instance, *id)).collect();
        let back = if stack.is_empty() { Action::Skip } else { Action::Return { objects: stack } };
        self.step(at(body.exit), instance.exit, back, place)?;
        for &id in &shape.edges {
            let edge = &body.edges[id];
            let several = shape.several.contains(&id);
            self.edge(&mut instance, id, edge, at(edge.from), at(edge.to), several)?;
        }
        Ok(())
    }

    /// The same for what is left of a body. Calls begin and end at the locations that the caller
    /// has made for it.
    fn expand_part(
        &mut self,
        mut instance: Instance,
        body: &Body,
        shape: &Shape,
    ) -> Result<(), Error> {
        let pool = self.pool;
        let (locations, edges) = shape.without(body, |edge| match &body.edges[edge].instruction {
            _ if shape.idle.contains(&edge) => Taken::Maybe,
            Instruction::Assume(formula) => {
                match pool.as_bool(instance.registers.apply(pool, *formula)) {
                    Some(false) => Taken::Never,
                    _ => Taken::Maybe,
                }
            }
            Instruction::Call { callee: Callee::Function(callee), .. }
                if self.is_cut(instance.context, *callee) =>
            {
                Taken::AsTheLast
            }
            _ => Taken::Maybe,
        });
        let first = shape.representative(body.entry);
        let place = &body.locations[body.exit].place;
        if first == Some(body.exit) {
            return self.step(instance.entry, instance.exit, Action::Skip, place);
        }
        let mut map: ArenaMap<BodyLocation, LocationId> = ArenaMap::default();
        let mut exit = instance.exit;
        if !shape.stack.is_empty() {
            let stack = shape.stack.iter().filter(|id| self.is_needed(**id));
            let objects: Arc<[Term]> = stack.map(|id| self.register(&instance, *id)).collect();
            exit = self.copy_location(body, body.exit, instance.context);
            self.step(exit, instance.exit, Action::Return { objects }, place)?;
        }
        map.insert(body.exit, exit);
        for location in locations {
            if location != body.exit {
                let own = Some(location) == first && !shape.entry_repeats;
                let copy = match own {
                    true => instance.entry,
                    false => self.copy_location(body, location, instance.context),
                };
                map.insert(location, copy);
            }
        }
        if shape.entry_repeats
            && let Some(first) = first
        {
            let place = &self.program.functions[instance.function].place;
            self.step(instance.entry, map[first], Action::Skip, place)?;
        }
        let dead_end = self.dead_end;
        let at = |location: BodyLocation| {
            let location = shape.representative(location);
            location.and_then(|location| map.get(location).copied()).unwrap_or(dead_end)
        };
        for id in edges {
            let edge = &body.edges[id];
            if shape.idle.contains(&id) {
                self.step(at(edge.from), at(edge.to), Action::Skip, &edge.place)?;
                continue;
            }
            let several = shape.several.contains(&id);
            self.edge(&mut instance, id, edge, at(edge.from), at(edge.to), several)?;
        }
        Ok(())
    }

    fn register(&self, instance: &Instance, id: VariableId) -> Term {
        instance.fresh.get(&id).copied().unwrap_or(self.program.variables[id].term)
    }

    /// Copies an edge.
    fn edge(
        &mut self,
        instance: &mut Instance,
        id: EdgeId,
        edge: &Edge,
        from: LocationId,
        to: LocationId,
        several: bool,
    ) -> Result<(), Error> {
        let pool = self.pool;
        let place = &edge.place;
        let here = (instance.context, instance.function, id);
        let register = |inliner: &Self, id: VariableId| inliner.register(instance, id);
        let action = match &edge.instruction {
            Instruction::Skip => Action::Skip,
            Instruction::Check(property, formula) => {
                let formula = instance.registers.apply(pool, *formula);
                return self.check(from, to, *property, formula, place);
            }
            Instruction::Call { callee, arguments, results } => {
                let map = |term: &Term| instance.registers.apply(pool, *term);
                let arguments: Vec<Term> = arguments.iter().map(map).collect();
                let into = results.clone();
                let results: Vec<Term> =
                    results.iter().map(|id| self.register(instance, *id)).collect();
                let call = Call { here, from, to, arguments, results, into, place };
                return match callee {
                    Callee::Function(function) => self.call(&call, *function, from),
                    Callee::Pointer(address) => {
                        let address = instance.registers.apply(pool, *address);
                        self.call_through(&call, address)
                    }
                };
            }
            Instruction::Havoc(..) if self.unread.contains((instance.function, id)) => Action::Skip,
            Instruction::Havoc(variable, cause) => {
                let variable = register(self, *variable);
                self.havoc(variable, here, cause.clone())
            }
            Instruction::Assign(variable, term) => {
                let variable = register(self, *variable);
                Action::Assign(variable, instance.registers.apply(pool, *term))
            }
            Instruction::Load { into, address } => {
                let into = register(self, *into);
                let address = instance.registers.apply(pool, *address);
                Action::Load { into, address, instruction: here }
            }
            Instruction::Allocate { into, size, align, storage, name, .. } => {
                let into = register(self, *into);
                let name = name.clone().unwrap_or_else(|| "object".into());
                Action::Allocate(Box::new(Allocation {
                    into,
                    size: instance.registers.apply(pool, *size),
                    align: *align,
                    storage: *storage,
                    name,
                    several,
                    object: usize::MAX,
                }))
            }
            Instruction::Assume(formula) => {
                Action::Assume(instance.registers.apply(pool, *formula))
            }
            Instruction::Store { address, value } => Action::Store {
                address: instance.registers.apply(pool, *address),
                value: instance.registers.apply(pool, *value),
            },
            Instruction::Free { address, storage } => {
                let address = instance.registers.apply(pool, *address);
                Action::Free { address, storage: *storage }
            }
            Instruction::Copy { to, from, length } => Action::Copy {
                to: instance.registers.apply(pool, *to),
                from: instance.registers.apply(pool, *from),
                length: instance.registers.apply(pool, *length),
            },
            Instruction::Fill { to, byte, length } => Action::Fill {
                to: instance.registers.apply(pool, *to),
                byte: instance.registers.apply(pool, *byte),
                length: instance.registers.apply(pool, *length),
            },
            Instruction::HavocBytes { address, length, cause } => Action::HavocBytes {
                address: instance.registers.apply(pool, *address),
                length: instance.registers.apply(pool, *length),
                cause: cause.clone(),
                instruction: here,
            },
        };
        self.step(from, to, action, place)
    }

    fn havoc(
        &mut self,
        variable: Term,
        here: (ContextId, FunctionId, EdgeId),
        cause: Cause,
    ) -> Action {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: Some(here), cause, sort };
        Action::Havoc(variable, self.flat.cfa.inputs.alloc(input))
    }

    /// Where the property is asked for, a violation leads to the error location; otherwise the run
    /// ends there or goes on, as [`Property::is_fatal`] says.
    fn check(
        &mut self,
        from: LocationId,
        to: LocationId,
        property: Property,
        formula: Term,
        place: &Place,
    ) -> Result<(), Error> {
        if self.options.properties.contains(&property) {
            self.violation(from, self.pool.not(formula), property, place)?;
            self.step(from, to, Action::Assume(formula), place)
        } else if property.is_fatal() {
            self.step(from, to, Action::Assume(formula), place)
        } else {
            self.step(from, to, Action::Skip, place)
        }
    }

    /// A call of a function; `from` is where it starts.
    fn call(&mut self, call: &Call, function: FunctionId, from: LocationId) -> Result<(), Error> {
        let program = self.program;
        let definition = &program.functions[function];
        if definition.body.is_none() {
            return self.unknown(call, &definition.name, from);
        }
        if let Some(cone) = self.cone
            && cone.part(function).is_none()
        {
            return match cone.returns(function) {
                true => self.step(from, call.to, Action::Skip, call.place),
                false => Ok(()),
            };
        }
        if definition.parameters.len() != call.arguments.len()
            || definition.results.len() < call.results.len()
        {
            let what = format!("a call of {} does not fit its parameters", definition.name);
            return Err(Error::Malformed { place: call.place.clone(), what });
        }
        if self.is_cut(call.here.0, function) {
            return self.violation(from, self.pool.tru(), Property::Unwinding, call.place);
        }
        let mut calls = self.flat.cfa.contexts[call.here.0].calls.clone();
        calls.push((call.here.1, call.here.2));
        let context = self.flat.cfa.contexts.alloc(Context { calls });
        // With nothing to assign, the body begins and ends where the call does.
        let ends = (from, call.to);
        let (bound, values) =
            self.open(function, context, Some(call.here.0), ends, &call.arguments)?;
        let returned = call.results.iter().copied().zip(values);
        let returned = returned.zip(&call.into).filter(|(_, id)| self.is_needed(**id));
        let returned: Assignments = returned.map(|(binding, _)| binding).collect();
        let whole = self.cone.is_none();
        if whole || !bound.is_empty() {
            let entry = self.location();
            self.assign_all(from, entry, bound.into_iter(), call.place)?;
            if let Some(instance) = self.pending.last_mut() {
                instance.entry = entry;
            }
        }
        if whole || !returned.is_empty() {
            let exit = self.location();
            self.assign_all(exit, call.to, returned.into_iter(), call.place)?;
            if let Some(instance) = self.pending.last_mut() {
                instance.exit = exit;
            }
        }
        Ok(())
    }

    /// Assignments one after the other. Requires: no assigned register occurs in a later term.
    fn assign_all(
        &mut self,
        from: LocationId,
        to: LocationId,
        assignments: impl Iterator<Item = (Term, Term)>,
        place: &Place,
    ) -> Result<(), Error> {
        let mut here = from;
        let mut assignments = assignments.peekable();
        if assignments.peek().is_none() {
            return self.step(from, to, Action::Skip, place);
        }
        while let Some((register, term)) = assignments.next() {
            let next = if assignments.peek().is_some() { self.location() } else { to };
            self.step(here, next, Action::Assign(register, term), place)?;
            here = next;
        }
        Ok(())
    }

    /// A function without a body gives any results.
    fn unknown(&mut self, call: &Call, name: &Arc<str>, from: LocationId) -> Result<(), Error> {
        let mut here = from;
        for &result in &call.results {
            let next = self.location();
            let action = self.havoc(result, call.here, Cause::Unknown(name.clone()));
            self.step(here, next, action, call.place)?;
            here = next;
        }
        self.step(here, call.to, Action::Skip, call.place)
    }

    /// Whether a call of a function is too deep in a context to be unrolled.
    fn is_cut(&self, context: ContextId, function: FunctionId) -> bool {
        let built = self.cone.is_none_or(|cone| cone.part(function).is_some());
        built
            && self.program.functions[function].body.is_some()
            && self.open_calls(context, function) >= self.options.recursion.max(1)
    }

    /// How many calls of a function are open in a context.
    fn open_calls(&self, context: ContextId, function: FunctionId) -> u32 {
        let mut count = 0;
        let mut next = Some(context);
        while let Some(chain) = next.and_then(|context| self.chains.get(context)) {
            count += u32::from(chain.function == function);
            next = chain.parent;
        }
        count
    }

    /// A call through a pointer: one of the functions that it can be.
    fn call_through(&mut self, call: &Call, address: Term) -> Result<(), Error> {
        let (_, function, edge) = call.here;
        let Some(targets) = self.targets.behind_pointer((function, edge)) else { return Ok(()) };
        for &candidate in &targets.functions {
            let Some(target) = self.program.functions[candidate].address else { continue };
            let guard = self.pool.eq(address, target);
            if self.pool.as_bool(guard) == Some(false) {
                continue;
            }
            let entry = self.location();
            self.step(call.from, entry, Action::Assume(guard), call.place)?;
            self.call(call, candidate, entry)?;
        }
        if targets.functions.len() < targets.fitting.len() {
            let text =
                "a call through a pointer is to a function that its address was computed from";
            self.assume(text, call.place);
        }
        let fitting = targets.fitting.iter().filter_map(|f| self.program.functions[*f].address);
        let none: Vec<Term> = fitting.map(|f| self.pool.ne(address, f)).collect();
        let none = self.pool.and(none);
        if self.options.properties.contains(&Property::Pointer) {
            return self.violation(call.from, none, Property::Pointer, call.place);
        }
        if targets.outside {
            let text = "a function behind a pointer that comes from outside the program changes \
                        nothing, and its result is unknown";
            self.assume(text, call.place);
            let null = self.pool.bv(0, self.program.pointer_width);
            let guard = self.pool.and([none, self.pool.ne(address, null)]);
            let entry = self.location();
            self.step(call.from, entry, Action::Assume(guard), call.place)?;
            self.unknown(call, &"function behind a pointer".into(), entry)?;
        }
        Ok(())
    }

    fn assume(&mut self, text: &str, place: &Place) {
        let assumptions = &mut self.flat.assumptions;
        if !assumptions.iter().any(|assumption| assumption.text == text) {
            assumptions.push(Assumption { text: text.to_owned(), place: place.clone() });
        }
    }
}

/// A call that is being inlined.
struct Call<'a> {
    here: (ContextId, FunctionId, EdgeId),
    from: LocationId,
    to: LocationId,
    arguments: Vec<Term>,
    results: Vec<Term>,
    /// The registers of the caller that take the results.
    into: Vec<VariableId>,
    place: &'a Place,
}

/// Where an instance's register comes from.
fn origin(program: &Program, id: VariableId, context: Option<ContextId>) -> Origin {
    let variable = &program.variables[id];
    let name = match &variable.name {
        Some(name) => name.clone(),
        None => program.pool.var_name(variable.term).unwrap_or("register").into(),
    };
    let (sort, reading) = (variable.sort, variable.reading);
    Origin { sort, variable: Some(id), context, name, reading }
}
