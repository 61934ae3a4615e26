//! Numbers in texts: `atoi` and its kin, `strtol` for decimal numbers.
//!
//! Other bases and floating numbers are not read: their values are approximated, and where the number
//! ends is somewhere in the text.

use super::Call;
use crate::diagnostic::Result;
use crate::lower::Lowerer;
use crate::lower::expression::Value;
use program::program::{Cause, Instruction};
use term::{Sort, Term};
use value::Bits;

/// What `errno` says of a number that does not fit.
const ERANGE: u64 = 34;

/// A number that was read.
struct Decimal {
    /// Of the width asked for; the nearest one, if it does not fit.
    value: Term,
    fits: Term,
    /// The address after its last digit; the text's own, if there is none.
    end: Term,
}

impl Lowerer<'_> {
    pub(super) fn number_call(&mut self, call: &Call<'_>) -> Result<Option<Value>> {
        let long = match call.name {
            "atoll" | "strtoll" | "strtoimax" | "__isoc23_strtoll" => 64,
            _ => self.pointer_width(),
        };
        match (call.name, call.arguments.len()) {
            // As glibc has it, `strtol` and then a conversion.
            ("atoi" | "atol" | "atoll", 1..) => {
                let text = self.string_argument(call, 0)?;
                let number = self.read_decimal(text, long);
                self.store_range_error(number.fits);
                Ok(self.result(call, number.value))
            }
            ("strtol" | "strtoll" | "strtoimax" | "__isoc23_strtol" | "__isoc23_strtoll", 3..) => {
                let base = self.integer_argument(call, 2, 32)?;
                if self.pool.as_bits(base).and_then(Bits::to_u64) != Some(10) {
                    return self.some_number(call).map(Some);
                }
                let text = self.string_argument(call, 0)?;
                let number = self.read_decimal(text, long);
                self.store_end(call, number.end)?;
                self.store_range_error(number.fits);
                Ok(self.result(call, number.value))
            }
            ("strtoul" | "strtoull" | "strtod" | "strtof" | "strtold" | "strtoumax", 2..) => {
                self.some_number(call).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The object that `errno` is.
    pub(super) fn errno(&mut self) -> Term {
        self.named_object("errno", 4, vec![4], |_, _| Vec::new())
    }

    /// Whether the program looks at `errno`.
    fn uses_errno(&self) -> bool {
        let mut functions = self.c.functions.iter();
        functions.any(|(_, f)| self.symbol_name(f.name) == "__errno_location")
    }

    /// `errno` says if a number did not fit.
    fn store_range_error(&mut self, fits: Term) {
        if !self.uses_errno() {
            return;
        }
        let address = self.errno();
        let (on, does_not) = (self.new_location(), self.new_location());
        self.split(fits, on, does_not);
        self.continue_at(does_not);
        self.emit(Instruction::Store { address, value: self.pool.bv(ERANGE, 32) });
        self.jump(on);
        self.continue_at(on);
    }

    /// An approximated number, that ends anywhere in the text.
    fn some_number(&mut self, call: &Call<'_>) -> Result<Value> {
        let text = self.string_argument(call, 0)?;
        self.check_string(call, 0)?;
        let name = call.name;
        self.warn_that(format!("function '{name}' has no model: its result is unknown"));
        let cause = Cause::Approximated(name.into());
        let length = self.unknown(Sort::BitVec(self.pointer_width()), cause.clone());
        let end = self.pool.bv_add(text, length);
        self.store_end(call, end)?;
        self.forget_errno(&cause);
        self.unknown_value(call.ty, cause)
    }

    /// `errno` may be anything.
    pub(super) fn forget_errno(&mut self, cause: &Cause) {
        if !self.uses_errno() {
            return;
        }
        let address = self.errno();
        let value = self.unknown(Sort::BitVec(32), cause.clone());
        self.emit(Instruction::Store { address, value });
    }

    /// Stores where a number ends, if the second argument says where to.
    fn store_end(&mut self, call: &Call<'_>, end: Term) -> Result<()> {
        let to = self.word_argument(call, 1)?;
        let wanted = self.pool.ne(to, self.pointer_bits(0));
        if self.pool.as_bool(wanted) == Some(false) {
            return Ok(());
        }
        let (store, on) = (self.new_location(), self.new_location());
        self.split(wanted, store, on);
        self.continue_at(store);
        self.emit(Instruction::Store { address: to, value: end });
        self.jump(on);
        self.continue_at(on);
        Ok(())
    }

    /// White space, a sign, digits.
    fn read_decimal(&mut self, text: Term, width: u32) -> Decimal {
        let text = self.keep(text);
        let blanks = self.begin_loop();
        let c = self.character(text, &blanks);
        let blank = self.is_blank(c);
        self.leave_if(self.pool.not(blank), blanks.end);
        self.next_round(&blanks);
        let skipped = self.end_loop(&blanks);
        let begin = self.keep(self.pool.bv_add(text, skipped));
        let sign = self.read_sort(begin, Sort::BitVec(8));
        let negative = self.is_character(sign, b'-');
        let signed = self.pool.or([negative, self.is_character(sign, b'+')]);
        let first = self.pool.ite(signed, self.moved(begin, 1), begin);
        let (first, negative) = (self.keep(first), self.keep(negative));
        let (digits, amount) = self.read_digits(first, width);
        let pool = &self.pool;
        let wide = pool.width(amount);
        let least = pool.bv_shl(pool.bv(1, wide), pool.bv(u64::from(width) - 1, wide));
        let greatest = pool.bv_sub(least, pool.bv(1, wide));
        let limit = pool.ite(negative, least, greatest);
        let fits = pool.bv_ule(amount, limit);
        let amount = pool.bv_extract(pool.ite(fits, amount, limit), width - 1, 0);
        let value = pool.ite(negative, pool.bv_neg(amount), amount);
        let none = pool.eq(digits, self.pointer_bits(0));
        let end = pool.ite(none, text, pool.bv_add(first, digits));
        Decimal { value: self.keep(value), fits: self.keep(fits), end: self.keep(end) }
    }

    /// How many digits there are, and their number; if it has more than `width` bits, 2^width.
    fn read_digits(&mut self, text: Term, width: u32) -> (Term, Term) {
        // Ten times the largest, and a digit, have four bits more.
        let wide = width + 5;
        let amount = self.temporary(Sort::BitVec(wide));
        self.assign(amount, self.pool.bv(0, wide));
        let round = self.begin_loop();
        let c = self.character(text, &round);
        let pool = &self.pool;
        let digit = pool.bv_sub(c, pool.bv(u64::from(b'0'), 8));
        let is_digit = pool.bv_ult(digit, pool.bv(10, 8));
        self.leave_if(self.pool.not(is_digit), round.end);
        let pool = &self.pool;
        let tens = pool.bv_mul(self.term_of(amount), pool.bv(10, wide));
        let sum = pool.bv_add(tens, pool.bv_zero_extend(digit, wide - 8));
        let most = pool.bv_shl(pool.bv(1, wide), pool.bv(u64::from(width), wide));
        let sum = pool.ite(pool.bv_ult(sum, most), sum, most);
        self.assign(amount, sum);
        self.next_round(&round);
        let digits = self.end_loop(&round);
        (digits, self.term_of(amount))
    }

    fn is_character(&self, c: Term, wanted: u8) -> Term {
        self.pool.eq(c, self.pool.bv(u64::from(wanted), 8))
    }

    pub(super) fn is_blank(&self, c: Term) -> Term {
        let pool = &self.pool;
        let from_tab = pool.bv_sub(c, pool.bv(u64::from(b'\t'), 8));
        pool.or([self.is_character(c, b' '), pool.bv_ult(from_tab, pool.bv(5, 8))])
    }
}
