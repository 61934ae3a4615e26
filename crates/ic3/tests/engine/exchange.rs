//! Lemmas shared between engines keep their proofs sound, whatever the timing.

use circuit::random::{Shape, system};
use ic3::Options;
use ic3::engine::Ic3;
use ic3::exchange::Board;
use ic3::options::Generalization;
use sat::cone::ConeSolver;

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
