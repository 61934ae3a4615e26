//! The vectors as a file that runs them: in C ([`coverage::drive`]), or as the program's language says.

use super::Subject;
use ::coverage::drive::{Task, drive};
use program::counterexample::Counterexample;

/// The ending of the file's name.
#[must_use]
pub fn ending(subject: &Subject<'_>) -> &'static str {
    subject.task.language.endings().first().copied().unwrap_or("txt")
}

/// The file; what of the inputs it can't give the program is the error.
///
/// # Errors
/// In words, what it is.
pub fn suite(subject: &Subject<'_>) -> Result<String, String> {
    let runs = subject.report.suite.vectors.iter().map(|vector| Counterexample {
        taken: vector.inputs.clone(),
        choices: vector.choices.clone(),
        ..Counterexample::default()
    });
    let runs: Vec<Counterexample> = runs.collect();
    if let Some(made) = subject.task.language.suite(subject.task, &runs) {
        return made;
    }
    let task = Task {
        program: subject.program,
        files: subject.files.iter().map(|file| (*file).to_owned()).collect(),
        texts: &subject.texts,
        flags: &subject.flags,
        entry: subject.entry,
        caller: subject.caller,
    };
    drive(&task, &subject.report.suite)
}
