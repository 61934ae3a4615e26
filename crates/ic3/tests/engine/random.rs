//! Random small circuits: IC3 with all its options against explicit-state search.

use circuit::random::{Random, Shape, system};
use circuit::verdict::{Reason, Verdict};
use ic3::options::{CtgLimits, Generalization, Lifting, Options, Ordering, Preprocessing};
use ic3::{Ic3, check_system};
use sat::cadical::Cadical;
use sat::cone::ConeSolver;
use sat::{Allowance, Exhausted, Solver};

fn any_options(random: &mut Random) -> Options {
    Options {
        seed: random.below(3) as u64,
        preprocessing: [Preprocessing::Cone, Preprocessing::Sweep][random.below(2)],
        generalization: [
            Generalization::Core,
            Generalization::PrimeImplicate,
            Generalization::Down,
            Generalization::Ctg,
            Generalization::Dynamic,
        ][random.below(5)],
        ctg: [CtgLimits::NONE, CtgLimits::STANDARD, CtgLimits { depth: 3, count: 5 }]
            [random.below(3)],
        mic_failures: [0, 1, 3, usize::MAX][random.below(4)],
        lifting: [Lifting::Sat, Lifting::Ternary, Lifting::Model][random.below(3)],
        ordering: [Ordering::Activity, Ordering::Static, Ordering::Random][random.below(3)],
        propagation_counterexamples: random.below(3),
        infinite_frame: random.one_in(2),
        keep_obstacles: random.one_in(2),
        keep_obligations: random.one_in(2),
        effort_limit: [2.0, 20.0, f64::INFINITY][random.below(3)],
        latch_equivalences: random.one_in(2),
    }
}

fn run<S: Solver + Default>(seed: u64, shape: Shape, options: Options) {
    let system = system(seed, shape);
    for bad in 0..system.bads.len() {
        let verdict = Ic3::<S>::new(&system, bad, options, &mut ()).check();
        crate::kit::examine(
            &system,
            bad,
            &verdict,
            &format!("seed {seed}, bad {bad}, {options:?}"),
        );
    }
}

fn shapes() -> [Shape; 4] {
    [
        Shape::default(),
        Shape { constraints: 3, ..Shape::default() },
        Shape { inputs: 1, latches: 10, gates: 90, bads: 2, constraints: 0 },
        Shape { inputs: 6, latches: 5, gates: 40, bads: 1, constraints: 2 },
    ]
}

#[test]
fn default_options_agree_with_explicit_search() {
    for seed in 0..600 {
        run::<ConeSolver>(seed, shapes()[seed as usize % 4], Options::default());
    }
}

#[test]
fn all_options_agree_with_explicit_search() {
    let mut random = Random::new(7);
    for seed in 1000..2200 {
        let options = any_options(&mut random);
        run::<ConeSolver>(seed, shapes()[seed as usize % 4], options);
    }
}

#[test]
fn another_solver_gives_the_same_verdicts() {
    let mut random = Random::new(8);
    for seed in 3000..3060 {
        let options = any_options(&mut random);
        run::<Cadical>(seed, shapes()[seed as usize % 4], options);
    }
}

#[test]
fn reductions_are_carried_back() {
    let mut random = Random::new(9);
    for seed in 4000..5000 {
        let options = any_options(&mut random);
        let system = system(seed, shapes()[seed as usize % 4]);
        for bad in 0..system.bads.len() {
            let allowance = Allowance::default();
            let verdict = check_system(&system, bad, &options, &allowance, &mut ())
                .expect("the system fits together");
            crate::kit::examine(
                &system,
                bad,
                &verdict,
                &format!("seed {seed}, bad {bad}, {options:?}"),
            );
        }
    }
}

/// Every query is cut short at first; then the engine goes on from where it was.
#[test]
fn stopped_runs_can_be_resumed() {
    for seed in 6000..6400 {
        let system = system(seed, shapes()[seed as usize % 4]);
        let mut observer = ();
        let mut engine = Ic3::<Cadical>::new(&system, 0, Options::default(), &mut observer);
        let mut verdict = Verdict::Unknown(Reason::Stopped(Exhausted::Work));
        for conflicts in [Some(1), Some(1), Some(2), Some(5), None] {
            if matches!(verdict, Verdict::Unknown(_)) {
                engine.set_allowance(Allowance { work: conflicts, ..Allowance::default() });
                verdict = engine.check();
            }
        }
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}, resumed"));
    }
}
