//! Vectors as a table (RFC 4180): a line a cycle, a column an input.

use super::{Subject, shown_inputs};
use program::counterexample::{Taken, written};
use std::collections::BTreeMap;

/// The table.
pub fn csv(subject: &Subject<'_>) -> String {
    let vectors = &subject.report.suite.vectors;
    let mut columns: Vec<String> = Vec::new();
    let mut lines: Vec<(usize, usize, BTreeMap<usize, String>)> = Vec::new();
    for (number, vector) in vectors.iter().enumerate() {
        for cycle in 0..vector.cycles.len().max(1) {
            let mut values: BTreeMap<usize, String> = BTreeMap::new();
            let mut times: BTreeMap<String, usize> = BTreeMap::new();
            for taken in shown_inputs(vector, cycle) {
                let name = taken.what();
                let time = times.entry(name.clone()).or_default();
                *time += 1;
                // A function that is called several times in a cycle has a column for each call.
                let column = if *time == 1 { name } else { format!("{name} #{time}") };
                let index = columns.iter().position(|other| *other == column);
                let index = index.unwrap_or_else(|| {
                    columns.push(column);
                    columns.len() - 1
                });
                values.insert(index, value(taken));
            }
            lines.push((number + 1, cycle + 1, values));
        }
    }
    let mut text = String::from("vector,cycle");
    for column in &columns {
        text.push(',');
        text.push_str(&field(column));
    }
    text.push_str("\r\n");
    for (vector, cycle, values) in lines {
        text.push_str(&format!("{vector},{cycle}"));
        for index in 0..columns.len() {
            text.push(',');
            text.push_str(&values.get(&index).map(|value| field(value)).unwrap_or_default());
        }
        text.push_str("\r\n");
    }
    text
}

fn value(taken: &Taken) -> String {
    written(&taken.value, taken.reading)
}

/// A field, in quotes where it has to be.
fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
