//! Runs cycle by cycle, with inputs and times that are given, by the interpreter that is the
//! reference for what programs mean.

use crate::lower::{Kind, Lowered, Question, Tree};
use program::interpret::{Effect, Interpreter, Limits, Listener, Oracle, Outcome, Request, Step};
use program::program::{EdgeId, Instruction, VariableId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use term::{Sort, Value};
use value::{Bits, Float, Rounding};

/// A cycle as it is given.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// What the controller's clock reads, in microseconds.
    pub time: u64,
    /// What is set before the unit runs; variables keep their values until they are set again.
    pub set: Vec<(String, Given)>,
}

/// A value as it is given.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// A truth value.
    Bool(bool),
    /// A number.
    Integer(i128),
    /// A real number.
    Real(f64),
    /// A string.
    Text(String),
    /// Elements of an array.
    List(Vec<Given>),
    /// Fields.
    Fields(Vec<(String, Given)>),
}

/// A value as it is seen.
#[derive(Clone, PartialEq, Debug)]
pub enum Seen {
    /// A truth value.
    Bool(bool),
    /// A number.
    Integer(i128),
    /// A real number; single says that it has the precision of `REAL`.
    Real {
        /// The number.
        value: f64,
        /// Whether it is a `REAL`.
        single: bool,
    },
    /// A string.
    Text(String),
    /// Elements of an array.
    List(Vec<Seen>),
    /// Fields.
    Fields(Vec<(Arc<str>, Seen)>),
    /// Nothing is known.
    Unknown,
}

/// What a run shows.
pub struct Shown {
    /// The values at the end of each cycle, in the order of [`crate::lower::Observed::entries`].
    pub cycles: Vec<Vec<Seen>>,
    /// How it ended.
    pub outcome: Outcome,
}

/// Executes a program that was lowered to be observed.
pub fn run(lowered: &Lowered, cycles: &[Cycle], limits: Limits) -> Result<Shown, String> {
    check_names(lowered, cycles)?;
    let machine = Rc::new(RefCell::new(Machine::new(lowered, cycles)?));
    let mut oracle = Shared(machine.clone());
    let mut listener = Shared(machine.clone());
    let interpreter = Interpreter::new(&lowered.program).map_err(|error| format!("{error:?}"))?;
    let interpreter = interpreter.with_limits(limits).with_properties([]);
    let outcome = interpreter.watch(&mut oracle, &mut listener);
    let cycles = std::mem::take(&mut machine.borrow_mut().seen);
    Ok(Shown { cycles, outcome })
}

/// Each name that is set has to be known.
fn check_names(lowered: &Lowered, cycles: &[Cycle]) -> Result<(), String> {
    for (name, _) in cycles.iter().flat_map(|cycle| &cycle.set) {
        let key = name.to_lowercase();
        let known = lowered.observed.asked.iter().any(|asked| match &asked.what {
            Question::Value(path) => is_in(path, &key),
            _ => false,
        });
        if !known {
            return Err(format!("there is no variable '{name}' that can be set"));
        }
    }
    Ok(())
}

/// Whether a path is of a variable or of a part of it.
fn is_in(path: &str, variable: &str) -> bool {
    path.strip_prefix(variable).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

struct Machine<'l> {
    lowered: &'l Lowered,
    questions: FxHashMap<VariableId, Question>,
    havocs: FxHashMap<EdgeId, VariableId>,
    /// For each cycle, the scalars that are set, by their paths.
    set: Vec<FxHashMap<Arc<str>, Given>>,
    times: Vec<u64>,
    cycle: usize,
    values: FxHashMap<VariableId, Value>,
    seen: Vec<Vec<Seen>>,
}

impl<'l> Machine<'l> {
    fn new(lowered: &'l Lowered, cycles: &[Cycle]) -> Result<Machine<'l>, String> {
        let asked = &lowered.observed.asked;
        let questions = asked.iter().map(|a| (a.register, a.what.clone())).collect();
        let havocs =
            lowered.program.edges().filter_map(|((_, id), edge)| match &edge.instruction {
                Instruction::Havoc(variable, _) => Some((id, *variable)),
                _ => None,
            });
        let havocs = havocs.collect();
        let mut set = Vec::new();
        for cycle in cycles {
            let mut scalars = FxHashMap::default();
            for (name, given) in &cycle.set {
                let key = name.to_lowercase();
                let paths: Vec<Arc<str>> = asked
                    .iter()
                    .filter_map(|asked| match &asked.what {
                        Question::Value(path) if is_in(path, &key) => Some(path.clone()),
                        _ => None,
                    })
                    .collect();
                spread(&key, &paths, given, &mut scalars)
                    .map_err(|message| format!("{name}: {message}"))?;
            }
            set.push(scalars);
        }
        let times = cycles.iter().map(|cycle| cycle.time / 1000).collect();
        Ok(Machine {
            lowered,
            questions,
            havocs,
            set,
            times,
            cycle: 0,
            values: FxHashMap::default(),
            seen: Vec::new(),
        })
    }

    fn answer(&self, question: &Question, sort: Sort) -> Option<Value> {
        let time = |at: usize| self.times.get(at).copied().unwrap_or(0);
        let milliseconds = |n: u64| Some(Value::Bits(Bits::from_u128(32, u128::from(n as u32))));
        match question {
            Question::Clock => milliseconds(time(0)),
            Question::Elapsed if self.cycle == 0 => milliseconds(0),
            Question::Elapsed => {
                milliseconds(time(self.cycle).saturating_sub(time(self.cycle - 1)))
            }
            Question::IsSet(path) => {
                let set = self.set.get(self.cycle)?.contains_key(path);
                Some(Value::Bool(set))
            }
            Question::Value(path) => value(self.set.get(self.cycle)?.get(path)?, sort),
        }
    }

    fn look(&mut self) {
        let mut row = Vec::new();
        for entry in &self.lowered.observed.entries {
            row.push(self.tree(&entry.value));
        }
        self.seen.push(row);
        self.cycle += 1;
    }

    fn tree(&self, tree: &Tree) -> Seen {
        match tree {
            Tree::Scalar(register, kind) => {
                self.values.get(register).map_or(Seen::Unknown, |value| seen(value, kind))
            }
            Tree::Text(registers) => {
                let units = registers.iter().map_while(|register| {
                    let unit = self.values.get(register)?.as_bits()?.to_u64()?;
                    (unit != 0).then_some(unit as u16)
                });
                let units: Vec<u16> = units.collect();
                let wide = registers.first().is_some_and(|register| {
                    self.values
                        .get(register)
                        .is_some_and(|value| value.as_bits().is_some_and(|bits| bits.width() == 16))
                });
                Seen::Text(match wide {
                    true => String::from_utf16_lossy(&units),
                    false => {
                        let bytes: Vec<u8> = units.iter().map(|unit| *unit as u8).collect();
                        String::from_utf8(bytes.clone()).unwrap_or_else(|_| {
                            bytes.iter().map(|byte| char::from(*byte)).collect()
                        })
                    }
                })
            }
            Tree::Array(trees) => Seen::List(trees.iter().map(|tree| self.tree(tree)).collect()),
            Tree::Fields(fields) => {
                let shown = fields.iter().filter(|(name, _)| !is_hidden(name));
                Seen::Fields(shown.map(|(name, tree)| (name.clone(), self.tree(tree))).collect())
            }
            Tree::Nothing => Seen::Unknown,
        }
    }
}

/// Whether a field is what a standard block is made of, and no part of the standard, whose names have no
/// two underscores in a row.
fn is_hidden(field: &str) -> bool {
    field.starts_with("__")
}

/// Gives the scalars of a variable what a value says.
fn spread(
    key: &str,
    paths: &[Arc<str>],
    given: &Given,
    scalars: &mut FxHashMap<Arc<str>, Given>,
) -> Result<(), String> {
    match given {
        Given::Fields(fields) => {
            for (name, value) in fields {
                let inner = format!("{key}.{}", name.to_lowercase());
                let own: Vec<Arc<str>> =
                    paths.iter().filter(|path| is_in(path, &inner)).cloned().collect();
                if own.is_empty() {
                    return Err(format!("there is no field '{name}'"));
                }
                spread(&inner, &own, value, scalars)?;
            }
            Ok(())
        }
        Given::List(values) => {
            let flat = flattened(values);
            if flat.len() > paths.len() {
                let (given, most) = (flat.len(), paths.len());
                return Err(format!("{given} values for {most} elements"));
            }
            scalars.extend(paths.iter().cloned().zip(flat));
            Ok(())
        }
        Given::Text(text) => {
            let units = text.bytes().map(i128::from).chain(std::iter::repeat(0));
            for (path, unit) in paths.iter().zip(units) {
                scalars.insert(path.clone(), Given::Integer(unit));
            }
            Ok(())
        }
        scalar => match paths {
            [path] => {
                scalars.insert(path.clone(), scalar.clone());
                Ok(())
            }
            _ => Err("one value for a variable that has several".into()),
        },
    }
}

fn flattened(values: &[Given]) -> Vec<Given> {
    let mut flat = Vec::new();
    for value in values {
        match value {
            Given::List(inner) => flat.extend(flattened(inner)),
            value => flat.push(value.clone()),
        }
    }
    flat
}

/// A value that is given as one of a sort.
fn value(given: &Given, sort: Sort) -> Option<Value> {
    Some(match (given, sort) {
        (Given::Bool(truth), Sort::Bool) => Value::Bool(*truth),
        (Given::Integer(number), Sort::Bool) => Value::Bool(*number != 0),
        (Given::Integer(number), Sort::BitVec(width)) => {
            Value::Bits(Bits::from_i128(width, *number))
        }
        (Given::Bool(truth), Sort::BitVec(width)) => {
            Value::Bits(Bits::from_i128(width, i128::from(*truth)))
        }
        (Given::Integer(number), Sort::Float(format)) => {
            let number = value::BigInt::from(*number);
            Value::Float(Float::from_bigint(format, Rounding::NearestEven, &number))
        }
        (Given::Real(number), Sort::Float(format)) => {
            let number = Float::from_f64(*number);
            Value::Float(number.to_format(format, Rounding::NearestEven))
        }
        _ => return None,
    })
}

/// A value as it is seen.
fn seen(value: &Value, kind: &Kind) -> Seen {
    match (value, kind) {
        (Value::Bool(truth), _) => Seen::Bool(*truth),
        (Value::Float(float), _) => match float.to_f32() {
            Some(single) => Seen::Real { value: f64::from(single), single: true },
            None => Seen::Real { value: float.to_f64().unwrap_or(f64::NAN), single: false },
        },
        (Value::Bits(bits), Kind::Signed) => bits.to_i128().map_or(Seen::Unknown, Seen::Integer),
        (Value::Bits(bits), Kind::Time(clock)) if clock.is_signed() => {
            bits.to_i128().map_or(Seen::Unknown, Seen::Integer)
        }
        (Value::Bits(bits), Kind::Enumeration(values)) => {
            let signed = bits.to_i128().unwrap_or(0);
            let known = values.iter().any(|(_, number)| *number == signed);
            let unsigned = bits.to_u64().map_or(0, i128::from);
            Seen::Integer(if known { signed } else { unsigned })
        }
        (Value::Bits(bits), _) => {
            bits.to_u64().map_or(Seen::Unknown, |number| Seen::Integer(i128::from(number)))
        }
        _ => Seen::Unknown,
    }
}

#[derive(Clone)]
struct Shared<'l>(Rc<RefCell<Machine<'l>>>);

impl Oracle for Shared<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let machine = self.0.borrow();
        let variable = machine.havocs.get(&request.edge)?;
        let question = machine.questions.get(variable)?;
        machine.answer(question, request.sort)
    }
}

impl Listener for Shared<'_> {
    fn step(&mut self, step: &Step<'_>) {
        if let Effect::Assigned(variable, value) = &step.effect {
            let mut machine = self.0.borrow_mut();
            if machine.lowered.observed.cycle == Some(*variable) {
                machine.look();
            } else {
                machine.values.insert(*variable, (*value).clone());
            }
        }
    }
}
