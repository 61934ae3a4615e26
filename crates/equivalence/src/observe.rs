//! Runs of a version on inputs, and what can be seen of them: results, global variables, memory
//! behind pointer parameters, calls of functions without a body.
//!
//! The interpreter executes the program; what it asks for comes from [`Inputs`] by name, so that both
//! versions see the same. A run counts only if it ends, without undefined behaviour, and if every
//! value that it took is exact.

use crate::foreign::{self, Kind};
use crate::inputs::{Constants, Inputs, generated, mix, mix_text};
use answer::Allowance;
use program::Program;
use program::interpret::{
    Branch, Effect, Interpreter, Limits, Listener, Malformed, Oracle, Outcome, Part, Request, Step,
};
use program::program::{
    Callee, Cause, EdgeId, FunctionId, Instruction, Reading, Variable, VariableId,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use term::{Sort, Value};
use value::Bits;

/// A value as it is compared: addresses by the object that they lie in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// A number.
    Number(Value),
    /// An address in an object, by its name and the distance from its first byte.
    Address(String, u64),
    /// The address of a constant with these bytes.
    Text(Vec<u8>),
}

/// What was seen of a run.
#[derive(Clone, Default, Debug)]
pub struct Observed {
    /// The result, by parts.
    pub results: Vec<Seen>,
    /// Global variables in registers, by name.
    pub globals: BTreeMap<String, Value>,
    /// Bytes of memory that were written, by object and distance.
    pub memory: BTreeMap<(String, u64), u8>,
    /// Calls of functions without a body that may do something, in order.
    pub calls: Vec<(String, Vec<Seen>)>,
    /// The inputs that the run asked for.
    pub inputs: BTreeMap<String, Value>,
    /// What functions without a body gave that may do something, in order.
    pub given: Vec<(String, Value)>,
    /// The sizes of the objects behind pointer parameters.
    pub sizes: Vec<u64>,
}

/// A version that can be executed.
pub struct Trial {
    program: Program,
    entry: FunctionId,
    parameters: Vec<Option<Arc<str>>>,
}

impl Trial {
    /// Makes a program executable whose start calls the function of this name.
    pub fn new(program: &Program, function: &str) -> Option<Trial> {
        let mut program = program.clone();
        let (edge, entry) = call_of(&program, function)?;
        let outputs = program.functions[entry].results.clone();
        let mut registers = Vec::new();
        for (number, output) in outputs.into_iter().enumerate() {
            let name = format!("<start>::output {number}");
            let like = program.variables[output].clone();
            let term = program.pool.var(&name, like.sort);
            let (name, function) = (None, Some(program.start));
            registers.push(program.variables.alloc(Variable { term, name, function, ..like }));
        }
        let start = program.start;
        let body = program.functions[start].body.as_mut()?;
        if let Instruction::Call { results, .. } = &mut body.edges[edge].instruction {
            *results = registers;
        }
        let names = |id: &VariableId| program.variables[*id].name.clone();
        let parameters = program.functions[entry].parameters.iter().map(names);
        let parameters = parameters.collect();
        Some(Trial { program, entry, parameters })
    }

    /// Executes it. What is not initialized has values that follow from `fill`; signed arithmetic wraps
    /// around where that is said, and ends what counts of a run otherwise.
    pub fn run(
        &self,
        inputs: &Inputs,
        constants: &Constants,
        (fill, wrap): (u64, bool),
        allowance: &Allowance,
    ) -> Result<Run, Malformed> {
        let limits = Limits { steps: 300_000, memory: 1 << 26, allowance: allowance.clone() };
        let undefined = crate::read::UNDEFINED.iter();
        let undefined = undefined.filter(|p| !wrap || **p != program::Property::Overflow);
        let interpreter =
            Interpreter::new(&self.program)?.with_properties(undefined).with_limits(limits);
        let watch = Rc::new(RefCell::new(Watch { exact: true, ..Watch::default() }));
        let mut oracle = Answers { trial: self, inputs, constants, fill, watch: watch.clone() };
        let mut listener = Ear { trial: self, watch: watch.clone() };
        let outcome = interpreter.watch(&mut oracle, &mut listener);
        let watch = watch.borrow();
        Ok(match outcome {
            Outcome::Finished { .. } if watch.exact => Run::Ended(Box::new(self.observed(&watch))),
            Outcome::Violation { property, .. } => Run::Undefined(property),
            Outcome::Undefined { fault, .. } => Run::Undefined(fault.property()),
            _ => Run::Lost,
        })
    }

    /// Addresses by the objects that they lie in.
    fn seen(&self, watch: &Watch, value: &Value) -> Seen {
        let address = match value {
            Value::Bits(bits) if bits.width() == self.program.pointer_width => bits.to_u64(),
            _ => None,
        };
        match address.and_then(|address| self.place(watch, address)) {
            None => Seen::Number(value.clone()),
            Some(Place::Constant(bytes)) => Seen::Text(bytes),
            Some(Place::Object(name, offset)) => Seen::Address(name, offset),
        }
    }

    fn place(&self, watch: &Watch, address: u64) -> Option<Place> {
        for (number, (base, size)) in watch.objects.iter().enumerate() {
            if (*base..*base + (*size).max(1)).contains(&address) {
                return Some(Place::Object(format!("*{number}"), address - base));
            }
        }
        for (_, object) in self.program.objects.iter() {
            let base = self.program.addresses.get(&object.address).and_then(Bits::to_u64)?;
            if (base..base + object.size.max(1)).contains(&address) {
                let offset = address - base;
                return Some(match object.constant {
                    true => Place::Constant(self.initial_bytes(object, offset)),
                    false => Place::Object(object.name.to_string(), offset),
                });
            }
        }
        None
    }

    /// The initial bytes of an object from an offset on.
    fn initial_bytes(&self, object: &program::Object, from: u64) -> Vec<u8> {
        let mut bytes = vec![0; object.size.min(1 << 16) as usize];
        for (offset, term) in &object.initial {
            if let Some(value) = self.program.pool.value(*term) {
                for (i, byte) in little_endian(value).into_iter().enumerate() {
                    if let Some(place) = bytes.get_mut(*offset as usize + i) {
                        *place = byte;
                    }
                }
            }
        }
        bytes.split_off((from as usize).min(bytes.len()))
    }

    fn observed(&self, watch: &Watch) -> Observed {
        let globals = watch.registers.iter().filter_map(|(id, value)| {
            let variable = &self.program.variables[*id];
            Some((variable.name.as_ref()?.to_string(), value.clone()))
        });
        let mut memory = BTreeMap::new();
        for (address, byte) in &watch.written {
            if let Some(Place::Object(name, offset)) = self.place(watch, *address) {
                memory.insert((name, offset), *byte);
            }
        }
        let results = watch.results.iter().map(|value| self.seen(watch, value)).collect();
        let (calls, inputs) = (watch.calls.clone(), watch.inputs.clone());
        let sizes = watch.objects.iter().map(|(_, size)| *size).collect();
        let (globals, given) = (globals.collect(), watch.given.clone());
        Observed { results, globals, memory, calls, inputs, given, sizes }
    }

    /// The byte that an object holds where nothing has written it.
    pub fn initial(&self, inputs: &Inputs, object: &str, offset: u64) -> u8 {
        let statics = self.program.objects.iter().map(|(_, object)| object);
        match statics.into_iter().find(|known| *known.name == *object && !known.constant) {
            Some(known) if !known.unknown => {
                self.initial_bytes(known, offset).first().copied().unwrap_or(0)
            }
            _ => inputs.byte(object, offset),
        }
    }

    /// Static objects of the source that hold anything at first: name and size.
    pub fn unknown_objects(&self) -> Vec<(String, u64)> {
        let objects = self.program.objects.iter().map(|(_, object)| object);
        let unknown = objects.filter(|object| object.unknown && !object.constant);
        unknown.map(|object| (object.name.to_string(), object.size)).collect()
    }

    /// The names of parameters as they are shown.
    pub fn parameters(&self) -> &[Option<Arc<str>>] {
        &self.parameters
    }

    /// How a result is read, by its number.
    pub fn reading(&self, result: usize) -> Reading {
        let results = &self.program.functions[self.entry].results;
        results.get(result).map_or(Reading::Unsigned, |id| self.program.variables[*id].reading)
    }

    /// How the input with this name is read.
    pub fn input_reading(&self, name: &str) -> Reading {
        let parameters = &self.program.functions[self.entry].parameters;
        let index = name.strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
        let id = index.and_then(|index| parameters.get(index).copied()).or_else(|| {
            let named = |v: &Variable| v.name.as_deref() == Some(name) && v.function.is_none();
            self.program.variables.iter().find(|(_, v)| named(v)).map(|(id, _)| id)
        });
        id.map_or(Reading::Signed, |id| self.program.variables[id].reading)
    }
}

/// The call of a function in a program's start.
fn call_of(program: &Program, function: &str) -> Option<(EdgeId, FunctionId)> {
    let start = program.functions[program.start].body.as_ref()?;
    let mut calls = start.edges.iter().filter_map(|(id, edge)| match &edge.instruction {
        Instruction::Call { callee: Callee::Function(callee), .. } => Some((id, *callee)),
        _ => None,
    });
    calls.find(|(_, callee)| *program.functions[*callee].name == *function)
}

/// How a run ended.
pub enum Run {
    /// As it should.
    Ended(Box<Observed>),
    /// In undefined behaviour.
    Undefined(program::Property),
    /// It did not end, ended early, or is not exact.
    Lost,
}

/// Where an address is.
enum Place {
    Object(String, u64),
    Constant(Vec<u8>),
}

/// What is noted during a run.
#[derive(Default)]
struct Watch {
    /// Objects that the start makes: first byte and size.
    objects: Vec<(u64, u64)>,
    registers: FxHashMap<VariableId, Value>,
    written: BTreeMap<u64, u8>,
    calls: Vec<(String, Vec<Seen>)>,
    inputs: BTreeMap<String, Value>,
    given: Vec<(String, Value)>,
    results: Vec<Value>,
    /// The arguments of the last call, and what happened before it.
    arguments: Vec<Value>,
    history: u64,
    unnamed: u64,
    exact: bool,
}

struct Ear<'t> {
    trial: &'t Trial,
    watch: Rc<RefCell<Watch>>,
}

impl Listener for Ear<'_> {
    fn step(&mut self, step: &Step<'_>) {
        let program = &self.trial.program;
        let mut watch = self.watch.borrow_mut();
        match &step.effect {
            Effect::Assigned(id, value) if program.variables[*id].function.is_none() => {
                watch.registers.insert(*id, (*value).clone());
            }
            Effect::Allocated(_, address, size) if step.function == program.start => {
                let base = address.as_bits().and_then(Bits::to_u64);
                watch.objects.extend(base.map(|base| (base, *size)));
            }
            Effect::Stored(address, value) => {
                let bytes = little_endian(value).into_iter().enumerate();
                watch.written.extend(bytes.map(|(i, byte)| (address + i as u64, byte)));
            }
            // What was written is not told; where it is of no object that is compared, it need not.
            Effect::Wrote(address, length)
                if *length > 0 && self.trial.place(&watch, *address).is_some() =>
            {
                watch.exact = false;
            }
            Effect::Called(callee, arguments) if program.functions[*callee].body.is_none() => {
                watch.arguments = arguments.to_vec();
                let name = &program.functions[*callee].name;
                if foreign::kind(name) == Kind::Effect {
                    let seen: Vec<Seen> =
                        arguments.iter().map(|value| self.trial.seen(&watch, value)).collect();
                    watch.history = mix_text(watch.history, &format!("{name}{seen:?}"));
                    watch.calls.push((name.to_string(), seen));
                }
            }
            Effect::Returned(callee, results) => {
                for (id, value) in *results {
                    if program.variables[*id].function.is_none() {
                        watch.registers.insert(*id, value.clone());
                    }
                }
                if *callee == self.trial.entry && step.function == program.start {
                    watch.results = results.iter().map(|(_, value)| value.clone()).collect();
                }
            }
            _ => {}
        }
    }
}

struct Answers<'t> {
    trial: &'t Trial,
    inputs: &'t Inputs,
    constants: &'t Constants,
    fill: u64,
    watch: Rc<RefCell<Watch>>,
}

impl Oracle for Answers<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let trial = self.trial;
        let mut watch = self.watch.borrow_mut();
        match (&request.part, request.cause) {
            (Part::Result(number), Cause::Unknown(name)) => {
                self.foreign(&mut watch, name, *number, request.sort)
            }
            (Part::Memory { address, .. }, _) => match trial.place(&watch, *address) {
                Some(Place::Object(name, offset)) => Some(byte(self.inputs.byte(&name, offset))),
                _ => generated(mix(self.fill, *address), request.sort, self.constants),
            },
            (_, Cause::Approximated(_) | Cause::Assembly) => {
                watch.exact = false;
                None
            }
            (_, Cause::Input(name)) if request.function == trial.program.start => {
                let named = |parameter: &Option<Arc<str>>| parameter.as_deref() == Some(&**name);
                let key = match trial.parameters.iter().position(named) {
                    Some(index) => format!("#{index}"),
                    None => name.to_string(),
                };
                let value = self.input(&key, request.sort);
                watch.exact &= self.is_plausible(&key, value.as_ref());
                if let Some(value) = &value {
                    watch.inputs.insert(key, value.clone());
                }
                value
            }
            (_, Cause::Unknown(name)) => {
                let value = self.input(name, request.sort);
                watch.exact &= self.is_plausible(name, value.as_ref());
                if let Some(value) = &value {
                    watch.inputs.insert(name.to_string(), value.clone());
                }
                value
            }
            (_, cause) => {
                watch.unnamed += 1;
                let salt =
                    if *cause == Cause::Uninitialized { self.fill } else { self.inputs.seed };
                generated(mix(salt, watch.unnamed), request.sort, self.constants)
            }
        }
    }

    fn choose(&mut self, _: &Branch<'_>) -> usize {
        self.watch.borrow_mut().exact = false;
        0
    }
}

impl Answers<'_> {
    /// Whether an input can be what it is: objects do not lie at the end of all addresses.
    fn is_plausible(&self, key: &str, value: Option<&Value>) -> bool {
        let address = value.and_then(|value| value.as_bits()).and_then(Bits::to_u64);
        self.trial.input_reading(key) != Reading::Address || address.is_none_or(|a| a < 1 << 47)
    }

    /// The value of an input. A pointer of which nothing is known is null, or an address as objects
    /// have.
    fn input(&self, key: &str, sort: Sort) -> Option<Value> {
        let known = self.inputs.fixed.contains_key(key);
        if self.trial.input_reading(key) == Reading::Address && !known {
            let number = mix_text(self.inputs.seed, key);
            let address = if number.is_multiple_of(4) { 0 } else { 0x1_0000 + number % (1 << 30) };
            return Some(Value::Bits(Bits::from_u64(sort.width()?, address & !15)));
        }
        self.inputs.value(key, sort, self.constants)
    }

    /// What a function without a body returns.
    fn foreign(&self, watch: &mut Watch, name: &str, number: usize, sort: Sort) -> Option<Value> {
        match (foreign::kind(name), sort) {
            (Kind::Mark, Sort::BitVec(width)) => Some(foreign::mark(width)),
            (Kind::Pure | Kind::Mark, _) => {
                let value = foreign::evaluate(name, &watch.arguments);
                watch.exact &= value.is_some();
                value
            }
            (Kind::Effect, _) => {
                let salt = mix(watch.history, number as u64);
                let value = generated(mix(self.inputs.seed, salt), sort, self.constants);
                watch.given.extend(value.clone().map(|value| (name.to_owned(), value)));
                value
            }
        }
    }
}

fn byte(byte: u8) -> Value {
    Value::Bits(Bits::from_u64(8, u64::from(byte)))
}

/// The bytes of a value as memory has them.
fn little_endian(value: &Value) -> Vec<u8> {
    let bits = match value {
        Value::Bits(bits) => bits.clone(),
        Value::Float(float) => float.to_bits(),
        _ => return Vec::new(),
    };
    let bytes = (0..bits.width() / 8).map(|i| bits.extract(8 * i + 7, 8 * i).to_u64().unwrap_or(0));
    bytes.map(|byte| byte as u8).collect()
}
