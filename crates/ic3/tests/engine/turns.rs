//! Turns on one thread: pauses change no verdict, and equal runs are equal.

use circuit::random::{Shape, system};
use circuit::verdict::{Reason, Verdict};
use ic3::engine::Ic3;
use ic3::turns::Turns;
use ic3::{Options, check_with_team};
use sat::cone::ConeSolver;
use sat::{Allowance, Exhausted};

const SHAPE: Shape = Shape { inputs: 3, latches: 10, gates: 90, bads: 1, constraints: 1 };

#[test]
fn an_engine_that_pauses_all_the_time_agrees_with_explicit_search() {
    let mut pauses = 0;
    for seed in 1000..1150 {
        let system = system(seed, SHAPE);
        let observer = &mut ();
        let mut engine = Ic3::<ConeSolver>::new(&system, 0, Options::default(), observer);
        let verdict = loop {
            engine.set_turn(Some(100));
            match engine.check() {
                Verdict::Unknown(Reason::Stopped(Exhausted::Work)) => pauses += 1,
                verdict => break verdict,
            }
        };
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}"));
    }
    assert!(pauses > 150, "only {pauses} pauses: the turn is not looked at");
}

#[test]
fn bounded_model_checking_within_turns_finds_what_it_finds_without() {
    for seed in 1200..1300 {
        let system = system(seed, SHAPE);
        let deep = 40;
        let expected = bounded::Bmc::new(&system, 0).check(deep, &mut ());
        let Verdict::Unsafe(shortest) = expected else { continue };
        let mut engine = bounded::Bmc::new(&system, 0);
        engine.set_allowance(Allowance::default().with_work(1));
        let verdict = loop {
            match engine.check_within(1000, &mut ()) {
                Verdict::Unknown(Reason::Stopped(Exhausted::Work)) => {}
                verdict => break verdict,
            }
        };
        let Verdict::Unsafe(trace) = &verdict else { panic!("seed {seed}: {verdict:?}") };
        assert_eq!(trace.inputs.len(), shortest.inputs.len(), "seed {seed}");
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}"));
    }
}

#[test]
fn one_job_agrees_with_explicit_search_and_repeats_itself() {
    for seed in 1300..1400 {
        let system = system(seed, SHAPE);
        let run = || {
            let allowance = Allowance::default();
            check_with_team(&system, 0, &Options::default(), 1, &allowance, &mut ())
                .expect("the system fits together")
        };
        let verdict = run();
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}"));
        assert_eq!(verdict, run(), "seed {seed}");
    }
}

#[test]
fn an_interrupt_ends_turns() {
    let system = system(3, SHAPE);
    let allowance = Allowance::default();
    allowance.interrupt.raise();
    let observer = &mut ();
    let mut turns = Turns::new(&system, Options::default(), observer);
    let verdict = turns.check(&allowance);
    assert!(!matches!(
        verdict,
        Verdict::Unknown(Reason::Stopped(Exhausted::Work | Exhausted::Memory))
    ));
}
