//! The trail: intervals of all variables, and the bounds that led to them, newest last.
//!
//! Each entry knows the bound that it replaced and the entry that made that one, so that going back
//! undoes entry by entry and nothing is copied at a decision, and the entry that first made a
//! literal true is found along the chain of its variable's side.

use crate::bound::Side;
use crate::lit::{Lit, Var};
use intervals::keys::{Interval, Key};
use smallvec::SmallVec;

/// Why a bound holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// It follows from the formulas of the ground level.
    Ground,
    /// It was decided or assumed.
    Decision,
    /// It is the first literal of this clause, whose others are false.
    Clause(u32),
    /// This constraint's contractor deduced it.
    Constraint(u32),
}

/// No entry: the bound held at the ground level.
pub(super) const NONE: u32 = u32::MAX;

/// A bound that was set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub lit: Lit,
    /// The bound before.
    pub old: Key,
    /// The entry that set that one.
    pub previous: u32,
    pub reason: Reason,
    pub level: u32,
    /// How many entries there were when it was deduced.
    pub seen: u32,
}

/// See the file's head.
#[derive(Default)]
pub(super) struct Trail {
    intervals: Vec<Interval>,
    /// The last entry of each side of each variable.
    last: Vec<u32>,
    pub entries: Vec<Entry>,
    /// How many entries there were when each level was opened.
    levels: Vec<u32>,
}

impl Trail {
    pub fn new_var(&mut self, interval: Interval) {
        self.intervals.push(interval);
        self.last.extend([NONE, NONE]);
    }

    pub fn interval(&self, var: Var) -> Interval {
        self.intervals[var.index()]
    }

    /// The bound of one side now.
    pub fn bound(&self, place: usize) -> Key {
        let interval = self.intervals[place / 2];
        if place % 2 == Side::AtLeast as usize { interval.low } else { interval.high }
    }

    /// The truth of a literal, where it is known.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let interval = self.intervals[lit.var.index()];
        match lit.side {
            Side::AtLeast if interval.low >= lit.key => Some(true),
            Side::AtLeast if interval.high < lit.key => Some(false),
            Side::AtMost if interval.high <= lit.key => Some(true),
            Side::AtMost if interval.low > lit.key => Some(false),
            _ => None,
        }
    }

    pub fn level(&self) -> u32 {
        self.levels.len() as u32
    }

    pub fn open_level(&mut self) {
        self.levels.push(self.entries.len() as u32);
    }

    /// Makes a literal true. Requires: it is neither true nor false.
    pub fn assign(&mut self, lit: Lit, reason: Reason) {
        self.assign_seen(lit, reason, self.entries.len() as u32);
    }

    /// The same for what was deduced from the first `seen` entries.
    pub fn assign_seen(&mut self, lit: Lit, reason: Reason, seen: u32) {
        debug_assert_eq!(self.value(lit), None, "{lit:?}");
        let place = lit.place();
        self.entries.push(Entry {
            lit,
            old: self.bound(place),
            previous: self.last[place],
            reason,
            level: self.level(),
            seen,
        });
        self.last[place] = self.entries.len() as u32 - 1;
        self.set(place, lit.key);
    }

    fn set(&mut self, place: usize, key: Key) {
        let interval = &mut self.intervals[place / 2];
        if place % 2 == Side::AtLeast as usize {
            interval.low = key;
        } else {
            interval.high = key;
        }
    }

    /// Closes levels until `level` are open; calls `undone` with each entry and the
    /// interval before that, newest first.
    pub fn backtrack(&mut self, level: u32, mut undone: impl FnMut(&Entry, Interval)) {
        let Some(kept) = self.levels.get(level as usize).copied() else { return };
        for i in (kept as usize..self.entries.len()).rev() {
            let entry = self.entries[i];
            undone(&entry, self.interval(entry.lit.var));
            let place = entry.lit.place();
            self.last[place] = entry.previous;
            self.set(place, entry.old);
        }
        self.entries.truncate(kept as usize);
        self.levels.truncate(level as usize);
    }

    /// Forgets the entries of the ground level, whose bounds hold for good.
    pub fn settle(&mut self) {
        debug_assert_eq!(self.level(), 0);
        for entry in self.entries.drain(..) {
            self.last[entry.lit.place()] = NONE;
        }
    }

    /// The entry that first made a literal true; none if it holds at the ground level.
    /// Requires: it is true.
    pub fn cause(&self, lit: Lit) -> u32 {
        debug_assert_eq!(self.value(lit), Some(true));
        let mut at = self.last[lit.place()];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if !lit.follows_from(entry.old) {
                return if entry.level == 0 { NONE } else { at };
            }
            at = entry.previous;
        }
        NONE
    }

    /// The bounds of a side before entry `seen`, newest first, each with its entry; the last is
    /// that of the ground level.
    pub fn history(&self, place: usize, seen: u32) -> SmallVec<[(u32, Key); 8]> {
        let mut history = SmallVec::new();
        let mut at = self.last[place];
        let mut bound = self.bound(place);
        while at != NONE && self.entries[at as usize].level > 0 {
            if at < seen {
                history.push((at, bound));
            }
            bound = self.entries[at as usize].old;
            at = self.entries[at as usize].previous;
        }
        history.push((NONE, bound));
        history
    }
}
