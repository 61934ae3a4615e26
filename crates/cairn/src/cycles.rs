//! A failing run of a controller's program as its users read it: a table of cycles. The run's inputs
//! are given to the interpreter once more, which tells what all variables are at each cycle's end.

use crate::run::{STEPS, document, table};
use front_st::lower::Lowered;
use front_st::replay;
use front_st::run::{Shown, run};
use program::counterexample::Counterexample;
use program::interpret::Limits;
use verify::languages::st;
use verify::outcome::{Finding, Violation};
use verify::{Input, Outcome, Task};

/// The run of an outcome, in lines for reading.
pub fn lines(task: &Task, outcome: &Outcome) -> Option<String> {
    shown(task, outcome, |lowered, shown| table(lowered, &shown.cycles))
}

/// The run of an outcome, as `cairn run` prints it.
pub fn values(task: &Task, outcome: &Outcome) -> Option<serde_json::Value> {
    let text = shown(task, outcome, |lowered, shown| document(lowered, &shown.cycles))?;
    serde_json::from_str(&text).ok()
}

fn shown(
    task: &Task,
    outcome: &Outcome,
    print: impl FnOnce(&Lowered, &Shown) -> String,
) -> Option<String> {
    if task.language.option() != "st" {
        return None;
    }
    let found = outcome.answers.iter().find_map(|answer| match &answer.finding {
        Finding::Unsafe(Violation::Program { run, .. }) => Some(run),
        _ => None,
    })?;
    let run_again = again(task, found);
    run_again.map(|(lowered, shown)| print(&lowered, &shown))
}

/// The run, executed once more with somebody watching. None if it can't be told in cycles: it
/// rests on values that are no inputs.
fn again(task: &Task, found: &Counterexample) -> Option<(Lowered, Shown)> {
    let cycles = replay::cycles(found)?;
    let mut settings = task.reading.st.clone();
    settings.observed = true;
    settings.cycles = Some(cycles.len() as u64);
    settings.stated.clear();
    let inputs = task.files.iter().map(|file| {
        Some(Input::Text { name: file.name.clone(), text: file.text.as_ref()?.to_vec() })
    });
    let inputs: Vec<Input> = inputs.collect::<Option<_>>()?;
    let compiled = st::compiled(&inputs, &task.reading, &Default::default(), &settings).ok()?;
    let lowered = compiled.lowered.ok()?;
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let shown = run(&lowered, &cycles, limits).ok()?;
    Some((lowered, shown))
}
