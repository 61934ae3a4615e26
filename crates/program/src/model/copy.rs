//! Copying edges of procedures, with other registers and with everything spelled out that depends
//! on no context: checks become edges to the error location, a call through a pointer becomes a
//! choice over the functions that it can be to, each guarded by the pointer being its address, and
//! a function without a body gives any results.
//!
//! What becomes of a call of a procedure that has a body is the business of the pass ([`Calls`]):
//! [`super::inline`] puts the body there, [`super::direct`] keeps the call.

use super::{Error, Options};
use crate::cfa::{Command, Context, ContextId, Input, Location, LocationId};
use crate::place::Place;
use crate::procedures::{
    Action, Behind, Call, Callee, Edge, Extent, Instance, Procedure, ProcedureId, Procedures,
};
use crate::program::{Assumption, Cause};
use crate::property::Property;
use la_arena::Arena;
use std::sync::Arc;
use term::traverse::Substitution;
use term::{Pool, Term};

/// What a pass does with calls of procedures that have a body.
pub(super) trait Calls {
    /// A call of a procedure that starts at a location.
    fn call(
        &mut self,
        copier: &mut Copier<'_>,
        call: &Calling<'_>,
        callee: ProcedureId,
        from: LocationId,
    ) -> Result<(), Error>;
}

/// A call that is being copied.
pub(super) struct Calling<'a> {
    pub here: Instance,
    pub from: LocationId,
    pub to: LocationId,
    pub arguments: Vec<Term>,
    pub results: Vec<Term>,
    /// The registers that take the results, as the copied procedure calls them.
    pub into: &'a [Term],
    pub place: &'a Place,
}

/// What edges are copied for: the chain of calls, and the registers there.
pub(super) struct Scope {
    pub context: ContextId,
    /// From the procedure's registers to those of the copy.
    pub registers: Substitution,
}

/// The procedure under construction, and what is shared by all.
pub(super) struct Copier<'a> {
    pub pool: &'a Pool,
    pub options: &'a Options,
    pub source: &'a Procedures,
    pub procedure: Procedure,
    pub inputs: Arena<Input>,
    pub contexts: Arena<Context>,
    pub assumptions: Vec<Assumption>,
    /// How many edges there are in procedures that are done.
    pub done: usize,
}

impl<'a> Copier<'a> {
    /// With the empty chain of calls, which is answered, and an empty procedure.
    pub fn new(pool: &'a Pool, options: &'a Options, source: &'a Procedures) -> (Self, ContextId) {
        let mut contexts = Arena::new();
        let root = contexts.alloc(Context::default());
        let copier = Copier {
            pool,
            options,
            source,
            procedure: blank(&source.procedures[source.start]),
            inputs: Arena::new(),
            contexts,
            assumptions: source.assumptions.clone(),
            done: 0,
        };
        (copier, root)
    }

    pub fn location(&mut self) -> LocationId {
        self.procedure.locations.alloc(Location::default())
    }

    /// A location like one of a procedure, in a chain of calls.
    pub fn copy_location(&mut self, location: &Location, scope: &Scope) -> LocationId {
        let context = location.context.map(|context| self.context(scope.context, context));
        let (place, loop_head) = (location.place.clone(), location.loop_head);
        self.procedure.locations.alloc(Location { place, loop_head, context })
    }

    /// A chain of calls that begins in a procedure, continued from the chain that leads there.
    fn context(&mut self, outer: ContextId, inner: ContextId) -> ContextId {
        let inner = &self.source.contexts[inner].calls;
        if inner.is_empty() {
            return outer;
        }
        let mut calls = self.contexts[outer].calls.clone();
        calls.extend(inner.iter().copied());
        self.contexts.alloc(Context { calls })
    }

    fn instance(&mut self, scope: &Scope, (context, function, edge): Instance) -> Instance {
        (self.context(scope.context, context), function, edge)
    }

    pub fn step(
        &mut self,
        from: LocationId,
        to: LocationId,
        action: Action,
        place: &Place,
    ) -> Result<(), Error> {
        self.push(Edge { from, to, action, place: place.clone(), violates: None })
    }

    pub fn violation(
        &mut self,
        from: LocationId,
        when: Term,
        property: Property,
        place: &Place,
    ) -> Result<(), Error> {
        if self.pool.as_bool(when) == Some(false) {
            return Ok(());
        }
        let (to, place) = (self.procedure.error, place.clone());
        let action = Action::Command(Command::Assume(when));
        self.push(Edge { from, to, action, place, violates: Some(property) })
    }

    fn push(&mut self, edge: Edge) -> Result<(), Error> {
        if self.done + self.procedure.edges.len() >= self.options.edges {
            return Err(Error::Size { place: edge.place, limit: self.options.edges });
        }
        self.procedure.edges.alloc(edge);
        Ok(())
    }

    /// Copies an edge to between two locations.
    pub fn edge(
        &mut self,
        calls: &mut impl Calls,
        scope: &mut Scope,
        edge: &Edge,
        from: LocationId,
        to: LocationId,
    ) -> Result<(), Error> {
        let place = &edge.place;
        let action = match &edge.action {
            Action::Check { property, formula } => {
                let formula = scope.registers.apply(self.pool, *formula);
                return self.check(from, to, *property, formula, place);
            }
            Action::Call(call) => return self.call(calls, scope, call, (from, to), place),
            action => self.action(scope, action),
        };
        self.push(Edge { from, to, action, place: place.clone(), violates: edge.violates })
    }

    /// Copies what an edge does that is neither a check nor a call.
    fn action(&mut self, scope: &mut Scope, action: &Action) -> Action {
        let pool = self.pool;
        let mut copy = match action {
            Action::Command(command) => {
                return Action::Command(self.command(scope, command));
            }
            Action::Return { objects } => {
                let objects = objects.iter().map(|o| scope.registers.apply(pool, *o)).collect();
                return Action::Return { objects };
            }
            action => action.clone(),
        };
        match &mut copy {
            Action::Load { into, instruction, .. } => {
                *into = scope.registers.apply(pool, *into);
                *instruction = self.instance(scope, *instruction);
            }
            Action::Written { into, .. } => *into = scope.registers.apply(pool, *into),
            Action::Allocate(allocation) => {
                allocation.into = scope.registers.apply(pool, allocation.into);
            }
            Action::HavocBytes { instruction, .. } => {
                *instruction = self.instance(scope, *instruction);
            }
            _ => {}
        }
        copy.map_terms(&mut |term| scope.registers.apply(pool, term));
        copy
    }

    /// Copies a command; commands nest as deep as blocks make them.
    fn command(&mut self, scope: &mut Scope, command: &Command) -> Command {
        let pool = self.pool;
        match command {
            Command::Assume(formula) => Command::Assume(scope.registers.apply(pool, *formula)),
            Command::Assign(variable, term) => {
                let variable = scope.registers.apply(pool, *variable);
                Command::Assign(variable, scope.registers.apply(pool, *term))
            }
            Command::Havoc(variable, input) => {
                let variable = scope.registers.apply(pool, *variable);
                let Input { instruction, ref cause, sort } = self.source.inputs[*input];
                let cause = cause.map_terms(&mut |term| scope.registers.apply(pool, term));
                let instruction = instruction.map(|here| self.instance(scope, here));
                Command::Havoc(variable, self.inputs.alloc(Input { instruction, cause, sort }))
            }
            Command::Sequence(commands) => {
                Command::Sequence(commands.iter().map(|c| self.command(scope, c)).collect())
            }
            Command::Choice(commands) => {
                Command::Choice(commands.iter().map(|c| self.command(scope, c)).collect())
            }
        }
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
        let assume = Action::Command(Command::Assume(formula));
        if self.options.properties.contains(&property) {
            self.violation(from, self.pool.not(formula), property, place)?;
            self.step(from, to, assume, place)
        } else if property.is_fatal() {
            self.step(from, to, assume, place)
        } else {
            self.step(from, to, Action::skip(), place)
        }
    }

    fn call(
        &mut self,
        calls: &mut impl Calls,
        scope: &mut Scope,
        call: &Call,
        (from, to): (LocationId, LocationId),
        place: &Place,
    ) -> Result<(), Error> {
        let pool = self.pool;
        let Some(instruction) = call.instruction else {
            let what = "a loop is a call".to_owned();
            return Err(Error::Malformed { place: place.clone(), what });
        };
        let here = self.instance(scope, instruction);
        let mut map = |term: &Term| scope.registers.apply(pool, *term);
        let arguments: Vec<Term> = call.arguments.iter().map(&mut map).collect();
        let results: Vec<Term> = call.results.iter().map(&mut map).collect();
        let into = &call.results[..];
        match &call.callee {
            Callee::Procedure(callee) => {
                let call = Calling { here, from, to, arguments, results, into, place };
                self.call_procedure(calls, &call, *callee, from)
            }
            Callee::Pointer(behind) => {
                let address = map(&behind.address);
                let call = Calling { here, from, to, arguments, results, into, place };
                self.call_through(calls, &call, behind, address)
            }
        }
    }

    /// A call of a procedure; `from` is where it starts.
    fn call_procedure(
        &mut self,
        calls: &mut impl Calls,
        call: &Calling,
        callee: ProcedureId,
        from: LocationId,
    ) -> Result<(), Error> {
        let source = self.source;
        let definition = &source.procedures[callee];
        match definition.extent {
            Extent::Unknown => return self.unknown(call, &definition.name, from),
            Extent::Idle => return self.step(from, call.to, Action::skip(), call.place),
            Extent::Endless => return Ok(()),
            Extent::Body => {}
        }
        if definition.parameters.len() != call.arguments.len()
            || definition.results.len() < call.results.len()
        {
            let what = format!("a call of {} does not fit its parameters", definition.name);
            return Err(Error::Malformed { place: call.place.clone(), what });
        }
        calls.call(self, call, callee, from)
    }

    /// A function without a body gives any results.
    fn unknown(&mut self, call: &Calling, name: &Arc<str>, from: LocationId) -> Result<(), Error> {
        let mut here = from;
        for &result in &call.results {
            let next = self.location();
            let cause = Cause::Unknown(name.clone());
            let input = Input { instruction: Some(call.here), cause, sort: self.pool.sort(result) };
            let input = self.inputs.alloc(input);
            self.step(here, next, Action::Command(Command::Havoc(result, input)), call.place)?;
            here = next;
        }
        self.step(here, call.to, Action::skip(), call.place)
    }

    /// A call through a pointer: one of the functions that it can be.
    fn call_through(
        &mut self,
        calls: &mut impl Calls,
        call: &Calling,
        behind: &Behind,
        address: Term,
    ) -> Result<(), Error> {
        let pool = self.pool;
        let assume = |formula| Action::Command(Command::Assume(formula));
        for &(candidate, target) in &behind.targets {
            let guard = pool.eq(address, target);
            if pool.as_bool(guard) == Some(false) {
                continue;
            }
            let entry = self.location();
            self.step(call.from, entry, assume(guard), call.place)?;
            self.call_procedure(calls, call, candidate, entry)?;
        }
        if behind.targets.len() < behind.fitting.len() {
            let text =
                "a call through a pointer is to a function that its address was computed from";
            self.assume(text, call.place);
        }
        let none: Vec<Term> = behind.fitting.iter().map(|f| pool.ne(address, *f)).collect();
        let none = pool.and(none);
        let asked = self.options.properties.contains(&Property::Pointer);
        if asked && !behind.asked {
            return Ok(());
        }
        if asked {
            return self.violation(call.from, none, Property::Pointer, call.place);
        }
        if behind.outside {
            let text = "a function behind a pointer that comes from outside the program changes \
                        nothing, and its result is unknown";
            self.assume(text, call.place);
            let null = pool.bv(0, pool.width(address));
            let guard = pool.and([none, pool.ne(address, null)]);
            let entry = self.location();
            self.step(call.from, entry, assume(guard), call.place)?;
            self.unknown(call, &"function behind a pointer".into(), entry)?;
        }
        Ok(())
    }

    fn assume(&mut self, text: &str, place: &Place) {
        if !self.assumptions.iter().any(|assumption| assumption.text == text) {
            let (text, place) = (text.to_owned(), place.clone());
            self.assumptions.push(Assumption { text, place });
        }
    }

    /// The procedures that were made. What they had not needed is gone, so they are whole.
    pub fn finish(self, procedures: Arena<Procedure>, start: ProcedureId) -> Procedures {
        Procedures {
            procedures,
            start,
            globals: self.source.globals.clone(),
            inputs: self.inputs,
            contexts: self.contexts,
            assumptions: self.assumptions,
            outside: self.source.outside.clone(),
            slice: None,
        }
    }
}

/// A procedure with the name of another and nothing else.
pub(super) fn blank(like: &Procedure) -> Procedure {
    Procedure::new(like.name.clone(), like.function, like.place.clone())
}
