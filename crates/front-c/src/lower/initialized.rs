//! Reads of variables that have no value yet ([`Property::Uninitialized`]).
//!
//! If the check is asked for, a scalar register of a function whose declaration gives it no value has
//! a flag beside it, which every assignment sets and every read checks; copying a struct is no read of
//! its members. Reads of memory (arrays, objects whose address is taken, the heap) are not checked,
//! which the program's assumptions say.

use super::Lowerer;
use program::Property;
use program::program::{Cause, Instruction, VariableId};
use term::Sort;

impl Lowerer<'_> {
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

    /// Memory is read.
    pub(super) fn trust_memory(&mut self) {
        if self.options.properties.contains(&Property::Uninitialized) {
            self.warn_that("memory is assumed to be initialized where it is read".into());
        }
    }
}
