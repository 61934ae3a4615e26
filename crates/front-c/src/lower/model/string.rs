//! Strings: loops over their characters.

use super::Call;
use super::buffer::Block;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Instruction, LocationId, Storage, VariableId};
use term::{Sort, Term};

/// A loop over the characters of strings.
pub(super) struct Loop {
    /// The number of the character.
    pub(super) index: VariableId,
    head: LocationId,
    pub(super) end: LocationId,
}

impl Lowerer<'_> {
    /// Calls that need the length of a string, copy or compare, or look for one byte.
    pub(super) fn string_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let families = [
            Self::length_call,
            Self::copying_call,
            Self::duplicating_call,
            Self::comparing_call,
            Self::searching_call,
        ];
        for family in families {
            if let Some(term) = family(self, call)? {
                return Ok(self.result(call, term));
            }
        }
        Ok(None)
    }

    fn length_call(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        let term = match (call.name, call.arguments.len()) {
            ("strlen", 1..) => {
                let text = self.string_argument(call, 0)?;
                self.string_length(text)
            }
            ("strnlen", 2..) => {
                let text = self.string_argument(call, 0)?;
                let bound = self.word_argument(call, 1)?;
                self.bounded_length(text, bound)
            }
            _ => return Ok(None),
        };
        Ok(Some(term))
    }

    /// Functions that write a copy of a string, over another or after it.
    fn copying_call(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        let term = match (call.name, call.arguments.len()) {
            ("strcpy" | "__strcpy_chk", 2..) => {
                let (to, from) = self.two_strings(call)?;
                self.copy_string(to, from);
                to
            }
            ("stpcpy", 2..) => {
                let (to, from) = self.two_strings(call)?;
                let length = self.copy_string(to, from);
                self.pool.bv_add(to, length)
            }
            ("strncpy" | "__strncpy_chk", 3..) => {
                let (to, from) = self.two_strings(call)?;
                let bound = self.word_argument(call, 2)?;
                let length = self.bounded_length(from, bound);
                self.if_any(length, |l| l.copy(to, from, length));
                let rest = self.pool.bv_add(to, length);
                let (zero, zeros) = (self.pool.bv(0, 8), self.pool.bv_sub(bound, length));
                self.if_any(zeros, |l| {
                    l.emit(Instruction::Fill { to: rest, byte: zero, length: zeros });
                });
                let read = self.bytes_read(from, length, bound);
                self.check_apart(Block { address: to, length: bound }, read);
                to
            }
            ("strcat" | "__strcat_chk", 2..) => {
                let (to, from) = self.two_strings(call)?;
                let end = self.string_end(to);
                self.copy_string(end, from);
                to
            }
            ("strncat" | "__strncat_chk", 3..) => {
                let (to, from) = self.two_strings(call)?;
                let bound = self.word_argument(call, 2)?;
                let end = self.string_end(to);
                let length = self.bounded_length(from, bound);
                self.copy_and_end(end, from, length);
                let read = self.bytes_read(from, length, bound);
                self.check_apart(Block { address: end, length: self.moved(length, 1) }, read);
                to
            }
            ("strlcpy", 3..) => {
                let (to, from) = self.two_strings(call)?;
                let size = self.word_argument(call, 2)?;
                self.copy_within(to, from, size)
            }
            ("strlcat", 3..) => {
                let (to, from) = self.two_strings(call)?;
                let size = self.word_argument(call, 2)?;
                let before = self.bounded_length(to, size);
                let before = self.keep(before);
                let end = self.pool.bv_add(to, before);
                let rest = self.pool.bv_sub(size, before);
                let length = self.copy_within(end, from, rest);
                self.pool.bv_add(before, length)
            }
            _ => return Ok(None),
        };
        Ok(Some(term))
    }

    /// Functions that write a copy of a string into a new block.
    fn duplicating_call(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        let term = match (call.name, call.arguments.len()) {
            ("strdup" | "__strdup", 1..) => {
                let text = self.string_argument(call, 0)?;
                let length = self.string_length(text);
                let size = self.moved(length, 1);
                self.allocation(call.name, |l| {
                    let copy = l.block(size, Storage::Heap);
                    l.copy(copy, text, size);
                    copy
                })
            }
            ("strndup" | "__strndup", 2..) => {
                let text = self.string_argument(call, 0)?;
                let bound = self.word_argument(call, 1)?;
                let length = self.bounded_length(text, bound);
                let size = self.moved(length, 1);
                self.allocation(call.name, |l| {
                    let copy = l.block(size, Storage::Heap);
                    l.copy_and_end(copy, text, length);
                    copy
                })
            }
            _ => return Ok(None),
        };
        Ok(Some(term))
    }

    fn comparing_call(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        let term = match (call.name, call.arguments.len()) {
            ("strcmp" | "strcoll", 2..) => {
                let (a, b) = self.two_strings(call)?;
                self.compare_blocks(a, b, None, true)
            }
            ("strncmp", 3..) => {
                let (a, b) = self.two_strings(call)?;
                let bound = self.word_argument(call, 2)?;
                self.compare_blocks(a, b, Some(bound), true)
            }
            ("memcmp" | "bcmp", 3..) => {
                let (a, b) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
                let bound = self.word_argument(call, 2)?;
                // All bytes must be there, also those after a difference.
                self.check_readable(Block { address: a, length: bound });
                self.check_readable(Block { address: b, length: bound });
                self.compare_blocks(a, b, Some(bound), false)
            }
            _ => return Ok(None),
        };
        Ok(Some(term))
    }

    /// Functions that look for one byte.
    fn searching_call(&mut self, call: &Call<'_>) -> Result<Option<Term>> {
        let term = match (call.name, call.arguments.len()) {
            ("strchr" | "index", 2..) => {
                let text = self.string_argument(call, 0)?;
                let wanted = self.integer_argument(call, 1, 8)?;
                self.find_first(text, wanted, None)
            }
            ("memchr", 3..) => {
                let block = self.word_argument(call, 0)?;
                let wanted = self.integer_argument(call, 1, 8)?;
                let bound = self.word_argument(call, 2)?;
                self.check_block(Block { address: block, length: bound });
                self.find_first(block, wanted, Some(bound))
            }
            ("strrchr" | "rindex", 2..) => {
                let text = self.string_argument(call, 0)?;
                let wanted = self.integer_argument(call, 1, 8)?;
                self.find_last(text, wanted)
            }
            _ => return Ok(None),
        };
        Ok(Some(term))
    }

    /// A pointer to a string, which must not be null. That of a static object is not, which needs no
    /// check unless it is asked for.
    pub(super) fn string_argument(&mut self, call: &Call<'_>, index: usize) -> Result<Term> {
        let pointer = self.word_argument(call, index)?;
        if !self.is_static_address(pointer) || self.asks_for_buffers() {
            self.check_not_null(pointer);
        }
        Ok(pointer)
    }

    pub(super) fn two_strings(&mut self, call: &Call<'_>) -> Result<(Term, Term)> {
        let first = self.string_argument(call, 0)?;
        Ok((first, self.string_argument(call, 1)?))
    }

    pub(super) fn begin_loop(&mut self) -> Loop {
        let index = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(index, self.pointer_bits(0));
        let (head, end) = (self.new_location(), self.new_location());
        self.jump(head);
        self.continue_at(head);
        Loop { index, head, end }
    }

    pub(super) fn next_round(&mut self, round: &Loop) {
        let next = self.moved(self.term_of(round.index), 1);
        self.assign(round.index, next);
        self.jump(round.head);
    }

    pub(super) fn end_loop(&mut self, round: &Loop) -> Term {
        self.continue_at(round.end);
        self.term_of(round.index)
    }

    /// Goes to a location if the condition holds, and on otherwise.
    pub(super) fn leave_if(&mut self, condition: Term, to: LocationId) {
        let on = self.new_location();
        self.split(condition, to, on);
        self.continue_at(on);
    }

    pub(super) fn character(&mut self, text: Term, round: &Loop) -> Term {
        let address = self.pool.bv_add(text, self.term_of(round.index));
        self.read_sort(address, Sort::BitVec(8))
    }

    pub(super) fn is_zero_byte(&self, byte: Term) -> Term {
        self.pool.eq(byte, self.pool.bv(0, 8))
    }

    fn at_bound(&self, round: &Loop, bound: Term) -> Term {
        self.pool.eq(self.term_of(round.index), bound)
    }

    pub(super) fn string_length(&mut self, text: Term) -> Term {
        let round = self.begin_loop();
        let c = self.character(text, &round);
        self.leave_if(self.is_zero_byte(c), round.end);
        self.next_round(&round);
        self.end_loop(&round)
    }

    /// The address of the zero at the end.
    fn string_end(&mut self, text: Term) -> Term {
        let length = self.string_length(text);
        self.pool.bv_add(text, length)
    }

    pub(super) fn bounded_length(&mut self, text: Term, bound: Term) -> Term {
        let round = self.begin_loop();
        self.leave_if(self.at_bound(&round, bound), round.end);
        let c = self.character(text, &round);
        self.leave_if(self.is_zero_byte(c), round.end);
        self.next_round(&round);
        self.end_loop(&round)
    }

    /// Copies with the zero at the end; gives the length without it. Where the strings may overlap,
    /// which is an error, the length is that before anything is written.
    fn copy_string(&mut self, to: Term, from: Term) -> Term {
        if self.may_overlap(to, from) {
            let length = self.string_length(from);
            self.copy_block(to, from, self.moved(length, 1), true);
            return length;
        }
        let round = self.begin_loop();
        let c = self.character(from, &round);
        let address = self.pool.bv_add(to, self.term_of(round.index));
        self.emit(Instruction::Store { address, value: c });
        self.leave_if(self.is_zero_byte(c), round.end);
        self.next_round(&round);
        self.end_loop(&round)
    }

    /// Copies as much of a string as fits into so many bytes, with a zero at the end; gives the
    /// string's length.
    fn copy_within(&mut self, to: Term, from: Term, size: Term) -> Term {
        let length = self.string_length(from);
        let (fits, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(size, self.pointer_bits(0)), fits, end);
        self.continue_at(fits);
        let most = self.pool.bv_sub(size, self.pointer_bits(1));
        let copied = self.pool.ite(self.pool.bv_ult(length, most), length, most);
        let copied = self.keep(copied);
        self.copy_and_end(to, from, copied);
        let written = Block { address: to, length: self.moved(copied, 1) };
        self.check_apart(written, Block { address: from, length: self.moved(length, 1) });
        self.jump(end);
        self.continue_at(end);
        length
    }

    /// What is read of a string of which at most so many characters are wanted: with the zero, if that
    /// comes before.
    pub(super) fn bytes_read(&self, text: Term, length: Term, bound: Term) -> Block {
        let ends = self.pool.bv_ult(length, bound);
        let length = self.pool.ite(ends, self.moved(length, 1), length);
        Block { address: text, length }
    }

    /// Copies so many bytes and puts a zero after them.
    fn copy_and_end(&mut self, to: Term, from: Term, length: Term) {
        self.copy(to, from, length);
        let address = self.pool.bv_add(to, length);
        self.emit(Instruction::Store { address, value: self.pool.bv(0, 8) });
    }

    /// The difference of the first bytes that differ, as C libraries on x86 give it.
    fn compare_blocks(&mut self, a: Term, b: Term, bound: Option<Term>, strings: bool) -> Term {
        let result = self.temporary(Sort::BitVec(32));
        self.assign(result, self.pool.bv(0, 32));
        let round = self.begin_loop();
        if let Some(bound) = bound {
            self.leave_if(self.at_bound(&round, bound), round.end);
        }
        let (x, y) = (self.character(a, &round), self.character(b, &round));
        let (same, differ) = (self.new_location(), self.new_location());
        self.split(self.pool.eq(x, y), same, differ);
        self.continue_at(differ);
        let pool = &self.pool;
        let difference = pool.bv_sub(pool.bv_zero_extend(x, 24), pool.bv_zero_extend(y, 24));
        self.assign(result, difference);
        self.jump(round.end);
        self.continue_at(same);
        if strings {
            self.leave_if(self.is_zero_byte(x), round.end);
        }
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(result)
    }

    /// The address of the first such byte, or null: of a string, or of so many bytes.
    fn find_first(&mut self, block: Term, wanted: Term, bound: Option<Term>) -> Term {
        let result = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(result, self.pointer_bits(0));
        let round = self.begin_loop();
        if let Some(bound) = bound {
            self.leave_if(self.at_bound(&round, bound), round.end);
        }
        let c = self.character(block, &round);
        let (found, other) = (self.new_location(), self.new_location());
        self.split(self.pool.eq(c, wanted), found, other);
        self.continue_at(found);
        self.assign(result, self.pool.bv_add(block, self.term_of(round.index)));
        self.jump(round.end);
        self.continue_at(other);
        if bound.is_none() {
            self.leave_if(self.is_zero_byte(c), round.end);
        }
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(result)
    }

    fn find_last(&mut self, text: Term, wanted: Term) -> Term {
        let result = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(result, self.pointer_bits(0));
        let round = self.begin_loop();
        let c = self.character(text, &round);
        let here = self.pool.bv_add(text, self.term_of(round.index));
        let matches = self.pool.eq(c, wanted);
        let latest = self.pool.ite(matches, here, self.term_of(result));
        self.assign(result, latest);
        self.leave_if(self.is_zero_byte(c), round.end);
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(result)
    }
}
