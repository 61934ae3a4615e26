//! The engine against the search of all states, and on small controllers.

mod configurations;
mod controllers;
mod kit_of_engines;
mod probe;

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

/// What the engine says within so many seconds, with figures on standard error.
fn decide_within(automaton: &Automaton, options: &Options, seconds: u64) -> Verdict {
    let (pool, cfa) = (&automaton.pool, &automaton.cfa);
    let now = std::time::Instant::now();
    let mut st = lemmas::Statistics::default();
    let v = ic3icp::check(
        pool,
        cfa,
        options,
        &Standard,
        &Allowance::default().within(std::time::Duration::from_secs(seconds)),
        &mut st,
    );
    eprintln!(
        "{:?} frames {} lemmas {} obl {} queries {:?} per frame {:?}",
        now.elapsed(),
        st.frames,
        st.lemmas,
        st.obligations,
        st.queries,
        st.lemmas_per_frame
    );
    v
}

/// Options given as assignments.
fn options(text: &str) -> Options {
    let mut options = Options::default();
    for assignment in text.split_whitespace() {
        options.assign(assignment).expect("an option");
    }
    options
}
