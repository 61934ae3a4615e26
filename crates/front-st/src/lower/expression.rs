//! Expressions as values: constants that have no type yet, terms with their types, and places of
//! what is no scalar.

use super::Lowerer;
use super::place::Place;
use crate::ast::{BinaryOp, Expr, ExprKind, Literal, LiteralKind, Name, Path, UnaryOp};
use crate::types::{Clock, Shape, Type};
use program::program::LocationId;
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use std::sync::Arc;
use term::Term;
use value::{BigRational, Bits};

/// What an expression gives.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    /// A number of any integer type.
    Integer(i128),
    /// A number of either real type.
    Real(BigRational),
    /// A string.
    Text(Text),
    /// A scalar of a type.
    Scalar(Term, Type<'a>),
    /// A string, structure, array or instance.
    Place(Place<'a>),
    /// `NULL`
    Null,
    /// Values of an array's elements or a structure's fields, whose types the target says.
    Aggregate(&'a Expr),
    /// Something that nothing is known of, by the name of what gives it.
    Unknown(Arc<str>),
    /// Nothing: a call without a result.
    Void,
    /// A type, where `SIZEOF` or a conversion wants one.
    Type(Type<'a>),
}

/// The characters of a literal.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) wide: bool,
    pub(super) chars: Rc<[u32]>,
}

impl<'a> Lowerer<'a> {
    /// The value of an expression.
    pub(super) fn expression(&mut self, expr: &'a Expr) -> Result<Value<'a>> {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let value = match self.decided(expr) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => self.expression_here(expr),
            Err(error) => Err(error),
        };
        self.span = outer;
        value
    }

    pub(super) fn expression_here(&mut self, expr: &'a Expr) -> Result<Value<'a>> {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Null => Ok(Value::Null),
            ExprKind::Typed(path, name) => self.enumerator_of(path, name),
            ExprKind::Unary(op, operand) => {
                let value = self.expression(operand)?;
                self.unary(*op, value)
            }
            ExprKind::Binary(op, left, right) => self.binary_expression(*op, left, right),
            ExprKind::Call(callee, arguments) => match self.call(callee, arguments)? {
                // What a reference that is returned refers to.
                Value::Scalar(address, Type::Pointer(to, true)) => {
                    let to = self.target(&to)?;
                    let place = self.at_address(address, to, false)?;
                    self.value_of(place)
                }
                value => Ok(value),
            },
            ExprKind::Array(_) | ExprKind::Struct(_) => Ok(Value::Aggregate(expr)),
            ExprKind::Name(name) => {
                if let Some(constant) = self.constant_named(&name.key)? {
                    return Ok(constant);
                }
                self.place_or(expr, |this| this.other_name(name))
            }
            ExprKind::Member(base, name) => self.place_or(expr, |this| {
                if let ExprKind::Name(ty) = &base.kind
                    && let Some(Type::Enumeration(e)) = this.type_named(&ty.key)?
                    && let Some((_, n)) = e.values.iter().find(|(key, _)| *key == name.key)
                {
                    return this.enumerator(Type::Enumeration(e.clone()), *n);
                }
                this.property_or_member(base, name)
            }),
            ExprKind::Part(base, width, index) => {
                if let Some(place) = self.place(expr, false)? {
                    return self.value_of(place);
                }
                let value = self.expression(base)?;
                self.part_of_value(value, width.bits(), *index)
            }
            ExprKind::This
            | ExprKind::Super
            | ExprKind::PartAt(..)
            | ExprKind::Global(_)
            | ExprKind::Direct(_)
            | ExprKind::Index(..)
            | ExprKind::Deref(_) => self.place_or(expr, |this| match this.undeclared(expr) {
                true => Ok(Value::Unknown("undeclared".into())),
                false => Err(Diagnostic::error(this.span, "this is no variable")),
            }),
        }
    }

    fn place_or(
        &mut self,
        expr: &'a Expr,
        otherwise: impl FnOnce(&mut Self) -> Result<Value<'a>>,
    ) -> Result<Value<'a>> {
        match self.place(expr, false)? {
            Some(place) => self.value_of(place),
            None => otherwise(self),
        }
    }

    /// The value at a place: a term if it is a scalar.
    pub(super) fn value_of(&mut self, place: Place<'a>) -> Result<Value<'a>> {
        if place.ty.shape().is_none() {
            return Ok(match place.ty {
                Type::Unknown(name) => Value::Unknown(name),
                _ => Value::Place(place),
            });
        }
        let term = self.read(&place)?;
        Ok(Value::Scalar(term, place.ty))
    }

    /// A name that is no variable and no constant.
    fn other_name(&mut self, name: &'a Name) -> Result<Value<'a>> {
        for earlier in self.earlier.iter().rev() {
            if let Some((_, number)) = earlier.iter().find(|(key, _)| *key == name.key) {
                return Ok(Value::Integer(*number));
            }
        }
        if let Some((ty, number)) = self.enumerators.get(&name.key).cloned() {
            return self.enumerator(ty, number);
        }
        if let Some(value) = self.property_of_this(name)? {
            return Ok(value);
        }
        if let Some(ty) = self.type_named(&name.key)? {
            return Ok(Value::Type(ty));
        }
        // A function without parameters may be called without parentheses.
        if self.table.pou(&name.key).is_some() {
            return self.call_named(name, &[]);
        }
        if self.quiet > 0 {
            let message = format!("'{name}' is not declared");
            return Err(Diagnostic::error(name.span, message));
        }
        self.undefined_name(&name.text);
        let message = format!("'{name}' is not declared; its value is taken as unknown");
        self.warn_once(name.span, message);
        Ok(Value::Unknown(name.text.clone()))
    }

    fn enumerator(&mut self, ty: Type<'a>, number: i128) -> Result<Value<'a>> {
        let shape = ty.shape().expect("enumerations are scalars");
        Ok(Value::Scalar(self.constant_of(number, shape), ty))
    }

    fn enumerator_of(&mut self, path: &'a Path, name: &'a Name) -> Result<Value<'a>> {
        if let Type::Unknown(name) = self.named_type(path)? {
            return Ok(Value::Unknown(name));
        }
        if let Type::Enumeration(e) = self.named_type(path)? {
            if let Some((_, number)) = e.values.iter().find(|(key, _)| *key == name.key) {
                return self.enumerator(Type::Enumeration(e.clone()), *number);
            }
            let message = format!("'{}' has no value '{name}'", e.name);
            return Err(Diagnostic::error(name.span, message));
        }
        if let Some(constant) = self.constant_named(&name.key)? {
            let ty = self.named_type(path)?;
            let term = self.coerce(constant, &ty)?;
            return Ok(Value::Scalar(term, ty));
        }
        Err(Diagnostic::error(path.span, format!("'{path}' is no enumeration")))
    }

    fn literal(&mut self, literal: &'a Literal) -> Result<Value<'a>> {
        let clock = |short, long: bool, wide| if long { wide } else { short };
        let time = |this: &mut Self, clock: Clock, nanoseconds: i128| {
            let term = this.pool.bits(Bits::from_i128(clock.width(), nanoseconds / clock.unit()));
            Ok(Value::Scalar(term, Type::Clock(clock)))
        };
        let value = match &literal.kind {
            LiteralKind::Int { negative, value, .. } => {
                let Ok(value) = i128::try_from(*value) else {
                    return Err(Diagnostic::error(self.span, "this number fits no type"));
                };
                Value::Integer(if *negative { -value } else { value })
            }
            LiteralKind::Real { negative, digits } => {
                let number = value::real::parse(digits).map_err(|_| {
                    Diagnostic::error(self.span, format!("'{digits}' is no number that fits"))
                })?;
                Value::Real(if *negative { -number } else { number })
            }
            LiteralKind::Bool(truth) => Value::Scalar(self.pool.bool(*truth), Type::Bool),
            LiteralKind::String { wide, text } => {
                Value::Text(Text { wide: *wide, chars: text.iter().copied().collect() })
            }
            LiteralKind::Time { long, nanoseconds } => {
                return time(self, clock(Clock::Time, *long, Clock::LongTime), *nanoseconds);
            }
            LiteralKind::Date { long, days } => {
                let nanoseconds = i128::from(*days) * 86_400_000_000_000;
                return time(self, clock(Clock::Date, *long, Clock::LongDate), nanoseconds);
            }
            LiteralKind::TimeOfDay { long, nanoseconds } => {
                let clock = clock(Clock::TimeOfDay, *long, Clock::LongTimeOfDay);
                return time(self, clock, i128::from(*nanoseconds));
            }
            LiteralKind::DateAndTime { long, nanoseconds } => {
                let clock = clock(Clock::DateAndTime, *long, Clock::LongDateAndTime);
                return time(self, clock, *nanoseconds);
            }
        };
        let Some(name) = &literal.ty else { return Ok(value) };
        match self.type_named(&name.key)? {
            Some(Type::String { .. }) => Ok(value),
            Some(ty) if ty.shape().is_some() => {
                let term = self.coerce(value, &ty)?;
                Ok(Value::Scalar(term, ty))
            }
            _ => Err(Diagnostic::error(name.span, format!("'{name}' is no type of literals"))),
        }
    }

    fn binary_expression(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
    ) -> Result<Value<'a>> {
        let a = self.expression(left)?;
        let lazy = matches!(op, BinaryOp::AndThen | BinaryOp::OrElse | BinaryOp::Implies);
        if lazy && (calls(right) || self.quiet == 0) {
            return self.lazily(op, a, right);
        }
        // What a call on the right does must not change what the left side was.
        let a = match a {
            Value::Scalar(term, ty) if calls(right) => Value::Scalar(self.keep(term), ty),
            a => a,
        };
        let b = self.expression(right)?;
        self.binary(op, a, b)
    }

    /// An operator whose right side is evaluated only if the left one does not decide.
    fn lazily(&mut self, op: BinaryOp, a: Value<'a>, right: &'a Expr) -> Result<Value<'a>> {
        let a = self.condition(a)?;
        let result = self.temporary(term::Sort::Bool);
        let (then, done): (LocationId, LocationId) = (self.new_location(), self.new_location());
        let (decided, needed) = match op {
            BinaryOp::OrElse => (self.pool.tru(), self.pool.not(a)),
            BinaryOp::Implies => (self.pool.tru(), a),
            _ => (self.pool.fls(), a),
        };
        self.assign(result, decided);
        self.split(needed, then, done);
        self.continue_at(then);
        let b = self.expression(right)?;
        let b = self.condition(b)?;
        self.assign(result, b);
        self.jump(done);
        self.continue_at(done);
        Ok(Value::Scalar(self.term_of(result), Type::Bool))
    }

    fn unary(&mut self, op: UnaryOp, value: Value<'a>) -> Result<Value<'a>> {
        match (op, value) {
            (UnaryOp::Plus, value) => Ok(value),
            (UnaryOp::Minus, Value::Integer(number)) => Ok(Value::Integer(-number)),
            (UnaryOp::Minus, Value::Real(number)) => Ok(Value::Real(-number)),
            (UnaryOp::Minus, value) => {
                let (term, ty) = self.typed(value)?;
                self.negated(term, ty)
            }
            (UnaryOp::Not, value) => {
                let (term, ty) = self.typed(value)?;
                let term = match ty.shape() {
                    Some(Shape::Bool) => self.pool.not(term),
                    Some(Shape::Number { .. }) => self.pool.bv_not(term),
                    _ => return Err(Diagnostic::error(self.span, "NOT of a real number")),
                };
                Ok(Value::Scalar(term, ty))
            }
        }
    }

    /// A constant integer, where one is needed.
    pub(super) fn constant(&mut self, expr: &'a Expr) -> Result<i128> {
        let value = self.expression(expr)?;
        self.known_integer(&value).ok_or_else(|| {
            Diagnostic::error(expr.span, "a constant is needed here")
                .help("declare it in a section VAR CONSTANT, with a value that is known")
        })
    }
}

/// Whether evaluating an expression may call something.
pub(super) fn calls(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(..) => true,
        ExprKind::Literal(_)
        | ExprKind::Name(_)
        | ExprKind::Global(_)
        | ExprKind::This
        | ExprKind::Super
        | ExprKind::Null
        | ExprKind::Direct(_)
        | ExprKind::Typed(..) => false,
        // A property is code, too, and nobody knows before the name is looked up.
        ExprKind::Member(base, _)
        | ExprKind::Part(base, ..)
        | ExprKind::PartAt(base, ..)
        | ExprKind::Deref(base) => calls(base),
        ExprKind::Unary(_, operand) => calls(operand),
        ExprKind::Index(base, indices) => calls(base) || indices.iter().any(calls),
        ExprKind::Binary(_, a, b) => calls(a) || calls(b),
        ExprKind::Array(elements) => {
            elements.iter().any(|element| element.values.iter().any(calls))
        }
        ExprKind::Struct(fields) => fields.iter().any(|field| calls(&field.value)),
    }
}
