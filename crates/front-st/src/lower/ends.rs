//! Whether every cycle ends: no loop within one goes on for ever, or, with a watchdog, all of them together
//! have no more rounds than it allows.
//!
//! Within a cycle nothing is read from outside, so a loop goes on for ever if and only if its state comes
//! again at its head: a lasso within the cycle (`lasso`). What is compared is what is live there. Jumps
//! back to a label are loops, too; their states are compared from when the code with the label begins.

use super::Lowerer;
use super::lasso::Circle;
use program::Property;
use program::program::{Edge, Instruction, LocationId, Reading, VariableId};
use rustc_hash::FxHashSet;
use source::Span;
use term::Sort;

/// What a run calls the decision that a loop is watched from a round on.
pub const WATCHED: &str = "loop is watched";

/// A loop whose states are to be compared.
pub(super) struct Loop {
    head: LocationId,
    /// Where its round begins; between both, nothing is done yet.
    inside: LocationId,
    /// Whether a state of this loop is kept.
    saved: VariableId,
    span: Span,
}

impl Lowerer<'_> {
    /// Whether loops are looked at, one by one or with a watchdog.
    fn asks_for_ends(&self) -> bool {
        self.options.properties.contains(&Property::Termination) && self.quiet == 0
    }

    /// A cycle begins: no loop has had a round.
    pub(super) fn no_rounds_yet(&mut self) {
        if self.options.watchdog.is_none() {
            return;
        }
        let rounds = self.new_variable("rounds", None, Sort::BitVec(32), Reading::Unsigned);
        let zero = self.pool.bv(0, 32);
        self.assign(rounds, zero);
        self.rounds = Some(rounds);
    }

    /// A round of some loop begins.
    pub(super) fn round(&mut self) {
        let (Some(most), Some(rounds)) = (self.options.watchdog, self.rounds) else { return };
        if !self.asks_for_ends() {
            return;
        }
        let next = self.pool.bv_add(self.term_of(rounds), self.pool.bv(1, 32));
        self.assign(rounds, next);
        let within = self.pool.bv_ule(self.term_of(rounds), self.pool.bv(most.into(), 32));
        self.check(Property::Termination, within);
    }

    /// A loop is about to begin; gives what it is watched with.
    pub(super) fn before_loop(&mut self) -> Option<VariableId> {
        if !self.asks_for_ends() || self.options.watchdog.is_some() {
            return None;
        }
        let saved = self.temporary(Sort::Bool);
        let no = self.pool.fls();
        self.assign(saved, no);
        Some(saved)
    }

    /// Control is at a loop's head.
    pub(super) fn at_head(&mut self, watched: Option<VariableId>) {
        let (Some(head), Some(saved)) = (self.graph.at, watched) else { return };
        let inside = self.new_location();
        self.loops.push(Loop { head, inside, saved, span: self.span });
        self.continue_at(inside);
    }

    /// The checks that no state of a loop comes again; all else of the cycle has been lowered.
    pub(super) fn close_loops(&mut self, start: LocationId) {
        let loops = std::mem::take(&mut self.loops);
        let skips: Vec<Edge> = loops.iter().map(|one| skip(one.head, one.inside)).collect();
        let states = loops.iter().map(|one| {
            let state = self.state_at(one.inside, start, &skips);
            (state, self.writes_memory_in(one, start, &skips))
        });
        let states: Vec<(Vec<VariableId>, bool)> = states.collect();
        let end = self.graph.at;
        for (one, (state, writes_memory)) in loops.iter().zip(states) {
            self.span = one.span;
            self.continue_at(one.head);
            let waits = self.pool.tru();
            let memory = writes_memory.then_some("whether memory is the same in the next round");
            let circle = Circle { saved: one.saved, waits, begins: WATCHED, memory };
            self.close_circle(&circle, &state, Property::Termination, None);
            self.jump(one.inside);
        }
        self.graph.at = end;
    }

    /// Whether a loop writes to byte memory, which is not compared.
    fn writes_memory_in(&self, of: &Loop, start: LocationId, skips: &[Edge]) -> bool {
        let edges = || self.graph.edges.values().chain(skips);
        // What begins the next cycle is no part of this one.
        let reached = |from: LocationId, back: bool| {
            let mut seen = FxHashSet::from_iter([from]);
            let mut grows = true;
            while std::mem::take(&mut grows) {
                for edge in edges().filter(|edge| edge.to != start) {
                    let (a, b) = if back { (edge.to, edge.from) } else { (edge.from, edge.to) };
                    grows |= seen.contains(&a) && seen.insert(b);
                }
            }
            seen
        };
        let (after, before) = (reached(of.inside, false), reached(of.head, true));
        let is_inside = |at: LocationId| after.contains(&at) && before.contains(&at);
        edges()
            .filter(|edge| is_inside(edge.from) && is_inside(edge.to))
            .any(|edge| super::lasso::writes_memory(&edge.instruction))
    }
}

fn skip(from: LocationId, to: LocationId) -> Edge {
    Edge { from, to, instruction: Instruction::Skip, place: program::Place::default() }
}
