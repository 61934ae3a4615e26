//! Keeping the clause database small: forgetting learnt clauses, simplifying by facts, and
//! collecting garbage.
//!
//! Learnt clauses are forgotten in the manner of Glucose and CaDiCaL: those with an LBD of at most
//! [`TIER_ONE_LBD`] stay, those used since the last reduction stay (two reductions long up to
//! [`TIER_TWO_LBD`]), and of the rest the worse half goes, by LBD and then by length.

use super::ConeSolver;
use super::assignment::Reason;
use super::clause::{ClauseRef, Kind};
use super::literal::Literal;
use super::options::Options;
use super::watch::{Target, Watch};

/// Learnt clauses up to this LBD are kept for good.
pub(super) const TIER_ONE_LBD: u32 = 2;
/// Learnt clauses up to this LBD survive two reductions after their last use.
pub(super) const TIER_TWO_LBD: u32 = 6;

/// Each interval between reductions is longer than the last by this part of the first.
const INTERVAL_GROWTH: u64 = 4;

/// When to do what to the database.
#[derive(Clone)]
pub(super) struct Upkeep {
    next_reduction: u64,
    reductions: u64,
    /// How much of the trail's facts has been promoted (see [`ConeSolver::promote_facts`]).
    promoted: usize,
    /// How many facts the last simplification knew, and the propagations before the next.
    simplified: usize,
    next_simplification: u64,
}

impl Upkeep {
    pub fn new(options: &Options) -> Self {
        Upkeep {
            next_reduction: options.reduce_after_conflicts,
            reductions: 0,
            promoted: 0,
            simplified: 0,
            next_simplification: 0,
        }
    }
}

impl ConeSolver {
    /// Settles the facts and keeps the database small, between questions.
    /// Requires: level 0, no temporary clauses.
    pub(super) fn maintain(&mut self) {
        debug_assert!(self.assignment.level() == 0 && self.temporaries.is_empty());
        if self.inconsistent || self.propagate_facts().is_some() {
            self.inconsistent = true;
            return;
        }
        self.promote_facts();
        if self.assignment.trail.len() > self.upkeep.simplified
            && self.statistics.propagations >= self.upkeep.next_simplification
        {
            self.simplify();
        }
        if self.wants_reduction() {
            self.reduce();
        }
        if self.arena.wants_collection() {
            self.collect_garbage();
        }
        if self.watches.wants_packing() {
            self.watches.pack();
        }
    }

    /// The definition of a variable of the permanent domain that is fixed is a constraint on the
    /// variable's fan-in from now on: its clauses become required.
    fn promote_facts(&mut self) {
        while let Some(&fact) = self.assignment.trail.get(self.upkeep.promoted) {
            self.upkeep.promoted += 1;
            if self.domain.is_permanent(fact.var()) {
                self.required.extend_from_slice(self.domain.support(!fact));
            }
        }
    }

    pub(super) fn wants_reduction(&self) -> bool {
        self.statistics.conflicts >= self.upkeep.next_reduction
    }

    /// Forgets the worse half of the learnt clauses that are neither good nor in use.
    pub(super) fn reduce(&mut self) {
        self.upkeep.reductions += 1;
        let first = self.options.reduce_after_conflicts;
        self.upkeep.next_reduction =
            self.statistics.conflicts + first + self.upkeep.reductions * first / INTERVAL_GROWTH;
        let mut candidates = Vec::new();
        for i in 0..self.learnts.len() {
            let clause = self.learnts[i];
            let used = self.arena.used(clause);
            self.arena.set_used(clause, used.saturating_sub(1));
            let stays = used > 0
                || self.arena.lbd(clause) <= TIER_ONE_LBD
                || self.arena.len(clause) <= 2
                || self.is_reason(clause);
            if !stays {
                candidates.push(clause);
            }
        }
        candidates.sort_by_key(|&c| (self.arena.lbd(c), self.arena.len(c)));
        for &clause in &candidates[candidates.len() / 4..] {
            self.arena.delete(clause);
        }
        self.learnts.retain(|&c| !self.arena.is_deleted(c));
        self.sweep_watches();
    }

    fn is_reason(&self, clause: ClauseRef) -> bool {
        let first = self.arena.literal(clause, 0);
        self.assignment.is_true(first) && self.assignment.reason_of(first) == Reason::Clause(clause)
    }

    /// Removes the watches of deleted learnt clauses.
    fn sweep_watches(&mut self) {
        let arena = &self.arena;
        self.watches.retain(|watch| match watch.target() {
            Target::Clause(clause) if arena.is_deleted(clause) => None,
            _ => Some(watch),
        });
    }

    /// Deletes clauses that the facts satisfy, and shortens those they don't.
    /// Requires: level 0, facts propagated and promoted.
    fn simplify(&mut self) {
        let mut last = None;
        let end = ClauseRef(self.arena.size() as u32);
        while let Some(clause) = self.arena.next(last).filter(|&c| c < end) {
            last = Some(clause);
            self.simplify_clause(clause);
        }
        self.domain.simplify_support(&self.assignment);
        self.rebuild();
        self.upkeep.simplified = self.assignment.trail.len();
        self.upkeep.next_simplification =
            self.statistics.propagations + 2 * self.arena.size() as u64;
    }

    fn simplify_clause(&mut self, clause: ClauseRef) {
        let assignment = &self.assignment;
        if self.arena.literals(clause).any(|l| assignment.is_true(l)) {
            self.arena.delete(clause);
            return;
        }
        let kind = self.arena.kind(clause);
        if kind == Kind::Definition {
            // Supports refer to it, so it keeps its place and its literals.
            self.put_open_literals_first(clause);
        } else if self.arena.literals(clause).any(|l| assignment.is_false(l)) {
            let rest: Vec<_> =
                self.arena.literals(clause).filter(|&l| assignment.is_open(l)).collect();
            debug_assert!(rest.len() >= 2, "propagation has missed a unit clause");
            let lbd = self.arena.lbd(clause).min(rest.len() as u32);
            let used = self.arena.used(clause);
            self.arena.delete(clause);
            let shorter = self.arena.add(kind, lbd, &rest);
            self.arena.set_used(shorter, used);
        }
    }

    fn put_open_literals_first(&mut self, clause: ClauseRef) {
        let assignment = &self.assignment;
        let codes = self.arena.codes_mut(clause);
        let mut open = 0;
        for i in 0..codes.len() {
            if assignment.is_open(Literal(codes[i])) {
                codes.swap(open, i);
                open += 1;
            }
        }
        debug_assert!(open >= 2, "propagation has missed a unit clause");
    }

    /// Makes watches, required clauses and the list of learnt clauses anew from the arena.
    fn rebuild(&mut self) {
        self.watches.clear();
        self.required.clear();
        self.learnts.clear();
        let mut last = None;
        while let Some(clause) = self.arena.next(last) {
            last = Some(clause);
            self.attach(clause);
            match self.arena.kind(clause) {
                Kind::Permanent => self.require(clause),
                Kind::Learnt => self.learnts.push(clause),
                Kind::Definition | Kind::Temporary => {}
            }
        }
        self.upkeep.promoted = 0;
        self.promote_facts();
    }

    /// Puts a clause into the watch lists. The first two literals are watched where the clause
    /// has more than three, or is temporary and so has to be found again by its reference.
    pub(super) fn attach(&mut self, clause: ClauseRef) {
        let literal = |i| self.arena.literal(clause, i);
        let (a, b) = (literal(0), literal(1));
        let held_in_watches = matches!(self.arena.kind(clause), Kind::Permanent | Kind::Definition);
        match self.arena.len(clause) {
            2 if !self.arena.is_temporary(clause) => self.watches.push_binary(a, b),
            3 if held_in_watches => self.watches.push_ternary(a, b, literal(2)),
            _ => {
                self.watches.push(a, Watch::clause(clause, b));
                self.watches.push(b, Watch::clause(clause, a));
            }
        }
    }

    /// Takes a temporary clause out of the watch lists.
    pub(super) fn detach(&mut self, clause: ClauseRef) {
        debug_assert!(self.arena.is_temporary(clause));
        for i in 0..2 {
            let list = &mut self.watches.lists[self.arena.literal(clause, i).code()];
            // Watches of temporary clauses are young: they are near the end.
            if let Some(at) = list.iter().rposition(|w| w.is_of(clause)) {
                list.swap_remove(at);
            }
        }
    }

    /// Adds a clause to those that justification has to satisfy.
    pub(super) fn require(&mut self, clause: ClauseRef) {
        let literal = |i| self.arena.literal(clause, i);
        self.required.push(match self.arena.len(clause) {
            2 => Watch::ternary(literal(0), literal(1)),
            _ => Watch::clause(clause, literal(0)),
        });
    }

    /// Closes the gaps in the arena. Callable at any level.
    pub(super) fn collect_garbage(&mut self) {
        let fresh = self.arena.collect();
        let old = std::mem::replace(&mut self.arena, fresh);
        let relocate = |w: Watch| match w.target() {
            Target::Clause(clause) => old.moved(clause).map(|c| Watch::clause(c, w.blocker)),
            _ => Some(w),
        };
        self.watches.retain(relocate);
        retain_map(&mut self.required, relocate);
        self.domain.change_support(relocate);
        retain_map(&mut self.learnts, |c| old.moved(c));
        retain_map(&mut self.temporaries, |c| old.moved(c));
        self.temporary = self.temporary.and_then(|c| old.moved(c));
        for i in 0..self.assignment.trail.len() {
            let literal = self.assignment.trail[i];
            if let Reason::Clause(clause) = self.assignment.reason_of(literal) {
                // The reasons of facts may be gone, and nobody asks for them.
                let reason = old.moved(clause).map_or(Reason::Unit, Reason::Clause);
                self.assignment.set_reason(literal, reason);
            }
        }
    }
}

/// Replaces each element by what `f` makes of it; `None` removes it.
pub(super) fn retain_map<T: Copy>(list: &mut Vec<T>, f: impl Fn(T) -> Option<T>) {
    list.retain_mut(|element| match f(*element) {
        Some(changed) => {
            *element = changed;
            true
        }
        None => false,
    });
}
