//! Word-level traces: their format, and their replay.
//!
//! ```text
//! sat
//! b0                  which properties are violated
//! #0                  states of the first step: number, value, symbol
//! 0 00000001 count#0
//! 1 [0010] 11 memory#0
//! @0                  inputs of the first step
//! 0 1 enable@0
//! @1                  inputs of the second
//! 0 0 enable@1
//! .
//! ```
//! States and inputs are counted in the order of the file. Later states follow from the next
//! values, so a state part of a later step serves states that have none; values that it gives to
//! others are compared. What is not given is all zeros.

use super::error::{Problem, ReadError};
use super::line::{Line, Word};
use super::simulate::{Array, Step, Value, initial_states};
use super::{Sort, System};
use crate::place::Place;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use value::Bits;

/// What a trace says of one state or input at one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assignment {
    /// A bit vector.
    Bits(Bits),
    /// Some elements of an array.
    Elements(Vec<(Bits, Bits)>),
}

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// By the state's number.
    pub states: BTreeMap<usize, Assignment>,
    /// By the input's number.
    pub inputs: BTreeMap<usize, Assignment>,
}

/// A violation of properties.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Witness {
    /// The bad properties that are true at the last step.
    pub bads: Vec<usize>,
    /// The steps.
    pub frames: Vec<Frame>,
}

/// Why a witness is no violation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// A witness without a step.
    #[error("the witness has no step")]
    Empty,
    /// A witness without a property.
    #[error("the witness names no property")]
    NoBad,
    /// No such property.
    #[error("the system has {count} bad properties; there is no b{bad}")]
    NoSuchBad {
        /// The property named.
        bad: usize,
        /// How many there are.
        count: usize,
    },
    /// No such state or input.
    #[error("step {step}: the system has {count} {what}s; there is no number {number}")]
    NoSuch {
        /// "state" or "input".
        what: &'static str,
        /// The number named.
        number: usize,
        /// How many there are.
        count: usize,
        /// The step, from 0.
        step: usize,
    },
    /// A value of the wrong sort.
    #[error("step {step}: the value of {what} {number} is not of its sort, {sort}")]
    Sort {
        /// "state" or "input".
        what: &'static str,
        /// The number named.
        number: usize,
        /// Its sort.
        sort: Sort,
        /// The step, from 0.
        step: usize,
    },
    /// A state that does not have the value that the system computes.
    #[error("step {step}: state {number} has another value than the system computes")]
    State {
        /// The state.
        number: usize,
        /// The step, from 0.
        step: usize,
    },
    /// A constraint that does not hold.
    #[error("constraint {constraint} (line {line}) does not hold at step {step}")]
    Constraint {
        /// The constraint.
        constraint: usize,
        /// Its line in the system's file.
        line: usize,
        /// The step, from 0.
        step: usize,
    },
    /// A property that holds to the end.
    #[error("bad property b{bad} (line {line}) is false at the last step ({step})")]
    NotBad {
        /// The property.
        bad: usize,
        /// Its line in the system's file.
        line: usize,
        /// The last step, from 0.
        step: usize,
    },
}

/// Runs a witness on its system.
///
/// Ensures: on success the first states have their initial values, all constraints hold at all
/// steps, and all properties that the witness names are true at the last step.
pub fn replay(system: &System, witness: &Witness) -> Result<(), ReplayError> {
    if witness.bads.is_empty() {
        return Err(ReplayError::NoBad);
    }
    let count = system.bads.len();
    if let Some(bad) = witness.bads.iter().copied().find(|b| *b >= count) {
        return Err(ReplayError::NoSuchBad { bad, count });
    }
    let last = witness.frames.len().checked_sub(1).ok_or(ReplayError::Empty)?;
    walk(system, witness, |step, values| {
        let constraints = system.constraints.iter().enumerate();
        for (constraint, root) in constraints {
            if !values.value(root.value).is_true() {
                return Err(ReplayError::Constraint { constraint, line: root.line, step });
            }
        }
        if step == last {
            for bad in &witness.bads {
                let root = &system.bads[*bad];
                if !values.value(root.value).is_true() {
                    return Err(ReplayError::NotBad { bad: *bad, line: root.line, step });
                }
            }
        }
        Ok(())
    })
}

/// What everything is in each step of a witness, whatever it claims.
pub fn simulate(system: &System, witness: &Witness) -> Result<Vec<Step>, ReplayError> {
    let mut steps = Vec::new();
    walk(system, witness, |_, values| {
        steps.push(values.clone());
        Ok(())
    })?;
    Ok(steps)
}

/// Goes along a witness; states have to be what it says they are.
fn walk(
    system: &System,
    witness: &Witness,
    mut visit: impl FnMut(usize, &Step) -> Result<(), ReplayError>,
) -> Result<(), ReplayError> {
    let mut previous: Option<Step> = None;
    for (step, frame) in witness.frames.iter().enumerate() {
        let free = values(system, frame, "state", step)?;
        let inputs = values(system, frame, "input", step)?;
        let states = match previous {
            None => initial_states(system, |k| free[k].clone()),
            Some(previous) => previous.next_states(system, |k| free[k].clone()),
        };
        let differs = |(k, given): (&usize, &Assignment)| !agrees(given, &states[*k]);
        if let Some((number, _)) = frame.states.iter().find(|a| differs(*a)) {
            return Err(ReplayError::State { number: *number, step });
        }
        let values = Step::compute(system, &states, &inputs);
        visit(step, &values)?;
        previous = Some(values);
    }
    Ok(())
}

/// The values that a frame gives to all states or inputs, zero where it gives none.
fn values(
    system: &System,
    frame: &Frame,
    what: &'static str,
    step: usize,
) -> Result<Vec<Value>, ReplayError> {
    let (nodes, given): (Vec<usize>, _) = match what {
        "state" => (system.states().iter().map(|s| s.node).collect(), &frame.states),
        _ => (system.inputs().to_vec(), &frame.inputs),
    };
    let count = nodes.len();
    if let Some(number) = given.keys().copied().find(|k| *k >= count) {
        return Err(ReplayError::NoSuch { what, number, count, step });
    }
    let value = |(number, node): (usize, usize)| {
        let sort = system.nodes()[node].sort;
        let wrong = ReplayError::Sort { what, number, sort, step };
        match given.get(&number) {
            None => Ok(Value::zero(sort)),
            Some(assignment) => grounded(assignment, sort).ok_or(wrong),
        }
    };
    nodes.into_iter().enumerate().map(value).collect()
}

/// The value of an assignment, zero where it is silent; none if it is not of the sort.
fn grounded(assignment: &Assignment, sort: Sort) -> Option<Value> {
    match (assignment, sort) {
        (Assignment::Bits(bits), Sort::BitVec(width)) => {
            (bits.width() == width).then(|| Value::Bits(bits.clone()))
        }
        (Assignment::Elements(elements), Sort::Array { index, element }) => {
            let mut array = Array::constant(index, Bits::zero(element));
            for (at, value) in elements {
                if at.width() != index || value.width() != element {
                    return None;
                }
                array.set(at, value.clone());
            }
            Some(Value::Array(Arc::new(array)))
        }
        _ => None,
    }
}

/// Whether a value is what the assignment says.
fn agrees(assignment: &Assignment, value: &Value) -> bool {
    match (assignment, value) {
        (Assignment::Bits(given), Value::Bits(bits)) => given == bits,
        (Assignment::Elements(elements), Value::Array(array)) => {
            // Of two lines for one element the later one counts.
            let last: BTreeMap<&Bits, &Bits> = elements.iter().map(|(k, v)| (k, v)).collect();
            last.into_iter().all(|(index, given)| array.read(index) == given)
        }
        _ => false,
    }
}

/// The witness in the format above, with the system's symbols.
pub fn write_witness(system: &System, witness: &Witness) -> Vec<u8> {
    let mut out = Vec::new();
    let bads: Vec<String> = witness.bads.iter().map(|b| format!("b{b}")).collect();
    emit(&mut out, format_args!("sat\n{}", bads.join(" ")));
    for (step, frame) in witness.frames.iter().enumerate() {
        if step == 0 || !frame.states.is_empty() {
            emit(&mut out, format_args!("#{step}"));
            let symbol = |k: usize| {
                system.states().get(k).and_then(|s| system.nodes()[s.node].symbol.as_deref())
            };
            assignments(&mut out, &frame.states, |k| suffix(symbol(k), '#', step));
        }
        emit(&mut out, format_args!("@{step}"));
        let symbol =
            |k: usize| system.inputs().get(k).and_then(|n| system.nodes()[*n].symbol.as_deref());
        assignments(&mut out, &frame.inputs, |k| suffix(symbol(k), '@', step));
    }
    emit(&mut out, format_args!("."));
    out
}

fn emit(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to memory succeeds");
}

fn suffix(symbol: Option<&str>, mark: char, step: usize) -> String {
    symbol.map(|s| format!(" {s}{mark}{step}")).unwrap_or_default()
}

fn assignments(
    out: &mut Vec<u8>,
    assignments: &BTreeMap<usize, Assignment>,
    suffix: impl Fn(usize) -> String,
) {
    for (number, assignment) in assignments {
        let suffix = suffix(*number);
        match assignment {
            Assignment::Bits(bits) => {
                emit(out, format_args!("{number} {}{suffix}", bits.to_binary()));
            }
            Assignment::Elements(elements) => {
                for (index, value) in elements {
                    let (index, value) = (index.to_binary(), value.to_binary());
                    emit(out, format_args!("{number} [{index}] {value}{suffix}"));
                }
            }
        }
    }
}

/// Reads a witness.
pub fn read_witness(bytes: &[u8]) -> Result<Witness, ReadError> {
    let mut reader = Reader { witness: Witness::default(), part: Part::Head };
    let mut lines = bytes.split(|b| *b == b'\n').zip(1..);
    for (line, number) in &mut lines {
        if reader.line(Line::new(line, number))? {
            return Ok(reader.witness);
        }
    }
    let end = Place::of_offset(bytes, bytes.len());
    Err(ReadError { place: end, problem: Problem::Missing("\".\", the end of the witness") })
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `sat`
    Head,
    /// `b0 b1`
    Bads,
    /// States of the last frame.
    States,
    /// Inputs of the last frame.
    Inputs,
}

struct Reader {
    witness: Witness,
    part: Part,
}

impl Reader {
    /// Whether the witness ends with this line.
    fn line(&mut self, mut line: Line<'_>) -> Result<bool, ReadError> {
        let Some(word) = line.word() else { return Ok(false) };
        match (self.part, word.bytes) {
            (Part::Head, b"sat") => self.part = Part::Bads,
            (Part::Head, _) => return Err(line.unexpected(word, "\"sat\"")),
            (Part::Bads, [b'b', ..]) if self.witness.frames.is_empty() => {
                let mut next = Some(word);
                while let Some(word) = next {
                    let bad = number(&line, word, b'b', "a bad property, as b0")?;
                    self.witness.bads.push(bad);
                    next = line.word();
                }
                return Ok(false);
            }
            (_, b".") => {
                line.symbol()?;
                return Ok(true);
            }
            (_, [b'#', ..]) => {
                let step = number(&line, word, b'#', "a step")?;
                if step != self.witness.frames.len() {
                    return Err(line.unexpected(word, "the states of the next step"));
                }
                self.witness.frames.push(Frame::default());
                self.part = Part::States;
            }
            (_, [b'@', ..]) => {
                let step = number(&line, word, b'@', "a step")?;
                let frames = self.witness.frames.len();
                let follows_states = self.part == Part::States && step + 1 == frames;
                if step == frames {
                    self.witness.frames.push(Frame::default());
                } else if !follows_states {
                    return Err(line.unexpected(word, "the inputs of the next step"));
                }
                self.part = Part::Inputs;
            }
            (Part::Bads, _) => return Err(line.unexpected(word, "\"b\", \"#0\" or \"@0\"")),
            (Part::States | Part::Inputs, _) => {
                self.assignment(&mut line, word)?;
                line.symbol()?;
                return Ok(false);
            }
        }
        line.symbol()?;
        Ok(false)
    }

    /// `NUMBER BITS` or `NUMBER [INDEX] BITS`
    fn assignment(&mut self, line: &mut Line<'_>, first: Word<'_>) -> Result<(), ReadError> {
        let expected = "the number of a state or input, \"#\", \"@\" or \".\"";
        let text = std::str::from_utf8(first.bytes).ok();
        let parsed = text.and_then(|t| t.parse::<usize>().ok());
        let item = parsed.ok_or_else(|| line.unexpected(first, expected))?;
        let word = line.required("a value")?;
        let index = word.bytes.strip_prefix(b"[").and_then(|b| b.strip_suffix(b"]"));
        let assignment = match index {
            None => Assignment::Bits(bits(line, word, word.bytes)?),
            Some(index) => {
                let index = bits(line, word, index)?;
                let value = line.required("the value of an element")?;
                Assignment::Elements(vec![(index, bits(line, value, value.bytes)?)])
            }
        };
        let frame = self.witness.frames.last_mut().expect("a part begins with a frame");
        let part = if self.part == Part::States { &mut frame.states } else { &mut frame.inputs };
        match (part.get_mut(&item), assignment) {
            (None, assignment) => drop(part.insert(item, assignment)),
            (Some(Assignment::Elements(known)), Assignment::Elements(new)) => known.extend(new),
            (Some(_), _) => {
                return Err(line.error(first, Problem::Twice("value at this step")));
            }
        }
        Ok(())
    }
}

/// The number after a mark.
fn number(
    line: &Line<'_>,
    word: Word<'_>,
    mark: u8,
    expected: &'static str,
) -> Result<usize, ReadError> {
    let digits = word.bytes.strip_prefix(&[mark]).filter(|d| d.iter().all(u8::is_ascii_digit));
    let text = digits.and_then(|d| std::str::from_utf8(d).ok());
    text.and_then(|t| t.parse().ok()).ok_or_else(|| line.unexpected(word, expected))
}

fn bits(line: &Line<'_>, word: Word<'_>, digits: &[u8]) -> Result<Bits, ReadError> {
    let expected = "binary digits, or an index in brackets and binary digits";
    let text = std::str::from_utf8(digits).ok();
    let bits = text.and_then(|t| Bits::from_binary(t).ok());
    bits.ok_or_else(|| line.unexpected(word, expected))
}
