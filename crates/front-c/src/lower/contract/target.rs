//! What a contract allows to be written, as registers and ranges of bytes.

use super::super::Lowerer;
use super::super::expression::Value;
use super::super::memory::Access;
use super::super::place::Spot;
use crate::contract::{Part, Target};
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::ExprId;
use crate::types::TypeId;
use program::program::{Cause, Extent, Instruction, VariableId};
use term::{Sort, Term};

/// What may be written, its expressions evaluated.
pub(super) struct Resolved {
    /// Only if this holds.
    pub(super) condition: Term,
    /// What.
    pub(super) what: What,
}

/// A part of the state.
pub(super) enum What {
    /// Registers.
    Registers(Vec<VariableId>),
    /// A scalar in memory.
    Scalar(Term, TypeId),
    /// So many bytes at an address.
    Bytes(Term, Term),
}

/// Who writes.
#[derive(Clone, Copy)]
pub(super) enum By<'n> {
    /// A function that its contract stands for, with its name.
    Call(&'n str),
    /// A loop that its invariant stands for.
    Loop,
}

impl By<'_> {
    fn cause(self) -> Cause {
        match self {
            By::Call(name) => Cause::Unknown(name.into()),
            By::Loop => Cause::Unknown("the loop".into()),
        }
    }
}

impl Lowerer<'_> {
    /// Evaluates what may be written, now.
    pub(super) fn resolve_targets<'t>(
        &mut self,
        targets: impl Iterator<Item = &'t Target>,
    ) -> Result<Vec<Resolved>> {
        let mut resolved = Vec::new();
        for target in targets {
            let Some(condition) = target.condition else {
                let what = self.resolve_part(&target.part)?;
                resolved.push(Resolved { condition: self.pool.tru(), what });
                continue;
            };
            // What the condition excludes need not be defined.
            let condition = self.condition(condition)?;
            let condition = self.keep(condition);
            let held = self.temporary(Sort::Bool);
            let (yes, no, end) = (self.new_location(), self.new_location(), self.new_location());
            self.split(condition, yes, no);
            self.continue_at(yes);
            let what = self.resolve_part(&target.part)?;
            self.assign(held, self.pool.tru());
            self.jump(end);
            self.continue_at(no);
            self.assign(held, self.pool.fls());
            self.jump(end);
            self.continue_at(end);
            resolved.push(Resolved { condition: self.term_of(held), what });
        }
        Ok(resolved)
    }

    fn resolve_part(&mut self, part: &Part) -> Result<What> {
        Ok(match *part {
            Part::Place(place) => {
                let ty = self.c.places[place].ty.ty;
                match self.spot(place, true)? {
                    Spot::Registers(registers) => What::Registers(registers),
                    Spot::Memory(access) => {
                        self.check_pointer(access);
                        let address = self.keep(access.address);
                        match self.register_sort(ty) {
                            Some(_) => What::Scalar(address, ty),
                            None => What::Bytes(address, self.size_term(ty)?),
                        }
                    }
                    Spot::Leaves(_) => {
                        let span = self.c.places[place].span;
                        return Err(Diagnostic::error(span, "a value that is no object"));
                    }
                }
            }
            Part::Bytes(pointer, bytes) => {
                let address = self.scalar(pointer)?;
                let address = self.keep(address);
                let length = self.length_of_range(bytes)?;
                What::Bytes(address, length)
            }
            Part::From(pointer) => {
                let address = self.scalar(pointer)?;
                let address = self.keep(address);
                What::Bytes(address, self.measure(address, Extent::Rest))
            }
            Part::Whole(pointer) => {
                let address = self.scalar(pointer)?;
                let address = self.keep(address);
                let (first, size) = self.whole(address);
                What::Bytes(self.keep(first), self.keep(size))
            }
        })
    }

    /// A number of bytes in the width of pointers; a negative one is none.
    fn length_of_range(&mut self, bytes: ExprId) -> Result<Term> {
        let signed = self.is_signed(self.c.exprs[bytes].ty);
        let bytes = self.exact_scalar(bytes)?;
        let width = self.pool.width(bytes);
        let zero = self.pool.bv(0, width);
        let bytes = match signed {
            true => self.pool.ite(self.pool.bv_slt(bytes, zero), zero, bytes),
            false => bytes,
        };
        let length = self.resize(bytes, self.pointer_width(), false);
        Ok(self.keep(length))
    }

    /// What may be written takes any value.
    pub(super) fn forget_targets(&mut self, targets: &[Resolved], by: By<'_>) -> Result<()> {
        for target in targets {
            let (some, end) = (self.new_location(), self.new_location());
            self.split(target.condition, some, end);
            self.continue_at(some);
            match &target.what {
                What::Registers(registers) => {
                    for &register in registers {
                        self.havoc(register, by.cause());
                        if let By::Call(_) = by {
                            self.mark_written(register);
                        }
                    }
                }
                What::Scalar(address, ty) => {
                    let size = self.size_term(*ty)?;
                    self.leave_unwritten(*address, size, by, end);
                    if let Value::Scalar(value) = self.unknown_value(*ty, by.cause())? {
                        self.store_scalar(Access::sure(*address), *ty, value);
                    }
                }
                What::Bytes(address, length) => self.forget_bytes(*address, *length, by),
            }
            self.jump(end);
            self.continue_at(end);
        }
        Ok(())
    }

    /// Bytes take any values, if there are any.
    pub(super) fn forget_bytes(&mut self, address: Term, length: Term, by: By<'_>) {
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(length, self.pointer_bits(0)), some, end);
        self.continue_at(some);
        self.leave_unwritten(address, length, by, end);
        self.emit(Instruction::HavocBytes { address, length, cause: by.cause() });
        self.jump(end);
        self.continue_at(end);
    }

    /// The whole object that a pointer points into takes any value.
    pub(in crate::lower) fn havoc_object(&mut self, pointer: ExprId) -> Result<Value> {
        let address = self.scalar(pointer)?;
        let address = self.keep(address);
        let (first, size) = self.whole(address);
        let cause = Cause::Input("__CPROVER_havoc_object".into());
        self.emit(Instruction::HavocBytes { address: first, length: size, cause });
        Ok(Value::Void)
    }
}
