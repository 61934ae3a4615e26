//! The two loops of \[McM03\].
//!
//! For k = 1, 2, …: R is first the initial states. As long as no run leads from R within k steps to a
//! violation, the interpolant over-approximates the successors of R, and is added to R. If it adds
//! nothing, R is an invariant; it excludes violations, because an interpolant has no state that leads
//! to one within k − 1 steps. If there is a run and R is still the initial states, it is a violation;
//! if R is more than that, k was too small.
//!
//! McMillan's interpolants are the strongest that a refutation gives, and so get to a violation that is none
//! latest; the other systems can be asked for.

use crate::clauses;
use crate::reached::Reached;
use crate::split::{Asked, Failed, Split};
use aig::Edge;
use answer::{Allowance, Exhausted, Reason};
use circuit::verdict::{Proof, Verdict};
use circuit::{Trace, TransitionSystem, replay};
use sat::interpolant::System;

/// The most gates of the graph of formulas: beyond that it would no longer fit into memory.
const MAX_NODES: usize = 20_000_000;

/// What comes of a search.
pub enum Outcome {
    /// No trace violates the property: an invariant that excludes it.
    Safe(Reached),
    /// A trace that does.
    Unsafe(Trace),
    /// Undecided.
    Unknown(Reason),
}

/// Why a search ends without an answer.
impl From<Failed> for Reason {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Stopped(exhausted) => exhausted.into(),
            Failed::Unproved(why) => Reason::GaveUp(why),
        }
    }
}

/// Decides a bad property; `depth` hears of every k.
///
/// # Panics
/// If the system has no such property.
pub fn check(
    system: &TransitionSystem,
    property: usize,
    allowance: &Allowance,
    depth: &mut dyn FnMut(usize),
) -> Outcome {
    let mut search = Search { system, property, allowance };
    search.run(depth).unwrap_or_else(Outcome::Unknown)
}

/// As [`check`], with the invariant as clauses.
///
/// # Panics
/// If the system has no such property.
pub fn check_circuit(
    system: &TransitionSystem,
    property: usize,
    allowance: &Allowance,
    depth: &mut dyn FnMut(usize),
) -> Verdict {
    match check(system, property, allowance, depth) {
        Outcome::Unsafe(trace) => Verdict::Unsafe(trace),
        Outcome::Unknown(reason) => Verdict::Unknown(reason),
        Outcome::Safe(mut invariant) => {
            match clauses::of_invariant(system, property, &mut invariant, None, allowance) {
                Ok(Some(clauses)) => Verdict::Safe(Proof::Inductive(clauses)),
                Ok(None) => unreachable!("there is no limit to their number"),
                Err(exhausted) => Verdict::Unknown(exhausted.into()),
            }
        }
    }
}

struct Search<'a> {
    system: &'a TransitionSystem,
    property: usize,
    allowance: &'a Allowance,
}

impl Search<'_> {
    fn run(&mut self, depth: &mut dyn FnMut(usize)) -> Result<Outcome, Reason> {
        let mut reached = Reached::initial(self.system, self.allowance);
        let initial = reached.states;
        if let Some(trace) = self.begins_badly(&mut reached)? {
            return Ok(Outcome::Unsafe(trace));
        }
        for k in 1.. {
            depth(k);
            let mut split =
                Split::new(self.system, &reached.graph, self.property, k, self.allowance);
            reached.states = initial;
            loop {
                if let Some(exhausted) = self.allowance.exhausted() {
                    return Err(exhausted.into());
                }
                // SAT? R(s₀) ∧ T(s₀, s₁) ∧ … ∧ (bad(s₁) ∨ … ∨ bad(sₖ))
                match split.ask(&reached.graph, reached.states, System::McMillan)? {
                    Asked::Run(trace) if reached.states == initial => {
                        return Ok(Outcome::Unsafe(self.to_violation(trace)));
                    }
                    Asked::Run(_) => break,
                    Asked::Refuted(interpolant) => {
                        let next = reached.formula(&interpolant, |shared| split.latch(shared));
                        // SAT? I ∧ ¬R
                        if reached.implies(next, reached.states)? {
                            return Ok(Outcome::Safe(reached));
                        }
                        reached.states = reached.graph.or(reached.states, next);
                    }
                }
                if reached.graph.len() > MAX_NODES {
                    return Err(Exhausted::Memory.into());
                }
            }
        }
        unreachable!("a search for ever ends by its allowance")
    }

    /// A trace of one step that is a violation.
    fn begins_badly(&self, reached: &mut Reached) -> Result<Option<Trace>, Reason> {
        let Search { system, property, .. } = self;
        let mut edges: Vec<Edge> = system.constraints.iter().map(|c| c.edge).collect();
        edges.extend([reached.states, system.bads[*property].edge]);
        // SAT? I ∧ C ∧ bad
        if !reached.possible(&edges)? {
            return Ok(None);
        }
        let initial = system.latches.iter().map(|latch| reached.value(latch.state)).collect();
        let first = system.inputs.iter().map(|input| reached.value(input.edge)).collect();
        Ok(Some(Trace { initial, inputs: vec![first] }))
    }

    /// The trace up to its first violation.
    fn to_violation(&self, mut trace: Trace) -> Trace {
        let steps = std::mem::take(&mut trace.inputs);
        for step in steps {
            trace.inputs.push(step);
            if replay(self.system, &trace, self.property).is_ok() {
                break;
            }
        }
        trace
    }
}
