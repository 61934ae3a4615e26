//! The loop of the search: propagate, learn or decide.
//!
//! Assumptions are decided first, one by one in their order, each on a level of its own and
//! followed by propagation ([Sch §III-A]); one that already holds opens an empty level.

use super::Engine;
use super::analyze::Learned;
use super::trail::{NONE, Reason};
use crate::lit::Lit;
use answer::{Allowance, Exhausted};

/// Debug builds restart and delete early, so that small tests meet it.
const EARLY: bool = cfg!(debug_assertions);
/// Conflicts between two restarts, times the Luby sequence.
const RESTART: u64 = if EARLY { 8 } else { 16 };
/// Learned clauses that are kept at first, and how many more after each deletion.
const KEPT: usize = if EARLY { 20 } else { 2_000 };
const KEPT_MORE: usize = if EARLY { 10 } else { 300 };
/// Questions between two sweeps of clauses that hold for good: those of closed levels and of
/// questions that were answered.
const SWEEP: u32 = 64;
/// Cheap runs of contractors, or decisions, between two looks at the clock.
const LOOK: u64 = 2_000;

/// How much may be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub conflicts: u64,
    /// In cheap runs of contractors.
    pub cost: u64,
}

/// What a search found.
#[derive(Debug)]
pub(crate) enum Found {
    /// All variables that have to be decided are, and nothing is impossible.
    Point,
    /// The assumptions are refuted: those to blame by number, each with the weakest bound that
    /// refutes as well. The first is the one that failed.
    Refuted(Vec<(usize, Lit)>),
    /// The effort was not enough.
    Tired,
    /// The allowance is used up.
    Stopped(Exhausted),
}

impl Engine {
    /// SAT? clauses ∧ constraints ∧ ⋀ assumptions
    ///
    /// After [`Found::Point`] the point is there until [`Engine::backtrack`] takes it away.
    pub fn solve(&mut self, assumptions: &[Lit], effort: Effort, allowance: &Allowance) -> Found {
        self.backtrack(0);
        self.tidy();
        if !self.settle() {
            return Found::Refuted(Vec::new());
        }
        let (begun, spent) = (self.counters, self.cost);
        let mut restart = Restart::new();
        let mut looked = self.cost + self.counters.decisions;
        let mut restarts = 0u32;
        self.decider.points_first = true;
        self.decider.specials_first = false;
        loop {
            if let Some(conflict) = self.propagate() {
                self.counters.conflicts += 1;
                let Some(learned) = self.analyze(conflict) else {
                    self.backtrack(0);
                    self.consistent = false;
                    return Found::Refuted(Vec::new());
                };
                self.learn(learned);
                if restart.conflict() {
                    self.counters.restarts += 1;
                    self.backtrack(self.trail.level().min(assumptions.len() as u32));
                    restarts += 1;
                    self.decider.points_first = restarts.is_multiple_of(2);
                    self.decider.specials_first = restarts % 4 == 2;
                    self.tidy();
                    if !self.consistent {
                        return Found::Refuted(Vec::new());
                    }
                }
            } else {
                let level = self.trail.level() as usize;
                if let Some(assumption) = assumptions.get(level) {
                    match self.trail.value(*assumption) {
                        Some(true) => self.open_empty_level(),
                        Some(false) => return self.failed(level, *assumption),
                        None => self.decide_lit(*assumption),
                    }
                    continue;
                }
                if self.counters.conflicts - begun.conflicts >= effort.conflicts
                    || self.cost - spent >= effort.cost
                {
                    self.backtrack(0);
                    return Found::Tired;
                }
                let Some(lit) = self.next_decision() else {
                    self.remember_point();
                    return Found::Point;
                };
                self.decide_lit(lit);
            }
            let work = self.cost + self.counters.decisions;
            if work - looked >= LOOK {
                looked = work;
                if let Some(exhausted) = allowance.exhausted() {
                    self.backtrack(0);
                    return Found::Stopped(exhausted);
                }
            }
        }
    }

    /// An assumption is false under those before it.
    fn failed(&mut self, number: usize, assumption: Lit) -> Found {
        // What made it false says more than that it is: the weakest bound that is still refuted.
        let cause = self.trail.cause(!assumption);
        let mut core = Vec::new();
        if cause == NONE {
            let place = (!assumption).place();
            let (_, key) = self.trail.history(place, 0)[0];
            core.push((number, !Lit { key, ..!assumption }));
        } else {
            let refutation = self.trail.entries[cause as usize].lit;
            core.push((number, !refutation));
            let blamed = self.blame(refutation);
            core.extend(blamed.into_iter().map(|(level, lit)| (level as usize - 1, lit)));
        }
        self.backtrack(0);
        Found::Refuted(core)
    }

    fn learn(&mut self, learned: Learned) {
        self.backtrack(learned.level);
        let first = learned.clause[0];
        let reason = if learned.clause.len() == 1 {
            Reason::Ground
        } else {
            let clause = self.clauses.add(learned.clause, true);
            self.clauses.set_glue(clause, learned.glue);
            Reason::Clause(clause)
        };
        self.trail.assign(first, reason);
        self.clauses.decay();
        self.decider.decay();
    }

    /// Deletes clauses, now and then.
    fn tidy(&mut self) {
        self.untidy += 1;
        let most = KEPT + KEPT_MORE * self.reductions as usize;
        let full = self.clauses.learned() >= most;
        if !full && self.untidy < SWEEP {
            return;
        }
        self.untidy = 0;
        self.backtrack(0);
        if self.settle() {
            self.clauses.sweep(&self.trail);
            if full {
                self.reductions += 1;
                self.clauses.reduce();
            }
        }
    }
}

/// Restarts after the Luby sequence: 1, 1, 2, 1, 1, 2, 4, … times so many conflicts.
struct Restart {
    u: u64,
    v: u64,
    left: u64,
}

impl Restart {
    fn new() -> Restart {
        Restart { u: 1, v: 1, left: RESTART }
    }

    /// Counts a conflict; whether it is time for a restart.
    fn conflict(&mut self) -> bool {
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        // Knuth's reluctant doubling.
        (self.u, self.v) = if self.u & self.u.wrapping_neg() == self.v {
            (self.u + 1, 1)
        } else {
            (self.u, 2 * self.v)
        };
        self.left = RESTART * self.v;
        true
    }
}
