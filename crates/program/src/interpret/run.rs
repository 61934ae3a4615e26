//! The machine: one run of a program.

use super::code::{Action, BodyCode, EdgeCode, Expression, FunctionCode, General, Leaving, Node};
use super::code::{Operand, Section, Slot, Target, Whom, WordAt, fits, raw};
use super::float_word::canonical;
use super::layout::Layout;
use super::memory::Memory;
use super::oracle::{self, Branch, Oracle, Part, Request};
use super::outcome::{Ending, Fault, Limit, Outcome, Position};
use super::placement::Misplaced;
use super::snapshot::Snapshot;
use super::word::{self, is_word};
use super::{EAGER, Effect, Heed, Interpreter, Listener, Step};
use crate::program::{Cause, EdgeId, FunctionId, LocationId, Storage};
use crate::property::Property;
use answer::Exhausted;
use smallvec::SmallVec;
use term::eval::{apply, default_value};
use term::{Sort, Value};
use value::{Bits, Curve, Float, Format};

/// A call that is open.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    function: FunctionId,
    /// Where it goes on when the call that it has made returns.
    location: LocationId,
    /// Where its registers begin in their banks.
    words: usize,
    values: usize,
    /// How many stack objects there were before.
    objects: usize,
}

/// What a run's step leads to, if it does not go on.
enum End {
    Fault(Fault),
    Check(Property),
    Ended(Ending),
    Stopped(Limit),
}

impl From<Misplaced> for End {
    fn from(misplaced: Misplaced) -> End {
        End::Ended(Ending::Placement(misplaced))
    }
}

impl From<Fault> for End {
    fn from(fault: Fault) -> End {
        End::Fault(fault)
    }
}

/// The bit of a property in a set of them.
fn bit(property: Property) -> u32 {
    1 << property as u32
}

/// How often limits other than that of steps are looked at.
const PATIENCE: u64 = 1 << 12;

pub(super) struct Machine<'m, 'p> {
    pub(super) interpreter: &'m Interpreter<'p>,
    oracle: &'m mut dyn Oracle,
    listener: &'m mut dyn Listener,
    pub(super) memory: Memory,
    /// All words, and where their sections begin: constants, global registers, temporaries, and the
    /// registers of all open calls.
    pub(super) words: Vec<u64>,
    pub(super) sections: [usize; Section::COUNT],
    /// Global registers that are no words.
    pub(super) globals: Vec<Value>,
    /// Those of all open calls, and where the innermost's begin.
    pub(super) locals: Vec<Value>,
    pub(super) values: usize,
    /// Temporaries that are no words.
    temporaries: Vec<Value>,
    pub(super) frames: Vec<Frame>,
    /// The innermost call's function, its body, and where it is there.
    pub(super) function: FunctionId,
    pub(super) body: &'m BodyCode<'p>,
    pub(super) location: LocationId,
    /// The edges of the open calls, one less than frames.
    pub(super) calls: Vec<(FunctionId, EdgeId)>,
    /// Stack objects that live, oldest first.
    pub(super) stack: Vec<u64>,
    /// How many objects were allocated; counted if the run has a placement.
    pub(super) allocated: usize,
    /// The properties that are asked for, as bits.
    asked: u32,
    /// Whether the listener listens.
    listening: bool,
    /// The edge that is executed.
    edge: Option<EdgeId>,
    /// What the last function that the start function called returned.
    results: Vec<Value>,
}

impl<'m, 'p> Machine<'m, 'p> {
    pub(super) fn new(
        interpreter: &'m Interpreter<'p>,
        oracle: &'m mut dyn Oracle,
        listener: &'m mut dyn Listener,
    ) -> Machine<'m, 'p> {
        let layout = Layout::new(interpreter.program.pointer_width);
        let listening = listener.listens();
        let code = &interpreter.code;
        let mut words = code.constants.words.clone();
        let globals = words.len();
        words.extend_from_slice(&code.globals.words);
        let temporaries = words.len();
        words.resize(temporaries + code.temporaries, 0);
        let sections = [0, globals, temporaries, words.len()];
        let start = interpreter.program.start;
        let body = code.functions[raw(start)].body();
        Machine {
            interpreter,
            oracle,
            listener,
            memory: Memory::new(layout),
            words,
            sections,
            globals: code.globals.values.clone(),
            locals: Vec::new(),
            values: 0,
            temporaries: Vec::new(),
            frames: Vec::new(),
            function: start,
            body,
            location: body.entry,
            calls: Vec::new(),
            stack: Vec::new(),
            allocated: 0,
            asked: interpreter.properties.iter().fold(0, |bits, property| bits | bit(*property)),
            listening,
            edge: None,
            results: Vec::new(),
        }
    }

    /// Runs from the start to the end.
    pub(super) fn run(mut self) -> Outcome {
        if let Err(end) = self.place_objects() {
            return self.outcome(end);
        }
        let start = self.interpreter.program.start;
        self.enter(start);
        self.go_on()
    }

    /// Runs from where it is to the end.
    pub(super) fn go_on(mut self) -> Outcome {
        let mut steps = 0u64;
        loop {
            if steps >= self.interpreter.limits.steps {
                return self.outcome(End::Stopped(Limit::Steps));
            }
            if steps.is_multiple_of(PATIENCE)
                && let Some(limit) = self.exhausted()
            {
                return self.outcome(End::Stopped(limit));
            }
            steps += 1;
            match self.step() {
                Ok(true) => {}
                Ok(false) => return Outcome::Finished { results: self.results },
                Err(end) => return self.outcome(end),
            }
        }
    }

    fn exhausted(&self) -> Option<Limit> {
        let limits = &self.interpreter.limits;
        let frames = self.words.len() * size_of::<u64>()
            + self.locals.len() * size_of::<Value>()
            + self.frames.len() * size_of::<Frame>();
        if self.memory.used().saturating_add(frames as u64) > limits.memory {
            Some(Limit::Memory)
        } else {
            limits.allowance.exhausted().map(|exhausted| match exhausted {
                Exhausted::Time => Limit::Time,
                _ => Limit::Interrupted,
            })
        }
    }

    fn outcome(self, end: End) -> Outcome {
        let function = self.frames.last().map_or(self.interpreter.program.start, |f| f.function);
        let at = Position { function, edge: self.edge, calls: self.calls };
        let program = self.interpreter.program;
        let asked = |property: &Property| {
            let asked = self.interpreter.properties.contains(property);
            asked && program.asked.asks(*property, &at.place(program))
        };
        match end {
            End::Check(property) if asked(&property) => {
                Outcome::Violation { property, at, fault: None }
            }
            End::Check(property) => Outcome::Undefined { at, fault: Fault::Check(property) },
            End::Fault(fault) if asked(&fault.property()) => {
                Outcome::Violation { property: fault.property(), at, fault: Some(fault) }
            }
            End::Fault(fault) => Outcome::Undefined { at, fault },
            End::Ended(by) => Outcome::Ended { at, by },
            End::Stopped(by) => Outcome::Stopped { at, by },
        }
    }

    /// Static objects with their initial bytes.
    fn place_objects(&mut self) -> Result<(), End> {
        self.place_functions()?;
        let code = &self.interpreter.code;
        for ((_, object), &address) in self.interpreter.program.objects.iter().zip(&code.objects) {
            if let Some(placement) = &self.interpreter.placement {
                let placed = placement.statics.contains_key(&object.address);
                self.memory.admit(address, object.size, if placed { object.align } else { 1 })?;
            }
            let background = (!object.unknown).then_some(0);
            let cause = Cause::Unknown(object.name.clone());
            self.memory.place(address, object.size, background, cause);
        }
        for (object, offset, value) in &code.initial {
            let address = code.objects[*object] + offset;
            let sort = value.sort;
            let bytes = to_bytes(&self.evaluate(value), sort);
            let writer = self.memory.writable(address, bytes.len() as u64);
            let mut writer = writer.expect("compiling has checked that it is inside the object");
            for (i, byte) in (0u64..).zip(bytes) {
                writer.set(address + i, byte);
            }
        }
        for ((_, object), &address) in self.interpreter.program.objects.iter().zip(&code.objects) {
            if object.constant {
                self.memory.make_constant(address);
            }
        }
        if self.interpreter.placement.as_ref().is_some_and(|placement| placement.outside) {
            self.memory.place_outside()?;
        }
        Ok(())
    }

    /// If the run has a placement, no object may lie where a function is.
    fn place_functions(&mut self) -> Result<(), End> {
        let Interpreter { program, placement: Some(placement), .. } = self.interpreter else {
            return Ok(());
        };
        self.listener.placed(placement);
        for (_, function) in program.functions.iter() {
            let address = function.address.and_then(|term| placement.address(program, term));
            address.map_or(Ok(()), |address| self.memory.reserve(address))?;
        }
        Ok(())
    }

    /// A new object, where the placement or else the layout says.
    fn allocate(&mut self, size: u64, align: u64, storage: Storage) -> Result<u64, End> {
        let address = match &self.interpreter.placement {
            None => self.memory.allocate(size, align, storage),
            Some(placement) => {
                self.allocated += 1;
                match placement.allocation(self.allocated - 1) {
                    Some(at) => Some(self.memory.allocate_at(at, size, align, storage)?),
                    None => self.memory.allocate_beside(size, align, storage),
                }
            }
        };
        address.ok_or(End::Ended(Ending::Memory))
    }

    pub(super) fn function(&self, id: FunctionId) -> &'m FunctionCode<'p> {
        &self.interpreter.code.functions[raw(id)]
    }

    /// Opens a frame for a function with a body.
    fn enter(&mut self, id: FunctionId) {
        let function = self.function(id);
        let (words, values) = (self.words.len(), self.locals.len());
        self.words.extend_from_slice(&function.locals.words);
        self.locals.extend_from_slice(&function.locals.values);
        let objects = self.stack.len();
        if let Some(caller) = self.frames.last_mut() {
            caller.location = self.location;
        }
        let location = function.body().entry;
        self.frames.push(Frame { function: id, location, words, values, objects });
        // The edge of the call is not one of the callee.
        self.edge = None;
        self.resume();
    }

    /// Goes on in the innermost call, if there is one.
    fn resume(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        (self.function, self.location) = (frame.function, frame.location);
        (self.sections[Section::Locals as usize], self.values) = (frame.words, frame.values);
        self.body = self.function(self.function).body();
    }

    /// One step; false if the start function has returned.
    fn step(&mut self) -> Result<bool, End> {
        let body = self.body;
        if self.location == body.exit {
            return Ok(self.leave());
        }
        let (edge, chosen) = match &body.leaving[raw(self.location)] {
            Leaving::One(edge) => (*edge, false),
            Leaving::Branch(yes, no) => match &body.edges[raw(*yes)].action {
                Action::Assume(formula) if !self.holds(formula) => (*no, true),
                _ => (*yes, true),
            },
            Leaving::Several(edges) => (self.choose(edges)?, true),
        };
        self.edge = Some(edge);
        self.execute(edge, &body.edges[raw(edge)], chosen)?;
        Ok(true)
    }

    /// Returns from the innermost call; false if it was the outermost.
    fn leave(&mut self) -> bool {
        let frame = self.frames.last().expect("the caller looked at it");
        let (id, objects) = (frame.function, frame.objects);
        let (words, values) = (frame.words, frame.values);
        let of_callee = &self.function(id).results;
        let results: SmallVec<[(Datum, Sort); 1]> =
            of_callee.iter().map(|(slot, sort)| (self.get((*slot).into(), *sort), *sort)).collect();
        while self.stack.len() > objects {
            let object = self.stack.pop().expect("longer than some length");
            // It may have been freed before.
            let _ = self.memory.free(object, Storage::Stack);
        }
        self.frames.pop();
        self.words.truncate(words);
        self.locals.truncate(values);
        self.resume();
        let Some((caller, edge)) = self.calls.pop() else { return false };
        if self.frames.len() == 1 {
            self.results = results.iter().map(|(datum, sort)| datum.to_value(*sort)).collect();
        }
        let Action::Call { results: targets, .. } = &self.body.edges[raw(edge)].action else {
            unreachable!("the edges of open calls are calls")
        };
        self.edge = Some(edge);
        if self.listening {
            let used = targets.iter().zip(&results);
            let used: Vec<_> =
                used.map(|(t, (datum, sort))| (t.variable, datum.to_value(*sort))).collect();
            self.report(caller, edge, Effect::Returned(id, &used));
        }
        for (target, (datum, _)) in targets.iter().zip(results) {
            self.set(target.slot, datum);
        }
        true
    }

    /// The edge to take of several.
    fn choose(&mut self, edges: &[EdgeId]) -> Result<EdgeId, End> {
        if edges.is_empty() {
            return Err(End::Ended(Ending::Stop));
        }
        let mut candidates: SmallVec<[EdgeId; 4]> = SmallVec::new();
        for &edge in edges {
            match &self.body.edges[raw(edge)].action {
                Action::Assume(formula) if !self.holds(formula) => self.edge = Some(edge),
                _ => candidates.push(edge),
            }
        }
        match candidates[..] {
            [] => Err(End::Ended(Ending::Assumption)),
            [edge] => Ok(edge),
            _ => {
                let (function, location, calls) = (self.function, self.location, &self.calls);
                let branch = Branch { function, location, calls, edges: &candidates };
                let chosen = self.oracle.choose(&branch);
                Ok(candidates[chosen.min(candidates.len() - 1)])
            }
        }
    }

    fn report(&mut self, function: FunctionId, edge: EdgeId, effect: Effect<'_>) {
        if !self.listening {
            return;
        }
        self.listener.step(&Step { function, edge, calls: &self.calls, effect });
    }

    #[inline]
    fn execute(&mut self, edge: EdgeId, code: &'m EdgeCode<'p>, chosen: bool) -> Result<(), End> {
        let id = self.function;
        // A call goes on at the edge's end when it returns.
        self.location = code.to;
        match &code.action {
            Action::Skip => self.report(id, edge, Effect::None),
            Action::Assume(formula) => {
                if !chosen && !self.holds(formula) {
                    return Err(End::Ended(Ending::Assumption));
                }
                self.report(id, edge, Effect::None);
            }
            Action::Check(property, formula) => {
                let counts = property.is_fatal() || self.asked & bit(*property) != 0;
                if counts && !self.holds(formula) {
                    return Err(End::Check(*property));
                }
                self.report(id, edge, Effect::None);
            }
            Action::Probe(number, value) => {
                let word = self.number(value);
                match self.listener.probe(*number, word) {
                    Heed::GoOn => {}
                    Heed::Save => self.listener.saved(Snapshot::of(self)),
                    Heed::Stop => return Err(End::Stopped(Limit::Interrupted)),
                }
                self.report(id, edge, Effect::None);
            }
            Action::Assign(into, value) if is_word(into.sort) => {
                let word = self.number(value);
                self.assign_word(id, edge, into, word);
            }
            Action::Assign(into, value) => {
                let datum = self.evaluate(value);
                self.assign(id, edge, into, datum);
            }
            Action::Havoc(into, cause) => {
                let value = self.ask(id, edge, cause, into.sort, Part::Whole);
                self.assign(id, edge, into, Datum::new(value, into.sort));
            }
            Action::Load { into, address, length } => {
                let address = self.number(address);
                if is_word(into.sort)
                    && let Some(word) = self.memory.word(address, *length)
                {
                    let word = readable(word, into.sort);
                    self.assign_word(id, edge, into, word);
                    return Ok(());
                }
                let bytes = self.read(address, *length)?;
                self.assign(id, edge, into, from_bytes(&bytes, into.sort));
            }
            Action::Written { into, address, length } => {
                let address = self.number(address);
                let object = self.memory.readable(address, *length)?;
                let written = (address..address + length).all(|at| object.has_written(at));
                self.assign_word(id, edge, into, u64::from(written));
            }
            Action::Store { address, value, length } => {
                let address = self.number(address);
                let sort = value.sort;
                if is_word(sort) {
                    let word = self.number(value);
                    if self.memory.set_word(address, *length, word) {
                        if self.listening {
                            let value = word::to_value(word, sort);
                            self.report(id, edge, Effect::Stored(address, &value));
                        }
                        return Ok(());
                    }
                }
                let datum = self.evaluate(value);
                let mut writer = self.memory.writable(address, *length)?;
                for (i, byte) in (0u64..).zip(to_bytes(&datum, sort)) {
                    writer.set(address + i, byte);
                }
                if self.listening {
                    self.report(id, edge, Effect::Stored(address, &datum.to_value(sort)));
                }
            }
            Action::Call { callee, arguments, results } => {
                self.call(id, edge, callee, arguments, results)?;
            }
            Action::Compute { .. }
            | Action::Allocate { .. }
            | Action::Free { .. }
            | Action::Copy { .. }
            | Action::Fill { .. }
            | Action::HavocBytes { .. }
            | Action::Measure { .. } => self.execute_on_objects(edge, &code.action)?,
        }
        Ok(())
    }

    /// Executes what makes, ends or changes objects as a whole: too rare to be part of the loop over
    /// steps.
    #[inline(never)]
    fn execute_on_objects(&mut self, edge: EdgeId, action: &'m Action<'p>) -> Result<(), End> {
        let id = self.function;
        match action {
            Action::Compute { into, curve, arguments, cause } => {
                let value = self.library_result(id, edge, (*curve, arguments), cause, into.sort);
                self.assign(id, edge, into, Datum::new(value, into.sort));
            }
            Action::Allocate { into, size, align, storage, written } => {
                let size = self.number(size);
                let address = self.allocate(size, *align, *storage)?;
                if *written {
                    self.memory.make_written(address);
                }
                if *storage == Storage::Stack {
                    self.stack.push(address);
                }
                if self.listening {
                    let value = word::to_value(address, into.sort);
                    self.report(id, edge, Effect::Allocated(into.variable, &value, size));
                }
                self.set(into.slot, Datum::Word(address));
            }
            Action::Free { address, storage } => {
                let address = self.number(address);
                if address != 0 || *storage != Storage::Heap {
                    self.memory.free(address, *storage)?;
                }
                self.report(id, edge, Effect::None);
            }
            Action::Copy { to, from, length } => {
                let (to, from, length) = (self.number(to), self.number(from), self.number(length));
                self.copy(to, from, length)?;
                self.report(id, edge, Effect::Wrote(to, length));
            }
            Action::Fill { to, byte, length } => {
                let (to, length) = (self.number(to), self.number(length));
                let byte = self.number(byte) as u8;
                self.fill(to, byte, length)?;
                self.report(id, edge, Effect::Wrote(to, length));
            }
            Action::HavocBytes { address, length, cause } => {
                let (address, length) = (self.number(address), self.number(length));
                self.havoc_bytes(id, edge, address, length, cause)?;
                self.report(id, edge, Effect::Wrote(address, length));
            }
            Action::Measure { into, address, extent } => {
                let address = self.number(address);
                let bytes = self.memory.measure(address, *extent);
                if self.listening {
                    let value = word::to_value(bytes, into.sort);
                    self.report(id, edge, Effect::Assigned(into.variable, &value));
                }
                self.set(into.slot, Datum::Word(bytes));
            }
            Action::Skip
            | Action::Assume(_)
            | Action::Check(..)
            | Action::Probe(..)
            | Action::Assign(..)
            | Action::Havoc(..)
            | Action::Load { .. }
            | Action::Written { .. }
            | Action::Store { .. }
            | Action::Call { .. } => unreachable!("the loop over steps executes them itself"),
        }
        Ok(())
    }

    #[inline]
    fn assign_word(&mut self, id: FunctionId, edge: EdgeId, into: &Target, word: u64) {
        if self.listening {
            let value = word::to_value(word, into.sort);
            self.report(id, edge, Effect::Assigned(into.variable, &value));
        }
        let place = into.word.place(&self.sections);
        self.words[place] = word;
    }

    fn assign(&mut self, id: FunctionId, edge: EdgeId, into: &Target, datum: Datum) {
        if self.listening {
            let value = datum.to_value(into.sort);
            self.report(id, edge, Effect::Assigned(into.variable, &value));
        }
        self.set(into.slot, datum);
    }

    fn call(
        &mut self,
        id: FunctionId,
        edge: EdgeId,
        callee: &Whom<'p>,
        arguments: &[Expression<'p>],
        results: &[Target],
    ) -> Result<(), End> {
        let callee = match callee {
            Whom::Function(callee) => *callee,
            Whom::Pointer { address, sorts } => {
                let address = self.number(address);
                let program = self.interpreter.program;
                let variables: SmallVec<[_; 1]> = results.iter().map(|r| r.variable).collect();
                let found = self.interpreter.code.at.get(&address).copied();
                found
                    .filter(|f| fits(program, &program.functions[*f], sorts, &variables))
                    .ok_or(Fault::Call { address })?
            }
        };
        let data: SmallVec<[Datum; 4]> = arguments.iter().map(|a| self.evaluate(a)).collect();
        if self.listening {
            let values = arguments.iter().zip(&data).map(|(a, datum)| datum.to_value(a.sort));
            let values: Vec<Value> = values.collect();
            self.report(id, edge, Effect::Called(callee, &values));
        }
        let function = self.function(callee);
        if function.body.is_none() {
            self.unknown_call(id, edge, callee, results);
            return Ok(());
        }
        self.calls.push((id, edge));
        self.enter(callee);
        for ((slot, _), datum) in function.parameters.iter().zip(data) {
            self.set(*slot, datum);
        }
        Ok(())
    }

    /// A call of a function without a body: all results are unknown.
    fn unknown_call(&mut self, id: FunctionId, edge: EdgeId, callee: FunctionId, into: &[Target]) {
        let name = self.interpreter.program.functions[callee].name.clone();
        let cause = Cause::Unknown(name);
        let mut used: SmallVec<[_; 1]> = SmallVec::new();
        for (number, target) in into.iter().enumerate() {
            let value = self.ask(id, edge, &cause, target.sort, Part::Result(number));
            used.push((target.variable, value.clone()));
            self.set(target.slot, Datum::new(value, target.sort));
        }
        self.report(id, edge, Effect::Returned(callee, &used));
    }

    fn ask(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        cause: &Cause,
        sort: Sort,
        part: Part,
    ) -> Value {
        let request = Request { function, edge, calls: &self.calls, cause, sort, part };
        oracle::ask(self.oracle, &self.interpreter.program.pool, &request)
    }

    /// The correctly rounded result of a function of `math.h`, unless the oracle knows another one.
    fn library_result(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        (curve, arguments): (Curve, &[Expression<'p>]),
        cause: &Cause,
        sort: Sort,
    ) -> Value {
        let values = arguments.iter().map(|argument| self.evaluate(argument).to_value(sort));
        let values: SmallVec<[Float; 2]> =
            values.filter_map(|value| value.as_float().cloned()).collect();
        let arguments: SmallVec<[&Float; 2]> = values.iter().collect();
        let result = curve.value(&arguments).expect("compiling has looked at the arguments");
        let request =
            Request { function, edge, calls: &self.calls, cause, sort, part: Part::Whole };
        oracle::ask_computed(self.oracle, &request, result)
    }
}

// Memory.
impl Machine<'_, '_> {
    /// The bytes at an address; unknown ones are asked for and remembered.
    fn read(&mut self, address: u64, length: u64) -> Result<SmallVec<[u8; 16]>, End> {
        let object = self.memory.readable(address, length)?;
        let mut bytes = SmallVec::with_capacity(length as usize);
        for i in 0..length {
            match object.byte(address + i) {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        if (bytes.len() as u64) < length {
            self.complete(address, length, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// The rest of the bytes, of which the first is unknown.
    #[cold]
    fn complete(
        &mut self,
        address: u64,
        length: u64,
        bytes: &mut SmallVec<[u8; 16]>,
    ) -> Result<(), End> {
        let (function, edge) = (self.function, self.edge.expect("a step is at an edge"));
        let cause = self.memory.readable(address, length)?.cause().clone();
        for at in address + bytes.len() as u64..address + length {
            let known = self.memory.readable(address, length)?.byte(at);
            let byte = match known {
                Some(byte) => byte,
                None => {
                    let sort = Sort::BitVec(8);
                    let part = Part::Memory { address: at, offset: at - address };
                    let value = self.ask(function, edge, &cause, sort, part);
                    let byte = word::of_value(&value) as u8;
                    self.memory.completed(address, length)?.complete(at, byte);
                    byte
                }
            };
            bytes.push(byte);
        }
        Ok(())
    }

    /// So many bytes from an address to another; the ranges may overlap.
    fn copy(&mut self, to: u64, from: u64, length: u64) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        self.memory.readable(from, length)?;
        self.memory.writable(to, length)?;
        // In pieces, from the end that is overwritten last.
        let pieces = length.div_ceil(EAGER);
        for i in 0..pieces {
            let number = if to <= from { i } else { pieces - 1 - i };
            let offset = number * EAGER;
            let piece = (length - offset).min(EAGER);
            let bytes = self.read(from + offset, piece)?;
            let object = self.memory.readable(from + offset, piece)?;
            let written: SmallVec<[bool; 16]> =
                (0..piece).map(|i| object.has_written(from + offset + i)).collect();
            let mut writer = self.memory.writable(to + offset, piece)?;
            for ((i, byte), written) in (0u64..).zip(bytes).zip(written) {
                writer.set_as(to + offset + i, byte, written);
            }
            self.afford()?;
        }
        Ok(())
    }

    fn fill(&mut self, to: u64, byte: u8, length: u64) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        if self.memory.writable(to, length)?.set_all(to, length, Some(byte), true) {
            return Ok(());
        }
        for offset in (0..length).step_by(EAGER as usize) {
            let piece = (length - offset).min(EAGER);
            let mut writer = self.memory.writable(to + offset, piece)?;
            for i in 0..piece {
                writer.set(to + offset + i, byte);
            }
            self.afford()?;
        }
        Ok(())
    }

    fn havoc_bytes(
        &mut self,
        function: FunctionId,
        edge: EdgeId,
        address: u64,
        length: u64,
        cause: &Cause,
    ) -> Result<(), End> {
        if length == 0 {
            return Ok(());
        }
        let written = *cause != Cause::Uninitialized;
        let mut writer = self.memory.writable(address, length)?;
        if length > EAGER {
            writer.forget(address, length, written);
            return Ok(());
        }
        for i in 0..length {
            let value = self.ask(function, edge, cause, Sort::BitVec(8), Part::Byte(i));
            let byte = word::of_value(&value) as u8;
            self.memory.writable(address, length)?.set_as(address + i, byte, written);
        }
        Ok(())
    }

    /// Stops a long operation that takes too much memory.
    fn afford(&self) -> Result<(), End> {
        self.exhausted().map_or(Ok(()), |limit| Err(End::Stopped(limit)))
    }
}

/// A value in the form of its bank.
#[derive(Clone, Debug)]
enum Datum {
    Word(u64),
    Value(Value),
}

impl Datum {
    fn new(value: Value, sort: Sort) -> Datum {
        if is_word(sort) { Datum::Word(word::of_value(&value)) } else { Datum::Value(value) }
    }

    fn to_value(&self, sort: Sort) -> Value {
        match self {
            Datum::Word(word) => word::to_value(*word, sort),
            Datum::Value(value) => value.clone(),
        }
    }
}

// Values.
impl<'p> Machine<'_, 'p> {
    #[inline]
    fn word(&self, at: WordAt) -> u64 {
        self.words[at.place(&self.sections)]
    }

    fn value(&self, operand: Operand) -> &Value {
        match operand {
            Operand::Local(n) => &self.locals[self.values + n as usize],
            Operand::Constant(n) => &self.interpreter.code.constants.values[n as usize],
            Operand::Temporary(n) => &self.temporaries[n as usize],
            Operand::Global(n) => &self.globals[n as usize],
        }
    }

    fn get(&self, operand: Operand, sort: Sort) -> Datum {
        if is_word(sort) {
            Datum::Word(self.word(operand.into()))
        } else {
            Datum::Value(self.value(operand).clone())
        }
    }

    fn set(&mut self, slot: Slot, datum: Datum) {
        match (slot, datum) {
            (slot, Datum::Word(word)) => {
                let place = WordAt::from(Operand::from(slot)).place(&self.sections);
                self.words[place] = word;
            }
            (Slot::Global(n), Datum::Value(value)) => self.globals[n as usize] = value,
            (Slot::Local(n), Datum::Value(value)) => {
                self.locals[self.values + n as usize] = value;
            }
        }
    }

    /// Computes the nodes of an expression.
    #[inline]
    fn compute(&mut self, expression: &Expression<'p>) {
        let mut next = self.sections[Section::Temporaries as usize];
        self.temporaries.clear();
        for node in &expression.nodes {
            match node {
                Node::Word(op, [a, b, c]) => {
                    let word = op.apply(self.word(*a), self.word(*b), self.word(*c));
                    self.words[next] = word;
                    next += 1;
                }
                Node::General(general) => match self.apply(general) {
                    Datum::Word(word) => {
                        self.words[next] = word;
                        next += 1;
                    }
                    Datum::Value(value) => self.temporaries.push(value),
                },
            }
        }
    }

    fn evaluate(&mut self, expression: &Expression<'p>) -> Datum {
        self.compute(expression);
        self.get(expression.root, expression.sort)
    }

    /// An operator that is not on words.
    fn apply(&self, General { op, sort, args }: &General<'p>) -> Datum {
        let values: SmallVec<[Value; 4]> =
            args.iter().map(|(operand, sort)| self.get(*operand, *sort).to_value(*sort)).collect();
        let references: SmallVec<[&Value; 4]> = values.iter().collect();
        let pool = &self.interpreter.program.pool;
        let result = apply(op, *sort, &references).unwrap_or_else(|| default_value(pool, *sort));
        Datum::new(result, *sort)
    }

    #[inline]
    fn holds(&mut self, formula: &Expression<'p>) -> bool {
        self.number(formula) != 0
    }

    /// The value of an expression that is a word.
    #[inline]
    fn number(&mut self, expression: &Expression<'p>) -> u64 {
        self.compute(expression);
        self.word(expression.word)
    }
}

/// The word of a sort that has these bits: there is one NaN.
#[inline]
fn readable(word: u64, sort: Sort) -> u64 {
    match sort {
        Sort::Float(format) => canonical(word, format == Format::F32),
        _ => word,
    }
}

/// The bytes of a value, the lowest first.
fn to_bytes(datum: &Datum, sort: Sort) -> SmallVec<[u8; 16]> {
    let of = |bits: &Bits| {
        let mut bytes = bits.to_biguint().to_bytes_le();
        bytes.resize(bits.width() as usize / 8, 0);
        SmallVec::from_vec(bytes)
    };
    match datum {
        Datum::Word(word) => {
            let length = match sort {
                Sort::Float(format) => format.width() as usize / 8,
                _ => sort.width().map_or(1, |width| width as usize / 8),
            };
            SmallVec::from_slice(&word.to_le_bytes()[..length])
        }
        Datum::Value(Value::Bits(bits)) => of(bits),
        Datum::Value(Value::Float(float)) => of(&float.to_bits()),
        Datum::Value(_) => unreachable!("compiling has checked the sort"),
    }
}

/// The value of the sort that has these bytes.
fn from_bytes(bytes: &[u8], sort: Sort) -> Datum {
    if is_word(sort) {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        return Datum::Word(readable(u64::from_le_bytes(all), sort));
    }
    let of = |width: u32| Bits::from_biguint(width, value::BigUint::from_bytes_le(bytes));
    Datum::Value(match sort {
        Sort::BitVec(width) => Value::Bits(of(width)),
        Sort::Float(format) => Value::Float(Float::from_bits(format, &of(format.width()))),
        _ => unreachable!("compiling has checked the sort"),
    })
}
