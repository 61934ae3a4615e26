//! A controller's program cycle by cycle, with inputs and times that are given; the values at the end of
//! each cycle.

use super::{Printed, list, wrong};
use crate::exit::Exit;
use crate::options::{Format, Run, inputs};
use crate::output::complain;
use front_st::lower::Lowered;
use front_st::run::{Cycle, Given, run as execute};
use program::interpret::{Limits, Outcome};
use report::cycles::page::{Section, html};
use report::cycles::{Cycles, STEPS};
use serde_json::Value;
use std::path::PathBuf;
use verify::languages::st;
use verify::{Reading, Rejection};

/// How far cycles are apart whose times are not given, in microseconds.
const APART: u64 = 10_000;

/// The values at the ends of the cycles.
pub(super) fn printed(arguments: &Run, files: &[PathBuf], reading: &Reading) -> Printed {
    let cycles = cycles(arguments)?;
    let mut settings = reading.st.clone();
    settings.observed = true;
    settings.cycles = Some(cycles.len() as u64);
    settings.stated.clear();
    for (name, _) in cycles.iter().flat_map(|cycle| &cycle.set) {
        let root = name.split(['.', '[']).next().unwrap_or(name).to_lowercase();
        if !settings.inputs.contains(&root) {
            settings.inputs.push(root);
        }
    }
    let compiled = st::compiled(&inputs(files), reading, &Default::default(), &settings)?;
    let lowered = match compiled.lowered {
        Ok(lowered) => lowered,
        Err(errors) => return Err(Rejection::diagnostics(&errors, &compiled.sources)),
    };
    for warning in &lowered.warnings {
        complain(warning.render(&compiled.sources).trim_end());
    }
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let shown = execute(&lowered, &cycles, limits).map_err(Rejection::new)?;
    let finished = matches!(shown.outcome, Outcome::Finished { .. });
    if !finished {
        complain(&ending(&shown.outcome, &lowered));
    }
    let cycles = Cycles::new(lowered, cycles, shown);
    store(arguments, &cycles)?;
    let text = match arguments.format {
        Format::Json => {
            let list = cycles.values();
            let mut text = serde_json::to_string_pretty(&list).expect("the document is plain data");
            text.push('\n');
            text
        }
        Format::Text => cycles.table(),
    };
    Ok((text, if finished { Exit::Success } else { Exit::Unsafe }))
}

/// Writes the page and the table that are asked for.
fn store(arguments: &Run, cycles: &Cycles) -> Result<(), Rejection> {
    let mut files = Vec::new();
    if let Some(path) = &arguments.html {
        let names: Vec<String> = arguments.files.iter().map(|f| f.display().to_string()).collect();
        let section = Section {
            title: "Cycles that were given".to_owned(),
            text: String::new(),
            verdict: None,
            remark: None,
            cycles: Some(cycles),
            lines: Vec::new(),
            class: Vec::new(),
        };
        files.push((path.clone(), html(&names.join(", "), &[section], &[]).into_bytes()));
    }
    if let Some(path) = &arguments.csv {
        files.push((path.clone(), cycles.csv().into_bytes()));
    }
    crate::store::store(&files).map_err(Rejection::new)
}

/// Why a run has ended early.
fn ending(outcome: &Outcome, lowered: &Lowered) -> String {
    let place = outcome.position().map(|position| position.place(&lowered.program));
    let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
    match outcome {
        Outcome::Undefined { fault, .. } => format!("{place}the run ends here: {fault}"),
        Outcome::Violation { property, .. } => format!("{place}violation of {property}"),
        Outcome::Stopped { .. } => format!("{place}the run was stopped here: a loop may not end"),
        Outcome::Ended { .. } | Outcome::Finished { .. } => format!("{place}the run ends here"),
    }
}

/// The cycles of the file.
fn cycles(arguments: &Run) -> Result<Vec<Cycle>, Rejection> {
    let wrong = |what: &str| wrong(arguments, what);
    let mut cycles: Vec<Cycle> = Vec::new();
    for cycle in list(arguments)? {
        let after = cycles.last().map_or(0, |last| last.time + APART);
        let time = match cycle.get("time_us") {
            None => after,
            Some(time) => time.as_u64().ok_or_else(|| wrong("\"time_us\" is a number"))?,
        };
        let mut set = Vec::new();
        for (name, value) in cycle.get("set").and_then(Value::as_object).into_iter().flatten() {
            let given =
                given(value).ok_or_else(|| wrong(&format!("{value} is no value of a variable")))?;
            set.push((name.clone(), given));
        }
        cycles.push(Cycle { time, set });
    }
    Ok(cycles)
}

fn given(value: &Value) -> Option<Given> {
    Some(match value {
        Value::Bool(truth) => Given::Bool(*truth),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Given::Integer(number.into()),
            (None, Some(number)) => Given::Integer(number.into()),
            _ => Given::Real(number.as_f64()?),
        },
        Value::String(text) => Given::Text(text.clone()),
        Value::Array(values) => Given::List(values.iter().map(given).collect::<Option<_>>()?),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| Some((name.clone(), given(value)?));
            Given::Fields(fields.iter().map(field).collect::<Option<_>>()?)
        }
        Value::Null => return None,
    })
}
