//! The engine against the search of all states, and on small controllers.

mod configurations;
mod controllers;
mod kit_of_engines;

use answer::Allowance;
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
