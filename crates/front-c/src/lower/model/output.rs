//! Input, which is unknown, and the system.

use super::Call;
use super::buffer::Block;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use crate::lower::memory::Access;
use program::program::{Cause, Instruction};
use term::{Sort, Term};
use value::Bits;

/// Functions without effect on the program; their results are unknown.
const OUTPUT: [&str; 9] = [
    "perror",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "feclearexcept",
    "fetestexcept",
    "feraiseexcept",
    "clock",
];

/// How many bytes the value of an environment variable has at most.
const VARIABLE: u64 = 4096;

impl Lowerer<'_> {
    pub(super) fn output_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let name = call.name;
        if OUTPUT.contains(&name) {
            if name == "perror" {
                self.check_string(call, 0)?;
            }
            return self.result_by(call, Cause::Approximated(name.into())).map(Some);
        }
        match name {
            "rand" | "random" => {
                let value = self.unknown_between(name, 0, i64::from(i32::MAX));
                Ok(self.result(call, value))
            }
            "getchar" | "getc" | "fgetc" | "getchar_unlocked" | "getc_unlocked"
            | "fgetc_unlocked" | "_IO_getc" => {
                let value = self.unknown_between(name, -1, 255);
                Ok(self.result(call, value))
            }
            "time" => self.time(call).map(Some),
            "fgets" | "fgets_unlocked" if call.arguments.len() == 3 => {
                self.read_line(call).map(Some)
            }
            "vsnprintf" | "__vsnprintf_chk" => {
                let (buffer, size) = (self.word_argument(call, 0)?, self.word_argument(call, 1)?);
                let cause = Cause::Approximated(name.into());
                self.unknown_text(buffer, size, cause.clone());
                self.result_by(call, cause).map(Some)
            }
            "fread" | "fread_unlocked" if call.arguments.len() == 4 => {
                let buffer = self.word_argument(call, 0)?;
                let (each, count) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                let length = self.pool.bv_mul(each, count);
                self.read_block(call, buffer, length, count).map(Some)
            }
            "read" | "recv" if call.arguments.len() >= 3 => {
                let (buffer, length) = (self.word_argument(call, 1)?, self.word_argument(call, 2)?);
                self.read_block(call, buffer, length, length).map(Some)
            }
            "getenv" if call.arguments.len() == 1 => self.environment_variable(call).map(Some),
            _ => Ok(None),
        }
    }

    /// `getenv`: null, or a string that the environment chooses.
    fn environment_variable(&mut self, call: &Call<'_>) -> Result<Value> {
        self.check_string(call, 0)?;
        let place = self.here();
        let name = format!("value of an environment variable at {place}");
        let address = self.named_object(&name, VARIABLE, vec![1], |_, _| Vec::new());
        self.assume_that(format!(
            "values of environment variables have fewer than {VARIABLE} characters, and one call of \
             'getenv' in the text gives one place in memory"
        ));
        let cause = Cause::Input(call.name.into());
        let missing = self.unknown(Sort::Bool, cause.clone());
        self.unknown_text(address, self.pointer_bits(VARIABLE), cause);
        let result = self.pool.ite(missing, self.pointer_bits(0), address);
        Ok(self.result(call, result).unwrap_or(Value::Void))
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
    pub(super) fn unknown_text(&mut self, address: Term, length: Term, cause: Cause) {
        self.check_block(Block { address, length });
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
        self.check_block(Block { address, length });
        let bytes = Instruction::HavocBytes { address, length, cause: cause.clone() };
        self.if_any(length, |l| l.emit(bytes));
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
}
