//! The kit on interpolation-based model checking of circuits: verdicts are right, and evidence is accepted.

use answer::Allowance;
use circuit::verdict::{Proof, Verdict};
use circuit::{TransitionSystem, random};
use itp::{Outcome, check, check_circuit, clauses};

#[test]
fn circuits() {
    kit::engines::circuits("itp", true, &|system, property| {
        check_circuit(system, property, &Allowance::default(), &mut |_| {})
    });
}

/// Constraints of which a violation needs only those up to its own step, and latches without a reset.
#[test]
fn constraints_and_open_latches() {
    let mut safe = 0;
    for seed in 0..400 {
        let shape = random::Shape { latches: 5, constraints: 2, ..random::Shape::default() };
        let system = random::system(seed, shape);
        let verdict = check_circuit(&system, 0, &Allowance::default(), &mut |_| {});
        safe += usize::from(matches!(verdict, Verdict::Safe(_)));
        certify::check_circuit(&system, 0, &verdict, &Allowance::default())
            .unwrap_or_else(|rejection| panic!("seed {seed}: {rejection}"));
    }
    assert!((50..350).contains(&safe), "{safe} of 400 are safe");
}

/// The invariant of a system that is safe.
fn invariant(system: &TransitionSystem) -> Option<itp::Reached> {
    match check(system, 0, &Allowance::default(), &mut |_| {}) {
        Outcome::Safe(invariant) => Some(invariant),
        _ => None,
    }
}

#[test]
fn a_limit_to_the_number_of_clauses_is_kept() {
    let mut more = 0;
    for seed in 0..60 {
        let shape = random::Shape { latches: 6, constraints: 0, ..random::Shape::default() };
        let system = random::system(seed, shape);
        let Some(mut found) = invariant(&system) else { continue };
        let allowance = Allowance::default();
        let few = clauses::of_invariant(&system, 0, &mut found, Some(1), &allowance);
        match few.expect("there is no limit to effort") {
            Some(clauses) => {
                let verdict = Verdict::Safe(Proof::Inductive(clauses));
                certify::check_circuit(&system, 0, &verdict, &allowance).expect("an invariant");
            }
            None => more += 1,
        }
    }
    assert!(more > 0, "no invariant has two clauses");
}
