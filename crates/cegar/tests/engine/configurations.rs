//! The engine as the tests ask it: with every configuration, and proofs given to the certifier.

use cegar::{Abstraction, Options};
use kit::automata::Automaton;
use program::verdict::{Proof, Verdict};
use smt::interpolate::{self, System};
use smt::{Allowance, Standard};
use std::time::Duration;

pub fn check(automaton: &Automaton, options: &Options) -> Verdict {
    check_watched(automaton, options, &mut ())
}

pub fn check_watched(
    automaton: &Automaton,
    options: &Options,
    observer: &mut dyn cegar::Observer,
) -> Verdict {
    let allowance = Allowance::default().within(Duration::from_secs(60));
    cegar::check(&automaton.pool, &automaton.cfa, options, &Standard, &allowance, observer)
}

/// Checks the evidence of a verdict, state by state and with the certifier. Returns whether it is safe;
/// `None` if unknown.
pub fn examine(automaton: &Automaton, verdict: &Verdict) -> Option<bool> {
    if let Verdict::Safe(proof) = verdict {
        certify(automaton, proof);
    }
    automaton.examine(verdict)
}

/// Lets the certifier check a proof.
pub fn certify(automaton: &Automaton, proof: &Proof) {
    assert!(matches!(proof, Proof::Inductive(_)), "the engine has invariants");
    let allowance = Allowance::default();
    let checked = certify::check_program(&automaton.pool, &automaton.cfa, proof, &allowance);
    assert_eq!(checked, Ok(()));
}

/// All configurations that are tested.
pub fn configurations() -> Vec<(&'static str, Options)> {
    let default = Options::default();
    let boolean = Options { abstraction: Abstraction::Boolean, ..default };
    let with = |options: Options, words: bool, system: System| {
        let interpolation = interpolate::Options { words, system, ..options.interpolation };
        Options { interpolation, ..options }
    };
    vec![
        ("default", default),
        ("Boolean", boolean),
        ("bits", with(default, false, System::McMillan)),
        ("Boolean, bits, Pudlák", with(boolean, false, System::Pudlak)),
        ("dual", with(default, true, System::DualMcMillan)),
    ]
}
