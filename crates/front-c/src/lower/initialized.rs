//! Reads of what has no value yet ([`Property::Uninitialized`]).
//!
//! If the check is asked for, a scalar register of a function whose declaration gives it no value has
//! a flag beside it, which every assignment sets and every read checks. Of memory every byte has such
//! a flag ([`Instruction::Written`]), and a read of a scalar checks those of its bytes; of a bit-field,
//! those of the bytes that it is in, whoever wrote them. Structs and unions are kept in memory then:
//! copying one, or bytes, is no read, and copies the flags. Where the check is only made to name what
//! a proof leaves out, memory is left out: such a read ends no run, it gives any value.

use super::Lowerer;
use super::memory::Access;
use crate::typed::{ExprId, ExprKind, InitId, InitValue, ObjectId};
use crate::types::TypeId;
use program::Property;
use program::program::{Cause, Instruction, VariableId};
use term::{Sort, Term};

impl Lowerer<'_> {
    /// Whether it is asked of all memory that it is written before it is read.
    pub(super) fn checks_values(&self) -> bool {
        self.options.properties.contains(&Property::Uninitialized)
    }

    /// The register begins without a value.
    pub(super) fn begin_without_value(&mut self, register: VariableId) {
        self.havoc(register, Cause::Uninitialized);
        if !self.checks(Property::Uninitialized) {
            return;
        }
        let flag = match self.written.get(&register) {
            Some(&flag) => flag,
            None => {
                let flag = self.temporary(Sort::Bool);
                self.written.insert(register, flag);
                flag
            }
        };
        self.emit(Instruction::Assign(flag, self.pool.fls()));
    }

    /// Whether an initializer reads an object, which may be the one that it gives a value to.
    pub(super) fn is_read_in(&self, object: ObjectId, init: InitId) -> bool {
        let values = self.c.inits[init].entries.iter().filter_map(|entry| match entry.value {
            InitValue::Expr(value) => Some(value),
            _ => None,
        });
        let mut open: Vec<ExprId> = values.collect();
        while let Some(expr) = open.pop() {
            let kind = &self.c.exprs[expr].kind;
            if matches!(kind, ExprKind::Load(place) if self.c.root(*place) == Some(object)) {
                return true;
            }
            self.c.operands(kind, &mut open);
        }
        false
    }

    /// The register has a value from now on.
    pub(super) fn mark_written(&mut self, register: VariableId) {
        if let Some(&flag) = self.written.get(&register) {
            self.emit(Instruction::Assign(flag, self.pool.tru()));
        }
    }

    /// The registers are read.
    pub(super) fn check_written(&mut self, registers: &[VariableId]) {
        for register in registers {
            if let Some(&flag) = self.written.get(register) {
                self.check(Property::Uninitialized, self.term_of(flag));
            }
        }
    }

    /// So many bytes of memory are read.
    pub(super) fn check_bytes(&mut self, address: Term, size: u64) {
        if !self.checks_values() || self.in_claim {
            return;
        }
        let into = self.temporary(Sort::Bool);
        self.emit(Instruction::Written { into, address, size });
        self.check(Property::Uninitialized, self.term_of(into));
    }

    /// Reads a value of a sort that must have been written.
    pub(super) fn read_sort(&mut self, address: Term, sort: Sort) -> Term {
        self.check_bytes(address, sort.width().map_or(1, |width| u64::from(width / 8)));
        self.load_sort(address, sort)
    }

    /// Reads a pointer that must have been written.
    pub(super) fn read_address(&mut self, address: Term) -> Term {
        self.check_bytes(address, u64::from(self.pointer_width() / 8));
        self.load_address(address)
    }

    /// Reads a scalar that must have been written.
    pub(super) fn read_scalar(&mut self, access: Access, ty: TypeId) -> Term {
        if self.checks_values() {
            self.check_pointer(access);
            let size = self.bytes_of_access(access, ty);
            self.check_bytes(access.address, size);
        }
        self.load_scalar(access, ty)
    }
}
