//! How far the engines of a question have come, for those who watch or who are told when it ends early.

use crate::engines::Row;
use crate::listener::Size;
use answer::{Ended, EngineName, Unit};
use lemmas::Phase;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hears of one engine's progress; clones share it.
#[derive(Clone, Default, Debug)]
pub struct Reached(Arc<Counters>);

#[derive(Default, Debug)]
struct Counters {
    /// The frame, or the depth of unrolling.
    reached: AtomicU64,
    locations: AtomicU64,
    lemmas: AtomicU64,
    obligations: AtomicU64,
    queries: AtomicU64,
    /// What the engine tells at its end.
    figures: Mutex<Vec<String>>,
}

impl Reached {
    /// A frame, a depth, a refinement.
    pub fn note(&self, number: usize) {
        self.0.reached.fetch_max(number as u64, Ordering::Relaxed);
    }

    /// The highest number that was noted.
    pub fn number(&self) -> u64 {
        self.0.reached.load(Ordering::Relaxed)
    }

    /// Lines for those who measure.
    pub fn tell(&self, lines: impl IntoIterator<Item = String>) {
        self.0.figures.lock().unwrap_or_else(PoisonError::into_inner).extend(lines);
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

    fn query(&mut self, _: Phase) {
        count(&self.0.queries);
    }
}

/// The model of a question, and all its engines in the order in which they were started. Clones share
/// it, so that what is noted can be told even if the question does not come to its end.
#[derive(Clone, Default, Debug)]
pub struct Board(Arc<Mutex<Notes>>);

#[derive(Default, Debug)]
struct Notes {
    model: Option<Modelled>,
    engines: Vec<Entry>,
}

/// The automaton before and after minimization, and how deep recursion is unrolled.
#[derive(Clone, Copy, Debug)]
pub struct Modelled {
    /// Before.
    pub model: Size,
    /// After.
    pub minimized: Size,
    /// How many open calls of one function it has room for.
    pub recursion: u32,
}

#[derive(Debug)]
struct Entry {
    engine: EngineName,
    unit: Unit,
    goal: Option<String>,
    reached: Reached,
    ended: Option<Ended>,
}

/// What an engine did.
#[derive(Clone, PartialEq, Debug)]
pub struct Effort {
    /// Its name.
    pub engine: EngineName,
    /// The goal it worked on, where each has engines of its own.
    pub goal: Option<String>,
    /// How it ended; nothing if it was stopped.
    pub ended: Option<Ended>,
    /// How far it came.
    pub reached: u64,
    /// In what that is counted.
    pub unit: Unit,
}

impl Board {
    /// An engine starts on a goal, perhaps not for the first time.
    pub fn enter(&self, row: &Row, goal: Option<&str>) -> Reached {
        let (engine, reached) = (EngineName::new(row.name), Reached::default());
        let goal = goal.map(str::to_owned);
        let entries = &mut self.notes().engines;
        entries.retain(|entry| entry.engine != engine || entry.goal != goal);
        let unit = row.unit;
        entries.push(Entry { engine, unit, goal, reached: reached.clone(), ended: None });
        reached
    }

    /// An engine has ended; answers its figures.
    pub fn ended(&self, engine: &EngineName, goal: Option<&str>, ended: Ended) -> Vec<String> {
        let mut notes = self.notes();
        let mut entries = notes.engines.iter_mut();
        let of_goal = |entry: &&mut Entry| entry.engine == *engine && entry.goal.as_deref() == goal;
        let Some(entry) = entries.find(of_goal) else { return Vec::new() };
        entry.ended = Some(ended);
        let mut figures = entry.reached.0.figures.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *figures)
    }

    /// There is a model.
    pub fn modelled(&self, modelled: Modelled) {
        self.notes().model = Some(modelled);
    }

    /// The last model.
    pub fn model(&self) -> Option<Modelled> {
        self.notes().model
    }

    /// What all engines did.
    pub fn efforts(&self) -> Vec<Effort> {
        let effort = |entry: &Entry| Effort {
            engine: entry.engine.clone(),
            goal: entry.goal.clone(),
            ended: entry.ended.clone(),
            reached: entry.reached.number(),
            unit: entry.unit,
        };
        self.notes().engines.iter().map(effort).collect()
    }

    /// All engines in one line, for a terminal.
    pub fn line(&self, seconds: f64) -> String {
        let notes = self.notes();
        let engine = |entry: &Entry| {
            let counters = &entry.reached.0;
            let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            if let Some(ended) = &entry.ended {
                return format!("{}: {ended}", entry.engine);
            }
            let reached = number(&counters.reached);
            let mut words = format!("{}: {reached} {}", entry.engine, entry.unit);
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
        let open =
            notes.engines.iter().filter(|entry| entry.goal.is_none() || entry.ended.is_none());
        let engines: Vec<String> = open.map(engine).collect();
        format!("{seconds:6.1} s  {}", engines.join("  "))
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
