//! From a system and a property to a verdict about that very system.
//!
//! The system is reduced, the engine runs on what remains, and its evidence is carried back: a
//! trace gets the inputs that were dropped, and an invariant the facts that the reduction used.
//! So the evidence can be checked against the original alone.
//!
//! The reduction has a share of the time. Where that suffices, equal options make equal runs;
//! where it does not, what the engine gets depends on the machine, but never the verdict.

use crate::engine::{Ic3, StandardSolver};
use crate::options::{Options, Preprocessing};
use circuit::verdict::{Proof, Verdict};
use circuit::{Reduction, SystemError, Targets, TransitionSystem, cone, sweep};
use lemmas::{Observer, Phase};
use sat::Allowance;
use std::time::Duration;

/// The share of the remaining time that the reduction may take.
const REDUCTION_SHARE: f64 = 0.1;
/// The reduction's time where there is no deadline.
const REDUCTION_TIME: Duration = Duration::from_secs(60);

/// Why a check was not begun.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckError {
    /// The system is malformed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// No such property.
    #[error("the system has {count} bad properties; there is no number {property}")]
    NoSuchProperty {
        /// The property asked for.
        property: usize,
        /// How many there are.
        count: usize,
    },
}

/// Decides one bad property, given by its index.
///
/// Ensures: the evidence is about `system` itself.
pub fn check_system(
    system: &TransitionSystem,
    property: usize,
    options: &Options,
    allowance: &Allowance,
    observer: &mut dyn Observer,
) -> Result<Verdict, CheckError> {
    observer.enter(Phase::Reduce);
    let reduction = reduce(system, vec![property], options, allowance)?;
    let mut engine = Ic3::<StandardSolver>::new(&reduction.system, 0, *options, observer);
    engine.set_allowance(allowance.clone());
    Ok(carry_back(&reduction, engine.check()))
}

/// The part of the system that some properties depend on, as small as the options ask for.
///
/// Ensures: the properties of the result are these, in this order.
pub fn reduce(
    system: &TransitionSystem,
    properties: Vec<usize>,
    options: &Options,
    allowance: &Allowance,
) -> Result<Reduction, CheckError> {
    system.check()?;
    let count = system.bads.len();
    if let Some(&property) = properties.iter().find(|property| **property >= count) {
        return Err(CheckError::NoSuchProperty { property, count });
    }
    let targets = Targets::of_bads(system, properties);
    let reduction = match options.preprocessing {
        Preprocessing::Cone => cone::reduce(system, &targets)?,
        Preprocessing::Sweep => {
            let share = allowance.left().map(|left| left.mul_f64(REDUCTION_SHARE));
            let bounds = sweep::Options {
                seed: options.seed,
                allowance: allowance.within(share.unwrap_or(REDUCTION_TIME)),
                ..sweep::Options::default()
            };
            sweep::reduce(system, &targets, &bounds, StandardSolver::new)?
        }
    };
    Ok(reduction)
}

/// A verdict about the reduced system as one about the original.
///
/// Requires: the proof, if there is one, is inductive.
pub fn carry_back(reduction: &Reduction, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Safe(Proof::Inductive(invariant)) => {
            Verdict::Safe(Proof::Inductive(reduction.lift_invariant(&invariant)))
        }
        Verdict::Unsafe(trace) => Verdict::Unsafe(reduction.lift_trace(&trace)),
        other => other,
    }
}
