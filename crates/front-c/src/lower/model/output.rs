//! Input, output and the system.
//!
//! Output changes nothing that the program can see. Input is unknown.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::lower::memory::Access;
use crate::types::{IntKind, Type, TypeId};
use program::program::{Cause, Instruction};
use term::{Sort, Term};
use value::Bits;

/// Functions without effect on the program; their results are unknown.
const OUTPUT: [&str; 26] = [
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "putchar",
    "putc",
    "fputs",
    "fputc",
    "fwrite",
    "fflush",
    "perror",
    "printk",
    "_printk",
    "fclose",
    "fopen",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "__printf_chk",
    "__fprintf_chk",
    "feclearexcept",
    "fetestexcept",
    "feraiseexcept",
    "clock",
];

impl Lowerer<'_> {
    pub(super) fn output_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let name = call.name;
        if OUTPUT.contains(&name) {
            return self.unknown_value(call.ty, Cause::Approximated(name.into())).map(Some);
        }
        match name {
            "rand" | "random" => {
                let value = self.unknown_between(name, 0, i64::from(i32::MAX));
                Ok(self.result(call, value))
            }
            "getchar" | "getc" | "fgetc" | "getchar_unlocked" => {
                let value = self.unknown_between(name, -1, 255);
                Ok(self.result(call, value))
            }
            "time" => self.time(call).map(Some),
            "fgets" if call.arguments.len() == 3 => self.read_line(call).map(Some),
            "snprintf" | "vsnprintf" | "__snprintf_chk" | "__vsnprintf_chk" => {
                let (buffer, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
                self.unknown_text(buffer, size, Cause::Unknown(name.into()));
                self.unknown_value(call.ty, Cause::Unknown(name.into())).map(Some)
            }
            "fread" if call.arguments.len() == 4 => {
                let buffer = self.word_argument(call, 0)?;
                let (each, count) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                let length = self.pool.bv_mul(each, count);
                self.read_block(call, buffer, length, count).map(Some)
            }
            "read" | "recv" if call.arguments.len() >= 3 => {
                let (buffer, length) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                self.read_block(call, buffer, length, length).map(Some)
            }
            "scanf" => self.scan(call, 1),
            "fscanf" | "__isoc99_fscanf" => self.scan(call, 2),
            "__isoc99_scanf" => self.scan(call, 1),
            _ => Ok(None),
        }
    }

    /// `time`: an unknown number, stored as well if there is a pointer.
    fn time(&mut self, call: &Call<'_>) -> Result<Value> {
        let value = self.unknown_value(call.ty, Cause::Unknown("time".into()))?;
        if call.arguments.is_empty() {
            return Ok(value);
        }
        let address = self.word_argument(call, 0)?;
        let given = self.pool.ne(address, self.pointer_bits(0));
        if let Value::Scalar(term) = value
            && self.pool.as_bool(given) != Some(false)
        {
            let (yes, end) = (self.new_location(), self.new_location());
            self.split(given, yes, end);
            self.continue_at(yes);
            self.store_scalar(Access::sure(address), call.ty, term);
            self.jump(end);
            self.continue_at(end);
        }
        Ok(value)
    }

    /// A text of unknown characters that ends within a buffer; nothing if it has no bytes.
    fn unknown_text(&mut self, address: Term, length: Term, cause: Cause) {
        let given = self.pool.ne(length, self.pointer_bits(0));
        let (yes, end) = (self.new_location(), self.new_location());
        self.split(given, yes, end);
        self.continue_at(yes);
        self.emit(Instruction::HavocBytes { address, length, cause });
        let after = self.pool.bv_add(address, length);
        let last = self.pool.bv_sub(after, self.pointer_bits(1));
        self.emit(Instruction::Store { address: last, value: self.pool.bv(0, 8) });
        self.jump(end);
        self.continue_at(end);
    }

    /// `fgets`: a line, or null at the end of the input.
    fn read_line(&mut self, call: &Call<'_>) -> Result<Value> {
        let (buffer, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
        let cause = Cause::Input(call.name.into());
        let result = self.temporary(Sort::BitVec(self.pointer_width()));
        self.assign(result, self.pointer_bits(0));
        let at_end = self.unknown(Sort::Bool, cause.clone());
        let (line, end) = (self.new_location(), self.new_location());
        self.split(at_end, end, line);
        self.continue_at(line);
        self.unknown_text(buffer, size, cause);
        self.assign(result, buffer);
        self.jump(end);
        self.continue_at(end);
        Ok(self.result(call, self.term_of(result)).unwrap_or(Value::Void))
    }

    /// Unknown bytes in a buffer; the result is at most `most`, or negative if it can be.
    fn read_block(
        &mut self,
        call: &Call<'_>,
        address: Term,
        length: Term,
        most: Term,
    ) -> Result<Value> {
        let cause = Cause::Input(call.name.into());
        self.emit(Instruction::HavocBytes { address, length, cause: cause.clone() });
        let value = self.unknown_value(call.ty, cause)?;
        if let Value::Scalar(term) = value
            && let Sort::BitVec(width) = self.pool.sort(term)
        {
            let most = self.resize(most, width, false);
            let pool = &self.pool;
            let within = if self.is_signed(call.ty) {
                let least = pool.bits(Bits::ones(width));
                pool.and([pool.bv_sle(least, term), pool.bv_sle(term, most)])
            } else {
                pool.bv_ule(term, most)
            };
            self.assume(within);
        }
        Ok(value)
    }

    /// `scanf`: each pointer to a number gets an unknown one, or keeps what is there if the
    /// input did not match. Not known for strings, whose length the format tells.
    fn scan(&mut self, call: &Call<'_>, skip: usize) -> Result<Option<Value>> {
        let mut targets = Vec::new();
        for (i, (_, ty)) in call.arguments.iter().enumerate().skip(skip) {
            match self.scanned_type(*ty) {
                Some(to) => targets.push((i, to)),
                None => return Ok(None),
            }
        }
        let count = targets.len() as i64;
        if self.checks_values() {
            let result = self.scan_some(call, &targets)?;
            return Ok(self.result(call, result));
        }
        for (i, to) in targets {
            let address = self.word_argument(call, i)?;
            let access = Access { address, pointer: Some(address), bits: None };
            let cause = Cause::Input(call.name.into());
            let old = self.load_scalar(access, to);
            let old = self.exact(old, to);
            let new = self.unknown(self.pool.sort(old), cause.clone());
            let matched = self.unknown(Sort::Bool, cause);
            let value = self.pool.ite(matched, new, old);
            self.store_scalar(access, to, value);
        }
        let result = self.unknown_between(call.name, -1, count);
        Ok(self.result(call, result))
    }

    /// As many numbers are read as the result says, the first ones. The others are as if nothing had
    /// been done: they may still have no value.
    fn scan_some(&mut self, call: &Call<'_>, targets: &[(usize, TypeId)]) -> Result<Term> {
        let result = self.unknown_between(call.name, -1, targets.len() as i64);
        let result = self.keep(result);
        let end = self.new_location();
        for (number, &(i, to)) in targets.iter().enumerate() {
            let Some(sort) = self.register_sort(to) else { continue };
            let read = self.pool.bv(number as u64, self.pool.width(result));
            let some = self.new_location();
            self.split(self.pool.bv_slt(read, result), some, end);
            self.continue_at(some);
            let address = self.word_argument(call, i)?;
            let access = Access { address, pointer: Some(address), bits: None };
            let new = self.unknown(sort, Cause::Input(call.name.into()));
            self.store_scalar(access, to, new);
        }
        self.jump(end);
        self.continue_at(end);
        Ok(result)
    }

    /// The number that an argument of `scanf` points to.
    fn scanned_type(&self, ty: TypeId) -> Option<TypeId> {
        let to = self.c.types.pointee(ty)?.ty;
        let character = Type::Int(IntKind::Char);
        let number = self.c.types.is_arithmetic(to) && *self.ty(to) != character;
        number.then_some(to)
    }
}
