//! How lowering appends to the graph at hand (`program::builder`): instructions, checks, registers.

use super::Lowerer;
use program::program::{Cause, Instruction, LocationId, Reading, VariableId};
use program::{Property, Variable};
use source::Span;
use std::sync::Arc;
use term::{Sort, Term};

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
        self.graph.location(place)
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, instruction: Instruction) {
        let place = self.here();
        self.graph.append(instruction, &place, place.clone());
    }

    /// Goes to a location.
    pub(super) fn jump(&mut self, to: LocationId) {
        let place = self.here();
        self.graph.jump(to, &place);
    }

    /// Goes on at a location.
    pub(super) fn continue_at(&mut self, location: LocationId) {
        self.graph.at = Some(location);
    }

    /// One guarded edge from the current location, which stays the current one.
    pub(super) fn guarded(&mut self, guard: Term, to: LocationId) {
        let place = self.here();
        self.graph.guarded(&self.pool, guard, to, &place);
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
        self.new_variable("$", None, sort, Reading::of(sort))
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
