//! Random machines against exploration state by state.

use crate::configurations::{check, configurations, examine};
use kit::automata::machine;

#[test]
fn verdicts_agree_with_exploration() {
    let (mut safe, mut refuted) = (0, 0);
    for seed in 0..25 {
        let automaton = machine(seed);
        let expected = automaton.is_safe();
        for (name, options) in configurations() {
            let verdict = check(&automaton, &options);
            let answer = examine(&automaton, &verdict);
            assert_eq!(answer, Some(expected), "seed {seed}, configuration {name}: {verdict:?}");
        }
        if expected { safe += 1 } else { refuted += 1 }
    }
    assert!(safe > 3 && refuted > 3, "{safe} safe, {refuted} unsafe");
}
