//! Bounded model checking: finds violations, and proves programs all of whose runs end.

use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use answer::Unit;
use bounded::ProgramBmc;
use program::Verdict;
use program::verdict::Proof;

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
        unroll(call, |bmc| bmc.check(usize::MAX, &mut call.reached.clone()))
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
