//! What leaves the tool of a coverage report: a table for reading, a document, vectors as JSON, CSV and
//! a file that runs them, results for continuous integration, a page for people.

mod csv;
pub mod document;
mod html;
mod junit;
mod suite;
pub mod text;
mod vectors;

pub use csv::csv;
pub(crate) use html::escape;
pub use html::html;
pub use junit::junit;
pub use suite::{ending, suite};
pub use vectors::vectors;

use ::coverage::report::Report;
use ::coverage::status::{How, Status};
use ::coverage::suite::Vector;
use program::counterexample::Taken;
use program::{Place, Program};
use std::collections::BTreeMap;
use std::path::Path;
use verify::Task;

/// A report, and what it is about.
pub struct Subject<'a> {
    /// What was read.
    pub task: &'a Task,
    /// The report.
    pub report: &'a Report,
    /// The program that its vectors are of.
    pub program: &'a Program,
    /// The names of its files, as the user gave them.
    pub files: Vec<&'a str>,
    /// The texts of the files, by the names that places use.
    pub texts: BTreeMap<String, String>,
    /// The flags that they are compiled with.
    pub flags: String,
    /// How the program is driven.
    pub caller: &'a verify::task::Caller,
    /// The function that is called.
    pub entry: &'a str,
}

impl<'a> Subject<'a> {
    /// A report about a task; none if it is no program.
    pub fn new(task: &'a Task, report: &'a Report) -> Option<Subject<'a>> {
        let program = &task.code()?.program;
        let files = task.files.iter().map(|file| &*file.name).collect();
        let text = |file: &verify::task::File| {
            let text = file.text.as_ref()?;
            Some((file.name.clone(), String::from_utf8_lossy(text).into_owned()))
        };
        let texts = task.files.iter().filter_map(text).collect();
        let (caller, entry) = (&task.reading.caller, task.reading.entry.as_str());
        let flags = task.files.first().map(|file| {
            let flags = task.reading.build.of(Path::new(&file.name)).into_iter();
            let words = flags.flat_map(|flag| flag.words());
            words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        });
        let flags = flags.unwrap_or_default();
        Some(Subject { task, report, program, files, texts, flags, caller, entry })
    }

    /// What it is about, shortly.
    fn title(&self) -> String {
        let last = |file: &&&str| file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned();
        let names: Vec<String> = self.files.iter().take(3).map(|file| last(&file)).collect();
        match self.files.len() {
            0..=3 => names.join(", "),
            count => format!("{} and {} more", names.join(", "), count - 3),
        }
    }
}

/// A place as people read it.
fn place(place: &Place) -> String {
    match place.is_known() {
        true => place.to_string(),
        false => "the program".to_owned(),
    }
}

/// A share in per cent; a dash if there is nothing to have a share in.
fn per_cent(part: usize, whole: usize) -> String {
    match whole {
        0 => "–".to_owned(),
        _ if part == whole => "100 %".to_owned(),
        // What is not all is not rounded to all.
        _ => format!("{:.1} %", (1000 * part / whole) as f64 / 10.0),
    }
}

/// How a status is known, in words.
fn how(status: &Status) -> String {
    match status {
        Status::Covered(evidence) => {
            let shown = evidence.witnesses().map(|witness| {
                format!("vector {}, cycle {}", witness.vector + 1, witness.cycle + 1)
            });
            shown.collect::<Vec<_>>().join("; ")
        }
        Status::Infeasible(exclusion) => {
            let mut text = exclusion.how.about().to_owned();
            if let Some(proof) = &exclusion.proof {
                text.push_str(&format!(", proved by {} ({})", proof.engine, proof.kind));
            }
            if let (Some((at, what)), How::Proved | How::Unreached) =
                (&exclusion.ends, exclusion.how)
            {
                text.push_str(&format!("; runs end before, at {}: {what}", place(at)));
            }
            text
        }
        Status::Open(open) => {
            let mut text = open.reason.to_string();
            text.push_str(&text::came(&open.reached));
            if open.half {
                text.push_str("; one of two evaluations is shown");
            }
            text
        }
        Status::Justified { reason, infeasible } => match infeasible {
            true => format!("{reason} (and infeasible)"),
            false => reason.clone(),
        },
    }
}

/// The inputs of a cycle that people see: what the program computes itself is none.
fn shown_inputs(vector: &Vector, cycle: usize) -> Vec<&Taken> {
    let cycle = match vector.cycles.is_empty() {
        true => &vector.inputs[..],
        false => vector.cycle(cycle),
    };
    cycle.iter().filter(|taken| !taken.is_computed()).collect()
}
