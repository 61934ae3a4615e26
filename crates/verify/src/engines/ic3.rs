//! Bit-level IC3: on circuits as they are, on programs by the circuit that `synth` makes of them.

use super::bmc::unroll;
use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::{Reason, Unit};
use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
use passes::Back;
use program::Verdict;
use program::cfa::EdgeId;
use program::verdict::Proof;
use synth::Circuit;

/// The most gates that a program may become.
const MAX_GATES: usize = 4_000_000;

/// See the module's head.
pub struct Ic3;

impl Engine for Ic3 {
    fn row(&self) -> &Row {
        &Row {
            name: "ic3",
            about: "Bit-level IC3 alone",
            programs: true,
            circuits: true,
            proves: true,
            refutes: true,
            unit: Unit::Frames,
            grows: false,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 200,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        call.await_findings();
        let ProgramCall { pool, cfa, allowance, .. } = call;
        let circuit = match Circuit::new(pool, cfa, MAX_GATES) {
            Ok(circuit) => circuit,
            Err(synth::SynthError::Trivial) => {
                return Verdict::Safe(Proof::Exhausted { depth: 0 });
            }
            Err(error) => {
                return Verdict::Unknown(Reason::Unsupported { what: error.to_string() });
            }
        };
        let options = &call.settings.ic3;
        let mut reached = call.reached.clone();
        let verdict = ic3::check_system(&circuit.system, 0, options, allowance, &mut reached);
        match verdict {
            Ok(CircuitVerdict::Safe(CircuitProof::Inductive(clauses))) => {
                match circuit.back(cfa).invariant(clauses) {
                    Some(invariant) => Verdict::Safe(Proof::Inductive(invariant)),
                    None => Verdict::Unknown(Reason::NoRun),
                }
            }
            Ok(CircuitVerdict::Unsafe(trace)) => match circuit.back(cfa).run(trace) {
                // Perhaps the program has a run along the same edges.
                Some(run) if circuit.has_more_runs() => {
                    let path: Vec<EdgeId> = run.steps.iter().map(|step| step.edge).collect();
                    unroll(call, |bmc| bmc.along(&path))
                }
                Some(run) => Verdict::Unsafe(run),
                None => Verdict::Unknown(Reason::NoRun),
            },
            Ok(CircuitVerdict::Unknown(reason)) => Verdict::Unknown(reason),
            Ok(CircuitVerdict::Safe(CircuitProof::KInductive { k, .. })) => {
                let what = format!("the circuit is {k}-inductive, which is no invariant");
                Verdict::Unknown(Reason::Unsupported { what })
            }
            Err(error) => Verdict::Unknown(Reason::Unsupported { what: error.to_string() }),
        }
    }

    fn circuit(&self, call: &mut CircuitCall<'_>) -> CircuitVerdict {
        let CircuitCall { system, property, allowance, settings, reached } = call;
        let mut figures = SearchFigures::new(reached.clone());
        let verdict = ic3::check_system(system, *property, &settings.ic3, allowance, &mut figures);
        figures.finish();
        verdict.unwrap_or_else(|error| {
            CircuitVerdict::Unknown(Reason::Unsupported { what: error.to_string() })
        })
    }
}
