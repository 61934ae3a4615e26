//! How far the engines have come.

use report::result::{Effort, Size, Statistics};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hears of one engine's progress; clones share it.
#[derive(Clone, Default)]
pub struct Reached(Arc<AtomicU64>);

impl Reached {
    fn note(&self, number: usize) {
        self.0.fetch_max(number as u64, Ordering::Relaxed);
    }
}

impl bounded::Observer for Reached {
    fn depth(&mut self, depth: usize) {
        self.note(depth);
    }
}

impl ic3::Observer for Reached {
    fn frontier(&mut self, frame: usize, _: &[usize], _: usize) {
        self.note(frame);
    }
}

impl ic3cfa::Observer for Reached {
    fn frontier(&mut self, level: usize, _: &[usize], _: usize) {
        self.note(level);
    }
}

/// The model of a run, and all its engines in the order in which they were started. What is noted
/// here can be told even if the run does not come to its end.
#[derive(Clone, Default)]
pub struct Board(Arc<Mutex<Notes>>);

#[derive(Default)]
struct Notes {
    model: Option<Modelled>,
    engines: Vec<Entry>,
}

/// The automaton before and after minimization, and how deep recursion is unrolled.
#[derive(Clone, Copy)]
pub struct Modelled {
    pub model: Size,
    pub minimized: Size,
    pub recursion: u32,
}

struct Entry {
    engine: &'static str,
    reached: Reached,
    outcome: Option<String>,
}

impl Board {
    /// An engine starts, perhaps not for the first time.
    pub fn enter(&self, engine: &'static str) -> Reached {
        let reached = Reached::default();
        let entries = &mut self.notes().engines;
        entries.retain(|entry| entry.engine != engine);
        entries.push(Entry { engine, reached: reached.clone(), outcome: None });
        reached
    }

    /// An engine has ended.
    pub fn ended(&self, engine: &str, outcome: String) {
        if let Some(entry) = self.notes().engines.iter_mut().find(|entry| entry.engine == engine) {
            entry.outcome = Some(outcome);
        }
    }

    /// There is a model.
    pub fn modelled(&self, modelled: Modelled) {
        self.notes().model = Some(modelled);
    }

    /// Adds what was noted to the statistics of a result.
    pub fn complete(&self, statistics: &mut Statistics) {
        let notes = self.notes();
        let effort = |entry: &Entry| Effort {
            engine: entry.engine.to_owned(),
            outcome: entry.outcome.clone(),
            reached: entry.reached.0.load(Ordering::Relaxed),
            unit: if matches!(entry.engine, "bmc" | "kind") { "steps" } else { "frames" }
                .to_owned(),
        };
        statistics.engines = notes.engines.iter().map(effort).collect();
        statistics.model = notes.model.map(|modelled| modelled.model);
        statistics.minimized = notes.model.map(|modelled| modelled.minimized);
        statistics.recursion = notes.model.map(|modelled| modelled.recursion);
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
