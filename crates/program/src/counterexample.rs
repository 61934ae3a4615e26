//! A failing run, as the interpreter replays it.
//!
//! [`Watched`] stands between the interpreter and the oracle that knows the run: it notes every
//! unknown value that the program takes, in order, and every assignment to a variable of the source.
//! [`Script`] is an oracle that plays such notes again.

mod placed;

pub use placed::Placed;

use crate::interpret::{Branch, Effect, Listener, OUTSIDE, Oracle, Part, Placement, Request, Step};
use crate::program::{
    Cause, EdgeId, FunctionId, Instruction, Program, Reading, Storage, VariableId,
};
use crate::{Place, Property};
use answer::Interrupt;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
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
    /// The objects that were allocated, by address: of those that have the same byte, the youngest.
    pub objects: BTreeMap<u64, Allocated>,
    /// How many there are on the heap, and of each declaration.
    pub allocations: FxHashMap<Option<VariableId>, usize>,
    /// The ways taken where several could be, in order.
    pub choices: Vec<usize>,
    /// Where objects lie, if not as ever. Whoever replays the run needs it
    /// ([`Interpreter::with_placement`]).
    ///
    /// [`Interpreter::with_placement`]: crate::interpret::Interpreter::with_placement
    pub placement: Option<Placement>,
    /// What the placement places, as far as the run came.
    pub placed: Vec<Placed>,
}

/// An object that was allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Object {
    /// On the heap, by number.
    Heap(usize),
    /// On the stack: the register that holds its address, and how many came before by the same
    /// declaration.
    Stack(VariableId, usize),
}

/// An object that was allocated, and how large it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocated {
    /// Which one.
    pub object: Object,
    /// Its size in bytes.
    pub size: u64,
    /// What the source calls it.
    pub name: Option<Arc<str>>,
}

impl Counterexample {
    /// The youngest allocated object that an address is in, and the offset there.
    fn object_at(&self, address: u64) -> Option<(&Allocated, u64)> {
        let (start, allocated) = self.objects.range(..=address).next_back()?;
        let offset = address - start;
        (offset < allocated.size).then_some((allocated, offset))
    }

    /// Takes note of a new object; the address is `into`'s.
    fn allocated(
        &mut self,
        program: &Program,
        address: u64,
        size: u64,
        into: VariableId,
        (storage, name): (Storage, Option<Arc<str>>),
    ) {
        let is_placed = |p: &Placement| p.allocation(self.allocations.values().sum()).is_some();
        let is_placed = self.placement.as_ref().is_some_and(is_placed);
        let declared = (storage == Storage::Stack).then_some(into);
        let count = self.allocations.entry(declared).or_default();
        let object = declared.map_or(Object::Heap(*count), |into| Object::Stack(into, *count));
        *count += 1;
        // Those that it overlaps live no more: nobody will ask for their bytes.
        let end = address.saturating_add(size.max(1));
        let mut there = None;
        while let Some((&start, old)) = self.objects.range(..end).next_back()
            && start.saturating_add(old.size.max(1)) > address
        {
            there = self.objects.remove(&start);
        }
        self.objects.insert(address, Allocated { object, size, name });
        if let Some(placement) = self.placement.as_ref().filter(|_| is_placed) {
            let notes = placed::Notes { program, placement, objects: &self.objects };
            self.placed.push(notes.allocation(address, there));
        }
    }
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
    /// The instruction that takes it.
    pub instruction: (FunctionId, EdgeId),
    /// The register that takes it.
    pub register: Option<VariableId>,
    /// For a byte of memory: the object and the byte's offset.
    pub object: Option<(Object, u64)>,
    /// For a byte of memory: what the source calls the object.
    pub memory: Option<Arc<str>>,
    /// How many assignments came before it.
    pub after: usize,
}

/// An assignment to a variable of the source.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub id: VariableId,
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

impl<O> Watched<'_, O> {
    /// Takes note of an answer.
    fn note(&mut self, request: &Request<'_>, answer: Option<&Value>) {
        let function = &self.program.functions[request.function];
        let Some(body) = &function.body else { return };
        let edge = &body.edges[request.edge];
        let register = match &edge.instruction {
            Instruction::Havoc(variable, _) => Some(*variable),
            _ => None,
        };
        let variable = register.map(|register| &self.program.variables[register]);
        let value = answer.cloned();
        let value = value.unwrap_or_else(|| default_value(&self.program.pool, request.sort));
        let mut notes = self.notes.borrow_mut();
        let after = notes.assignments.len();
        let found = match request.part {
            Part::Memory { address, .. } => notes.object_at(address),
            _ => None,
        };
        let object = found.map(|(allocated, offset)| (allocated.object, offset));
        let memory = found.and_then(|(allocated, _)| allocated.name.clone());
        notes.taken.push(Taken {
            cause: request.cause.clone(),
            variable: variable.and_then(|variable| variable.name.clone()),
            part: request.part,
            value,
            reading: variable.map_or(Reading::Unsigned, |variable| variable.reading),
            place: edge.place.clone(),
            function: function.name.clone(),
            instruction: (request.function, request.edge),
            register,
            object,
            memory,
            after,
        });
    }
}

impl<O: Oracle> Oracle for Watched<'_, O> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let answer = self.inner.value(request);
        self.note(request, answer.as_ref());
        answer
    }

    fn computed(&mut self, request: &Request<'_>, result: Value) -> Value {
        let result = self.inner.computed(request, result);
        self.note(request, Some(&result));
        result
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let choice = self.inner.choose(branch);
        self.notes.borrow_mut().choices.push(choice);
        choice
    }
}

/// An oracle that hands out given values in order, each to the instruction that it is for.
#[derive(Clone, Debug, Default)]
pub struct Script {
    values: Vec<(FunctionId, EdgeId, Part, Value)>,
    choices: Vec<usize>,
    asked: usize,
    chosen: usize,
    strayed: Interrupt,
}

impl Script {
    /// The values of a run, with what was not initialized as zero.
    pub fn with_zeros(run: &Counterexample) -> Script {
        let value = |taken: &Taken| match taken.cause {
            Cause::Uninitialized => zero(&taken.value),
            _ => taken.value.clone(),
        };
        Script::new(run, value)
    }

    /// The values of a run.
    pub fn of(run: &Counterexample) -> Script {
        Script::new(run, |taken| taken.value.clone())
    }

    /// The values of a run that is told by what it takes, and by the ways it takes.
    pub fn replaying(taken: &[Taken], choices: &[usize]) -> Script {
        let (taken, choices) = (taken.to_vec(), choices.to_vec());
        Script::of(&Counterexample { taken, choices, ..Counterexample::default() })
    }

    fn new(run: &Counterexample, value: impl Fn(&Taken) -> Value) -> Script {
        let entry = |taken: &Taken| {
            let (function, edge) = taken.instruction;
            (function, edge, taken.part, value(taken))
        };
        let values = run.taken.iter().map(entry).collect();
        Script { values, choices: run.choices.clone(), ..Script::default() }
    }

    /// Set as soon as something is asked that the script does not say: the run is another than its
    /// own. It can serve as the interpreter's interrupt.
    pub fn strayed(&self) -> Interrupt {
        self.strayed.clone()
    }
}

fn zero(value: &Value) -> Value {
    match value {
        Value::Bool(_) => Value::Bool(false),
        Value::Bits(bits) => Value::Bits(value::Bits::zero(bits.width())),
        Value::Float(float) => Value::Float(value::Float::zero(float.format(), false)),
        other => other.clone(),
    }
}

impl Oracle for Script {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let next = self.values.get(self.asked);
        self.asked += 1;
        match next {
            Some((function, edge, part, value))
                if (*function, *edge, *part) == (request.function, request.edge, request.part) =>
            {
                Some(value.clone())
            }
            _ => {
                self.strayed.raise();
                None
            }
        }
    }

    fn choose(&mut self, branch: &Branch<'_>) -> usize {
        let next = self.choices.get(self.chosen).copied();
        self.chosen += 1;
        if next.is_none() {
            self.strayed.raise();
        }
        next.unwrap_or(0).min(branch.edges.len() - 1)
    }
}

impl Listener for Script {
    fn step(&mut self, _: &Step<'_>) {}
}

impl<O: Listener> Listener for Watched<'_, O> {
    fn placed(&mut self, placement: &Placement) {
        self.inner.placed(placement);
        let objects = BTreeMap::new();
        let placed = placed::Notes { program: self.program, placement, objects: &objects };
        let mut notes = self.notes.borrow_mut();
        notes.placed = placed.statics();
        notes.placement = Some(placement.clone());
    }

    fn step(&mut self, step: &Step<'_>) {
        self.inner.step(step);
        let function = &self.program.functions[step.function];
        let Some(body) = &function.body else { return };
        let place = &body.edges[step.edge].place;
        let mut notes = self.notes.borrow_mut();
        if let Instruction::Allocate { storage, name, .. } = &body.edges[step.edge].instruction
            && let Effect::Allocated(into, Value::Bits(address), size) = &step.effect
            && let Some(address) = address.to_u64()
        {
            notes.allocated(self.program, address, *size, *into, (*storage, name.clone()));
        }
        let mut note = |id: VariableId, value: &Value| {
            let variable = &self.program.variables[id];
            let Some(name) = &variable.name else { return };
            if place.is_known() && notes.assignments.len() < MAX_ASSIGNMENTS {
                notes.assignments.push(Assignment {
                    id,
                    variable: name.clone(),
                    value: value.clone(),
                    reading: variable.reading,
                    place: place.clone(),
                    function: function.name.clone(),
                });
            }
        };
        match &step.effect {
            Effect::Assigned(variable, value) | Effect::Allocated(variable, value, _) => {
                note(*variable, value);
            }
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

/// Whether a variable is a part of another one, by their names.
fn is_part(variable: &str, whole: &str) -> bool {
    variable.strip_prefix(whole).is_some_and(|rest| rest.starts_with(['.', '[']))
}

impl Taken {
    /// What takes the value, in words.
    pub fn what(&self) -> String {
        match (&self.cause, &self.variable) {
            // A part of an input: a field, or an element.
            (Cause::Input(name), Some(variable)) if is_part(variable, name) => variable.to_string(),
            (Cause::Input(name) | Cause::Unknown(name) | Cause::Approximated(name), _) => {
                // Words are no function, nor is a variable that takes any value.
                let call = if name.contains(' ') || self.is_variable() { "" } else { "()" };
                format!("{name}{call}")
            }
            (Cause::Computed(computed), _) => format!("{}()", computed.name),
            (Cause::Uninitialized, Some(name)) => format!("{name} (not initialized)"),
            (Cause::Uninitialized, None) => "memory (not initialized)".to_owned(),
            (Cause::Assembly, _) => "inline assembly".to_owned(),
        }
    }

    /// Whether it is the value of a variable of the source, and nothing gives it to the variable: a
    /// parameter of the function that the run starts with, or a global variable.
    pub fn is_variable(&self) -> bool {
        match &self.cause {
            Cause::Input(name) | Cause::Unknown(name) => self.variable.as_ref() == Some(name),
            _ => false,
        }
    }

    /// The object of the caller of the entry function that it is a byte of, and the byte's offset.
    pub fn of_caller(&self) -> Option<(&str, u64)> {
        let name = self.memory.as_deref().filter(|name| name.starts_with('*'))?;
        Some((name, self.object?.1))
    }

    /// Whether the program computes it, and a library may give other last digits.
    pub fn is_computed(&self) -> bool {
        matches!(self.cause, Cause::Computed(_))
    }

    /// Whether it is that of a variable that is declared without a value, which most programs set
    /// before they use it.
    pub fn is_unset(&self) -> bool {
        self.cause == Cause::Uninitialized && self.part == Part::Whole && self.is_zero()
    }

    /// Whether it is a byte of memory from outside the program.
    pub fn is_outside(&self) -> bool {
        matches!(&self.cause, Cause::Unknown(name) if &**name == OUTSIDE)
    }

    /// Whether it comes from one of these functions.
    pub fn is_of(&self, functions: &[&str]) -> bool {
        match &self.cause {
            Cause::Input(name) | Cause::Unknown(name) => functions.contains(&&**name),
            _ => false,
        }
    }

    /// Whether the value is zero.
    pub fn is_zero(&self) -> bool {
        match &self.value {
            Value::Bool(value) => !value,
            Value::Bits(bits) => bits.is_zero(),
            Value::Float(float) => float.to_bits().is_zero(),
            _ => false,
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
