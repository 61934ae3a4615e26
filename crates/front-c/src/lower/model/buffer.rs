//! What library functions are given: blocks of memory that must be there, and must not overlap.
//!
//! Most of it is checked by the accesses of the models themselves, which stand at the place of the call.
//! Here is what they leave out. Where the validity of memory is asked for, every block that a call is
//! given has a check, so that the call has a line in the table of checks. A block of no bytes may be
//! null: the standard does not allow that (C11 7.24.1p2), but libraries do.
//!
//! **Overlap.** Both blocks are known to be valid where their overlap is checked, so blocks of different
//! objects do not overlap, wherever objects lie. Where the addresses are seen to be of two objects, there
//! is nothing to check.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::object::Home;
use program::Property;
use program::program::{Instruction, Storage};
use rustc_hash::FxHashSet;
use term::Term;
use term::traverse::free_vars;

/// A block of memory.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Its first byte.
    pub(super) address: Term,
    /// How many bytes it has.
    pub(super) length: Term,
}

impl Lowerer<'_> {
    /// Whether it is asked if library functions are given valid memory.
    pub(super) fn asks_for_buffers(&self) -> bool {
        let asked = &self.options.properties;
        asked.contains(&Property::Pointer) || asked.contains(&Property::Bounds)
    }

    /// A block that a function is given is not null, unless it has no bytes.
    pub(super) fn check_block(&mut self, block: Block) {
        if self.asks_for_buffers() {
            let some = self.pool.ne(block.address, self.pointer_bits(0));
            let empty = self.pool.eq(block.length, self.pointer_bits(0));
            self.check(Property::Pointer, self.pool.or([some, empty]));
        }
    }

    /// A block that a function is given and may read is there, with all its bytes.
    pub(super) fn check_readable(&mut self, block: Block) {
        if !self.asks_for_buffers() {
            return;
        }
        self.check_block(block);
        let Block { address, length } = block;
        self.if_any(length, |l| {
            // Whoever copies it needs all of it.
            let to = l.block(length, Storage::Stack);
            l.emit(Instruction::Copy { to, from: address, length });
            l.emit(Instruction::Free { address: to, storage: Storage::Stack });
        });
    }

    /// What is done to a block, unless it has no bytes: then it may be anywhere. Where its validity is
    /// not asked for, that makes no difference.
    pub(super) fn if_any(&mut self, length: Term, work: impl FnOnce(&mut Self)) {
        if !self.asks_for_buffers() || self.pool.value(length).is_some() {
            return work(self);
        }
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(length, self.pointer_bits(0)), some, end);
        self.continue_at(some);
        work(self);
        self.jump(end);
        self.continue_at(end);
    }

    /// A pointer that a function stores through is not null.
    pub(super) fn check_not_null(&mut self, pointer: Term) {
        let condition = self.pool.ne(pointer, self.pointer_bits(0));
        self.check(Property::Pointer, condition);
    }

    /// A block that a function is given and may write is there, with all its bytes.
    pub(super) fn check_writable(&mut self, block: Block) {
        if self.asks_for_buffers() {
            self.copy_block(block.address, block.address, block.length, false);
        }
    }

    /// A string that a function reads to its end, though its model does not, is there.
    pub(super) fn check_string(&mut self, call: &Call<'_>, index: usize) -> Result<()> {
        if index < call.arguments.len() && self.asks_for_buffers() {
            let text = self.string_argument(call, index)?;
            self.string_length(text);
        }
        Ok(())
    }

    /// Fills a block.
    pub(super) fn fill_block(&mut self, to: Term, byte: Term, length: Term) {
        self.check_block(Block { address: to, length });
        self.if_any(length, |l| l.emit(Instruction::Fill { to, byte, length }));
    }

    /// Copies bytes, which is an access also if nothing changes, and checks that the blocks do not
    /// overlap if they must not.
    pub(super) fn copy_block(&mut self, to: Term, from: Term, length: Term, apart: bool) {
        let (written, read) = (Block { address: to, length }, Block { address: from, length });
        self.check_block(written);
        self.check_block(read);
        let again = to == from && self.asks_for_buffers();
        self.if_any(length, |l| match again {
            true => l.emit(Instruction::Copy { to, from, length }),
            false => l.copy(to, from, length),
        });
        if apart {
            self.check_apart(written, read);
        }
    }

    /// Two blocks that were accessed do not overlap.
    pub(super) fn check_apart(&mut self, written: Block, read: Block) {
        if !self.may_overlap(written.address, read.address) {
            return;
        }
        let pool = &self.pool;
        let (to, from) = (written.address, read.address);
        let before = pool.bv_ule(written.length, pool.bv_sub(from, to));
        let after = pool.bv_ule(read.length, pool.bv_sub(to, from));
        let none = self.pointer_bits(0);
        let empty = [pool.eq(written.length, none), pool.eq(read.length, none)];
        let apart = pool.or([pool.and([before, after]), empty[0], empty[1]]);
        self.check(Property::Overlap, apart);
    }

    /// Whether blocks at two addresses may overlap, if that is asked at all: not if the addresses are
    /// those of two different objects.
    pub(super) fn may_overlap(&self, a: Term, b: Term) -> bool {
        if !self.checks(Property::Overlap) {
            return false;
        }
        match (self.root(a), self.root(b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    }

    /// The address of the object, static or on the stack, that an address is computed from.
    fn root(&self, address: Term) -> Option<Term> {
        let stack: FxHashSet<Term> = self
            .homes
            .values()
            .filter_map(|home| match home {
                Home::Stack(register) => Some(self.term_of(*register)),
                _ => None,
            })
            .collect();
        let variables = free_vars(&self.pool, &[address]);
        let mut roots = variables
            .into_iter()
            .filter(|term| self.static_addresses.contains(term) || stack.contains(term));
        match (roots.next(), roots.next()) {
            (Some(root), None) => Some(root),
            _ => None,
        }
    }
}
