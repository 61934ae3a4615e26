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
use program::liveness::live_at;
use program::program::{Cause, Edge, Instruction, LocationId, Reading, VariableId};
use source::Span;
use term::Sort;

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

impl Lowerer<'_> {
    /// The checks that no lasso is closed, at the end of a cycle; all else has been lowered.
    pub(super) fn close_lassos(&mut self, head: LocationId) {
        let awaited = std::mem::take(&mut self.awaited);
        if awaited.is_empty() {
            return;
        }
        let state = self.state_at(head);
        let writes_memory = self.graph.edges.values().any(|edge| {
            matches!(
                edge.instruction,
                Instruction::Store { .. }
                    | Instruction::Copy { .. }
                    | Instruction::Fill { .. }
                    | Instruction::HavocBytes { .. }
            )
        });
        for one in awaited {
            self.span = one.span;
            let memory = writes_memory.then_some("whether memory is the same in the next round");
            self.close_lasso(&one, &state, memory);
        }
    }

    /// The registers that the next cycles read before they write them.
    fn state_at(&mut self, head: LocationId) -> Vec<VariableId> {
        let back = self.graph.at.map(|from| Edge {
            from,
            to: head,
            instruction: Instruction::Skip,
            place: program::Place::default(),
        });
        let edges = self.graph.edges.values().chain(&back);
        let locations = self.graph.locations.len();
        debug_assert!(head.into_raw() < RawIdx::from(locations as u32));
        live_at(&self.pool, &self.variables, edges, locations, head)
    }

    fn close_lasso(&mut self, one: &Awaited, state: &[VariableId], memory: Option<&'static str>) {
        let waits = self.term_of(one.waits);
        let saved = self.temporary(Sort::Bool);
        let begins =
            self.new_variable(LOOP, Some(LOOP.into()), Sort::Bool, Reading::of(Sort::Bool));
        let no = self.pool.fls();
        self.at_start(|this| this.assign(saved, no));
        let mut same = vec![self.term_of(saved), waits];
        let mut copies = Vec::new();
        for &register in state.iter().filter(|register| **register != one.waits) {
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
        self.required_check(self.pool.not(closed), one.place.as_ref());
        // The loop may begin after this cycle, unless it has begun.
        self.havoc(begins, Cause::Input(LOOP.into()));
        let begins = self.term_of(begins);
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
