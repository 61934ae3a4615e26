//! Random automata against exploration state by state.

use crate::configurations::{check, check_watched, configurations, examine};
use cegar::Statistics;
use kit::automata::random;

#[test]
fn verdicts_agree_with_exploration() {
    let (mut safe, mut refuted) = (0, 0);
    for seed in 0..200 {
        let automaton = random(seed);
        let expected = automaton.is_safe();
        for (name, options) in configurations() {
            let verdict = check(&automaton, &options);
            let answer = examine(&automaton, &verdict);
            assert_eq!(answer, Some(expected), "seed {seed}, configuration {name}: {verdict:?}");
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 20 && refuted > 20, "{safe} safe, {refuted} unsafe");
}

/// What a search does depends on nothing but the automaton and the options.
#[test]
fn searches_repeat() {
    let numbers = |seed: u64, options: &cegar::Options| {
        let automaton = random(seed);
        let mut statistics = Statistics::default();
        let verdict = check_watched(&automaton, options, &mut statistics);
        let Statistics { states, covered, refinements, predicates, queries, .. } = statistics;
        (format!("{verdict:?}"), states, covered, refinements, predicates, queries)
    };
    for seed in 0..30 {
        for (name, options) in configurations() {
            let first = numbers(seed, &options);
            assert_eq!(first, numbers(seed, &options), "seed {seed}, configuration {name}");
        }
    }
}
