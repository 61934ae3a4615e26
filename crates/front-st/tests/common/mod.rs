//! Runs of small programs.

#![allow(dead_code)]

use front_st::compile::{Compiled, Settings, Text, compile};
use front_st::run::{Cycle, Given, Seen, run};
use program::interpret::{Limits, Outcome};

/// Compiles a text to be run.
pub fn observed(text: &str, entry: &str, cycles: u64) -> Compiled {
    let texts = vec![Text { name: "test.st".into(), bytes: text.as_bytes().to_vec() }];
    let settings = Settings { observed: true, cycles: Some(cycles), ..Settings::default() };
    compile(texts, Some(entry), &Default::default(), &settings)
}

/// The messages of a rejected program.
pub fn messages(compiled: &Compiled) -> Vec<String> {
    match &compiled.lowered {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|error| error.render(&compiled.sources)).collect(),
    }
}

/// The values of variables at the end of each cycle, as text.
pub fn values(text: &str, entry: &str, cycles: &[Cycle], names: &[&str]) -> Vec<Vec<String>> {
    let compiled = observed(text, entry, cycles.len() as u64);
    let lowered = match &compiled.lowered {
        Ok(lowered) => lowered,
        Err(_) => panic!("{}", messages(&compiled).join("\n")),
    };
    program::wellformed::check(&lowered.program).expect("well-formed");
    let limits = Limits { steps: 10_000_000, ..Limits::default() };
    let shown = run(lowered, cycles, limits).expect("known names");
    assert!(matches!(shown.outcome, Outcome::Finished { .. }), "{:?}", shown.outcome);
    let row = |row: &Vec<Seen>| {
        let value = |name: &&str| {
            let entries = &lowered.observed.entries;
            let at = entries.iter().position(|entry| entry.name.eq_ignore_ascii_case(name));
            written(&row[at.unwrap_or_else(|| panic!("no variable {name}"))])
        };
        names.iter().map(value).collect()
    };
    shown.cycles.iter().map(row).collect()
}

/// The values of variables after one cycle.
pub fn once(text: &str, entry: &str, names: &[&str]) -> Vec<String> {
    values(text, entry, &[Cycle::default()], names).remove(0)
}

/// A cycle at a time in milliseconds.
pub fn at(milliseconds: u64, set: &[(&str, Given)]) -> Cycle {
    let set = set.iter().map(|(name, given)| ((*name).to_owned(), given.clone())).collect();
    Cycle { time: milliseconds * 1000, set }
}

pub fn written(seen: &Seen) -> String {
    match seen {
        Seen::Bool(truth) => u8::from(*truth).to_string(),
        Seen::Integer(number) => number.to_string(),
        Seen::Real { value, single: true } => (*value as f32).to_string(),
        Seen::Real { value, .. } => value.to_string(),
        Seen::Text(text) => text.clone(),
        Seen::List(values) => {
            let values: Vec<String> = values.iter().map(written).collect();
            format!("[{}]", values.join(" "))
        }
        Seen::Fields(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, seen)| format!("{name}={}", written(seen))).collect();
            format!("({})", fields.join(" "))
        }
        Seen::Unknown => "?".to_owned(),
    }
}
