//! Lemmas shared between engines keep their proofs sound, whatever the timing.

use circuit::random::{Random, Shape, system};
use circuit::verdict::{Proof, Verdict};
use circuit::{Clause, LatchLit};
use ic3::Options;
use ic3::engine::Ic3;
use ic3::exchange::Board;
use ic3::options::Generalization;
use lemmas::audit::Broken;
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

/// Clauses from elsewhere, true or not: of an invariant of another property, and of chance.
#[test]
fn clauses_from_elsewhere_are_learned_as_far_as_they_are_inductive() {
    let shape = Shape { inputs: 2, latches: 10, gates: 90, bads: 2, constraints: 1 };
    let (mut learned, mut left) = (0, 0);
    for seed in 900..1_300 {
        let system = system(seed, shape);
        let latches = system.latches.len();
        if system.bads.len() < 2 || latches < 2 {
            continue;
        }
        let other = Ic3::<ConeSolver>::new(&system, 1, Options::default(), &mut ()).check();
        let mut random = Random::new(seed);
        let mut clauses: Vec<Clause> = (0..6)
            .map(|_| {
                let (one, other) = (random.below(latches), 1 + random.below(latches - 1));
                let other = (one + other) % latches;
                [one, other].map(|latch| LatchLit::new(latch, random.one_in(2))).to_vec()
            })
            .collect();
        if let Verdict::Safe(Proof::Inductive(invariant)) = other {
            clauses.extend(invariant);
        }
        let observer = &mut ();
        let mut engine = Ic3::<ConeSolver>::new(&system, 0, Options::default(), observer);
        engine.learn(&clauses).expect("nothing limits it");
        let kept = engine.frames().infinite(()).len();
        learned += kept;
        left += clauses.len() - kept;
        let broken = engine.audit().err().filter(|broken| !matches!(broken, Broken::Safety(_)));
        assert!(broken.is_none(), "seed {seed}: {broken:?}");
        let verdict = engine.check();
        crate::kit::examine(&system, 0, &verdict, &format!("seed {seed}"));
    }
    assert!(learned > 200 && left > 200, "{learned} learned, {left} left");
}
