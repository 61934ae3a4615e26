//! Random programs, and their translations to C as gcc compiles them: after each of several cycles,
//! all variables have the same values.
//!
//! The translation ([`translation`]) has rules of its own: for what types operands are computed in,
//! for timers (by the time at which they started), counters, strings. `PROGRAMS=5000 cargo test
//! --release -p cairn-front-st --test compiled -- --ignored` runs many.

mod common;
mod translation;

use common::{at, observed, written};
use front_st::run::{Seen, run};
use program::interpret::{Limits, Outcome};
use std::fmt::Write as _;
use std::process::Command;
use translation::{PRELUDE, Program, program};

/// When the cycles begin, in milliseconds.
const TIMES: [u64; 6] = [0, 3, 10, 11, 30, 75];
const CYCLES: usize = TIMES.len();

/// What compiled programs print, a line for each cycle of each.
fn compiled(programs: &[Program]) -> Vec<String> {
    let mut text = String::from(PRELUDE);
    programs.iter().for_each(|program| text.push_str(&program.c));
    text.push_str("int main(void) {\n");
    for (number, program) in programs.iter().enumerate() {
        for time in TIMES {
            let _ = writeln!(text, "now = {time}; p{number}_main();");
            for (_, name, ty) in &program.shown {
                let Some(ty) = ty else {
                    let _ = writeln!(text, "printf(\"<%s> \", {name});");
                    continue;
                };
                let _ = match (ty.float, ty.width, ty.signed) {
                    (true, width, _) => writeln!(text, "f{width}({name});"),
                    (_, _, true) => writeln!(text, "printf(\"%\" PRId64 \" \", (int64_t){name});"),
                    _ => writeln!(text, "printf(\"%\" PRIu64 \" \", (uint64_t){name});"),
                };
            }
            text.push_str("printf(\"\\n\");\n");
        }
    }
    text.push_str("return 0; }\n");
    let folder = std::env::temp_dir().join(format!("cairn-st-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the translation");
    let (source, binary) = (folder.join("t.c"), folder.join("t"));
    std::fs::write(&source, text).expect("the translation is written");
    // gcc 12 makes -(double)u of 0.0 - (double)u for unsigned numbers, which is another zero; where it takes
    // nothing for granted about rounding, it does not.
    let gcc = Command::new("gcc")
        .args(["-w", "-O0", "-fwrapv", "-ffp-contract=off", "-frounding-math", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("gcc runs");
    assert!(gcc.status.success(), "{}", String::from_utf8_lossy(&gcc.stderr));
    let output = Command::new(&binary).output().expect("the translation runs");
    assert!(output.status.success(), "the translation crashed");
    let _ = std::fs::remove_dir_all(&folder);
    String::from_utf8_lossy(&output.stdout).lines().map(|l| l.trim_end().to_owned()).collect()
}

/// The same lines as our interpreter has them.
fn interpreted(program: &Program) -> Vec<String> {
    let compiled = observed(&program.st, "main", CYCLES as u64);
    let lowered = match &compiled.lowered {
        Ok(lowered) => lowered,
        Err(_) => panic!("{}\n{}", program.st, common::messages(&compiled).join("\n")),
    };
    program::wellformed::check(&lowered.program).expect("well-formed");
    let cycles: Vec<_> = TIMES.iter().map(|time| at(*time, &[])).collect();
    let limits = Limits { steps: 5_000_000, ..Limits::default() };
    let shown = run(lowered, &cycles, limits).expect("known names");
    assert!(
        matches!(shown.outcome, Outcome::Finished { .. }),
        "{:?}\n{}",
        shown.outcome,
        program.st
    );
    let entries = &lowered.observed.entries;
    let line = |row: &Vec<Seen>| {
        let words = program.shown.iter().map(|(name, ..)| {
            let mut parts = name.split(['.', '[']).map(|part| part.trim_end_matches(']'));
            let root = parts.next().expect("a name");
            let at = entries.iter().position(|e| &*e.name == root).expect("a known variable");
            word(parts.fold(&row[at], part))
        });
        words.collect::<Vec<_>>().join(" ")
    };
    shown.cycles.iter().map(line).collect()
}

/// A field or element.
fn part<'s>(seen: &'s Seen, part: &str) -> &'s Seen {
    match seen {
        Seen::List(values) => &values[part.parse::<usize>().expect("an index")],
        Seen::Fields(fields) => {
            let field = fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(part));
            &field.expect("a field").1
        }
        _ => panic!("{part} of a scalar"),
    }
}

fn word(seen: &Seen) -> String {
    match seen {
        Seen::Real { value, .. } if value.is_nan() => "nan".into(),
        Seen::Real { value, single: true } => (*value as f32).to_bits().to_string(),
        Seen::Real { value, .. } => value.to_bits().to_string(),
        Seen::Text(text) => format!("<{text}>"),
        seen => written(seen),
    }
}

fn compare(seeds: std::ops::Range<u64>) {
    let seeds: Vec<u64> = seeds.collect();
    for batch in seeds.chunks(100) {
        let programs: Vec<Program> =
            (0..).zip(batch).map(|(number, seed)| program(*seed, &format!("p{number}_"))).collect();
        let lines = compiled(&programs);
        for (number, program) in programs.iter().enumerate() {
            let expected = &lines[number * CYCLES..(number + 1) * CYCLES];
            let found = interpreted(program);
            assert_eq!(found, expected, "seed {}\n{}\n{}", batch[number], program.st, program.c);
        }
    }
}

#[test]
fn random_programs_do_what_their_translations_do() {
    compare(0..40);
}

#[test]
#[ignore = "many programs: PROGRAMS=5000 cargo test --release -p cairn-front-st --test compiled -- --ignored"]
fn many_random_programs_do_what_their_translations_do() {
    let count = std::env::var("PROGRAMS").ok().and_then(|count| count.parse().ok());
    let start = std::env::var("START").ok().and_then(|start| start.parse().ok()).unwrap_or(1000);
    compare(start..start + count.unwrap_or(5000));
}
