//! What goals of one circuit have in common.
//!
//! *Before*: where their parts of the circuit overlap, the circuit is swept once for all of them
//! ([`Common`]); each goal then takes its own part of what remains. *While they work*: the clauses of a
//! proof are handed to the engines of the other goals, which take over what is inductive in their part
//! ([`Known`]). *After an answer*: a trace may violate several properties: it is replayed for each. An
//! inductive invariant that was accepted holds whatever it was found for; it answers every goal whose
//! bad states it excludes, which is one question to a solver for each. Both answers are checked like
//! any other.

use super::Goals;
use crate::failure::Failure;
use crate::listener::Listener;
use aig::{Encoder, Node};
use answer::{Allowance, EngineName};
use circuit::invariant::conjunction;
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, Reduction, TransitionSystem, replay};
use ic3::check::{carry_back, reduce};
use ic3::options::Options;
use sat::cone::ConeSolver;
use sat::{Answer, Solver};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How much more all goals' parts of the circuit have together than their union, at least, for the
/// circuit to be swept once for all.
const OVERLAP: usize = 2;

/// The circuit that all goals work on.
pub(super) struct Common {
    /// From the circuit as it was read.
    reduction: Reduction,
    pub system: Arc<TransitionSystem>,
    pub swept: bool,
    pub known: Known,
}

impl Common {
    /// The circuit as it was read.
    pub fn unswept(system: &Arc<TransitionSystem>) -> Common {
        let reduction = Reduction::identity((**system).clone());
        Common { reduction, system: system.clone(), swept: false, known: Known::default() }
    }

    /// The circuit as small as all its properties together allow, if they depend on the same parts.
    pub fn of(system: &Arc<TransitionSystem>, options: &Options, allowance: &Allowance) -> Common {
        let all: Vec<usize> = (0..system.bads.len()).collect();
        let parts: usize = all.iter().map(|bad| cone_size(system, &[*bad])).sum();
        if parts < OVERLAP * cone_size(system, &all) {
            return Common::unswept(system);
        }
        let Ok(reduction) = reduce(system, all, options, allowance) else {
            return Common::unswept(system);
        };
        let system = Arc::new(reduction.system.clone());
        Common { reduction, system, swept: true, known: Known::default() }
    }

    /// A clause about the circuit as it was read, as one about this one.
    pub fn lower(&self, clause: &Clause) -> Option<Clause> {
        self.reduction.lower_clause(clause)
    }

    /// What searches of this circuit had come to, as clauses about the circuit as it was read.
    pub fn lift(&self, clauses: &[(usize, Clause)]) -> Vec<(usize, Clause)> {
        self.reduction.lift_unfinished(clauses)
    }

    /// A verdict about this circuit as one about the circuit as it was read.
    pub fn carry_back(&self, verdict: Verdict) -> Verdict {
        carry_back(&self.reduction, verdict)
    }
}

/// How many nodes of the graph some properties depend on, over all steps.
pub(super) fn cone_size(system: &TransitionSystem, properties: &[usize]) -> usize {
    let mut next = vec![None; system.aig.len()];
    for latch in &system.latches {
        next[latch.state.node()] = Some(latch.next);
    }
    let mut seen = vec![false; system.aig.len()];
    let constraints = system.constraints.iter().map(|constraint| constraint.edge);
    let bads = properties.iter().map(|property| system.bads[*property].edge);
    let mut open: Vec<usize> = constraints.chain(bads).map(|edge| edge.node()).collect();
    let mut size = 0;
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        size += 1;
        open.extend(next[node].map(|edge| edge.node()));
        if let Node::And(left, right) = system.aig.node(node) {
            open.extend([left.node(), right.node()]);
        }
    }
    size
}

/// The invariants found so far, for the engines of all goals; and what earlier runs had come to, and what
/// these leave.
#[derive(Clone, Default)]
pub(super) struct Known(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    invariants: Vec<Arc<Vec<Clause>>>,
    /// What may hold.
    begun: Arc<Vec<Clause>>,
    /// What searches had come to when they were stopped: clauses with their frames.
    left: Vec<(usize, Clause)>,
}

impl Known {
    /// Tells the others.
    pub fn add(&self, invariant: &[Clause]) {
        self.lock().invariants.push(Arc::new(invariant.to_vec()));
    }

    /// What was added after the first `read`.
    pub fn since(&self, read: usize) -> Vec<Arc<Vec<Clause>>> {
        self.lock().invariants.get(read..).unwrap_or_default().to_vec()
    }

    /// Lets engines begin with what may hold.
    pub fn begin_with(&self, clauses: Vec<Clause>) {
        self.lock().begun = Arc::new(clauses);
    }

    /// What may hold.
    pub fn begun(&self) -> Arc<Vec<Clause>> {
        self.lock().begun.clone()
    }

    /// Leaves what a search had come to.
    pub fn leave(&self, clauses: Vec<(usize, Clause)>) {
        self.lock().left.extend(clauses);
    }

    /// What searches had come to.
    pub fn left(&self) -> Vec<(usize, Clause)> {
        self.lock().left.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Whole invariants are added or none.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Conflicts for one question: if it takes more, the goal's own engines are the better way.
const CONFLICTS: u64 = 200;

/// Answers the open goals that a verdict about another one answers too.
pub(super) fn among(
    goals: &mut Goals<'_>,
    engine: &EngineName,
    verdict: &Verdict,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let open: Vec<usize> =
        (0..).zip(&goals.answers).filter(|(_, a)| a.is_none()).map(|(n, _)| n).collect();
    let system = goals.design.system.clone();
    let answered = match verdict {
        _ if open.is_empty() => return Ok(()),
        Verdict::Unsafe(trace) => {
            open.into_iter().filter(|property| replay(&system, trace, *property).is_ok()).collect()
        }
        Verdict::Safe(Proof::Inductive(clauses)) => excluded(&system, clauses, &open),
        _ => Vec::new(),
    };
    for property in answered {
        if goals.setup.budget.allowance.exhausted().is_some() {
            break;
        }
        goals.answer(property, engine, verdict, listener)?;
    }
    Ok(())
}

/// The properties whose bad states an invariant excludes, as far as that is easily seen.
pub(super) fn excluded(
    system: &TransitionSystem,
    clauses: &[Clause],
    open: &[usize],
) -> Vec<usize> {
    let mut graph = system.aig.clone();
    let invariant = conjunction(&mut graph, clauses, |latch| system.latches[latch].state);
    let (mut solver, mut encoder) = (ConeSolver::new(), Encoder::new());
    let constraints = system.constraints.iter().map(|constraint| constraint.edge);
    for edge in constraints.chain([invariant]) {
        encoder.assert(&graph, &mut solver, edge);
    }
    solver.set_allowance(Allowance::default().with_work(CONFLICTS));
    let mut excludes = |property: &usize| {
        let literal = encoder.lit(&graph, &mut solver, system.bads[*property].edge);
        // SAT? Inv ∧ C ∧ bad
        solver.solve(&[literal]) == Answer::Unsat
    };
    open.iter().copied().filter(|property| excludes(property)).collect()
}
