//! Turns of so much work: pauses change no verdict.

use circuit::random::{Shape, system};
use circuit::verdict::{Reason, Verdict};
use ic3::Options;
use ic3::engine::Ic3;
use sat::Exhausted;
use sat::cone::ConeSolver;

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
