//! Lowers all C files that are listed in the file that `CAIRN_CORPUS` names, one a line after its
//! data model (`ILP32` or `LP64`), and reports what is rejected. With `CAIRN_RUNS`, executes each so
//! often with random inputs, and reports how the runs end.

use front_c::compile::{Input, Options, compile};
use front_c::lower::{self, lower};
use front_c::types::DataModel;
use program::interpret::{Interpreter, Limits, Outcome, Random};
use program::{Program, Property};
use std::time::{Duration, Instant};

/// How random runs end that violate a property or are undefined.
fn execute(program: &Program, file: &str, runs: u64) {
    let interpreter = match Interpreter::new(program) {
        Ok(interpreter) => interpreter.with_properties(&[Property::Reach, Property::Assert]),
        Err(error) => {
            println!("MALFORMED {file}: {error:?}");
            return;
        }
    };
    let mut limits = Limits { steps: 200_000, ..Limits::default() };
    limits.allowance.deadline = Some(Instant::now() + Duration::from_millis(500));
    let interpreter = interpreter.with_limits(limits);
    for seed in 0..runs {
        let outcome = interpreter.run(&mut Random::new(seed));
        match outcome {
            Outcome::Violation { property, at, .. } => {
                println!("VIOLATES {file}: {property} {}", at.place(program));
            }
            Outcome::Undefined { fault, at } => {
                println!("UNDEFINED {file}: {}: {fault}", at.place(program));
            }
            _ => {}
        }
    }
}

#[test]
#[ignore = "needs a list of files"]
fn corpus() {
    let list = std::env::var("CAIRN_CORPUS").expect("CAIRN_CORPUS names a list of files");
    let list = std::fs::read_to_string(list).expect("the list is readable");
    let all = std::env::var("CAIRN_CHECKS").is_ok();
    let runs = std::env::var("CAIRN_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mut accepted, mut total) = (0, 0);
    for line in list.lines() {
        let Some((model, file)) = line.split_once(' ') else { continue };
        let model = if model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
        total += 1;
        let begin = Instant::now();
        let compiled = match compile(&[Input::File(file.into())], &Options::new(model)) {
            Ok(compiled) => compiled,
            Err(error) => {
                println!("UNREADABLE {file}: {error}");
                continue;
            }
        };
        let Some(program) = &compiled.program else {
            let message = compiled.errors().next().map_or("", |e| &e.message);
            println!("TYPES {file}: {message}");
            continue;
        };
        let typed = begin.elapsed();
        let begin = Instant::now();
        let mut options = lower::Options::default();
        if all {
            options.properties = Property::ALL.to_vec();
        }
        match lower(program, &compiled.sources, &options) {
            Ok(lowered) => {
                accepted += 1;
                let time = begin.elapsed();
                let edges: usize = lowered
                    .program
                    .functions
                    .iter()
                    .filter_map(|(_, f)| f.body.as_ref())
                    .map(|b| b.edges.len())
                    .sum();
                println!("OK {file}: {edges} edges, {typed:?} typing, {time:?} lowering");
                for assumption in &lowered.program.assumptions {
                    println!("ASSUMES {file}: {}", assumption.text);
                }
                execute(&lowered.program, file, runs);
                if let Err(broken) = program::wellformed::check(&lowered.program) {
                    println!("BROKEN {file}: {broken}");
                }
            }
            Err(errors) => {
                for error in &errors {
                    println!("REJECTED {file}: {}", error.message);
                }
            }
        }
    }
    println!("{accepted} of {total}");
}
