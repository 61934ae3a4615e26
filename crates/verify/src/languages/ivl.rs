//! Our own form of programs as text.

use crate::language::{Input, Language, Rejection};
use crate::task::{Code, File, Reading, Subject, Task};
use source::SourceMap;

/// The language.
pub struct Ivl;

impl Language for Ivl {
    fn name(&self) -> &'static str {
        "IVL"
    }

    fn about(&self) -> &'static str {
        "Cairn's own form of programs, as show --stage program prints it"
    }

    fn endings(&self) -> &'static [&'static str] {
        &["ivl"]
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        let [input] = inputs else {
            let count = inputs.len();
            return Err(Rejection::new(format!("one program at a time; {count} files were given")));
        };
        let (name, bytes) = (input.name(), input.bytes()?);
        let mut sources = SourceMap::new();
        let file = sources.add(&name, bytes).map_err(|error| Rejection::new(error.to_string()))?;
        let program = ivl::read(&sources, file)
            .map_err(|errors| Rejection::diagnostics(&errors, &sources))?;
        let properties = reading.properties.clone();
        let code = Code { program, properties, unused: Vec::new(), units: Vec::new() };
        let text = sources.file(file);
        let file = File { name, text: Some(text.text().clone()), sum: text.sum() };
        let subject = Subject::Program(Box::new(code));
        Ok(Task { language: self, files: vec![file], reading: reading.clone(), subject })
    }
}
