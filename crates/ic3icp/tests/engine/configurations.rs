//! All configurations, on random automata and machines whose states are all visited.

use super::examine;
use kit::automata::{Automaton, machine, random};
use std::ops::Range;

/// Those of the paper's table, and what else can be chosen.
pub(crate) const CONFIGURATIONS: &[&str] = &[
    "ind=2 abort=on",
    "ind=0 abort=off bg=off gentr=off",
    "ind=0 abort=off gentr=off",
    "ind=0 abort=off ld=on",
    "ind=0 abort=off",
    "ind=0 abort=on abort-limit=3",
    "ind=1 abort=on abort-limit=1",
    "ind=3 abort=off",
    "ind=4 abort=on",
    "ind=1 rotation=off",
    "ind=1 rotation=off bg=off ld=on",
    "ind=2 solver=blast",
    "ind=0 solver=blast ld=on",
    "ind=1 solver=blast bg=off",
    "ind=1 solver=blast gentr=off abort-limit=2",
    "ind=0 conflicts=1",
];

pub(crate) fn agree(seeds: Range<u64>, automaton: impl Fn(u64) -> Automaton) {
    let mut answers = [0; 2];
    for seed in seeds {
        let automaton = automaton(seed);
        let safe = automaton.is_safe();
        answers[usize::from(safe)] += 1;
        for text in CONFIGURATIONS {
            examine(&automaton, safe, &format!("seed {seed}"), text);
        }
    }
    assert!(answers.iter().all(|count| *count > 0), "{answers:?}");
}

#[test]
fn on_automata_without_any_shape() {
    agree(0..60, random);
}

#[test]
fn on_machines() {
    agree(0..12, machine);
}

/// `AUTOMATA=2000 cargo test --release -p cairn-ic3icp -- --ignored`: so many of both.
#[test]
#[ignore = "takes minutes"]
fn on_many() {
    let count = std::env::var("AUTOMATA").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    agree(1000..1000 + count, random);
    agree(1000..1000 + count / 5, machine);
}
