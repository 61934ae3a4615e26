//! Random automata against exploration state by state.

use crate::configurations::{check, check_watched, configurations};
use ic3cfa::Statistics;
use kit::automata::random;
use std::time::Duration;

#[test]
fn verdicts_agree_with_exploration() {
    let (mut safe, mut refuted, mut unknown) = (0, 0, 0);
    for seed in 0..150 {
        let automaton = random(seed);
        let expected = automaton.is_safe();
        for (name, options) in configurations() {
            let verdict = check(&automaton, &options);
            match automaton.examine(&verdict) {
                Some(answer) => assert_eq!(answer, expected, "seed {seed}, configuration {name}"),
                None => {
                    unknown += 1;
                    println!("seed {seed}, configuration {name}: {verdict:?}");
                }
            }
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 20 && refuted > 20, "{safe} safe, {refuted} unsafe");
    assert_eq!(unknown, 0);
}

/// The baselines too: IC3-SMT and Tree-IC3.
#[test]
fn verdicts_of_baselines_agree_with_exploration() {
    let mut unknown = 0;
    for seed in 0..400 {
        let automaton = random(seed);
        let (pool, cfa) = (&automaton.pool, &automaton.cfa);
        let expected = automaton.is_safe();
        let allowance = &smt::Allowance::default().within(Duration::from_secs(60));
        let verdicts = [
            ("ic3smt", ic3cfa::ic3smt::check(pool, cfa, &smt::Standard, allowance, &mut ())),
            ("treeic3", ic3cfa::treeic3::check(pool, cfa, &smt::Standard, allowance, &mut ())),
        ];
        for (name, verdict) in verdicts {
            match automaton.examine(&verdict) {
                Some(answer) => assert_eq!(answer, expected, "seed {seed}, {name}"),
                None => {
                    unknown += 1;
                    println!("seed {seed}, {name}: {verdict:?}");
                }
            }
        }
    }
    assert_eq!(unknown, 0);
}

/// What a run does depends on nothing but the automaton and the options.
#[test]
fn runs_repeat() {
    let numbers = |seed: u64, options: &ic3cfa::Options| {
        let automaton = random(seed);
        let mut statistics = Statistics::default();
        let verdict = check_watched(&automaton, options, &mut statistics);
        let lemmas::Statistics {
            frames, lemmas, literals, obligations, queries, shortcuts, ..
        } = statistics.search;
        let counts = (frames, lemmas, literals, obligations, queries, shortcuts);
        (format!("{verdict:?}"), counts, statistics.techniques)
    };
    for seed in 0..40 {
        for (name, options) in configurations() {
            let first = numbers(seed, &options);
            assert_eq!(first, numbers(seed, &options), "seed {seed}, configuration {name}");
        }
    }
}
