//! Questions about small texts, and what is reported of their outcomes.
#![allow(dead_code, reason = "each test uses some of it")]

use program::Property;
use report::Subject;
use report::document::{blank, complete};
use report::result::{Document, Outputs};
use std::time::Duration;
use verify::{
    Input, Language, Limits, Outcome, Question, Reading, Settings, Task, decide, languages,
};

/// What every C text begins with: six lines.
pub const HEAD: &str = "extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
void claim(int c) { if (!c) reach_error(); }

";

/// Reads a C text with its head.
pub fn c(text: &str, properties: &[Property]) -> Task {
    let properties = properties.iter().copied().collect();
    read(&languages::C, "case.c", format!("{HEAD}{text}").into_bytes(), properties)
}

/// Reads a text.
pub fn read(
    language: &'static dyn Language,
    name: &str,
    text: Vec<u8>,
    properties: std::collections::BTreeSet<Property>,
) -> Task {
    let reading = Reading { properties, ..Reading::default() };
    let input = Input::Text { name: name.to_owned(), text };
    language.read(&[input], &reading).unwrap_or_else(|_| panic!("{name} is not understood"))
}

/// Decides everything about a task, in the time of a test.
pub fn decided(task: &Task, settings: Settings) -> Outcome {
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    decide(&Question { task, settings, limits }).expect("no engine fails")
}

/// With what makes an answer understood.
pub fn explaining() -> Settings {
    Settings { explain: true, jobs: Some(1), ..Settings::default() }
}

/// The document of an outcome.
pub fn document(task: &Task, outcome: &Outcome) -> Document {
    let files = task.files.iter().map(|file| file.name.clone()).collect();
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let blank = blank(task.language, files, &task.reading, &limits);
    complete(blank, &Subject::new(task, outcome), Outputs::default())
}
