//! Random automata, all of whose states are visited: what the analysis says of them is true, with
//! every source of guesses and without each, and whatever it may cost.

use analysis::{Analysis, Options, analyze};
use answer::{Allowance, Interrupt};
use certify::check_program;
use kit::programs::{Case, known, random};
use program::Cfa;
use program::explicit::{Search, holds, search};
use program::verdict::Proof;
use smt::Standard;
use std::time::{Duration, Instant};
use term::Term;

const SEEDS: u64 = 100;

/// A way to change options, and what it is called.
type Change = (&'static str, fn(&mut Options));

/// Each source, switched off.
const WITHOUT: &[Change] = &[
    ("ranges", |options| options.ranges = false),
    ("zones", |options| options.zones = false),
    ("equations", |options| options.equations = false),
    ("guards", |options| options.guards = false),
    ("elements", |options| options.elements = false),
];

/// Efforts that are soon used up.
const LITTLE: &[Change] = &[
    ("evaluations", |options| options.evaluations = 0),
    ("a few evaluations", |options| options.evaluations = 40),
    ("queries", |options| options.queries = 0),
    ("a few queries", |options| options.queries = 5),
    ("conflicts", |options| options.conflicts = 0),
];

/// All states of a case: also those behind the error.
fn states(case: &Case) -> Search {
    let open: Vec<Term> = case.cfa.variables.keys().copied().collect();
    let harmless = Cfa { error: None, ..case.cfa.clone() };
    let search = search(&case.pool, &harmless, &open, 200_000);
    assert!(!search.limited, "{}", case.name);
    search
}

fn run(case: &Case, options: &Options, allowance: &Allowance) -> Analysis {
    analyze(&case.pool, &case.cfa, options, &Standard, allowance).expect("no solver fails")
}

/// How many formulas an analysis found; all hold in all states of their locations.
fn all_hold(case: &Case, states: &Search, found: &Analysis, context: &str) -> usize {
    let mut formulas = 0;
    for (location, invariant) in found.invariant.at.iter() {
        formulas += invariant.len();
        let reached = states.reached.get(&location);
        for state in reached.into_iter().flatten() {
            for &formula in invariant {
                assert!(
                    holds(&case.pool, &states.variables, formula, state),
                    "{context}: {formula:?} at {location:?} in {state:?} of {}",
                    case.name
                );
            }
        }
    }
    formulas
}

/// `safe` is said of safe programs only, and `certify` agrees.
fn verdict_is_right(case: &Case, found: &Analysis, context: &str) {
    if !found.safe {
        return;
    }
    assert!(case.safe, "{context}: {}", case.name);
    let proof = Proof::Inductive(found.invariant.clone());
    check_program(&case.pool, &case.cfa, &proof, &Allowance::default())
        .unwrap_or_else(|rejection| panic!("{context}: {rejection}: {}", case.name));
}

fn cases() -> impl Iterator<Item = Case> {
    (0..SEEDS).filter_map(random)
}

#[test]
fn formulas_hold_in_every_state() {
    let (mut formulas, mut safe, mut proved) = (0, 0, 0);
    for case in cases() {
        let found = run(&case, &Options::default(), &Allowance::default());
        formulas += all_hold(&case, &states(&case), &found, "all sources");
        verdict_is_right(&case, &found, "all sources");
        safe += usize::from(case.safe);
        proved += usize::from(found.safe);
    }
    assert!(formulas > 10, "{formulas} formulas");
    assert!(proved * 2 > safe, "{proved} of {safe} safe ones are proved");
}

#[test]
fn each_source_can_be_left_out() {
    let mut formulas = vec![0; WITHOUT.len()];
    for case in cases().take(30) {
        let states = states(&case);
        for ((name, without), formulas) in WITHOUT.iter().zip(&mut formulas) {
            let mut options = Options::default();
            without(&mut options);
            let found = run(&case, &options, &Allowance::default());
            let context = format!("without {name}");
            *formulas += all_hold(&case, &states, &found, &context);
            verdict_is_right(&case, &found, &context);
        }
    }
    assert!(formulas.iter().all(|count| *count > 3), "{formulas:?}");
}

#[test]
fn each_source_can_be_alone() {
    for case in cases().take(30) {
        let states = states(&case);
        for (name, _) in WITHOUT {
            let mut options = Options::default();
            for (_, without) in WITHOUT.iter().filter(|(other, _)| other != name) {
                without(&mut options);
            }
            let found = run(&case, &options, &Allowance::default());
            let context = format!("only {name}");
            all_hold(&case, &states, &found, &context);
            verdict_is_right(&case, &found, &context);
        }
    }
}

#[test]
fn without_sources_nothing_is_guessed() {
    let mut options = Options::default();
    WITHOUT.iter().for_each(|(_, without)| without(&mut options));
    for case in cases().take(30) {
        let found = run(&case, &options, &Allowance::default());
        assert_eq!(all_hold(&case, &states(&case), &found, "no source"), 0, "{}", case.name);
        verdict_is_right(&case, &found, "no source");
    }
}

#[test]
fn little_effort_is_no_excuse_for_what_is_wrong() {
    for case in cases().take(30) {
        let states = states(&case);
        for (name, little) in LITTLE {
            let mut options = Options::default();
            little(&mut options);
            let found = run(&case, &options, &Allowance::default());
            all_hold(&case, &states, &found, name);
            verdict_is_right(&case, &found, name);
        }
    }
}

#[test]
fn without_questions_nothing_is_believed() {
    let mut asked = 0;
    for case in known() {
        let all = run(&case, &Options::default(), &Allowance::default());
        let formulas = all.invariant.at.iter().map(|(_, formulas)| formulas.len()).sum::<usize>();
        asked += usize::from(formulas > 0);
        let found =
            run(&case, &Options { queries: 0, ..Options::default() }, &Allowance::default());
        let unproved = found.invariant.at.iter().map(|(_, formulas)| formulas.len()).sum::<usize>();
        assert_eq!(unproved, 0, "{}: {:?}", case.name, found.invariant);
    }
    assert!(asked > 3, "{asked} cases have invariants");
}

#[test]
fn known_programs_have_right_answers() {
    let mut proved = Vec::new();
    for case in known() {
        let found = run(&case, &Options::default(), &Allowance::default());
        verdict_is_right(&case, &found, "all sources");
        if found.safe {
            proved.push(case.name);
        }
    }
    for name in ["straight", "counter", "in step", "even", "two loops", "dead error"] {
        assert!(proved.iter().any(|proved| proved == name), "{name} is not among {proved:?}");
    }
}

#[test]
fn whoever_is_stopped_claims_nothing() {
    let raised = Interrupt::new();
    raised.raise();
    let late = Allowance::default().until(Instant::now());
    for case in known().into_iter().chain(cases().take(20)) {
        let whole = run(&case, &Options::default(), &Allowance::default());
        for allowance in [Allowance::interruptible(raised.clone()), late.clone()] {
            let found = run(&case, &Options::default(), &allowance);
            let formulas = found.invariant.at.iter().map(|(_, found)| found.len()).sum::<usize>();
            // What needs no question is still known.
            assert!(formulas == 0 && (!found.safe || whole.safe), "{}: {found:?}", case.name);
            verdict_is_right(&case, &found, "stopped");
        }
    }
}

#[test]
fn a_deadline_is_obeyed() {
    // Long enough that some run is stopped in its middle, whatever the machine.
    for case in cases().take(20) {
        let states = states(&case);
        for microseconds in [100, 1_000, 5_000] {
            let begun = Instant::now();
            let allowance = Allowance::default().within(Duration::from_micros(microseconds));
            let found = run(&case, &Options::default(), &allowance);
            all_hold(&case, &states, &found, "in a hurry");
            verdict_is_right(&case, &found, "in a hurry");
            assert!(begun.elapsed() < Duration::from_secs(5), "{}", case.name);
        }
    }
}
