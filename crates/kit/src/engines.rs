//! An engine on all cases.

use crate::{circuits, programs};
use answer::Allowance;
use certify::{check_circuit, check_program};
use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
use circuit::{Clause, TransitionSystem};
use program::execute::{Values, follow};
use program::explicit;
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use term::value::all_values;
use term::{Pool, Sort, Term};

/// How many random cases there are.
const RANDOM: u64 = 30;

/// What an engine says of an automaton.
pub type OnProgram<'e> = &'e dyn Fn(&Pool, &Cfa) -> Verdict;
/// What it says of a property of a circuit.
pub type OnCircuit<'e> = &'e dyn Fn(&TransitionSystem, usize) -> CircuitVerdict;

/// Runs an engine on programs. One that proves and refutes must decide those that are known by
/// thought; none may be wrong.
///
/// # Panics
/// If it is.
pub fn programs(name: &str, decides: bool, engine: OnProgram<'_>) {
    let random = (0..RANDOM).filter_map(programs::random);
    for (number, case) in programs::known().into_iter().chain(random).enumerate() {
        let context = format!("{name} on {}", case.name);
        match engine(&case.pool, &case.cfa) {
            Verdict::Unknown(reason) => {
                let known = number < programs::known().len();
                assert!(!(decides && known), "{context}: {reason}");
            }
            Verdict::Safe(proof) => {
                assert!(case.safe, "{context}: a proof of what is wrong");
                accepted(&case, &proof, &context);
            }
            Verdict::Unsafe(run) => {
                assert!(!case.safe, "{context}: a run into an error that is not there");
                let starts = states(&case.pool, &case.cfa, &small(&case.pool, &case.cfa));
                let runs = |values: &Values| follow(&case.pool, &case.cfa, &run, values).is_ok();
                assert!(starts.iter().any(runs), "{context}: the run is none: {run:?}");
            }
        }
    }
}

/// The checker accepts a proof, and does not accept it damaged.
fn accepted(case: &programs::Case, proof: &Proof, context: &str) {
    let check = |proof: &Proof| check_program(&case.pool, &case.cfa, proof, &Allowance::default());
    check(proof).unwrap_or_else(|rejection| panic!("{context}: {rejection}"));
    let Proof::Inductive(invariant) = proof else { return };
    for damaged in damaged(&case.pool, &case.cfa, invariant) {
        if check(&Proof::Inductive(damaged.clone())).is_ok() {
            // What is accepted must still be an invariant.
            let holds = holds_everywhere(case, &damaged);
            assert!(holds, "{context}: a damaged proof is accepted");
        }
    }
}

/// The invariant with one formula negated, at each location that has some.
fn damaged(pool: &Pool, cfa: &Cfa, invariant: &Invariant) -> Vec<Invariant> {
    let mut damaged = Vec::new();
    for (location, formulas) in invariant.at.iter() {
        if formulas.is_empty() || Some(location) == cfa.error {
            continue;
        }
        let mut copy = invariant.clone();
        copy.at[location][0] = pool.not(formulas[0]);
        damaged.push(copy);
    }
    damaged
}

/// Whether every state that is reached satisfies the formulas of its location.
fn holds_everywhere(case: &programs::Case, invariant: &Invariant) -> bool {
    let open: Vec<Term> = small(&case.pool, &case.cfa);
    let search = explicit::search(&case.pool, &case.cfa, &open, 200_000);
    search.reached.iter().all(|(location, states)| {
        let formulas = invariant.at.get(*location).map_or(&[][..], Vec::as_slice);
        let holds = |state| {
            let holds =
                |formula: &Term| explicit::holds(&case.pool, &search.variables, *formula, state);
            formulas.iter().all(holds)
        };
        Some(*location) == case.cfa.initial || states.iter().all(holds)
    })
}

/// The variables with few values.
fn small(pool: &Pool, cfa: &Cfa) -> Vec<Term> {
    let few = |term: &&Term| match pool.sort(**term) {
        Sort::Bool => true,
        Sort::BitVec(width) => width <= 3,
        _ => false,
    };
    cfa.variables.keys().filter(few).copied().collect()
}

/// States from which runs may start: all values of the `open` variables, and zero for the others.
pub(crate) fn states(pool: &Pool, cfa: &Cfa, open: &[Term]) -> Vec<Values> {
    let mut states = vec![Values::default()];
    for &variable in cfa.variables.keys() {
        let sort = pool.sort(variable);
        let values: Vec<_> = match open.contains(&variable) {
            true => all_values(sort).collect(),
            false => vec![term::eval::default_value(pool, sort)],
        };
        let with = |state: &Values| {
            let state = state.clone();
            values.iter().map(move |value| {
                let mut next = state.clone();
                next.insert(variable, value.clone());
                next
            })
        };
        states = states.iter().flat_map(with).collect::<Vec<_>>();
    }
    states
}

/// Runs an engine on circuits, as [`programs()`].
///
/// # Panics
/// If it is wrong.
pub fn circuits(name: &str, decides: bool, engine: OnCircuit<'_>) {
    let known = circuits::known();
    let count = known.len();
    let random = (0..RANDOM).flat_map(circuits::random);
    for (number, case) in known.into_iter().chain(random).enumerate() {
        let context = format!("{name} on {}, property {}", case.name, case.property);
        let verdict = engine(&case.system, case.property);
        let (expected, system, property) = (case.safe, &case.system, case.property);
        match &verdict {
            CircuitVerdict::Unknown(reason) => {
                assert!(!(decides && number < count), "{context}: {reason}");
                continue;
            }
            CircuitVerdict::Safe(_) => assert!(expected, "{context}: a proof of what is wrong"),
            CircuitVerdict::Unsafe(_) => assert!(!expected, "{context}: a trace of what holds"),
        }
        let check = |verdict: &CircuitVerdict| {
            check_circuit(system, property, verdict, &Allowance::default())
        };
        check(&verdict).unwrap_or_else(|rejection| panic!("{context}: {rejection}"));
        // A proof of the opposite is not accepted.
        let empty = CircuitVerdict::Safe(CircuitProof::Inductive(Vec::<Clause>::new()));
        if !expected {
            assert!(check(&empty).is_err(), "{context}: an empty proof is accepted");
        }
    }
}
