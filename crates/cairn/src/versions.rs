//! What `cairn diff` tells beside the verdict: what has changed, and what became of the proof; as data
//! ([`Comparison`]), and as lines.
//!
//! Of the version before, this report alone needs anything: what versions are compared by. It is kept with
//! what else is known of a version; if it is not there, that version is read beside the question, in a
//! thread of its own.

use crate::kept::{Kept, Past};
use crate::options::inputs;
use crate::revision::Version;
use answer::Verdict;
use front_st::compile::Stated;
use portable::difference::{Difference, Signatures};
use program::Place;
use serde::Serialize;
use std::sync::Arc;
use std::thread::JoinHandle;
use verify::task::Code;
use verify::{Answer, Finding, Language, Outcome, Reading, Task, Violation};

/// How many places are named in a line.
const NAMED: usize = 5;

/// The version before.
pub struct Before {
    name: String,
    past: Option<Past>,
    signatures: Compared,
}

/// What the version before is compared by.
enum Compared {
    /// It was kept.
    Kept(Signatures),
    /// It is being read; there may be no thread for that.
    Read(Option<JoinHandle<Result<Signatures, String>>>),
}

/// How two versions differ, and what became of the proof.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The version before, as it was named.
    pub old: String,
    /// Why it could not be compared.
    pub problem: Option<String>,
    /// The functions that differ, with the places that the version before does not have.
    pub changed: Vec<Changed>,
    /// Functions that are new.
    pub added: Vec<Arc<str>>,
    /// Functions that are gone.
    pub removed: Vec<Arc<str>>,
    /// Static objects that differ.
    pub objects: Vec<Arc<str>>,
    /// How many functions are the same.
    pub same: usize,
    /// What became of the property.
    pub fate: Option<Fate>,
    /// Where there is more than one answer, what became of each; of a circuit always.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fates: Vec<Fate>,
    /// What is known of the verdict on the version before.
    pub before: Option<Past>,
}

/// A function that differs.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Its name.
    pub function: Arc<str>,
    /// Where.
    pub places: Vec<Place>,
}

/// What became of a property.
#[derive(Clone, Debug, Serialize)]
pub struct Fate {
    /// The property.
    pub property: String,
    /// What became of it.
    pub became: Became,
    /// Whether that follows from what was known.
    pub recalled: bool,
    /// Who found it.
    pub engine: Option<String>,
    /// How many formulas were checked again.
    pub formulas: Option<usize>,
    /// The changed lines that a failing run passes.
    pub passes: Vec<String>,
    /// Whether there has to be a run, and a proof says that there is none.
    #[serde(skip)]
    pub unreachable: bool,
}

/// What can become of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Became {
    /// Nothing has changed, and it still holds.
    Untouched,
    /// What was known is still a proof.
    StillProved,
    /// Another proof was found.
    ProvedAnew,
    /// It does not hold.
    Violated,
    /// It is not known.
    Open,
}

impl Before {
    /// With what was kept of it and of its verdict; what is missing is read.
    pub fn of(
        old: &Version,
        kept: Option<&Kept>,
        language: &'static dyn Language,
        reading: &Reading,
    ) -> Before {
        let before = match kept.and_then(Kept::form_before) {
            Some(form) => Before::kept(old, form),
            None => Before::read(old, language, reading),
        };
        Before { past: kept.and_then(Kept::past), ..before }
    }

    fn kept(old: &Version, signatures: Signatures) -> Before {
        Before { name: old.name.clone(), past: None, signatures: Compared::Kept(signatures) }
    }

    /// Starts to read it.
    fn read(old: &Version, language: &'static dyn Language, reading: &Reading) -> Before {
        let (files, reading) = (inputs(&old.files), reading.clone());
        let work = move || {
            let task = language.read(&files, &reading);
            let task = task.map_err(|rejection| rejection.to_string())?;
            Ok(task.code().map(compared_by).unwrap_or_default())
        };
        let signatures = std::thread::Builder::new().name("before".to_owned()).spawn(work).ok();
        Before { name: old.name.clone(), past: None, signatures: Compared::Read(signatures) }
    }

    /// What has changed, what became of the proof, and what it took.
    pub fn compared(self, task: &Task, outcome: &Outcome) -> Option<Comparison> {
        let mut comparison = Comparison {
            old: self.name,
            problem: None,
            changed: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            objects: Vec::new(),
            same: 0,
            fate: None,
            fates: Vec::new(),
            before: self.past,
        };
        let Some(code) = task.code() else {
            comparison.fates = outcome.answers.iter().map(of_circuit).collect();
            return Some(comparison);
        };
        let signatures = match self.signatures {
            Compared::Kept(signatures) => Ok(signatures),
            Compared::Read(thread) => thread?.join().ok()?,
        };
        match signatures {
            Err(message) => comparison.problem = Some(message),
            Ok(before) => {
                let difference = Difference::between(&before, &compared_by(code));
                let fates = outcome.answers.iter().map(|answer| fate(&difference, answer));
                comparison.fates = fates.collect();
                comparison.fate = comparison.fates.first().cloned();
                if comparison.fates.len() == 1 {
                    comparison.fates.clear();
                }
                let Difference { changed, added, removed, objects, same } = difference;
                let changed = changed.into_iter();
                comparison.changed =
                    changed.map(|(function, places)| Changed { function, places }).collect();
                comparison.added = added;
                comparison.removed = removed;
                comparison.objects = objects;
                comparison.same = same;
            }
        }
        Some(comparison)
    }
}

impl Comparison {
    /// Of several requirements of one program together: what became of each, by its name.
    pub fn together(all: Vec<(&Stated, Comparison)>) -> Option<Comparison> {
        let of = |stated: &Stated, comparison: &Comparison| {
            let fate = comparison.fate.as_ref()?;
            let mut fate = Fate { property: stated.title(), ..fate.clone() };
            let shown = matches!(fate.became, Became::Violated);
            if stated.is_reachability() && fate.became != Became::Open {
                fate.unreachable = !shown;
                fate.became = match (shown, fate.recalled) {
                    (true, true) => Became::StillProved,
                    (true, false) => Became::ProvedAnew,
                    (false, _) => Became::Violated,
                };
            } else if shown && stated.doubt().is_some() {
                fate.became = Became::Open;
            }
            Some(fate)
        };
        let mut fates: Vec<Fate> = all.iter().filter_map(|(stated, one)| of(stated, one)).collect();
        let fate = fates.first().cloned();
        let pasts: Option<Vec<Past>> = all.iter().map(|(_, one)| one.before.clone()).collect();
        let before = pasts.map(|pasts| Past {
            verdict: pasts.iter().map(|past| past.verdict).fold(Verdict::Safe, Verdict::and),
            engine: None,
            seconds: pasts.iter().map(|past| past.seconds).sum(),
            solving: pasts.iter().map(|past| past.solving).sum(),
            reached: None,
            form: None,
        });
        let (_, first) = all.into_iter().next()?;
        if fates.len() == 1 {
            fates.clear();
        }
        Some(Comparison { fate, fates, before, ..first })
    }

    /// For reading; how long the new version took is told beside the old one's time.
    pub fn lines(&self, seconds: f64) -> Vec<String> {
        let old = &self.old;
        if let Some(message) = &self.problem {
            return vec![format!("{old} can't be compared: {message}")];
        }
        let Some(first) = &self.fate else {
            let line = |fate: &Fate| format!("{}: {}", fate.property, fate.line_of_circuit());
            return self.fates.iter().map(line).collect();
        };
        let mut lines = self.changes();
        let fates = if self.fates.is_empty() { std::slice::from_ref(first) } else { &self.fates };
        lines.extend(fates.iter().map(|fate| format!("{}: {}", fate.property, fate.line())));
        if let Some(past) = &self.before {
            let (verdict, before) = (&past.verdict, past.seconds);
            lines.push(format!("time: {seconds:.2} s; {old} was {verdict} after {before:.2} s"));
        }
        lines
    }

    /// The functions that differ.
    fn changes(&self) -> Vec<String> {
        let same = self.same;
        let others = [&self.added, &self.removed, &self.objects];
        if self.changed.is_empty() && others.iter().all(|names| names.is_empty()) {
            return vec![format!("changed: nothing; {same} functions are the same")];
        }
        let of = self.changed.len() + same;
        let mut lines = vec![format!("changed: {} of {of} functions", self.changed.len())];
        for Changed { function, places } in &self.changed {
            let named: Vec<String> = places.iter().take(NAMED).map(Place::to_string).collect();
            let more = if places.len() > NAMED { ", …" } else { "" };
            let gone = || "something is gone".to_owned();
            let at = if named.is_empty() { gone() } else { named.join(", ") };
            lines.push(format!("  {function}: {at}{more}"));
        }
        let what = ["added", "removed", "objects that differ"];
        for (what, names) in what.into_iter().zip(others) {
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            if !names.is_empty() {
                lines.push(format!("{what}: {}", names.join(", ")));
            }
        }
        lines
    }
}

impl Fate {
    fn line_of_circuit(&self) -> String {
        let engine = self.engine.as_deref().unwrap_or_default();
        match (self.became, self.recalled) {
            (Became::Untouched | Became::StillProved, _) => match self.formulas {
                Some(size) => format!("still proved: {size} clauses were checked again"),
                None => "still proved".to_owned(),
            },
            (Became::ProvedAnew, _) => format!("proved anew, by {engine}"),
            (Became::Violated, true) => "violated, as the version before".to_owned(),
            (Became::Violated, false) => format!("violated, found by {engine}"),
            (Became::Open, _) => "open".to_owned(),
        }
    }

    fn line(&self) -> String {
        let engine = self.engine.as_deref().unwrap_or_default();
        match (self.became, self.recalled) {
            (Became::Untouched, true) => {
                "untouched: nothing has changed, and its proof was checked again".to_owned()
            }
            (Became::Untouched, false) => {
                format!("untouched: nothing has changed; proved again, by {engine}")
            }
            (Became::StillProved, _) => match self.formulas {
                Some(size) => format!("still proved: {size} formulas were checked again"),
                None => "still proved".to_owned(),
            },
            (Became::ProvedAnew, _) => format!("proved anew, by {engine}"),
            (Became::Violated, recalled) => {
                let as_before =
                    if recalled { ", by inputs with which the version before failed" } else { "" };
                if self.unreachable {
                    return "violated: no run does it any more, which is proved".to_owned();
                }
                let named: Vec<&str> = self.passes.iter().take(NAMED).map(|s| &**s).collect();
                match named.is_empty() {
                    true => format!("violated{as_before}; the run passes no changed line"),
                    false => format!("violated{as_before}; the run passes {}", named.join(", ")),
                }
            }
            (Became::Open, _) => "open".to_owned(),
        }
    }
}

/// What a program is compared by.
fn compared_by(code: &Code) -> Signatures {
    Signatures::in_units(&code.program, &code.units)
}

/// What became of the proof.
fn fate(difference: &Difference, answer: &Answer) -> Fate {
    let engine = answer.engine.as_ref().map(|engine| engine.to_string());
    let recalled = engine.as_deref() == Some(verify::RECALL);
    let (became, formulas, passes) = match &answer.finding {
        Finding::Safe(proved) if difference.is_empty() => {
            (Became::Untouched, proved.size.filter(|_| recalled), Vec::new())
        }
        Finding::Safe(proved) if recalled => (Became::StillProved, proved.size, Vec::new()),
        Finding::Safe(_) => (Became::ProvedAnew, None, Vec::new()),
        Finding::Unsafe(violation) => (Became::Violated, None, passed(difference, violation)),
        Finding::Unknown(_) => (Became::Open, None, Vec::new()),
    };
    let property = answer.goal.to_string();
    Fate { property, became, recalled, engine, formulas, passes, unreachable: false }
}

/// What became of the proof of a circuit's property.
fn of_circuit(answer: &Answer) -> Fate {
    let engine = answer.engine.as_ref().map(|engine| engine.to_string());
    let recalled = engine.as_deref() == Some(verify::RECALL);
    let (became, formulas) = match &answer.finding {
        Finding::Safe(proved) if recalled => (Became::StillProved, proved.size),
        Finding::Safe(_) => (Became::ProvedAnew, None),
        Finding::Unsafe(_) => (Became::Violated, None),
        Finding::Unknown(_) => (Became::Open, None),
    };
    let (property, passes) = (answer.goal.to_string(), Vec::new());
    Fate { property, became, recalled, engine, formulas, passes, unreachable: false }
}

/// The changed lines that a run passes.
fn passed(difference: &Difference, violation: &Violation) -> Vec<String> {
    let Violation::Program { run, .. } = violation else { return Vec::new() };
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
    lines
}
