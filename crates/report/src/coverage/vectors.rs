//! Vectors as JSON: for each its goals, and the inputs cycle by cycle.

use super::{Subject, shown_inputs};
use program::counterexample::{Taken, written};
use program::interpret::Part;
use serde::Serialize;
use term::Value;

/// All vectors.
#[derive(Serialize)]
struct Suite<'a> {
    /// The files of the program.
    files: &'a [&'a str],
    /// The function that is called.
    entry: &'a str,
    vectors: Vec<Vector<'a>>,
}

/// A run.
#[derive(Serialize)]
struct Vector<'a> {
    /// Its number, from one.
    number: usize,
    /// The goals that it is kept for, by their ids.
    goals: Vec<&'a str>,
    cycles: Vec<Vec<Input>>,
}

/// A value that is taken.
#[derive(Serialize)]
struct Input {
    /// What takes it, or gives it.
    name: String,
    /// As C writes it.
    value: String,
    /// Its bits, in hexadecimal.
    bits: Option<String>,
    /// Where it is taken.
    place: String,
    /// Of a byte of memory, the object and the offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<u64>,
}

/// The document.
pub fn vectors(subject: &Subject<'_>) -> String {
    let report = subject.report;
    let vectors = report.suite.vectors.iter().enumerate().map(|(number, vector)| Vector {
        number: number + 1,
        goals: vector.goals.iter().map(|goal| &*report.goals[*goal].goal.id).collect(),
        cycles: (0..vector.cycles.len().max(1))
            .map(|cycle| shown_inputs(vector, cycle).into_iter().map(input).collect())
            .collect(),
    });
    let suite = Suite { files: &subject.files, entry: subject.entry, vectors: vectors.collect() };
    let text = serde_json::to_string_pretty(&suite).expect("all keys are texts");
    text + "\n"
}

fn input(taken: &Taken) -> Input {
    let bits = match &taken.value {
        Value::Bits(bits) => Some(bits.to_biguint()),
        Value::Float(float) => Some(float.to_bits().to_biguint()),
        Value::Bool(value) => Some(u8::from(*value).into()),
        _ => None,
    };
    Input {
        name: taken.what(),
        value: written(&taken.value, taken.reading),
        bits: bits.map(|bits| format!("{bits:#x}")),
        place: super::place(&taken.place),
        byte: match taken.part {
            Part::Byte(byte) => Some(byte),
            Part::Memory { offset, .. } => Some(offset),
            _ => None,
        },
    }
}
