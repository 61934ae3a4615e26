//! What has to happen some time: by a search for a run that goes in circles without it.
//!
//! A program whose state is finite has a run without end in which something never happens if and only
//! if it has a *lasso*: a run that comes back to a state that it was in, and in between it does not
//! happen (Biere, Artho, Schuppan: *Liveness Checking as Safety Checking*, 2002). So at the end of some
//! cycle in which it is waited for, the state is saved, whenever the environment likes; at the end of
//! a later one, up to which it was waited for without a break, it must not be the same again.
//!
//! The state is what the next cycles read before they write it: the live registers at the head of the
//! loop, inputs not among them. Byte memory is not compared. Where the program writes to it, whether it is
//! the same is taken to be unknown: a proof counts, as it excludes more than lassos; a run does not.

use super::Lowerer;
use la_arena::RawIdx;
use program::Property;
use program::liveness::live_at;
use program::program::{Cause, Edge, Instruction, LocationId, Reading, VariableId};
use source::Span;
use term::{Sort, Term};

/// What a run calls the decision that the loop begins after a cycle.
pub const LOOP: &str = "loop begins";

/// What is waited for.
pub(super) struct Awaited {
    /// Whether it is waited for at the end of a cycle.
    pub waits: VariableId,
    /// Where a violation is.
    pub span: Span,
    pub place: Option<program::Place>,
}

/// A comparison of states: whether one comes again.
pub(super) struct Circle {
    /// Whether a state is kept.
    pub saved: VariableId,
    /// Whether a state may be kept now, and may count as the same.
    pub waits: Term,
    /// What the decision to keep a state is called.
    pub begins: &'static str,
    /// Why nobody knows whether memory is the same, if it may differ.
    pub memory: Option<&'static str>,
}

/// Whether an instruction writes to byte memory.
pub(super) fn writes_memory(instruction: &Instruction) -> bool {
    matches!(
        instruction,
        Instruction::Store { .. }
            | Instruction::Copy { .. }
            | Instruction::Fill { .. }
            | Instruction::HavocBytes { .. }
    )
}

impl Lowerer<'_> {
    /// The checks that no lasso is closed, at the end of a cycle; all else has been lowered.
    pub(super) fn close_lassos(&mut self, head: LocationId) {
        let awaited = std::mem::take(&mut self.awaited);
        if awaited.is_empty() {
            return;
        }
        let state = self.state_at(head, head, &[]);
        let writes = self.graph.edges.values().any(|edge| writes_memory(&edge.instruction));
        for one in awaited {
            self.span = one.span;
            let saved = self.temporary(Sort::Bool);
            let no = self.pool.fls();
            self.at_start(|this| this.assign(saved, no));
            let memory = writes.then_some("whether memory is the same in the next round");
            let waits = self.term_of(one.waits);
            let circle = Circle { saved, waits, begins: LOOP, memory };
            let state = state.iter().copied().filter(|register| *register != one.waits);
            let state: Vec<VariableId> = state.collect();
            self.close_circle(&circle, &state, Property::Assert, one.place.as_ref());
        }
    }

    /// The registers that what follows a location reads before it writes them. The end of the code so far
    /// leads to the start of the cycles, and some edges are still to come.
    pub(super) fn state_at(
        &self,
        at: LocationId,
        start: LocationId,
        to_come: &[Edge],
    ) -> Vec<VariableId> {
        let back = self.graph.at.map(|from| Edge {
            from,
            to: start,
            instruction: Instruction::Skip,
            place: program::Place::default(),
        });
        let edges = self.graph.edges.values().chain(&back).chain(to_come);
        let locations = self.graph.locations.len();
        debug_assert!(at.into_raw() < RawIdx::from(locations as u32));
        live_at(&self.pool, &self.variables, edges, locations, at)
    }

    /// Checks that the state is not the one that is kept, and keeps it if the environment likes.
    pub(super) fn close_circle(
        &mut self,
        circle: &Circle,
        state: &[VariableId],
        property: Property,
        place: Option<&program::Place>,
    ) {
        let &Circle { saved, waits, begins, memory } = circle;
        let sort = Sort::Bool;
        let begins =
            (begins, self.new_variable(begins, Some(begins.into()), sort, Reading::of(sort)));
        let mut same = vec![self.term_of(saved), waits];
        let mut copies = Vec::new();
        for &register in state.iter().filter(|register| **register != saved) {
            let sort = self.variables[register].sort;
            let copy = self.temporary(sort);
            let zero = self.pool.constant(term::eval::default_value(&self.pool, sort));
            self.at_start(|this| this.assign(copy, zero));
            same.push(self.pool.eq(self.term_of(register), self.term_of(copy)));
            copies.push((register, copy));
        }
        if let Some(doubt) = memory {
            let unknown = self.unknown(Sort::Bool, Cause::Approximated(doubt.into()));
            same.push(unknown);
        }
        let closed = self.pool.and(same);
        self.required_check(property, self.pool.not(closed), place);
        // The loop may begin here, unless it has begun.
        self.havoc(begins.1, Cause::Input(begins.0.into()));
        let begins = self.term_of(begins.1);
        let free = self.pool.not(self.term_of(saved));
        let can = self.pool.and([free, waits]);
        self.assume(self.pool.implies(begins, can));
        for (register, copy) in copies {
            let (now, before) = (self.term_of(register), self.term_of(copy));
            let next = self.pool.ite(begins, now, before);
            self.assign(copy, next);
        }
        let goes_on = self.pool.and([self.term_of(saved), waits]);
        let next = self.pool.or([begins, goes_on]);
        self.assign(saved, next);
    }
}
