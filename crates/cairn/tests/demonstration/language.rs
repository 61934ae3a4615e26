//! A demonstration language: a file is a number, from which the program counts down to zero.

use source::SourceMap;
use verify::language::{Input, Rejection};
use verify::task::{Code, File, Subject};
use verify::{Language, Reading, Task};

/// Numbers from 0 to 7.
pub struct Countdown;

impl Language for Countdown {
    fn name(&self) -> &'static str {
        "Countdown"
    }

    fn about(&self) -> &'static str {
        "Numbers that count down"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["countdown"]
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        let (name, bytes) = (inputs[0].name(), inputs[0].bytes()?);
        let text = String::from_utf8_lossy(&bytes);
        let number: i8 = text
            .trim()
            .parse()
            .map_err(|_| Rejection::new(format!("{name}:1:1: expected a number")))?;
        // It is wrong to begin below zero.
        let program = format!(
            "function main() {{ var x: bv3, ok: bool
               ok := {} x := {} -> L
               L: loop assume x == 0 -> E assume x != 0 -> M
               M: x := x - 1 -> L
               E: check assert: ok }}",
            number >= 0,
            number.rem_euclid(8)
        );
        let mut sources = SourceMap::new();
        let file = sources.add(&name, program.into_bytes()).expect("it is small");
        let program = ivl::read(&sources, file)
            .map_err(|errors| Rejection::diagnostics(&errors, &sources))?;
        let (properties, sum) = (reading.properties.clone(), sources.file(file).sum());
        let code = Code { program, properties, unused: Vec::new(), units: Vec::new() };
        let file = File { name, text: None, sum };
        let subject = Subject::Program(Box::new(code));
        Ok(Task { language: self, files: vec![file], reading: reading.clone(), subject })
    }
}
