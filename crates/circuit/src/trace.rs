//! Traces of bit-level systems: runs into a violation, and their replay.
//!
//! A trace gives the latches at the first step and the inputs at every step; everything else
//! follows. A value may be left open ("don't care"). [`replay`] grounds what is open as the
//! competition's simulator does: an initialized latch starts with its reset, anything else with
//! false.

use crate::system::{Signal, Source, SystemError, TransitionSystem};
use aig::Edge;
use aig::simulate::Words;

/// A run, from the first step to the violation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The latches at the first step; `None` where it does not matter.
    pub initial: Vec<Option<bool>>,
    /// The inputs of every step, in order; `None` where it does not matter. A run has at least
    /// one step.
    pub inputs: Vec<Vec<Option<bool>>>,
}

/// Why a trace is no violation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The system itself is malformed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// No such property.
    #[error("the system has {count} bad properties; there is no number {bad}")]
    NoSuchBad {
        /// The property asked for.
        bad: usize,
        /// How many there are.
        count: usize,
    },
    /// A trace without a step.
    #[error("the trace has no step")]
    Empty,
    /// The wrong number of values.
    #[error("{what}: {found} values where the system has {expected}")]
    Length {
        /// What the values are for.
        what: String,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A latch that does not start with its reset.
    #[error("latch {latch} starts with {value}, its reset is the opposite")]
    Reset {
        /// The latch.
        latch: usize,
        /// Its value in the trace.
        value: bool,
    },
    /// A constraint that does not hold.
    #[error("constraint {constraint} does not hold at step {step}")]
    Constraint {
        /// The constraint.
        constraint: usize,
        /// The step, from 0.
        step: usize,
    },
    /// A property that holds to the end.
    #[error("bad property {bad} is false at the last step ({step})")]
    NotBad {
        /// The property.
        bad: usize,
        /// The last step, from 0.
        step: usize,
    },
}

/// What everything is in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The inputs.
    pub inputs: Vec<bool>,
    /// The latches.
    pub latches: Vec<bool>,
    /// The bad properties.
    pub bads: Vec<bool>,
    /// The constraints.
    pub constraints: Vec<bool>,
    /// The outputs.
    pub outputs: Vec<bool>,
}

/// Runs the trace on the system.
///
/// Ensures: on success the initial latches satisfy the resets, all constraints hold at all
/// steps, and bad property number `bad` is true at the last step.
pub fn replay(system: &TransitionSystem, trace: &Trace, bad: usize) -> Result<(), ReplayError> {
    let property =
        system.bads.get(bad).ok_or(ReplayError::NoSuchBad { bad, count: system.bads.len() })?;
    let last = trace.inputs.len().checked_sub(1).ok_or(ReplayError::Empty)?;
    walk(system, trace, |step, _, holds| {
        if let Some(constraint) = system.constraints.iter().position(|c| !holds(c.edge)) {
            return Err(ReplayError::Constraint { constraint, step });
        }
        match step == last && !holds(property.edge) {
            true => Err(ReplayError::NotBad { bad, step }),
            false => Ok(()),
        }
    })
}

/// What everything is in each step of a trace, whether constraints hold or not.
pub fn simulate(system: &TransitionSystem, trace: &Trace) -> Result<Vec<Moment>, ReplayError> {
    let mut moments = Vec::new();
    walk(system, trace, |step, latches, holds| {
        let of = |signals: &[Signal]| signals.iter().map(|signal| holds(signal.edge)).collect();
        moments.push(Moment {
            inputs: trace.inputs[step].iter().map(|input| input.unwrap_or(false)).collect(),
            latches: latches.to_vec(),
            bads: of(&system.bads),
            constraints: of(&system.constraints),
            outputs: of(&system.outputs),
        });
        Ok(())
    })?;
    Ok(moments)
}

/// Goes along a trace; in each step, somebody sees the latches and the value of any edge.
fn walk(
    system: &TransitionSystem,
    trace: &Trace,
    mut visit: impl FnMut(usize, &[bool], &dyn Fn(Edge) -> bool) -> Result<(), ReplayError>,
) -> Result<(), ReplayError> {
    let sources = system.sources()?;
    let mut state = initial_state(system, trace)?;
    for (step, inputs) in trace.inputs.iter().enumerate() {
        if inputs.len() != system.inputs.len() {
            let (found, expected) = (inputs.len(), system.inputs.len());
            return Err(ReplayError::Length {
                what: format!("inputs of step {step}"),
                found,
                expected,
            });
        }
        let words = Words::simulate(&system.aig, |k| match sources[k] {
            Source::Input(i) => u64::from(inputs[i].unwrap_or(false)),
            Source::Latch(l) => u64::from(state[l]),
        });
        let holds = |edge| words.word(edge) & 1 == 1;
        visit(step, &state, &holds)?;
        state = system.latches.iter().map(|l| holds(l.next)).collect();
    }
    Ok(())
}

fn initial_state(system: &TransitionSystem, trace: &Trace) -> Result<Vec<bool>, ReplayError> {
    if trace.initial.len() != system.latches.len() {
        let (found, expected) = (trace.initial.len(), system.latches.len());
        return Err(ReplayError::Length { what: "initial latches".to_owned(), found, expected });
    }
    let latches = system.latches.iter().zip(&trace.initial).enumerate();
    latches
        .map(|(k, (latch, given))| match (latch.init.value(), *given) {
            (Some(reset), Some(value)) if reset != value => {
                Err(ReplayError::Reset { latch: k, value })
            }
            (reset, given) => Ok(given.or(reset).unwrap_or(false)),
        })
        .collect()
}
