//! Shifts and rotations of bit strings and integers.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::ast::Argument;
use crate::types::{Shape, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use value::Bits;

impl<'a> Lowerer<'a> {
    pub(super) fn shift_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        if key == "not" {
            let [value] = self.exactly(arguments, ["in"])?;
            let (term, ty) = self.typed(value)?;
            let term = match ty.shape() {
                Some(Shape::Bool) => self.pool.not(term),
                _ => self.pool.bv_not(term),
            };
            return Ok(Some(Value::Scalar(term, ty)));
        }
        if !matches!(key, "shl" | "shr" | "rol" | "ror") {
            return Ok(None);
        }
        let [value, by] = self.exactly(arguments, ["in", "n"])?;
        let (term, ty) = self.typed(value)?;
        let (term, ty) = match ty.shape() {
            Some(Shape::Number { .. }) => (term, ty.base().clone()),
            Some(Shape::Bool) => {
                // A bit string of one bit.
                let bits = self.coerce(Value::Scalar(term, ty), &Type::Bits(8))?;
                (bits, Type::Bits(8))
            }
            _ => return Err(Diagnostic::error(self.span, format!("a shift of a {ty}"))),
        };
        let Some(Shape::Number { width, signed }) = ty.shape() else {
            return Ok(None);
        };
        let by = self.amount(by, width)?;
        let pool = &self.pool;
        let size = pool.bits(Bits::from_i128(by.1, i128::from(width)));
        let by = by.0;
        let grown = |term| {
            let wide = pool.width(by);
            if wide > width { pool.bv_zero_extend(term, wide - width) } else { term }
        };
        let cut = |term| {
            if pool.width(term) > width { pool.bv_extract(term, width - 1, 0) } else { term }
        };
        let wide = grown(term);
        let result = match key {
            // A shift by the width or more leaves nothing, as SMT-LIB has it.
            "shl" => cut(pool.bv_shl(wide, by)),
            "shr" if signed => {
                let extra = pool.width(by) - width;
                let extended = if extra > 0 { pool.bv_sign_extend(term, extra) } else { term };
                cut(pool.bv_ashr(extended, by))
            }
            "shr" => cut(pool.bv_lshr(wide, by)),
            _ => {
                let by = pool.bv_urem(by, size);
                let back = pool.bv_sub(size, by);
                let (left, right) = if key == "rol" { (by, back) } else { (back, by) };
                let narrow = |amount| cut(amount);
                let (left, right) = (narrow(left), narrow(right));
                pool.bv_or(pool.bv_shl(term, left), pool.bv_lshr(term, right))
            }
        };
        Ok(Some(Value::Scalar(result, ty)))
    }

    /// The number of places as an unsigned term of at least this width, and its width.
    fn amount(&mut self, by: Value<'a>, width: u32) -> Result<(term::Term, u32)> {
        let (term, shape) = self.scalar(by)?;
        match shape {
            Shape::Number { width: own, signed } => {
                let wide = own.max(width);
                Ok((self.resize(term, wide, signed), wide))
            }
            _ => Err(Diagnostic::error(self.span, "the number of places is an integer")),
        }
    }
}
