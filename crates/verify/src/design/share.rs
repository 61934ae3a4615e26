//! What is found for one goal of a circuit, tried on the others.
//!
//! A trace may violate several properties: it is replayed for each. An inductive invariant that was
//! accepted holds whatever it was found for; it answers every goal whose bad states it excludes, which
//! is one question to a solver for each. Both answers are checked like any other.

use super::Goals;
use crate::failure::Failure;
use crate::listener::Listener;
use aig::Encoder;
use answer::EngineName;
use circuit::invariant::conjunction;
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, TransitionSystem, replay};
use sat::cone::ConeSolver;
use sat::{Answer, Solver};

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
fn excluded(system: &TransitionSystem, clauses: &[Clause], open: &[usize]) -> Vec<usize> {
    let mut graph = system.aig.clone();
    let invariant = conjunction(&mut graph, clauses, |latch| system.latches[latch].state);
    let (mut solver, mut encoder) = (ConeSolver::new(), Encoder::new());
    let constraints = system.constraints.iter().map(|constraint| constraint.edge);
    for edge in constraints.chain([invariant]) {
        encoder.assert(&graph, &mut solver, edge);
    }
    solver.set_allowance(answer::Allowance::default().with_work(CONFLICTS));
    let mut excludes = |property: &usize| {
        let literal = encoder.lit(&graph, &mut solver, system.bads[*property].edge);
        // SAT? Inv ∧ C ∧ bad
        solver.solve(&[literal]) == Answer::Unsat
    };
    open.iter().copied().filter(|property| excludes(property)).collect()
}
