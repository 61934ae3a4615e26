//! Assignments: values into places of any type.

use super::Lowerer;
use super::expression::{Value, calls};
use super::place::Place;
use crate::ast::{AssignOp, BinaryOp, Expr, ExprKind};
use crate::types::Type;
use program::program::Instruction;
use source::Diagnostic;
use source::diagnostic::Result;

impl<'a> Lowerer<'a> {
    /// An assignment.
    pub(super) fn assignment(
        &mut self,
        target: &'a Expr,
        op: AssignOp,
        value: &'a Expr,
    ) -> Result<()> {
        match op {
            AssignOp::Value => {
                // `a := b := c`
                if let Some(done) = self.property_set(target, value)? {
                    return Ok(done);
                }
                let place = self.target_of(target)?;
                let value = self.expression(value)?;
                self.store(&place, value)
            }
            AssignOp::Reference => self.bind_reference(target, value),
            AssignOp::Attempt => self.attempt(target, value),
            AssignOp::Set | AssignOp::Reset => {
                let value = self.expression(value)?;
                let condition = self.condition(value)?;
                let place = self.assigned_place(target)?;
                let old = self.read(&place)?;
                let set = self.pool.bool(op == AssignOp::Set);
                let new = self.pool.ite(condition, set, old);
                self.write(&place, new)
            }
            AssignOp::Add | AssignOp::Sub | AssignOp::Mul | AssignOp::Div => {
                let op = match op {
                    AssignOp::Add => BinaryOp::Add,
                    AssignOp::Sub => BinaryOp::Sub,
                    AssignOp::Mul => BinaryOp::Mul,
                    _ => BinaryOp::Div,
                };
                let place = self.assigned_place(target)?;
                let mut old = self.value_of(place.clone())?;
                if let (Value::Scalar(term, ty), true) = (&old, calls(value)) {
                    old = Value::Scalar(self.keep(*term), ty.clone());
                }
                let value = self.expression(value)?;
                let result = self.binary(op, old, value)?;
                self.store(&place, result)
            }
        }
    }

    /// The place of an assignment's left side; a constant is none.
    fn target_of(&mut self, target: &'a Expr) -> Result<Place<'a>> {
        let raw = self.raw_place(target, true)?;
        let place = match raw {
            // Pointers are assigned, references are followed.
            Some(place) if matches!(place.ty, Type::Pointer(_, true)) => {
                self.pointed(&place, true)?
            }
            Some(place) => place,
            None => match &target.kind {
                ExprKind::Name(name) if name.is("eno") => {
                    self.fresh(&name.key, &name.text, Type::Bool)?
                }
                ExprKind::Call(..) => {
                    let message = "a function's result is assigned to; nothing reads it there";
                    self.warn_once(target.span, message.to_owned());
                    let value = self.expression(target)?;
                    self.temporary_place(value)?
                }
                _ => return self.assigned_place(target),
            },
        };
        if place.constant {
            return Err(Diagnostic::error(target.span, "this variable is constant"));
        }
        Ok(place)
    }

    /// A value into a place.
    pub(super) fn store(&mut self, place: &Place<'a>, value: Value<'a>) -> Result<()> {
        if place.ty.shape().is_some() {
            let term = self.coerce(value, &place.ty)?;
            return self.write(place, term);
        }
        match (&place.ty, value) {
            (Type::Unknown(_), _) => Ok(()),
            (_, Value::Unknown(name)) => self.forget(place, &name),
            (Type::String { .. }, value) => self.store_text(place, value),
            (_, Value::Aggregate(expr)) => self.initialize(place, Some(expr), false),
            (_, Value::Place(from)) => self.copy(place, &from),
            (Type::Array(_), _) => {
                Err(Diagnostic::error(self.span, "an array is assigned from an array"))
            }
            (ty, _) => Err(Diagnostic::error(self.span, format!("this is no value of type {ty}"))),
        }
    }

    /// A structure, array or instance into another one.
    pub(super) fn copy(&mut self, to: &Place<'a>, from: &Place<'a>) -> Result<()> {
        if let (Some(target), Some(source)) = (to.memory(), from.memory())
            && to.ty == from.ty
        {
            let length = self.layout(&to.ty)?.0;
            let length = self.address(length);
            self.emit(Instruction::Copy { to: target, from: source, length });
            return Ok(());
        }
        if to.ty.shape().is_some() {
            let value = self.value_of(from.clone())?;
            return self.store(to, value);
        }
        match (to.ty.clone(), from.ty.clone()) {
            (Type::String { .. }, _) => self.store_text(to, Value::Place(from.clone())),
            (Type::Array(a), Type::Array(b)) if a.count() == b.count() => {
                for number in 0..a.count() {
                    let target = self.known_element(to, &a, i128::from(number))?;
                    let source = self.known_element(from, &b, i128::from(number))?;
                    self.copy(&target, &source)?;
                }
                Ok(())
            }
            (Type::Structure(_), Type::Structure(_)) | (Type::Block(_), Type::Block(_)) => {
                let fields = self.fields(&to.ty)?.expect("structures and blocks have fields");
                for field in fields.iter().filter(|field| Self::is_stored(field)) {
                    let target = self.member_variable(to, &field.key)?;
                    let source = self.member_variable(from, &field.key)?;
                    let (Some(target), Some(source)) = (target, source) else {
                        let message = format!("a {} is no {}", from.ty, to.ty);
                        return Err(Diagnostic::error(self.span, message));
                    };
                    self.copy(&target, &source)?;
                }
                Ok(())
            }
            (Type::Unknown(_), _) => Ok(()),
            (_, Type::Unknown(name)) => self.forget(to, &name),
            (to, from) => {
                let message = format!("a value of type {from} is assigned to one of type {to}");
                Err(Diagnostic::error(self.span, message))
            }
        }
    }

    /// Whether two structures or arrays are equal.
    pub(super) fn compared_places(
        &mut self,
        op: BinaryOp,
        a: &Place<'a>,
        b: &Place<'a>,
    ) -> Result<Value<'a>> {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return Err(Diagnostic::error(self.span, "structures are compared for equality only"));
        }
        let equal = self.equal_places(a, b)?;
        let term = if op == BinaryOp::Eq { equal } else { self.pool.not(equal) };
        Ok(Value::Scalar(term, Type::Bool))
    }

    fn equal_places(&mut self, a: &Place<'a>, b: &Place<'a>) -> Result<term::Term> {
        if a.ty.shape().is_some() {
            let (x, y) = (self.value_of(a.clone())?, self.value_of(b.clone())?);
            let value = self.binary(BinaryOp::Eq, x, y)?;
            return self.condition(value);
        }
        let mut equal = Vec::new();
        match (a.ty.clone(), b.ty.clone()) {
            (Type::Array(x), Type::Array(y)) if x.count() == y.count() => {
                for number in 0..x.count() {
                    let left = self.known_element(a, &x, i128::from(number))?;
                    let right = self.known_element(b, &y, i128::from(number))?;
                    equal.push(self.equal_places(&left, &right)?);
                }
            }
            (Type::Structure(x), Type::Structure(y)) if x.name == y.name => {
                for field in &x.fields {
                    let left = self.member_variable(a, &field.key)?;
                    let right = self.member_variable(b, &field.key)?;
                    if let (Some(left), Some(right)) = (left, right) {
                        equal.push(self.equal_places(&left, &right)?);
                    }
                }
            }
            (Type::String { .. }, Type::String { .. }) => {
                let (x, y) = (Value::Place(a.clone()), Value::Place(b.clone()));
                let value = self.compared_texts(BinaryOp::Eq, x, y)?;
                equal.push(self.condition(value)?);
            }
            (x, y) => {
                let message = format!("values of types {x} and {y} are compared");
                return Err(Diagnostic::error(self.span, message));
            }
        }
        Ok(self.pool.and(equal))
    }

    /// `target REF= value`
    pub(super) fn bind_reference(&mut self, target: &'a Expr, value: &'a Expr) -> Result<()> {
        let Some(place) = self.raw_place(target, true)? else {
            return Err(Diagnostic::error(target.span, "this is no reference"));
        };
        if let Type::Interface(_) = place.ty {
            let value = self.expression(value)?;
            return self.store(&place, value);
        }
        if let Type::Unknown(_) = place.ty {
            return Ok(());
        }
        if !matches!(place.ty, Type::Pointer(..)) {
            return Err(Diagnostic::error(target.span, "this is no reference"));
        }
        let address = match &value.kind {
            ExprKind::Null => self.address(0),
            _ => match self.raw_place(value, true)? {
                // A reference to what a pointer or another reference refers to.
                Some(from) if matches!(from.ty, Type::Pointer(_, true)) => self.read(&from)?,
                Some(from) if from.ty == place.ty => self.read(&from)?,
                Some(from) => self.address_of(&from)?,
                None => {
                    let value = self.expression(value)?;
                    self.coerce(value, &place.ty)?
                }
            },
        };
        self.write(&place, address)
    }
}
