//! Operands: places, values and functions, and the steps between them [C11 §6.3.2].

use super::Checker;
use super::record::FieldPath;
use crate::ast;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{ElementSize, ExprId, ExprKind, FunctionId, PlaceId, PlaceKind};
use crate::types::{ArrayLength, IntKind, QualType, Type, TypeId};

/// What an expression is before it is used.
#[derive(Copy, Clone, Debug)]
pub(super) enum Operand {
    /// A value.
    Value(ExprId),
    /// An lvalue.
    Place(PlaceId),
    /// A function by name.
    Function(FunctionId),
    /// A function through a pointer, given by the pointer.
    Designator(ExprId),
}

impl Checker {
    /// The value of an expression of the syntax tree.
    pub(super) fn rvalue(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<ExprId> {
        let operand = self.operand(u, expr)?;
        self.value_of(operand, u.exprs[expr].span)
    }

    /// The place that an expression of the syntax tree designates.
    pub(super) fn place(&mut self, u: &ast::Unit, expr: ast::ExprId) -> Result<PlaceId> {
        match self.operand(u, expr)? {
            Operand::Place(place) => Ok(place),
            _ => self.error(u.exprs[expr].span, "expression is not an lvalue"),
        }
    }

    /// Lvalue conversion, decay of arrays and functions.
    pub(super) fn value_of(&mut self, operand: Operand, span: Span) -> Result<ExprId> {
        match operand {
            Operand::Value(value) => {
                // An array that is no lvalue cannot be: it would be in a temporary place.
                Ok(value)
            }
            Operand::Designator(pointer) => Ok(pointer),
            Operand::Function(function) => {
                let ty = self.program.functions[function].ty;
                let pointer = self.types().pointer(QualType::plain(ty));
                Ok(self.make(ExprKind::FunctionAddress(function), pointer, span))
            }
            Operand::Place(place) => self.load(place, span),
        }
    }

    fn load(&mut self, place: PlaceId, span: Span) -> Result<ExprId> {
        let ty = self.program.places[place].ty;
        match *self.program.types.get(ty.ty) {
            Type::Array(element, _) => {
                let pointer = self.types().pointer(element);
                Ok(self.make(ExprKind::Decay(place), pointer, span))
            }
            Type::Void => {
                let address = self.address(place, span);
                Ok(self.convert(address, ty.ty))
            }
            _ if self.program.types.size_of(ty.ty).is_none() => {
                let message = format!("value of incomplete type '{}'", self.show(ty.ty));
                self.error(span, message)
            }
            _ => Ok(self.make(ExprKind::Load(place), ty.ty, span)),
        }
    }

    pub(super) fn address(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.program.places[place].ty;
        let pointer = self.types().pointer(ty);
        self.make(ExprKind::AddressOf(place), pointer, span)
    }

    /// What a pointer points to.
    pub(super) fn deref(&mut self, pointer: ExprId, span: Span) -> Result<Operand> {
        let ty = self.type_of(pointer);
        let Some(to) = self.program.types.pointee(ty) else {
            let message = format!("'{}' is not a pointer", self.show(ty));
            return self.error(span, message);
        };
        if matches!(self.program.types.get(to.ty), Type::Function(_)) {
            return Ok(Operand::Designator(pointer));
        }
        Ok(Operand::Place(self.make_place(PlaceKind::Deref(pointer), to, span)))
    }

    /// `base.name` or `base->name`.
    pub(super) fn member(
        &mut self,
        u: &ast::Unit,
        base: ast::ExprId,
        name: Symbol,
        arrow: bool,
        span: Span,
    ) -> Result<Operand> {
        let place = if arrow {
            let pointer = self.rvalue(u, base)?;
            match self.deref(pointer, span)? {
                Operand::Place(place) => place,
                _ => return self.error(span, "'->' on a pointer to a function"),
            }
        } else {
            match self.operand(u, base)? {
                Operand::Place(place) => place,
                Operand::Value(value) => {
                    let ty = QualType::plain(self.type_of(value));
                    self.make_place(PlaceKind::Temporary(value), ty, span)
                }
                _ => return self.error(span, "member of a function"),
            }
        };
        let ty = self.program.places[place].ty.ty;
        let Some(record) = self.program.types.record(ty) else {
            let mut message = format!("'{}' has no member '{}'", self.show(ty), self.name(name));
            if self.program.types.pointee(ty).is_some() {
                message.push_str(" (it is a pointer: '->'?)");
            }
            return self.error(span, message);
        };
        let Some(path) = self.find_field(ty, name) else {
            let incomplete = self.program.types.records[record].body.is_none();
            let why = if incomplete { " is not defined and" } else { "" };
            let message = format!("'{}'{why} has no member '{}'", self.show(ty), self.name(name));
            return self.error(span, message);
        };
        Ok(Operand::Place(self.field_place(place, &path, span)))
    }

    /// The member at the end of a path.
    pub(super) fn field_place(&mut self, base: PlaceId, path: &FieldPath, span: Span) -> PlaceId {
        let mut place = base;
        for &index in path {
            let base_ty = self.program.places[place].ty;
            let Some(record) = self.program.types.record(base_ty.ty) else { return place };
            let Some(field) =
                self.program.types.body(base_ty.ty).map(|b| &b.fields[index as usize])
            else {
                return place;
            };
            let (offset, bits, declared) = (field.offset, field.bits, field.ty);
            let value_type = match bits {
                Some(bits) => self.bit_field_type(declared.ty, bits.width),
                None => declared.ty,
            };
            let ty = QualType { ty: value_type, ..declared };
            let ty = self.qualify(ty, base_ty.quals);
            let kind = PlaceKind::Field { base: place, record, field: index, offset, bits };
            place = self.make_place(kind, ty, span);
        }
        place
    }

    /// The type of a bit-field's value: its own width, unless that is its type's.
    pub(super) fn bit_field_type(&mut self, declared: TypeId, width: u32) -> TypeId {
        let bool_type = matches!(self.program.types.get(declared), Type::Bool);
        match self.program.types.shape(declared) {
            Some(shape) if shape.width != width && !bool_type => {
                let kind = IntKind::Bits { signed: shape.signed, width: width as u8 };
                self.types().int(kind)
            }
            _ => declared,
        }
    }

    pub(super) fn is_bit_field(&self, place: PlaceId) -> bool {
        matches!(self.program.places[place].kind, PlaceKind::Field { bits: Some(_), .. })
    }

    /// `base[index]`, either way round.
    pub(super) fn index(
        &mut self,
        u: &ast::Unit,
        base: ast::ExprId,
        index: ast::ExprId,
        span: Span,
    ) -> Result<Operand> {
        let first = self.operand(u, base)?;
        let second = self.operand(u, index)?;
        let first_value = self.is_integer_operand(first);
        let (base, index) = if first_value { (second, first) } else { (first, second) };
        let index = self.value_of(index, span)?;
        if !self.program.types.is_integer(self.type_of(index)) {
            return self.error(span, "array index is not an integer");
        }
        let index = self.promote(index);
        if let Operand::Place(place) = base
            && let Type::Array(element, _) =
                *self.program.types.get(self.program.places[place].ty.ty)
        {
            let kind = PlaceKind::Index(place, index);
            return Ok(Operand::Place(self.make_place(kind, element, span)));
        }
        let pointer = self.value_of(base, span)?;
        let moved = self.pointer_add(pointer, index, false, span)?;
        self.deref(moved, span)
    }

    fn is_integer_operand(&self, operand: Operand) -> bool {
        let ty = match operand {
            Operand::Value(value) => self.type_of(value),
            Operand::Place(place) => self.program.places[place].ty.ty,
            _ => return false,
        };
        self.program.types.is_integer(ty)
    }

    /// A pointer moved by elements.
    pub(super) fn pointer_add(
        &mut self,
        pointer: ExprId,
        index: ExprId,
        subtract: bool,
        span: Span,
    ) -> Result<ExprId> {
        let ty = self.type_of(pointer);
        let Some(to) = self.program.types.pointee(ty) else {
            let message = format!("'{}' is neither array nor pointer", self.show(ty));
            return self.error(span, message);
        };
        let size = self.element_size(to, span)?;
        let index = self.promote(index);
        Ok(self.make(ExprKind::PointerAdd { pointer, index, subtract, size }, ty, span))
    }

    /// The size of what a pointer points to; 1 for void and functions as in gcc.
    pub(super) fn element_size(&mut self, to: QualType, span: Span) -> Result<ElementSize> {
        if matches!(self.program.types.get(to.ty), Type::Void | Type::Function(_)) {
            return Ok(ElementSize::Fixed(1));
        }
        if let Some(size) = self.program.types.size_of(to.ty) {
            return Ok(ElementSize::Fixed(size));
        }
        if self.program.types.is_complete(to.ty) {
            return Ok(ElementSize::Variable(self.variable_size(to.ty, span)?));
        }
        let message = format!("arithmetic on a pointer to incomplete '{}'", self.show(to.ty));
        self.error(span, message)
    }

    /// The size of a type as a value of the type of `sizeof`.
    pub(super) fn variable_size(&mut self, ty: TypeId, span: Span) -> Result<ExprId> {
        let size_type = self.types().size_type();
        if let Some(size) = self.program.types.size_of(ty) {
            return Ok(self.make_int(i128::from(size), size_type, span));
        }
        let Type::Array(element, length) = *self.program.types.get(ty) else {
            let message = format!("size of incomplete type '{}'", self.show(ty));
            return self.error(span, message);
        };
        let length = match length {
            ArrayLength::Variable(vla) => self.make(ExprKind::VlaLength(vla), size_type, span),
            ArrayLength::Fixed(n) => self.make_int(i128::from(n), size_type, span),
            ArrayLength::Unknown | ArrayLength::Star => {
                let message = format!("size of incomplete type '{}'", self.show(ty));
                return self.error(span, message);
            }
        };
        let size = self.variable_size(element.ty, span)?;
        let op = crate::typed::BinaryOp::Arith(crate::typed::ArithOp::Mul);
        Ok(self.make(ExprKind::Binary(op, length, size), size_type, span))
    }
}
