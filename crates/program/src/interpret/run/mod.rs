//! The machine: one run of a program. Here are its state and the loop over steps; [`values`] computes
//! expressions, [`objects`] and [`bytes`] execute what concerns memory as a whole and byte by byte,
//! [`call`] calls functions and asks for unknown values.

mod bytes;
mod call;
mod datum;
mod objects;
mod values;

use super::code::{
    Action, BodyCode, EdgeCode, Expression, FunctionCode, Leaving, Section, Target, raw,
};
use super::layout::Layout;
use super::memory::Memory;
use super::oracle::{Branch, Oracle, Part};
use super::outcome::{Ending, Fault, Limit, Outcome, Position};
use super::placement::Misplaced;
use super::snapshot::Snapshot;
use super::word::{self, is_word};
use super::{Effect, Heed, Interpreter, Listener, Step};
use crate::program::{EdgeId, FunctionId, LocationId, Storage};
use crate::property::Property;
use answer::Exhausted;
use datum::{Datum, from_bytes, readable, to_bytes};
use smallvec::SmallVec;
use term::{Sort, Value};

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
                self.store(edge, address, value, *length)?
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

    #[inline]
    fn store(
        &mut self,
        edge: EdgeId,
        address: &Expression<'p>,
        value: &Expression<'p>,
        length: u64,
    ) -> Result<(), End> {
        let id = self.function;
        let address = self.number(address);
        let sort = value.sort;
        if is_word(sort) {
            let word = self.number(value);
            if self.memory.set_word(address, length, word) {
                if self.listening {
                    let value = word::to_value(word, sort);
                    self.report(id, edge, Effect::Stored(address, &value));
                }
                return Ok(());
            }
        }
        let datum = self.evaluate(value);
        let mut writer = self.memory.writable(address, length)?;
        for (i, byte) in (0u64..).zip(to_bytes(&datum, sort)) {
            writer.set(address + i, byte);
        }
        if self.listening {
            self.report(id, edge, Effect::Stored(address, &datum.to_value(sort)));
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
}
