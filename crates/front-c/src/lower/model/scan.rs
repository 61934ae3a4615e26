//! `scanf` and its kin, and lines of any length.
//!
//! Where the format is a literal that can be followed ([`super::format`]), each argument takes what its
//! conversion gives: a number, a character, or a text without blanks whose length the input chooses, up
//! to the width. What is not matched stays as it is. Otherwise only numbers are known, by the types of
//! the arguments. `sscanf` reads a text that the program has: what it finds there is approximated, and no
//! longer than the text.

use super::Call;
use super::format::{Directive, Family, Piece, pieces};
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::lower::memory::Access;
use crate::types::{IntKind, Type, TypeId};
use program::program::{Cause, Instruction};
use term::{Sort, Term};

/// The functions, with the place of the format.
const SCANNING: [(&str, usize); 9] = [
    ("scanf", 0),
    ("__isoc99_scanf", 0),
    ("__isoc23_scanf", 0),
    ("fscanf", 1),
    ("__isoc99_fscanf", 1),
    ("__isoc23_fscanf", 1),
    ("sscanf", 1),
    ("__isoc99_sscanf", 1),
    ("__isoc23_sscanf", 1),
];

/// Where the characters come from.
struct Source {
    cause: Cause,
    /// How many there are at most.
    most: Option<Term>,
    /// Whether what is taken is known to match.
    matches: bool,
}

impl Lowerer<'_> {
    pub(super) fn scan_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        if call.name == "gets" && call.arguments.len() == 1 {
            return self.read_any_line(call).map(Some);
        }
        let Some((name, format)) = SCANNING.iter().find(|(name, _)| *name == call.name) else {
            return Ok(None);
        };
        let Some(targets) = self.targets(call, *format) else { return Ok(None) };
        let source = match name.ends_with("sscanf") {
            false => Source { cause: Cause::Input(call.name.into()), most: None, matches: false },
            true => {
                let text = self.string_argument(call, 0)?;
                let most = Some(self.string_length(text));
                Source { cause: Cause::Approximated(call.name.into()), most, matches: false }
            }
        };
        if self.checks_values() {
            return self.scan_some(call, &targets, Source { matches: true, ..source }).map(Some);
        }
        let count = targets.len() as i64;
        for (index, directive) in targets {
            self.take(call, index, directive, &source)?;
        }
        let result = match source.cause {
            Cause::Input(_) => self.unknown_between(call.name, -1, count),
            _ => return self.result_by(call, source.cause).map(Some),
        };
        Ok(self.result(call, result))
    }

    /// As many arguments take something as the result says, the first ones. The others are as if nothing
    /// had been done: they may still have no value.
    fn scan_some(
        &mut self,
        call: &Call<'_>,
        targets: &[(usize, Option<Directive>)],
        source: Source,
    ) -> Result<Value> {
        let cause = match &source.cause {
            Cause::Input(name) => Cause::Unknown(name.clone()),
            cause => cause.clone(),
        };
        let result = self.some_between(cause, -1, targets.len() as i64);
        let result = self.keep(result);
        let end = self.new_location();
        for (number, &(index, directive)) in targets.iter().enumerate() {
            let before = self.pool.bv(number as u64, self.pool.width(result));
            let some = self.new_location();
            self.split(self.pool.bv_slt(before, result), some, end);
            self.continue_at(some);
            self.take(call, index, directive, &source)?;
        }
        self.jump(end);
        self.continue_at(end);
        Ok(self.result(call, result).unwrap_or(Value::Void))
    }

    /// Whether the next argument's characters match.
    fn matches(&mut self, source: &Source) -> Term {
        match source.matches {
            true => self.pool.tru(),
            false => self.unknown(Sort::Bool, source.cause.clone()),
        }
    }

    /// The arguments that something is stored through, with the conversions if these are known; none
    /// if what happens to one is not known.
    fn targets(&self, call: &Call<'_>, format: usize) -> Option<Vec<(usize, Option<Directive>)>> {
        let text = self.format_argument(call, format);
        if let Some(pieces) = text.and_then(|text| pieces(&text, Family::Scan)) {
            let directives = pieces.into_iter().filter_map(|piece| match piece {
                Piece::Directive(directive) if !directive.skips => Some(directive),
                _ => None,
            });
            let targets = (format + 1..).zip(directives.map(Some));
            let targets: Vec<_> = targets.collect();
            let fits = |&(index, directive): &(usize, Option<Directive>)| {
                let pointee = call.arguments.get(index).and_then(|a| self.c.types.pointee(a.1));
                let Some(to) = pointee.map(|to| to.ty) else { return false };
                let Some(size) = self.c.types.size_of(to) else { return false };
                directive.is_some_and(|directive| match directive.letter {
                    b's' | b'c' => size == 1,
                    _ => {
                        let width = u64::from(self.number_width(directive.length) / 8);
                        self.c.types.shape(to).is_some() && size == width
                    }
                })
            };
            return targets.iter().all(fits).then_some(targets);
        }
        let numbers = (format + 1..call.arguments.len())
            .map(|index| self.scanned_type(call.arguments[index].1).map(|_| (index, None)));
        numbers.collect()
    }

    /// An argument takes what comes, if it matches.
    fn take(
        &mut self,
        call: &Call<'_>,
        index: usize,
        directive: Option<Directive>,
        source: &Source,
    ) -> Result<()> {
        let address = self.word_argument(call, index)?;
        match directive.map(|directive| (directive.letter, directive.width)) {
            Some((b's', width)) => {
                self.check_not_null(address);
                let (matched, end) = (self.new_location(), self.new_location());
                let matches = self.matches(source);
                self.split(matches, matched, end);
                self.continue_at(matched);
                let length = self.unknown(Sort::BitVec(self.pointer_width()), source.cause.clone());
                let pool = &self.pool;
                let some = pool.ne(length, self.pointer_bits(0));
                let width = width.map(|width| pool.bv_ule(length, self.pointer_bits(width)));
                let most = source.most.map(|most| pool.bv_ule(length, most));
                let possible = pool.and([some].into_iter().chain(width).chain(most));
                self.assume(possible);
                self.take_text(address, length, &source.cause, |l, c| l.is_blank(c));
                self.jump(end);
                self.continue_at(end);
            }
            Some((b'c', width)) => {
                let length = self.pointer_bits(width.unwrap_or(1));
                let (matched, end) = (self.new_location(), self.new_location());
                let matches = self.matches(source);
                self.check_not_null(address);
                self.split(matches, matched, end);
                self.continue_at(matched);
                let cause = source.cause.clone();
                self.emit(Instruction::HavocBytes { address, length, cause });
                self.jump(end);
                self.continue_at(end);
            }
            _ => {
                let to = self.c.types.pointee(call.arguments[index].1).map(|to| to.ty);
                let Some(to) = to else { return Ok(()) };
                let access = Access { address, pointer: Some(address), bits: None };
                let old = self.load_scalar(access, to);
                let old = self.exact(old, to);
                let new = self.unknown(self.pool.sort(old), source.cause.clone());
                let matched = self.matches(source);
                let value = self.pool.ite(matched, new, old);
                self.store_scalar(access, to, value);
            }
        }
        Ok(())
    }

    /// Unknown characters, none of them of a kind, and a zero after them.
    fn take_text(
        &mut self,
        address: Term,
        length: Term,
        cause: &Cause,
        excluded: impl Fn(&Self, Term) -> Term,
    ) {
        let end = self.pool.bv_add(address, length);
        self.emit(Instruction::HavocBytes { address, length, cause: cause.clone() });
        self.emit(Instruction::Store { address: end, value: self.pool.bv(0, 8) });
        let round = self.begin_loop();
        self.leave_if(self.pool.eq(self.term_of(round.index), length), round.end);
        let c = self.character(address, &round);
        let other = self.pool.not(excluded(self, c));
        self.assume(other);
        self.next_round(&round);
        self.end_loop(&round);
    }

    /// `gets`: a line of any length, or null at the end of the input.
    fn read_any_line(&mut self, call: &Call<'_>) -> Result<Value> {
        let buffer = self.word_argument(call, 0)?;
        let cause = Cause::Input(call.name.into());
        self.check_not_null(buffer);
        let result = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(result, self.pointer_bits(0));
        let at_end = self.unknown(Sort::Bool, cause.clone());
        let (line, end) = (self.new_location(), self.new_location());
        self.split(at_end, end, line);
        self.continue_at(line);
        let length = self.unknown(Sort::BitVec(self.pointer_width()), cause.clone());
        let newline = |l: &Self, c| l.pool.eq(c, l.pool.bv(u64::from(b'\n'), 8));
        self.take_text(buffer, length, &cause, newline);
        self.assign(result, buffer);
        self.jump(end);
        self.continue_at(end);
        Ok(self.result(call, self.term_of(result)).unwrap_or(Value::Void))
    }

    /// The number that an argument of `scanf` points to.
    fn scanned_type(&self, ty: TypeId) -> Option<TypeId> {
        let to = self.c.types.pointee(ty)?.ty;
        let character = Type::Int(IntKind::Char);
        let number = self.c.types.is_arithmetic(to) && *self.ty(to) != character;
        number.then_some(to)
    }
}
