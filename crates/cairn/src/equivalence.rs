//! `cairn diff --equivalence`: functions of two versions are compared, and what is known of each is
//! printed; the verdict about all of them is the last line.

use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::{Diff, Format, inputs};
use crate::output::{complain, leave, print};
use crate::revision;
use crate::store::{can_store, store};
use answer::{Exhausted, Verdict};
use equivalence::harness::harness;
use equivalence::read::Version;
use equivalence::{Answer, Finding, compare, roots};
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verify::{Budget, Language, Limits, Reading, Rejection, languages};

/// What is said of a function without a run that counts.
const NOTHING: &str = "no run of both versions ends without undefined behaviour";

/// Compares the versions.
pub fn run(named: &[revision::Version; 2], arguments: &Diff) -> Exit {
    let time = arguments.asking.time_limit.map(Duration::from_secs_f64);
    let limits = Limits { time, memory: arguments.asking.memory_limit, ..Limits::default() };
    let (watch, start) = (Watch::start(&limits), Instant::now());
    if let Some(Err(message)) = arguments.asking.harness.as_deref().map(can_store) {
        complain(&message);
        return Exit::Input;
    }
    let json = arguments.asking.format == Format::Json;
    let names = [0, 1].map(|side| named[side].name.clone());
    let blank = Document::blank(names);
    let late = {
        let blank = blank.clone();
        move |what: Exhausted| match json {
            true => blank.clone().ended(&what.to_string(), start.elapsed()).text(),
            false => format!("verdict: unknown ({what})"),
        }
    };
    let last_resort = LastResort::beyond(&watch, late, Exit::Unknown);
    let (versions, answers) = match answers(named, arguments, &watch) {
        Ok(found) => found,
        Err(rejection) => {
            rejection.messages.iter().for_each(|message| complain(message));
            return Exit::Input;
        }
    };
    let (verdict, reason, exit) = verdict(&answers);
    let made = arguments.asking.harness.as_deref().and_then(|path| {
        let made = harness_of(&answers, &versions, named)?;
        Some((path, made))
    });
    let written = last_resort.answer(|| {
        let written = made.map(|(path, made)| {
            made.and_then(|text| store(&[(path.to_owned(), text.into_bytes())]))
                .map(|()| path.display().to_string())
                .map_err(|message| format!("{}: no harness is written: {message}", path.display()))
        });
        let harness = written.as_ref().and_then(|written| written.as_ref().ok()).cloned();
        if json {
            let document = Document { verdict, reason, harness, ..blank };
            print(&document.with(&answers, start.elapsed()).text());
        } else {
            if !arguments.asking.quiet {
                answers.iter().flat_map(lines).for_each(|line| print(&line));
                harness.iter().for_each(|path| print(&format!("harness: {path}")));
            }
            let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
            print(&format!("verdict: {verdict}{reason}"));
        }
        written
    });
    if let Some(Err(message)) = written {
        complain(&message);
    }
    leave(exit)
}

/// The harness of a difference, if there is one; the error is a message.
fn harness_of(
    answers: &[Answer],
    versions: &[Version; 2],
    named: &[revision::Version; 2],
) -> Option<Result<String, String>> {
    let (function, difference) = answers.iter().find_map(|answer| match &answer.finding {
        Finding::Different(difference) => Some((&answer.function, difference)),
        _ => None,
    })?;
    let files = [0, 1].map(|side| -> Result<Vec<String>, String> {
        if named[side].is_copy {
            return Err("the files of a revision are not there afterwards".to_owned());
        }
        let whole = |file: &PathBuf| match std::fs::canonicalize(file) {
            Ok(path) => Ok(path.display().to_string()),
            Err(error) => Err(format!("{}: {error}", file.display())),
        };
        named[side].files.iter().map(whole).collect()
    });
    let [old, new] = files;
    Some(old.and_then(|old| {
        let files = [&old[..], &new?[..]];
        harness(function, difference, [&versions[0], &versions[1]], files)
    }))
}

/// Reads both versions and compares function by function; a difference is enough.
fn answers(
    named: &[revision::Version; 2],
    arguments: &Diff,
    watch: &Watch,
) -> Result<([Version; 2], Vec<Answer>), Rejection> {
    let budget = Budget::start(&watch.limits());
    let version = |version: &revision::Version| -> Result<Version, Rejection> {
        let sources = arguments.asking.c.build.sources(&version.files).map_err(Rejection::new)?;
        sources.notes.iter().for_each(|note| complain(note));
        let usual = || languages::C.data_model(&sources.files, &sources.build);
        let reading = Reading {
            data_model: arguments.asking.c.data_model.map_or_else(usual, Ok)?,
            build: sources.build.clone(),
            ..Reading::default()
        };
        Version::read(&inputs(&version.files), &reading)
    };
    let versions = [version(&named[0])?, version(&named[1])?];
    let functions = match &arguments.function {
        Some(function) => {
            for (version, named) in versions.iter().zip(named) {
                if !version.functions().contains(function) {
                    let name = &named.name;
                    let message = format!("{name}: there is no function '{function}'");
                    return Err(Rejection::new(message));
                }
            }
            vec![function.clone()]
        }
        None => roots(&versions[0], &versions[1]),
    };
    if functions.is_empty() {
        let message = "the versions have no function in common that could be compared";
        return Err(Rejection::new(message));
    }
    let answers = compare(&versions[0], &versions[1], &functions, &budget.allowance)?;
    Ok((versions, answers))
}

/// What is said of all functions together, and why it is unknown.
fn verdict(answers: &[Answer]) -> (Verdict, Option<String>, Exit) {
    let different = |answer: &Answer| matches!(answer.finding, Finding::Different(_));
    if answers.iter().any(different) {
        return (Verdict::Unsafe, None, Exit::Unsafe);
    }
    let open = answers.iter().find_map(|answer| match &answer.finding {
        Finding::Unknown(why) => Some(format!("{}: {why}", answer.function)),
        _ => None,
    });
    let nothing = answers.iter().all(|answer| answer.finding == Finding::Nothing);
    match open.or_else(|| nothing.then(|| NOTHING.to_owned())) {
        Some(reason) => (Verdict::Unknown, Some(reason), Exit::Unknown),
        None => (Verdict::Safe, None, Exit::Success),
    }
}

/// What is known of a function, for reading.
fn lines(answer: &Answer) -> Vec<String> {
    let function = &answer.function;
    match &answer.finding {
        Finding::Same(assumptions) => {
            let mut lines = vec![format!("{function}: same")];
            lines.extend(assumptions.iter().map(|text| format!("{function}: assumed: {text}")));
            lines
        }
        Finding::Nothing => vec![format!("{function}: {NOTHING}")],
        Finding::Unknown(why) => vec![format!("{function}: unknown ({why})")],
        Finding::Different(difference) => {
            let mut lines = vec![format!("{function}: different")];
            if difference.wraps {
                lines.push(format!("{function}: assumed: signed arithmetic wraps around"));
            }
            for (name, value) in &difference.inputs {
                lines.push(format!("  {name} = {value}"));
            }
            for (what, old, new) in &difference.outputs {
                lines.push(format!("  {what}: {old} in the old version, {new} in the new one"));
            }
            lines
        }
    }
}

/// The version of the form of the document.
const SCHEMA: u32 = 1;

/// The result as a document; docs/json.md describes it.
#[derive(Clone, Serialize)]
struct Document {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    old: String,
    new: String,
    verdict: Verdict,
    reason: Option<String>,
    functions: Vec<Function>,
    harness: Option<String>,
    seconds: f64,
}

#[derive(Clone, Serialize)]
struct Function {
    function: String,
    finding: &'static str,
    reason: Option<String>,
    assumptions: Vec<String>,
    wraps: bool,
    inputs: Vec<Named>,
    outputs: Vec<Output>,
}

#[derive(Clone, Serialize)]
struct Named {
    name: String,
    value: String,
}

#[derive(Clone, Serialize)]
struct Output {
    what: String,
    old: String,
    new: String,
}

impl Document {
    fn blank([old, new]: [String; 2]) -> Document {
        Document {
            schema: SCHEMA,
            tool: "cairn",
            version: env!("CARGO_PKG_VERSION"),
            old,
            new,
            verdict: Verdict::Unknown,
            reason: None,
            functions: Vec::new(),
            harness: None,
            seconds: 0.0,
        }
    }

    /// Without an answer, for this reason.
    fn ended(self, reason: &str, time: Duration) -> Document {
        Document { reason: Some(reason.to_owned()), seconds: time.as_secs_f64(), ..self }
    }

    fn with(self, answers: &[Answer], time: Duration) -> Document {
        let functions = answers.iter().map(function).collect();
        Document { functions, seconds: time.as_secs_f64(), ..self }
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("the document is plain data")
    }
}

fn function(answer: &Answer) -> Function {
    let mut function = Function {
        function: answer.function.clone(),
        finding: "same",
        reason: None,
        assumptions: Vec::new(),
        wraps: false,
        inputs: Vec::new(),
        outputs: Vec::new(),
    };
    match &answer.finding {
        Finding::Same(assumptions) => function.assumptions.clone_from(assumptions),
        Finding::Nothing => {
            (function.finding, function.reason) = ("nothing", Some(NOTHING.to_owned()));
        }
        Finding::Unknown(why) => {
            (function.finding, function.reason) = ("unknown", Some(why.clone()));
        }
        Finding::Different(difference) => {
            (function.finding, function.wraps) = ("different", difference.wraps);
            let inputs = difference.inputs.iter().cloned();
            function.inputs = inputs.map(|(name, value)| Named { name, value }).collect();
            let outputs = difference.outputs.iter().cloned();
            function.outputs = outputs.map(|(what, old, new)| Output { what, old, new }).collect();
        }
    }
    function
}
