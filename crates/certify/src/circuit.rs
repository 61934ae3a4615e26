//! Verdicts about circuits.

use crate::unroll::Step;
use aig::{Aig, Edge, Encoder};
use answer::{Allowance, Exhausted};
use circuit::invariant::{Clause, conjunction, unknown_latch};
use circuit::verdict::{Proof, Verdict};
use circuit::{ReplayError, TransitionSystem, replay};
use sat::cadical::{Cadical, Preset};
use sat::cone::ConeSolver;
use sat::{Answer, Solver};
use thiserror::Error;

/// Why a verdict is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rejection {
    /// There is nothing to check: the engine gave up.
    #[error("there is no verdict to check")]
    NoVerdict,
    /// The system has no such property.
    #[error("the system has no bad property number {0}")]
    NoSuchBad(usize),
    /// A clause names a latch that the system does not have.
    #[error("the invariant names latch {0}, which the system does not have")]
    NoSuchLatch(usize),
    /// I ⇏ Inv
    #[error("initiation fails: clause {0} of the invariant does not hold in every initial state")]
    Initiation(usize),
    /// Inv ∧ C ∧ T ⇏ Inv'
    #[error("consecution fails: a step leads from the invariant to a state outside of clause {0}")]
    Consecution(usize),
    /// Inv ∧ C ⇏ ¬bad
    #[error("safety fails: a state of the invariant is bad")]
    Safety,
    /// The base case of k-induction has a violation.
    #[error("the base case fails: there is a violation at step {0}")]
    Base(usize),
    /// k good steps may be followed by a bad one.
    #[error("the step case fails: {0} good steps can be followed by a bad one")]
    Induction(usize),
    /// The trace does not lead to the violation.
    #[error("the trace does not replay: {0}")]
    Replay(#[from] ReplayError),
    /// The check itself was stopped.
    #[error("the check was stopped: {0:?}")]
    Stopped(Exhausted),
}

/// Checks a verdict about bad property number `bad` of the original system.
///
/// The allowance bounds the check itself; a stopped check accepts nothing.
pub fn check_circuit(
    system: &TransitionSystem,
    bad: usize,
    verdict: &Verdict,
    allowance: &Allowance,
) -> Result<(), Rejection> {
    if bad >= system.bads.len() {
        return Err(Rejection::NoSuchBad(bad));
    }
    match verdict {
        Verdict::Unknown(_) => Err(Rejection::NoVerdict),
        Verdict::Unsafe(trace) => {
            replay(system, trace, bad)?;
            Ok(())
        }
        // IC3 asks our own CDCL, so its invariants are checked by CaDiCaL; k-induction asks
        // CaDiCaL, so its claims are checked by our own CDCL.
        Verdict::Safe(Proof::Inductive(clauses)) => {
            let mut asker = Asker::new(Cadical::new(Preset::Standard), allowance);
            check_inductive(&mut asker, system, bad, clauses)
        }
        Verdict::Safe(Proof::KInductive { k, distinct }) => {
            let mut asker = Asker::new(ConeSolver::new(), allowance);
            check_base(&mut asker, system, bad, *k)?;
            let mut asker = Asker::new(ConeSolver::new(), allowance);
            check_step(&mut asker, system, bad, *k, *distinct)
        }
    }
}

/// A graph with its clauses in a solver.
pub(crate) struct Asker<S> {
    pub(crate) graph: Aig,
    encoder: Encoder,
    solver: S,
}

impl<S: Solver> Asker<S> {
    pub(crate) fn new(mut solver: S, allowance: &Allowance) -> Self {
        solver.set_allowance(allowance.clone());
        Asker { graph: Aig::new(), encoder: Encoder::new(), solver }
    }

    pub(crate) fn assert(&mut self, edge: Edge) {
        self.encoder.assert(&self.graph, &mut self.solver, edge);
    }

    /// Whether the asserted edges together with this one are satisfiable.
    pub(crate) fn possible(&mut self, edge: Edge) -> Result<bool, Rejection> {
        let lit = self.encoder.lit(&self.graph, &mut self.solver, edge);
        match self.solver.solve(&[lit]) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(stop) => Err(Rejection::Stopped(stop)),
        }
    }

    pub(crate) fn free_state(&mut self, system: &TransitionSystem) -> Vec<Edge> {
        system.latches.iter().map(|_| self.graph.input()).collect()
    }
}

fn check_inductive<S: Solver>(
    asker: &mut Asker<S>,
    system: &TransitionSystem,
    bad: usize,
    clauses: &[Clause],
) -> Result<(), Rejection> {
    if let Some(latch) = unknown_latch(system, clauses) {
        return Err(Rejection::NoSuchLatch(latch));
    }
    if let Some(clause) = clauses.iter().position(|c| !holds_initially(system, c)) {
        return Err(Rejection::Initiation(clause));
    }
    let state = asker.free_state(system);
    let step = Step::new(&mut asker.graph, system, state);
    let invariant = conjunction(&mut asker.graph, clauses, |latch| step.state[latch]);
    let constraints = step.constraints(&mut asker.graph, system);
    asker.assert(invariant);
    asker.assert(constraints);
    // SAT? Inv ∧ C ∧ bad
    if asker.possible(step.edge(system.bads[bad].edge))? {
        return Err(Rejection::Safety);
    }
    let next = step.next(system);
    let after = conjunction(&mut asker.graph, clauses, |latch| next[latch]);
    // SAT? Inv ∧ C ∧ T ∧ ¬Inv'
    if asker.possible(!after)? {
        return Err(Rejection::Consecution(left_clause(asker, clauses, &next)?));
    }
    Ok(())
}

/// The first clause that a step from the invariant can leave. All are asked about at once before,
/// since one question costs CaDiCaL about as much as one of thousands; who gets here has failed.
///
/// Requires: some step leaves the invariant.
fn left_clause<S: Solver>(
    asker: &mut Asker<S>,
    clauses: &[Clause],
    next: &[Edge],
) -> Result<usize, Rejection> {
    for (index, clause) in clauses.iter().enumerate() {
        let after = conjunction(&mut asker.graph, std::slice::from_ref(clause), |l| next[l]);
        // SAT? Inv ∧ C ∧ T ∧ ¬clause'
        if asker.possible(!after)? {
            return Ok(index);
        }
    }
    unreachable!("a step that leaves the conjunction leaves one of the clauses")
}

/// I ⇒ clause. Resets are independent, so a clause holds in every initial state exactly if a
/// reset satisfies it or it has both literals of a latch.
fn holds_initially(system: &TransitionSystem, clause: &Clause) -> bool {
    clause.iter().any(|literal| {
        system.latches[literal.latch].init.value() == Some(literal.value)
            || clause.contains(&!*literal)
    })
}

/// No violation within the first k steps.
fn check_base<S: Solver>(
    asker: &mut Asker<S>,
    system: &TransitionSystem,
    bad: usize,
    k: usize,
) -> Result<(), Rejection> {
    let resets = system.latches.iter().map(|latch| latch.init.value());
    let mut state: Vec<Edge> =
        resets.map(|value| value.map_or_else(|| asker.graph.input(), Edge::constant)).collect();
    for depth in 0..k {
        let step = Step::new(&mut asker.graph, system, state);
        let constraints = step.constraints(&mut asker.graph, system);
        asker.assert(constraints);
        // SAT? I ∧ T⁰ ∧ … ∧ C⁰ ∧ … ∧ bad at this depth
        if asker.possible(step.edge(system.bads[bad].edge))? {
            return Err(Rejection::Base(depth));
        }
        state = step.next(system);
    }
    Ok(())
}

/// No violation after k steps without one.
fn check_step<S: Solver>(
    asker: &mut Asker<S>,
    system: &TransitionSystem,
    bad: usize,
    k: usize,
    distinct: bool,
) -> Result<(), Rejection> {
    let mut states: Vec<Vec<Edge>> = vec![asker.free_state(system)];
    for depth in 0..=k {
        let step = Step::new(&mut asker.graph, system, states[depth].clone());
        let constraints = step.constraints(&mut asker.graph, system);
        asker.assert(constraints);
        let violated = step.edge(system.bads[bad].edge);
        if depth == k {
            // SAT? T ∧ … ∧ ¬bad⁰ ∧ … ∧ ¬badᵏ⁻¹ ∧ badᵏ
            if asker.possible(violated)? {
                return Err(Rejection::Induction(k));
            }
        } else {
            asker.assert(!violated);
            let next = step.next(system);
            if distinct {
                for earlier in &states {
                    let pairs = earlier.iter().zip(&next);
                    let differ: Vec<Edge> = pairs.map(|(a, b)| asker.graph.xor(*a, *b)).collect();
                    let different = asker.graph.or_all(differ);
                    asker.assert(different);
                }
            }
            states.push(next);
        }
    }
    Ok(())
}
