//! What `cairn diff` tells beside the verdict: what has changed, and what became of the proof.
//!
//! The version before is read beside the question, in a thread of its own: only this report needs it.

use crate::kept::Past;
use crate::options::inputs;
use crate::revision::Version;
use portable::difference::{Difference, Signatures};
use program::Place;
use std::thread::JoinHandle;
use verify::{Finding, Language, Outcome, Reading, Task, Violation};

/// How many places are named.
const NAMED: usize = 5;

/// The version before.
pub struct Before {
    name: String,
    past: Option<Past>,
    signatures: Option<JoinHandle<Result<Signatures, String>>>,
}

impl Before {
    /// Starts to read it.
    pub fn read(old: &Version, language: &'static dyn Language, reading: &Reading) -> Before {
        let (files, reading) = (inputs(&old.files), reading.clone());
        let work = move || {
            let task = language.read(&files, &reading);
            let task = task.map_err(|rejection| rejection.to_string())?;
            Ok(task.code().map(|code| Signatures::of(&code.program)).unwrap_or_default())
        };
        let signatures = std::thread::Builder::new().name("before".to_owned()).spawn(work).ok();
        Before { name: old.name.clone(), past: None, signatures }
    }

    /// With what is known of its verdict.
    pub fn with_past(mut self, past: Option<Past>) -> Before {
        self.past = past;
        self
    }

    /// What has changed, what became of the proof, and what it took.
    pub fn lines(self, task: &Task, outcome: &Outcome) -> Vec<String> {
        let Some(code) = task.code() else { return Vec::new() };
        let Some(signatures) = self.signatures.and_then(|thread| thread.join().ok()) else {
            return Vec::new();
        };
        let old = self.name;
        let before = match signatures {
            Ok(before) => before,
            Err(message) => return vec![format!("{old} can't be compared: {message}")],
        };
        let difference = Difference::between(&before, &Signatures::of(&code.program));
        let mut lines = changes(&difference);
        lines.push(fate(&difference, outcome));
        if let Some(past) = self.past {
            let (verdict, seconds) = (past.verdict, past.seconds);
            let now = outcome.seconds;
            lines.push(format!("time: {now:.2} s; {old} was {verdict} after {seconds:.2} s"));
        }
        lines
    }
}

/// The functions that differ.
fn changes(difference: &Difference) -> Vec<String> {
    let Difference { changed, added, removed, objects, same } = difference;
    if difference.is_empty() {
        return vec![format!("changed: nothing; {same} functions are the same")];
    }
    let of = changed.len() + same;
    let mut lines = vec![format!("changed: {} of {of} functions", changed.len())];
    for (name, places) in changed {
        let named: Vec<String> = places.iter().take(NAMED).map(Place::to_string).collect();
        let more = if places.len() > NAMED { ", …" } else { "" };
        let at = if named.is_empty() { "something is gone".to_owned() } else { named.join(", ") };
        lines.push(format!("  {name}: {at}{more}"));
    }
    let list = |what: &str, names: &[std::sync::Arc<str>]| {
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        (!names.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    lines.extend(list("added", added));
    lines.extend(list("removed", removed));
    lines.extend(list("objects that differ", objects));
    lines
}

/// What became of the proof.
fn fate(difference: &Difference, outcome: &Outcome) -> String {
    let Some(answer) = outcome.answers.first() else { return "properties: none".to_owned() };
    let recalled =
        answer.engine.as_ref().is_some_and(|engine| engine.to_string() == verify::RECALL);
    let engine = answer.engine.as_ref().map(|engine| engine.to_string()).unwrap_or_default();
    let fate = match &answer.finding {
        Finding::Safe(_) if recalled && difference.is_empty() => {
            "untouched: nothing has changed, and its proof was checked again".to_owned()
        }
        Finding::Safe(_) if difference.is_empty() => {
            format!("untouched: nothing has changed; proved again, by {engine}")
        }
        Finding::Safe(proved) if recalled => match proved.size {
            Some(size) => format!("still proved: {size} formulas were checked again"),
            None => "still proved".to_owned(),
        },
        Finding::Safe(_) => format!("proved anew, by {engine}"),
        Finding::Unsafe(violation) => {
            let as_before =
                if recalled { ", by inputs with which the version before failed" } else { "" };
            format!("violated{as_before}{}", passed(difference, violation))
        }
        Finding::Unknown(_) => "open".to_owned(),
    };
    format!("{}: {fate}", answer.goal)
}

/// The changed lines that a run passes.
fn passed(difference: &Difference, violation: &Violation) -> String {
    let Violation::Program { run, .. } = violation else { return String::new() };
    let new: Vec<&Place> = difference.changed.iter().flat_map(|(_, places)| places).collect();
    let line = |place: &Place| (place.file.clone(), place.line);
    let steps = run.assignments.iter().map(|assignment| &assignment.place);
    let stack = run.stack.iter().map(|(_, place)| place);
    let mut lines: Vec<String> = Vec::new();
    for place in steps.chain(stack).chain([&run.place]) {
        if new.iter().any(|new| line(new) == line(place)) {
            let text = format!("{}:{}", place.file, place.line);
            if !lines.contains(&text) {
                lines.push(text);
            }
        }
    }
    match lines.is_empty() {
        true => "; the run passes no changed line".to_owned(),
        false => {
            lines.truncate(NAMED);
            format!("; the run passes {}", lines.join(", "))
        }
    }
}
