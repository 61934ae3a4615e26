//! What had no value before a loop that is replaced by its invariant, where reads of such are asked
//! about ([`Property::Uninitialized`]).
//!
//! The loop may write it, and nothing says that it does. So runs go on both with and without a value.
//! One without may be none of the program, so its choice is an approximated value: a read of what no
//! other run leaves without a value gets no answer, neither that it is wrong nor that it is not.
//!
//! A function that its contract stands for is assumed to write what it may write.
//!
//! [`Property::Uninitialized`]: program::Property::Uninitialized

use super::super::Lowerer;
use super::target::By;
use program::program::{Cause, Instruction, LocationId, VariableId};
use term::{Sort, Term};

/// Of more bytes it is not asked whether all had values before.
const MANY: u64 = 4096;

impl Lowerer<'_> {
    /// Goes on where a loop gave something no value that had none; the result is where it has one.
    fn without_value(&mut self, had_value: Term) -> LocationId {
        let (with, doubt) = (self.new_location(), self.new_location());
        let (unsure, without) = (self.new_location(), self.new_location());
        self.split(had_value, with, doubt);
        self.continue_at(doubt);
        let chosen = self.unknown(Sort::Bool, Cause::Unknown("the loop".into()));
        self.split(chosen, unsure, with);
        self.continue_at(unsure);
        let what = "a loop that is replaced by its invariant";
        let approximated = self.unknown(Sort::Bool, Cause::Approximated(what.into()));
        self.split(approximated, without, with);
        self.continue_at(without);
        with
    }

    /// Before bytes of memory take any values that may have none yet: runs on which a loop gives them
    /// none go to `end`. Of a call it is assumed that it does.
    pub(super) fn leave_unwritten(
        &mut self,
        address: Term,
        length: Term,
        by: By<'_>,
        end: LocationId,
    ) {
        if !self.checks_values() || self.is_in_static_object(address) {
            return;
        }
        if let By::Call(name) = by {
            self.assume_that(format!("what '{name}' may write has a value afterwards"));
            return;
        }
        let size = self.pool.as_bits(length).and_then(|bits| bits.to_u64());
        let had_value = match size.filter(|size| (1..=MANY).contains(size)) {
            Some(size) => {
                let into = self.temporary(Sort::Bool);
                self.emit(Instruction::Written { into, address, size });
                self.term_of(into)
            }
            None => self.pool.fls(),
        };
        let with = self.without_value(had_value);
        let cause = Cause::Uninitialized;
        self.emit(Instruction::HavocBytes { address, length, cause });
        self.jump(end);
        self.continue_at(with);
    }

    /// A loop may have written a register that has a flag.
    pub(super) fn leave_flag(&mut self, flag: VariableId) {
        let end = self.new_location();
        let with = self.without_value(self.term_of(flag));
        self.jump(end);
        self.continue_at(with);
        self.append(Instruction::Assign(flag, self.pool.tru()));
        self.jump(end);
        self.continue_at(end);
    }
}
