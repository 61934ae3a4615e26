//! The whole tool against exhaustive execution: random small C programs, executed by the
//! interpreter on every combination of their inputs, get the verdict that follows.
//!
//! `cargo test` tries a few. `CAIRN_RANDOM_PROGRAMS=20000 cargo test --release -p cairn --test
//! random_programs` tries so many, from the seed `CAIRN_RANDOM_START` on, so that parts can run
//! side by side.

#[path = "random_programs/generate.rs"]
mod generate;

use front_c::compile::{Input, Options, compile};
use front_c::types::DataModel;
use program::interpret::{Interpreter, Limits, Oracle, Outcome, Request};
use program::program::Cause;
use program::{Program, Property};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::PathBuf;
use std::process::Command;
use term::{Sort, Value};
use value::Bits;

/// How many values an input has.
const VALUES: u64 = 8;
/// Programs with more combinations of inputs are passed over.
const MAX_RUNS: usize = 5_000;

/// Hands out a sequence of inputs, zeros behind its end, and remembers how many were asked for.
struct Sequence {
    inputs: Vec<u64>,
    asked: usize,
}

impl Oracle for Sequence {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let (Cause::Input(_), Sort::BitVec(width)) = (request.cause, request.sort) else {
            return None;
        };
        if self.asked == self.inputs.len() {
            self.inputs.push(0);
        }
        self.asked += 1;
        Some(Value::Bits(Bits::from_u64(width, self.inputs[self.asked - 1])))
    }
}

/// Whether some run violates an assertion; none if there are too many runs, or one is too long.
fn exhaustive(program: &Program) -> Option<bool> {
    let interpreter = Interpreter::new(program)
        .expect("lowered programs are well-formed")
        .with_properties(&[Property::Reach])
        .with_limits(Limits { steps: 20_000, ..Limits::default() });
    let mut inputs = Vec::new();
    for _ in 0..MAX_RUNS {
        let mut oracle = Sequence { inputs, asked: 0 };
        match interpreter.run(&mut oracle) {
            Outcome::Violation { .. } => return Some(true),
            Outcome::Stopped { .. } => return None,
            Outcome::Undefined { at, fault } => {
                panic!("generated programs are defined, but {fault} at {}", at.place(program))
            }
            Outcome::Finished { .. } | Outcome::Ended { .. } => {}
        }
        // The next sequence in order: the last input that can grow grows.
        inputs = oracle.inputs;
        inputs.truncate(oracle.asked);
        while inputs.last() == Some(&(VALUES - 1)) {
            inputs.pop();
        }
        match inputs.last_mut() {
            Some(last) => *last += 1,
            None => return Some(false),
        }
    }
    None
}

fn lowered(text: &str) -> Program {
    let input = Input::Text { name: "random.c".to_owned(), text: text.as_bytes().to_vec() };
    let compiled = compile(&[input], &Options::new(DataModel::Lp64)).expect("a text can be read");
    let typed = compiled.program.as_ref().expect("generated programs are correct C");
    let options = front_c::lower::Options::default();
    match front_c::lower::lower(typed, &compiled.sources, &options) {
        Ok(lowered) => lowered.program,
        Err(errors) => panic!("{}", errors[0].render(&compiled.sources)),
    }
}

/// The engines that take turns in answering.
const ENGINES: [&str; 11] = [
    "auto",
    "bmc",
    "ic3",
    "ic3cfa",
    "kind",
    "ic3smt",
    "treeic3",
    "summaries",
    "icp",
    "itp",
    "procedures",
];

/// Whether the tool calls a program of the generator's safe, if it knows; `None` if the program has
/// too many inputs to be executed on all.
///
/// # Panics
/// If the answer is not that of exhaustive execution, or none.
fn verdict(seed: u64, engine: &str, cone: bool) -> Option<Option<bool>> {
    let text = generate::program(&mut StdRng::seed_from_u64(seed));
    let violated = exhaustive(&lowered(&text))?;
    let name = format!("random-{}-{seed}.i", std::process::id());
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, &text).expect("the directory is writable");
    let output = Command::new(env!("CARGO_BIN_EXE_cairn"))
        .args(["check", "--quiet", "--data-model", "LP64", "--property", "reach"])
        .args(["--engine", engine, "--time-limit", "5"])
        .args(cone.then_some("--cone"))
        .arg(&path)
        .output()
        .expect("cairn runs");
    // Nothing depends on whether the file is left behind.
    let _ = std::fs::remove_file(&path);
    let case = || {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("seed {seed}, engine {engine}, cone {cone}: {errors}\n{text}")
    };
    match output.status.code() {
        Some(0) => assert!(!violated, "safe, but it is not: {}", case()),
        Some(10) => assert!(violated, "unsafe, but it is not: {}", case()),
        Some(5) => return Some(None),
        _ => panic!("no verdict: {}", case()),
    }
    Some(Some(!violated))
}

#[test]
fn verdicts_are_those_of_exhaustive_execution() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let count = number("CAIRN_RANDOM_PROGRAMS").unwrap_or(60);
    let start = number("CAIRN_RANDOM_START").unwrap_or(0);
    let (mut safe, mut unsafe_, mut unknown) = (0, 0, 0);
    for seed in start..start + count {
        let (round, turn) = (seed as usize / ENGINES.len(), seed as usize % ENGINES.len());
        // Every second round with the cone of the property alone.
        match verdict(seed, ENGINES[turn], round % 2 == 1) {
            Some(Some(true)) => safe += 1,
            Some(Some(false)) => unsafe_ += 1,
            Some(None) => unknown += 1,
            None => {}
        }
    }
    println!("{safe} safe, {unsafe_} unsafe, {unknown} unknown");
    assert!(safe > 0 && unsafe_ > 0, "both verdicts occur");
    assert!(unknown * 4 <= safe + unsafe_, "{unknown} unknown, {safe} safe, {unsafe_} unsafe");
}

/// Programs that found a mistake once.
#[test]
fn mistakes_do_not_come_back() {
    // The invariants of the analysis left a cycle without one, so its proof was refused.
    assert_eq!(verdict(600_724, "kind", false), Some(Some(true)));
}
