//! Sweeping: equal parts of a circuit, guessed by simulation and proved by SAT, become one.
//!
//! * [`combinational`]: gates that are equal for all inputs and latches (SAT sweeping, as in
//!   Kuehlmann, Paruthi, Krohm, Ganai: *Robust Boolean reasoning for equivalence checking and
//!   functional property verification*, TCAD 2002; "fraiging" in Mishchenko et al. 2005).
//! * [`sequential`]: latches that are constant or equal in all reachable states, by induction
//!   over a partition that is refined to a fixed point (van Eijk: *Sequential equivalence
//!   checking based on structural similarities*, TCAD 2000).
//! * [`reduce`]: both, with the cone of influence and ternary simulation, until nothing shrinks.
//!
//! Everything is bounded by [`Options`]; a bound that is reached costs strength, never
//! soundness.

pub mod combinational;
mod partition;
pub mod sequential;

use crate::reduction::{Reduction, Targets};
use crate::system::{SystemError, TransitionSystem};
use crate::{cone, ternary};
use answer::Allowance;
use sat::Solver;

/// The bounds of a sweep.
#[derive(Clone, Debug)]
pub struct Options {
    /// Conflicts per question.
    pub conflicts: u64,
    /// Conflicts of all questions of one sweep together.
    pub budget: u64,
    /// Rounds of the induction of [`sequential`]; it finds nothing if they do not suffice.
    pub rounds: usize,
    /// How often [`reduce`] repeats its sweeps.
    pub passes: usize,
    /// Steps of random simulation that look for candidates, 64 runs at a time.
    pub steps: usize,
    /// Columns of 64 random patterns that [`combinational`] begins with; at least one.
    pub columns: usize,
    /// The seed of the simulation.
    pub seed: u64,
    /// When to stop. Its work says nothing here: that is bounded above.
    pub allowance: Allowance,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            conflicts: 200,
            budget: 200_000,
            rounds: 1_000,
            passes: 3,
            steps: 256,
            columns: 8,
            seed: 0,
            allowance: Allowance::default(),
        }
    }
}

impl Options {
    /// Whether time is over or somebody wants the sweep to stop.
    fn stopped(&self) -> bool {
        self.allowance.exhausted().is_some()
    }

    /// Makes a solver stop when the sweep does.
    fn attend<S: Solver>(&self, mut solver: S) -> S {
        solver.set_allowance(self.allowance.clone());
        solver
    }

    /// Bounds a solver's next questions; `spent` conflicts of the budget are gone.
    fn bound<S: Solver>(&self, solver: &mut S, spent: u64) {
        let conflicts = self.conflicts.min(self.budget.saturating_sub(spent));
        solver.set_work(Some(conflicts));
    }
}

/// Cone of influence, ternary constants, corresponding latches, equal gates; repeated while
/// something shrinks.
///
/// # Panics
/// If a target's index is out of range.
pub fn reduce<S: Solver>(
    system: &TransitionSystem,
    targets: &Targets,
    options: &Options,
    mut new_solver: impl FnMut() -> S,
) -> Result<Reduction, SystemError> {
    let mut reduction = cone::reduce(system, targets)?;
    let size = |r: &Reduction| (r.system.latches.len(), r.system.and_count());
    for _ in 0..options.passes {
        let before = size(&reduction);
        let constants = ternary::reduce(&reduction.system)?;
        reduction = reduction.then(constants);
        let latches = sequential::reduce(&reduction.system, options, &mut new_solver)?;
        reduction = reduction.then(latches);
        let gates = combinational::reduce(&reduction.system, options, &mut new_solver)?;
        reduction = reduction.then(gates);
        if size(&reduction) == before || options.stopped() {
            break;
        }
    }
    Ok(reduction)
}
