//! Every setting with its values: the truth of explicit search stays the verdict, and each value
//! changes what the engine does.

use crate::designs;
use aig::Edge;
use circuit::random::{Shape, system};
use circuit::verdict::{Proof, Verdict};
use circuit::{Init, TransitionSystem};
use ic3::observer::Phase;
use ic3::settings::SETTINGS;
use ic3::{Ic3, Options, Statistics, check_system};
use sat::Allowance;
use sat::cone::ConeSolver;

/// Values to try: those that are named, and some numbers.
fn values(listed: &str) -> Vec<String> {
    let mut values: Vec<String> = listed
        .replace(" or ", ", ")
        .split(", ")
        .filter(|v| *v != "a number")
        .map(str::to_owned)
        .collect();
    if listed.contains("a number") {
        values.extend(["1", "2", "5"].map(str::to_owned));
    }
    values
}

/// Every setting with every value but the default.
fn configurations() -> Vec<(String, Options)> {
    let mut all = Vec::new();
    for setting in SETTINGS {
        for value in values(setting.values) {
            let name = format!("{}={value}", setting.name);
            let mut options = Options::default();
            options.assign(&name).expect("a value from the table");
            if options != Options::default() {
                all.push((name, options));
            }
        }
    }
    all
}

fn shapes() -> [Shape; 3] {
    [
        Shape::default(),
        Shape { inputs: 2, latches: 11, gates: 100, bads: 1, constraints: 1 },
        Shape { inputs: 5, latches: 6, gates: 50, bads: 1, constraints: 3 },
    ]
}

#[test]
fn every_value_agrees_with_explicit_search() {
    for (number, (name, options)) in configurations().into_iter().enumerate() {
        for seed in 0..60 {
            let seed = 10_000 + 100 * number as u64 + seed;
            let system = system(seed, shapes()[seed as usize % 3]);
            let context = format!("seed {seed}, {name}");
            let verdict = check_system(&system, 0, &options, &Allowance::default(), &mut ())
                .expect("the system fits together");
            crate::kit::examine(&system, 0, &verdict, &context);
            // Without a reduction before, there is more left to do.
            let verdict = Ic3::<ConeSolver>::new(&system, 0, options, &mut ()).check();
            crate::kit::examine(&system, 0, &verdict, &context);
        }
    }
}

/// What a run with these options counts.
fn counts(system: &TransitionSystem, options: &Options) -> (u64, u64, [u64; Phase::ALL.len()]) {
    let mut statistics = Statistics::default();
    check_system(system, 0, options, &Allowance::default(), &mut statistics)
        .expect("the system fits together");
    (statistics.lemmas, statistics.literals, statistics.queries)
}

#[test]
fn every_value_is_at_work() {
    let mut systems = vec![designs::counter(7, 100, 101), designs::queue(true), register_files(6)];
    let shape = Shape { inputs: 4, latches: 14, gates: 160, bads: 1, constraints: 0 };
    systems.extend((0..60).map(|seed| system(20_000 + seed, shape)));
    let usual: Vec<_> = systems.iter().map(|s| counts(s, &Options::default())).collect();
    let changes = |(_, options): &(String, Options)| {
        (0..systems.len()).any(|i| counts(&systems[i], options) != usual[i])
    };
    for setting in SETTINGS {
        let own = configurations().into_iter();
        let own: Vec<_> = own
            .filter(|(name, _)| name.split_once('=').is_some_and(|(n, _)| n == setting.name))
            .collect();
        if setting.values.contains("a number") {
            // Small designs don't feel large limits.
            assert!(own.iter().any(changes), "{} changes nothing", setting.name);
        } else if let Some((idle, _)) = own.iter().find(|one| !changes(one)) {
            panic!("{idle} changes nothing");
        }
    }
}

/// Two registers that load the same input unless a counter, kept below 6, is ever 7, which is bad
/// too. That they are equal is not inductive by itself: it needs lemmas about the counter.
fn register_files(width: usize) -> TransitionSystem {
    let mut system = TransitionSystem::new();
    let inputs: Vec<Edge> = (0..width).map(|_| system.add_input(None)).collect();
    let count = designs::register(&mut system, 3, Init::Zero);
    let at_five = designs::equals(&mut system, &count, 5);
    let sum = designs::incremented(&mut system, &count);
    let next: Vec<Edge> = sum.iter().map(|bit| system.aig.and(*bit, !at_five)).collect();
    designs::set_next(&mut system, &count, &next);
    let at_seven = designs::equals(&mut system, &count, 7);
    let copies = [(); 2].map(|()| designs::register(&mut system, width, Init::Zero));
    designs::set_next(&mut system, &copies[0], &inputs);
    let spoiled: Vec<Edge> = inputs.iter().map(|i| system.aig.xor(*i, at_seven)).collect();
    designs::set_next(&mut system, &copies[1], &spoiled);
    let differences: Vec<Edge> =
        copies[0].iter().zip(&copies[1]).map(|(a, b)| system.aig.xor(*a, *b)).collect();
    let bad = system.aig.or_all(differences.into_iter().chain([at_seven]));
    system.add_bad(bad, None);
    system
}

fn run(system: &TransitionSystem, latch_equivalences: bool) -> (Verdict, Statistics) {
    let options = Options { latch_equivalences, ..Options::default() };
    let mut statistics = Statistics::default();
    let verdict = Ic3::<ConeSolver>::new(system, 0, options, &mut statistics).check();
    (verdict, statistics)
}

#[test]
fn equal_latches_are_found_relative_to_frames() {
    let system = register_files(8);
    let (without, plain) = run(&system, false);
    let (with, seeded) = run(&system, true);
    for verdict in [&without, &with] {
        let Verdict::Safe(Proof::Inductive(invariant)) = verdict else { panic!("{verdict:?}") };
        crate::kit::check_invariant(&system, 0, invariant, "two registers");
    }
    assert_eq!(plain.queries[Phase::Seed as usize], 0);
    assert!(seeded.queries[Phase::Seed as usize] >= 2 * 8, "two clauses a pair");
    assert!(
        seeded.obligations < plain.obligations,
        "{} obligations with equal latches, {} without",
        seeded.obligations,
        plain.obligations
    );
}

/// No run of the simulation shows that the latches differ after one step.
#[test]
fn what_simulation_misses_is_refuted_by_consecution() {
    let mut system = TransitionSystem::new();
    let inputs: Vec<Edge> = (0..24).map(|_| system.add_input(None)).collect();
    let all = system.aig.and_all(inputs.iter().copied());
    let latches = designs::register(&mut system, 2, Init::Zero);
    let other = system.aig.xor(inputs[0], all);
    designs::set_next(&mut system, &latches, &[inputs[0], other]);
    let bad = system.aig.xor(latches[0], latches[1]);
    system.add_bad(bad, None);
    let (verdict, statistics) = run(&system, true);
    let Verdict::Unsafe(trace) = verdict else { panic!("{verdict:?}") };
    circuit::replay(&system, &trace, 0).expect("the trace replays");
    assert!(statistics.queries[Phase::Seed as usize] > 0, "they were taken to be equal");
}

/// Two delay lines, one of them longer: their ends are equal until the input has passed.
#[test]
fn latches_that_are_equal_for_a_while_mislead_nobody() {
    let mut system = TransitionSystem::new();
    let input = system.add_input(None);
    let lines = [9, 13].map(|length| designs::register(&mut system, length, Init::Zero));
    for line in &lines {
        let next: Vec<Edge> =
            std::iter::once(input).chain(line[..line.len() - 1].iter().copied()).collect();
        designs::set_next(&mut system, line, &next);
    }
    // Simulation sees no difference: these inputs are rarely all true.
    let gate = (0..20).map(|_| system.add_input(None)).collect::<Vec<Edge>>();
    let gate = system.aig.and_all(gate);
    let ends = [lines[0][8], lines[1][12]].map(|end| {
        let end = system.aig.and(end, gate);
        system.aig.xor(end, input)
    });
    let watchers = designs::register(&mut system, 2, Init::Zero);
    designs::set_next(&mut system, &watchers, &ends);
    let bad = system.aig.xor(watchers[0], watchers[1]);
    system.add_bad(bad, None);
    let (verdict, statistics) = run(&system, true);
    let Verdict::Unsafe(trace) = verdict else { panic!("the ends differ after ten steps") };
    circuit::replay(&system, &trace, 0).expect("the trace replays");
    assert!(statistics.queries[Phase::Seed as usize] > 0);
}
