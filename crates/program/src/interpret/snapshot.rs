//! The state of a run, to go on from it any number of times, or to look at it.

use super::code::{Operand, Section, Slot, WordAt, raw};
use super::memory::Memory;
use super::run::{Frame, Machine};
use super::word::{self, is_word};
use super::{Interpreter, Listener, Oracle};
use crate::program::{EdgeId, FunctionId, LocationId, VariableId};
use term::Value;

/// The state of a run behind a probe. It is one of the interpreter that made it.
#[derive(Clone, Debug)]
pub struct Snapshot {
    memory: Memory,
    words: Vec<u64>,
    sections: [usize; Section::COUNT],
    globals: Vec<Value>,
    locals: Vec<Value>,
    values: usize,
    frames: Vec<Frame>,
    function: FunctionId,
    location: LocationId,
    calls: Vec<(FunctionId, EdgeId)>,
    stack: Vec<u64>,
    allocated: usize,
}

impl Snapshot {
    /// The state of a machine.
    pub(super) fn of(machine: &Machine<'_, '_>) -> Snapshot {
        Snapshot {
            memory: machine.memory.clone(),
            words: machine.words.clone(),
            sections: machine.sections,
            globals: machine.globals.clone(),
            locals: machine.locals.clone(),
            values: machine.values,
            frames: machine.frames.clone(),
            function: machine.function,
            location: machine.location,
            calls: machine.calls.clone(),
            stack: machine.stack.clone(),
            allocated: machine.allocated,
        }
    }

    /// A machine in this state.
    pub(super) fn machine<'m, 'p>(
        &self,
        interpreter: &'m Interpreter<'p>,
        oracle: &'m mut dyn Oracle,
        listener: &'m mut dyn Listener,
    ) -> Machine<'m, 'p> {
        let mut machine = Machine::new(interpreter, oracle, listener);
        machine.memory = self.memory.clone();
        machine.words.clone_from(&self.words);
        machine.sections = self.sections;
        machine.globals.clone_from(&self.globals);
        machine.locals.clone_from(&self.locals);
        machine.values = self.values;
        machine.frames.clone_from(&self.frames);
        machine.function = self.function;
        machine.body = machine.function(self.function).body();
        machine.location = self.location;
        machine.calls.clone_from(&self.calls);
        machine.stack.clone_from(&self.stack);
        machine.allocated = self.allocated;
        machine
    }

    /// How many bytes it takes, about.
    pub fn size(&self) -> u64 {
        self.memory.used() + 8 * self.words.len() as u64 + 1024
    }

    /// The innermost call's function, and where it is there.
    pub fn position(&self) -> (FunctionId, LocationId) {
        (self.function, self.location)
    }

    /// The value of a register: a global one, or one of the innermost call's.
    pub fn register(&self, interpreter: &Interpreter<'_>, id: VariableId) -> Option<Value> {
        let variable = &interpreter.program.variables[id];
        if variable.function.is_some_and(|function| function != self.function) {
            return None;
        }
        let slot = *interpreter.code.slots.get(raw(id))?;
        if is_word(variable.sort) {
            let place = WordAt::from(Operand::from(slot)).place(&self.sections);
            return Some(word::to_value(*self.words.get(place)?, variable.sort));
        }
        match slot {
            Slot::Global(number) => self.globals.get(number as usize).cloned(),
            Slot::Local(number) => self.locals.get(self.values + number as usize).cloned(),
        }
    }

    /// The living objects: where each begins, and how many bytes it has.
    pub fn objects(&self) -> impl Iterator<Item = (u64, u64)> {
        self.memory.objects()
    }

    /// The byte at an address, if it is known.
    pub fn byte(&self, address: u64) -> Option<u8> {
        self.memory.known(address)
    }
}
