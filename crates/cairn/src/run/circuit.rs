//! A circuit along a trace: what its inputs, states, properties, constraints and outputs are in each
//! step.

use super::{Printed, wrong};
use crate::exit::Exit;
use crate::options::{Format, Run, inputs};
use ::circuit::aiger::{Claim, read_witnesses};
use ::circuit::{Signal, Trace, TransitionSystem, btor2, trace};
use serde_json::{Map, Value};
use std::path::PathBuf;
use verify::{Language, Reading, Rejection};

/// A step: what a signal is to the circuit, its name and its value.
type Step = Vec<(Role, String, Value)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Input,
    Output,
    State,
}

/// What the steps of a trace show.
pub(super) fn printed(
    arguments: &Run,
    language: &'static dyn Language,
    files: &[PathBuf],
    reading: &Reading,
) -> Printed {
    if files.len() > 1 {
        let message = format!("cairn run takes one circuit at a time; {} were given", files.len());
        return Err(Rejection::new(message));
    }
    let task = language.read(&inputs(files), reading)?;
    let Some(design) = task.design() else { return Err(Rejection::new("this is no circuit")) };
    let bytes = std::fs::read(&arguments.inputs);
    let bytes = bytes.map_err(|error| wrong(arguments, &error.to_string()))?;
    let (steps, fails) = match &design.words {
        Some((words, _)) => {
            let witness = btor2::witness::read_witness(&bytes);
            let witness = witness.map_err(|error| wrong(arguments, &error.to_string()))?;
            words_steps(words, &witness).map_err(|error| wrong(arguments, &error.to_string()))?
        }
        None => {
            let witnesses = read_witnesses(&bytes);
            let witnesses = witnesses.map_err(|error| wrong(arguments, &error.to_string()))?;
            let first = witnesses.into_iter().find_map(|witness| match witness.claim {
                Claim::Violated(trace) => Some(trace),
                _ => None,
            });
            let first = first.ok_or_else(|| wrong(arguments, "there is no trace"))?;
            bits_steps(&design.system, &first)
                .map_err(|error| wrong(arguments, &error.to_string()))?
        }
    };
    let text = match arguments.format {
        Format::Json => {
            let object = |step: &Step| {
                let fields = step.iter().map(|(_, name, value)| (name.clone(), value.clone()));
                Value::Object(fields.collect::<Map<_, _>>())
            };
            let list = Value::Array(steps.iter().map(object).collect());
            serde_json::to_string_pretty(&list).expect("the document is plain data") + "\n"
        }
        Format::Text => lines(&steps),
    };
    Ok((text, if fails { Exit::Unsafe } else { Exit::Success }))
}

/// Inputs and outputs of each step, and states that have changed.
fn lines(steps: &[Step]) -> String {
    let mut text = String::new();
    for (number, step) in steps.iter().enumerate() {
        text.push_str(&format!("cycle {}\n", number + 1));
        for (at, (role, name, value)) in step.iter().enumerate() {
            let same = number.checked_sub(1).is_some_and(|before| steps[before][at].2 == *value);
            let role = match role {
                Role::Input => "in ",
                Role::Output => "out",
                Role::State if same => continue,
                Role::State => "   ",
            };
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text.push_str(&format!("  {role} {name} = {shown}\n"));
        }
    }
    text
}

/// The steps of a circuit of bits, and whether a property is violated in the last.
fn bits_steps(
    system: &TransitionSystem,
    given: &Trace,
) -> Result<(Vec<Step>, bool), trace::ReplayError> {
    let moments = trace::simulate(system, given)?;
    let fails = moments.last().is_some_and(|last| last.bads.contains(&true));
    let name = |given: &Option<String>, letter: char, number: usize| {
        given.clone().unwrap_or_else(|| format!("{letter}{number}"))
    };
    let step = |moment: trace::Moment| {
        let mut step = Step::new();
        let mut add = |role, letter, names: Vec<&Option<String>>, values: Vec<bool>| {
            for (number, (given, value)) in names.into_iter().zip(values).enumerate() {
                step.push((role, name(given, letter, number), Value::Bool(value)));
            }
        };
        add(Role::Input, 'i', names(&system.inputs), moment.inputs);
        add(Role::Output, 'o', names(&system.outputs), moment.outputs);
        add(Role::Output, 'b', names(&system.bads), moment.bads);
        add(Role::Output, 'c', names(&system.constraints), moment.constraints);
        let latches = system.latches.iter().map(|latch| &latch.name).collect();
        add(Role::State, 'l', latches, moment.latches);
        step
    };
    Ok((moments.into_iter().map(step).collect(), fails))
}

fn names(signals: &[Signal]) -> Vec<&Option<String>> {
    signals.iter().map(|signal| &signal.name).collect()
}

/// The same of words.
fn words_steps(
    system: &btor2::System,
    given: &btor2::witness::Witness,
) -> Result<(Vec<Step>, bool), btor2::witness::ReplayError> {
    let steps = btor2::witness::simulate(system, given)?;
    let node = |step: &btor2::simulate::Step, node: usize| {
        word(&step.value(btor2::Operand { node, negated: false }))
    };
    let called = |symbol: &Option<String>, letter: &str, number: usize| {
        symbol.clone().unwrap_or_else(|| format!("{letter}{number}"))
    };
    let mut fails = false;
    let mut shown = Vec::new();
    for step in &steps {
        let mut line = Step::new();
        for (number, input) in system.inputs().iter().enumerate() {
            let name = called(&system.nodes()[*input].symbol, "i", number);
            line.push((Role::Input, name, node(step, *input)));
        }
        let groups = [(&system.outputs, "o"), (&system.bads, "b"), (&system.constraints, "c")];
        for (roots, letter) in groups {
            for (number, root) in roots.iter().enumerate() {
                let name = called(&root.symbol, letter, number);
                line.push((Role::Output, name, word(&step.value(root.value))));
            }
        }
        for (number, state) in system.states().iter().enumerate() {
            let name = called(&system.nodes()[state.node].symbol, "s", number);
            line.push((Role::State, name, node(step, state.node)));
        }
        fails = system.bads.iter().any(|bad| step.value(bad.value).is_true());
        shown.push(line);
    }
    Ok((shown, fails))
}

/// A word as a number, as text if it is too large; an array by its elements, `*` for all others.
fn word(value: &btor2::simulate::Value) -> Value {
    let number = |bits: &value::Bits| match bits.to_u64() {
        Some(number) => Value::from(number),
        None => Value::from(bits.to_biguint().to_string()),
    };
    match value {
        btor2::simulate::Value::Bits(bits) => number(bits),
        btor2::simulate::Value::Array(array) => {
            let others = ("*".to_owned(), number(array.default_element()));
            let elements = array.exceptions();
            let elements = elements.map(|(at, value)| (at.to_biguint().to_string(), number(value)));
            Value::Object(elements.chain([others]).collect())
        }
    }
}
