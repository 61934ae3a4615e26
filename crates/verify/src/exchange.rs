//! What engines on one program tell each other: invariants that one has proved.
//!
//! The analysis before k-induction publishes what it finds; IC3 and IC3CFA wait for it for a moment,
//! because mostly it ends soon, and what it finds (a proof, or lemmas of IC3CFA) is worth more than an
//! early start. Engines on a circuit share lemmas by `ic3::exchange`.
//!
//! What earlier runs had come to without an end is here too, for those who can begin with it, and what
//! engines leave that are stopped.

use crate::engines::ProgramCall;
use answer::Interrupt;
use ic3cfa::Partner;
use passes::Back;
use program::Imported;
use program::verdict::{Invariant, Unfinished};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use term::{Pool, Term, traverse};

/// How long engines wait for the analysis, if they have a thread of their own.
const PATIENCE: Duration = Duration::from_millis(300);
/// How many looks at the interrupt they wait if they take turns.
const PATIENT_LOOKS: usize = 400;
/// How often the interrupt is looked at meanwhile.
const WATCH: Duration = Duration::from_millis(50);

/// Invariants that one engine has proved, for the others; clones share them.
#[derive(Clone, Default)]
pub struct Findings(Arc<Published>);

#[derive(Default)]
struct Published {
    found: Mutex<Found>,
    changed: Condvar,
}

/// What is known to hold, and whether that is all.
#[derive(Default)]
struct Found {
    invariant: Option<(Pool, Invariant)>,
    settled: bool,
    /// What was known before there were engines.
    before: Option<(Pool, Invariant)>,
    /// Whether the engine that was best before has ended.
    favoured_ended: bool,
    /// What may hold.
    begun: Option<(Pool, Unfinished)>,
    /// What engines had come to when they were stopped.
    left: Vec<(Pool, Unfinished)>,
}

impl Found {
    /// Adds an inductive invariant to those that are there: together they are one.
    fn add(&mut self, pool: &Pool, invariant: &Invariant) {
        let (copy, known) = self.invariant.get_or_insert_with(Default::default);
        known.add(&imported(pool, invariant, copy));
    }
}

impl Findings {
    fn lock(&self) -> MutexGuard<'_, Found> {
        self.0.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An inductive invariant that is known before there are engines.
    pub fn begin_with(&self, pool: &Pool, invariant: &Invariant) {
        let copy = Pool::new();
        let imported = imported(pool, invariant, &copy);
        let mut found = self.lock();
        found.before = Some((copy, imported));
        found.add(pool, invariant);
    }

    /// What was known before there were engines: proofs rest on it.
    pub fn known_before(&self, into: &Pool) -> Option<Invariant> {
        let found = self.lock();
        let (pool, invariant) = found.before.as_ref()?;
        Some(imported(pool, invariant, into))
    }

    /// What may hold, for engines to begin with.
    pub fn suggest(&self, pool: &Pool, begun: &Unfinished) {
        let copy = Pool::new();
        let imported = imported_unfinished(pool, begun, &copy);
        self.lock().begun = Some((copy, imported));
    }

    /// What may hold.
    pub fn begun(&self, into: &Pool) -> Option<Unfinished> {
        let found = self.lock();
        let (pool, begun) = found.begun.as_ref()?;
        Some(imported_unfinished(pool, begun, into))
    }

    /// Leaves what a search had come to.
    pub fn leave(&self, pool: &Pool, left: &Unfinished) {
        let copy = Pool::new();
        let imported = imported_unfinished(pool, left, &copy);
        self.lock().left.push((copy, imported));
    }

    /// All that is known, and all that was left, as terms of another pool.
    pub fn unfinished(&self, into: &Pool) -> Unfinished {
        let mut all = self.known(into).as_ref().map(Unfinished::from).unwrap_or_default();
        for (pool, left) in &self.lock().left {
            all.add(&imported_unfinished(pool, left, into));
        }
        all
    }

    /// Hands an inductive invariant over; it is the last.
    pub fn publish(&self, pool: &Pool, invariant: &Invariant) {
        let mut found = self.lock();
        found.add(pool, invariant);
        found.settled = true;
        drop(found);
        self.0.changed.notify_all();
    }

    /// Whether all was handed over.
    fn is_settled(&self) -> bool {
        self.lock().settled
    }

    /// Waits for the engine that was best before to end, not longer than `most`.
    pub fn wait_for_favoured(&self, most: Duration, interrupt: &Interrupt) {
        let end = Instant::now() + most;
        while Instant::now() < end && !interrupt.is_raised() && !self.lock().favoured_ended {
            let open = |found: &mut Found| !found.favoured_ended;
            drop(self.0.changed.wait_timeout_while(self.lock(), WATCH, open));
        }
    }

    /// The engine that was best before works as long as the result lives.
    pub fn favoured(&self) -> Favoured {
        Favoured(self.clone())
    }

    /// Waits for all to be handed over, not longer than `most`.
    fn wait(&self, most: Duration) {
        let open = |found: &mut Found| !found.settled;
        drop(self.0.changed.wait_timeout_while(self.lock(), most, open));
    }

    /// What was handed over, as terms of another pool; nothing as long as more may come.
    pub fn take(&self, into: &Pool) -> Option<Invariant> {
        if !self.is_settled() {
            return None;
        }
        self.known(into)
    }

    /// What was handed over so far.
    pub fn known(&self, into: &Pool) -> Option<Invariant> {
        let found = self.lock();
        let (pool, invariant) = found.invariant.as_ref()?;
        Some(imported(pool, invariant, into))
    }
}

/// The engine that was best before, at work.
pub struct Favoured(Findings);

impl Drop for Favoured {
    fn drop(&mut self) {
        self.0.lock().favoured_ended = true;
        self.0.0.changed.notify_all();
    }
}

impl ProgramCall<'_> {
    /// Waits until the analysis has ended, or for as long as that pays.
    pub fn await_findings(&self) {
        if self.alone {
            return;
        }
        let end = Instant::now() + PATIENCE;
        for _ in 0..PATIENT_LOOKS {
            if self.findings.is_settled() || self.allowance.interrupt.is_raised() {
                return;
            }
            if !self.in_turns {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return;
                }
                self.findings.wait(left.min(WATCH));
            }
        }
    }
}

impl<'a> ProgramCall<'a> {
    /// What an IC3 on the automaton is told, and tells.
    pub fn partner(&'a self) -> impl Partner + 'a {
        InTouch { call: self, begun: false, settled: false }
    }
}

/// An engine that hears what is known to hold, as it becomes known: at first what there is before the
/// engines, then, once, all.
struct InTouch<'a> {
    call: &'a ProgramCall<'a>,
    begun: bool,
    settled: bool,
}

impl Partner for InTouch<'_> {
    fn proved(&mut self) -> Option<Invariant> {
        if self.settled {
            return None;
        }
        let ProgramCall { findings, pool, .. } = self.call;
        let all = findings.take(pool);
        self.settled = all.is_some();
        let first = !std::mem::replace(&mut self.begun, true) && !self.settled;
        if first { findings.known(pool) } else { all }
    }

    fn begun(&mut self) -> Option<Unfinished> {
        self.call.findings.begun(self.call.pool)
    }

    fn left(&mut self, unfinished: Unfinished) {
        if self.call.settings.learn {
            self.call.findings.leave(self.call.pool, &unfinished);
        }
    }
}

/// An invariant in terms of another pool.
pub(crate) fn imported(from: &Pool, invariant: &Invariant, into: &Pool) -> Invariant {
    Imported { from: into, into: from }.invariant(invariant.clone()).unwrap_or_default()
}

/// The same in terms of another pool.
fn imported_unfinished(from: &Pool, unfinished: &Unfinished, into: &Pool) -> Unfinished {
    let mut done = FxHashMap::default();
    let mut term = |term: Term| traverse::import(from, term, into, &mut done);
    let mut of = |formulas: &Vec<(usize, Term)>| {
        formulas.iter().map(|(frame, formula)| (*frame, term(*formula))).collect()
    };
    Unfinished { at: unfinished.at.iter().map(|(at, formulas)| (at, of(formulas))).collect() }
}
