//! Teams of engines: the same verdicts as explicit-state search, whatever the timing.

use circuit::random::{Shape, system};
use circuit::verdict::{Reason, Verdict};
use ic3::engine::Ic3;
use ic3::exchange::Board;
use ic3::options::Generalization;
use ic3::{Options, check_with_team};
use sat::cone::ConeSolver;
use sat::{Interrupt, Limits};

#[test]
fn teams_agree_with_explicit_search() {
    let shape = Shape { inputs: 3, latches: 10, gates: 90, bads: 1, constraints: 1 };
    for seed in 0..150 {
        let system = system(seed, shape);
        let jobs = 2 + seed as usize % 4;
        let options = Options::default();
        let (limits, interrupt) = (Limits::default(), Interrupt::new());
        let verdict = check_with_team(&system, 0, &options, jobs, limits, &interrupt, &mut ())
            .expect("the system fits together");
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}, {jobs} jobs"));
    }
}

#[test]
fn shared_lemmas_keep_the_proofs_sound() {
    let shape = Shape { inputs: 2, latches: 12, gates: 120, bads: 1, constraints: 1 };
    let variants = [
        Options::default(),
        Options { seed: 1, ..Options::default() },
        Options { seed: 2, generalization: Generalization::Down, ..Options::default() },
    ];
    for seed in 500..650 {
        let system = system(seed, shape);
        let board = Board::default();
        std::thread::scope(|scope| {
            for (index, options) in variants.iter().enumerate() {
                let member = board.member(index, variants.len());
                let system = &system;
                scope.spawn(move || {
                    let observer = &mut ();
                    let mut engine = Ic3::<ConeSolver>::new(system, 0, *options, observer);
                    engine.join(member);
                    let verdict = engine.check();
                    crate::kit::examine(
                        system,
                        0,
                        &verdict,
                        &format!("seed {seed}, member {index}"),
                    );
                });
            }
        });
    }
}

#[test]
fn an_interrupt_ends_the_team() {
    let system = system(3, Shape::default());
    let interrupt = Interrupt::new();
    interrupt.raise();
    let options = Options::default();
    let verdict = check_with_team(&system, 0, &options, 3, Limits::default(), &interrupt, &mut ())
        .expect("the system fits together");
    // A member may have finished before it saw the flag.
    if let Verdict::Unknown(reason) = verdict {
        assert_eq!(reason, Reason::Interrupted);
    }
}
