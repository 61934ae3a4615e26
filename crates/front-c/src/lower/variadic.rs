//! Variable arguments: one object holds them one after the other, each at a multiple of the size
//! of a pointer, and a `va_list` is a pointer that walks over it. In the data model LP64, where
//! `va_list` is a struct, the pointer is its member for arguments in memory.

use super::Lowerer;
use super::expression::Value;
use super::memory::Access;
use super::place::Spot;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::ExprId;
use crate::types::{DataModel, TypeId};
use program::program::{Instruction, Storage};
use term::{Sort, Term};

impl Lowerer<'_> {
    fn slot(&self, ty: TypeId) -> u64 {
        let word = u64::from(self.pointer_width() / 8);
        self.c.types.size_of(ty).unwrap_or(word).max(1).next_multiple_of(word)
    }

    /// An object with the arguments; null if there are none.
    pub(super) fn pass_variable(&mut self, arguments: Vec<(Value, TypeId)>) -> Result<Term> {
        let size: u64 = arguments.iter().map(|(_, ty)| self.slot(*ty)).sum();
        if size == 0 {
            return Ok(self.pointer_bits(0));
        }
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        let mut scalars: Vec<u32> =
            arguments.iter().flat_map(|(_, ty)| self.scalar_sizes(*ty)).collect();
        scalars.sort_unstable();
        scalars.dedup();
        let size = self.pointer_bits(size);
        let storage = Storage::Stack;
        self.emit(Instruction::Allocate {
            into,
            size,
            align: 16,
            storage,
            written: false,
            scalars,
            name: None,
        });
        self.frame.temporary_objects.push(into);
        let object = self.term_of(into);
        let mut offset = 0;
        for (value, ty) in arguments {
            let spot = Spot::Memory(Access::sure(self.moved(object, offset)));
            self.store(&spot, ty, value)?;
            offset += self.slot(ty);
        }
        Ok(object)
    }

    /// Where a list keeps its pointer.
    fn list_pointer(&self, list: Term) -> Term {
        match self.c.types.model {
            DataModel::Lp64 => self.moved(list, 8),
            DataModel::Ilp32 => list,
        }
    }

    /// `va_start(list)`
    pub(super) fn start_arguments(&mut self, list: ExprId) -> Result<Value> {
        let list = self.scalar(list)?;
        let Some(arguments) = self.frame.variable_arguments else {
            return Err(Diagnostic::error(self.span, "'va_start' without variable arguments"));
        };
        let (address, value) = (self.list_pointer(list), self.term_of(arguments));
        self.emit(Instruction::Store { address, value });
        Ok(Value::Void)
    }

    /// `va_copy(to, from)`
    pub(super) fn copy_arguments(&mut self, to: ExprId, from: ExprId) -> Result<Value> {
        let to = self.scalar(to)?;
        let from = self.scalar(from)?;
        let (to, from) = (self.list_pointer(to), self.list_pointer(from));
        let value = self.load_address(from);
        self.emit(Instruction::Store { address: to, value });
        Ok(Value::Void)
    }

    /// `va_arg(list, ty)`
    pub(super) fn variable_argument(&mut self, list: ExprId, ty: TypeId) -> Result<Value> {
        let list = self.scalar(list)?;
        let address = self.list_pointer(list);
        let pointer = self.load_address(address);
        let value = self.moved(pointer, self.slot(ty));
        self.emit(Instruction::Store { address, value });
        let access = Access { address: pointer, pointer: Some(pointer), bits: None };
        Ok(self.load(&Spot::Memory(access), ty))
    }
}
