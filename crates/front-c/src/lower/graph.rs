//! How lowering appends to the graph at hand (`program::builder`): instructions, checks, registers.

use super::Lowerer;
use crate::source::Span;
use program::program::{Cause, Instruction, LocationId, Reading, VariableId};
use program::{Property, Variable};
use std::sync::Arc;
use term::{Sort, Term};

impl Lowerer<'_> {
    /// Whether control comes to where instructions are appended.
    pub(super) fn is_live(&self) -> bool {
        self.graph.at.is_some()
    }

    pub(super) fn new_location(&mut self) -> LocationId {
        let place = self.here();
        self.graph.location(place)
    }

    /// Appends an instruction, after what contracts want checked before it.
    pub(super) fn emit(&mut self, instruction: Instruction) {
        if self.is_live() {
            self.guard(&instruction);
        }
        self.append(instruction);
    }

    /// Appends an instruction.
    pub(super) fn append(&mut self, instruction: Instruction) {
        let place = self.here();
        self.graph.append(instruction, &place, place.clone());
    }

    /// Appends an instruction that code beyond the program executes. What contracts want checked comes
    /// after it: only then it is known that there is such a run.
    pub(super) fn emit_beyond(&mut self, instruction: Instruction) {
        if self.is_live() {
            let place = self.here();
            self.graph.append(instruction.clone(), &place.clone().beyond(), place);
            self.guard(&instruction);
        }
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

    /// Ends the run.
    pub(super) fn stop(&mut self) {
        self.graph.at = None;
    }

    pub(super) fn assume(&mut self, condition: Term) {
        match self.pool.as_bool(condition) {
            Some(true) => {}
            Some(false) => {
                // The edge stays, so that the place is one where runs end.
                self.emit(Instruction::Assume(condition));
                self.stop();
            }
            None => self.emit(Instruction::Assume(condition)),
        }
    }

    /// A check, unless it is not wanted or holds anyway.
    pub(super) fn check(&mut self, property: Property, condition: Term) {
        let passes = self.pool.as_bool(condition) == Some(true);
        if self.quiet || passes || !self.checks(property) {
            return;
        }
        if self.in_claim {
            self.check_in_claim(property, condition);
        } else if self.segment.is_some() && self.options.properties.contains(&property) {
            self.check_at_last_segment(property, condition);
        } else {
            self.emit(Instruction::Check(property, condition));
        }
    }

    pub(super) fn assign(&mut self, variable: VariableId, term: Term) {
        if self.variables[variable].term != term {
            self.check_register(variable);
            self.emit(Instruction::Assign(variable, term));
            self.mark_written(variable);
        }
    }

    pub(super) fn havoc(&mut self, variable: VariableId, cause: Cause) {
        self.check_register(variable);
        self.emit(Instruction::Havoc(variable, cause));
    }

    /// A register that the source does not name.
    pub(super) fn temporary(&mut self, sort: Sort) -> VariableId {
        self.frame.temporaries += 1;
        let name = format!("{}::${}", self.frame.name, self.frame.temporaries);
        self.new_variable(name, None, sort, Reading::of(sort), true, self.span)
    }

    /// A new register.
    pub(super) fn new_variable(
        &mut self,
        name: String,
        shown: Option<Arc<str>>,
        sort: Sort,
        reading: Reading,
        local: bool,
        span: Span,
    ) -> VariableId {
        let name = self.unique_name(name);
        let term = self.pool.var(&name, sort);
        let function = if local { self.frame.id } else { None };
        let place = self.place_of(span);
        self.variables.alloc(Variable { term, sort, name: shown, reading, function, place })
    }

    pub(super) fn term_of(&self, variable: VariableId) -> Term {
        self.variables[variable].term
    }

    /// The term's value now, whatever happens to registers later.
    pub(super) fn keep(&mut self, term: Term) -> Term {
        if self.pool.value(term).is_some() || self.static_addresses.contains(&term) {
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

    pub(super) fn pointer_bits(&self, value: u64) -> Term {
        self.pool.bv(value, self.pointer_width())
    }
}
