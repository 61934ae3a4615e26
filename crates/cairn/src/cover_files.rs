//! The files that a coverage report leaves behind.

use crate::options::CoverFiles;
use coverage::report::Report;
use report::coverage::{Subject, csv, ending, html, junit, suite, vectors};
use std::path::Path;
use verify::Task;

/// Writes what was asked for; gives what the user should know.
///
/// The error says what could not be written, and why.
pub fn write(files: &CoverFiles, task: &Task, report: &Report) -> Result<Vec<String>, String> {
    let mut remarks = Vec::new();
    let Some(subject) = Subject::new(task, report) else { return Ok(remarks) };
    if let Some(folder) = &files.vectors {
        make(folder)?;
        store(&folder.join("vectors.json"), &vectors(&subject))?;
        store(&folder.join("vectors.csv"), &csv(&subject))?;
        let path = folder.join(format!("suite.{}", ending(&subject)));
        match suite(&subject) {
            Ok(text) => store(&path, &text)?,
            Err(what) => {
                remarks.push(format!(
                    "{} is not written: no such file can drive the vectors ({what})",
                    path.display()
                ));
            }
        }
    }
    if let Some(folder) = &files.html {
        make(folder)?;
        store(&folder.join("index.html"), &html(&subject))?;
    }
    if let Some(path) = &files.junit {
        let text = junit(&subject).map_err(|error| format!("{}: {error}", path.display()))?;
        store(path, &text)?;
    }
    Ok(remarks)
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn store(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
