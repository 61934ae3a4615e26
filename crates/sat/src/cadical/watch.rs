//! The watch on a running search: who may stop it, and which of them did.
//!
//! CaDiCaL asks a callback every few decisions and inside its inprocessing loops whether it
//! should stop. The callback looks at the flag and at the clock, and leaves a note of what it
//! saw, since CaDiCaL itself only says that it gave up.

use crate::solver::{Interrupt, Stop};
use cadical_sys::{CaDiCal, Terminator};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

/// What stopped the search, as [`Note`] stores it.
const NOTHING: u8 = 0;
const FLAG: u8 = 1;
const CLOCK: u8 = 2;

/// What the callback saw last, shared between the callback and the solver that owns it.
#[derive(Clone, Default, Debug)]
struct Note(Arc<AtomicU8>);

/// The callback that CaDiCaL polls.
struct Guard {
    interrupt: Option<Interrupt>,
    deadline: Option<Instant>,
    note: Note,
}

impl Guard {
    fn look(&self) -> u8 {
        if self.interrupt.as_ref().is_some_and(Interrupt::is_raised) {
            FLAG
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            CLOCK
        } else {
            NOTHING
        }
    }
}

impl Terminator for Guard {
    fn terminated(&mut self) -> bool {
        let seen = self.look();
        self.note.0.store(seen, Ordering::Relaxed);
        seen != NOTHING
    }
}

/// The solver's side of the watch.
#[derive(Default, Debug)]
pub(super) struct Watch {
    interrupt: Option<Interrupt>,
    deadline: Option<Instant>,
    note: Note,
}

impl Watch {
    pub(super) fn set_interrupt(&mut self, interrupt: Interrupt, solver: &mut CaDiCal) {
        self.interrupt = Some(interrupt);
        self.connect(solver);
    }

    pub(super) fn set_deadline(&mut self, deadline: Option<Instant>, solver: &mut CaDiCal) {
        if self.deadline != deadline {
            self.deadline = deadline;
            self.connect(solver);
        }
    }

    fn guard(&self) -> Guard {
        Guard {
            interrupt: self.interrupt.clone(),
            deadline: self.deadline,
            note: self.note.clone(),
        }
    }

    fn connect(&self, solver: &mut CaDiCal) {
        if self.interrupt.is_none() && self.deadline.is_none() {
            solver.disconnect_terminator();
        } else {
            solver.connect_terminator(self.guard());
        }
    }

    /// Looks before a search begins, and clears the note of the search before.
    pub(super) fn before_search(&self) -> Option<Stop> {
        self.note.0.store(self.guard().look(), Ordering::Relaxed);
        self.after_search()
    }

    /// What stopped the search, if it was the flag or the clock.
    pub(super) fn after_search(&self) -> Option<Stop> {
        match self.note.0.load(Ordering::Relaxed) {
            NOTHING => None,
            FLAG => Some(Stop::Interrupted),
            _ => Some(Stop::Time),
        }
    }
}
