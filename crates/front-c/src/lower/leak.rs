//! Memory that is not freed ([`Property::Cleanup`], [`Property::Tracked`]).
//!
//! If one of the checks is asked for, a global register counts the blocks of the heap that live. At an
//! orderly end of the program, when `main` has returned and at `exit` and its kin, none may be left.
//! A run that ends otherwise (`abort`, a failed assertion or assumption) is not asked, nor is one that
//! never ends.
//!
//! A block that is left is tracked if it can be reached from variables that live. That is not followed
//! up: the count of none says that nothing is lost; where blocks are left, it is not known, and a run
//! that ends so is no violation of [`Property::Tracked`] to us, nor a proof that there is none.

use super::Lowerer;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::FunctionId;
use program::Property;
use program::program::{Cause, Instruction, Reading, Storage, VariableId};
use term::{Sort, Term};

/// The width of the count.
const WIDTH: u32 = 64;

/// What would say whether memory is tracked.
const UNFOLLOWED: &str = "a search for lost memory";

impl Lowerer<'_> {
    /// The register that counts the blocks of the heap, if that is asked for.
    fn block_count(&mut self) -> Option<VariableId> {
        if ![Property::Cleanup, Property::Tracked].into_iter().any(|property| self.checks(property))
        {
            return None;
        }
        if self.blocks.is_none() {
            let (name, sort) = ("blocks of the heap".to_owned(), Sort::BitVec(WIDTH));
            let span = self.span;
            self.blocks = Some(self.new_variable(name, None, sort, Reading::Unsigned, false, span));
        }
        self.blocks
    }

    /// The count is zero at the start. Whose memory is freed must be the program's own.
    pub(super) fn begin_count(&mut self, entry: FunctionId) -> Result<()> {
        let Some(count) = self.block_count() else { return Ok(()) };
        let entry = &self.c.functions[entry];
        if self.symbol_name(entry.name) != "main" {
            let message = "whether all memory is freed can only be asked of a whole program";
            return Err(Diagnostic::error(entry.span, message).help("check it from 'main' on"));
        }
        self.assign(count, self.pool.bv(0, WIDTH));
        Ok(())
    }

    /// A block of the heap is made.
    pub(super) fn count_block(&mut self) {
        let Some(count) = self.block_count() else { return };
        let more = self.pool.bv_add(self.term_of(count), self.pool.bv(1, WIDTH));
        self.assign(count, more);
    }

    /// Frees a block of the heap, or null.
    pub(super) fn free_block(&mut self, address: Term) {
        let address = if self.block_count().is_some() { self.keep(address) } else { address };
        self.emit(Instruction::Free { address, storage: Storage::Heap });
        let Some(count) = self.block_count() else { return };
        let null = self.pool.eq(address, self.pointer_bits(0));
        let before = self.term_of(count);
        let fewer = self.pool.bv_sub(before, self.pool.bv(1, WIDTH));
        self.assign(count, self.pool.ite(null, before, fewer));
    }

    /// The program ends in an orderly way.
    pub(super) fn check_blocks(&mut self) {
        let Some(count) = self.block_count() else { return };
        let none = self.pool.eq(self.term_of(count), self.pool.bv(0, WIDTH));
        self.check(Property::Cleanup, none);
        if self.checks(Property::Tracked) {
            let unknown = self.unknown(Sort::Bool, Cause::Approximated(UNFOLLOWED.into()));
            self.check(Property::Tracked, self.pool.or([none, unknown]));
        }
    }
}
