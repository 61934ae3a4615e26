//! The graph of the one function that a program becomes.
//!
//! Instructions are appended at the current location; after a jump there is none, and what is
//! appended then is dropped, because no run comes there. Locations that nothing leads to are
//! removed in the end.

use super::Lowerer;
use la_arena::{Arena, Idx};
use program::program::{
    Body, Cause, Edge, EdgeId, Instruction, Location, LocationId, Reading, VariableId,
};
use program::{Property, Variable};
use source::Span;
use std::sync::Arc;
use term::{Sort, Term};

/// A graph under construction.
pub(super) struct Graph {
    pub(super) locations: Arena<Location>,
    pub(super) edges: Arena<Edge>,
    pub(super) entry: LocationId,
    pub(super) exit: LocationId,
    /// Where the next instruction goes; none where control does not come.
    pub(super) at: Option<LocationId>,
}

impl Graph {
    pub(super) fn new() -> Graph {
        let mut locations = Arena::new();
        let entry = locations.alloc(Location::default());
        let exit = locations.alloc(Location::default());
        Graph { locations, edges: Arena::new(), entry, exit, at: Some(entry) }
    }

    /// The finished graph, without what can't be reached.
    pub(super) fn finish(self) -> Body {
        let mut outgoing: Vec<Vec<EdgeId>> = vec![Vec::new(); self.locations.len()];
        for (id, edge) in self.edges.iter() {
            outgoing[index(edge.from)].push(id);
        }
        let mut reached = vec![false; self.locations.len()];
        let mut todo = vec![self.entry];
        reached[index(self.entry)] = true;
        while let Some(location) = todo.pop() {
            for &edge in &outgoing[index(location)] {
                let to = self.edges[edge].to;
                if !std::mem::replace(&mut reached[index(to)], true) {
                    todo.push(to);
                }
            }
        }
        let mut locations = Arena::new();
        let mut renamed = vec![None; self.locations.len()];
        for (id, location) in self.locations.iter() {
            if reached[index(id)] || id == self.exit {
                renamed[index(id)] = Some(locations.alloc(location.clone()));
            }
        }
        let mut edges = Arena::new();
        for (_, edge) in self.edges.iter() {
            let ends = (renamed[index(edge.from)], renamed[index(edge.to)]);
            if let (Some(from), Some(to)) = ends
                && reached[index(edge.from)]
            {
                edges.alloc(Edge { from, to, ..edge.clone() });
            }
        }
        let kept = |id: LocationId| renamed[index(id)].expect("entry and exit are kept");
        Body { entry: kept(self.entry), exit: kept(self.exit), locations, edges }
    }
}

fn index<T>(id: Idx<T>) -> usize {
    id.into_raw().into_u32() as usize
}

impl Lowerer<'_> {
    /// The place of what is being lowered.
    pub(super) fn here(&self) -> program::Place {
        self.place_of(self.span)
    }

    pub(super) fn place_of(&self, span: Span) -> program::Place {
        if span == Span::default() {
            return program::Place::default();
        }
        let position = self.sources.presumed(span);
        program::Place { file: position.file.clone(), line: position.line, column: position.column }
    }

    pub(super) fn new_location(&mut self) -> LocationId {
        let place = self.here();
        self.graph.locations.alloc(Location { place, label: None, loop_head: false })
    }

    fn connect(&mut self, from: LocationId, to: LocationId, instruction: Instruction) {
        let place = self.here();
        self.graph.edges.alloc(Edge { from, to, instruction, place });
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, instruction: Instruction) {
        let Some(from) = self.graph.at else { return };
        let to = self.new_location();
        self.connect(from, to, instruction);
        self.graph.at = Some(to);
    }

    /// Goes to a location.
    pub(super) fn jump(&mut self, to: LocationId) {
        if let Some(from) = self.graph.at.take() {
            self.connect(from, to, Instruction::Skip);
        }
    }

    /// Goes on at a location.
    pub(super) fn continue_at(&mut self, location: LocationId) {
        self.graph.at = Some(location);
    }

    /// One guarded edge from the current location, which stays the current one.
    pub(super) fn guarded(&mut self, guard: Term, to: LocationId) {
        let Some(from) = self.graph.at else { return };
        match self.pool.as_bool(guard) {
            Some(false) => {}
            Some(true) => self.connect(from, to, Instruction::Skip),
            None => self.connect(from, to, Instruction::Assume(guard)),
        }
    }

    /// Goes to one of two locations.
    pub(super) fn split(&mut self, condition: Term, then: LocationId, otherwise: LocationId) {
        self.guarded(condition, then);
        let negated = self.pool.not(condition);
        self.guarded(negated, otherwise);
        self.graph.at = None;
    }

    pub(super) fn assume(&mut self, condition: Term) {
        match self.pool.as_bool(condition) {
            Some(true) => {}
            Some(false) => {
                self.emit(Instruction::Assume(condition));
                self.graph.at = None;
            }
            None => self.emit(Instruction::Assume(condition)),
        }
    }

    /// A check, unless it holds anyway or nobody could ask about it.
    pub(super) fn check(&mut self, property: Property, condition: Term) {
        let passes = self.pool.as_bool(condition) == Some(true);
        let wanted = property.is_fatal() || self.options.properties.contains(&property);
        if !passes && wanted && self.quiet == 0 {
            self.emit(Instruction::Check(property, condition));
        }
    }

    pub(super) fn assign(&mut self, variable: VariableId, term: Term) {
        if self.variables[variable].term != term {
            self.emit(Instruction::Assign(variable, term));
        }
    }

    pub(super) fn havoc(&mut self, variable: VariableId, cause: Cause) {
        self.emit(Instruction::Havoc(variable, cause));
    }

    /// A register that the source does not name.
    pub(super) fn temporary(&mut self, sort: Sort) -> VariableId {
        let reading = match sort {
            Sort::Bool => Reading::Bool,
            Sort::Float(_) => Reading::Float,
            _ => Reading::Signed,
        };
        self.new_variable("$", None, sort, reading)
    }

    /// A new register. The name is made unique.
    pub(super) fn new_variable(
        &mut self,
        name: &str,
        shown: Option<Arc<str>>,
        sort: Sort,
        reading: Reading,
    ) -> VariableId {
        let count = self.names.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 if name != "$" => name.to_owned(),
            n => format!("{name}#{n}"),
        };
        let term = self.pool.var(&name, sort);
        let place = self.here();
        self.variables.alloc(Variable { term, sort, name: shown, reading, function: None, place })
    }

    pub(super) fn term_of(&self, variable: VariableId) -> Term {
        self.variables[variable].term
    }

    /// The term's value now, whatever happens to registers later.
    pub(super) fn keep(&mut self, term: Term) -> Term {
        if self.pool.value(term).is_some() || self.addresses.contains_key(&term) {
            return term;
        }
        let kept = self.temporary(self.pool.sort(term));
        self.assign(kept, term);
        self.term_of(kept)
    }

    /// An unknown value.
    pub(super) fn unknown(&mut self, sort: Sort, cause: Cause) -> Term {
        let variable = self.temporary(sort);
        self.havoc(variable, cause);
        self.term_of(variable)
    }

    pub(super) fn address(&self, value: u64) -> Term {
        self.pool.bv(value, crate::types::POINTER_WIDTH)
    }
}
