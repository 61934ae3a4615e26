//! Interpolation-based model checking: on circuits as they are, on programs by the circuit that `synth`
//! makes of them.

use super::ic3::{lifted_run, synthesized};
use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use answer::{Reason, Unit};
use circuit::Reduction;
use circuit::verdict::Verdict as CircuitVerdict;
use ic3::check::{carry_back, reduce};
use itp::{Outcome, clauses};
use passes::Back;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use synth::Circuit;

/// How many clauses an invariant of a program may have before it is better told as it was found.
const MOST_CLAUSES: usize = 300;
/// The most connectives of an invariant that is told as it was found.
const MOST_CONNECTIVES: usize = 200_000;

/// See the module's head.
pub struct Itp;

impl Engine for Itp {
    fn row(&self) -> &Row {
        &Row {
            name: "itp",
            about: "Interpolation-based model checking",
            programs: true,
            circuits: true,
            proves: true,
            refutes: true,
            unit: Unit::Steps,
            grows: true,
            takes_lemmas: false,
            joins: false,
            takes: Takes::Automaton,
            looks: 20,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        let ProgramCall { pool, cfa, allowance, settings, .. } = call;
        let made = match synthesized(pool, cfa) {
            Ok(made) => made,
            Err(verdict) => return *verdict,
        };
        let reduction = match reduce(&made.system, vec![0], &settings.ic3, allowance) {
            Ok(reduction) => reduction,
            Err(error) => {
                return Verdict::Unknown(Reason::Unsupported { what: error.to_string() });
            }
        };
        let mut depth = |k| call.reached.note(k);
        match itp::check(&reduction.system, 0, allowance, &mut depth) {
            Outcome::Unknown(reason) => Verdict::Unknown(reason),
            Outcome::Unsafe(trace) => lifted_run(call, &made, cfa, reduction.lift_trace(&trace)),
            Outcome::Safe(mut found) => {
                let few = Some(MOST_CLAUSES);
                match clauses::of_invariant(&reduction.system, 0, &mut found, few, allowance) {
                    Err(exhausted) => Verdict::Unknown(exhausted.into()),
                    Ok(Some(clauses)) => {
                        let clauses = reduction.lift_invariant(&clauses);
                        proved(made.back(cfa).invariant(clauses))
                    }
                    Ok(None) => proved(formula(&made, cfa, &reduction, &found)),
                }
            }
        }
    }

    fn circuit(&self, call: &mut CircuitCall<'_>) -> CircuitVerdict {
        let CircuitCall { system, property, allowance, settings, reached } = call;
        match reduce(system, vec![*property], &settings.ic3, allowance) {
            Err(error) => CircuitVerdict::Unknown(Reason::Unsupported { what: error.to_string() }),
            Ok(reduction) => {
                let mut depth = |k| reached.note(k);
                let verdict = itp::check_circuit(&reduction.system, 0, allowance, &mut depth);
                carry_back(&reduction, verdict)
            }
        }
    }
}

fn proved(invariant: Option<Invariant>) -> Verdict {
    match invariant {
        Some(invariant) => Verdict::Safe(Proof::Inductive(invariant)),
        None => Verdict::Unknown(Reason::GaveUp("the invariant found is too large".to_owned())),
    }
}

/// The invariant of the reduced circuit as it was found, with what the reduction used.
fn formula(
    made: &Circuit<'_>,
    cfa: &Cfa,
    reduction: &Reduction,
    found: &itp::Reached,
) -> Option<Invariant> {
    let latches = reduction.system.latches.iter().zip(&reduction.latch_origins);
    let origins: rustc_hash::FxHashMap<aig::Edge, usize> =
        latches.map(|(latch, origin)| (latch.state, *origin)).collect();
    let latch = |input| origins.get(&input).copied();
    let mut invariant = made.back(cfa).invariant(reduction.lift_invariant(&[]))?;
    let root = (&found.graph, found.states);
    invariant.add(&made.lift_formula(cfa, root, latch, MOST_CONNECTIVES)?);
    Some(invariant)
}
