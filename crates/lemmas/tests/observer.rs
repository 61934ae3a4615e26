//! Statistics count what they are told.

use lemmas::{Observer, Phase, Statistics};
use std::time::Duration;

#[test]
fn statistics_count() {
    let mut statistics = Statistics::default();
    statistics.begin(4);
    statistics.frontier(1, &[0, 2], 9);
    statistics.frontier(2, &[0, 2, 1], 9);
    for literals in [3, 5] {
        statistics.lemma(1, literals);
        statistics.obligation(2, 2 * literals);
    }
    statistics.query(Phase::Block);
    statistics.query(Phase::Block);
    statistics.query(Phase::Unroll);
    statistics.shortcut(Phase::Propagate);
    statistics.solver_time(Phase::Block, Duration::from_millis(3));
    statistics.solver_time(Phase::Lift, Duration::from_millis(4));
    assert_eq!((statistics.nodes, statistics.frames), (4, 2));
    assert_eq!(statistics.lemmas_per_frame, [0, 2, 1]);
    assert_eq!((statistics.lemmas, statistics.literals), (2, 8));
    assert_eq!((statistics.obligations, statistics.obligation_literals), (2, 16));
    assert_eq!(statistics.queries[Phase::Block as usize], 2);
    assert_eq!(statistics.total_queries(), 3);
    assert_eq!(statistics.shortcuts[Phase::Propagate as usize], 1);
    assert_eq!(statistics.total_solver_time(), Duration::from_millis(7));
}

#[test]
fn phases_are_numbered_as_listed_and_timed() {
    for (number, phase) in Phase::ALL.into_iter().enumerate() {
        assert_eq!(phase as usize, number);
    }
    let mut statistics = Statistics::default();
    statistics.enter(Phase::Generalize);
    std::thread::sleep(Duration::from_millis(5));
    statistics.enter(Phase::Search);
    assert!(statistics.times[Phase::Generalize as usize] >= Duration::from_millis(5));
    assert_eq!(statistics.times[Phase::Lift as usize], Duration::ZERO);
}

#[test]
fn nobody_hears_nothing() {
    let observer: &mut dyn Observer = &mut ();
    observer.begin(1);
    observer.frontier(1, &[], 0);
    observer.lemma(1, 1);
    observer.obligation(1, 1);
    observer.query(Phase::Seed);
    observer.solver_time(Phase::Seed, Duration::ZERO);
    observer.shortcut(Phase::Seed);
    observer.enter(Phase::Seed);
}
