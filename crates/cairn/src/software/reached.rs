//! How far the engines have come.

use report::result::Effort;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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

/// All engines of a run, in the order in which they were started.
#[derive(Clone, Default)]
pub struct Board(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    engine: &'static str,
    reached: Reached,
    outcome: Option<String>,
}

impl Board {
    /// An engine starts, perhaps not for the first time.
    pub fn enter(&self, engine: &'static str) -> Reached {
        let reached = Reached::default();
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.engine != engine);
        entries.push(Entry { engine, reached: reached.clone(), outcome: None });
        reached
    }

    /// An engine has ended.
    pub fn ended(&self, engine: &str, outcome: String) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter_mut().find(|entry| entry.engine == engine) {
            entry.outcome = Some(outcome);
        }
    }

    /// What each engine did.
    pub fn efforts(&self) -> Vec<Effort> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let effort = |entry: &Entry| Effort {
            engine: entry.engine.to_owned(),
            outcome: entry.outcome.clone(),
            reached: entry.reached.0.load(Ordering::Relaxed),
            unit: if entry.engine == "bmc" { "steps" } else { "frames" }.to_owned(),
        };
        entries.iter().map(effort).collect()
    }
}
