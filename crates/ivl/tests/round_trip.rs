//! Printing and reading are inverse: what is read from a printed program is equal to it, does
//! the same in the interpreter, and is printed as the same text.

#[path = "../../front-c/tests/interpreter/generate/mod.rs"]
mod generate;
mod support;

use front_c::compile::Input;
use front_c::types::DataModel;
use support::{lowered, lowered_from, outcome, round_trip};

const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

/// The C texts of the front end's own tests; see `crates/front-c/tests/lowering.rs` for the form.
const TEXTS: [(&str, &str); 8] = [
    ("calls", include_str!("../../front-c/tests/lowering/calls.c")),
    ("control", include_str!("../../front-c/tests/lowering/control.c")),
    ("extensions", include_str!("../../front-c/tests/lowering/extensions.c")),
    ("floats", include_str!("../../front-c/tests/lowering/floats.c")),
    ("integers", include_str!("../../front-c/tests/lowering/integers.c")),
    ("library", include_str!("../../front-c/tests/lowering/library.c")),
    ("memory", include_str!("../../front-c/tests/lowering/memory.c")),
    ("wide", include_str!("../../front-c/tests/lowering/wide.c")),
];

fn expand(text: &str) -> String {
    let line = |(i, line): (usize, &str)| match line.trim_start().strip_prefix("? ") {
        Some(condition) => format!("if (!({condition})) return {};\n", i % 250 + 1),
        None => format!("{line}\n"),
    };
    text.lines().enumerate().map(line).collect()
}

#[test]
fn lowered_programs_come_back() {
    let mut count = 0;
    for (name, texts) in TEXTS {
        for text in texts.split("\n----").map(|t| t.trim_start_matches('-')) {
            for model in MODELS {
                if name == "wide" && model == DataModel::Ilp32 {
                    continue;
                }
                let program = lowered(&expand(text), model);
                let again = round_trip(&program);
                for seed in 0..2 {
                    let outcomes = [&program, &again].map(|p| outcome(p, seed, 200_000));
                    assert_eq!(outcomes[0], outcomes[1], "{name}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 16, "{count} programs");
}

#[test]
fn examples_come_back() {
    for name in ["ring", "euclid", "gcd", "position_encoder"] {
        let path = format!("{}/../../examples/{name}.c", env!("CARGO_MANIFEST_DIR"));
        let program = lowered_from(Input::File(path.into()), DataModel::Lp64);
        let again = round_trip(&program);
        for seed in 0..20 {
            let outcomes = [&program, &again].map(|p| outcome(p, seed, 20_000));
            assert_eq!(outcomes[0], outcomes[1]);
        }
    }
}

#[test]
fn random_c_programs_come_back() {
    for seed in 0..40 {
        let size = generate::SIZES[seed as usize % 3];
        let main = "int main(void)\n{\n    return f_run() != 0;\n}\n";
        let text = format!("{}{}{main}", generate::PRELUDE, generate::program(seed, size, "f_"));
        let program = lowered(&text, MODELS[seed as usize % 2]);
        let again = round_trip(&program);
        let outcomes = [&program, &again].map(|p| outcome(p, seed, 200_000));
        assert_eq!(outcomes[0], outcomes[1]);
    }
}

/// Programs over all instructions, sorts and operators.
#[test]
fn random_programs_come_back() {
    let seeds = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for seed in 0..seeds {
        let program = support::random::program(seed);
        program::wellformed::check(&program).expect("the generator makes well-formed programs");
        round_trip(&program);
    }
}
