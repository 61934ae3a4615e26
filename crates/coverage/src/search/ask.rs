//! Questions to engines, about many events at once, then about ever fewer.

use super::{LEAST, Search, TOGETHER, UNLIMITED, Watcher};
use crate::probes::Event;
use crate::prove::{Answered, place_of};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use verify::Failure;

/// The part of the time for finding out what is unlikely.
const UNLIKELY: f64 = 0.1;
/// The part of the time for finding bounds, and for each question about what they exclude, at most; and into
/// how many parts that is taken at most.
const BOUNDS: f64 = 0.15;
const PARTS: usize = 8;
/// The part for all of them, if they are few.
const MOST_BOUNDS: f64 = 0.5;
/// How much more time than a question had that was over before there was a model has the next one.
const LONGER: u32 = 3;

impl Search<'_> {
    /// Questions and runs in turns.
    pub(super) fn rounds(&mut self, watcher: &mut dyn Watcher) -> Result<(), Failure> {
        let (mut patience, mut together) = (1, TOGETHER);
        self.within_bounds(watcher)?;
        let likely = self.unlikely(watcher);
        if !likely.is_empty() {
            self.round(likely, (patience, together), watcher)?;
        }
        loop {
            let open = self.judge(watcher);
            if open.is_empty() || self.is_over() {
                return Ok(());
            }
            let before = open.len();
            if self.engines_are_late() {
                self.look_on(watcher);
                continue;
            }
            self.round(open, (patience, together), watcher)?;
            // What is left was asked about one by one.
            together = (together / 4).max(1);
            let left = self.judge(watcher).len();
            if left == before {
                // Without a limit, what nobody can answer is asked a few times, with more time each.
                if self.deadline.is_none() && patience >= 64 {
                    return Ok(());
                }
                patience *= 4;
            }
        }
    }

    /// Asks, in one question if possible, about all that no cycle shows from a state within bounds that cycles
    /// seem to keep.
    fn within_bounds(&mut self, watcher: &mut dyn Watcher) -> Result<(), Failure> {
        let open = self.judge(watcher);
        let Some(explorer) = self.explorer.as_ref().filter(|_| !open.is_empty()) else {
            return Ok(());
        };
        let begun = Instant::now();
        let time = self.left().map_or(UNLIMITED, |left| left.mul_f64(BOUNDS));
        let allowance = self.prover.asking.budget().allowance.within(time);
        let Some(hull) = self.directed.hull(&self.prover, explorer, &allowance) else {
            return Ok(());
        };
        let excluded = self.directed.excluded_by(&hull, &self.prover, &open, explorer, &allowance);
        self.prover.guess(hull.lemmas(self.probed));
        let excluded = excluded.unwrap_or_default();
        watcher.bounded(excluded.len(), begun.elapsed());
        // A few are asked about one by one: one that is hard would keep the others.
        let few = excluded.len() <= TOGETHER;
        let size = if few { 1 } else { excluded.len() };
        let mut groups: VecDeque<Vec<Event>> =
            excluded.chunks(size.max(1)).map(<[_]>::to_vec).collect();
        let least = excluded.len() / PARTS;
        while let Some(group) = groups.pop_front().filter(|_| !self.is_over()) {
            let known = &self.prover.excluded;
            let group: Vec<Event> = group.into_iter().filter(|e| !known.contains_key(e)).collect();
            if group.is_empty() {
                continue;
            }
            let part = if few { MOST_BOUNDS / (groups.len() + 1) as f64 } else { BOUNDS };
            let time = self.left().map_or(UNLIMITED, |left| left.mul_f64(part.min(BOUNDS)));
            match self.prover.ask(&group, time.max(self.least), watcher)? {
                Answered::Excluded => self.audit()?,
                Answered::Shown(runs) => drop(self.follow(&runs, &group)),
                Answered::Open { modelled: true } if group.len() > least.max(1) => {
                    self.split(group, &mut groups);
                }
                Answered::Open { .. } => {}
            }
            self.judge(watcher);
        }
        Ok(())
    }

    /// What is open and does not happen in the next cycle from a state between those that runs have come to:
    /// most likely there is a proof for it, so it is asked about first.
    fn unlikely(&mut self, watcher: &mut dyn Watcher) -> Vec<Event> {
        let mut open = self.judge(watcher);
        let Some(explorer) = self.explorer.as_ref().filter(|_| !open.is_empty()) else {
            return Vec::new();
        };
        let time = self.left().map_or(UNLIMITED, |left| left.mul_f64(UNLIKELY));
        let allowance = self.prover.asking.budget().allowance.within(time);
        let question = self.prover.questions(&open);
        let Some(possible) = self.directed.possible(question, explorer, allowance) else {
            return Vec::new();
        };
        let mut number = 0..;
        open.retain(|_| !number.next().is_some_and(|number| possible.contains(&place_of(number))));
        open
    }

    /// Asks about all that is open, in ever smaller groups.
    fn round(
        &mut self,
        open: Vec<Event>,
        (patience, together): (u32, usize),
        watcher: &mut dyn Watcher,
    ) -> Result<(), Failure> {
        let open = self.by_place(open);
        let mut groups: VecDeque<Vec<Event>> = open.chunks(together).map(<[_]>::to_vec).collect();
        while let Some(group) = groups.pop_front() {
            let wanted: FxHashSet<Event> = self.judge(watcher).into_iter().collect();
            let group: Vec<Event> = group.into_iter().filter(|e| wanted.contains(e)).collect();
            if group.is_empty() {
                continue;
            }
            if self.is_over() || self.engines_are_late() {
                return Ok(());
            }
            let waiting: usize = groups.iter().map(Vec::len).sum();
            let time = self.share(group.len(), waiting, wanted.len(), patience);
            let begun = Instant::now();
            let answered = self.prover.ask(&group, time, watcher)?;
            let asked = begun.elapsed();
            match answered {
                Answered::Excluded => self.audit()?,
                Answered::Shown(runs) => {
                    let shown = self.follow(&runs, &group);
                    if shown {
                        groups.push_front(group);
                    } else if group.len() > 1 {
                        self.split(group, &mut groups);
                    }
                }
                // There was no time for an answer; less for each of the parts would be none either.
                Answered::Open { modelled: false } => {
                    self.least = (time * LONGER).max(self.least);
                    groups.push_back(group);
                }
                Answered::Open { .. } if group.len() > 1 => self.split(group, &mut groups),
                Answered::Open { .. } => {}
            }
            self.look_again(asked, watcher);
        }
        Ok(())
    }

    /// What is excluded has not been seen: otherwise a proof, or a run, is wrong.
    fn audit(&self) -> Result<(), Failure> {
        let Some(explorer) = &self.explorer else { return Ok(()) };
        let excluded = &self.prover.excluded;
        let seen =
            explorer.look(|seen| excluded.keys().find(|e| seen.event(**e).is_some()).copied());
        let Some(event) = seen else { return Ok(()) };
        let engine = excluded.get(&event).map(|number| &self.prover.proofs[*number].engine);
        Err(Failure::Defect {
            who: engine.map_or_else(String::new, ToString::to_string),
            why: format!("a run shows what a proof excludes ({event:?})"),
        })
    }

    /// The time for a group.
    fn share(&self, size: usize, waiting: usize, all: usize, patience: u32) -> Duration {
        let Some(left) = self.left() else {
            return Duration::from_secs(4) * patience;
        };
        // A group that is split needs time for its parts.
        let part = match size {
            1 => 1.0 / (waiting + 1) as f64,
            _ => 0.3 * size as f64 / all.max(1) as f64,
        };
        left.mul_f64(part.min(0.5)).max(self.least)
    }

    /// Whether the time that is left is too short for questions to engines.
    fn engines_are_late(&self) -> bool {
        self.least > LEAST && self.left().is_some_and(|left| left < 2 * self.least)
    }

    fn split(&self, mut group: Vec<Event>, groups: &mut VecDeque<Vec<Event>>) {
        let size = group.len().div_ceil(4);
        while !group.is_empty() {
            let rest = group.split_off(size.min(group.len()));
            groups.push_back(group);
            group = rest;
        }
    }

    /// In the order of the source, so that what is near stays together.
    fn by_place(&self, mut events: Vec<Event>) -> Vec<Event> {
        let map = self.question.map;
        events.sort_by_key(|event| match event {
            Event::Point(point) => (&map.points[*point].spot.place, *event),
            Event::Decision(decision, _) => (&map.decisions[*decision].spot.place, *event),
        });
        events
    }

    /// Follows runs of engines; says whether one has shown an event of the group.
    fn follow(
        &mut self,
        runs: &[program::counterexample::Counterexample],
        group: &[Event],
    ) -> bool {
        let end = self.deadline.unwrap_or_else(|| Instant::now() + UNLIMITED);
        let Some(explorer) = &mut self.explorer else { return false };
        for run in runs {
            explorer.follow(run, end);
        }
        explorer.look(|seen| group.iter().any(|event| seen.event(*event).is_some()))
    }
}
