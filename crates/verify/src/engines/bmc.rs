//! Bounded model checking: finds violations, and proves programs all of whose runs end.

use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use analysis::houdini::{Effort, Houdini};
use answer::Unit;
use bounded::ProgramBmc;
use program::Verdict;
use program::verdict::Proof;
use std::time::{Duration, Instant};

/// What it may cost to ask whether values that runs had are an invariant; how many times as long as following
/// the runs it may take, which following them again in the check does too; and the least time for it.
const EFFORT: Effort = Effort { queries: 20_000, conflicts: 20_000 };
const RUNS: u32 = 3;
const LEAST: Duration = Duration::from_millis(100);

/// See the module's head.
pub struct Bmc;

impl Engine for Bmc {
    fn row(&self) -> &Row {
        &Row {
            name: "bmc",
            about: "Bounded model checking: finds violations, proves only programs whose runs end",
            programs: true,
            circuits: true,
            proves: false,
            refutes: true,
            unit: Unit::Steps,
            grows: true,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 2,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let begin = Instant::now();
        unroll(call, |bmc| match bmc.check(usize::MAX, &mut call.reached.clone()) {
            Verdict::Safe(proof @ Proof::Exhausted { .. }) => {
                let most = (RUNS * begin.elapsed()).max(LEAST);
                Verdict::Safe(evidence(call, bmc, most).unwrap_or(proof))
            }
            verdict => verdict,
        })
    }

    fn joins_clauses(&self) -> bool {
        true
    }

    fn circuit(&self, call: &mut CircuitCall<'_>) -> circuit::verdict::Verdict {
        let mut engine = bounded::Bmc::new(call.system, call.property);
        engine.set_allowance(call.allowance.clone());
        engine.check(usize::MAX - 1, &mut call.reached)
    }
}

/// After all runs were followed to their ends: an invariant that says the same. Unlike the runs it is checked
/// edge by edge, and later versions can begin with it.
fn evidence(call: &ProgramCall<'_>, bmc: &mut ProgramBmc<'_>, most: Duration) -> Option<Proof> {
    let ProgramCall { pool, cfa, allowance, settings, .. } = call;
    let allowance = allowance.within(most);
    let explicit = bmc.explicit(&allowance)?;
    let mut houdini = Houdini::new(pool, cfa, explicit.at, EFFORT, settings.solvers, &allowance);
    let invariant = houdini.prove().ok().flatten()?;
    let proves = houdini.excludes_error().unwrap_or(false);
    proves.then_some(Proof::Inductive(invariant))
}

/// What an unrolling says.
pub(super) fn unroll(
    call: &ProgramCall<'_>,
    ask: impl FnOnce(&mut ProgramBmc<'_>) -> Verdict,
) -> Verdict {
    match ProgramBmc::new(call.pool, call.cfa, call.settings.solvers) {
        None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
        Some(mut bmc) => {
            bmc.set_allowance(call.allowance.clone());
            ask(&mut bmc)
        }
    }
}
