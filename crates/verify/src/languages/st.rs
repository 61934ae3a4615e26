//! IEC 61131-3 Structured Text and PLCopen XML.

use crate::language::{Covered, Harness, Input, Language, Rejection, Role};
use crate::task::{Code, File, Reading, Subject, Task, Unused};
use front_st::compile::{Compiled, Settings, Text, compile};
use front_st::lower::{LOOP, Lowered, WATCHED};
use portable::difference::SourceUnit;
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
        let extent = |(name, first, last)| SourceUnit { name, first, last };
        let units = lowered.units.into_iter().map(extent).collect();
        let code = Code { program: lowered.program, properties, unused: Vec::new(), units };
        let subject = Subject::Program(Box::new(code));
        let files = files(inputs, &compiled.sources);
        Ok(Task { language: self, files, reading: reading.clone(), subject })
    }

    fn read_covered(&'static self, inputs: &[Input], reading: &Reading) -> Option<Covered> {
        Some(self.covered(inputs, reading))
    }

    /// Where a loop begins is told of the cycles, or of nobody, and is no input.
    fn role(&self, taken: &Taken) -> Role {
        match taken.variable.as_deref() {
            Some(LOOP | WATCHED) => Role::Part,
            _ => Role::Input,
        }
    }

    /// What the standard's blocks keep for themselves begins with two underscores.
    fn is_known(&self, variable: &str) -> bool {
        !variable.split('.').any(|part| part.starts_with("__"))
    }

    /// A program in Structured Text that calls the unit as the run does.
    fn harness(
        &self,
        task: &Task,
        run: &Counterexample,
        _: &dyn Fn(usize, &str) -> String,
    ) -> Option<Harness> {
        let replay = front_st::replay::cycles(run)?;
        let text = front_st::replay::test("replay", called(task)?, &replay.cycles);
        Some(Harness { text, copies: Vec::new() })
    }

    /// A program in Structured Text for each run.
    fn suite(&self, task: &Task, runs: &[Counterexample]) -> Option<Result<String, String>> {
        Some(suite(task, runs))
    }
}

impl StructuredText {
    /// Reads files for structural coverage. What has to hold is no part of it.
    fn covered(&'static self, inputs: &[Input], reading: &Reading) -> Covered {
        let usual = Settings::default();
        let settings = Settings {
            stated: usual.stated,
            beside: usual.beside,
            coverage: true,
            ..reading.st.clone()
        };
        let compiled = compiled(inputs, reading, &reading.properties, &settings)?;
        let Lowered { program, coverage, .. } = match compiled.lowered {
            Ok(lowered) => lowered,
            Err(errors) => return Err(Rejection::diagnostics(&errors, &compiled.sources)),
        };
        let map = coverage.unwrap_or_default();
        let unused = map.functions.iter().filter(|function| !function.used);
        let unused = unused.map(|f| Unused { name: f.name.clone(), place: f.place.clone() });
        let code = Code {
            program,
            properties: BTreeSet::new(),
            unused: unused.collect(),
            units: Vec::new(),
        };
        let subject = Subject::Program(Box::new(code));
        let files = files(inputs, &compiled.sources);
        Ok((Task { language: self, files, reading: reading.clone(), subject }, map))
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
    texts.iter().any(|text| declared(&text.bytes, entry).is_some())
}

/// Words that a unit is declared with.
const UNITS: [&str; 4] = ["program", "function_block", "function", "organization_block"];

/// The word that a text declares a unit of this name with, if it does.
fn declared(text: &[u8], entry: &str) -> Option<&'static str> {
    let (text, entry) = (String::from_utf8_lossy(text).to_lowercase(), entry.to_lowercase());
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let unit = |word: &str| UNITS.into_iter().find(|unit| *unit == word);
    words.windows(2).filter(|pair| pair[1] == entry).find_map(|pair| unit(pair[0]))
}

/// The unit that a program of a test can have an instance of: the one that is named, if it is one with
/// instances.
fn called(task: &Task) -> Option<&str> {
    let entry = &task.reading.entry;
    let texts = task.files.iter().filter_map(|file| file.text.as_ref());
    let mut words = texts.filter_map(|text| declared(text, entry));
    matches!(words.next()?, "program" | "function_block").then_some(entry)
}

/// A program for each run, one after the other.
fn suite(task: &Task, runs: &[Counterexample]) -> Result<String, String> {
    let entry =
        called(task).ok_or("it calls one program or function block, which --entry has to name")?;
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let replay = front_st::replay::cycles(run)
            .ok_or("a run rests on values that are no inputs of the unit")?;
        let name = format!("vector_{number}");
        text.push_str(&front_st::replay::test(&name, entry, &replay.cycles));
    }
    Ok(text)
}

/// What is asked about: a requirement that somebody states is the question, and run-time errors end
/// the runs that have them.
fn asked(reading: &Reading) -> BTreeSet<Property> {
    let ends = reading.st.watchdog.map(|_| Property::Termination);
    let plc = [Property::Assert, Property::DivisionByZero, Property::Bounds, Property::Pointer];
    if reading.properties.is_superset(&Property::DEFINED.into()) {
        // Nothing was named. Overflow wraps on controllers, so it is no error unless asked for.
        return match (reading.st.stated.is_empty(), ends) {
            (true, None) => plc.into(),
            (true, Some(ends)) => [ends].into(),
            (false, ends) => ends.into_iter().chain([Property::Assert]).collect(),
        };
    }
    let required = (!reading.st.stated.is_empty()).then_some(Property::Assert);
    reading.properties.iter().copied().chain(required).chain(ends).collect()
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
