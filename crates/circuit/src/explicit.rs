//! An explicit-state model checker for very small systems: the reference for tests.
//!
//! Breadth-first search over the states, one bit per latch, with all inputs tried at every
//! state, 64 at a time. It shares nothing with the engines but the system and the simulator,
//! and finds shortest violations.

use crate::system::{Source, SystemError, TransitionSystem};
use crate::trace::Trace;
use aig::simulate::Words;

/// The most latches of a system that is searched.
pub const MAX_LATCHES: usize = 12;
/// The most inputs of a system that is searched.
pub const MAX_INPUTS: usize = 6;

/// What the search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The bad property is never true.
    Safe {
        /// How many states are reachable by valid steps.
        states: usize,
    },
    /// A shortest violation; its depth is the number of steps minus one.
    Unsafe(Trace),
}

impl Outcome {
    /// How many transitions a shortest violation takes.
    pub fn depth(&self) -> Option<usize> {
        match self {
            Outcome::Safe { .. } => None,
            Outcome::Unsafe(trace) => Some(trace.inputs.len() - 1),
        }
    }
}

/// Why the search was not begun.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExplicitError {
    /// The system is malformed.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The system is too large.
    #[error(
        "{latches} latches and {inputs} inputs; at most {MAX_LATCHES} and {MAX_INPUTS} are searched"
    )]
    TooLarge {
        /// Its latches.
        latches: usize,
        /// Its inputs.
        inputs: usize,
    },
}

/// One valid step out of a state.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The inputs, bit k for input k.
    pub inputs: usize,
    /// The state that follows, bit k for latch k.
    pub next: usize,
    /// The bad properties that are true, bit k for property k (the first 64).
    pub bads: u64,
}

/// The explicit graph of a small system.
pub struct Explicit<'a> {
    system: &'a TransitionSystem,
    sources: Vec<Source>,
}

impl<'a> Explicit<'a> {
    /// Requires a system of at most [`MAX_LATCHES`] latches and [`MAX_INPUTS`] inputs.
    pub fn new(system: &'a TransitionSystem) -> Result<Self, ExplicitError> {
        let (latches, inputs) = (system.latches.len(), system.inputs.len());
        if latches > MAX_LATCHES || inputs > MAX_INPUTS {
            return Err(ExplicitError::TooLarge { latches, inputs });
        }
        Ok(Explicit { system, sources: system.sources()? })
    }

    /// All states that the resets allow, bit k for latch k.
    pub fn initial_states(&self) -> Vec<usize> {
        let consistent = |state: &usize| {
            let mut latches = self.system.latches.iter().enumerate();
            latches.all(|(k, l)| l.init.value().is_none_or(|v| v == (state >> k & 1 == 1)))
        };
        (0..1 << self.system.latches.len()).filter(consistent).collect()
    }

    /// All steps out of a state under which the constraints hold.
    pub fn steps(&self, state: usize) -> Vec<Step> {
        // Pattern p assigns bit k of p to input k; six inputs fill the 64 patterns.
        let patterns = |k: usize| (0..64).filter(|p| p >> k & 1 == 1).fold(0, |w, p| w | 1 << p);
        let words = Words::simulate(&self.system.aig, |k| match self.sources[k] {
            Source::Input(i) => patterns(i),
            Source::Latch(l) => 0u64.wrapping_sub((state >> l & 1) as u64),
        });
        let valid = self.system.constraints.iter().fold(!0, |w, c| w & words.word(c.edge));
        let bit = |edge, pattern: usize| words.word(edge) >> pattern & 1;
        (0..1usize << self.system.inputs.len())
            .filter(|p| valid >> p & 1 == 1)
            .map(|p| {
                let latches = self.system.latches.iter().enumerate();
                let bads = self.system.bads.iter().take(64).enumerate();
                Step {
                    inputs: p,
                    next: latches.fold(0, |s, (k, l)| s | (bit(l.next, p) as usize) << k),
                    bads: bads.fold(0, |s, (k, b)| s | bit(b.edge, p) << k),
                }
            })
            .collect()
    }

    /// The states that are reachable by valid steps.
    pub fn reachable(&self) -> Vec<usize> {
        let mut seen = vec![false; 1 << self.system.latches.len()];
        let mut states = self.initial_states();
        for state in &states {
            seen[*state] = true;
        }
        let mut done = 0;
        while done < states.len() {
            for step in self.steps(states[done]) {
                if !std::mem::replace(&mut seen[step.next], true) {
                    states.push(step.next);
                }
            }
            done += 1;
        }
        states
    }

    /// A shortest violation of bad property number `bad` (below 64), or its absence.
    pub fn search(&self, bad: usize) -> Outcome {
        // How each state was first reached; initial states are their own parents.
        let mut parents: Vec<Option<(usize, usize)>> = vec![None; 1 << self.system.latches.len()];
        let mut queue = self.initial_states();
        for state in &queue {
            parents[*state] = Some((*state, 0));
        }
        let mut done = 0;
        while done < queue.len() {
            let state = queue[done];
            let steps = self.steps(state);
            if let Some(step) = steps.iter().find(|s| s.bads >> bad & 1 == 1) {
                return Outcome::Unsafe(self.trace(&parents, state, step.inputs));
            }
            for step in steps {
                if parents[step.next].is_none() {
                    parents[step.next] = Some((state, step.inputs));
                    queue.push(step.next);
                }
            }
            done += 1;
        }
        Outcome::Safe { states: queue.len() }
    }

    fn trace(&self, parents: &[Option<(usize, usize)>], last: usize, inputs: usize) -> Trace {
        let bits = |word: usize, count: usize| -> Vec<Option<bool>> {
            (0..count).map(|k| Some(word >> k & 1 == 1)).collect()
        };
        let mut state = last;
        let mut steps = vec![bits(inputs, self.system.inputs.len())];
        while let Some((parent, inputs)) = parents[state]
            && parent != state
        {
            steps.push(bits(inputs, self.system.inputs.len()));
            state = parent;
        }
        steps.reverse();
        Trace { initial: bits(state, self.system.latches.len()), inputs: steps }
    }
}

/// Searches for a shortest violation of one bad property.
///
/// # Panics
/// If the system has no such property among its first 64.
pub fn check(system: &TransitionSystem, bad: usize) -> Result<Outcome, ExplicitError> {
    assert!(bad < system.bads.len().min(64), "no bad property {bad} among the first 64");
    Ok(Explicit::new(system)?.search(bad))
}
