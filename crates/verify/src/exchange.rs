//! What engines on one program tell each other: invariants that one has proved.
//!
//! The analysis before k-induction publishes what it finds; IC3 and IC3CFA wait for it for a moment,
//! because mostly it ends soon, and what it finds (a proof, or lemmas of IC3CFA) is worth more than an
//! early start. Engines on a circuit share lemmas by `ic3::exchange`.

use crate::engines::ProgramCall;
use passes::Back;
use program::Imported;
use program::verdict::Invariant;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use term::Pool;

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
        self.lock().add(pool, invariant);
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

impl ProgramCall<'_> {
    /// What is known to hold, as it becomes known: at first what there is before the engines, then, once,
    /// all.
    pub fn findings_to_come(&self) -> impl FnMut() -> Option<Invariant> {
        let (mut begun, mut settled) = (false, false);
        move || {
            if settled {
                return None;
            }
            let all = self.findings.take(self.pool);
            settled = all.is_some();
            let first = !std::mem::replace(&mut begun, true) && !settled;
            if first { self.findings.known(self.pool) } else { all }
        }
    }
}

/// An invariant in terms of another pool.
fn imported(from: &Pool, invariant: &Invariant, into: &Pool) -> Invariant {
    Imported { from: into, into: from }.invariant(invariant.clone()).unwrap_or_default()
}
