//! IEC 61131-3 Structured Text and PLCopen XML.

use crate::language::{Harness, Input, Language, Rejection, Role};
use crate::task::{Code, File, Reading, Subject, Task};
use front_st::compile::{Compiled, Settings, Text, compile};
use front_st::lower::LOOP;
use program::counterexample::{Counterexample, Taken};
use program::program::Assumption;
use program::{Place, Property};
use source::SourceMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The language.
pub struct StructuredText;

/// The name that C's entry has; nobody who asks about Structured Text has typed it.
const USUAL_ENTRY: &str = "main";

impl Language for StructuredText {
    fn name(&self) -> &'static str {
        "Structured Text"
    }

    fn option(&self) -> &'static str {
        "st"
    }

    fn about(&self) -> &'static str {
        "IEC 61131-3 Structured Text and PLCopen XML, run in cycles"
    }

    fn endings(&self) -> &'static [&'static str] {
        &[
            "st", "ST", "scl", "SCL", "iecst", "xml", "TcPOU", "TcDUT", "TcGVL", "TcIO", "exp",
            "EXP", "udt", "db", "ld",
        ]
    }

    fn read(&'static self, inputs: &[Input], reading: &Reading) -> Result<Task, Rejection> {
        let properties = asked(reading);
        let compiled = compiled(inputs, reading, &properties, &reading.st)?;
        let mut lowered = match compiled.lowered {
            Ok(lowered) => lowered,
            Err(errors) => return Err(Rejection::diagnostics(&errors, &compiled.sources)),
        };
        if let Some(path) = &reading.st.beside {
            let text = format!("what has to hold is what {path} beside the program states");
            lowered.program.assumptions.push(Assumption { text, place: Place::default() });
        }
        let code = Code { program: lowered.program, properties, unused: Vec::new() };
        let subject = Subject::Program(Box::new(code));
        let files = files(inputs, &compiled.sources);
        Ok(Task { language: self, files, reading: reading.clone(), subject })
    }

    /// Where a loop begins is told of the cycles, and is no input.
    fn role(&self, taken: &Taken) -> Role {
        match taken.variable.as_deref() {
            Some(LOOP) => Role::Part,
            _ => Role::Input,
        }
    }

    /// A program in Structured Text that calls the unit as the run does.
    fn harness(
        &self,
        task: &Task,
        run: &Counterexample,
        _: &dyn Fn(usize, &str) -> String,
    ) -> Option<Harness> {
        let replay = front_st::replay::cycles(run)?;
        let text = front_st::replay::test(&task.reading.entry, &replay.cycles);
        Some(Harness { text, copies: Vec::new() })
    }
}

/// Reads and lowers files with other settings than those of a question.
pub fn compiled(
    inputs: &[Input],
    reading: &Reading,
    properties: &BTreeSet<Property>,
    settings: &Settings,
) -> Result<Compiled, Rejection> {
    let mut texts = Vec::new();
    for input in inputs {
        texts.push(Text { name: input.name(), bytes: input.bytes()? });
    }
    let named = |entry: &str| entry != USUAL_ENTRY || declares(&texts, entry);
    let entry = Some(&*reading.entry).filter(|entry| named(entry));
    Ok(compile(texts, entry, properties, settings))
}

/// Whether some text speaks of a unit of this name.
fn declares(texts: &[Text], entry: &str) -> bool {
    texts.iter().any(|text| {
        let text = String::from_utf8_lossy(&text.bytes).to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let unit = ["program", "function", "function_block", "organization_block"];
        let mut before = "";
        words.by_ref().filter(|word| !word.is_empty()).any(|word| {
            let found = word == entry && unit.contains(&before);
            before = word;
            found
        })
    })
}

/// What is asked about: a requirement that somebody states is the question, and run-time errors end
/// the runs that have them.
fn asked(reading: &Reading) -> BTreeSet<Property> {
    let plc = [Property::Assert, Property::DivisionByZero, Property::Bounds, Property::Pointer];
    if reading.properties.is_superset(&Property::DEFINED.into()) {
        // Nothing was named. Overflow wraps on controllers, so it is no error unless asked for.
        return match reading.st.stated.is_empty() {
            true => plc.into(),
            false => [Property::Assert].into(),
        };
    }
    let required = (!reading.st.stated.is_empty()).then_some(Property::Assert);
    reading.properties.iter().copied().chain(required).collect()
}

/// The texts that the user gave.
fn files(inputs: &[Input], sources: &SourceMap) -> Vec<File> {
    let given = |input: &Input| {
        let name = input.name();
        let text = sources.files().map(|(_, file)| file).find(|file| file.name() == name)?;
        let bytes: Arc<[u8]> = text.text().clone();
        Some(File { name, text: Some(bytes), sum: text.sum() })
    };
    inputs.iter().filter_map(given).collect()
}
