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
    invariant: Mutex<Option<(Pool, Invariant)>>,
    changed: Condvar,
}

impl Findings {
    fn lock(&self) -> MutexGuard<'_, Option<(Pool, Invariant)>> {
        self.0.invariant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an inductive invariant over.
    pub fn publish(&self, pool: &Pool, invariant: &Invariant) {
        let copy = Pool::new();
        let invariant = imported(pool, invariant, &copy);
        *self.lock() = Some((copy, invariant));
        self.0.changed.notify_all();
    }

    /// Whether something was handed over.
    fn is_settled(&self) -> bool {
        self.lock().is_some()
    }

    /// Waits for something to be handed over, not longer than `most`.
    fn wait(&self, most: Duration) {
        let nothing = |found: &mut Option<_>| found.is_none();
        drop(self.0.changed.wait_timeout_while(self.lock(), most, nothing));
    }

    /// What was handed over, as terms of another pool.
    pub fn take(&self, into: &Pool) -> Option<Invariant> {
        self.lock().as_ref().map(|(pool, invariant)| imported(pool, invariant, into))
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

/// An invariant in terms of another pool.
fn imported(from: &Pool, invariant: &Invariant, into: &Pool) -> Invariant {
    Imported { from: into, into: from }.invariant(invariant.clone()).unwrap_or_default()
}
