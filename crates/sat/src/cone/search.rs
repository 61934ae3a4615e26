//! The search: propagate, learn from conflicts, decide; limits.

use super::ConeSolver;
use super::assignment::{Conflict, Progress, Reason};
use super::clause::Kind;
use super::justify::Mode;
use super::literal::Literal;
use super::restart::Restarts;
use super::trace::StepKind;
use crate::solver::Answer;
use answer::Exhausted;

/// The clock is read once in so many conflicts and decisions.
const TICKS_BETWEEN_CHECKS: u32 = 256;

impl ConeSolver {
    /// SAT? formula ∧ what stands at level 1 ∧ temporary clause
    /// Requires: level 1 is open and holds the assumptions.
    pub(super) fn search(&mut self) -> Answer {
        self.mode = Mode::Justify;
        let mut conflicts = 0;
        loop {
            if let Some(conflict) = self.propagate() {
                self.statistics.conflicts += 1;
                conflicts += 1;
                if self.assignment.level() == 1 {
                    self.analyze_final(conflict);
                    return Answer::Unsat;
                }
                self.learn(conflict);
                if let Some(stop) = self.stop_after(conflicts) {
                    return Answer::Unknown(stop);
                }
                continue;
            }
            if self.mode == Mode::Justify && conflicts >= self.options.hard_after_conflicts {
                self.search_by_activity();
            }
            if self.mode == Mode::Activity && self.restarts.is_due() {
                self.restart();
            }
            if self.wants_reduction() {
                self.reduce();
                if self.arena.wants_collection() {
                    self.collect_garbage();
                }
            }
            let Some(decision) = self.decide() else { return Answer::Sat };
            if let Some(stop) = self.stop_now() {
                return Answer::Unknown(stop);
            }
            self.statistics.decisions += 1;
            self.assignment.open_level(self.progress);
            self.assignment.assign(decision, Reason::Decision);
        }
    }

    /// Undoes the levels above `level`, which is at least 1.
    pub(super) fn backtrack(&mut self, level: u32) {
        if self.assignment.level() <= level {
            return;
        }
        self.progress = self.assignment.level_progress(level + 1);
        if self.mode == Mode::Activity {
            let activity = &mut self.activity;
            self.assignment.backtrack(level, |literal| activity.push(literal.var()));
        } else {
            self.assignment.backtrack(level, |_| {});
        }
    }

    /// Learns from a conflict above level 1 and asserts what follows.
    fn learn(&mut self, conflict: Conflict) {
        let lbd = self.analyze(conflict);
        if self.mode == Mode::Activity {
            self.note_conflict_free();
            self.restarts.note(lbd);
        }
        let temporary = self.analysis.temporary;
        self.trace_learnt();
        let asserting = self.analysis.learnt[0];
        let Some(&second) = self.analysis.learnt.get(1) else {
            self.backtrack(1);
            self.assert_unit(asserting, temporary);
            return;
        };
        self.backtrack(self.assignment.level_of(second));
        let kind = if temporary { Kind::Temporary } else { Kind::Learnt };
        let clause = self.arena.add(kind, lbd, &self.analysis.learnt);
        self.attach(clause);
        if temporary {
            self.temporaries.push(clause);
        } else {
            self.arena.set_used(clause, 1);
            self.learnts.push(clause);
        }
        let reason = match self.analysis.learnt.len() {
            2 if !temporary => Reason::Binary(second),
            _ => Reason::Clause(clause),
        };
        self.assignment.assign(asserting, reason);
    }

    /// Asserts a derived unit at level 1. If the formula alone implies it, it is a fact; see the
    /// head of `assignment.rs`.
    fn assert_unit(&mut self, unit: Literal, temporary: bool) {
        if temporary {
            self.assignment.assign(unit, Reason::Unit);
        } else {
            self.assignment.assign_at(unit, Reason::Unit, 0);
            self.facts.push(unit);
        }
    }

    fn trace_learnt(&mut self) {
        if self.trace.is_some() {
            let kind = if self.analysis.temporary {
                StepKind::LearntTemporarily
            } else {
                StepKind::Learnt
            };
            let clause = self.analysis.learnt.iter().map(|l| l.to_lit()).collect();
            self.trace_step(kind, clause);
        }
    }

    /// The question is hard: from now on all variables of the domain are decided, the most active
    /// ones first.
    fn search_by_activity(&mut self) {
        self.backtrack(1);
        self.mode = Mode::Activity;
        self.restarts = Restarts::default();
        self.activity.clear();
        for var in self.domain.variables() {
            if self.assignment.is_open(Literal::positive(var)) {
                self.activity.push(var);
            }
        }
    }

    fn stop_after(&mut self, conflicts: u64) -> Option<Exhausted> {
        if self.allowance.work.is_some_and(|limit| conflicts >= limit) {
            return Some(Exhausted::Work);
        }
        self.stop_now()
    }

    fn stop_now(&mut self) -> Option<Exhausted> {
        self.ticks += 1;
        if self.ticks < TICKS_BETWEEN_CHECKS {
            return None;
        }
        self.ticks = 0;
        self.allowance.exhausted()
    }

    /// Opens level 1 with the assumptions. Returns `false` where they are inconsistent among
    /// themselves or with the facts; then the core is set.
    pub(super) fn assume(&mut self, assumptions: &[Literal], unit: Option<Literal>) -> bool {
        let start = self.assignment.trail.len();
        self.progress = Progress { trail: start, required: 0 };
        self.assignment.open_level(self.progress);
        for &assumption in assumptions {
            if self.assignment.is_false(assumption) {
                self.analyze_failed(assumption);
                return false;
            }
            if !self.assignment.is_true(assumption) {
                self.assignment.assign(assumption, Reason::Assumption);
            }
        }
        match unit {
            Some(unit) if self.assignment.is_false(unit) => {
                self.analyze_failed_unit(unit);
                false
            }
            Some(unit) if !self.assignment.is_true(unit) => {
                self.assignment.assign(unit, Reason::Unit);
                true
            }
            _ => true,
        }
    }
}
