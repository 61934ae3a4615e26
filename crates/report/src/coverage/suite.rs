//! The vectors as a C file that runs them ([`coverage::drive`]).

use super::Subject;
use ::coverage::drive::{Task, drive};

/// The file; what of the inputs it can't give the program is the error.
///
/// # Errors
/// In words, what it is.
pub fn suite(subject: &Subject<'_>) -> Result<String, String> {
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
