//! Every reduction preserves verdicts, depths, traces and proofs: compared with the explicit
//! search on random systems.

mod support;

use circuit::explicit::{Explicit, Outcome};
use circuit::random::{self, Shape};
use circuit::{Reduction, Targets, TransitionSystem, cone, replay, ternary};
use support::{assert_inductive, assert_sound};

const SMALL: Shape = Shape { inputs: 4, latches: 8, gates: 40, bads: 3, constraints: 1 };
const CONSTRAINED: Shape = Shape { inputs: 3, latches: 6, gates: 30, bads: 2, constraints: 4 };

fn systems() -> impl Iterator<Item = TransitionSystem> {
    (0..600).map(|seed| random::system(seed, if seed % 3 == 0 { CONSTRAINED } else { SMALL }))
}

#[test]
fn explicit_traces_replay() {
    let mut violated = [0, 0];
    for system in systems() {
        for bad in 0..system.bads.len() {
            match Explicit::new(&system).expect("small").search(bad) {
                Outcome::Safe { .. } => violated[0] += 1,
                Outcome::Unsafe(trace) => {
                    replay(&system, &trace, bad).expect("the search's trace replays");
                    violated[1] += 1;
                }
            }
        }
    }
    assert!(violated.iter().all(|n| *n > 200), "the systems are varied: {violated:?}");
}

#[test]
fn cone_preserves_verdicts() {
    let mut smaller = 0;
    for system in systems() {
        for bad in 0..system.bads.len() {
            let targets = Targets::of_bads(&system, vec![bad]);
            let reduction = cone::reduce(&system, &targets).expect("well formed");
            assert_sound(&system, &reduction);
            smaller += usize::from(reduction.system.latches.len() < system.latches.len());
        }
    }
    assert!(smaller > 200, "the cone removes something: {smaller}");
}

#[test]
fn ternary_preserves_verdicts() {
    let mut constants = 0;
    for system in systems() {
        let reduction = ternary::reduce(&system).expect("well formed");
        assert_sound(&system, &reduction);
        assert_inductive(&system, &reduction);
        constants += reduction.facts.len();
    }
    assert!(constants > 100, "constants are found: {constants}");
}

#[test]
fn reductions_compose() {
    for system in systems() {
        let first = ternary::reduce(&system).expect("well formed");
        let targets = Targets::of_bads(&first.system, vec![0]);
        let second = cone::reduce(&first.system, &targets).expect("well formed");
        let third = Reduction::identity(second.system.clone());
        let both = first.then(second).then(third);
        assert_sound(&system, &both);
        assert_inductive(&system, &both);
    }
}
