//! A failing run, as the interpreter replays it.
//!
//! [`Watched`] stands between the interpreter and the oracle that knows the run: it notes every
//! unknown value that the program takes, in order, and every assignment to a variable of the source.

use program::interpret::Branch;
use program::interpret::{Effect, Listener, Oracle, Part, Request, Step};
use program::program::{Cause, Instruction, Program, Reading, VariableId};
use program::{Place, Property};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use term::eval::default_value;
use term::{Sort, Value};

/// A run into a violation.
#[derive(Clone, Debug, Default)]
pub struct Counterexample {
    /// The unknown values that the run takes, in order.
    pub taken: Vec<Taken>,
    /// The assignments to variables of the source, in order.
    pub assignments: Vec<Assignment>,
    /// The property that is violated.
    pub property: Option<Property>,
    /// Where.
    pub place: Place,
    /// The function in which it is violated.
    pub function: Arc<str>,
    /// The calls that are open there: the calling function and the place of the call, outermost
    /// first.
    pub stack: Vec<(Arc<str>, Place)>,
}

/// An unknown value.
#[derive(Clone, Debug)]
pub struct Taken {
    /// Why it is unknown.
    pub cause: Cause,
    /// The variable of the source that takes it, if it has a name.
    pub variable: Option<Arc<str>>,
    /// Which of the values of its instruction.
    pub part: Part,
    /// The value.
    pub value: Value,
    /// How it is written.
    pub reading: Reading,
    /// Where.
    pub place: Place,
    /// The function that takes it.
    pub function: Arc<str>,
    /// How many assignments came before it.
    pub after: usize,
}

/// An assignment to a variable of the source.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable, as an expression of the source.
    pub variable: Arc<str>,
    /// Its value.
    pub value: Value,
    /// How it is written.
    pub reading: Reading,
    /// Where.
    pub place: Place,
    /// The function that assigns.
    pub function: Arc<str>,
}

/// The most assignments that are noted: a longer run has no reader.
const MAX_ASSIGNMENTS: usize = 100_000;

/// Notes what an oracle says and what the interpreter does.
pub struct Watched<'p, O> {
    program: &'p Program,
    inner: O,
    notes: Rc<RefCell<Counterexample>>,
}

impl<O: Clone> Clone for Watched<'_, O> {
    fn clone(&self) -> Self {
        let notes = self.notes.clone();
        Watched { program: self.program, inner: self.inner.clone(), notes }
    }
}

impl<'p, O> Watched<'p, O> {
    /// Watches an oracle. Clones share their notes.
    pub fn new(program: &'p Program, inner: O) -> Self {
        Watched { program, inner, notes: Rc::default() }
    }

    /// What was noted.
    pub fn notes(&self) -> Counterexample {
        self.notes.borrow().clone()
    }
}

impl<O: Oracle> Oracle for Watched<'_, O> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let answer = self.inner.value(request);
        let function = &self.program.functions[request.function];
        let Some(body) = &function.body else { return answer };
        let edge = &body.edges[request.edge];
        let variable = match &edge.instruction {
            Instruction::Havoc(variable, _) => Some(&self.program.variables[*variable]),
            _ => None,
        };
        let value = answer.clone();
        let value = value.unwrap_or_else(|| default_value(&self.program.pool, request.sort));
        let mut notes = self.notes.borrow_mut();
        let after = notes.assignments.len();
        notes.taken.push(Taken {
            cause: request.cause.clone(),
            variable: variable.and_then(|variable| variable.name.clone()),
            part: request.part,
            value,
            reading: variable.map_or(Reading::Unsigned, |variable| variable.reading),
            place: edge.place.clone(),
            function: function.name.clone(),
            after,
        });
        answer
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        self.inner.choose(branch)
    }
}

impl<O: Listener> Listener for Watched<'_, O> {
    fn step(&mut self, step: &Step<'_>) {
        self.inner.step(step);
        let function = &self.program.functions[step.function];
        let Some(body) = &function.body else { return };
        let place = &body.edges[step.edge].place;
        let mut notes = self.notes.borrow_mut();
        let mut note = |variable: VariableId, value: &Value| {
            let variable = &self.program.variables[variable];
            let Some(name) = &variable.name else { return };
            if place.is_known() && notes.assignments.len() < MAX_ASSIGNMENTS {
                notes.assignments.push(Assignment {
                    variable: name.clone(),
                    value: value.clone(),
                    reading: variable.reading,
                    place: place.clone(),
                    function: function.name.clone(),
                });
            }
        };
        match &step.effect {
            Effect::Assigned(variable, value) => note(*variable, value),
            Effect::Returned(_, results) => {
                for (variable, value) in *results {
                    note(*variable, value);
                }
            }
            _ => {}
        }
    }
}

/// A value as the source language writes it.
pub fn written(value: &Value, reading: Reading) -> String {
    match (value, reading) {
        (Value::Bool(value), _) => u8::from(*value).to_string(),
        (Value::Bits(bits), Reading::Signed) => bits.to_bigint().to_string(),
        (Value::Bits(bits), Reading::Address) => format!("{:#x}", bits.to_biguint()),
        (Value::Bits(bits), _) => bits.to_biguint().to_string(),
        (Value::Float(float), _) => float.to_decimal(),
        (other, _) => format!("{other:?}"),
    }
}

impl Taken {
    /// What takes the value, in words.
    pub fn what(&self) -> String {
        match (&self.cause, &self.variable) {
            (Cause::Input(name) | Cause::Unknown(name) | Cause::Approximated(name), _) => {
                format!("{name}()")
            }
            (Cause::Uninitialized, Some(name)) => format!("{name} (not initialized)"),
            (Cause::Uninitialized, None) => "memory (not initialized)".to_owned(),
            (Cause::Assembly, _) => "inline assembly".to_owned(),
        }
    }

    /// The sort of the value, where it has a C type.
    pub fn sort(&self) -> Option<Sort> {
        match &self.value {
            Value::Bool(_) => Some(Sort::Bool),
            Value::Bits(bits) => Some(Sort::BitVec(bits.width())),
            Value::Float(float) => Some(Sort::Float(float.format())),
            _ => None,
        }
    }
}
