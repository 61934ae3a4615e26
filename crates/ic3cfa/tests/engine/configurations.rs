//! The engine as the tests ask it: with every configuration.

use kit::automata::Automaton;
use program::verdict::Verdict;
use std::time::Duration;

pub fn check(automaton: &Automaton, options: &ic3cfa::Options) -> Verdict {
    check_watched(automaton, options, &mut ())
}

pub fn check_watched(
    automaton: &Automaton,
    options: &ic3cfa::Options,
    observer: &mut dyn ic3cfa::Observer,
) -> Verdict {
    let allowance = smt::Allowance::default().within(Duration::from_secs(60));
    let Automaton { pool, cfa } = automaton;
    ic3cfa::check(pool, cfa, options, &smt::Standard, &allowance, observer)
}

/// All configurations that are tested.
pub fn configurations() -> Vec<(String, ic3cfa::Options)> {
    let preset = |c: char| (c.to_string(), ic3cfa::Options::preset(c).expect("a letter to Q"));
    let default = ic3cfa::Options::default();
    let mut all: Vec<(String, ic3cfa::Options)> = ('A'..='Q').map(preset).collect();
    all.push(("default".into(), default));
    // What is switched differently, from our own choice and from configurations of the thesis.
    let variants: [(Option<char>, &str); 21] = [
        (None, "case-split=off"),
        (None, "loop-premise=off"),
        (None, "seeds=off saturate=off"),
        (None, "seeds=off"),
        (None, "cached-answers=100"),
        (None, "rel-ind-alt=off"),
        (None, "semantic-termination=on"),
        (None, "may-obligations=on"),
        (None, "query-form=check"),
        (None, "query-form=check-and-filter"),
        (None, "non-critical-conflicts=0"),
        (None, "literal-search=binary"),
        (Some('B'), "literal-search=binary unsat-cores=off"),
        (Some('D'), "literal-search=binary cached-answers=0"),
        (Some('O'), "literal-search=binary unsat-cores=off"),
        (Some('A'), "semantic-termination=on"),
        (Some('E'), "semantic-termination=on obligation-order=random unsat-cores=off"),
        (Some('H'), "query-form=check"),
        (Some('O'), "interpolation=all-edges pre-cubes=off"),
        (Some('O'), "unsat-cores=off cached-answers=100"),
        (Some('O'), "extended-context=on propagate=on may-obligations=on"),
    ];
    for (letter, text) in variants {
        let mut options = letter.and_then(ic3cfa::Options::preset).unwrap_or(default);
        for assignment in text.split_whitespace() {
            options.assign(assignment).expect("an option");
        }
        all.push((format!("{} {text}", letter.unwrap_or('-')), options));
    }
    all
}
