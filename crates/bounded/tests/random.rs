//! Random small circuits: the bounded engines against explicit-state search.

use bounded::{Bmc, KInduction};
use circuit::explicit::{self, Outcome};
use circuit::random::{Shape, system};
use circuit::verdict::{Proof, Reason, Verdict};
use circuit::{TransitionSystem, replay};
use sat::{Allowance, Exhausted};
use std::collections::BTreeSet;
use std::time::Instant;

/// More than any of the small systems here can need.
const BOUND: usize = 300;

fn shapes() -> [Shape; 3] {
    [
        Shape { latches: 6, ..Shape::default() },
        Shape { latches: 5, constraints: 3, ..Shape::default() },
        Shape { inputs: 1, latches: 6, gates: 90, bads: 2, constraints: 0 },
    ]
}

fn cases() -> impl Iterator<Item = (u64, TransitionSystem)> {
    (0..400).map(|seed| (seed, system(seed, shapes()[seed as usize % 3])))
}

#[test]
fn bounded_model_checking_finds_shortest_violations() {
    for (seed, system) in cases() {
        let expected = explicit::check(&system, 0).expect("the case is small");
        // A violation takes at most as many steps as there are states.
        let verdict = Bmc::new(&system, 0).check(1 << system.latches.len(), &mut ());
        match (&expected, verdict) {
            (Outcome::Unsafe(shortest), Verdict::Unsafe(trace)) => {
                replay(&system, &trace, 0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                assert_eq!(trace.inputs.len(), shortest.inputs.len(), "seed {seed}");
            }
            (Outcome::Safe { .. }, Verdict::Unknown(Reason::Bound(_))) => {}
            (_, verdict) => panic!("seed {seed}: {verdict:?}, but the truth is {expected:?}"),
        }
    }
}

#[test]
fn k_induction_with_distinct_states_is_complete() {
    for (seed, system) in cases() {
        let expected = explicit::check(&system, 0).expect("the case is small");
        match (&expected, KInduction::new(&system, 0, true).check(BOUND, &mut ())) {
            (Outcome::Unsafe(_), Verdict::Unsafe(trace)) => {
                replay(&system, &trace, 0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            (Outcome::Safe { .. }, Verdict::Safe(Proof::KInductive { distinct: true, .. })) => {}
            (_, verdict) => panic!("seed {seed}: {verdict:?}, but the truth is {expected:?}"),
        }
    }
}

/// A conflict limit stops the engines at every hard question; with the limit raised they go on.
#[test]
fn stopped_runs_can_be_resumed() {
    let tight = Allowance::default().with_work(1);
    for (seed, system) in cases() {
        let expected = explicit::check(&system, 0).expect("the case is small");
        let mut induction = KInduction::new(&system, 0, true);
        let mut search = Bmc::new(&system, 0);
        let mut verdicts = [None, None];
        for allowance in [&tight, &tight, &Allowance::default()] {
            induction.set_allowance(allowance.clone());
            search.set_allowance(allowance.clone());
            if !matches!(verdicts[0], Some(Verdict::Safe(_) | Verdict::Unsafe(_))) {
                verdicts[0] = Some(induction.check(BOUND, &mut ()));
            }
            if !matches!(verdicts[1], Some(Verdict::Unsafe(_))) {
                verdicts[1] = Some(search.check(1 << system.latches.len(), &mut ()));
            }
        }
        match (&expected, &verdicts) {
            (Outcome::Unsafe(_), [Some(Verdict::Unsafe(a)), Some(Verdict::Unsafe(b))]) => {
                for trace in [a, b] {
                    replay(&system, trace, 0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                }
            }
            (
                Outcome::Safe { .. },
                [Some(Verdict::Safe(_)), Some(Verdict::Unknown(Reason::Bound(_)))],
            ) => {}
            _ => panic!("seed {seed}: {verdicts:?}, but the truth is {expected:?}"),
        }
    }
}

#[test]
fn plain_k_induction_is_sound() {
    for (seed, system) in cases() {
        let expected = explicit::check(&system, 0).expect("the case is small");
        match (&expected, KInduction::new(&system, 0, false).check(20, &mut ())) {
            (Outcome::Unsafe(_), Verdict::Unsafe(trace)) => {
                replay(&system, &trace, 0).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
            (Outcome::Safe { .. }, Verdict::Safe(_)) => {}
            (_, Verdict::Unknown(Reason::Bound(20))) => {}
            (_, verdict) => panic!("seed {seed}: {verdict:?}, but the truth is {expected:?}"),
        }
    }
}

/// The least k for which no k good steps, from anywhere, are followed by a bad one.
fn least_inductive_k(system: &TransitionSystem, most: usize) -> Option<usize> {
    let graph = explicit::Explicit::new(system).expect("the case is small");
    let mut states: BTreeSet<usize> = (0..1 << system.latches.len()).collect();
    for k in 0..=most {
        let steps: Vec<_> = states.iter().flat_map(|state| graph.steps(*state)).collect();
        if steps.iter().all(|step| step.bads & 1 == 0) {
            return Some(k);
        }
        states = steps.iter().filter(|step| step.bads & 1 == 0).map(|step| step.next).collect();
    }
    None
}

#[test]
fn plain_k_induction_proves_with_the_least_k() {
    let (mut proved, mut larger) = (0, 0);
    for (seed, system) in cases() {
        let Outcome::Safe { .. } = explicit::check(&system, 0).expect("the case is small") else {
            continue;
        };
        let least = least_inductive_k(&system, 20);
        match KInduction::new(&system, 0, false).check(20, &mut ()) {
            Verdict::Safe(Proof::KInductive { k, distinct: false }) => {
                assert_eq!(Some(k), least, "seed {seed}");
                proved += 1;
                larger += usize::from(k > 0);
            }
            verdict => assert_eq!(least, None, "seed {seed}: {verdict:?}"),
        }
    }
    assert!(proved > 30 && larger > 5, "{proved} proved, {larger} with more than 0");
}

#[test]
fn a_raised_flag_and_a_past_deadline_end_the_engines() {
    let (_, system) = cases().next().expect("a case");
    let interrupted = Allowance::default();
    interrupted.interrupt.raise();
    let late = Allowance::default().until(Instant::now());
    for (allowance, why) in [(interrupted, Exhausted::Interrupted), (late, Exhausted::Time)] {
        let (mut search, mut induction) = (Bmc::new(&system, 0), KInduction::new(&system, 0, true));
        search.set_allowance(allowance.clone());
        induction.set_allowance(allowance);
        let stopped = Verdict::Unknown(Reason::Stopped(why));
        assert_eq!(search.check(BOUND, &mut ()), stopped);
        assert_eq!(induction.check(BOUND, &mut ()), stopped);
    }
}
