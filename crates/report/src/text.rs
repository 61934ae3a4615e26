//! What is said of an outcome on lines for reading.

use crate::document::overall;
use answer::{VacuityStatus, Verdict};
use program::counterexample::{Counterexample, Taken};
use program::interpret::Part;
use program::program::Assumption;
use verify::language::Role;
use verify::outcome::{Answer, Dead, Finding, Goal, Outcome, Violation};
use verify::{Language, Task, Undefined};

/// The most values that are shown; witnesses and harnesses have all of them.
const MAX_LINES: usize = 1000;

/// The last line: the verdict, with the reason where there is none.
pub fn verdict(outcome: &Outcome) -> String {
    match overall(outcome) {
        Some(reason) => format!("verdict: unknown ({reason})"),
        None => format!("verdict: {}", outcome.verdict()),
    }
}

/// What is assumed, where that has a place.
pub fn assumption(assumption: &Assumption) -> String {
    let Assumption { place, text } = assumption;
    match place.is_known() {
        true => format!("{place}: assumed: {text}"),
        false => format!("assumed: {text}"),
    }
}

/// In place of what is assumed, where nothing but the verdict is wanted: that there is something, if it
/// was asked whether there is.
pub fn reminder(task: &Task, outcome: &Outcome) -> Option<String> {
    let named = task.reading.undefined == Undefined::Named;
    let count = outcome.assumptions.len();
    let assumptions =
        if count == 1 { "an assumption".into() } else { format!("{count} assumptions") };
    (named && count > 0 && outcome.verdict() == Verdict::Safe)
        .then(|| format!("this rests on {assumptions}; without --quiet it is said on which"))
}

/// The lines for one answer, as soon as it is known. `several`: there are other goals.
pub fn answer(task: &Task, answer: &Answer, several: bool) -> Vec<String> {
    match (&answer.goal, &answer.finding) {
        (Goal::Bad { name, .. }, finding) if several => {
            vec![format!("property {name}: {finding}")]
        }
        (Goal::Bad { .. }, _) => Vec::new(),
        (_, Finding::Unsafe(Violation::Dead(Dead::Behind))) => Vec::new(),
        (goal @ Goal::Place { place, .. }, Finding::Unsafe(Violation::Dead(how))) => {
            vec![format!("{place}: dead code: {}", dead(goal, *how))]
        }
        (Goal::Place { place, .. }, Finding::Unknown(reason)) => {
            vec![format!("{place}: open: {reason}")]
        }
        (_, Finding::Unsafe(Violation::Program { run: found, .. })) => run(task.language, found),
        (_, Finding::Safe(_)) => {
            let vacuity = answer.vacuity.as_ref();
            let vacuity = vacuity.filter(|vacuity| vacuity.status() == VacuityStatus::Vacuous);
            vacuity.map(|vacuity| format!("the proof is vacuous: {vacuity}")).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What is said after all answers: of places, how many are what.
pub fn summary(outcome: &Outcome) -> Option<String> {
    let places = |answer: &&Answer| matches!(answer.goal, Goal::Place { .. });
    let count = |verdict: Verdict| {
        let places = outcome.answers.iter().filter(places);
        places.filter(|answer| answer.finding.verdict() == verdict).count()
    };
    let all = outcome.answers.iter().filter(places).count();
    (all > 0).then(|| {
        format!(
            "{all} places: {} reached, {} dead, {} open",
            count(Verdict::Safe),
            count(Verdict::Unsafe),
            count(Verdict::Unknown)
        )
    })
}

/// What is dead at a place: code, or a whole function.
pub fn dead(goal: &Goal, how: Dead) -> String {
    match (goal, how) {
        (_, Dead::Behind) => "all ways here lead over dead code".to_owned(),
        (Goal::Place { function, whole: true, .. }, _) => {
            format!("function '{function}' is never entered")
        }
        (Goal::Place { function, .. }, _) => {
            format!("no run comes here (in function '{function}')")
        }
        _ => "no run comes here".to_owned(),
    }
}

/// A line for everything that must lie at a certain address, for every unknown value of a run, the
/// open calls, and the violation.
pub fn run(language: &dyn Language, run: &Counterexample) -> Vec<String> {
    let placed = run.placed.iter().take(MAX_LINES);
    let mut lines: Vec<String> = placed.map(|placed| format!("placed: {placed}")).collect();
    match run.placed.len() - lines.len() {
        0 => {}
        more => lines.push(format!("... and {more} more objects")),
    }
    let mut values = taken(language, run).into_iter();
    lines.extend(values.by_ref().take(MAX_LINES));
    match values.count() {
        0 => {}
        more => lines.push(format!("... and {more} more values")),
    }
    for (function, place) in &run.stack {
        lines.push(format!("{place}: in {function}"));
    }
    if let Some(property) = run.property {
        lines.push(format!("{}: violation of {property}", run.place));
    }
    lines
}

/// A line for every unknown value that a variable takes, or that comes from memory from outside or
/// of the caller.
fn taken(language: &dyn Language, run: &Counterexample) -> Vec<String> {
    let mut lines = Vec::new();
    let shown = |taken: &&Taken| language.role(taken) != Role::Part;
    let mut taken = run.taken.iter().filter(shown).peekable();
    while let Some(first) = taken.next() {
        match first.part {
            Part::Whole => {
                let value = language.value(&first.value, first.reading);
                lines.push(format!("{}: {} = {value}", first.place, first.what()));
            }
            Part::Memory { address, .. } if first.is_outside() || first.of_caller().is_some() => {
                // What one instruction reads is one little-endian number.
                let mut bytes = vec![first];
                let next = |count: usize, next: &Taken| {
                    let here = matches!(next.part, Part::Memory { address: at, offset }
                        if offset > 0 && at == address + count as u64);
                    here && next.instruction == first.instruction
                };
                while let Some(byte) = taken.next_if(|taken| next(bytes.len(), taken)) {
                    bytes.push(byte);
                }
                let digits = bytes.iter().rev().filter_map(|byte| byte.value.as_bits());
                let digits: String =
                    digits.map(|bits| format!("{:02x}", bits.to_biguint())).collect();
                let what = match first.of_caller() {
                    Some((name, offset)) => format!("{name} at byte {offset}"),
                    None => format!("{} at {address:#x}", first.what()),
                };
                lines.push(format!("{}: {what} = 0x{digits}", first.place));
            }
            _ => {}
        }
    }
    lines
}
