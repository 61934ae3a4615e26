//! `cairn diff --equivalence`: functions of two versions are compared, and what is known of each is
//! printed; the verdict about all of them is the last line.

use crate::exit::Exit;
use crate::limits::{LastResort, Watch};
use crate::options::{Diff, Format, inputs};
use crate::output::{complain, leave, print};
use crate::revision;
use answer::Exhausted;
use equivalence::read::Version;
use equivalence::{Answer, Finding, compare, roots};
use serde::Serialize;
use std::time::{Duration, Instant};
use verify::{Budget, Language, Limits, Reading, Rejection, languages};

/// What is said of a function without a run that counts.
const NOTHING: &str = "no run of both versions ends without undefined behaviour";

/// Compares the versions.
pub fn run(versions: &[revision::Version; 2], arguments: &Diff) -> Exit {
    let time = arguments.asking.time_limit.map(Duration::from_secs_f64);
    let limits = Limits { time, memory: arguments.asking.memory_limit, ..Limits::default() };
    let (watch, start) = (Watch::start(&limits), Instant::now());
    let json = arguments.asking.format == Format::Json;
    let late = move |what: Exhausted| {
        let verdict = format!("unknown ({what})");
        let seconds = start.elapsed().as_secs_f64();
        if json { document(&[], &verdict, seconds) } else { format!("verdict: {verdict}") }
    };
    let last_resort = LastResort::beyond(&watch, late, Exit::Unknown);
    let answers = match answers(versions, arguments, &watch) {
        Ok(answers) => answers,
        Err(rejection) => {
            rejection.messages.iter().for_each(|message| complain(message));
            return Exit::Input;
        }
    };
    let (verdict, exit) = verdict(&answers);
    last_resort.answer(|| {
        if json {
            print(&document(&answers, &verdict, start.elapsed().as_secs_f64()));
            return;
        }
        if !arguments.asking.quiet {
            answers.iter().flat_map(lines).for_each(|line| print(&line));
        }
        print(&format!("verdict: {verdict}"));
    });
    leave(exit)
}

/// Reads both versions and compares function by function; a difference is enough.
fn answers(
    versions: &[revision::Version; 2],
    arguments: &Diff,
    watch: &Watch,
) -> Result<Vec<Answer>, Rejection> {
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
    let (old, new) = (version(&versions[0])?, version(&versions[1])?);
    let functions = match &arguments.function {
        Some(function) => {
            for (version, named) in [&old, &new].into_iter().zip(versions) {
                if !version.functions().contains(function) {
                    let name = &named.name;
                    return Err(Rejection::new(format!(
                        "{name}: there is no function '{function}'"
                    )));
                }
            }
            vec![function.clone()]
        }
        None => roots(&old, &new),
    };
    if functions.is_empty() {
        let message = "the versions have no function in common that could be compared";
        return Err(Rejection::new(message));
    }
    compare(&old, &new, &functions, &budget.allowance)
}

/// What is said of all functions together.
fn verdict(answers: &[Answer]) -> (String, Exit) {
    let different = |answer: &Answer| matches!(answer.finding, Finding::Different(_));
    if answers.iter().any(different) {
        return ("unsafe".to_owned(), Exit::Unsafe);
    }
    let open = answers.iter().find_map(|answer| match &answer.finding {
        Finding::Unknown(why) => Some((&answer.function, why)),
        _ => None,
    });
    match open {
        Some((function, why)) => (format!("unknown ({function}: {why})"), Exit::Unknown),
        None if answers.iter().all(|answer| answer.finding == Finding::Nothing) => {
            (format!("unknown ({NOTHING})"), Exit::Unknown)
        }
        None => ("safe".to_owned(), Exit::Success),
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

/// The result as a document.
fn document(answers: &[Answer], verdict: &str, seconds: f64) -> String {
    #[derive(Serialize)]
    struct Function<'a> {
        function: &'a str,
        finding: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        assumptions: &'a [String],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        inputs: &'a [(String, String)],
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        outputs: &'a [(String, String, String)],
    }
    #[derive(Serialize)]
    struct Document<'a> {
        verdict: &'a str,
        functions: Vec<Function<'a>>,
        seconds: f64,
    }
    let functions = answers.iter().map(|answer| {
        let function = &answer.function;
        let (reason, assumptions): (_, &[String]) = (None, &[]);
        let (inputs, outputs): (&[_], &[_]) = (&[], &[]);
        let blank = Function { function, finding: "", reason, assumptions, inputs, outputs };
        match &answer.finding {
            Finding::Same(assumptions) => Function { finding: "same", assumptions, ..blank },
            Finding::Nothing => Function { finding: "nothing", reason: Some(NOTHING), ..blank },
            Finding::Unknown(why) => Function { finding: "unknown", reason: Some(why), ..blank },
            Finding::Different(difference) => Function {
                finding: "different",
                inputs: &difference.inputs,
                outputs: &difference.outputs,
                ..blank
            },
        }
    });
    let document = Document { verdict, functions: functions.collect(), seconds };
    serde_json::to_string_pretty(&document).unwrap_or_default()
}
