//! Allocation, and functions on blocks of memory.
//!
//! Allocation by the C library never fails: no null pointer comes back, which is stated as an
//! assumption.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Cause, Instruction, Storage};
use term::{Sort, Term};

impl Lowerer<'_> {
    pub(super) fn memory_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let term = match (call.name, call.arguments.len()) {
            ("malloc", 1..) => {
                let size = self.word_argument(call, 0)?;
                self.new_block(size, Storage::Heap)
            }
            ("kmalloc" | "__kmalloc" | "vmalloc" | "kzalloc" | "vzalloc", 1..) => {
                let size = self.word_argument(call, 0)?;
                let zeroed = matches!(call.name, "kzalloc" | "vzalloc");
                self.kernel_block(size, zeroed)
            }
            ("alloca" | "__builtin_alloca", 1..) => {
                let size = self.word_argument(call, 0)?;
                self.new_block(size, Storage::Stack)
            }
            ("calloc", 2..) => {
                let count = self.word_argument(call, 0)?;
                let each = self.word_argument(call, 1)?;
                self.product_is_small(count, each);
                let length = self.pool.bv_mul(count, each);
                let to = self.new_block(length, Storage::Heap);
                self.emit(Instruction::Fill { to, byte: self.pool.bv(0, 8), length });
                to
            }
            ("realloc" | "krealloc", 2..) => {
                let (old, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
                self.resized_block(call.name, old, size)
            }
            ("reallocarray", 3..) => {
                let old = self.word_argument(call, 0)?;
                let (count, each) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                self.product_is_small(count, each);
                let size = self.pool.bv_mul(count, each);
                self.resized_block(call.name, old, size)
            }
            ("free" | "kfree" | "cfree" | "vfree", 1..) => {
                let address = self.word_argument(call, 0)?;
                self.free_block(address);
                return Ok(Some(Value::Void));
            }
            ("memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk", 3..) => {
                let (to, from, length) = self.block_arguments(call)?;
                self.copy(to, from, length);
                to
            }
            ("bcopy", 3..) => {
                let (from, to, length) = self.block_arguments(call)?;
                self.copy(to, from, length);
                return Ok(Some(Value::Void));
            }
            ("mempcpy", 3..) => {
                let (to, from, length) = self.block_arguments(call)?;
                self.copy(to, from, length);
                self.pool.bv_add(to, length)
            }
            ("memset" | "__memset_chk", 3..) => {
                let to = self.word_argument(call, 0)?;
                let byte = self.integer_argument(call, 1, 8)?;
                let length = self.word_argument(call, 2)?;
                self.emit(Instruction::Fill { to, byte, length });
                to
            }
            ("bzero", 2..) => {
                let to = self.word_argument(call, 0)?;
                let length = self.word_argument(call, 1)?;
                self.emit(Instruction::Fill { to, byte: self.pool.bv(0, 8), length });
                return Ok(Some(Value::Void));
            }
            _ => return Ok(None),
        };
        Ok(self.result(call, term))
    }

    fn block_arguments(&mut self, call: &Call<'_>) -> Result<(Term, Term, Term)> {
        let first = self.word_argument(call, 0)?;
        let second = self.word_argument(call, 1)?;
        Ok((first, second, self.word_argument(call, 2)?))
    }

    /// A new block; a request for no bytes gets a block without any that can be used.
    pub(super) fn new_block(&mut self, size: Term, storage: Storage) -> Term {
        if storage == Storage::Heap {
            self.assume_that("memory allocation does not fail".into());
            self.count_block();
        }
        let width = self.pointer_width();
        let into = self.temporary(Sort::BitVec(width));
        let scalars = Vec::new();
        self.emit(Instruction::Allocate {
            into,
            size,
            align: 16,
            storage,
            written: false,
            scalars,
            name: None,
        });
        self.term_of(into)
    }

    /// What `realloc` gives: a new block; the old one, if there is any, ends to live.
    ///
    /// How much of the new block the old one fills is its size, which a program does not have at
    /// hand. So the new block's contents are unknown to us: a proof holds for any, and a run that
    /// needs certain ones is none. That addresses among them may be those of the old block is said
    /// by a copy of no bytes.
    fn resized_block(&mut self, name: &str, old: Term, size: Term) -> Term {
        let (old, size) = (self.keep(old), self.keep(size));
        let new = self.new_block(size, Storage::Heap);
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(old, self.pointer_bits(0)), some, end);
        self.continue_at(some);
        let cause = Cause::Approximated(name.into());
        self.emit(Instruction::HavocBytes { address: new, length: size, cause: cause.clone() });
        if self.checks_values() {
            // Nor is it known to us how much of it was written.
            let (blank, on) = (self.new_location(), self.new_location());
            let unknown = self.unknown(Sort::Bool, cause);
            self.split(unknown, blank, on);
            self.continue_at(blank);
            let cause = Cause::Uninitialized;
            self.emit(Instruction::HavocBytes { address: new, length: size, cause });
            self.jump(on);
            self.continue_at(on);
        }
        self.emit(Instruction::Copy { to: new, from: old, length: self.pointer_bits(0) });
        self.free_block(old);
        self.jump(end);
        self.continue_at(end);
        new
    }

    /// What the kernel's allocators give: a new block, or null.
    fn kernel_block(&mut self, length: Term, zeroed: bool) -> Term {
        let width = self.pointer_width();
        let into = self.temporary(Sort::BitVec(width));
        let fails = self.unknown(Sort::Bool, Cause::Unknown("allocation".into()));
        let (failed, on, end) = (self.new_location(), self.new_location(), self.new_location());
        self.split(fails, failed, on);
        self.continue_at(failed);
        self.assign(into, self.pointer_bits(0));
        self.jump(end);
        self.continue_at(on);
        let (storage, scalars) = (Storage::Heap, Vec::new());
        self.count_block();
        let size = length;
        self.emit(Instruction::Allocate {
            into,
            size,
            align: 16,
            storage,
            written: false,
            scalars,
            name: None,
        });
        let to = self.term_of(into);
        if zeroed {
            self.emit(Instruction::Fill { to, byte: self.pool.bv(0, 8), length });
        }
        self.jump(end);
        self.continue_at(end);
        to
    }

    /// The product of two sizes does not exceed the memory: otherwise the allocation would fail.
    fn product_is_small(&mut self, a: Term, b: Term) {
        let pool = &self.pool;
        let width = self.pointer_width();
        let (wide_a, wide_b) = (pool.bv_zero_extend(a, width), pool.bv_zero_extend(b, width));
        let high = pool.bv_extract(pool.bv_mul(wide_a, wide_b), 2 * width - 1, width);
        let small = pool.eq(high, pool.bv(0, width));
        self.assume(small);
    }
}
