//! The system: descriptors of files, and time.
//!
//! What these functions give is what POSIX allows, as the environment chooses; each may fail. Texts and
//! dates that they compute from something are approximated, within their ranges.

use super::Call;
use super::buffer::Block;
use super::stream::Outlet;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Cause, Instruction};
use term::{Sort, Term};
use value::Bits;

/// Functions that do something to files, with the arguments that are strings, and the greatest number
/// that they give; -1 says that they failed.
const FILES: [(&str, &[usize], i64); 22] = [
    ("open", &[0], i32::MAX as i64),
    ("open64", &[0], i32::MAX as i64),
    ("creat", &[0], i32::MAX as i64),
    ("openat", &[1], i32::MAX as i64),
    ("close", &[], 0),
    ("dup", &[], i32::MAX as i64),
    ("access", &[0], 0),
    ("chdir", &[0], 0),
    ("chmod", &[0], 0),
    ("mkdir", &[0], 0),
    ("rmdir", &[0], 0),
    ("unlink", &[0], 0),
    ("remove", &[0], 0),
    ("rename", &[0, 1], 0),
    ("link", &[0, 1], 0),
    ("symlink", &[0, 1], 0),
    ("fsync", &[], 0),
    ("fdatasync", &[], 0),
    ("ftruncate", &[], 0),
    ("truncate", &[0], 0),
    ("fchmod", &[], 0),
    ("fchdir", &[], 0),
];

/// The members of `struct tm` that have ranges, in their order: all are of type `int`.
const DATE: [(i64, i64); 8] = [
    (0, 60),
    (0, 59),
    (0, 23),
    (1, 31),
    (0, 11),
    (i32::MIN as i64, i32::MAX as i64),
    (0, 6),
    (0, 365),
];

/// How many bytes a date has as `ctime` writes it.
const DATE_TEXT: u64 = 26;

/// `SEEK_SET`.
const FROM_START: u64 = 0;

impl Lowerer<'_> {
    pub(super) fn system_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let count = call.arguments.len();
        if let Some((_, strings, most)) = FILES.iter().find(|(name, ..)| *name == call.name) {
            for &string in strings.iter().filter(|string| **string < count) {
                self.string_argument(call, string)?;
                self.check_string(call, string)?;
            }
            let cause = Cause::Unknown(call.name.into());
            self.forget_errno(&cause);
            return self.result_between(call, cause, -1, *most).map(Some);
        }
        match (call.name, count) {
            ("write" | "pwrite" | "send", 3..) => self.write_to(call).map(Some),
            ("lseek" | "lseek64", 3) => self.seek(call).map(Some),
            ("clock_gettime" | "clock_getres" | "timespec_get", 2) => {
                let at = usize::from(call.name != "timespec_get");
                self.point_in_time(call, at, 999_999_999).map(Some)
            }
            ("gettimeofday", 2) => self.point_in_time(call, 0, 999_999).map(Some),
            ("nanosleep", 2) => self.sleep(call).map(Some),
            ("gmtime" | "localtime", 1) => {
                self.check_access(call, 0)?;
                let (place, size) = (self.here(), self.pointee_size(call.ty));
                let name = format!("date at {place}");
                let to = self.named_object(&name, size, vec![8], |_, _| Vec::new());
                self.assume_that(
                    "one call of 'gmtime' or 'localtime' in the text gives one place in memory"
                        .into(),
                );
                self.date(call, to, size).map(Some)
            }
            ("gmtime_r" | "localtime_r", 2) => {
                self.check_access(call, 0)?;
                let to = self.word_argument(call, 1)?;
                let size = self.pointee_size(call.arguments[1].1);
                self.check_block(Block { address: to, length: self.pointer_bits(size) });
                self.date(call, to, size).map(Some)
            }
            ("ctime_r" | "asctime_r", 2) => {
                self.check_access(call, 0)?;
                let to = self.word_argument(call, 1)?;
                let cause = Cause::Approximated(call.name.into());
                self.unknown_text(to, self.pointer_bits(DATE_TEXT), cause.clone());
                let fails = self.unknown(Sort::Bool, cause);
                let result = self.pool.ite(fails, self.pointer_bits(0), to);
                Ok(self.result(call, result))
            }
            ("strftime", 4) => self.format_date(call).map(Some),
            _ => Ok(None),
        }
    }

    /// `write`: as many bytes as the system takes.
    fn write_to(&mut self, call: &Call<'_>) -> Result<Value> {
        let number = self.integer_argument(call, 0, 32)?;
        let (address, length) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
        self.check_readable(Block { address, length });
        let failure = |l: &mut Self| {
            let cause = Cause::Unknown(call.name.into());
            l.forget_errno(&cause);
            let some = l.unknown(Sort::BitVec(l.pointer_width()), cause);
            let pool = &l.pool;
            let least = pool.bits(Bits::ones(l.pointer_width()));
            let within = pool.or([pool.eq(some, least), pool.bv_ule(some, length)]);
            l.assume(within);
            some
        };
        Ok(self.written(call, Outlet::Descriptor(number), length, failure))
    }

    /// `lseek`: -1, or where the file is now, which the offset says if it counts from the start.
    fn seek(&mut self, call: &Call<'_>) -> Result<Value> {
        let cause = Cause::Unknown(call.name.into());
        self.forget_errno(&cause);
        let value = self.result_between(call, cause, -1, i64::MAX)?;
        let Value::Scalar(term) = value else { return Ok(value) };
        let Sort::BitVec(width) = self.pool.sort(term) else { return Ok(value) };
        let (offset, from) =
            (self.integer_argument(call, 1, width)?, self.integer_argument(call, 2, 32)?);
        let pool = &self.pool;
        let failed = pool.eq(term, pool.bits(Bits::ones(width)));
        let counted = pool.ne(from, pool.bv(FROM_START, 32));
        let there = pool.and([pool.eq(term, offset), pool.bv_sle(pool.bv(0, width), offset)]);
        let possible = pool.or([failed, counted, there]);
        if call.used {
            self.assume(possible);
        }
        Ok(value)
    }

    /// How many bytes a pointer points to.
    fn pointee_size(&self, ty: crate::types::TypeId) -> u64 {
        let to = self.c.types.pointee(ty);
        to.and_then(|to| self.c.types.size_of(to.ty)).unwrap_or(1)
    }

    /// What an argument points to can be read.
    fn check_access(&mut self, call: &Call<'_>, index: usize) -> Result<()> {
        let address = self.word_argument(call, index)?;
        let length = self.pointer_bits(self.pointee_size(call.arguments[index].1));
        self.check_not_null(address);
        self.check_readable(Block { address, length });
        Ok(())
    }

    /// Seconds and their parts, of which there are at most so many; null for `gettimeofday` only.
    fn point_in_time(&mut self, call: &Call<'_>, index: usize, most: u64) -> Result<Value> {
        let address = self.word_argument(call, index)?;
        let cause = Cause::Unknown(call.name.into());
        let size = self.pointee_size(call.arguments[index].1);
        if call.name != "gettimeofday" {
            self.check_not_null(address);
        }
        self.some_time(address, (size, most), &cause);
        let (low, high) =
            if call.name == "timespec_get" { (0, i64::from(i32::MAX)) } else { (-1, 0) };
        self.result_between(call, cause, low, high)
    }

    /// An unknown number of seconds that is not negative, and of their parts, unless the address is null.
    fn some_time(&mut self, address: Term, (size, most): (u64, u64), cause: &Cause) {
        let (length, word) = (self.pointer_bits(size), self.pointer_width());
        let (some, end) = (self.new_location(), self.new_location());
        self.split(self.pool.ne(address, self.pointer_bits(0)), some, end);
        self.continue_at(some);
        self.emit(Instruction::HavocBytes { address, length, cause: cause.clone() });
        // Two numbers of the width of a pointer.
        if size == u64::from(word / 4) {
            let seconds = self.load_sort(address, Sort::BitVec(word));
            let parts = self.load_sort(self.moved(address, size / 2), Sort::BitVec(word));
            let pool = &self.pool;
            let since = pool.bv_sle(pool.bv(0, word), seconds);
            let within = pool.and([since, pool.bv_ule(parts, pool.bv(most, word))]);
            self.assume(within);
        }
        self.jump(end);
        self.continue_at(end);
    }

    /// `nanosleep`: it may be interrupted, and then says what is left.
    fn sleep(&mut self, call: &Call<'_>) -> Result<Value> {
        self.check_access(call, 0)?;
        let address = self.word_argument(call, 1)?;
        let size = self.pointee_size(call.arguments[1].1);
        let cause = Cause::Unknown(call.name.into());
        self.some_time(address, (size, 999_999_999), &cause);
        self.forget_errno(&cause);
        self.result_between(call, cause, -1, 0)
    }

    /// A date that is written somewhere; null, if the time has none.
    fn date(&mut self, call: &Call<'_>, to: Term, size: u64) -> Result<Value> {
        let cause = Cause::Approximated(call.name.into());
        let length = self.pointer_bits(size);
        self.emit(Instruction::HavocBytes { address: to, length, cause: cause.clone() });
        for (offset, (low, high)) in (0..).step_by(4).zip(DATE) {
            if offset + 4 > size {
                break;
            }
            let part = self.unknown(Sort::BitVec(32), cause.clone());
            let value = self.limited(part, low, high);
            self.emit(Instruction::Store { address: self.moved(to, offset), value });
        }
        let fails = self.unknown(Sort::Bool, cause);
        let result = self.pool.ite(fails, self.pointer_bits(0), to);
        Ok(self.result(call, result).unwrap_or(Value::Void))
    }

    /// `strftime`: a text that fits, or nothing.
    fn format_date(&mut self, call: &Call<'_>) -> Result<Value> {
        let (buffer, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
        self.check_string(call, 2)?;
        self.check_access(call, 3)?;
        let cause = Cause::Approximated(call.name.into());
        self.unknown_text(buffer, size, cause.clone());
        let value = self.result_by(call, cause)?;
        let Value::Scalar(term) = value else { return Ok(value) };
        let size = self.coerce(size, self.pool.sort(term));
        let none = self.pool.bv(0, self.pool.width(term));
        Ok(Value::Scalar(self.pool.ite(self.pool.bv_ult(term, size), term, none)))
    }
}
