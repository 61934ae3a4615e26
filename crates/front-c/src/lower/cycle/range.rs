//! The ranges of inputs: that they fit the types, and that values lie in them.

use super::Lowerer;
use super::part::Scalar;
use crate::diagnostic::{Diagnostic, Result};
use crate::lower::input::{Bound, Input};
use term::{Sort, Term};
use value::{Bits, Float, Format, Rounding};

impl Lowerer<'_> {
    /// Goes on only where a value lies in the range of its input.
    pub(super) fn keep_in_range(
        &mut self,
        value: Term,
        scalar: &Scalar,
        input: &Input,
    ) -> Result<()> {
        let Some((low, high)) = &input.range else { return Ok(()) };
        let within = match self.pool.sort(value) {
            Sort::Float(format) => self.float_range(value, format, (low, high), scalar)?,
            sort => {
                let width = match sort {
                    Sort::BitVec(width) => width,
                    _ => 1,
                };
                self.integer_range(value, width, (low, high), scalar)?
            }
        };
        self.assume(within);
        Ok(())
    }

    fn float_range(
        &self,
        value: Term,
        format: Format,
        (low, high): (&Bound, &Bound),
        scalar: &Scalar,
    ) -> Result<Term> {
        let number = |bound: &Bound, rounding| {
            let float = Float::from_decimal(format, rounding, &bound.decimal()).ok();
            float.filter(Float::is_finite).ok_or_else(|| self.misfit((low, high), scalar, ""))
        };
        let least = number(low, Rounding::TowardPositive)?;
        let greatest = number(high, Rounding::TowardNegative)?;
        if !least.leq(&greatest) {
            return Err(self.empty((low, high), scalar));
        }
        let pool = &self.pool;
        let above = pool.fp_leq(pool.float(least), value);
        Ok(pool.and([above, pool.fp_leq(value, pool.float(greatest))]))
    }

    fn integer_range(
        &mut self,
        value: Term,
        width: u32,
        (low, high): (&Bound, &Bound),
        scalar: &Scalar,
    ) -> Result<Term> {
        let signed = self.is_signed(scalar.ty);
        let held = scalar.bits.map_or(width, |(_, bits)| bits.min(width)).min(126);
        let (least, greatest) = match signed {
            true => (-(1i128 << (held - 1)), (1i128 << (held - 1)) - 1),
            false => (0, (1i128 << held) - 1),
        };
        let range = format!("{least}..{greatest}");
        let integer = |bound: &Bound| {
            let number = bound.integer().filter(|number| (least..=greatest).contains(number));
            number.ok_or_else(|| self.misfit((low, high), scalar, &range))
        };
        let (from, to) = (integer(low)?, integer(high)?);
        if from > to {
            return Err(self.empty((low, high), scalar));
        }
        let value = match self.pool.sort(value) {
            Sort::Bool => self.bool_to_bits(value, 1),
            _ => value,
        };
        let bits = |number: i128| {
            let low = Bits::from_u64(64, number as u64);
            let high = Bits::from_u64(64, (number >> 64) as u64);
            self.pool.bits(high.concat(&low).extract(width - 1, 0))
        };
        let (from, to) = (bits(from), bits(to));
        let pool = &self.pool;
        Ok(match signed {
            true => pool.and([pool.bv_sle(from, value), pool.bv_sle(value, to)]),
            false => pool.and([pool.bv_ule(from, value), pool.bv_ule(value, to)]),
        })
    }

    fn misfit(
        &self,
        (low, high): (&Bound, &Bound),
        scalar: &Scalar,
        range: &str,
    ) -> Box<Diagnostic> {
        let (name, ty) = (&scalar.name, self.shown_type(scalar.ty));
        let (low, high) = (low.text(), high.text());
        let message =
            format!("the range {low}..{high} of input '{name}' does not fit its type '{ty}'");
        let error = Diagnostic::error(scalar.span, message);
        match range.is_empty() {
            true => error,
            false => error.help(format!("its values are {range}")),
        }
    }

    fn empty(&self, (low, high): (&Bound, &Bound), scalar: &Scalar) -> Box<Diagnostic> {
        let (low, high) = (low.text(), high.text());
        let message = format!("the range {low}..{high} of input '{}' is empty", scalar.name);
        Diagnostic::error(scalar.span, message)
    }
}
