//! AIGER 1.9, ascii and binary.

use crate::language::{Input, Language, Rejection};
use crate::task::{Design, File, Reading, Subject, Task};
use circuit::aiger;
use source::map::Sum;
use std::sync::Arc;

/// The language.
pub struct Aiger;

impl Language for Aiger {
    fn name(&self) -> &'static str {
        "AIGER"
    }

    fn option(&self) -> &'static str {
        "aiger"
    }

    fn about(&self) -> &'static str {
        "AIGER 1.9, ascii or binary"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["aig", "aag"]
    }

    fn has_programs(&self) -> bool {
        false
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        read(self, inputs, reading, |bytes| {
            let system = aiger::read(bytes).map_err(|error| error.to_string())?;
            Ok(Design { system: Arc::new(system), words: None })
        })
    }
}

/// Reads the one file of a circuit; the error of `parse` begins with a place in it.
pub(super) fn read(
    language: &'static dyn Language,
    inputs: &[Input],
    reading: &Reading,
    parse: impl FnOnce(&[u8]) -> Result<Design, String>,
) -> Result<Task, Rejection> {
    let [input] = inputs else {
        let count = inputs.len();
        return Err(Rejection::new(format!("one circuit at a time; {count} files were given")));
    };
    let (name, bytes) = (input.name(), input.bytes()?);
    let design = parse(&bytes).map_err(|message| Rejection::new(format!("{name}:{message}")))?;
    // Large circuits are not kept twice.
    let file = File { name, text: None, sum: Sum::of(&bytes) };
    let subject = Subject::Circuit(Box::new(design));
    Ok(Task { language, files: vec![file], reading: reading.clone(), subject })
}
