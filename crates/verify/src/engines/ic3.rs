//! Bit-level IC3: on circuits as they are, on programs by the circuit that `synth` makes of them.

use super::bmc::unroll;
use super::{CircuitCall, Engine, ProgramCall, Row, Takes};
use crate::figures::SearchFigures;
use answer::{Reason, Unit};
use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
use circuit::{Clause, Trace};
use ic3::check::{CheckError, carry_back, reduce};
use ic3::{Ic3 as Search, StandardSolver};
use passes::Back;
use program::Cfa;
use program::Verdict;
use program::cfa::{EdgeId, LocationId};
use program::verdict::{EVERY_FRAME, Invariant, Proof};
use std::cmp::Reverse;
use synth::{Circuit, SynthError, is_clause};
use term::{Pool, Term};

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
            takes_lemmas: true,
            joins: true,
            takes: Takes::Automaton,
            looks: 200,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        call.await_findings();
        let ProgramCall { pool, .. } = call;
        let held = call.findings.known_before(pool).unwrap_or_default();
        let cfa = &call.cfa.assuming(pool, &words(pool, &held));
        let circuit = match synthesized(pool, cfa) {
            Ok(circuit) => circuit,
            Err(verdict) => return *verdict,
        };
        match search(call, &circuit, &held) {
            Ok(CircuitVerdict::Safe(CircuitProof::Inductive(clauses))) => {
                match circuit.back(cfa).invariant(clauses) {
                    Some(invariant) => Verdict::Safe(Proof::Inductive(invariant)),
                    None => Verdict::Unknown(Reason::NoRun),
                }
            }
            Ok(CircuitVerdict::Unsafe(trace)) => lifted_run(call, &circuit, cfa, trace),
            Ok(CircuitVerdict::Unknown(reason)) => Verdict::Unknown(reason),
            Ok(CircuitVerdict::Safe(CircuitProof::KInductive { k, .. })) => {
                let what = format!("the circuit is {k}-inductive, which is no invariant");
                Verdict::Unknown(Reason::Unsupported { what })
            }
            Err(error) => Verdict::Unknown(Reason::Unsupported { what: error.to_string() }),
        }
    }

    fn joins_clauses(&self) -> bool {
        true
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

/// The circuit of an automaton, unless the question is decided without one.
pub(super) fn synthesized<'p>(pool: &'p Pool, cfa: &Cfa) -> Result<Circuit<'p>, Box<Verdict>> {
    Circuit::new(pool, cfa, MAX_GATES).map_err(|error| {
        Box::new(match error {
            SynthError::Trivial => Verdict::Safe(Proof::Exhausted { depth: 0 }),
            error => Verdict::Unknown(Reason::Unsupported { what: error.to_string() }),
        })
    })
}

/// The run of the automaton that a trace of its circuit stands for.
pub(super) fn lifted_run(
    call: &ProgramCall<'_>,
    circuit: &Circuit<'_>,
    cfa: &Cfa,
    trace: Trace,
) -> Verdict {
    match circuit.back(cfa).run(trace) {
        // Perhaps the program has a run along the same edges.
        Some(run) if circuit.has_more_runs() => {
            let path: Vec<EdgeId> = run.steps.iter().map(|step| step.edge).collect();
            unroll(call, |bmc| bmc.along(&path))
        }
        Some(run) => Verdict::Unsafe(run),
        None => Verdict::Unknown(Reason::NoRun),
    }
}

/// What holds that is no clause over bits: it is assumed.
fn words(pool: &Pool, held: &Invariant) -> Invariant {
    let is_word = |formula: &&Term| !is_clause(pool, **formula);
    let of = |formulas: &Vec<Term>| formulas.iter().filter(is_word).copied().collect();
    Invariant { at: held.at.iter().map(|(at, formulas)| (at, of(formulas))).collect() }
}

/// IC3 on the circuit of an automaton, beginning with what holds and what may hold.
fn search(
    call: &ProgramCall<'_>,
    circuit: &Circuit<'_>,
    held: &Invariant,
) -> Result<CircuitVerdict, CheckError> {
    let ProgramCall { pool, cfa, allowance, settings, .. } = call;
    let options = &settings.ic3;
    let mut reached = call.reached.clone();
    let reduction = reduce(&circuit.system, vec![0], options, allowance)?;
    let mut engine = Search::<StandardSolver>::new(&reduction.system, 0, *options, &mut reached);
    engine.set_allowance(allowance.clone());
    let lowered = |formulas: &[(LocationId, Term)]| -> Vec<Clause> {
        let clauses = circuit.lower(formulas).into_iter();
        clauses.filter_map(|clause| reduction.lower_clause(&clause)).collect()
    };
    let begun = call.findings.begun(pool).unwrap_or_default();
    let mut all: Vec<(usize, LocationId, Term)> = Vec::new();
    for (at, formulas) in begun.at.iter() {
        all.extend(formulas.iter().map(|(frame, formula)| (*frame, at, *formula)));
    }
    all.sort_by_key(|(frame, ..)| Reverse(*frame));
    let everywhere = all.iter().take_while(|(frame, ..)| *frame == EVERY_FRAME);
    let mut holds: Vec<(LocationId, Term)> = everywhere.map(|(_, at, f)| (*at, *f)).collect();
    holds.extend(held.at.iter().flat_map(|(at, all)| all.iter().map(move |f| (at, *f))));
    if !holds.is_empty() {
        // An engine that is stopped here stops at its next question too, and says so.
        let _ = engine.learn(&lowered(&holds));
    }
    let all: Vec<(LocationId, Term)> = all.into_iter().map(|(_, at, f)| (at, f)).collect();
    let may_hold = lowered(&all);
    engine.begin_with(&may_hold);
    if !may_hold.is_empty() {
        let hold = engine.frames().infinite(()).len();
        call.reached.tell([format!("known: {hold} of {} clauses hold", may_hold.len())]);
    }
    let verdict = engine.check();
    if settings.learn && matches!(verdict, CircuitVerdict::Unknown(_)) {
        let clauses = reduction.lift_unfinished(&engine.unfinished());
        call.findings.leave(pool, &circuit.lift_unfinished(cfa, &clauses));
    }
    Ok(carry_back(&reduction, verdict))
}
