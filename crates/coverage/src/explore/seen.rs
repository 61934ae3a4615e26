//! What runs have shown, and where first.

use crate::probes::{DECISION, Event, POINT, Probed, canonical};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where something was seen first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct First {
    /// The run, by its number.
    pub run: usize,
    /// The cycle.
    pub cycle: u32,
}

/// What runs have shown.
pub struct Seen {
    points: Vec<Option<First>>,
    decisions: Vec<FxHashMap<u64, First>>,
    /// Values of probes of decisions that were met, those of conditions that are not evaluated included:
    /// below 64 as a bit; the last of the others.
    met: Vec<(u64, FxHashSet<u64>, u64)>,
}

impl Seen {
    /// Nothing yet.
    pub fn new(probed: &Probed) -> Seen {
        let decisions = probed.decisions.len();
        Seen {
            points: vec![None; probed.points.len()],
            decisions: vec![FxHashMap::default(); decisions],
            met: vec![(0, FxHashSet::default(), 0); decisions],
        }
    }

    /// A probe says something; whether that is new.
    pub fn see(&mut self, probed: &Probed, number: u32, word: u64, first: First) -> bool {
        if number == POINT {
            let Some(point) = self.points.get_mut(word as usize) else { return false };
            return point.replace(point.unwrap_or(first)).is_none();
        }
        let decision = (number - DECISION) as usize;
        let (few, many, last) = &mut self.met[decision];
        if word < 64 {
            if *few >> word & 1 == 1 {
                return false;
            }
            *few |= 1 << word;
        } else if std::mem::replace(last, word) == word || !many.insert(word) {
            return false;
        }
        let values = canonical(&probed.trees[decision], word);
        let seen = &mut self.decisions[decision];
        let new = !seen.contains_key(&values);
        seen.entry(values).or_insert(first);
        new
    }

    /// Where a point was seen first.
    pub fn point(&self, number: usize) -> Option<First> {
        self.points[number]
    }

    /// The values with which a decision was evaluated, in order, and where first.
    pub fn vectors(&self, decision: usize) -> Vec<(u64, First)> {
        let seen = self.decisions[decision].iter();
        let mut vectors: Vec<(u64, First)> =
            seen.map(|(values, first)| (*values, *first)).collect();
        vectors.sort_unstable_by_key(|(values, first)| (first.run, first.cycle, *values));
        vectors
    }

    /// Where an event was seen first.
    pub fn event(&self, event: Event) -> Option<First> {
        match event {
            Event::Point(number) => self.points[number],
            Event::Decision(number, values) => self.decisions[number].get(&values).copied(),
        }
    }
}
