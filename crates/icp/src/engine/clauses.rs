//! Clauses of bounds: two watched literals each, and the deletion of learned ones.
//!
//! A watch remembers the key of its literal, so that a bound that moves looks only at the clauses
//! whose literals it makes false.

use super::trail::{Reason, Trail};
use crate::bound::Side;
use crate::lit::{Lit, opposite};
use intervals::keys::Key;

/// A clause; the first two literals are watched.
#[derive(Debug)]
pub(super) struct Clause {
    pub lits: Vec<Lit>,
    learned: bool,
    /// In how many levels its literals were when it was learned.
    glue: u32,
    activity: f32,
}

#[derive(Clone, Copy, Debug)]
struct Watch {
    key: Key,
    clause: u32,
}

/// See the file's head.
#[derive(Default)]
pub(super) struct Clauses {
    clauses: Vec<Clause>,
    free: Vec<u32>,
    /// The clauses that watch a literal of each side of each variable.
    watches: Vec<Vec<Watch>>,
    learned: usize,
    increment: f32,
}

/// Learned clauses of so few levels are kept for good.
const GLUE: u32 = 2;
const DECAY: f32 = 1.0 / 0.999;
const RESCALE: f32 = 1e20;

impl Clauses {
    pub fn new_var(&mut self) {
        self.watches.extend([Vec::new(), Vec::new()]);
    }

    pub fn learned(&self) -> usize {
        self.learned
    }

    pub fn lits(&self, clause: u32) -> &[Lit] {
        &self.clauses[clause as usize].lits
    }

    /// Adds a clause of at least two literals, of which the first two are the last to be false; no
    /// two are of the same side of one variable.
    pub fn add(&mut self, lits: Vec<Lit>, learned: bool) -> u32 {
        debug_assert!(lits.len() >= 2);
        let watched = [lits[0], lits[1]];
        let clause = Clause { lits, learned, glue: 0, activity: self.increment };
        let number = match self.free.pop() {
            Some(number) => {
                self.clauses[number as usize] = clause;
                number
            }
            None => {
                self.clauses.push(clause);
                self.clauses.len() as u32 - 1
            }
        };
        self.learned += usize::from(learned);
        for lit in watched {
            self.watches[lit.place()].push(Watch { key: lit.key, clause: number });
        }
        number
    }

    pub fn set_glue(&mut self, clause: u32, glue: u32) {
        self.clauses[clause as usize].glue = glue;
    }

    /// A clause took part in a conflict.
    pub fn bump(&mut self, clause: u32) {
        let clause = &mut self.clauses[clause as usize];
        if clause.learned {
            clause.activity += self.increment;
        }
    }

    /// Makes the next bumps count more.
    pub fn decay(&mut self) {
        self.increment = (self.increment * DECAY).max(1.0);
        if self.increment > RESCALE {
            self.increment /= RESCALE;
            self.clauses.iter_mut().for_each(|clause| clause.activity /= RESCALE);
        }
    }

    /// Looks at the clauses in which a new bound made watched literals false. The clause of which
    /// all literals are, if there is one.
    pub fn propagate(&mut self, bound: Lit, trail: &mut Trail, deduced: &mut u64) -> Option<u32> {
        let side = opposite(bound.side);
        let place = bound.var.place(side);
        let mut watches = std::mem::take(&mut self.watches[place]);
        let mut conflict = None;
        let mut kept = 0;
        let mut at = 0;
        while at < watches.len() {
            let watch = watches[at];
            at += 1;
            let is_false = match side {
                Side::AtLeast => watch.key > bound.key,
                Side::AtMost => watch.key < bound.key,
            };
            if !is_false || !self.moved(watch, place, trail) {
                watches[kept] = watch;
                kept += 1;
                if !is_false {
                    continue;
                }
                let first = self.clauses[watch.clause as usize].lits[0];
                match trail.value(first) {
                    Some(true) => {}
                    Some(false) => {
                        conflict = Some(watch.clause);
                        break;
                    }
                    None => {
                        trail.assign(first, Reason::Clause(watch.clause));
                        *deduced += 1;
                    }
                }
            }
        }
        watches.copy_within(at.., kept);
        watches.truncate(kept + watches.len() - at);
        self.watches[place] = watches;
        conflict
    }

    /// Finds another literal to watch in place of a false one. If there is none, the false one is
    /// the clause's second.
    fn moved(&mut self, watch: Watch, place: usize, trail: &Trail) -> bool {
        let lits = &mut self.clauses[watch.clause as usize].lits;
        if lits[0].place() == place && lits[0].key == watch.key {
            lits.swap(0, 1);
        }
        if trail.value(lits[0]) == Some(true) {
            return false;
        }
        for i in 2..lits.len() {
            if trail.value(lits[i]) != Some(false) {
                lits.swap(1, i);
                // Not of this place, whose list is taken out: a clause has one literal of each.
                let lit = lits[1];
                self.watches[lit.place()].push(Watch { key: lit.key, clause: watch.clause });
                return true;
            }
        }
        false
    }

    /// Deletes clauses that are satisfied for good. Requires: the ground level.
    pub fn sweep(&mut self, trail: &Trail) {
        let satisfied =
            |clause: &Clause| clause.lits.iter().any(|lit| trail.value(*lit) == Some(true));
        let dead: Vec<u32> = (0..self.clauses.len() as u32)
            .filter(|i| satisfied(&self.clauses[*i as usize]))
            .collect();
        self.delete(&dead);
    }

    /// Deletes the less useful half of the learned clauses. Requires: the ground level.
    pub fn reduce(&mut self) {
        let mut learned: Vec<u32> = (0..self.clauses.len() as u32)
            .filter(|i| {
                let clause = &self.clauses[*i as usize];
                clause.learned && clause.glue > GLUE && clause.lits.len() > 2
            })
            .collect();
        learned.sort_by(|a, b| {
            let key = |i: &u32| &self.clauses[*i as usize];
            key(a).activity.total_cmp(&key(b).activity).then(key(b).glue.cmp(&key(a).glue))
        });
        learned.truncate(learned.len() / 2);
        self.delete(&learned);
    }

    fn delete(&mut self, dead: &[u32]) {
        if dead.is_empty() {
            return;
        }
        for i in dead {
            let clause = &mut self.clauses[*i as usize];
            self.learned -= usize::from(clause.learned);
            clause.lits = Vec::new();
            clause.learned = false;
            self.free.push(*i);
        }
        for watches in &mut self.watches {
            watches.retain(|watch| !self.clauses[watch.clause as usize].lits.is_empty());
        }
    }
}
