//! `printf` and its kin, whose formats are literals that can be followed ([`super::format`]): the text that
//! `sprintf` and `snprintf` write, how many characters the others print, and the strings that are read.
//!
//! A number's digits are counted before they are written, from the last one on. A string is measured
//! before it is copied. Where nothing is written to memory, characters are counted only. If the format
//! can't be followed, or of `sprintf` if nobody asks whether memory is valid, the text is approximated:
//! `sprintf` writes an unknown number of bytes, `snprintf` as many as it may.

use super::Call;
use super::buffer::Block;
use super::format::{Directive, Family, Piece, pieces};
use super::stream::Outlet;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Cause, Instruction, VariableId};
use term::{Sort, Term};

/// Where the text goes.
struct Sink {
    /// Memory; none, if characters are counted only.
    buffer: Option<Term>,
    /// How many characters there is room for, if that is limited.
    room: Option<Term>,
    /// How many characters there are so far.
    position: VariableId,
    /// What was read for it.
    sources: Vec<Block>,
}

/// What a call of the family has where.
#[derive(Clone, Copy)]
struct Places {
    /// The argument that limits the number of bytes.
    size: Option<usize>,
    format: usize,
}

/// The functions that write to memory.
const TO_MEMORY: [(&str, Places); 4] = [
    ("sprintf", Places { size: None, format: 1 }),
    ("__sprintf_chk", Places { size: None, format: 3 }),
    ("snprintf", Places { size: Some(1), format: 2 }),
    ("__snprintf_chk", Places { size: Some(1), format: 4 }),
];

/// The functions that write elsewhere, with the places of the stream or descriptor, if they are given
/// one, and of the format, if its arguments can be seen.
const ELSEWHERE: [(&str, Option<usize>, Option<usize>); 12] = [
    ("printf", None, Some(0)),
    ("printk", None, Some(0)),
    ("_printk", None, Some(0)),
    ("fprintf", Some(0), Some(1)),
    ("dprintf", Some(0), Some(1)),
    ("__printf_chk", None, Some(1)),
    ("__fprintf_chk", Some(0), Some(2)),
    ("vprintf", None, None),
    ("vfprintf", Some(0), None),
    ("vdprintf", Some(0), None),
    ("__vprintf_chk", None, None),
    ("__vfprintf_chk", Some(0), None),
];

impl Lowerer<'_> {
    pub(super) fn print_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        if let Some((_, to, format)) = ELSEWHERE.iter().find(|(name, ..)| *name == call.name) {
            return self.print_elsewhere(call, *to, *format).map(Some);
        }
        let Some((_, places)) = TO_MEMORY.iter().find(|(name, _)| *name == call.name) else {
            return Ok(None);
        };
        if call.arguments.len() <= places.format {
            return Ok(None);
        }
        match self.followed(call, places.format).filter(|_| self.asks_for_buffers()) {
            Some(pieces) => self.print(call, *places, &pieces).map(Some),
            None => self.print_something(call, *places).map(Some),
        }
    }

    /// The parts of the format, if it can be followed and there are arguments for it.
    fn followed(&self, call: &Call<'_>, format: usize) -> Option<Vec<Piece>> {
        let text = self.format_argument(call, format)?;
        let pieces = pieces(&text, Family::Print)?;
        self.fits(call, &pieces, format + 1).then_some(pieces)
    }

    /// A text that the program does not see: only its length comes back.
    fn print_elsewhere(
        &mut self,
        call: &Call<'_>,
        to: Option<usize>,
        format: Option<usize>,
    ) -> Result<Value> {
        let outlet = match to.filter(|to| *to < call.arguments.len()) {
            None => Outlet::Standard,
            Some(to) if call.name.contains("dprintf") => {
                Outlet::Descriptor(self.integer_argument(call, to, 32)?)
            }
            Some(to) => Outlet::Stream(self.word_argument(call, to)?),
        };
        let format = format.filter(|format| *format < call.arguments.len());
        let pieces = format.and_then(|format| self.followed(call, format));
        let count = match (pieces, format) {
            (Some(pieces), Some(format)) if !call.used => {
                self.check_printed(call, format, &pieces)?;
                self.pool.bv(0, 32)
            }
            (Some(pieces), Some(format)) => {
                let position = self.temporary(Sort::BitVec(self.pointer_width()));
                self.assign(position, self.pointer_bits(0));
                let mut sink = Sink { buffer: None, room: None, position, sources: Vec::new() };
                self.put_pieces(call, &mut sink, format, &pieces)?;
                self.pool.bv_extract(self.term_of(position), 31, 0)
            }
            (_, format) => {
                if let Some(format) = format {
                    self.check_string(call, format)?;
                }
                self.some_count(call)
            }
        };
        let failure = |l: &mut Self| l.unknown_between(call.name, i64::from(i32::MIN), -1);
        Ok(self.written(call, outlet, count, failure))
    }

    /// Whether there are arguments of the right kinds for all conversions.
    fn fits(&self, call: &Call<'_>, pieces: &[Piece], first: usize) -> bool {
        let directives = pieces.iter().filter_map(|piece| match piece {
            Piece::Directive(directive) => Some(directive),
            Piece::Text(..) => None,
        });
        directives.zip(first..).all(|(directive, index)| {
            let Some((Value::Scalar(_), ty)) = call.arguments.get(index) else { return false };
            match directive.letter {
                b's' => self.c.types.pointee(*ty).is_some(),
                _ => {
                    let shape = self.c.types.shape(*ty).map(|shape| shape.width);
                    shape.is_some_and(|width| {
                        width.max(32) == self.number_width(directive.length).max(32)
                    })
                }
            }
        })
    }

    /// The strings that conversions read are there.
    fn check_printed(&mut self, call: &Call<'_>, format: usize, pieces: &[Piece]) -> Result<()> {
        if !self.asks_for_buffers() {
            return Ok(());
        }
        let mut index = format;
        for piece in pieces {
            let Piece::Directive(directive) = piece else { continue };
            index += 1;
            if directive.letter == b's' {
                self.measured(call, index, *directive)?;
            }
        }
        Ok(())
    }

    /// A string argument: its characters as far as they are wanted, and what is read of it.
    fn measured(
        &mut self,
        call: &Call<'_>,
        index: usize,
        directive: Directive,
    ) -> Result<(Block, Block)> {
        let text = self.string_argument(call, index)?;
        let (length, read) = match directive.precision {
            Some(most) => {
                let most = self.pointer_bits(most);
                let length = self.bounded_length(text, most);
                (length, self.bytes_read(text, length, most))
            }
            None => {
                let length = self.string_length(text);
                (length, Block { address: text, length: self.moved(length, 1) })
            }
        };
        Ok((Block { address: text, length }, read))
    }

    fn print(&mut self, call: &Call<'_>, places: Places, pieces: &[Piece]) -> Result<Value> {
        let buffer = self.word_argument(call, 0)?;
        let size = places.size.map(|size| self.word_argument(call, size)).transpose()?;
        let size = size.map(|size| self.keep(size));
        let nothing = self.pointer_bits(0);
        let room = size.map(|size| {
            let none = self.pool.eq(size, nothing);
            self.pool.ite(none, nothing, self.pool.bv_sub(size, self.pointer_bits(1)))
        });
        let position = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(position, nothing);
        let written = size.unwrap_or(self.pointer_bits(1));
        self.check_block(Block { address: buffer, length: written });
        let mut sink = Sink { buffer: Some(buffer), room, position, sources: Vec::new() };
        self.put_pieces(call, &mut sink, places.format, pieces)?;
        self.end_text(&sink, buffer, size);
        let total = self.pool.bv_extract(self.term_of(position), 31, 0);
        Ok(self.result(call, total).unwrap_or(Value::Void))
    }

    fn put_pieces(
        &mut self,
        call: &Call<'_>,
        sink: &mut Sink,
        format: usize,
        pieces: &[Piece],
    ) -> Result<()> {
        let text = self.word_argument(call, format)?;
        let mut index = format;
        for piece in pieces {
            match *piece {
                Piece::Text(at, length) => {
                    let (address, length) =
                        (self.moved(text, at as u64), self.pointer_bits(length as u64));
                    self.put_block(sink, Block { address, length });
                }
                Piece::Directive(directive) => {
                    index += 1;
                    self.put_converted(call, sink, index, directive)?;
                }
            }
        }
        Ok(())
    }

    /// The zero at the end; then nothing that was read may have been written.
    fn end_text(&mut self, sink: &Sink, buffer: Term, size: Option<Term>) {
        let position = self.term_of(sink.position);
        let pool = &self.pool;
        let end = match sink.room {
            Some(room) => pool.ite(pool.bv_ult(position, room), position, room),
            None => position,
        };
        let end = self.keep(end);
        let (some, done) = (self.new_location(), self.new_location());
        let given = size.map_or(self.pool.tru(), |size| self.pool.ne(size, self.pointer_bits(0)));
        self.split(given, some, done);
        self.continue_at(some);
        let address = self.pool.bv_add(buffer, end);
        self.emit(Instruction::Store { address, value: self.pool.bv(0, 8) });
        let written = Block { address: buffer, length: self.moved(end, 1) };
        for source in &sink.sources {
            self.check_apart(written, *source);
        }
        self.jump(done);
        self.continue_at(done);
    }

    fn put_converted(
        &mut self,
        call: &Call<'_>,
        sink: &mut Sink,
        index: usize,
        directive: Directive,
    ) -> Result<()> {
        match directive.letter {
            b'c' => {
                let byte = self.integer_argument(call, index, 8)?;
                let one = self.pointer_bits(1);
                self.put_padding(sink, directive, one, !directive.left, b' ');
                self.put_byte(sink, self.term_of(sink.position), byte);
                self.advance(sink, one);
                self.put_padding(sink, directive, one, directive.left, b' ');
            }
            b's' => {
                let (text, read) = self.measured(call, index, directive)?;
                let text = Block { length: self.keep(text.length), ..text };
                sink.sources.push(Block { length: self.keep(read.length), ..read });
                self.put_padding(sink, directive, text.length, !directive.left, b' ');
                self.put_block(sink, text);
                self.put_padding(sink, directive, text.length, directive.left, b' ');
            }
            _ => {
                let width = self.number_width(directive.length);
                let value = self.integer_argument(call, index, width)?;
                self.put_number(sink, directive, value);
            }
        }
        Ok(())
    }

    /// A number in its base, with its sign.
    fn put_number(&mut self, sink: &Sink, directive: Directive, value: Term) {
        let value = self.keep(value);
        let width = self.pool.width(value);
        let base: u64 = match directive.letter {
            b'x' | b'X' => 16,
            b'o' => 8,
            _ => 10,
        };
        let signed = matches!(directive.letter, b'd' | b'i');
        let pool = &self.pool;
        let negative = match signed {
            true => pool.bv_slt(value, pool.bv(0, width)),
            false => pool.fls(),
        };
        let amount = pool.ite(negative, pool.bv_neg(value), value);
        let (amount, negative) = (self.keep(amount), self.keep(negative));
        let digits = self.count_digits(amount, base);
        let (digits, more) = self.count_zeros(directive, amount, digits);
        let prefix = self.prefix(directive, amount, negative);
        let number = self.pool.bv_add(digits, more);
        let length = prefix.iter().fold(number, |sum, (there, _)| {
            self.pool.bv_add(sum, self.bool_to_bits(*there, self.pointer_width()))
        });
        let length = self.keep(length);
        let zeros = directive.zeros && !directive.left && directive.precision.is_none();
        self.put_padding(sink, directive, length, !directive.left && !zeros, b' ');
        for (there, byte) in prefix {
            self.put_optional(sink, there, byte);
        }
        self.put_padding(sink, directive, length, zeros, b'0');
        self.put_repeated(sink, more, b'0');
        if sink.buffer.is_some() {
            self.put_digits(sink, amount, digits, (base, directive.letter == b'X'));
        }
        self.advance(sink, digits);
        self.put_padding(sink, directive, length, directive.left, b' ');
    }

    /// How many digits of a number are written, and how many zeros before them.
    fn count_zeros(&mut self, directive: Directive, amount: Term, digits: Term) -> (Term, Term) {
        let none = self.pointer_bits(0);
        let zero = self.pool.eq(amount, self.pool.bv(0, self.pool.width(amount)));
        let digits = match directive.precision {
            // Then zero is no digit at all.
            Some(0) => self.pool.ite(zero, none, digits),
            _ => digits,
        };
        let digits = self.keep(digits);
        let least = self.pointer_bits(directive.precision.unwrap_or(0));
        let pool = &self.pool;
        let more = pool.ite(pool.bv_ult(digits, least), pool.bv_sub(least, digits), none);
        // In base eight, the first digit is a zero.
        let lacks = match directive.alternate && directive.letter == b'o' {
            true => {
                pool.and([pool.eq(more, none), pool.or([pool.not(zero), pool.eq(digits, none)])])
            }
            false => pool.fls(),
        };
        let more = pool.ite(lacks, self.pointer_bits(1), more);
        (digits, self.keep(more))
    }

    /// What stands before a number, each with whether it is there.
    fn prefix(&mut self, directive: Directive, amount: Term, negative: Term) -> Vec<(Term, Term)> {
        let pool = &self.pool;
        let byte = |c: u8| pool.bv(u64::from(c), 8);
        match directive.letter {
            b'd' | b'i' => match directive.sign {
                Some(sign) => vec![(pool.tru(), pool.ite(negative, byte(b'-'), byte(sign)))],
                None => vec![(negative, byte(b'-'))],
            },
            b'x' | b'X' if directive.alternate => {
                let there = pool.ne(amount, pool.bv(0, pool.width(amount)));
                vec![(there, byte(b'0')), (there, byte(directive.letter))]
            }
            _ => Vec::new(),
        }
    }

    /// A character that is there or not.
    fn put_optional(&mut self, sink: &Sink, there: Term, byte: Term) {
        if sink.buffer.is_none() {
            let length = self.bool_to_bits(there, self.pointer_width());
            return self.advance(sink, length);
        }
        let (yes, on) = (self.new_location(), self.new_location());
        self.split(there, yes, on);
        self.continue_at(yes);
        self.put_byte(sink, self.term_of(sink.position), byte);
        self.advance(sink, self.pointer_bits(1));
        self.jump(on);
        self.continue_at(on);
    }

    /// How many digits a number has.
    fn count_digits(&self, amount: Term, base: u64) -> Term {
        let pool = &self.pool;
        let width = pool.width(amount);
        let mut count = self.pointer_bits(1);
        let mut power = u128::from(base);
        while power < 1 << width {
            let reached = pool.bv_ule(pool.bv(power as u64, width), amount);
            count = pool.bv_add(count, self.bool_to_bits(reached, self.pointer_width()));
            power *= u128::from(base);
        }
        count
    }

    /// The digits of a number, from the last one on.
    fn put_digits(&mut self, sink: &Sink, amount: Term, digits: Term, (base, upper): (u64, bool)) {
        let width = self.pool.width(amount);
        let rest = self.temporary(Sort::BitVec(width));
        self.assign(rest, amount);
        let round = self.begin_loop();
        self.leave_if(self.pool.eq(self.term_of(round.index), digits), round.end);
        let pool = &self.pool;
        let divisor = pool.bv(base, width);
        let digit = pool.bv_extract(pool.bv_urem(self.term_of(rest), divisor), 7, 0);
        let letter = if upper { b'A' } else { b'a' };
        let low = pool.bv_add(digit, pool.bv(u64::from(b'0'), 8));
        let high = pool.bv_add(digit, pool.bv(u64::from(letter - 10), 8));
        let character = pool.ite(pool.bv_ult(digit, pool.bv(10, 8)), low, high);
        let last =
            pool.bv_sub(pool.bv_add(self.term_of(sink.position), digits), self.pointer_bits(1));
        let place = pool.bv_sub(last, self.term_of(round.index));
        self.put_byte(sink, place, character);
        let next = self.pool.bv_udiv(self.term_of(rest), divisor);
        self.assign(rest, next);
        self.next_round(&round);
        self.end_loop(&round);
    }

    /// One character, if there is room for it.
    fn put_byte(&mut self, sink: &Sink, place: Term, value: Term) {
        let Some(buffer) = sink.buffer else { return };
        let address = self.pool.bv_add(buffer, place);
        let Some(room) = sink.room else {
            self.emit(Instruction::Store { address, value });
            return;
        };
        let (fits, on) = (self.new_location(), self.new_location());
        self.split(self.pool.bv_ult(place, room), fits, on);
        self.continue_at(fits);
        self.emit(Instruction::Store { address, value });
        self.jump(on);
        self.continue_at(on);
    }

    /// How many of so many characters there is room for.
    fn admitted(&mut self, sink: &Sink, length: Term) -> Term {
        let Some(room) = sink.room else { return length };
        let position = self.term_of(sink.position);
        let pool = &self.pool;
        let left = pool.bv_sub(room, position);
        let left = pool.ite(pool.bv_ult(position, room), left, self.pointer_bits(0));
        let admitted = pool.ite(pool.bv_ult(length, left), length, left);
        self.keep(admitted)
    }

    /// The characters of a block, as far as there is room.
    fn put_block(&mut self, sink: &Sink, block: Block) {
        if let Some(buffer) = sink.buffer {
            let length = self.admitted(sink, block.length);
            let to = self.pool.bv_add(buffer, self.term_of(sink.position));
            self.if_any(length, |l| {
                l.emit(Instruction::Copy { to, from: block.address, length });
            });
        }
        self.advance(sink, block.length);
    }

    /// What a text of a length lacks to the width, if it comes here.
    fn put_padding(&mut self, sink: &Sink, directive: Directive, length: Term, here: bool, c: u8) {
        let Some(width) = directive.width.filter(|_| here) else { return };
        let width = self.pointer_bits(width);
        let pool = &self.pool;
        let lacking =
            pool.ite(pool.bv_ult(length, width), pool.bv_sub(width, length), self.pointer_bits(0));
        let lacking = self.keep(lacking);
        self.put_repeated(sink, lacking, c);
    }

    /// One character so many times, as far as there is room.
    fn put_repeated(&mut self, sink: &Sink, count: Term, c: u8) {
        if count == self.pointer_bits(0) {
            return;
        }
        if let Some(buffer) = sink.buffer {
            let length = self.admitted(sink, count);
            let to = self.pool.bv_add(buffer, self.term_of(sink.position));
            let byte = self.pool.bv(u64::from(c), 8);
            self.if_any(length, |l| l.emit(Instruction::Fill { to, byte, length }));
        }
        self.advance(sink, count);
    }

    fn advance(&mut self, sink: &Sink, length: Term) {
        let next = self.pool.bv_add(self.term_of(sink.position), length);
        self.assign(sink.position, next);
    }

    /// A text that the format does not tell us.
    fn print_something(&mut self, call: &Call<'_>, places: Places) -> Result<Value> {
        let cause = Cause::Approximated(call.name.into());
        let Some(size) = places.size else { return self.approximated_call(call) };
        let (buffer, size) = (self.word_argument(call, 0)?, self.word_argument(call, size)?);
        self.unknown_text(buffer, size, cause.clone());
        self.result_by(call, cause)
    }
}
