//! Operators on scalars.
//!
//! Numbers of different types are computed in the smallest type that has the values of both; a
//! number without a type takes that of the other side if it fits there. What overflows wraps.

use super::Lowerer;
use super::expression::Value;
use crate::ast::BinaryOp;
use crate::types::{Clock, Shape, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use term::{Op, Term};
use value::{BigInt, BigRational, Bits, Rounding};

impl<'a> Lowerer<'a> {
    /// An operator applied.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>> {
        use BinaryOp as B;
        if let Some(folded) = folded(op, &a, &b) {
            return Ok(folded);
        }
        if matches!(op, B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne)
            && (self.is_text(&a) || self.is_text(&b))
        {
            return self.compared_texts(op, a, b);
        }
        match op {
            B::And | B::Or | B::Xor | B::AndThen | B::OrElse | B::Implies => self.logic(op, a, b),
            B::Power => self.power(a, b),
            B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne => {
                if let (Value::Place(x), Value::Place(y)) = (&a, &b) {
                    return self.compared_places(op, &x.clone(), &y.clone());
                }
                let (a, b, ty) = self.common(a, b)?;
                Ok(Value::Scalar(self.comparison(op, a, b, &ty), Type::Bool))
            }
            B::Add | B::Sub | B::Mul | B::Div | B::Mod => self.arithmetic(op, a, b),
        }
    }

    /// Two values in the smallest type for both.
    pub(super) fn common(&mut self, a: Value<'a>, b: Value<'a>) -> Result<(Term, Term, Type<'a>)> {
        let ty = self.common_type(&a, &b)?;
        let nearest = Rounding::NearestEven;
        Ok((self.converted(a, &ty, nearest)?, self.converted(b, &ty, nearest)?, ty))
    }

    /// The smallest type that has the values of both.
    pub(super) fn common_type(&mut self, a: &Value<'a>, b: &Value<'a>) -> Result<Type<'a>> {
        let own = |value: &Value<'a>| match value {
            Value::Scalar(_, ty) => Some(ty.base().clone()),
            _ => None,
        };
        Ok(match (own(a), own(b)) {
            (Some(x), Some(y)) => self.join(&x, &y),
            (Some(ty), None) => self.with_literal(ty, b)?,
            (None, Some(ty)) => self.with_literal(ty, a)?,
            (None, None) => {
                let (_, x) = self.typed(a.clone())?;
                let (_, y) = self.typed(b.clone())?;
                self.join(&x, &y)
            }
        })
    }

    /// The type of a typed value beside one without a type.
    fn with_literal(&mut self, ty: Type<'a>, literal: &Value<'a>) -> Result<Type<'a>> {
        Ok(match literal {
            Value::Integer(number) => match ty.range() {
                // Truth values are added to count them, and compared with 0 and 1.
                _ if ty == Type::Bool && (0..=1).contains(number) => ty,
                None if ty == Type::Bool => Self::usual_type(*number),
                None => ty,
                Some((low, high)) if *number >= low && *number <= high => ty,
                // A bit pattern of the same width: 16#FFFF beside an INT.
                Some(_) if matches!(ty, Type::Clock(_)) => ty,
                Some(_) => self.join(&ty, &Self::usual_type(*number)),
            },
            Value::Real(_) if ty.is_integer() || ty == Type::Bool => Type::Real { long: true },
            Value::Unknown(_) | Value::Null | Value::Real(_) | Value::Text(_) => ty,
            Value::Place(place) if matches!(place.ty, Type::Block(_)) => ty,
            other => {
                let (_, other) = self.typed(other.clone())?;
                self.join(&ty, &other)
            }
        })
    }

    fn join(&self, a: &Type<'a>, b: &Type<'a>) -> Type<'a> {
        let (a, b) = (a.base(), b.base());
        if a == b {
            return a.clone();
        }
        match (a, b) {
            (Type::Real { long: x }, Type::Real { long: y }) => Type::Real { long: *x || *y },
            (Type::Real { .. }, _) => a.clone(),
            (_, Type::Real { .. }) => b.clone(),
            (Type::Clock(x), Type::Clock(y)) => {
                Type::Clock(if x.width() >= y.width() { *x } else { *y })
            }
            (Type::Clock(_), _) => a.clone(),
            (_, Type::Clock(_)) => b.clone(),
            (Type::Bool, other) | (other, Type::Bool) => other.clone(),
            _ => match (a.shape(), b.shape()) {
                (
                    Some(Shape::Number { width: x, signed: s }),
                    Some(Shape::Number { width: y, signed: t }),
                ) => {
                    if s == t {
                        return if x >= y { a.clone() } else { b.clone() };
                    }
                    let (signed, unsigned) = if s { (x, y) } else { (y, x) };
                    let width = if signed > unsigned { signed } else { (unsigned * 2).min(64) };
                    Type::Integer { width, signed: true }
                }
                _ => a.clone(),
            },
        }
    }

    /// Whether a comparison holds, of two terms of a type.
    pub(super) fn comparison(&self, op: BinaryOp, a: Term, b: Term, ty: &Type<'a>) -> Term {
        let pool = &self.pool;
        let equal = || match ty.shape() {
            Some(Shape::Float(_)) => pool.fp_eq(a, b),
            _ => pool.eq(a, b),
        };
        let less = |a: Term, b: Term| match ty.shape() {
            Some(Shape::Bool) => pool.and([pool.not(a), b]),
            Some(Shape::Float(_)) => pool.fp_lt(a, b),
            Some(Shape::Number { signed: true, .. }) => pool.bv_slt(a, b),
            _ => pool.bv_ult(a, b),
        };
        let at_most = |a: Term, b: Term| match ty.shape() {
            Some(Shape::Float(_)) => pool.fp_leq(a, b),
            _ => pool.not(less(b, a)),
        };
        match op {
            BinaryOp::Eq => equal(),
            BinaryOp::Ne => pool.not(equal()),
            BinaryOp::Lt => less(a, b),
            BinaryOp::Gt => less(b, a),
            BinaryOp::Le => at_most(a, b),
            _ => at_most(b, a),
        }
    }

    fn logic(&mut self, op: BinaryOp, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>> {
        let truth = |value: &Value<'a>| matches!(value, Value::Scalar(_, Type::Bool));
        let lazy = matches!(op, BinaryOp::AndThen | BinaryOp::OrElse | BinaryOp::Implies);
        if truth(&a) || truth(&b) || lazy {
            let (a, b) = (self.condition(a)?, self.condition(b)?);
            let pool = &self.pool;
            let term = match op {
                BinaryOp::And | BinaryOp::AndThen => pool.and([a, b]),
                BinaryOp::Or | BinaryOp::OrElse => pool.or([a, b]),
                BinaryOp::Implies => pool.implies(a, b),
                _ => pool.xor(a, b),
            };
            return Ok(Value::Scalar(term, Type::Bool));
        }
        let (a, b, ty) = self.common(a, b)?;
        if !matches!(ty.shape(), Some(Shape::Number { .. })) {
            let message = format!("a bitwise operator on values of type {ty}");
            return Err(Diagnostic::error(self.span, message));
        }
        let term = match op {
            BinaryOp::And => self.pool.bv_and(a, b),
            BinaryOp::Or => self.pool.bv_or(a, b),
            _ => self.pool.bv_xor(a, b),
        };
        Ok(Value::Scalar(term, ty))
    }

    /// The negative of a value.
    pub(super) fn negated(&mut self, term: Term, ty: Type<'a>) -> Result<Value<'a>> {
        let shape = ty.shape().expect("a typed term is a scalar");
        let (term, ty) = match shape {
            Shape::Float(_) => (self.pool.fp_neg(term), ty),
            Shape::Bool => return Err(Diagnostic::error(self.span, "minus of a BOOL")),
            Shape::Number { width, signed } => {
                if signed {
                    let least = self.pool.bits(Bits::min_signed(width));
                    self.check(Property::Overflow, self.pool.ne(term, least));
                }
                (self.pool.bv_neg(term), ty.base().clone())
            }
        };
        Ok(Value::Scalar(term, ty))
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>> {
        if let Some(result) = self.clocks(op, &a, &b)? {
            return Ok(result);
        }
        if let Some(result) = self.pointer_arithmetic(op, &a, &b)? {
            return Ok(result);
        }
        let (a, b, mut ty) = self.common(a, b)?;
        let (mut a, mut b) = (a, b);
        if ty == Type::Bool {
            // Truth values are counted.
            let from = std::mem::replace(&mut ty, Type::INT);
            a = self.scalar_to(a, &from, &ty, Rounding::NearestEven)?;
            b = self.scalar_to(b, &from, &ty, Rounding::NearestEven)?;
        }
        let term = self.computed(op, a, b, &ty)?;
        Ok(Value::Scalar(term, ty))
    }

    /// The result of an operator on two terms of a type.
    pub(super) fn computed(
        &mut self,
        op: BinaryOp,
        a: Term,
        b: Term,
        ty: &Type<'a>,
    ) -> Result<Term> {
        match ty.shape() {
            Some(Shape::Float(_)) => {
                let pool = &self.pool;
                let nearest = pool.rounding(Rounding::NearestEven);
                Ok(match op {
                    BinaryOp::Add => pool.fp_add(nearest, a, b),
                    BinaryOp::Sub => pool.fp_sub(nearest, a, b),
                    BinaryOp::Mul => pool.fp_mul(nearest, a, b),
                    BinaryOp::Div => pool.fp_div(nearest, a, b),
                    _ => self.real_remainder(a, b),
                })
            }
            Some(Shape::Number { width, signed }) => self.integer_computed(op, a, b, width, signed),
            _ => Err(Diagnostic::error(self.span, format!("arithmetic on values of type {ty}"))),
        }
    }

    /// a − b · TRUNC(a / b)
    fn real_remainder(&self, a: Term, b: Term) -> Term {
        let pool = &self.pool;
        let nearest = pool.rounding(Rounding::NearestEven);
        let zero = pool.rounding(Rounding::TowardZero);
        let whole = pool.fp_round_to_integral(zero, pool.fp_div(nearest, a, b));
        pool.fp_sub(nearest, a, pool.fp_mul(nearest, b, whole))
    }

    fn integer_computed(
        &mut self,
        op: BinaryOp,
        a: Term,
        b: Term,
        width: u32,
        signed: bool,
    ) -> Result<Term> {
        if matches!(op, BinaryOp::Div | BinaryOp::Mod) {
            let zero = self.pool.bv(0, width);
            self.check(Property::DivisionByZero, self.pool.ne(b, zero));
        }
        if signed && self.options.properties.contains(&Property::Overflow) {
            let within = self.no_overflow(op, a, b, width);
            self.check(Property::Overflow, within);
        }
        let pool = &self.pool;
        Ok(match (op, signed) {
            (BinaryOp::Add, _) => pool.bv_add(a, b),
            (BinaryOp::Sub, _) => pool.bv_sub(a, b),
            (BinaryOp::Mul, _) => pool.bv_mul(a, b),
            (BinaryOp::Div, true) => pool.bv_sdiv(a, b),
            (BinaryOp::Div, false) => pool.bv_udiv(a, b),
            (_, true) => pool.bv_srem(a, b),
            (_, false) => pool.bv_urem(a, b),
        })
    }

    fn no_overflow(&self, op: BinaryOp, a: Term, b: Term, width: u32) -> Term {
        let pool = &self.pool;
        if op == BinaryOp::Div {
            let least = pool.eq(a, pool.bits(Bits::min_signed(width)));
            let minus_one = pool.eq(b, pool.bits(Bits::ones(width)));
            return pool.not(pool.and([least, minus_one]));
        }
        if op == BinaryOp::Mod {
            return pool.tru();
        }
        let wide = if op == BinaryOp::Mul { width } else { 1 };
        let extended = |term| pool.make(Op::BvSignExtend(wide), &[term]);
        let (x, y) = (extended(a), extended(b));
        let exact = match op {
            BinaryOp::Add => pool.bv_add(x, y),
            BinaryOp::Sub => pool.bv_sub(x, y),
            _ => pool.bv_mul(x, y),
        };
        pool.eq(exact, extended(pool.bv_extract(exact, width - 1, 0)))
    }

    /// Arithmetic with durations and dates.
    fn clocks(&mut self, op: BinaryOp, a: &Value<'a>, b: &Value<'a>) -> Result<Option<Value<'a>>> {
        let clock = |value: &Value<'a>| match value {
            Value::Scalar(_, ty) => match ty.base() {
                Type::Clock(clock) => Some(*clock),
                _ => None,
            },
            _ => None,
        };
        let (x, y) = (clock(a), clock(b));
        let (a, b) = (a.clone(), b.clone());
        Ok(match (op, x, y) {
            (_, None, None) => None,
            (BinaryOp::Mul | BinaryOp::Div, Some(clock), None) => {
                Some(self.scaled(op, a, b, clock)?)
            }
            (BinaryOp::Mul, None, Some(clock)) => Some(self.scaled(op, b, a, clock)?),
            (BinaryOp::Sub, Some(x), Some(y)) if !x.is_duration() && !y.is_duration() => {
                // The time between two dates; whichever is earlier, the difference has a sign.
                let long = x.width() == 64 || y.width() == 64;
                let result = if long { Clock::LongTime } else { Clock::Time };
                let a = self.nanoseconds(a)?;
                let b = self.nanoseconds(b)?;
                let difference = self.pool.bv_sub(a, b);
                Some(self.clock_of(difference, result))
            }
            (BinaryOp::Add | BinaryOp::Sub, Some(x), Some(y)) if x != y => {
                let result = if y.is_duration() || op == BinaryOp::Sub { x } else { y };
                let result = match (result.is_duration(), x, y) {
                    (true, Clock::Time, Clock::LongTime) => Clock::LongTime,
                    _ => result,
                };
                let a = self.nanoseconds(a)?;
                let b = self.nanoseconds(b)?;
                let sum = match op {
                    BinaryOp::Add => self.pool.bv_add(a, b),
                    _ => self.pool.bv_sub(a, b),
                };
                Some(self.clock_of(sum, result))
            }
            _ => None,
        })
    }

    /// A time in nanoseconds, of 64 bits.
    fn nanoseconds(&mut self, value: Value<'a>) -> Result<Term> {
        let (term, ty) = self.typed(value)?;
        let Type::Clock(clock) = ty.base() else { return Ok(term) };
        let wide = self.resize(term, 64, clock.is_signed());
        let unit = self.pool.bits(Bits::from_i128(64, clock.unit()));
        Ok(self.pool.bv_mul(wide, unit))
    }

    fn clock_of(&self, term: Term, clock: Clock) -> Value<'a> {
        let unit = self.pool.bits(Bits::from_i128(64, clock.unit()));
        let scaled = match clock.is_signed() {
            true => self.pool.bv_sdiv(term, unit),
            false => self.pool.bv_udiv(term, unit),
        };
        Value::Scalar(self.resize(scaled, clock.width(), true), Type::Clock(clock))
    }

    /// A time times or divided by a number; reals round to the nearest unit.
    pub(super) fn scaled(
        &mut self,
        op: BinaryOp,
        time: Value<'a>,
        by: Value<'a>,
        clock: Clock,
    ) -> Result<Value<'a>> {
        let ty = Type::Clock(clock);
        let real = match &by {
            Value::Real(_) => true,
            Value::Scalar(_, ty) => matches!(ty.base(), Type::Real { .. }),
            _ => false,
        };
        let inner = match real {
            true => Type::Real { long: true },
            false => Type::Integer { width: clock.width(), signed: clock.is_signed() },
        };
        let nearest = Rounding::NearestEven;
        let (a, b) = (self.converted(time, &inner, nearest)?, self.converted(by, &inner, nearest)?);
        let term = self.computed(op, a, b, &inner)?;
        let term = self.converted(Value::Scalar(term, inner), &ty, nearest)?;
        Ok(Value::Scalar(term, ty))
    }
}

/// An operator on constants without types.
fn folded<'a>(op: BinaryOp, a: &Value<'a>, b: &Value<'a>) -> Option<Value<'a>> {
    let real = |value: &Value<'a>| match value {
        Value::Real(number) => Some(number.clone()),
        Value::Integer(number) => Some(BigRational::from_integer(BigInt::from(*number))),
        _ => None,
    };
    if let (Value::Integer(a), Value::Integer(b)) = (a, b) {
        let number = match op {
            BinaryOp::Add => a.checked_add(*b),
            BinaryOp::Sub => a.checked_sub(*b),
            BinaryOp::Mul => a.checked_mul(*b),
            BinaryOp::Div if *b != 0 => a.checked_div(*b),
            BinaryOp::Mod if *b != 0 => a.checked_rem(*b),
            BinaryOp::Power => a.checked_pow(u32::try_from(*b).ok()?),
            BinaryOp::And => Some(a & b),
            BinaryOp::Or => Some(a | b),
            BinaryOp::Xor => Some(a ^ b),
            _ => None,
        };
        return number.map(Value::Integer);
    }
    let (a, b) = (real(a)?, real(b)?);
    let zero = BigRational::from_integer(BigInt::from(0));
    Some(Value::Real(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div if b != zero => a / b,
        _ => return None,
    }))
}
