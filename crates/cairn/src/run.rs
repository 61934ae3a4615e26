//! `cairn run`: executes a program of a controller cycle by cycle, with inputs and times that are
//! given, and prints the values at the end of each cycle.

use crate::check::failed;
use crate::exit::Exit;
use crate::options::{Format, Run, Tables, inputs};
use crate::output::{complain, print_all};
use front_st::lower::{Lowered, Role};
use front_st::run::{Cycle, Given, Seen, run as execute};
use program::interpret::{Limits, Outcome};
use serde_json::{Map, Value, json};
use verify::Rejection;
use verify::languages::st;

/// How many steps a run may have: a loop may not end.
pub const STEPS: u64 = 1_000_000_000;

/// How far cycles are apart whose times are not given, in microseconds.
const APART: u64 = 10_000;

/// Executes and prints.
pub fn run(arguments: &Run, tables: Tables) -> Exit {
    match values(arguments, tables) {
        Ok((text, exit)) => {
            print_all(&text);
            exit
        }
        Err(rejection) => failed(&rejection.into(), 0),
    }
}

fn values(arguments: &Run, tables: Tables) -> Result<(String, Exit), Rejection> {
    let language = tables.language(arguments.lang.as_deref(), &arguments.files);
    let language = language.map_err(Rejection::new)?;
    if language.option() != "st" {
        let message = format!(
            "cairn run executes programs of controllers cycle by cycle; this is {}",
            language.name()
        );
        return Err(Rejection::new(message));
    }
    let sources = arguments.c.build.sources(&arguments.files).map_err(Rejection::new)?;
    let reading = arguments.c.reading(language, &sources)?;
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
    let compiled = st::compiled(&inputs(&sources.files), &reading, &Default::default(), &settings)?;
    let lowered = match &compiled.lowered {
        Ok(lowered) => lowered,
        Err(errors) => return Err(Rejection::diagnostics(errors, &compiled.sources)),
    };
    for warning in &lowered.warnings {
        complain(warning.render(&compiled.sources).trim_end());
    }
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let shown = execute(lowered, &cycles, limits).map_err(Rejection::new)?;
    let finished = matches!(shown.outcome, Outcome::Finished { .. });
    if !finished {
        complain(&ending(&shown.outcome, lowered));
    }
    let text = match arguments.format {
        Format::Json => document(lowered, &shown.cycles),
        Format::Text => table(lowered, &shown.cycles),
    };
    Ok((text, if finished { Exit::Success } else { Exit::Unsafe }))
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
    let path = &arguments.inputs;
    let wrong = |what: &str| Rejection::new(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error.to_string()))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
    let list = value.as_array().ok_or_else(|| wrong("expected a list of cycles"))?;
    let mut cycles: Vec<Cycle> = Vec::new();
    for cycle in list {
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

/// A list with an object for each cycle.
pub fn document(lowered: &Lowered, cycles: &[Vec<Seen>]) -> String {
    let rows = cycles.iter().map(|row| {
        let entries = lowered.observed.entries.iter().zip(row);
        let fields = entries.map(|(entry, seen)| (entry.name.to_string(), value(seen)));
        Value::Object(fields.collect::<Map<_, _>>())
    });
    let document = Value::Array(rows.collect());
    let mut text = serde_json::to_string_pretty(&document).expect("the document is plain data");
    text.push('\n');
    text
}

fn value(seen: &Seen) -> Value {
    match seen {
        Seen::Bool(truth) => json!(truth),
        Seen::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
            (Ok(number), _) => json!(number),
            (_, Ok(number)) => json!(number),
            _ => json!(number.to_string()),
        },
        // JSON has no infinities and no NaN.
        Seen::Real { value, .. } if !value.is_finite() => json!(value.to_string()),
        Seen::Real { value, single: true } => {
            let shortest = (*value as f32).to_string().parse::<f64>();
            json!(shortest.unwrap_or(*value))
        }
        Seen::Real { value, single: false } => json!(value),
        Seen::Text(text) => json!(text),
        Seen::List(values) => Value::Array(values.iter().map(value).collect()),
        Seen::Fields(fields) => {
            let fields = fields.iter().map(|(name, seen)| (name.to_string(), value(seen)));
            Value::Object(fields.collect())
        }
        Seen::Unknown => Value::Null,
    }
}

/// For each cycle, what is given and what has changed.
pub fn table(lowered: &Lowered, cycles: &[Vec<Seen>]) -> String {
    let mut text = String::new();
    let mut before: Option<&Vec<Seen>> = None;
    for (number, row) in (1..).zip(cycles) {
        text.push_str(&format!("cycle {number}\n"));
        for (at, (entry, seen)) in lowered.observed.entries.iter().zip(row).enumerate() {
            let same = before.is_some_and(|before| before[at] == *seen);
            if same && entry.role == Role::Internal {
                continue;
            }
            let role = match entry.role {
                Role::Input => "in ",
                Role::Output => "out",
                Role::Internal => "   ",
            };
            text.push_str(&format!("  {role} {} = {}\n", entry.name, words(seen)));
        }
        before = Some(row);
    }
    text
}

fn words(seen: &Seen) -> String {
    match seen {
        Seen::Bool(true) => "TRUE".to_owned(),
        Seen::Bool(false) => "FALSE".to_owned(),
        Seen::Text(text) => format!("'{text}'"),
        Seen::List(values) => {
            let values: Vec<String> = values.iter().map(words).collect();
            format!("[{}]", values.join(", "))
        }
        Seen::Fields(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, seen)| format!("{name} := {}", words(seen))).collect();
            format!("({})", fields.join(", "))
        }
        Seen::Unknown => "unknown".to_owned(),
        seen => value(seen).to_string(),
    }
}
