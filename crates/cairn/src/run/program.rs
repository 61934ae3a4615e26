//! A program that takes unknown values: they are given in order, and what they are, what is assigned and
//! how the run ends is printed.

use super::{Printed, list, wrong};
use crate::exit::Exit;
use crate::options::{Format, Run, inputs};
use program::counterexample::{Counterexample, Watched};
use program::interpret::{Interpreter, Limits, Listener, Oracle, Outcome, Part, Request};
use program::program::Cause;
use program::{Place, Program};
use report::cycles::STEPS;
use report::result::{Run as Told, Step, StepKind};
use serde::Serialize;
use serde_json::Value as Json;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::rc::Rc;
use term::{Sort, Value};
use value::{BigInt, Bits, Float, Rounding};
use verify::{Language, Reading, Rejection};

/// What is printed.
#[derive(Serialize)]
struct Document {
    /// `finished`, `violation`, `undefined`, `ended` or `stopped`.
    ended: &'static str,
    /// In words.
    how: String,
    /// Where, unless it finished.
    place: Option<Place>,
    /// How many values were asked for beyond those given; they were zero.
    missing: usize,
    /// How many of those given were not asked for.
    left: usize,
    /// Unknown values and assignments, in order.
    steps: Vec<Step>,
}

/// What a run with these values does.
pub(super) fn printed(
    arguments: &Run,
    language: &'static dyn Language,
    files: &[PathBuf],
    reading: &Reading,
) -> Printed {
    let values = list(arguments)?;
    let task = language.read(&inputs(files), reading)?;
    let Some(code) = task.code() else { return Err(Rejection::new("this is no program")) };
    let given = Given { values: values.into(), missing: 0, wrong: None };
    let given = Rc::new(RefCell::new(given));
    let mut watched = Watched::new(&code.program, Shared(given.clone()));
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let interpreter = Interpreter::new(&code.program);
    let interpreter = interpreter.map_err(|error| Rejection::new(error.to_string()))?;
    let interpreter = interpreter.with_properties(&code.properties).with_limits(limits);
    let outcome = interpreter.watch(&mut watched.clone(), &mut watched);
    let given = given.borrow();
    if let Some(message) = &given.wrong {
        return Err(wrong(arguments, message));
    }
    let document = told(language, &code.program, &outcome, &watched.notes(), &given);
    let exit = match outcome {
        Outcome::Finished { .. } => Exit::Success,
        // The program ends itself there: by exit, or by an assumption that does not hold.
        Outcome::Ended { .. } => Exit::Success,
        _ => Exit::Unsafe,
    };
    let text = match arguments.format {
        Format::Json => {
            let text = serde_json::to_string_pretty(&document);
            text.expect("the document is plain data") + "\n"
        }
        Format::Text => lines(&document),
    };
    Ok((text, exit))
}

fn told(
    language: &dyn Language,
    program: &Program,
    outcome: &Outcome,
    notes: &Counterexample,
    given: &Given,
) -> Document {
    let (ended, how) = match outcome {
        Outcome::Finished { .. } => ("finished", "the run finished".to_owned()),
        Outcome::Violation { property, .. } => ("violation", format!("violation of {property}")),
        Outcome::Undefined { fault, .. } => ("undefined", format!("the run ends here: {fault}")),
        Outcome::Ended { .. } => ("ended", "the run ends here".to_owned()),
        Outcome::Stopped { .. } => {
            ("stopped", "the run was stopped here: it may not end".to_owned())
        }
    };
    Document {
        ended,
        how,
        place: outcome.position().map(|position| position.place(program)),
        missing: given.missing,
        left: given.values.len(),
        steps: Told::of_program(notes, None, language).steps,
    }
}

fn lines(document: &Document) -> String {
    let mut text = String::new();
    for Step { kind, place, what, value, .. } in &document.steps {
        let sign = if *kind == StepKind::Input { "gives" } else { "=" };
        text.push_str(&format!("{place}: {what} {sign} {value}\n"));
    }
    let values = |count| if count == 1 { "value".to_owned() } else { format!("{count} values") };
    if document.missing > 0 {
        text.push_str(&format!("zero was taken for the {} not given\n", values(document.missing)));
    }
    if document.left > 0 {
        text.push_str(&format!("not asked for: the last {} given\n", values(document.left)));
    }
    match &document.place {
        Some(place) => text.push_str(&format!("{place}: {}\n", document.how)),
        None => text.push_str(&format!("{}\n", document.how)),
    }
    text
}

/// Values that are given, in order.
struct Given {
    values: VecDeque<Json>,
    missing: usize,
    /// What is wrong with one of them.
    wrong: Option<String>,
}

impl Given {
    /// The next one, if the environment is who is asked.
    fn next(&mut self, request: &Request<'_>) -> Option<Value> {
        let asks = matches!(request.cause, Cause::Input(_) | Cause::Unknown(_));
        let whole = matches!(request.part, Part::Whole | Part::Result(_));
        if !asks || !whole {
            return None;
        }
        let Some(json) = self.values.pop_front() else {
            self.missing += 1;
            return None;
        };
        let value = value(&json, request.sort);
        if value.is_none() && self.wrong.is_none() {
            self.wrong = Some(format!("{json} is no value of what is asked for"));
        }
        value
    }
}

#[derive(Clone)]
struct Shared(Rc<RefCell<Given>>);

impl Oracle for Shared {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        self.0.borrow_mut().next(request)
    }
}

impl Listener for Shared {
    fn step(&mut self, _: &program::interpret::Step<'_>) {}
}

/// A value of a sort: a number, as text if it is larger than those of JSON; a truth value.
fn value(json: &Json, sort: Sort) -> Option<Value> {
    let integer = |json: &Json| match json {
        Json::Bool(truth) => Some(BigInt::from(u8::from(*truth))),
        Json::Number(number) if !number.is_f64() => number.to_string().parse().ok(),
        Json::String(text) => text.parse().ok(),
        _ => None,
    };
    Some(match sort {
        Sort::Bool => Value::Bool(integer(json)? != BigInt::from(0)),
        Sort::BitVec(width) => Value::Bits(Bits::from_bigint(width, &integer(json)?)),
        Sort::Float(format) => {
            let number = match json {
                Json::String(text) => text.parse().ok()?,
                json => json.as_f64()?,
            };
            Value::Float(Float::from_f64(number).to_format(format, Rounding::NearestEven))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_of_the_sort_that_is_asked_for() {
        let bits =
            |json, width| value(&json, Sort::BitVec(width)).map(|value| format!("{value:?}"));
        assert_eq!(bits(json!(-1), 8), bits(json!(255), 8));
        assert_eq!(bits(json!("18446744073709551615"), 64), bits(json!(-1), 64));
        assert_eq!(bits(json!(true), 32), bits(json!(1), 32));
        assert_eq!(bits(json!(1.5), 32), None);
        assert_eq!(value(&json!(2), Sort::Bool), Some(Value::Bool(true)));
        let format = value::Format::F64;
        let half = Value::Float(Float::from_f64(0.5));
        assert_eq!(value(&json!(0.5), Sort::Float(format)), Some(half));
    }
}
