//! Conversions by name: `X_TO_Y`, `TO_Y`, `X_TRUNC_Y`, BCD.

use super::super::Lowerer;
use super::super::argument::Given;
use super::super::expression::Value;
use crate::ast::Argument;
use crate::types::{Clock, Shape, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;
use value::Rounding;

impl<'a> Lowerer<'a> {
    pub(super) fn conversion_function(
        &mut self,
        key: &str,
        arguments: &'a [Argument],
    ) -> Result<Option<Value<'a>>> {
        if key == "is_valid" {
            let [value] = self.exactly(arguments, ["in"])?;
            let (term, ty) = self.typed(value)?;
            let valid = match ty.shape() {
                Some(Shape::Float(_)) => self
                    .pool
                    .not(self.pool.or([self.pool.fp_is_nan(term), self.pool.fp_is_infinite(term)])),
                _ => self.pool.tru(),
            };
            return Ok(Some(Value::Scalar(valid, Type::Bool)));
        }
        if key == "is_valid_bcd" {
            let [value] = self.exactly(arguments, ["in"])?;
            let (term, _) = self.typed(value)?;
            return Ok(Some(Value::Scalar(self.is_bcd(term), Type::Bool)));
        }
        let Some((from, to, rounding)) = parts(key) else { return Ok(None) };
        let (from_bcd, from) = match from.map(|from| (from, from.strip_suffix("_bcd"))) {
            Some((_, Some(from))) => (true, Some(from)),
            Some((from, None)) => (from == "bcd", (from != "bcd").then_some(from)),
            None => (false, None),
        };
        let (to_bcd, to) = match to.strip_prefix("bcd") {
            Some("") => (true, None),
            Some(rest) => (true, rest.strip_prefix('_')),
            None => (false, Some(to)),
        };
        let from = match from {
            Some(from) => match self.type_named(from)? {
                Some(ty) => Some(ty),
                None => return Ok(None),
            },
            None => None,
        };
        let to = match to {
            Some(to) => match self.type_named(to)? {
                Some(ty) => Some(ty),
                None => return Ok(None),
            },
            None => None,
        };
        let [value] = self.exactly(arguments, ["in"])?;
        if from_bcd || to_bcd {
            return self.bcd(value, from, to, to_bcd).map(Some);
        }
        let Some(to) = to else { return Ok(None) };
        self.named_conversion(value, from, to, rounding).map(Some)
    }

    fn named_conversion(
        &mut self,
        value: Value<'a>,
        from: Option<Type<'a>>,
        to: Type<'a>,
        rounding: Rounding,
    ) -> Result<Value<'a>> {
        if let Type::String { .. } = to {
            return self.text_of(value, from, &to);
        }
        if self.is_text(&value) && !matches!(to, Type::Bits(8 | 16)) {
            return self.number_in(value, &to);
        }
        // The argument is one of the type that the name says.
        let value = match (&value, from) {
            (Value::Scalar(..) | Value::Place(_) | Value::Unknown(_), None) => value,
            (Value::Scalar(_, own), Some(from)) if own.base() == from.base() => value,
            (_, Some(from)) if from.shape().is_some() => {
                let term = self.converted(value, &from, Rounding::NearestEven)?;
                Value::Scalar(term, from)
            }
            _ => value,
        };
        if to.shape().is_none() {
            return Err(Diagnostic::error(self.span, format!("nothing is converted to {to}")));
        }
        // Whole numbers and bit strings are not scaled, times to and from REAL neither.
        let plain = |ty: &Type<'a>| !matches!(ty.base(), Type::Clock(_));
        let value = match value {
            Value::Scalar(term, ty) if plain(&ty) != plain(&to) => {
                let Type::Clock(clock) = (if plain(&ty) { to.base() } else { ty.base() }) else {
                    return Err(Diagnostic::error(self.span, "no such conversion"));
                };
                let number = Type::Integer { width: clock.width(), signed: clock.is_signed() };
                if plain(&ty) {
                    let term = self.converted(Value::Scalar(term, ty), &number, rounding)?;
                    return Ok(Value::Scalar(term, to));
                }
                Value::Scalar(term, number)
            }
            value => value,
        };
        let term = self.converted(value, &to, rounding)?;
        Ok(Value::Scalar(term, to))
    }

    /// Each digit of four bits is at most nine.
    fn is_bcd(&self, term: Term) -> Term {
        let Some(width) = self.pool.sort(term).width() else { return self.pool.fls() };
        let digits = (0..width / 4).map(|digit| {
            let bits = self.pool.bv_extract(term, 4 * digit + 3, 4 * digit);
            self.pool.bv_ule(bits, self.pool.bv(9, 4))
        });
        self.pool.and(digits)
    }

    /// Numbers to and from digits of four bits.
    fn bcd(
        &mut self,
        value: Value<'a>,
        from: Option<Type<'a>>,
        to: Option<Type<'a>>,
        packs: bool,
    ) -> Result<Value<'a>> {
        let (term, ty) = self.typed(value)?;
        let ty = from.unwrap_or(ty);
        let width = match ty.shape() {
            Some(Shape::Number { width, .. }) => width,
            _ => return Err(Diagnostic::error(self.span, "BCD of a value that is no number")),
        };
        let own = self.pool.sort(term).width().unwrap_or(width);
        let term = if own == width { term } else { self.resize(term, width, false) };
        let target = to.unwrap_or(match packs {
            true => Type::Bits(width),
            false => Type::Integer { width, signed: false },
        });
        let ten = self.pool.bv(10, 64);
        let mut rest = self.resize(term, 64, false);
        let mut sum = self.pool.bv(0, 64);
        for digit in 0..width / 4 {
            if packs {
                let low = self.pool.bv_urem(rest, ten);
                let shifted = self.pool.bv_shl(low, self.pool.bv(u64::from(4 * digit), 64));
                sum = self.pool.bv_or(sum, shifted);
                rest = self.pool.bv_udiv(rest, ten);
            } else {
                let at = width / 4 - 1 - digit;
                let bits = self.pool.bv_extract(term, 4 * at + 3, 4 * at);
                let bits = self.pool.bv_zero_extend(bits, 60);
                sum = self.pool.bv_add(self.pool.bv_mul(sum, ten), bits);
            }
        }
        let wide = Type::Integer { width: 64, signed: false };
        let term = self.converted(Value::Scalar(sum, wide), &target, Rounding::NearestEven)?;
        Ok(Value::Scalar(term, target))
    }

    /// A value as a string.
    fn text_of(
        &mut self,
        value: Value<'a>,
        from: Option<Type<'a>>,
        to: &Type<'a>,
    ) -> Result<Value<'a>> {
        if self.is_text(&value) {
            return Ok(value);
        }
        let (mut term, mut ty) = self.typed(value)?;
        if let Some(from) = from
            && from.shape().is_some()
        {
            term = self.converted(Value::Scalar(term, ty), &from, Rounding::NearestEven)?;
            ty = from;
        }
        let result = self.text_buffer(to)?;
        let name = match ty.shape() {
            Some(Shape::Bool) => "__bool_to_string",
            Some(Shape::Number { .. }) if !matches!(ty.base(), Type::Clock(_)) => {
                "__lint_to_string"
            }
            _ => {
                let message = format!("the text of a {ty} is taken as unknown");
                self.warn_once(self.span, message);
                self.forget(&result, "TO_STRING")?;
                return Ok(Value::Place(result));
            }
        };
        let given = vec![Given::Value(Value::Scalar(term, ty)), Given::Place(result.clone())];
        self.library(name, given)?;
        Ok(Value::Place(result))
    }

    /// The number that a string begins with.
    fn number_in(&mut self, value: Value<'a>, to: &Type<'a>) -> Result<Value<'a>> {
        let place = self.temporary_place(value)?;
        let name = match to.shape() {
            Some(Shape::Float(_)) => "__string_to_lreal",
            Some(Shape::Bool) => "__string_to_bool",
            Some(Shape::Number { .. }) if !matches!(to.base(), Type::Clock(_)) => {
                "__string_to_lint"
            }
            _ => {
                self.warn_once(self.span, format!("a {to} from a text is taken as unknown"));
                return Ok(Value::Unknown("STRING_TO".into()));
            }
        };
        let value = self.library(name, vec![Given::Place(place)])?;
        let term = self.converted(value, to, Rounding::NearestEven)?;
        Ok(Value::Scalar(term, to.clone()))
    }

    /// A time as its number, without scaling.
    pub(in super::super) fn clock_number(&mut self, value: Value<'a>) -> Result<(Term, Clock)> {
        let (term, ty) = self.typed(value)?;
        match ty.base() {
            Type::Clock(clock) => Ok((term, *clock)),
            ty => Err(Diagnostic::error(self.span, format!("a {ty} where a time is expected"))),
        }
    }
}

/// What the name of a conversion says: from, to, and how it rounds.
fn parts(key: &str) -> Option<(Option<&str>, &str, Rounding)> {
    let nearest = Rounding::NearestEven;
    if let Some((from, to)) = key.split_once("_to_") {
        return Some((Some(from), to, nearest));
    }
    if let Some(to) = key.strip_prefix("to_") {
        return Some((None, to, nearest));
    }
    if let Some((from, to)) = key.split_once("_trunc_") {
        return Some((Some(from), to, Rounding::TowardZero));
    }
    key.strip_prefix("trunc_").map(|to| (None, to, Rounding::TowardZero))
}
