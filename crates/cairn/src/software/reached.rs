//! How far the engines have come.

use report::result::{Effort, Size, Statistics};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hears of one engine's progress; clones share it.
#[derive(Clone, Default)]
pub struct Reached(Arc<Counters>);

#[derive(Default)]
struct Counters {
    /// The frame, or the depth of unrolling.
    reached: AtomicU64,
    locations: AtomicU64,
    lemmas: AtomicU64,
    obligations: AtomicU64,
    queries: AtomicU64,
    /// What the engine tells at its end.
    summary: Mutex<Vec<String>>,
}

impl Reached {
    fn note(&self, number: usize) {
        self.0.reached.fetch_max(number as u64, Ordering::Relaxed);
    }

    /// Lines for `--stats`.
    pub fn summarize(&self, lines: Vec<String>) {
        *self.0.summary.lock().unwrap_or_else(PoisonError::into_inner) = lines;
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
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

    fn lemma(&mut self, _: usize, _: usize) {
        count(&self.0.lemmas);
    }

    fn obligation(&mut self, _: usize) {
        count(&self.0.obligations);
    }

    fn query(&mut self, _: ic3::observer::Phase) {
        count(&self.0.queries);
    }
}

impl ic3cfa::Observer for Reached {}

impl lemmas::Observer for Reached {
    fn begin(&mut self, nodes: usize) {
        self.0.locations.store(nodes as u64, Ordering::Relaxed);
    }

    fn frontier(&mut self, frame: usize, _: &[usize], _: usize) {
        self.note(frame);
    }

    fn lemma(&mut self, _: usize, _: usize) {
        count(&self.0.lemmas);
    }

    fn obligation(&mut self, _: usize, _: usize) {
        count(&self.0.obligations);
    }

    fn query(&mut self, _: lemmas::Phase) {
        count(&self.0.queries);
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

impl Entry {
    fn unit(&self) -> &'static str {
        if matches!(self.engine, "bmc" | "kind") { "steps" } else { "frames" }
    }
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
            reached: entry.reached.0.reached.load(Ordering::Relaxed),
            unit: entry.unit().to_owned(),
        };
        statistics.engines = notes.engines.iter().map(effort).collect();
        statistics.model = notes.model.map(|modelled| modelled.model);
        statistics.minimized = notes.model.map(|modelled| modelled.minimized);
        statistics.recursion = notes.model.map(|modelled| modelled.recursion);
    }

    /// What an engine told at its end.
    pub fn summary(&self, engine: &str) -> Vec<String> {
        let notes = self.notes();
        let entry = notes.engines.iter().find(|entry| entry.engine == engine);
        entry.map_or_else(Vec::new, |entry| {
            entry.reached.0.summary.lock().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// All engines in one line, for a terminal.
    pub fn line(&self, seconds: f64) -> String {
        let notes = self.notes();
        let engine = |entry: &Entry| {
            let counters = &entry.reached.0;
            let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            let reached = number(&counters.reached);
            let mut words = format!("{}: {reached} {}", entry.engine, entry.unit());
            if let Some(outcome) = &entry.outcome {
                return format!("{}: {outcome}", entry.engine);
            }
            let parts = [
                (number(&counters.locations), "locations"),
                (number(&counters.lemmas), "lemmas"),
                (number(&counters.obligations), "obligations"),
            ];
            for (count, unit) in parts.iter().filter(|(count, _)| *count > 0) {
                words += &format!(", {count} {unit}");
            }
            let queries = number(&counters.queries);
            if queries > 0 {
                words += &format!(", {:.0} queries/s", queries as f64 / seconds.max(0.001));
            }
            words
        };
        let engines: Vec<String> = notes.engines.iter().map(engine).collect();
        format!("{seconds:6.1} s  {}", engines.join("  "))
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
