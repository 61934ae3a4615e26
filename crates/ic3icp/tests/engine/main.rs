//! The engine against the search of all states, and on small controllers.

mod configurations;
mod controllers;
mod kit_of_engines;
mod small_floats;

use answer::Allowance;
use certify::check_program;
use ic3icp::Options;
use kit::automata::Automaton;
use program::Verdict;
use smt::Standard;

/// What the engine says.
fn decide(automaton: &Automaton, options: &Options) -> Verdict {
    let (pool, cfa) = (&automaton.pool, &automaton.cfa);
    ic3icp::check(pool, cfa, options, &Standard, &Allowance::default(), &mut ())
}

/// Options given as assignments.
fn options(text: &str) -> Options {
    let mut options = Options::default();
    for assignment in text.split_whitespace() {
        options.assign(assignment).expect("an option");
    }
    options
}

/// The verdict is right, and its evidence is accepted.
fn examine(automaton: &Automaton, safe: bool, context: &str, text: &str) {
    let verdict = decide(automaton, &options(text));
    match &verdict {
        Verdict::Safe(proof) => {
            assert!(safe, "{context}, {text}: a proof of what is wrong");
            check_program(&automaton.pool, &automaton.cfa, proof, &Allowance::default())
                .unwrap_or_else(|rejection| panic!("{context}, {text}: {rejection}"));
        }
        Verdict::Unsafe(_) => {
            assert!(!safe, "{context}, {text}: a run into an error that is not there");
            assert_eq!(automaton.examine(&verdict), Some(false), "{context}, {text}");
        }
        Verdict::Unknown(reason) => panic!("{context}, {text}: {reason}"),
    }
}
