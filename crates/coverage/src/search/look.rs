//! Looking for runs: by chance, and from states with a solver.

use super::{JUDGE, LEAST, Looked, Search, UNLIMITED, Watcher};
use crate::explore::Effort;
use std::time::{Duration, Instant};

/// The part of the time for looking before engines are asked, and where at least one of so many open events
/// is shown by each round; those of a round of runs by chance, and of one with a solver.
const FIRST: f64 = 0.2;
const LATEST: f64 = 0.6;
const MUCH: usize = 100;
const RUNS: f64 = 0.12;
const DIRECTED: f64 = 0.08;
/// For how many seconds and for which part of the time nothing new may be found.
const RUNS_PATIENCE: (f64, f64) = (1.5, 0.6);
const DIRECTED_PATIENCE: (f64, f64) = (2.0, 0.6);
/// The part of a round for one question about a state, and the least that must be left for one.
const ONE: f64 = 0.1;
const SHORTEST: Duration = Duration::from_millis(50);
/// How long it is looked for runs again, at least, and as a part of the time that is left at most.
const LEAST_AGAIN: Duration = Duration::from_millis(600);
const MOST_AGAIN: f64 = 0.25;
/// For how long as a part of the time that engines were asked for, at least and at most.
const PARTS: (f64, f64) = (0.1, 3.0);

/// How the time is shared between engines and runs.
pub(super) struct Balance {
    /// The time that runs are owed.
    credit: Duration,
    /// How much they are owed for the time that engines had.
    part: f64,
}

impl Default for Balance {
    fn default() -> Balance {
        Balance { credit: Duration::ZERO, part: 0.25 }
    }
}

impl Search<'_> {
    /// Looks for runs until nothing new has been found for a while.
    pub(super) fn first_look(&mut self, watcher: &mut dyn Watcher) {
        let share = |part: f64| self.question.limits.time.map_or(UNLIMITED, |t| t.mul_f64(part));
        let (runs, directed) = (share(RUNS), share(DIRECTED));
        let (end, latest) = (Instant::now() + share(FIRST), Instant::now() + share(LATEST));
        loop {
            self.runs(runs, RUNS_PATIENCE, watcher);
            let before = self.judge(watcher).len();
            self.directed(directed, DIRECTED_PATIENCE, watcher);
            let found = before - self.judge(watcher).len();
            // While much is found, nothing else is better.
            let end = if found > before / MUCH { latest } else { end };
            if found == 0 || Instant::now() > end {
                return;
            }
        }
    }

    /// Looks for runs where engines have no time any more.
    pub(super) fn look_on(&mut self, watcher: &mut dyn Watcher) {
        let slice = self.left().map_or(UNLIMITED, |left| left.mul_f64(MOST_AGAIN)).max(LEAST_AGAIN);
        let all = (slice.as_secs_f64(), 1.0);
        self.runs(slice / 2, all, watcher);
        self.directed(slice / 2, all, watcher);
    }

    /// Looks for runs after engines were asked for some time: for as long, or longer, where that has found
    /// something the last time.
    pub(super) fn look_again(&mut self, asked: Duration, watcher: &mut dyn Watcher) {
        self.balance.credit += asked.mul_f64(self.balance.part);
        let slice = self
            .left()
            .map_or(self.balance.credit, |left| self.balance.credit.min(left.mul_f64(MOST_AGAIN)));
        let before = self.judge(watcher).len();
        if slice < LEAST_AGAIN || before == 0 {
            return;
        }
        self.balance.credit = Duration::ZERO;
        let all = (slice.as_secs_f64() / 2.0, 1.0);
        self.runs(slice / 2, all, watcher);
        self.directed(slice / 2, all, watcher);
        let found = self.judge(watcher).len() < before;
        let factor = if found { 2.0 } else { 0.5 };
        self.balance.part = (self.balance.part * factor).clamp(PARTS.0, PARTS.1);
    }

    /// Runs for some time, or until nothing new has been seen for so many seconds and for such a part of
    /// the time.
    fn runs(&mut self, most: Duration, patience: (f64, f64), watcher: &mut dyn Watcher) {
        self.told("runs by chance", watcher, |this, watcher| {
            this.by_chance(most, patience, watcher)
        });
    }

    /// Looks for inputs from states that runs have come to, for some time, or until nothing new has been
    /// found for so many seconds and for such a part of the time.
    fn directed(&mut self, most: Duration, patience: (f64, f64), watcher: &mut dyn Watcher) {
        self.told("runs from states", watcher, |this, watcher| {
            this.behind_states(most, patience, watcher);
        });
    }

    /// Does something, and tells what came of it.
    fn told(
        &mut self,
        how: &'static str,
        watcher: &mut dyn Watcher,
        look: impl FnOnce(&mut Self, &mut dyn Watcher),
    ) {
        let (begun, before, open) = (Instant::now(), self.effort(), self.judge(watcher).len());
        look(self, watcher);
        let (after, left) = (self.effort(), self.judge(watcher).len());
        let effort = Effort {
            runs: after.runs - before.runs,
            cycles: after.cycles - before.cycles,
            states: after.states - before.states,
        };
        let seconds = begun.elapsed().as_secs_f64();
        watcher.looked(&Looked { how, effort, open: (open, left), seconds });
    }

    fn by_chance(&mut self, most: Duration, patience: (f64, f64), watcher: &mut dyn Watcher) {
        let open = self.judge(watcher);
        let Some(mut explorer) = self.explorer.take() else { return };
        explorer.set_open(&open);
        let end = Instant::now() + self.left().map_or(most, |left| left.min(most));
        let interrupt = self.question.limits.interrupt.clone();
        let (least, part) = patience;
        let patience = |spent: Duration| spent.mul_f64(part).max(Duration::from_secs_f64(least));
        // Goals are looked at again when something was seen, now and then.
        let (mut kept, mut open, mut judged) = (usize::MAX, true, Instant::now());
        explorer.explore(end, &patience, &mut |explorer| {
            if explorer.kept.len() != kept && judged.elapsed() > JUDGE {
                kept = explorer.kept.len();
                open = !self.judge_by(explorer, watcher).is_empty();
                judged = Instant::now();
            }
            watcher.progress(self.counts(), explorer.effort);
            open && !interrupt.is_raised()
        });
        self.explorer = Some(explorer);
        self.judge(watcher);
    }

    fn behind_states(
        &mut self,
        most: Duration,
        (least, part): (f64, f64),
        watcher: &mut dyn Watcher,
    ) {
        let begun = Instant::now();
        let end = begun + self.left().map_or(most, |left| left.min(most));
        let allowance = self.prover.asking.budget().allowance.within(most);
        let (mut last, mut open) = (begun, self.judge(watcher));
        let mut question = self.prover.question(&open);
        while !open.is_empty() && Instant::now() + SHORTEST < end && !self.is_over() {
            let patience =
                last.duration_since(begun).mul_f64(part).max(Duration::from_secs_f64(least));
            if last.elapsed() > patience {
                return;
            }
            let Some(explorer) = &mut self.explorer else { return };
            let one = most.mul_f64(ONE).max(LEAST);
            if !self.directed.ask(&question, explorer, &allowance, one) {
                return;
            }
            let left = self.judge(watcher);
            if left.len() < open.len() {
                (last, open) = (Instant::now(), left);
                question = self.prover.question(&open);
            }
        }
    }
}
