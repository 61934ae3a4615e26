//! The front end and the interpreter against gcc: random programs ([`generate`]) compute the
//! same checksums, in both data models.
//!
//! `cargo test` compares some dozens. The long run compares as many as one likes:
//!
//! ```text
//! PROGRAMS=10000 cargo test --release -p cairn-front-c --test interpreter -- --ignored
//! ```
//!
//! `FIRST` is the first seed (0 if it is not set). A difference is reported with the smallest
//! program that shows one among several hundred smaller ones.

mod gcc;
#[path = "interpreter/generate/mod.rs"]
mod generate;
#[path = "interpreter/native.rs"]
mod native;

use front_c::lower::{self, lower};
use front_c::types::DataModel;
use generate::{PRELUDE, SIZES, program};
use program::Property;
use program::interpret::{Effect, Fixed, Interpreter, Limits, Outcome, Step};

/// Programs in one file for gcc.
const BATCH: usize = 20;

/// The sizes of programs by their seeds: more small ones, as large ones take gcc long.
const MIX: [usize; 6] = [1, 2, 1, 3, 1, 2];

/// Steps that no generated program needs.
const STEPS: u64 = 50_000_000;

/// The checksum of a program by the interpreter, or why there is none.
fn interpreted(text: &str, prefix: &str, model: DataModel) -> Result<u64, String> {
    let main = format!("int main(void)\n{{\n    return {prefix}run() != 0;\n}}\n");
    let text = format!("{PRELUDE}{text}{main}");
    let compiled = gcc::ours(&text, model);
    let errors: Vec<String> = compiled.errors().map(|e| e.render(&compiled.sources)).collect();
    let typed = compiled.program.as_ref().ok_or_else(|| errors.join("\n"))?;
    // What gcc makes gets its memory.
    let options = lower::Options { world: lower::World::SV_COMP, ..lower::Options::default() };
    let lowered = lower(typed, &compiled.sources, &options);
    let lowered = lowered.map_err(|errors| {
        errors.iter().map(|e| e.render(&compiled.sources)).collect::<Vec<_>>().join("\n")
    })?;
    let program = &lowered.program;
    let run = format!("{prefix}run");
    let mut checksum = None;
    let mut listen = |step: &Step<'_>| {
        if let Effect::Returned(function, results) = &step.effect
            && *program.functions[*function].name == *run
            && let [(_, value)] = results
        {
            checksum = value.as_bits().and_then(|bits| bits.to_u64());
        }
    };
    let interpreter = Interpreter::new(program).map_err(|e| e.to_string())?;
    // What is undefined is a mistake of the generator or of us, and to be seen.
    let interpreter = interpreter
        .with_properties(&[Property::Pointer, Property::Bounds, Property::DivisionByZero])
        .with_limits(Limits { steps: STEPS, ..Limits::default() });
    match interpreter.watch(&mut Fixed::default(), &mut listen) {
        Outcome::Finished { .. } => checksum.ok_or_else(|| "no checksum was returned".into()),
        other => {
            let place = other.position().map(|at| at.place(program).to_string());
            Err(format!("the run ends otherwise, at {place:?}: {other:?}"))
        }
    }
}

/// The programs of some seeds, with their prefixes.
fn programs(seeds: std::ops::Range<u64>, size: impl Fn(u64) -> usize) -> Vec<(String, String)> {
    let text = |seed: u64| {
        let prefix = format!("p{seed}_");
        let text = program(seed, SIZES[size(seed)], &prefix);
        (prefix, text)
    };
    seeds.map(text).collect()
}

fn mixed(seed: u64) -> usize {
    MIX[(seed % MIX.len() as u64) as usize]
}

/// Compares the programs: those that differ, with what is different.
fn differences(programs: &[(String, String)], model: DataModel) -> Vec<(String, String)> {
    let mut different = Vec::new();
    for batch in programs.chunks(BATCH) {
        let expected = match native::checksums(batch, model) {
            Ok(expected) => expected,
            Err(why) => panic!("gcc: {why}"),
        };
        for ((prefix, text), expected) in batch.iter().zip(expected) {
            match interpreted(text, prefix, model) {
                Ok(ours) if ours == expected => {}
                Ok(ours) => {
                    different.push((text.clone(), format!("{ours}, but gcc says {expected}")));
                }
                Err(why) => different.push((text.clone(), why)),
            }
        }
    }
    different
}

/// Compares the programs of some seeds, of mixed sizes, and panics with a small program that
/// differs, if there is any.
fn compare(seeds: std::ops::Range<u64>, model: DataModel) {
    let different = differences(&programs(seeds, mixed), model);
    if different.is_empty() {
        return;
    }
    let smaller = (0..SIZES.len() - 1).find_map(|size| {
        let found = differences(&programs(0..200, |_| size), model);
        found.into_iter().min_by_key(|(text, _)| text.len())
    });
    let count = different.len();
    let least = different.into_iter().chain(smaller).min_by_key(|(text, _)| text.len());
    let (text, why) = least.expect("the list is not empty");
    panic!("{count} programs differ for {model:?}; the smallest found:\n{text}\n{why}");
}

fn compare_some(seeds: std::ops::Range<u64>, model: DataModel) {
    if gcc::available(model) {
        compare(seeds, model);
    }
}

#[test]
fn random_programs_agree_with_64_bits() {
    compare_some(0..80, DataModel::Lp64);
}

#[test]
fn random_programs_agree_with_32_bits() {
    compare_some(0..80, DataModel::Ilp32);
}

#[test]
#[ignore = "takes long; see the head of this file"]
fn long_run() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, count) = (number("FIRST", 0), number("PROGRAMS", 10_000));
    for begin in (first..first + count).step_by(500) {
        let seeds = begin..(begin + 500).min(first + count);
        for model in gcc::MODELS {
            compare_some(seeds.clone(), model);
            eprintln!("{model:?}: programs {} to {} agree", seeds.start, seeds.end - 1);
        }
    }
}
