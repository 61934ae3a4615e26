//! Objects as wholes: placed, allocated, freed, copied, filled, measured.

use super::datum::{Datum, to_bytes};
use super::{End, Machine};
use crate::interpret::code::Action;
use crate::interpret::outcome::Ending;
use crate::interpret::{Effect, Interpreter, word};
use crate::program::{Cause, EdgeId, Storage};

impl<'m, 'p> Machine<'m, 'p> {
    /// Static objects with their initial bytes.
    pub(super) fn place_objects(&mut self) -> Result<(), End> {
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

    /// Executes what makes, ends or changes objects as a whole: too rare to be part of the loop over
    /// steps.
    #[inline(never)]
    pub(super) fn execute_on_objects(
        &mut self,
        edge: EdgeId,
        action: &'m Action<'p>,
    ) -> Result<(), End> {
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
}
