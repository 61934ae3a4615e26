//! Programs that check themselves: the interpreter executes what they are lowered to, and gcc
//! what they are; both must say that all is well.
//!
//! In the texts under `lowering/`, a line `? condition` stands for a `return` of the line's number
//! if the condition does not hold; a line of dashes separates programs.

mod gcc;
#[path = "lowering/texts.rs"]
mod texts;

use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, World, lower};
use front_c::types::DataModel;
use program::Property;
use program::interpret::{Interpreter, Outcome, Random};
use proptest::prelude::*;
use proptest::sample::Index;
use std::process::Command;
use term::Value;
use texts::TEXTS;

/// The program with its conditions as C.
fn expand(text: &str) -> String {
    let line = |(i, line): (usize, &str)| match line.trim_start().strip_prefix("? ") {
        Some(condition) => format!("if (!({condition})) return {};\n", i % 250 + 1),
        None => format!("{line}\n"),
    };
    text.lines().enumerate().map(line).collect()
}

/// What the interpreter makes of the lowered program.
fn interpret(source: &str, model: DataModel) -> Outcome {
    let input = Input::Text { name: "test.c".into(), text: source.as_bytes().to_vec() };
    let compiled = compile(&[input], &Options::new(model)).expect("a small text can be read");
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed = compiled.program.as_ref();
    let typed = typed.unwrap_or_else(|| panic!("{}\n{source}", errors.join("\n")));
    // What gcc makes gets its memory.
    let mut options = lower::Options { world: World::SV_COMP, ..lower::Options::default() };
    options.properties.push(Property::Pointer);
    let lowered = lower(typed, &compiled.sources, &options).unwrap_or_else(|errors| {
        let texts: Vec<String> = errors.iter().map(|e| e.render(&compiled.sources)).collect();
        panic!("{}\n{source}", texts.join("\n"))
    });
    let program = lowered.program;
    program::wellformed::check(&program).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let interpreter = Interpreter::new(&program).expect("a well-formed program");
    interpreter.with_properties(&options.properties).run(&mut Random::new(1))
}

/// The exit code of the program that gcc makes; none without gcc.
fn execute(source: &str, model: DataModel, name: &str) -> Option<i32> {
    let base = std::env::temp_dir().join(format!("lowering-{}-{name}", std::process::id()));
    let (text, binary) = (base.with_extension("c"), base.with_extension("exe"));
    std::fs::write(&text, source).ok()?;
    let flags: &[&str] = match model {
        DataModel::Lp64 => &["-m64"],
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse"],
    };
    let built = Command::new("gcc")
        .args(["-w", "-std=gnu11", "-O0", "-fwrapv", "-fno-strict-aliasing", "-frounding-math"])
        .args(flags)
        .arg(&text)
        .arg("-o")
        .arg(&binary)
        .arg("-lm")
        .status();
    let code = match built {
        Ok(status) if status.success() => Command::new(&binary).status().ok()?.code(),
        _ => None,
    };
    let _ = (std::fs::remove_file(&text), std::fs::remove_file(&binary));
    code
}

fn check_file(name: &str) {
    check_models(name, &gcc::MODELS);
}

fn check_models(name: &str, models: &[DataModel]) {
    let (_, text) = TEXTS.iter().find(|(other, _)| *other == name).expect("there is such a text");
    for (i, part) in text.split("\n----\n").enumerate() {
        let source = expand(part);
        for &model in models {
            let outcome = interpret(&source, model);
            let good = match &outcome {
                Outcome::Finished { results } => {
                    matches!(&results[..], [Value::Bits(bits)] if bits.is_zero())
                }
                _ => false,
            };
            assert!(good, "{name} {i} {model:?}: {outcome:?}\n{source}");
            if gcc::available(model) {
                let code = execute(&source, model, &format!("{name}{i}"));
                assert_eq!(code, Some(0), "gcc {name} {i} {model:?}\n{source}");
            }
        }
    }
}

#[test]
fn integers() {
    check_file("integers");
}

#[test]
fn control() {
    check_file("control");
}

#[test]
fn memory() {
    check_file("memory");
}

#[test]
fn calls() {
    check_file("calls");
}

#[test]
fn floats() {
    check_file("floats");
}

#[test]
fn library() {
    check_file("library");
}

#[test]
fn extensions() {
    check_file("extensions");
}

/// `__int128` is there where long has 64 bits.
#[test]
fn wide_integers() {
    check_models("wide", &[DataModel::Lp64]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Words of the programs exchanged: whatever is still a program is lowered, or rejected.
    #[test]
    fn mutated_programs_are_lowered_or_rejected(
        text in 0..TEXTS.len(),
        edits in proptest::collection::vec((any::<Index>(), any::<Index>()), 1..8),
    ) {
        let source = expand(TEXTS[text].1.split("\n----\n").next().unwrap_or_default());
        let separators = [' ', ';', '(', ')', '{', '}', '[', ']', ',', '*', '.', '\n'];
        let mut words: Vec<&str> = source.split_inclusive(separators).collect();
        for (at, other) in edits {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            words[at] = words[other];
        }
        let source = words.concat();
        let compiled = gcc::ours(&source, DataModel::Lp64);
        if let Some(program) = &compiled.program {
            gcc::lower_all(program, &compiled.sources, &source);
        }
    }
}
