//! Initialization of automatic objects.

use super::Lowerer;
use super::memory::Access;
use super::object::Home;
use super::place::Spot;
use crate::diagnostic::Result;
use crate::typed::{InitEntry, InitId, InitValue, ObjectId};
use crate::types::TypeId;
use program::program::{Instruction, VariableId};
use term::{Sort, Term};
use value::Float;

/// Longer strings are copied from the literal.
const MAX_CHARACTERS: u64 = 16;

impl Lowerer<'_> {
    /// Gives an object its initial value.
    pub(super) fn initialize(&mut self, object: ObjectId, init: InitId) -> Result<()> {
        let ty = self.c.objects[object].ty.ty;
        match self.home(object) {
            Home::Registers(registers) => self.initialize_registers(&registers, ty, init),
            Home::Static(address) => self.initialize_memory(address, ty, init),
            Home::Stack(register) => {
                let address = self.term_of(register);
                self.initialize_memory(address, ty, init)
            }
        }
    }

    /// Zero of a sort.
    pub(super) fn zero(&self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => self.pool.fls(),
            Sort::Float(format) => self.pool.float(Float::zero(format, false)),
            sort => self.pool.bv(0, sort.width().unwrap_or(1)),
        }
    }

    fn initialize_registers(
        &mut self,
        registers: &[VariableId],
        ty: TypeId,
        init: InitId,
    ) -> Result<()> {
        let c = self.c;
        let leaves = self.leaves(ty);
        let mut values: Vec<Term> =
            registers.iter().map(|r| self.zero(self.variables[*r].sort)).collect();
        for entry in &c.inits[init].entries {
            let size = c.types.size_of(entry.ty.ty).unwrap_or(0);
            let (first, count) = match &leaves {
                None => (0, 1),
                Some(leaves) => {
                    let inside =
                        |offset: u64| (entry.offset..entry.offset + size).contains(&offset);
                    let first = leaves.iter().position(|l| inside(l.offset)).unwrap_or(0);
                    (first, leaves.iter().filter(|l| inside(l.offset)).count())
                }
            };
            let count = count.min(values.len() - first.min(values.len()));
            match entry.value {
                InitValue::Expr(value) => {
                    let value = self.value(value)?;
                    let terms = self.value_leaves(value, entry.ty.ty);
                    for (i, term) in terms.into_iter().take(count).enumerate() {
                        // Later entries may change what this one depends on.
                        let more = c.inits[init].entries.len() > 1;
                        values[first + i] = if more { self.keep(term) } else { term };
                    }
                }
                InitValue::Zero => {
                    for i in first..first + count {
                        values[i] = self.zero(self.variables[registers[i]].sort);
                    }
                }
                InitValue::String(_) => {}
            }
        }
        self.assign_all(registers, &values);
        Ok(())
    }

    fn initialize_memory(&mut self, address: Term, ty: TypeId, init: InitId) -> Result<()> {
        let c = self.c;
        let entries = &c.inits[init].entries;
        if !self.is_whole(entries, ty) {
            let (length, byte) = (self.size_term(ty)?, self.pool.bv(0, 8));
            if self.pool.as_bits(length).is_none_or(|bits| !bits.is_zero()) {
                self.emit(Instruction::Fill { to: address, byte, length });
            }
        }
        let mut count = 0;
        for entry in entries {
            self.initialize_part(address, entry, &mut count)?;
        }
        Ok(())
    }

    fn initialize_part(&mut self, object: Term, entry: &InitEntry, count: &mut u64) -> Result<()> {
        let c = self.c;
        let ty = entry.ty.ty;
        let offsets = self.repeated_offsets(entry.offset, &entry.path, count)?;
        match entry.value {
            InitValue::Expr(expr) => {
                let value = self.value(expr)?;
                self.span = c.exprs[expr].span;
                for offset in offsets {
                    let access = match entry.bits {
                        Some(bits) => {
                            let position = bits.position + (offset - entry.offset) * 8;
                            let address = self.moved(object, position / 8);
                            let bits = Some(((position % 8) as u32, bits.width));
                            Access { bits, ..Access::sure(address) }
                        }
                        None => Access::sure(self.moved(object, offset)),
                    };
                    self.store(&Spot::Memory(access), ty, value.clone())?;
                }
            }
            InitValue::Zero => {
                let (length, byte) = (self.size_term(ty)?, self.pool.bv(0, 8));
                for offset in offsets {
                    let to = self.moved(object, offset);
                    self.emit(Instruction::Fill { to, byte, length });
                }
            }
            InitValue::String(string) => {
                let size = c.types.size_of(ty).unwrap_or(0);
                for offset in offsets {
                    self.initialize_string(self.moved(object, offset), string, size);
                }
            }
        }
        Ok(())
    }

    /// The characters of a string; the rest of the array is zero already.
    fn initialize_string(&mut self, to: Term, string: crate::typed::StringId, size: u64) {
        let literal = self.c.types.size_of(self.c.strings[string].ty).unwrap_or(0);
        let length = literal.min(size);
        if length > MAX_CHARACTERS {
            let from = self.string_address(string);
            let length = self.pointer_bits(length);
            self.copy(to, from, length);
            return;
        }
        for (offset, value) in self.string_contents(string, 0, size) {
            let address = self.moved(to, offset);
            self.emit(Instruction::Store { address, value });
        }
    }

    /// Whether the entries give every byte a value, each once.
    fn is_whole(&self, entries: &[InitEntry], ty: TypeId) -> bool {
        let mut end = 0;
        for entry in entries {
            let plain = entry.bits.is_none()
                && matches!(entry.value, InitValue::Expr(_))
                && !entry.path.iter().any(|s| matches!(s, crate::typed::PathStep::Range { .. }));
            let size = self.c.types.size_of(entry.ty.ty);
            match size {
                Some(size) if plain && entry.offset == end => end += size,
                _ => return false,
            }
        }
        // The padding of a long double is nobody's.
        self.c.types.size_of(ty) == Some(end)
    }
}
