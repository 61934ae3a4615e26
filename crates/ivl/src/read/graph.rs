//! Bodies: from statements in lines to a graph.
//!
//! A statement leaves the location at which the text is. With an arrow, it leads where the arrow
//! points, and the text stays: the next statement is an alternative. Without one, the text moves
//! on: to the label that follows, to the exit at the end of the body, or else to a location
//! without a name, which the next statement leaves.
//!
//! A location whose place is not stated has, in the text itself, that of its label or else of
//! the first statement that leaves it. In a source, the entry and the exit have that of the
//! function, other labels that of the first statement that leaves them, and what has no label
//! that of the statement that leads to it: so front ends give them.

use super::build::Builder;
use super::layout::stored_bytes;
use super::syntax::{Action, Body, Callee, ExpressionId, Item, Label, Name, Statement, Target};
use crate::words::sort_text;
use ::program::Instruction;
use ::program::place::Place;
use ::program::program::{self, Cause, Computed, Edge, Location, LocationId, VariableId};
use ::term::{Sort, Term};
use la_arena::Arena;
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;
use source::diagnostic::{Diagnostic, Result};
use std::sync::Arc;
use value::Curve;

/// A graph under construction.
#[derive(Default)]
struct Graph {
    locations: Arena<Location>,
    edges: Vec<(LocationId, End, Instruction, Place)>,
    /// The locations whose place is stated.
    stated: FxHashSet<LocationId>,
    labels: FxHashMap<Arc<str>, (LocationId, Span)>,
    exit: Option<(LocationId, Span)>,
    entry: Option<LocationId>,
    /// Where the text is.
    here: Option<LocationId>,
}

/// Where an edge leads.
enum End {
    Known(LocationId),
    Label(Name),
    /// To what follows.
    Next,
}

impl Graph {
    fn location(&mut self, place: Place) -> LocationId {
        let id = self.locations.alloc(Location { place, ..Location::default() });
        self.entry.get_or_insert(id);
        id
    }

    /// The statement that waits for what follows gets it.
    fn arrive(&mut self, location: LocationId) {
        if let Some((_, end, ..)) = self.edges.last_mut()
            && matches!(end, End::Next)
        {
            *end = End::Known(location);
        }
    }

    /// The location that the next statement leaves.
    fn leaving(&mut self) -> LocationId {
        let waits = matches!(self.edges.last(), Some((_, End::Next, ..)));
        match self.here {
            Some(here) if !waits => here,
            _ => {
                let fresh = self.location(Place::default());
                self.arrive(fresh);
                self.here = Some(fresh);
                fresh
            }
        }
    }

    /// Gives places to locations that state none.
    fn places(&mut self, body: &Body, exit: LocationId) {
        let labelled: FxHashSet<LocationId> = self.labels.values().map(|(id, _)| *id).collect();
        let ends = |id| Some(id) == self.entry || id == exit;
        let mut unstated: FxHashSet<LocationId> = self.locations.iter().map(|(id, _)| id).collect();
        unstated.retain(|id| !self.stated.contains(id));
        for (from, end, _, place) in &self.edges {
            if let (End::Known(to), true) = (end, body.has_source)
                && !labelled.contains(to)
                && !ends(*to)
                && unstated.remove(to)
            {
                self.locations[*to].place = place.clone();
            }
            let own = !body.has_source && labelled.contains(from);
            let leads = body.has_source && (ends(*from) || !labelled.contains(from));
            if !own && !leads && unstated.remove(from) {
                self.locations[*from].place = place.clone();
            }
        }
        if body.has_source {
            for id in unstated.into_iter().filter(|id| ends(*id)) {
                self.locations[id].place = body.end.clone();
            }
        }
    }
}

impl Builder<'_> {
    /// The graph of a body.
    pub(super) fn graph(&mut self, body: &Body) -> program::Body {
        let mut graph = Graph::default();
        for item in &body.items {
            match item {
                Item::Label(label) => self.label(&mut graph, label),
                Item::Statement(statement) => self.statement(&mut graph, statement),
            }
        }
        let exit = match graph.exit {
            Some((exit, _)) => exit,
            None => graph.location(body.end.clone()),
        };
        graph.arrive(exit);
        graph.places(body, exit);
        let mut edges = Arena::new();
        for (from, end, instruction, place) in graph.edges {
            let to = match end {
                End::Known(to) => Ok(to),
                End::Next => Ok(exit),
                End::Label(name) if name.absolute => Ok(exit),
                End::Label(name) => graph.labels.get(&name.text).map(|(to, _)| *to).ok_or(name),
            };
            match to {
                Ok(to) => {
                    edges.alloc(Edge { from, to, instruction, place });
                }
                Err(name) => {
                    let message = format!("there is no location '{}' in this function", name.text);
                    self.errors.push(*Diagnostic::error(name.span, message));
                }
            }
        }
        let entry = graph.entry.unwrap_or(exit);
        program::Body { locations: graph.locations, edges, entry, exit }
    }

    fn label(&mut self, graph: &mut Graph, label: &Label) {
        let name = &label.name;
        let id = graph.location(label.place.place.clone());
        graph.arrive(id);
        graph.here = Some(id);
        if label.place.is_stated {
            graph.stated.insert(id);
        }
        graph.locations[id].label = label.label.clone();
        graph.locations[id].loop_head = label.is_loop;
        let first = match name.absolute {
            true => graph.exit.replace((id, name.span)),
            false => graph.labels.insert(name.text.clone(), (id, name.span)),
        };
        if let Some((_, first)) = first {
            let message = format!("the location '{}' is there twice", name.text);
            self.errors.push(*Diagnostic::error(name.span, message).note(first, "first here"));
        }
    }

    fn statement(&mut self, graph: &mut Graph, statement: &Statement) {
        let from = graph.leaving();
        if graph.exit.is_some_and(|(exit, _)| exit == from) {
            let message = "nothing leaves the exit";
            let error = Diagnostic::error(statement.span, message);
            self.errors.push(*error.help("begin another location before it: L1:"));
        }
        let end = match &statement.target {
            Target::Next => End::Next,
            Target::Label(name) => End::Label(name.clone()),
            Target::Stop(place) => End::Known(graph.location(place.clone())),
        };
        let instruction = self.instruction(&statement.action, statement.span);
        let instruction = self.keep(instruction).unwrap_or(Instruction::Skip);
        graph.edges.push((from, end, instruction, statement.place.clone()));
    }

    fn instruction(&mut self, action: &Action, span: Span) -> Result<Instruction> {
        let word = self.word;
        Ok(match action {
            Action::Skip => Instruction::Skip,
            Action::Assume(formula) => {
                Instruction::Assume(self.expression(*formula, Some(Sort::Bool))?)
            }
            Action::Check(property, formula) => {
                Instruction::Check(*property, self.expression(*formula, Some(Sort::Bool))?)
            }
            Action::Assign(name, value) => {
                let into = self.resolve(name)?;
                Instruction::Assign(into, self.expression(*value, Some(self.sort_of(into)))?)
            }
            Action::Compute { into, curve, name, arguments, error } => {
                let register = self.resolve(into)?;
                let sort = self.sort_of(register);
                if !sort.format().is_some_and(Curve::is_computed) {
                    let message = format!("results of '{name}' are of the sort f32 or f64");
                    return Err(Diagnostic::error(span, message));
                }
                let argument = |expression: &ExpressionId| self.expression(*expression, Some(sort));
                let arguments = arguments.iter().map(argument).collect::<Result<_>>()?;
                let (curve, name, error) = (*curve, name.clone(), *error);
                let computed = Computed { curve, name, arguments, error };
                Instruction::Havoc(register, Cause::Computed(Arc::new(computed)))
            }
            Action::Havoc(name, cause) => Instruction::Havoc(self.resolve(name)?, cause.clone()),
            Action::Load { .. } | Action::Store { .. } => self.access(action, span)?,
            Action::Measure { into, extent, address } => {
                let into = self.aligned(into, None)?;
                let address = self.expression(*address, Some(word))?;
                Instruction::Measure { into, address, extent: *extent }
            }
            Action::Written { into, size, address } => {
                let register = self.resolve(into)?;
                if self.sort_of(register) != Sort::Bool || *size == 0 {
                    let message = "whether at least one byte was written is a truth value";
                    return Err(Diagnostic::error(into.span, message));
                }
                let address = self.expression(*address, Some(word))?;
                Instruction::Written { into: register, address, size: *size }
            }
            Action::Allocate { into, size, storage, written, clauses } => {
                let into = self.aligned(into, clauses.align)?;
                Instruction::Allocate {
                    into,
                    size: self.expression(*size, Some(word))?,
                    align: clauses.align.map_or(1, |(align, _)| align),
                    storage: *storage,
                    written: *written,
                    scalars: clauses.scalars.clone(),
                    name: clauses.named.clone(),
                }
            }
            Action::Free { address, storage } => {
                let address = self.expression(*address, Some(word))?;
                Instruction::Free { address, storage: *storage }
            }
            Action::Copy { length, from, to } => Instruction::Copy {
                to: self.expression(*to, Some(word))?,
                from: self.expression(*from, Some(word))?,
                length: self.expression(*length, Some(word))?,
            },
            Action::Fill { length, to, byte } => Instruction::Fill {
                to: self.expression(*to, Some(word))?,
                byte: self.expression(*byte, Some(Sort::BitVec(8)))?,
                length: self.expression(*length, Some(word))?,
            },
            Action::HavocBytes { length, address, cause } => Instruction::HavocBytes {
                address: self.expression(*address, Some(word))?,
                length: self.expression(*length, Some(word))?,
                cause: cause.clone(),
            },
            Action::Call { callee, arguments, results } => {
                self.call(callee, arguments, results, span)?
            }
        })
    }

    fn sort_of(&self, variable: VariableId) -> Sort {
        self.variables[variable].sort
    }

    fn shown(&self, sort: Sort) -> String {
        sort_text(&self.pool, sort)
    }

    /// Loads and stores.
    fn access(&mut self, action: &Action, span: Span) -> Result<Instruction> {
        let (instruction, sort) = match action {
            Action::Load { into, sort, address } => {
                let into = self.resolve(into)?;
                let found = self.sort_of(into);
                if let Some((sort, span)) = sort
                    && self.sort(sort)? != found
                {
                    let message = format!("the register takes {}", self.shown(found));
                    return Err(Diagnostic::error(*span, message));
                }
                let address = self.expression(*address, Some(self.word))?;
                (Instruction::Load { into, address }, found)
            }
            Action::Store { sort, address, value } => {
                let sort = sort.as_ref().map(|sort| self.sort(sort)).transpose()?;
                let value = self.expression(*value, sort)?;
                let address = self.expression(*address, Some(self.word))?;
                (Instruction::Store { address, value }, self.pool.sort(value))
            }
            _ => return Err(Diagnostic::error(span, "neither a load nor a store")),
        };
        match stored_bytes(sort) {
            Some(_) => Ok(instruction),
            None => {
                let message = format!("{} is not stored in memory", self.shown(sort));
                Err(Diagnostic::error(span, message)
                    .help("memory holds bit-vectors of whole bytes and floats"))
            }
        }
    }

    /// The register that takes the address of an allocation.
    fn aligned(&self, into: &Name, align: Option<(u64, Span)>) -> Result<VariableId> {
        let id = self.resolve(into)?;
        if self.sort_of(id) != self.word {
            let message = format!("an address is {}", self.shown(self.word));
            return Err(Diagnostic::error(into.span, message));
        }
        match align {
            Some((align, span)) if !align.is_power_of_two() => {
                let message = format!("an alignment of {align} bytes is no power of two");
                Err(Diagnostic::error(span, message))
            }
            _ => Ok(id),
        }
    }

    fn call(
        &mut self,
        callee: &Callee,
        arguments: &[ExpressionId],
        results: &[Name],
        span: Span,
    ) -> Result<Instruction> {
        let taken: Vec<VariableId> =
            results.iter().map(|name| self.resolve(name)).collect::<Result<_>>()?;
        let name = match callee {
            Callee::Pointer(address) => {
                let callee = program::Callee::Pointer(self.expression(*address, Some(self.word))?);
                let arguments = arguments.iter().map(|a| self.expression(*a, None));
                let arguments: Vec<Term> = arguments.collect::<Result<_>>()?;
                return Ok(Instruction::Call { callee, arguments, results: taken });
            }
            Callee::Function(name) => name,
        };
        let id = self.called(name)?;
        let header = &self.functions[id];
        let parameters: Vec<Sort> = header.parameters.iter().map(|p| self.sort_of(*p)).collect();
        let delivered: Vec<Sort> = header.results.iter().map(|r| self.sort_of(*r)).collect();
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        if arguments.len() != parameters.len() {
            let takes = count(parameters.len(), "argument");
            let message = format!("'{}' takes {takes}, not {}", name.text, arguments.len());
            return Err(Diagnostic::error(span, message));
        }
        if results.len() > delivered.len() {
            let gives = count(delivered.len(), "result");
            let message = format!("'{}' gives {gives}, not {}", name.text, results.len());
            return Err(Diagnostic::error(span, message));
        }
        for ((register, name), sort) in taken.iter().zip(results).zip(&delivered) {
            if self.sort_of(*register) != *sort {
                let message = format!("this result is {}", self.shown(*sort));
                return Err(Diagnostic::error(name.span, message));
            }
        }
        let arguments = arguments.iter().zip(&parameters);
        let arguments = arguments.map(|(a, sort)| self.expression(*a, Some(*sort)));
        let arguments: Vec<Term> = arguments.collect::<Result<_>>()?;
        let callee = program::Callee::Function(id);
        Ok(Instruction::Call { callee, arguments, results: taken })
    }
}
