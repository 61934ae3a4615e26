//! Random machines against exploration state by state.

use crate::configurations::{check_watched, configurations};
use ic3cfa::Statistics;
use ic3cfa::observer::Technique;
use kit::automata::machine;

#[test]
fn every_technique_works_and_verdicts_agree_with_exploration() {
    let (mut safe, mut refuted) = (0, 0);
    let mut counts = [0; Technique::ALL.len()];
    for seed in 0..20 {
        let automaton = machine(seed);
        let expected = automaton.is_safe();
        for (name, options) in configurations() {
            let mut statistics = Statistics::default();
            let verdict = check_watched(&automaton, &options, &mut statistics);
            for technique in Technique::ALL {
                counts[technique as usize] += statistics.count(technique);
            }
            let answer = automaton.examine(&verdict);
            assert_eq!(answer, Some(expected), "seed {seed}, configuration {name}: {verdict:?}");
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 3 && refuted > 3, "{safe} safe, {refuted} unsafe");
    // Machines this small have no frames that are equal by their meaning only; `semantic.rs` has
    // a test of that.
    for technique in Technique::ALL.into_iter().filter(|t| *t != Technique::SemanticTermination) {
        assert!(counts[technique as usize] > 0, "{technique:?} was never at work: {counts:?}");
    }
}
