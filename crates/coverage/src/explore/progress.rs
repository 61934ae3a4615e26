//! What says that a run gets on, beside events that goals ask for: values of a new kind in the state, values
//! beyond all that were seen, and decisions that are open and have had the same values for longer than ever,
//! which is how a counter moves on that counts only there.

use crate::order::Range;
use crate::probes::State;
use rustc_hash::{FxHashMap, FxHashSet};
use term::Sort;
use value::Format;

/// How far beyond what was seen a value must be, as a part of the range that was seen.
const BEYOND: f64 = 0.05;

/// What was seen of a register.
#[derive(Default)]
struct Known {
    /// The value that it had last, and its kind.
    last: Option<(u64, u64)>,
    kinds: FxHashSet<u64>,
    range: Option<(f64, f64)>,
    /// The values, in their order.
    numbers: Option<Range>,
    /// Whether one was no number.
    other: bool,
}

/// The values that decisions had last, and since when.
#[derive(Clone, Copy, Debug)]
pub struct Streak {
    values: u64,
    since: u32,
    last: u32,
}

/// What all runs have seen.
pub struct Progress {
    registers: Vec<Known>,
    /// Which decisions are open.
    open: Vec<bool>,
    /// After how many cycles a decision with the same values is new.
    next: FxHashMap<(u32, u64), u32>,
}

impl Progress {
    /// Nothing was seen.
    pub fn new(registers: usize, decisions: usize) -> Progress {
        let registers = (0..registers).map(|_| Known::default()).collect();
        Progress { registers, open: vec![true; decisions], next: FxHashMap::default() }
    }

    /// The ranges of registers; none of those that had no value, or one that is no number.
    pub fn ranges(&self) -> Vec<Option<Range>> {
        self.registers.iter().map(|known| known.numbers.filter(|_| !known.other)).collect()
    }

    /// These decisions are open.
    pub fn set_open(&mut self, decisions: impl Iterator<Item = usize>) {
        self.open.fill(false);
        decisions.for_each(|decision| self.open[decision] = true);
    }

    /// A register has a value; whether that is new.
    pub fn register(&mut self, number: usize, state: State, word: u64) -> bool {
        let known = &mut self.registers[number];
        let kind = match known.last {
            Some((last, _)) if last == word => return false,
            _ => kind(state.sort, word),
        };
        known.note(state.number(word));
        let other = known.last.replace((word, kind)).is_none_or(|(_, last)| last != kind);
        let beyond = known.is_beyond(state.double(word), state.sort);
        other && known.kinds.insert(kind) || beyond
    }

    /// A decision has values in a cycle; whether it has had them for longer than ever.
    pub fn decision(
        &mut self,
        run: &mut [Option<Streak>],
        decision: u32,
        values: u64,
        cycle: u32,
    ) -> bool {
        if !self.open[decision as usize] {
            return false;
        }
        let streak = &mut run[decision as usize];
        match streak {
            Some(streak) if streak.values == values && streak.last + 1 >= cycle => {
                if streak.last == cycle {
                    return false;
                }
                streak.last = cycle;
                let length = cycle - streak.since + 1;
                let next = self.next.entry((decision, values)).or_insert(2);
                let new = length >= *next;
                if new {
                    *next = length + (length / 4).max(1);
                }
                new
            }
            _ => {
                *streak = Some(Streak { values, since: cycle, last: cycle });
                false
            }
        }
    }
}

impl Known {
    /// A value was seen.
    fn note(&mut self, number: Option<u64>) {
        let Some(number) = number else {
            self.other = true;
            return;
        };
        let range = self.numbers.get_or_insert(Range { least: number, most: number });
        range.least = range.least.min(number);
        range.most = range.most.max(number);
    }

    fn is_beyond(&mut self, value: f64, sort: Sort) -> bool {
        if !value.is_finite() || sort == Sort::Bool {
            return false;
        }
        let Some((least, most)) = &mut self.range else {
            self.range = Some((value, value));
            return false;
        };
        let step = (*most - *least) * BEYOND;
        if value > *most + step {
            *most = value;
        } else if value < *least - step {
            *least = value;
        } else {
            return false;
        }
        true
    }
}

/// Small numbers by themselves; of others, a few bits behind the first, as of floats.
fn kind(sort: Sort, word: u64) -> u64 {
    match sort {
        Sort::Float(format) if format == Format::F32 => word >> 21,
        Sort::Float(_) => word >> 50,
        _ if word < 32 => word,
        _ => u64::from(word.ilog2()) << 8 | word >> (word.ilog2() - 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_counts_up_is_new_ever_more_rarely() {
        let mut progress = Progress::new(1, 1);
        let sort = Sort::BitVec(32);
        let state = State::of(term::Pool::new().var("n", sort), sort, true);
        let new: Vec<u64> = (0..1000).filter(|n| progress.register(0, state, *n)).collect();
        assert!(new.starts_with(&[0, 1, 2, 3]) && new.len() < 150, "{new:?}");
        assert!(new.last().is_some_and(|last| *last > 900));
        // What was seen is not new, and numbers below zero are.
        assert!(!progress.register(0, state, 500));
        assert!(progress.register(0, state, u64::from(u32::MAX)));
    }

    #[test]
    fn a_decision_is_new_while_it_keeps_its_values_longer_than_ever() {
        let mut progress = Progress::new(0, 2);
        let mut run = [None, None];
        let mut news = Vec::new();
        for cycle in 0..40 {
            if progress.decision(&mut run, 0, 1, cycle) {
                news.push(cycle);
            }
        }
        assert_eq!(news[..4], [1, 2, 3, 4]);
        assert!(news.len() < 16, "{news:?}");
        // Another run is new only beyond that; one with gaps never is.
        let mut run = [None, None];
        assert!(!(0..30).any(|cycle| progress.decision(&mut run, 0, 1, cycle)));
        let mut run = [None, None];
        assert!(!(0..80).any(|cycle| progress.decision(&mut run, 1, 1, 2 * cycle)));
        progress.set_open(std::iter::empty());
        assert!(!(40..900).any(|cycle| progress.decision(&mut run, 0, 1, cycle)));
    }
}
