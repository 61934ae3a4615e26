//! Conflict analysis: first unique implication point, minimization, and the failed assumptions.
//!
//! Learning follows MiniSat (Eén and Sörensson, SAT 2003; recursive minimization after Sörensson
//! and Biere, SAT 2009), with two additions:
//!
//! * A clause derived with the help of the temporary clause is *temporary* itself. The analysis
//!   notes whether a temporary clause took part. Minimization must not make a clause temporary
//!   that is not, so that as much as possible outlives the question: it uses temporary reasons
//!   only where the clause is temporary already.
//! * All assumptions share level 1, so a conflict at level 1 ends the question. Its causes among
//!   the assumptions are collected directly; no clause is learnt, as propagation alone finds the
//!   same conflict again.

use super::ConeSolver;
use super::assignment::{Conflict, Reason};
use super::clause::{ClauseRef, Kind};
use super::literal::Literal;

/// Marks of conflict analysis, kept between conflicts for their memory.
#[derive(Clone, Default)]
pub(super) struct Analysis {
    seen: Vec<Seen>,
    /// The literals whose variables are marked, to unmark them.
    marked: Vec<Literal>,
    /// The clause being learnt; the first literal is the asserting one.
    pub learnt: Vec<Literal>,
    /// Whether a temporary clause took part.
    pub temporary: bool,
    stack: Vec<(Literal, usize)>,
    level_stamps: Vec<u64>,
    stamp: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Seen {
    #[default]
    No,
    /// On the way to the learnt clause.
    Source,
    /// Implied by the other literals of the learnt clause.
    Redundant,
    /// Known not to be implied by them.
    Needed,
}

impl Analysis {
    pub fn new_var(&mut self) {
        self.seen.push(Seen::No);
    }

    fn mark(&mut self, literal: Literal, seen: Seen) {
        self.seen[literal.slot()] = seen;
        self.marked.push(literal);
    }

    fn unmark_all(&mut self) {
        for literal in self.marked.drain(..) {
            self.seen[literal.slot()] = Seen::No;
        }
    }
}

impl ConeSolver {
    /// Derives the first-UIP clause of a conflict into `analysis.learnt`. The first literal is
    /// the asserting one; the second, if any, has the highest level among the rest.
    /// Requires: the conflict is at a level above 1.
    /// Ensures: formula ∧ (temporary clause, if `analysis.temporary`) implies the clause.
    /// Returns the clause's LBD.
    pub(super) fn analyze(&mut self, conflict: Conflict) -> u32 {
        debug_assert!(self.assignment.level() > 1);
        self.analysis.learnt.clear();
        self.analysis.learnt.push(Literal(0)); // The asserting literal's place.
        self.analysis.temporary = false;
        let mut open = self.visit_conflict(conflict);
        let mut at = self.assignment.trail.len();
        let asserting = loop {
            let literal = loop {
                at -= 1;
                let literal = self.assignment.trail[at];
                if self.analysis.seen[literal.slot()] != Seen::No {
                    break literal;
                }
            };
            open -= 1;
            if open == 0 {
                break !literal;
            }
            open += self.visit_reason(self.assignment.reason_of(literal));
        };
        self.analysis.learnt[0] = asserting;
        self.minimize();
        self.analysis.unmark_all();
        self.order_learnt();
        self.activity.decay();
        self.lbd_of_learnt()
    }

    fn visit_conflict(&mut self, conflict: Conflict) -> usize {
        match conflict {
            Conflict::Binary(a, b) => self.visit(a) + self.visit(b),
            Conflict::Ternary(a, b, c) => self.visit(a) + self.visit(b) + self.visit(c),
            Conflict::Clause(clause) => self.visit_clause_from(clause, 0),
        }
    }

    fn visit_reason(&mut self, reason: Reason) -> usize {
        match reason {
            Reason::Binary(a) => self.visit(a),
            Reason::Ternary(a, b) => self.visit(a) + self.visit(b),
            Reason::Clause(clause) => self.visit_clause_from(clause, 1),
            Reason::Decision | Reason::Assumption | Reason::Unit => 0,
        }
    }

    fn visit_clause_from(&mut self, clause: ClauseRef, first: usize) -> usize {
        match self.arena.kind(clause) {
            Kind::Temporary => self.analysis.temporary = true,
            Kind::Learnt => self.note_use(clause),
            Kind::Permanent | Kind::Definition => {}
        }
        (first..self.arena.len(clause)).map(|i| self.visit(self.arena.literal(clause, i))).sum()
    }

    /// Marks a false literal as a source of the conflict. Returns 1 where its level is the
    /// current one, so that it is still to be resolved or to become the asserting literal.
    fn visit(&mut self, literal: Literal) -> usize {
        let level = self.assignment.level_of(literal);
        if level == 0 || self.analysis.seen[literal.slot()] != Seen::No {
            return 0;
        }
        self.analysis.mark(literal, Seen::Source);
        self.activity.bump(literal.var());
        if level == self.assignment.level() {
            return 1;
        }
        self.analysis.learnt.push(literal);
        0
    }

    /// A learnt clause takes part in a conflict: it is worth keeping for a while, and its LBD may
    /// have improved.
    fn note_use(&mut self, clause: ClauseRef) {
        let old = self.arena.lbd(clause);
        if old > super::reduce::TIER_ONE_LBD {
            let lbd = self.count_levels(clause);
            if lbd < old {
                self.arena.set_lbd(clause, lbd);
            }
        }
        let used = if self.arena.lbd(clause) <= super::reduce::TIER_TWO_LBD { 2 } else { 1 };
        self.arena.set_used(clause, used);
    }

    fn count_levels(&mut self, clause: ClauseRef) -> u32 {
        self.begin_level_count();
        (0..self.arena.len(clause))
            .filter(|&i| self.is_new_level(self.arena.literal(clause, i)))
            .count() as u32
    }

    fn lbd_of_learnt(&mut self) -> u32 {
        self.begin_level_count();
        (0..self.analysis.learnt.len())
            .filter(|&i| self.is_new_level(self.analysis.learnt[i]))
            .count() as u32
    }

    fn begin_level_count(&mut self) {
        self.analysis.stamp += 1;
        let levels = self.assignment.level() as usize + 1;
        if self.analysis.level_stamps.len() < levels {
            self.analysis.level_stamps.resize(levels, 0);
        }
    }

    fn is_new_level(&mut self, literal: Literal) -> bool {
        let stamp = &mut self.analysis.level_stamps[self.assignment.level_of(literal) as usize];
        std::mem::replace(stamp, self.analysis.stamp) != self.analysis.stamp
    }

    /// Drops the literals that the others imply.
    fn minimize(&mut self) {
        let mut learnt = std::mem::take(&mut self.analysis.learnt);
        let mut levels = 0u32;
        for &literal in &learnt[1..] {
            levels |= self.level_bit(literal);
        }
        let asserting = learnt[0];
        learnt.retain(|&l| l == asserting || !self.is_redundant(l, levels));
        self.analysis.learnt = learnt;
    }

    /// One of 32 bits for the literal's level, for a quick and incomplete test of membership.
    fn level_bit(&self, literal: Literal) -> u32 {
        1 << (self.assignment.level_of(literal) & 31)
    }

    /// Whether the other literals of the learnt clause imply this one, through reasons whose
    /// levels all occur in the clause (`levels`).
    fn is_redundant(&mut self, literal: Literal, levels: u32) -> bool {
        let mut stack = std::mem::take(&mut self.analysis.stack);
        debug_assert!(stack.is_empty());
        let redundant = self.has_usable_reason(literal) && {
            stack.push((literal, 0));
            self.follow_reasons(&mut stack, levels)
        };
        stack.clear();
        self.analysis.stack = stack;
        redundant
    }

    fn follow_reasons(&mut self, stack: &mut Vec<(Literal, usize)>, levels: u32) -> bool {
        while let Some((literal, position)) = stack.last_mut() {
            let current = *literal;
            let Some(cause) = self.antecedent(self.assignment.reason_of(current), *position) else {
                if self.analysis.seen[current.slot()] == Seen::No {
                    self.analysis.mark(current, Seen::Redundant);
                }
                stack.pop();
                continue;
            };
            *position += 1;
            if self.assignment.level_of(cause) == 0 {
                continue;
            }
            match self.analysis.seen[cause.slot()] {
                Seen::Source | Seen::Redundant => {}
                Seen::No
                    if levels & self.level_bit(cause) != 0 && self.has_usable_reason(cause) =>
                {
                    stack.push((cause, 0));
                }
                Seen::No | Seen::Needed => {
                    for &(failed, _) in stack.iter() {
                        if self.analysis.seen[failed.slot()] == Seen::No {
                            self.analysis.mark(failed, Seen::Needed);
                        }
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Whether minimization may resolve with the literal's reason; see the module's head.
    fn has_usable_reason(&self, literal: Literal) -> bool {
        match self.assignment.reason_of(literal) {
            Reason::Decision | Reason::Assumption | Reason::Unit => false,
            Reason::Binary(_) | Reason::Ternary(..) => true,
            Reason::Clause(clause) => self.analysis.temporary || !self.arena.is_temporary(clause),
        }
    }

    /// The causes of a reason, one after the other.
    fn antecedent(&self, reason: Reason, position: usize) -> Option<Literal> {
        match (reason, position) {
            (Reason::Binary(a), 0) | (Reason::Ternary(a, _), 0) => Some(a),
            (Reason::Ternary(_, b), 1) => Some(b),
            (Reason::Clause(clause), _) if position + 1 < self.arena.len(clause) => {
                Some(self.arena.literal(clause, position + 1))
            }
            _ => None,
        }
    }

    /// Puts a literal of the highest level after the asserting one.
    fn order_learnt(&mut self) {
        let learnt = &mut self.analysis.learnt;
        let highest = (1..learnt.len()).max_by_key(|&i| self.assignment.level_of(learnt[i]));
        if let Some(highest) = highest {
            learnt.swap(1, highest);
        }
    }

    /// Collects the assumptions that cause a conflict at level 1.
    /// Ensures: formula ∧ temporary clause ∧ ⋀ core is unsatisfiable.
    pub(super) fn analyze_final(&mut self, conflict: Conflict) {
        self.visit_conflict(conflict);
        self.collect_core();
    }

    /// The same for an assumption that is false already.
    pub(super) fn analyze_failed(&mut self, assumption: Literal) {
        self.core.add(assumption);
        self.visit(assumption);
        self.collect_core();
    }

    /// The same for the only literal of the temporary clause, false by an assumption.
    pub(super) fn analyze_failed_unit(&mut self, unit: Literal) {
        self.visit(unit);
        self.collect_core();
    }

    /// Walks the marked literals of level 1 down to the assumptions.
    fn collect_core(&mut self) {
        debug_assert_eq!(self.assignment.level(), 1);
        for at in (self.assignment.level_start(1)..self.assignment.trail.len()).rev() {
            let literal = self.assignment.trail[at];
            if self.analysis.seen[literal.slot()] == Seen::No {
                continue;
            }
            match self.assignment.reason_of(literal) {
                Reason::Assumption => self.core.add(literal),
                reason => {
                    self.visit_reason(reason);
                }
            }
        }
        self.analysis.unmark_all();
    }
}
