//! What execution says of two versions of a function of two small numbers and a global variable.

use answer::Allowance;
use equivalence::inputs::{Constants, Inputs};
use equivalence::observe::{Observed, Run, Trial};
use equivalence::read::Version;
use term::Value;
use value::Bits;
use verify::{Input, Reading};

/// A number that the environment may give.
pub fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Both versions, from their texts.
pub fn read(texts: &[String; 2]) -> [Version; 2] {
    [0, 1].map(|i| {
        let input = Input::Text { name: "f.i".into(), text: texts[i].clone().into_bytes() };
        Version::read(&[input], &Reading::default()).expect("it can be read")
    })
}

/// Whether execution on all inputs gives the same, of runs that are defined in both versions.
pub fn truth(versions: &[Version; 2]) -> bool {
    let programs = [0, 1].map(|i| versions[i].lower("f").expect("it can be lowered"));
    let trials = [0, 1].map(|i| Trial::new(&programs[i], "f").expect("it is called"));
    let constants = Constants::default();
    let number = |n: u64| Value::Bits(Bits::from_u64(32, n));
    for input in 0..256u64 {
        let fixed = [("#0", input & 7), ("#1", input >> 3 & 7), ("g", input >> 6)];
        let fixed = fixed.into_iter().map(|(name, n)| (name.to_owned(), number(n))).collect();
        let inputs = Inputs { seed: 0, fixed };
        let seen = [0, 1].map(|i| {
            let run = trials[i].run(&inputs, &constants, (1, false), &Allowance::default());
            match run.expect("it can be executed") {
                Run::Ended(seen) => Some(seen),
                _ => None,
            }
        });
        if let [Some(old), Some(new)] = seen {
            let outputs = |seen: &Observed| (seen.results.clone(), seen.globals.get("g").cloned());
            if outputs(&old) != outputs(&new) {
                return false;
            }
        }
    }
    true
}
