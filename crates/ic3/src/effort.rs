//! Effort: how much work an engine has done, in a measure that depends on the input alone.
//!
//! An engine that shares a thread with another one must stop when its turn is
//! over. A clock would make every run different, so a turn is a number of *units*: what the
//! solvers propagated, and a flat amount for every question. One unit is in the order of 0.1 µs.
//!
//! The end of a turn is looked for between obligations and between lemmas, where nothing is half
//! done, so the next turn goes on as if there had been no pause.

use crate::engine::Ic3;
use sat::{Exhausted, Solver};

/// The units of a question besides what it propagates.
const QUESTION: u64 = 50;

impl<S: Solver + Default> Ic3<'_, S> {
    /// The units so far.
    pub fn work(&self) -> u64 {
        let solvers = self.solvers.iter().chain([&self.infinite, self.lifter.solver()]);
        let units = solvers.map(|solver| {
            let statistics = solver.statistics();
            statistics.propagations + QUESTION * statistics.queries
        });
        units.sum()
    }

    /// Lets [`Ic3::check`] end with [`Exhausted::Work`] after about so many units more; `None`
    /// lifts the bound.
    pub fn set_turn(&mut self, units: Option<u64>) {
        self.turn = units.map(|units| self.work().saturating_add(units));
    }

    /// An error when the turn is over.
    pub(crate) fn within_turn(&self) -> Result<(), Exhausted> {
        match self.turn {
            Some(turn) if self.work() >= turn => Err(Exhausted::Work),
            _ => Ok(()),
        }
    }
}
