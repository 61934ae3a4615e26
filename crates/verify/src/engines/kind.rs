//! k-induction; on programs, with the invariants of `analysis`, which the others are told.

use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use answer::{Reason, Unit};
use bounded::ProgramInduction;
use program::Verdict;
use program::verdict::{Invariant, Proof};

/// See the module's head.
pub struct KInduction;

impl Engine for KInduction {
    fn row(&self) -> &Row {
        &Row {
            name: "kind",
            about: "k-induction; on programs with invariants by analysis",
            programs: true,
            circuits: true,
            proves: true,
            refutes: true,
            unit: Unit::Steps,
            grows: true,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 10,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let (options, solvers) = (&settings.analysis, settings.solvers);
        let found = match analysis::analyze(pool, cfa, options, solvers, allowance) {
            Ok(found) => found,
            Err(error) => {
                call.findings.publish(pool, &Invariant::default());
                return Verdict::Unknown(Reason::GaveUp(error.to_string()));
            }
        };
        let count: usize = found.invariant.at.iter().map(|(_, formulas)| formulas.len()).sum();
        call.reached.tell([format!("analysis: {count} formulas")]);
        if found.safe {
            return Verdict::Safe(Proof::Inductive(found.invariant));
        }
        call.findings.publish(pool, &found.invariant);
        let invariant = call.findings.known(pool).unwrap_or_default();
        match ProgramInduction::new(pool, cfa, &invariant, solvers) {
            None => Verdict::Safe(Proof::Exhausted { depth: 0 }),
            Some(mut engine) => {
                engine.set_allowance(allowance.clone());
                engine.set_refutes(call.alone);
                engine.check(usize::MAX, &mut call.reached.clone())
            }
        }
    }

    fn circuit(&self, call: &mut CircuitCall<'_>) -> circuit::verdict::Verdict {
        let mut engine = bounded::KInduction::new(call.system, call.property, true);
        engine.set_allowance(call.allowance.clone());
        engine.check(usize::MAX - 1, &mut call.reached)
    }
}
