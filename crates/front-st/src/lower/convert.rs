//! Conversions: a value as one of another type.
//!
//! Integers are cut to the width of the type, as controllers do. A real number becomes the nearest
//! integer, the even one of two; what does not fit becomes the least or greatest one.

use super::Lowerer;
use super::expression::Value;
use super::place::Side;
use crate::types::{Clock, Shape, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use term::{Op, Sort, Term};
use value::{BigInt, Bits, Float, Format, Rounding};

impl<'a> Lowerer<'a> {
    /// A value as one of a scalar type, as an assignment converts it.
    pub(super) fn coerce(&mut self, value: Value<'a>, to: &Type<'a>) -> Result<Term> {
        let term = self.converted(value, to, Rounding::NearestEven)?;
        if let Type::Subrange(range) = to
            && let Some(Shape::Number { signed, .. }) = to.shape()
        {
            let within = self.pool.and([
                self.compared(term, signed, range.low, Side::AtLeast),
                self.compared(term, signed, range.high, Side::AtMost),
            ]);
            self.check(Property::Overflow, within);
        }
        Ok(term)
    }

    /// A value as one of a scalar type, with this rounding.
    pub(super) fn converted(
        &mut self,
        value: Value<'a>,
        to: &Type<'a>,
        rounding: Rounding,
    ) -> Result<Term> {
        let Some(shape) = to.shape() else { return self.unfit(to) };
        match value {
            Value::Integer(number) => Ok(self.constant_of(number, shape)),
            Value::Real(number) => Ok(match shape {
                Shape::Float(format) => {
                    self.pool.float(Float::from_rational(format, rounding, &number))
                }
                shape => {
                    let float = Float::from_rational(Format::F64, rounding, &number);
                    self.float_to(self.pool.float(float), shape, rounding)
                }
            }),
            Value::Null => Ok(self.zero(shape.sort())),
            Value::Text(text) if text.chars.len() == 1 => {
                Ok(self.constant_of(i128::from(text.chars[0]), shape))
            }
            Value::Scalar(term, from) => self.scalar_to(term, &from, to, rounding),
            Value::Place(place) => {
                if let Type::Interface(_) = to {
                    return self.instance_number(&place);
                }
                if let (Type::Pointer(..), Type::Block(_)) = (to, &place.ty) {
                    // `THIS` is a pointer; of another instance the address is meant.
                    return self.address_of(&place);
                }
                if let Type::String { wide, .. } = place.ty {
                    // A string of one character stands for it.
                    let unit = if wide { 16 } else { 8 };
                    let first = self.character(&place, 0)?;
                    return self.scalar_to(first, &Type::Bits(unit), to, rounding);
                }
                if let Type::Unknown(name) = &place.ty {
                    return Ok(self.unknown_of(name.clone(), shape));
                }
                let message = format!("a value of type {} where {to} is expected", place.ty);
                Err(Diagnostic::error(self.span, message))
            }
            Value::Unknown(name) => Ok(self.unknown_of(name, shape)),
            Value::Text(_) | Value::Aggregate(_) | Value::Void | Value::Type(_) => self.unfit(to),
        }
    }

    fn unknown_of(&mut self, name: std::sync::Arc<str>, shape: Shape) -> Term {
        self.unknown(shape.sort(), program::program::Cause::Unknown(name))
    }

    fn unfit<T>(&self, to: &Type<'a>) -> Result<T> {
        Err(Diagnostic::error(self.span, format!("this is no value of type {to}")))
    }

    /// A number as a constant.
    pub(super) fn constant_of(&self, number: i128, shape: Shape) -> Term {
        match shape {
            Shape::Bool => self.pool.bool(number != 0),
            Shape::Number { width, .. } => self.pool.bits(Bits::from_i128(width, number)),
            Shape::Float(format) => {
                let number = BigInt::from(number);
                self.pool.float(Float::from_bigint(format, Rounding::NearestEven, &number))
            }
        }
    }

    /// A scalar as one of another type.
    pub(super) fn scalar_to(
        &mut self,
        term: Term,
        from: &Type<'a>,
        to: &Type<'a>,
        rounding: Rounding,
    ) -> Result<Term> {
        let (Some(have), Some(need)) = (from.shape(), to.shape()) else { return self.unfit(to) };
        // A duration is no date: where one is assigned to the other, its number is.
        if let (Type::Clock(a), Type::Clock(b)) = (from, to)
            && a != b
            && a.is_duration() == b.is_duration()
        {
            return Ok(self.clock_to(term, *a, *b));
        }
        Ok(match (have, need) {
            (Shape::Bool, Shape::Bool) => term,
            (Shape::Bool, need) => {
                self.pool.ite(term, self.constant_of(1, need), self.constant_of(0, need))
            }
            (Shape::Number { width, .. }, Shape::Bool) => {
                self.pool.ne(term, self.pool.bv(0, width))
            }
            (Shape::Float(_), Shape::Bool) => self.pool.not(self.pool.make(Op::FpIsZero, &[term])),
            (Shape::Number { signed, .. }, Shape::Number { width, .. }) => {
                self.resize(term, width, signed)
            }
            (Shape::Number { signed, .. }, Shape::Float(format)) => {
                let op = if signed { Op::FpFromSbv(format) } else { Op::FpFromUbv(format) };
                self.pool.make(op, &[self.pool.rounding(Rounding::NearestEven), term])
            }
            (Shape::Float(_), need @ Shape::Number { .. }) => self.float_to(term, need, rounding),
            (Shape::Float(a), Shape::Float(b)) if a == b => term,
            (Shape::Float(_), Shape::Float(format)) => self
                .pool
                .make(Op::FpToFp(format), &[self.pool.rounding(Rounding::NearestEven), term]),
        })
    }

    /// A float as an integer; what does not fit is the nearest one that does, and NaN is zero.
    fn float_to(&self, term: Term, to: Shape, rounding: Rounding) -> Term {
        let Shape::Number { width, signed } = to else {
            return self.pool.not(self.pool.make(Op::FpIsZero, &[term]));
        };
        let pool = &self.pool;
        let mode = pool.rounding(rounding);
        let Sort::Float(format) = pool.sort(term) else { return term };
        let number =
            |number: &BigInt| pool.float(Float::from_bigint(format, Rounding::NearestEven, number));
        let integral = pool.fp_round_to_integral(mode, term);
        let (low, beyond) = match signed {
            true => (-(BigInt::from(1) << (width - 1)), BigInt::from(1) << (width - 1)),
            false => (BigInt::from(0), BigInt::from(1) << width),
        };
        let op = if signed { Op::FpToSbv(width) } else { Op::FpToUbv(width) };
        let converted = pool.make(op, &[mode, term]);
        let (least, most) = match signed {
            true => (Bits::min_signed(width), Bits::max_signed(width)),
            false => (Bits::zero(width), Bits::ones(width)),
        };
        let too_small = pool.fp_lt(integral, number(&low));
        let too_large = pool.fp_leq(number(&beyond), integral);
        let clamped = pool.ite(too_large, pool.bits(most), converted);
        let clamped = pool.ite(too_small, pool.bits(least), clamped);
        pool.ite(pool.fp_is_nan(term), pool.bv(0, width), clamped)
    }

    /// A time as one of another unit; dates with a time of day give either.
    fn clock_to(&self, term: Term, from: Clock, to: Clock) -> Term {
        let pool = &self.pool;
        let wide = |value: i128| pool.bits(Bits::from_i128(64, value));
        let signed = from.is_signed();
        let mut value = self.resize(term, 64, signed);
        let divide = |a, b| if signed { pool.bv_sdiv(a, b) } else { pool.bv_udiv(a, b) };
        let day = 86_400_000_000_000 / from.unit();
        let has_date = |clock| matches!(clock, Clock::DateAndTime | Clock::LongDateAndTime);
        if has_date(from) && matches!(to, Clock::TimeOfDay | Clock::LongTimeOfDay) {
            value = pool.bv_urem(value, wide(day));
        } else if has_date(from) && matches!(to, Clock::Date | Clock::LongDate) {
            value = pool.bv_mul(pool.bv_udiv(value, wide(day)), wide(day));
        }
        let value = match from.unit().cmp(&to.unit()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => pool.bv_mul(value, wide(from.unit() / to.unit())),
            std::cmp::Ordering::Less => divide(value, wide(to.unit() / from.unit())),
        };
        self.resize(value, to.width(), signed)
    }

    /// The smallest usual type of an integer without one.
    pub(super) fn usual_type(number: i128) -> Type<'static> {
        for width in [16, 32, 64] {
            let ty = Type::Integer { width, signed: true };
            if ty.range().is_some_and(|(low, high)| number >= low && number <= high) {
                return ty;
            }
        }
        Type::Integer { width: 64, signed: false }
    }

    /// A value as a term with its type; numbers without one take the usual one.
    pub(super) fn typed(&mut self, value: Value<'a>) -> Result<(Term, Type<'a>)> {
        match value {
            Value::Scalar(term, ty) => Ok((term, ty)),
            Value::Integer(number) => {
                let ty = Self::usual_type(number);
                let term = self.coerce(Value::Integer(number), &ty)?;
                Ok((term, ty))
            }
            Value::Real(number) => {
                let ty = Type::Real { long: true };
                let term = self.coerce(Value::Real(number), &ty)?;
                Ok((term, ty))
            }
            Value::Null => {
                let ty = Type::Bits(crate::types::POINTER_WIDTH);
                let term = self.coerce(Value::Null, &ty)?;
                Ok((term, ty))
            }
            Value::Unknown(name) => {
                let ty = Type::DINT;
                let term = self.coerce(Value::Unknown(name), &ty)?;
                Ok((term, ty))
            }
            Value::Place(place) => {
                if let Type::Unknown(name) = &place.ty {
                    return self.typed(Value::Unknown(name.clone()));
                }
                let message = format!("a value of type {} where a number is expected", place.ty);
                Err(Diagnostic::error(self.span, message))
            }
            Value::Text(_) => {
                Err(Diagnostic::error(self.span, "a string where a number is expected"))
            }
            Value::Aggregate(_) | Value::Void | Value::Type(_) => {
                Err(Diagnostic::error(self.span, "a number is expected here"))
            }
        }
    }

    /// A value as a term, and how it is stored.
    pub(super) fn scalar(&mut self, value: Value<'a>) -> Result<(Term, Shape)> {
        let (term, ty) = self.typed(value)?;
        let shape = ty.shape().expect("a typed term is a scalar");
        Ok((term, shape))
    }

    /// A value as a condition.
    pub(super) fn condition(&mut self, value: Value<'a>) -> Result<Term> {
        self.coerce(value, &Type::Bool)
    }

    /// The number that a value is known to be.
    pub(super) fn known_integer(&self, value: &Value<'a>) -> Option<i128> {
        match value {
            Value::Integer(number) => Some(*number),
            Value::Scalar(term, ty) => {
                if let Some(truth) = self.pool.as_bool(*term) {
                    return Some(i128::from(truth));
                }
                let bits = self.pool.as_bits(*term)?;
                match ty.shape()? {
                    Shape::Number { signed: true, .. } => bits.to_i128(),
                    _ => bits.to_u128().and_then(|n| i128::try_from(n).ok()),
                }
            }
            _ => None,
        }
    }
}
