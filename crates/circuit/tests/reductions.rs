//! Every reduction preserves verdicts, depths, traces and proofs: compared with the explicit
//! search on random systems.

mod support;

use circuit::explicit::{Explicit, Outcome};
use circuit::random::{self, Shape};
use circuit::sweep::{self, Options, combinational, sequential};
use circuit::{
    Fact, Image, Init, LatchLit, Reduction, Targets, TransitionSystem, cone, replay, ternary,
};
use support::dpll::Dpll;
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

/// Images go through both reductions, complements included.
#[test]
fn images_compose() {
    let mut system = TransitionSystem::new();
    for _ in 0..4 {
        system.add_latch(Init::Zero, None);
    }
    let kept = |index, inverted| Image::Kept { index, inverted };
    let mut first = Reduction::identity(system.clone());
    first.latches = vec![kept(0, true), kept(1, false), kept(1, true), Image::Constant(true)];
    first.latch_origins = vec![0, 1];
    first.facts = vec![Fact::Constant { latch: 3, value: true }];
    let mut second = Reduction::identity(system);
    second.latches = vec![Image::Constant(true), kept(0, true)];
    second.latch_origins = vec![1];
    second.facts = vec![Fact::Equal { latch: 0, by: 1, inverted: false }];
    let both = first.then(second);
    let expected = [Image::Constant(false), kept(0, true), kept(0, false), Image::Constant(true)];
    assert_eq!(both.latches, expected);
    assert_eq!(both.latch_origins, [1]);
    assert_eq!(both.facts[1], Fact::Equal { latch: 0, by: 1, inverted: false });
}

#[test]
fn corresponding_latches_preserve_verdicts() {
    let (mut constant, mut equal) = (0, 0);
    for system in systems() {
        let reduction = sequential::reduce(&system, &Options::default(), Dpll::default);
        let reduction = reduction.expect("well formed");
        assert_sound(&system, &reduction);
        assert_inductive(&system, &reduction);
        for fact in &reduction.facts {
            match fact {
                Fact::Constant { .. } => constant += 1,
                Fact::Equal { .. } => equal += 1,
            }
        }
    }
    assert!(constant > 200 && equal > 100, "{constant} constants, {equal} equalities");
}

/// A clause that holds of a state's image is the clause that holds of the state, where the facts do.
#[test]
fn clauses_are_lowered_to_what_they_mean() {
    let (mut lowered, mut gone) = (0, 0);
    for (seed, system) in (0..).zip(systems()).filter(|(_, system)| !system.latches.is_empty()) {
        let targets = Targets::of_bads(&system, vec![0]);
        let options = Options::default();
        let reduction = sweep::reduce(&system, &targets, &options, Dpll::default).expect("valid");
        let mut random = random::Random::new(seed);
        let latches = system.latches.len();
        let clause: Vec<LatchLit> =
            (0..3).map(|_| LatchLit::new(random.below(latches), random.one_in(2))).collect();
        // Any state of the reduced system, and what it says of the original's latches.
        let small: Vec<bool> = reduction.latch_origins.iter().map(|_| random.one_in(2)).collect();
        let value = |latch: usize| match reduction.latches[latch] {
            Image::Dropped => None,
            Image::Constant(value) => Some(value),
            Image::Kept { index, inverted } => Some(small[index] ^ inverted),
        };
        let holds: Option<bool> = clause
            .iter()
            .map(|l| value(l.latch).map(|v| v == l.value))
            .try_fold(false, |any, literal| literal.map(|literal| any || literal));
        match reduction.lower_clause(&clause) {
            Some(lower) => {
                assert_eq!(Some(lower.iter().any(|l| small[l.latch] == l.value)), holds);
                lowered += 1;
            }
            None => {
                assert_ne!(holds, Some(false), "seed {seed}");
                gone += 1;
            }
        }
    }
    assert!(lowered > 50 && gone > 50, "{lowered} lowered, {gone} gone");
}

/// What the partition's fixed point finds is never less than what ternary simulation finds.
#[test]
fn correspondence_subsumes_ternary_constants() {
    for system in systems() {
        let known = ternary::reduce(&system).expect("well formed").facts;
        let found = sequential::correspondence(&system, &Options::default(), Dpll::default);
        let found = found.expect("well formed");
        for fact in known {
            assert!(found.contains(&fact), "{fact:?} is missing in {found:?}");
        }
    }
}

#[test]
fn equal_gates_preserve_verdicts() {
    let mut merged = 0;
    for system in systems() {
        let cone = cone::reduce(&system, &Targets::all(&system)).expect("well formed").system;
        // One column of patterns takes many gates for equal that are not.
        let options = Options { columns: 1, ..Options::default() };
        let reduction = combinational::reduce(&cone, &options, Dpll::default);
        let reduction = reduction.expect("well formed");
        assert!(reduction.facts.is_empty());
        assert_sound(&cone, &reduction);
        merged += cone.and_count().saturating_sub(reduction.system.and_count());
    }
    assert!(merged > 100, "{merged} gates were merged");
}

/// Tight bounds cost strength, never soundness.
#[test]
fn sweeps_are_sound_under_every_bound() {
    let mut shrunk = 0;
    for (k, system) in systems().enumerate() {
        let options = Options {
            conflicts: k as u64 % 3,
            budget: k as u64 % 40,
            rounds: 1 + k % 4,
            steps: k % 5,
            columns: k % 2,
            seed: k as u64,
            ..Options::default()
        };
        let targets = Targets::of_bads(&system, vec![k % system.bads.len()]);
        let reduction = sweep::reduce(&system, &targets, &options, Dpll::default);
        let reduction = reduction.expect("well formed");
        assert_sound(&system, &reduction);
        assert_inductive(&system, &reduction);
        shrunk += usize::from(reduction.system.latches.len() < system.latches.len());
    }
    assert!(shrunk > 100, "{shrunk} systems shrank");
}

/// The solvers that are used in earnest: CDCL with partial models, and CaDiCaL.
#[test]
fn sweeps_with_real_solvers() {
    let shape = Shape { inputs: 5, latches: 9, gates: 120, bads: 2, constraints: 2 };
    for seed in 0..120 {
        let system = random::system(seed, shape);
        let targets = Targets::all(&system);
        let options = Options { columns: 1, steps: seed as usize % 8, ..Options::default() };
        let cone = sweep::reduce(&system, &targets, &options, sat::ConeSolver::default);
        let cadical = sweep::reduce(&system, &targets, &options, sat::cadical::Cadical::default);
        for reduction in [cone, cadical] {
            let reduction = reduction.expect("well formed");
            assert_sound(&system, &reduction);
            assert_inductive(&system, &reduction);
        }
    }
}

#[test]
fn a_raised_interrupt_stops_sweeps() {
    let options = Options::default();
    options.allowance.interrupt.raise();
    for system in systems().take(20) {
        let facts = sequential::correspondence(&system, &options, Dpll::default);
        // Without questions only what is structurally equal can be known.
        let reduction = sweep::reduce(&system, &Targets::all(&system), &options, Dpll::default);
        assert_sound(&system, &reduction.expect("well formed"));
        drop(facts.expect("well formed"));
    }
}
