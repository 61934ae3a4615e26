//! Strings and sets of characters: spans, tokens, and a text within another.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Instruction, Reading, VariableId};
use term::{Sort, Term};

impl Lowerer<'_> {
    pub(super) fn span_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let term = match (call.name, call.arguments.len()) {
            ("strspn", 2..) => {
                let (text, set) = self.two_strings(call)?;
                self.span_length(text, set, true)
            }
            ("strcspn", 2..) => {
                let (text, set) = self.two_strings(call)?;
                self.span_length(text, set, false)
            }
            ("strpbrk", 2..) => {
                let (text, set) = self.two_strings(call)?;
                let length = self.span_length(text, set, false);
                let at = self.pool.bv_add(text, length);
                let found = self.read_sort(at, Sort::BitVec(8));
                self.pool.ite(self.is_zero_byte(found), self.pointer_bits(0), at)
            }
            ("strstr", 2..) => {
                let (text, part) = self.two_strings(call)?;
                self.find_text(text, part)
            }
            ("strcasecmp", 2..) => {
                let (a, b) = self.two_strings(call)?;
                self.compare_folded(a, b, None)
            }
            ("strncasecmp", 3..) => {
                let (a, b) = self.two_strings(call)?;
                let bound = self.word_argument(call, 2)?;
                self.compare_folded(a, b, Some(bound))
            }
            ("strtok", 2..) => {
                let text = self.word_argument(call, 0)?;
                let set = self.string_argument(call, 1)?;
                let size = self.pointer_width() / 8;
                let saved =
                    self.named_object("position of strtok", u64::from(size), vec![size], |_, _| {
                        Vec::new()
                    });
                self.next_token(text, set, saved)
            }
            ("strtok_r" | "__strtok_r", 3..) => {
                let text = self.word_argument(call, 0)?;
                let set = self.string_argument(call, 1)?;
                let saved = self.string_argument(call, 2)?;
                self.next_token(text, set, saved)
            }
            ("strsep", 2..) => {
                let place = self.string_argument(call, 0)?;
                let set = self.string_argument(call, 1)?;
                self.next_field(place, set)
            }
            _ => return Ok(None),
        };
        Ok(self.result(call, term))
    }

    /// How many characters at the beginning of a text are in the set, or are not.
    fn span_length(&mut self, text: Term, set: Term, inside: bool) -> Term {
        let (text, set) = (self.keep(text), self.keep(set));
        let round = self.begin_loop();
        let c = self.character(text, &round);
        self.leave_if(self.is_zero_byte(c), round.end);
        let member = self.is_member(c, set);
        let ends = if inside { self.pool.not(member) } else { member };
        self.leave_if(ends, round.end);
        self.next_round(&round);
        self.end_loop(&round)
    }

    /// Whether a character, not the last zero, is in the set.
    fn is_member(&mut self, c: Term, set: Term) -> Term {
        let c = self.keep(c);
        let found = self.temporary(Sort::Bool);
        let round = self.begin_loop();
        let other = self.character(set, &round);
        let same = self.pool.eq(other, c);
        self.assign(found, same);
        let ends = self.pool.or([same, self.is_zero_byte(other)]);
        self.leave_if(ends, round.end);
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(found)
    }

    /// The first place in a text where the other one begins, or null.
    fn find_text(&mut self, text: Term, part: Term) -> Term {
        let (text, part) = (self.keep(text), self.keep(part));
        let result = self.pointer_register();
        let round = self.begin_loop();
        let here = self.pool.bv_add(text, self.term_of(round.index));
        self.assign(result, here);
        // The characters from here on, as far as the part goes.
        let matched = self.temporary(Sort::Bool);
        let within = self.begin_loop();
        let wanted = self.character(part, &within);
        self.assign(matched, self.is_zero_byte(wanted));
        self.leave_if(self.is_zero_byte(wanted), within.end);
        let c = self.character(self.term_of(result), &within);
        self.leave_if(self.pool.ne(c, wanted), within.end);
        self.next_round(&within);
        self.end_loop(&within);
        self.leave_if(self.term_of(matched), round.end);
        let c = self.read_sort(self.term_of(result), Sort::BitVec(8));
        self.assign(result, self.pointer_bits(0));
        self.leave_if(self.is_zero_byte(c), round.end);
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(result)
    }

    /// The difference of the first characters that differ, in lower case.
    fn compare_folded(&mut self, a: Term, b: Term, bound: Option<Term>) -> Term {
        let (a, b) = (self.keep(a), self.keep(b));
        let result = self.temporary(Sort::BitVec(32));
        self.assign(result, self.pool.bv(0, 32));
        let round = self.begin_loop();
        if let Some(bound) = bound {
            let at_bound = self.pool.eq(self.term_of(round.index), bound);
            self.leave_if(at_bound, round.end);
        }
        let (x, y) = (self.character(a, &round), self.character(b, &round));
        let (x, y) = (self.lower_case(x), self.lower_case(y));
        let pool = &self.pool;
        let difference = pool.bv_sub(pool.bv_zero_extend(x, 24), pool.bv_zero_extend(y, 24));
        self.assign(result, difference);
        let ends = self.pool.or([self.pool.ne(x, y), self.is_zero_byte(x)]);
        self.leave_if(ends, round.end);
        self.next_round(&round);
        self.end_loop(&round);
        self.term_of(result)
    }

    fn lower_case(&self, c: Term) -> Term {
        let pool = &self.pool;
        let byte = |c: u8| pool.bv(u64::from(c), 8);
        let upper = pool.and([pool.bv_ule(byte(b'A'), c), pool.bv_ule(c, byte(b'Z'))]);
        pool.ite(upper, pool.bv_add(c, byte(b'a' - b'A')), c)
    }

    /// `strtok`: the next token of the text, or of where the last call ended, which `saved` holds.
    fn next_token(&mut self, text: Term, set: Term, saved: Term) -> Term {
        let (text, set, saved) = (self.keep(text), self.keep(set), self.keep(saved));
        let start = self.pointer_register();
        self.assign(start, text);
        let (again, from) = (self.new_location(), self.new_location());
        self.split(self.pool.eq(text, self.pointer_bits(0)), again, from);
        self.continue_at(again);
        let last = self.read_address(saved);
        self.assign(start, last);
        self.jump(from);
        self.continue_at(from);
        let (some, end) = (self.new_location(), self.new_location());
        // Nothing is left: the last call said so.
        self.split(self.pool.ne(self.term_of(start), self.pointer_bits(0)), some, end);
        self.continue_at(some);
        let skipped = self.span_length(self.term_of(start), set, true);
        let begin = self.pool.bv_add(self.term_of(start), skipped);
        self.assign(start, begin);
        let token = self.cut_field(self.term_of(start), set, saved, true);
        // A token without characters is none.
        let empty = self.pool.eq(token, self.pointer_bits(0));
        let result = self.pool.ite(empty, self.pointer_bits(0), self.term_of(start));
        self.assign(start, result);
        self.jump(end);
        self.continue_at(end);
        self.term_of(start)
    }

    /// `strsep`: the text up to a separator, also an empty one.
    fn next_field(&mut self, place: Term, set: Term) -> Term {
        let (place, set) = (self.keep(place), self.keep(set));
        let start = self.pointer_register();
        let text = self.read_address(place);
        self.assign(start, text);
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(self.term_of(start), self.pointer_bits(0)), some, end);
        self.continue_at(some);
        self.cut_field(self.term_of(start), set, place, false);
        self.jump(end);
        self.continue_at(end);
        self.term_of(start)
    }

    /// Ends the field at the text by a zero in place of its separator, and remembers what comes
    /// after it; at the end of the text, that end (as glibc's `strtok` does) or null. Gives the
    /// field's length.
    fn cut_field(&mut self, text: Term, set: Term, saved: Term, keep_end: bool) -> Term {
        let length = self.span_length(text, set, false);
        let length = self.keep(length);
        let at = self.pool.bv_add(text, length);
        let separator = self.read_sort(at, Sort::BitVec(8));
        let rest = self.pointer_register();
        self.assign(rest, if keep_end { at } else { self.pointer_bits(0) });
        let (cut, end) = (self.new_location(), self.new_location());
        self.split(self.is_zero_byte(separator), end, cut);
        self.continue_at(cut);
        self.emit(Instruction::Store { address: at, value: self.pool.bv(0, 8) });
        self.assign(rest, self.moved(at, 1));
        self.jump(end);
        self.continue_at(end);
        self.emit(Instruction::Store { address: saved, value: self.term_of(rest) });
        length
    }

    fn pointer_register(&mut self) -> VariableId {
        let register = self.temporary(Sort::BitVec(self.pointer_width()));
        self.variables[register].reading = Reading::Address;
        register
    }
}
