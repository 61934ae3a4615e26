//! What the tests of reductions share: comparisons with the explicit search.

// Each test file uses its own part of this module.
#![allow(dead_code)]

pub mod dpll;

use circuit::explicit::{Explicit, Outcome};
use circuit::{Clause, Image, Reduction, TransitionSystem, replay};

/// The reduced system has the same verdict and depth for each of its properties, its traces lift
/// to traces of the original, and the images of latches are right in every reachable state.
pub fn assert_sound(original: &TransitionSystem, reduction: &Reduction) {
    let reduced = &reduction.system;
    reduced.check().expect("the reduced system is well formed");
    for (bad, origin) in reduction.bad_origins.iter().enumerate() {
        let before = Explicit::new(original).expect("small").search(*origin);
        let after = Explicit::new(reduced).expect("small").search(bad);
        assert_eq!(before.depth(), after.depth());
        if let Outcome::Unsafe(trace) = after {
            let lifted = reduction.lift_trace(&trace);
            replay(original, &lifted, *origin).expect("a lifted trace replays");
        }
    }
    let bit = |state: usize, k: usize| state >> k & 1 == 1;
    for state in Explicit::new(original).expect("small").reachable() {
        for (latch, image) in reduction.latches.iter().enumerate() {
            match *image {
                Image::Dropped => {}
                Image::Constant(value) => assert_eq!(bit(state, latch), value),
                Image::Kept { index, inverted } => {
                    let origin = reduction.latch_origins[index];
                    assert_eq!(bit(state, latch), bit(state, origin) ^ inverted);
                }
            }
        }
    }
}

/// The facts hold initially, and every valid step out of a state in which they hold leads to one
/// in which they hold.
pub fn assert_inductive(original: &TransitionSystem, reduction: &Reduction) {
    let clauses = reduction.lift_invariant(&[]);
    let explicit = Explicit::new(original).expect("small");
    for state in explicit.initial_states() {
        assert!(satisfies(state, &clauses), "the facts hold initially");
    }
    for state in (0..1 << original.latches.len()).filter(|s| satisfies(*s, &clauses)) {
        for step in explicit.steps(state) {
            assert!(satisfies(step.next, &clauses), "the facts are inductive");
        }
    }
}

pub fn satisfies(state: usize, clauses: &[Clause]) -> bool {
    clauses.iter().all(|c| c.iter().any(|l| (state >> l.latch & 1 == 1) == l.value))
}
