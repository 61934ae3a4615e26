//! Propagation: bounds make clauses unit, and contractors deduce further bounds.
//!
//! Clauses come first; contractors wait on an agenda, the cheap ones before the others. Interval
//! propagation may converge slowly or not within a lifetime (`x < y ∧ y < x`): of one variable only
//! so many small steps are taken between two decisions (the minimal-progress rule); a bound that is
//! not taken is not lost, as decisions split the interval further.

use super::Engine;
use super::trail::Reason;
use crate::lit::{Lit, Var};
use intervals::keys::{Interval, Key};
use smallvec::SmallVec;
use std::collections::VecDeque;

/// A step is small if less than this part of the interval goes.
const SMALL: Key = 8;
/// How many small steps of one variable are taken between two decisions.
const STEPS: u32 = 12;

/// What makes the current bounds impossible.
#[derive(Clone, Copy, Debug)]
pub(super) enum Conflict {
    Clause(u32),
    Constraint(u32),
}

/// The constraints that have to be looked at, and what progress was made.
#[derive(Default)]
pub(super) struct Agenda {
    cheap: VecDeque<u32>,
    dear: VecDeque<u32>,
    queued: Vec<bool>,
    is_cheap: Vec<bool>,
    /// Small steps of each variable, and in which round.
    steps: Vec<(u64, u32)>,
    /// Counts decisions and conflicts.
    round: u64,
    /// The first entry of the trail that was not looked at.
    pub head: usize,
}

impl Agenda {
    pub fn new_var(&mut self) {
        self.steps.push((0, 0));
    }

    pub fn new_constraint(&mut self, constraint: u32, is_cheap: bool) {
        self.queued.push(false);
        self.is_cheap.push(is_cheap);
        self.push(constraint);
    }

    fn push(&mut self, constraint: u32) {
        let place = constraint as usize;
        if !std::mem::replace(&mut self.queued[place], true) {
            let queue = if self.is_cheap[place] { &mut self.cheap } else { &mut self.dear };
            queue.push_back(constraint);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let constraint = self.cheap.pop_front().or_else(|| self.dear.pop_front())?;
        self.queued[constraint as usize] = false;
        Some(constraint)
    }

    fn clear(&mut self) {
        while self.pop().is_some() {}
    }

    /// Whether a step that leaves `after` of `before` is taken.
    fn progress(&mut self, var: Var, before: Interval, after: Interval) -> bool {
        let width = before.high - before.low;
        let gone = width - (after.high - after.low);
        if width < Key::from(STEPS) || gone >= width / SMALL {
            return true;
        }
        let (round, steps) = &mut self.steps[var.index()];
        if *round != self.round {
            (*round, *steps) = (self.round, 0);
        }
        *steps += 1;
        *steps <= STEPS
    }
}

impl Engine {
    /// Opens a level with a literal that is neither true nor false.
    pub(super) fn decide_lit(&mut self, lit: Lit) {
        self.agenda.round += 1;
        self.trail.open_level();
        self.trail.assign(lit, Reason::Decision);
    }

    /// Opens a level in which nothing is decided.
    pub(super) fn open_empty_level(&mut self) {
        self.trail.open_level();
    }

    /// Closes levels until `level` are open.
    pub fn backtrack(&mut self, level: u32) {
        if self.trail.level() <= level {
            return;
        }
        // Below, everything was looked at before the next level was opened.
        self.agenda.clear();
        self.agenda.round += 1;
        let decider = &mut self.decider;
        self.trail.backtrack(level, |entry, interval| decider.undone(entry, interval));
        self.agenda.head = self.agenda.head.min(self.trail.entries.len());
    }

    /// Deduces until nothing moves or something is impossible.
    pub(super) fn propagate(&mut self) -> Option<Conflict> {
        loop {
            while self.agenda.head < self.trail.entries.len() {
                let entry = self.trail.entries[self.agenda.head];
                self.agenda.head += 1;
                for constraint in &self.uses[entry.lit.var.index()] {
                    if entry.reason != Reason::Constraint(*constraint) {
                        self.agenda.push(*constraint);
                    }
                }
                let bounds = &mut self.counters.bounds;
                if let Some(clause) = self.clauses.propagate(entry.lit, &mut self.trail, bounds) {
                    return Some(Conflict::Clause(clause));
                }
            }
            let constraint = self.agenda.pop()?;
            if !self.contract(constraint) {
                return Some(Conflict::Constraint(constraint));
            }
        }
    }

    /// Runs a contractor; false if it leaves nothing.
    fn contract(&mut self, number: u32) -> bool {
        self.counters.contractions += 1;
        let constraint = &self.constraints[number as usize];
        let mut intervals: SmallVec<[Interval; 5]> =
            constraint.vars.iter().map(|var| self.trail.interval(*var)).collect();
        if constraint.contract(&mut intervals).is_err() {
            return false;
        }
        let seen = self.trail.entries.len() as u32;
        for (place, (var, after)) in constraint.vars.iter().zip(intervals).enumerate() {
            let before = self.trail.interval(*var);
            if before == after || !self.agenda.progress(*var, before, after) {
                continue;
            }
            for lit in [
                (after.low > before.low).then(|| Lit::at_least(*var, after.low)),
                (after.high < before.high).then(|| Lit::at_most(*var, after.high)),
            ]
            .into_iter()
            .flatten()
            {
                self.counters.bounds += 1;
                self.trail.assign_seen(lit, Reason::Constraint(number), seen);
            }
            if place > 0 {
                // Arguments that were narrowed backwards may narrow the result.
                self.agenda.push(number);
            }
        }
        true
    }

    /// SAT by propagation alone? Settles what follows from the formulas of the ground level.
    pub(super) fn settle(&mut self) -> bool {
        debug_assert_eq!(self.trail.level(), 0);
        if self.consistent && self.propagate().is_some() {
            self.consistent = false;
        }
        self.trail.settle();
        self.agenda.head = 0;
        self.consistent
    }
}
