//! Conflict analysis: the first unique implication point, over bounds.
//!
//! A conflict is a set of bounds that can't hold together. Going back along the trail, a bound is
//! replaced by the reason of the entry that made it true, as weak as it is needed and not as strong
//! as it was deduced, until one bound of the current level is left. Of several bounds of one side
//! of a variable the strongest stands for all.

use super::Engine;
use super::propagate::Conflict;
use super::trail::{NONE, Reason};
use crate::lit::Lit;
use intervals::keys::Key;

/// The bounds that are needed, by side of each variable.
#[derive(Default)]
pub(super) struct Scratch {
    needed: Vec<Option<Key>>,
    /// The places that have one, perhaps with some that had one.
    places: Vec<usize>,
    reasons: Vec<Lit>,
}

impl Scratch {
    pub fn new_var(&mut self) {
        self.needed.extend([None, None]);
    }
}

/// What is learned of a conflict.
pub(super) struct Learned {
    /// The first literal becomes true at `level`, at which all others are false; the second is one
    /// of those that became false last.
    pub clause: Vec<Lit>,
    pub level: u32,
    /// In how many levels its literals are.
    pub glue: u32,
}

impl Engine {
    /// What a conflict shows, in bounds that are true now.
    fn conflict_reasons(&mut self, conflict: Conflict) -> Vec<Lit> {
        let mut reasons = std::mem::take(&mut self.scratch.reasons);
        reasons.clear();
        match conflict {
            Conflict::Clause(clause) => {
                self.clauses.bump(clause);
                reasons.extend(self.clauses.lits(clause).iter().map(|lit| !*lit));
            }
            Conflict::Constraint(constraint) => {
                let seen = self.trail.entries.len() as u32;
                self.explain_constraint(constraint, None, seen, &mut reasons);
            }
        }
        reasons
    }

    /// Bounds from which `lit` follows, which entry `at` made true.
    fn reasons(&mut self, lit: Lit, at: usize) -> Vec<Lit> {
        let entry = self.trail.entries[at];
        let mut reasons = std::mem::take(&mut self.scratch.reasons);
        reasons.clear();
        match entry.reason {
            Reason::Ground | Reason::Decision => unreachable!("{:?} has no reasons", entry.lit),
            Reason::Clause(clause) => {
                self.clauses.bump(clause);
                let others = self.clauses.lits(clause)[1..].iter().map(|other| !*other);
                reasons.extend(others);
            }
            Reason::Constraint(constraint) => {
                self.explain_constraint(constraint, Some(lit), entry.seen, &mut reasons);
            }
        }
        reasons
    }

    /// Adds bounds to those that are needed; how many more entries of `level` that makes.
    fn need(&mut self, reasons: Vec<Lit>, level: u32) -> usize {
        let mut count = 0;
        for lit in &reasons {
            let cause = self.trail.cause(*lit);
            if cause == NONE {
                continue;
            }
            self.decider.bump(lit.var);
            let place = lit.place();
            let now = self.trail.entries[cause as usize].level == level;
            match self.scratch.needed[place] {
                Some(key) if lit.follows_from(key) => continue,
                Some(key) => {
                    let before = Lit { key, ..*lit };
                    let cause = self.trail.cause(before);
                    let was = self.trail.entries[cause as usize].level == level;
                    count += usize::from(now && !was);
                }
                None => {
                    self.scratch.places.push(place);
                    count += usize::from(now);
                }
            }
            self.scratch.needed[place] = Some(lit.key);
        }
        self.scratch.reasons = reasons;
        count
    }

    /// The bound that entry `at` made true and that is needed.
    fn needed_at(&self, at: usize) -> Option<Lit> {
        let entry = &self.trail.entries[at];
        let lit = Lit { key: self.scratch.needed[entry.lit.place()]?, ..entry.lit };
        (lit.follows_from(entry.lit.key) && !lit.follows_from(entry.old)).then_some(lit)
    }

    /// The bounds that are still needed; forgets them.
    fn take_needed(&mut self) -> Vec<Lit> {
        let mut lits = Vec::new();
        for place in std::mem::take(&mut self.scratch.places) {
            if let Some(key) = self.scratch.needed[place].take() {
                lits.push(Lit { key, ..Lit::of_place(place) });
            }
        }
        lits
    }

    /// The highest level of the bounds of a conflict: later levels have nothing to do with it.
    fn conflict_level(&self, reasons: &[Lit]) -> u32 {
        let level = |lit: &Lit| match self.trail.cause(*lit) {
            NONE => 0,
            cause => self.trail.entries[cause as usize].level,
        };
        reasons.iter().map(level).max().unwrap_or(0)
    }

    /// What is learned of a conflict; `None` if it is one of the ground level.
    pub(super) fn analyze(&mut self, conflict: Conflict) -> Option<Learned> {
        let reasons = self.conflict_reasons(conflict);
        let level = self.conflict_level(&reasons);
        if level == 0 {
            self.scratch.reasons = reasons;
            return None;
        }
        self.backtrack(level);
        let mut open = self.need(reasons, level);
        let mut at = self.trail.entries.len();
        let asserting = loop {
            at -= 1;
            let Some(lit) = self.needed_at(at) else { continue };
            if open == 1 {
                self.scratch.needed[lit.place()] = None;
                break lit;
            }
            self.scratch.needed[lit.place()] = None;
            open -= 1;
            let reasons = self.reasons(lit, at);
            open += self.need(reasons, level);
        };
        let mut others = self.take_needed();
        self.minimize(&mut others);
        let mut levels: Vec<u32> = others
            .iter()
            .map(|lit| self.trail.entries[self.trail.cause(*lit) as usize].level)
            .collect();
        let mut clause = vec![!asserting];
        clause.extend(others.iter().map(|lit| !*lit));
        let latest = (0..levels.len()).max_by_key(|i| levels[*i]);
        let level = latest.map_or(0, |i| levels[i]);
        if let Some(i) = latest {
            clause.swap(1, i + 1);
        }
        levels.sort_unstable();
        levels.dedup();
        Some(Learned { clause, level, glue: levels.len() as u32 + 1 })
    }

    /// Drops bounds that a clause gives from the others.
    fn minimize(&mut self, lits: &mut Vec<Lit>) {
        for lit in lits.iter() {
            self.scratch.needed[lit.place()] = Some(lit.key);
        }
        let redundant = |engine: &Engine, lit: &Lit| {
            let cause = engine.trail.cause(*lit);
            let Reason::Clause(clause) = engine.trail.entries[cause as usize].reason else {
                return false;
            };
            engine.clauses.lits(clause)[1..].iter().all(|other| {
                let reason = !*other;
                engine.trail.cause(reason) == NONE
                    || engine.scratch.needed[reason.place()].is_some_and(|key| {
                        // Only what came before counts, or two could vouch for each other.
                        reason.follows_from(key)
                            && engine.trail.cause(Lit { key, ..reason }) < cause
                    })
            })
        };
        let keep: Vec<bool> = lits.iter().map(|lit| !redundant(self, lit)).collect();
        for lit in lits.iter() {
            self.scratch.needed[lit.place()] = None;
        }
        let mut keep = keep.into_iter();
        lits.retain(|_| keep.next().expect("one for each"));
    }

    /// The decisions from which a true literal follows, each as weak as it may be, with their
    /// levels. All levels are those of assumptions.
    pub(super) fn blame(&mut self, lit: Lit) -> Vec<(u32, Lit)> {
        let mut blamed = Vec::new();
        self.need(vec![lit], u32::MAX);
        for at in (0..self.trail.entries.len()).rev() {
            let Some(lit) = self.needed_at(at) else { continue };
            self.scratch.needed[lit.place()] = None;
            let entry = self.trail.entries[at];
            if entry.reason == Reason::Decision {
                blamed.push((entry.level, lit));
            } else {
                let reasons = self.reasons(lit, at);
                self.need(reasons, u32::MAX);
            }
        }
        self.take_needed();
        blamed.reverse();
        blamed
    }
}
