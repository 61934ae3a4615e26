//! The watch on a running search: who may stop it, and which of them did.
//!
//! CaDiCaL asks a callback every few decisions and inside its inprocessing loops whether it
//! should stop. The callback looks at the flag and at the clock, and leaves a note of what it
//! saw, since CaDiCaL itself only says that it gave up.

use answer::{Allowance, Exhausted};
use cadical_sys::{CaDiCal, Terminator};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What stopped the search, as [`Note`] stores it.
const NOTHING: u8 = 0;
const FLAG: u8 = 1;
const CLOCK: u8 = 2;

/// What the callback saw last, shared between the callback and the solver that owns it.
#[derive(Clone, Default, Debug)]
struct Note(Arc<AtomicU8>);

/// The callback that CaDiCaL polls.
struct Guard {
    allowance: Allowance,
    note: Note,
}

fn look(allowance: &Allowance) -> u8 {
    match allowance.exhausted() {
        None => NOTHING,
        Some(Exhausted::Time) => CLOCK,
        Some(_) => FLAG,
    }
}

impl Terminator for Guard {
    fn terminated(&mut self) -> bool {
        let seen = look(&self.allowance);
        self.note.0.store(seen, Ordering::Relaxed);
        seen != NOTHING
    }
}

/// The solver's side of the watch.
#[derive(Default, Debug)]
pub(super) struct Watch {
    allowance: Allowance,
    note: Note,
}

impl Watch {
    /// From now on this ends the searches.
    pub(super) fn set(&mut self, allowance: Allowance, solver: &mut CaDiCal) {
        self.allowance = allowance.clone();
        solver.connect_terminator(Guard { allowance, note: self.note.clone() });
    }

    /// Looks before a search begins, and clears the note of the search before.
    pub(super) fn before_search(&self) -> Option<Exhausted> {
        self.note.0.store(look(&self.allowance), Ordering::Relaxed);
        self.after_search()
    }

    /// What stopped the search, if it was the flag or the clock.
    pub(super) fn after_search(&self) -> Option<Exhausted> {
        match self.note.0.load(Ordering::Relaxed) {
            NOTHING => None,
            FLAG => Some(Exhausted::Interrupted),
            _ => Some(Exhausted::Time),
        }
    }
}
