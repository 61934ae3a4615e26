//! Streams: what `FILE *` points to.
//!
//! A stream that the program opens is an object of its own, or null; the three standard ones are static
//! objects, which `stdin`, `stdout` and `stderr` point to. What such an object holds is nobody's
//! business. Every function that takes a stream must be given one, which is checked as an access is. A
//! stream that is closed ends to live, if `main` is the entry: then nobody else has made it.
//!
//! **Output** changes nothing that the program can see, but for its result. It may fail: what is
//! written to files, at any time. That what goes to `stdout` and `stderr` arrives is assumed, and
//! stated where a result is used.

use super::Call;
use super::buffer::Block;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::typed::ObjectId;
use crate::types::Type;
use program::program::{Cause, Instruction, Storage, VariableId};
use term::{Sort, Term};
use value::Bits;

/// Functions that take a stream, with its place.
const TAKING: [(&str, usize); 58] = [
    ("fclose", 0),
    ("pclose", 0),
    ("fread", 3),
    ("fread_unlocked", 3),
    ("fwrite", 3),
    ("fwrite_unlocked", 3),
    ("fgets", 2),
    ("fgets_unlocked", 2),
    ("fputs", 1),
    ("fputs_unlocked", 1),
    ("fputc", 1),
    ("fputc_unlocked", 1),
    ("putc", 1),
    ("putc_unlocked", 1),
    ("_IO_putc", 1),
    ("getc", 0),
    ("getc_unlocked", 0),
    ("_IO_getc", 0),
    ("fgetc", 0),
    ("fgetc_unlocked", 0),
    ("ungetc", 1),
    ("fprintf", 0),
    ("vfprintf", 0),
    ("__fprintf_chk", 0),
    ("__vfprintf_chk", 0),
    ("fscanf", 0),
    ("vfscanf", 0),
    ("__isoc99_fscanf", 0),
    ("__isoc23_fscanf", 0),
    ("feof", 0),
    ("feof_unlocked", 0),
    ("ferror", 0),
    ("ferror_unlocked", 0),
    ("clearerr", 0),
    ("clearerr_unlocked", 0),
    ("fileno", 0),
    ("fileno_unlocked", 0),
    ("fseek", 0),
    ("fseeko", 0),
    ("ftell", 0),
    ("ftello", 0),
    ("rewind", 0),
    ("fgetpos", 0),
    ("fsetpos", 0),
    ("setbuf", 0),
    ("setvbuf", 0),
    ("setlinebuf", 0),
    ("getline", 2),
    ("getdelim", 3),
    ("getw", 0),
    ("putw", 1),
    ("fgetwc", 0),
    ("getwc", 0),
    ("fputwc", 1),
    ("putwc", 1),
    ("fwide", 0),
    ("flockfile", 0),
    ("funlockfile", 0),
];

/// Functions that give a new stream, with the arguments that are strings.
const OPENING: [(&str, &[usize]); 6] = [
    ("fopen", &[0, 1]),
    ("fopen64", &[0, 1]),
    ("fdopen", &[1]),
    ("popen", &[0, 1]),
    ("tmpfile", &[]),
    ("tmpfile64", &[]),
];

/// Functions that are asked or told something of a stream, with the least and the greatest result.
const STATE: [(&str, i64, i64); 18] = [
    ("feof", i32::MIN as i64, i32::MAX as i64),
    ("feof_unlocked", i32::MIN as i64, i32::MAX as i64),
    ("ferror", i32::MIN as i64, i32::MAX as i64),
    ("ferror_unlocked", i32::MIN as i64, i32::MAX as i64),
    ("clearerr", 0, 0),
    ("clearerr_unlocked", 0, 0),
    ("fileno", -1, i32::MAX as i64),
    ("fileno_unlocked", -1, i32::MAX as i64),
    ("fseek", -1, 0),
    ("fseeko", -1, 0),
    ("ftell", -1, i64::MAX),
    ("ftello", -1, i64::MAX),
    ("rewind", 0, 0),
    ("setlinebuf", 0, 0),
    ("flockfile", 0, 0),
    ("funlockfile", 0, 0),
    ("pclose", -1, i32::MAX as i64),
    ("fwide", i32::MIN as i64, i32::MAX as i64),
];

/// The standard streams.
const STANDARD: [&str; 3] = ["stdin", "stdout", "stderr"];

/// How many bytes a stream has whose type is not declared.
const SIZE: u64 = 216;

/// Where output goes.
#[derive(Clone, Copy)]
pub(super) enum Outlet {
    /// Standard output or the standard error stream.
    Standard,
    /// A stream.
    Stream(Term),
    /// The file with this descriptor.
    Descriptor(Term),
}

impl Lowerer<'_> {
    /// The stream that a function is given is there.
    pub(super) fn check_stream(&mut self, call: &Call<'_>) -> Result<()> {
        let taken = TAKING.iter().find(|(name, _)| *name == call.name);
        // `fflush` may be given null, which means all streams.
        let any = matches!(call.name, "fflush" | "fflush_unlocked");
        let index = match (taken, any) {
            (Some((_, index)), _) => *index,
            (None, true) => 0,
            _ => return Ok(()),
        };
        let is_pointer = |(_, ty): &(Value, _)| matches!(self.ty(*ty), Type::Pointer(_));
        if !call.arguments.get(index).is_some_and(is_pointer) {
            return Ok(());
        }
        let stream = self.word_argument(call, index)?;
        let (some, end) = (self.new_location(), self.new_location());
        if any {
            self.split(self.pool.ne(stream, self.pointer_bits(0)), some, end);
            self.continue_at(some);
        } else {
            self.check_not_null(stream);
        }
        if self.asks_for_buffers() {
            self.load_sort(stream, Sort::BitVec(8));
        }
        if any {
            self.jump(end);
            self.continue_at(end);
        }
        Ok(())
    }

    /// Opening, closing, and the state of streams; characters and blocks that are written.
    pub(super) fn stream_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let count = call.arguments.len();
        if let Some((_, strings)) = OPENING.iter().find(|(name, _)| *name == call.name) {
            for &string in strings.iter().filter(|string| **string < count) {
                self.check_string(call, string)?;
            }
            return self.open_stream(call).map(Some);
        }
        if matches!(call.name, "fclose" | "pclose") && count == 1 {
            self.close_stream(call)?;
        }
        if let Some((_, low, high)) = STATE.iter().find(|(name, ..)| *name == call.name) {
            let cause = Cause::Approximated(call.name.into());
            return self.result_between(call, cause, *low, *high).map(Some);
        }
        match (call.name, count) {
            ("puts", 1..) => {
                self.check_string(call, 0)?;
                self.write_text(call, None).map(Some)
            }
            ("fputs" | "fputs_unlocked", 2..) => {
                self.check_string(call, 0)?;
                self.write_text(call, Some(1)).map(Some)
            }
            ("putchar" | "putchar_unlocked", 1..) => self.write_character(call, None).map(Some),
            ("putc" | "fputc" | "putc_unlocked" | "fputc_unlocked" | "_IO_putc", 2..) => {
                self.write_character(call, Some(1)).map(Some)
            }
            ("fwrite" | "fwrite_unlocked", 4..) => self.write_block(call).map(Some),
            ("fflush" | "fflush_unlocked" | "fclose", 1..) => {
                let outlet = Outlet::Stream(self.word_argument(call, 0)?);
                let success = self.pool.bv(0, 32);
                Ok(Some(self.written(call, outlet, success, Self::end_of_file)))
            }
            _ => Ok(None),
        }
    }

    /// Null, or a new stream.
    fn open_stream(&mut self, call: &Call<'_>) -> Result<Value> {
        let cause = Cause::Unknown(format!("{}() fails", call.name).into());
        let to = self.c.types.pointee(call.ty).map(|to| to.ty);
        let size = to.and_then(|to| self.c.types.size_of(to)).unwrap_or(SIZE);
        let scalars = to.map_or_else(Vec::new, |to| self.scalar_sizes(to));
        let stream = self.block_or_null(cause, |l, into| {
            let made: VariableId = l.temporary(Sort::BitVec(l.pointer_width()));
            l.emit(Instruction::Allocate {
                into: made,
                size: l.pointer_bits(size),
                align: 16,
                storage: Storage::Heap,
                written: true,
                scalars,
                name: Some("stream".into()),
            });
            l.assign(into, l.term_of(made));
        });
        Ok(self.result(call, stream).unwrap_or(Value::Void))
    }

    /// A stream ends to live, unless it is a standard one.
    fn close_stream(&mut self, call: &Call<'_>) -> Result<()> {
        if self.options.entry != "main" || !self.asks_for_buffers() {
            return Ok(());
        }
        let stream = self.word_argument(call, 0)?;
        let standard = STANDARD.map(|name| self.standard_stream(name));
        let standard = standard.map(|object| self.pool.eq(stream, object));
        let (own, end) = (self.new_location(), self.new_location());
        self.split(self.pool.or(standard), end, own);
        self.continue_at(own);
        self.emit(Instruction::Free { address: stream, storage: Storage::Heap });
        self.jump(end);
        self.continue_at(end);
        Ok(())
    }

    /// The object that a standard stream is.
    fn standard_stream(&mut self, name: &str) -> Term {
        self.named_object(&format!("the stream {name}"), SIZE, vec![8], |_, _| Vec::new())
    }

    /// What a variable of the C library points to from the start on, if it is one for a stream.
    pub(in crate::lower) fn standard_variable(&mut self, object: ObjectId) -> Option<Term> {
        let entry = &self.c.objects[object];
        let name = entry.name.map_or("", |name| self.symbol_name(name));
        let name = STANDARD.into_iter().find(|standard| *standard == name)?;
        let declared = !entry.defined && entry.init.is_none();
        let pointer = matches!(self.ty(entry.ty.ty), Type::Pointer(_));
        (declared && pointer).then(|| self.standard_stream(name))
    }

    // Output.

    /// The result of output: what success gives, or what a failure does.
    pub(super) fn written(
        &mut self,
        call: &Call<'_>,
        outlet: Outlet,
        success: Term,
        failure: impl FnOnce(&mut Self) -> Term,
    ) -> Value {
        if !call.used {
            let zero = self.pool.bv(0, 32);
            return self.result(call, zero).unwrap_or(Value::Void);
        }
        let standard = match outlet {
            Outlet::Standard => self.pool.tru(),
            Outlet::Stream(stream) => {
                let (out, error) = (self.standard_stream("stdout"), self.standard_stream("stderr"));
                self.pool.or([self.pool.eq(stream, out), self.pool.eq(stream, error)])
            }
            Outlet::Descriptor(number) => {
                let is = |n| self.pool.eq(number, self.pool.bv(n, 32));
                self.pool.or([is(1), is(2)])
            }
        };
        let known = self.pool.as_bool(standard);
        if known != Some(false) {
            self.assume_that("output to 'stdout' and 'stderr' does not fail".into());
        }
        if known == Some(true) {
            return self.result(call, success).unwrap_or(Value::Void);
        }
        let fails =
            self.unknown(Sort::Bool, Cause::Unknown(format!("{}() fails", call.name).into()));
        let possible = self.pool.not(self.pool.and([standard, fails]));
        self.assume(possible);
        let failure = failure(self);
        let result = self.pool.ite(fails, failure, success);
        self.result(call, result).unwrap_or(Value::Void)
    }

    fn end_of_file(&mut self) -> Term {
        self.pool.bits(Bits::ones(32))
    }

    fn outlet(&mut self, call: &Call<'_>, stream: Option<usize>) -> Result<Outlet> {
        Ok(match stream {
            Some(index) => Outlet::Stream(self.word_argument(call, index)?),
            None => Outlet::Standard,
        })
    }

    /// `puts` and `fputs`: some number that is not negative.
    fn write_text(&mut self, call: &Call<'_>, stream: Option<usize>) -> Result<Value> {
        let outlet = self.outlet(call, stream)?;
        let success = self.some_count(call);
        Ok(self.written(call, outlet, success, Self::end_of_file))
    }

    /// A number that is not negative, which the text tells, but not us.
    pub(super) fn some_count(&mut self, call: &Call<'_>) -> Term {
        match call.used {
            true => {
                let cause = Cause::Approximated(call.name.into());
                let count = self.unknown(Sort::BitVec(32), cause);
                self.limited(count, 0, i64::from(i32::MAX))
            }
            false => self.pool.bv(0, 32),
        }
    }

    /// `putchar` and its kin: the character, without a sign.
    fn write_character(&mut self, call: &Call<'_>, stream: Option<usize>) -> Result<Value> {
        let outlet = self.outlet(call, stream)?;
        let c = self.integer_argument(call, 0, 8)?;
        let success = self.pool.bv_zero_extend(c, 24);
        Ok(self.written(call, outlet, success, Self::end_of_file))
    }

    /// `fwrite`: as many elements as were asked for, or fewer.
    fn write_block(&mut self, call: &Call<'_>) -> Result<Value> {
        let address = self.word_argument(call, 0)?;
        let (each, count) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
        let length = self.pool.bv_mul(each, count);
        self.check_readable(Block { address, length });
        let outlet = self.outlet(call, Some(3))?;
        let none = self.pointer_bits(0);
        let all = self.pool.ite(self.pool.eq(each, none), none, count);
        let failure = |l: &mut Self| {
            let cause = Cause::Unknown(call.name.into());
            let some = l.unknown(Sort::BitVec(l.pointer_width()), cause);
            let fewer = l.pool.bv_ule(some, all);
            l.assume(fewer);
            some
        };
        Ok(self.written(call, outlet, all, failure))
    }

    /// A result from somewhere within bounds; if nobody uses it, it is not asked for.
    pub(super) fn result_between(
        &mut self,
        call: &Call<'_>,
        cause: Cause,
        low: i64,
        high: i64,
    ) -> Result<Value> {
        let real = !matches!(cause, Cause::Approximated(_));
        let value = self.result_by(call, cause)?;
        let Value::Scalar(term) = value else { return Ok(value) };
        if !call.used {
            return Ok(value);
        }
        let limited = self.limited(term, low, high);
        if real {
            // The run shows the value.
            let within = self.pool.eq(term, limited);
            self.assume(within);
            return Ok(value);
        }
        Ok(Value::Scalar(limited))
    }

    /// An unknown number, or a bound where it is out of bounds. Nothing is assumed, so that a run which
    /// does not need the number does not ask for it.
    pub(super) fn limited(&self, unknown: Term, low: i64, high: i64) -> Term {
        let Sort::BitVec(width) = self.pool.sort(unknown) else { return unknown };
        let pool = &self.pool;
        let fits = |n: i64| width >= 64 || (n >> (width - 1)) == n >> 63;
        let bound = |n: i64| pool.bits(Bits::from_i64(width, n));
        let lower = fits(low).then(|| pool.bv_sle(bound(low), unknown));
        let upper = fits(high).then(|| pool.bv_sle(unknown, bound(high)));
        let within = pool.and(lower.into_iter().chain(upper));
        match fits(low) {
            true => pool.ite(within, unknown, bound(low)),
            false => unknown,
        }
    }
}
