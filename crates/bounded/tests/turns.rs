//! Bounded model checking in turns of so much work.

use bounded::Bmc;
use circuit::random::{Shape, system};
use circuit::verdict::{Reason, Verdict};
use sat::{Allowance, Exhausted};

const SHAPE: Shape = Shape { inputs: 3, latches: 10, gates: 90, bads: 1, constraints: 1 };

#[test]
fn bounded_model_checking_within_turns_finds_what_it_finds_without() {
    for seed in 1200..1300 {
        let system = system(seed, SHAPE);
        let deep = 40;
        let expected = Bmc::new(&system, 0).check(deep, &mut ());
        let Verdict::Unsafe(shortest) = expected else { continue };
        let mut engine = Bmc::new(&system, 0);
        engine.set_allowance(Allowance::default().with_work(1));
        let verdict = loop {
            match engine.check_within(1000, &mut ()) {
                Verdict::Unknown(Reason::Stopped(Exhausted::Work)) => {}
                verdict => break verdict,
            }
        };
        let Verdict::Unsafe(trace) = &verdict else { panic!("seed {seed}: {verdict:?}") };
        assert_eq!(trace.inputs.len(), shortest.inputs.len(), "seed {seed}");
        circuit::replay(&system, trace, 0).expect("the trace replays");
    }
}
