//! Allocation, and functions on blocks of memory.
//!
//! Allocation by the C library may fail: then a null pointer comes back, and nothing else happens.
//! That it never does can be assumed, and is stated then.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::expression::Value;
use crate::lower::{Lowerer, Malloc};
use program::Property;
use program::program::{Cause, Extent, Instruction, Storage, VariableId};
use term::{Sort, Term};

impl Lowerer<'_> {
    pub(super) fn memory_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let term = match (call.name, call.arguments.len()) {
            ("malloc", 1..) => {
                let size = self.word_argument(call, 0)?;
                self.allocation(call.name, |l| l.block(size, Storage::Heap))
            }
            ("kmalloc" | "__kmalloc" | "vmalloc" | "kzalloc" | "vzalloc", 1..) => {
                let size = self.word_argument(call, 0)?;
                let zeroed = matches!(call.name, "kzalloc" | "vzalloc");
                self.kernel_block(size, zeroed)
            }
            ("alloca" | "__builtin_alloca", 1..) => {
                let size = self.word_argument(call, 0)?;
                self.block(size, Storage::Stack)
            }
            ("calloc", 2..) => {
                let count = self.word_argument(call, 0)?;
                let each = self.word_argument(call, 1)?;
                self.allocation(call.name, |l| {
                    l.product_is_small(count, each);
                    let length = l.pool.bv_mul(count, each);
                    let to = l.block(length, Storage::Heap);
                    l.emit(Instruction::Fill { to, byte: l.pool.bv(0, 8), length });
                    to
                })
            }
            ("realloc" | "krealloc", 2..) => {
                let (old, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
                self.resized_block(call.name, old, |_| size)
            }
            ("reallocarray", 3..) => {
                let old = self.word_argument(call, 0)?;
                let (count, each) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                self.resized_block(call.name, old, |l| {
                    l.product_is_small(count, each);
                    l.pool.bv_mul(count, each)
                })
            }
            ("free" | "kfree" | "cfree" | "vfree", 1..) => {
                let address = self.word_argument(call, 0)?;
                self.free_block(address);
                return Ok(Some(Value::Void));
            }
            ("memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk", 3..) => {
                let (to, from, length) = self.block_arguments(call)?;
                let apart = matches!(call.name, "memcpy" | "__memcpy_chk");
                self.copy_block(to, from, length, apart);
                to
            }
            ("bcopy", 3..) => {
                let (from, to, length) = self.block_arguments(call)?;
                self.copy_block(to, from, length, false);
                return Ok(Some(Value::Void));
            }
            ("mempcpy" | "__mempcpy_chk", 3..) => {
                let (to, from, length) = self.block_arguments(call)?;
                self.copy_block(to, from, length, true);
                self.pool.bv_add(to, length)
            }
            ("memset" | "__memset_chk", 3..) => {
                let to = self.word_argument(call, 0)?;
                let byte = self.integer_argument(call, 1, 8)?;
                let length = self.word_argument(call, 2)?;
                self.fill_block(to, byte, length);
                to
            }
            ("bzero", 2..) => {
                let to = self.word_argument(call, 0)?;
                let length = self.word_argument(call, 1)?;
                self.fill_block(to, self.pool.bv(0, 8), length);
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

    /// What an allocating function gives: null, if it fails, or what it makes.
    pub(super) fn allocation(
        &mut self,
        function: &str,
        make: impl FnOnce(&mut Self) -> Term,
    ) -> Term {
        if self.options.world.malloc == Malloc::NeverFails {
            self.assume_that("memory allocation does not fail".into());
            return make(self);
        }
        let cause = Cause::Unknown(format!("{function}() fails").into());
        self.block_or_null(cause, |l, into| {
            let made = make(l);
            l.assign(into, made);
        })
    }

    /// Null or what is made, as the environment decides.
    pub(super) fn block_or_null(
        &mut self,
        cause: Cause,
        make: impl FnOnce(&mut Self, VariableId),
    ) -> Term {
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        let fails = self.unknown(Sort::Bool, cause);
        let (failed, on, end) = (self.new_location(), self.new_location(), self.new_location());
        self.split(fails, failed, on);
        self.continue_at(failed);
        self.assign(into, self.pointer_bits(0));
        self.jump(end);
        self.continue_at(on);
        make(self, into);
        self.jump(end);
        self.continue_at(end);
        self.term_of(into)
    }

    /// A new block; a request for no bytes gets a block without any that can be used.
    pub(super) fn block(&mut self, size: Term, storage: Storage) -> Term {
        if storage == Storage::Heap {
            self.count_block();
        }
        let into = self.temporary(Sort::BitVec(self.pointer_width()));
        self.emit(Instruction::Allocate {
            into,
            size,
            align: 16,
            storage,
            written: false,
            scalars: Vec::new(),
            name: None,
        });
        self.term_of(into)
    }

    /// What `realloc` gives: a new block; the old one, if there is any, ends to live.
    ///
    /// How much of the new block the old one fills is its size, which is measured where somebody asks
    /// about memory. Otherwise the new block's contents are unknown to us: a proof holds for any, and a
    /// run that needs certain ones is none. That addresses among them may be those of the old block is
    /// said by a copy of no bytes.
    ///
    /// If it fails, the old block lives on.
    fn resized_block(
        &mut self,
        name: &str,
        old: Term,
        size: impl FnOnce(&mut Self) -> Term,
    ) -> Term {
        self.allocation(name, |l| {
            let size = size(l);
            let (old, size) = (l.keep(old), l.keep(size));
            let new = l.block(size, Storage::Heap);
            let (some, end) = (l.new_location(), l.new_location());
            l.split(l.pool.ne(old, l.pointer_bits(0)), some, end);
            l.continue_at(some);
            if l.checks_values() || l.options.properties.contains(&Property::Pointer) {
                let known = l.measure(old, Extent::Rest);
                let length = l.pool.ite(l.pool.bv_ult(known, size), known, size);
                l.emit(Instruction::Copy { to: new, from: old, length });
            } else {
                let cause = Cause::Approximated(name.into());
                l.emit(Instruction::HavocBytes { address: new, length: size, cause });
                l.emit(Instruction::Copy { to: new, from: old, length: l.pointer_bits(0) });
            }
            l.free_block(old);
            l.jump(end);
            l.continue_at(end);
            new
        })
    }

    /// What the kernel's allocators give: a new block, or null.
    fn kernel_block(&mut self, length: Term, zeroed: bool) -> Term {
        self.block_or_null(Cause::Unknown("allocation".into()), |l, into| {
            let to = l.block(length, Storage::Heap);
            if zeroed {
                l.emit(Instruction::Fill { to, byte: l.pool.bv(0, 8), length });
            }
            l.assign(into, to);
        })
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
