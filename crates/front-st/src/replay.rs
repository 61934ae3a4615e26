//! A run that fails, as cycles: what is given in each. They can be run again, or be written as a test
//! in Structured Text.

use crate::lower::{LOOP, WATCHED};
use crate::run::{Cycle, Given};
use program::counterexample::Counterexample;
use program::program::{Cause, Reading};
use std::fmt::Write as _;
use term::Value;

/// The register that takes how long a cycle took, and the clock at the start, as runs call them.
const ELAPSED: &str = "cycle time";
const CLOCK: &str = "TIME()";

/// A run, cycle by cycle.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// What is given in each cycle.
    pub cycles: Vec<Cycle>,
    /// The number of the first cycle, from zero, of those that go on for ever from then on; none of a
    /// run that ends in a violation.
    pub repeats: Option<usize>,
}

/// What is given in each cycle of a run; none if some of it has no name. A value that is taken a
/// second time belongs to the next cycle.
pub fn cycles(run: &Counterexample) -> Option<Replay> {
    let mut cycles: Vec<Cycle> = Vec::new();
    let (mut time, mut elapsed, mut repeats) = (0u64, false, None);
    for taken in &run.taken {
        let Cause::Input(_) = taken.cause else { return None };
        let name = taken.variable.as_deref()?;
        if name == WATCHED {
            continue;
        }
        if name == LOOP {
            if taken.value == Value::Bool(true) {
                repeats = Some(cycles.len());
            }
            continue;
        }
        if name == CLOCK && cycles.is_empty() {
            time = milliseconds(&taken.value)?;
            continue;
        }
        let again = match cycles.last() {
            None => true,
            Some(_) if name == ELAPSED => elapsed,
            Some(cycle) => elapsed || cycle.set.iter().any(|(other, _)| other == name),
        };
        if again {
            cycles.push(Cycle { time: time * 1000, set: Vec::new() });
            elapsed = false;
        }
        let cycle = cycles.last_mut()?;
        if name == ELAPSED {
            // Before the first cycle nothing waits.
            time += milliseconds(&taken.value)?;
            cycle.time = time * 1000;
            elapsed = true;
        } else {
            cycle.set.push((name.to_owned(), given(&taken.value, taken.reading)?));
        }
    }
    Some(Replay { cycles, repeats })
}

fn milliseconds(value: &Value) -> Option<u64> {
    value.as_bits()?.to_u64()
}

fn given(value: &Value, reading: Reading) -> Option<Given> {
    Some(match (value, reading) {
        (Value::Bool(truth), _) => Given::Bool(*truth),
        (Value::Bits(bits), Reading::Signed) => Given::Integer(bits.to_i128()?),
        (Value::Bits(bits), _) => Given::Integer(i128::try_from(bits.to_u128()?).ok()?),
        (Value::Float(float), _) => {
            Given::Real(float.to_f64().or_else(|| float.to_f32().map(f64::from))?)
        }
        _ => return None,
    })
}

/// A program of this name that calls the unit with the values of each cycle, and then goes on with the
/// last ones.
pub fn test(name: &str, entry: &str, cycles: &[Cycle]) -> String {
    let mut text = format!(
        "(* The run that cairn found: cycle by cycle, the inputs of {entry}. *)\n\
         PROGRAM {name}\nVAR\n    unit : {entry};\n    cycle : DINT;\nEND_VAR\n\
         cycle := cycle + 1;\nCASE cycle OF\n"
    );
    let mut before = cycles.first().map_or(0, |cycle| cycle.time);
    for (number, cycle) in (1..).zip(cycles) {
        let _ = writeln!(text, "{number}: (* after {} ms *)", (cycle.time - before) / 1000);
        for (name, value) in &cycle.set {
            let _ = writeln!(text, "    unit.{name} := {};", literal(value));
        }
        before = cycle.time;
    }
    text.push_str("END_CASE;\nunit();\nEND_PROGRAM\n");
    text
}

/// A value as Structured Text writes it.
pub fn literal(given: &Given) -> String {
    match given {
        Given::Bool(true) => "TRUE".to_owned(),
        Given::Bool(false) => "FALSE".to_owned(),
        Given::Integer(number) => number.to_string(),
        Given::Real(number) => format!("{number:?}"),
        Given::Text(text) => format!("'{text}'"),
        Given::List(values) => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("[{}]", values.join(", "))
        }
        Given::Fields(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, value)| format!("{name} := {}", literal(value)))
                .collect();
            format!("({})", fields.join(", "))
        }
    }
}
