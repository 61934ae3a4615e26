//! Pointers and references: addresses of variables in byte memory.
//!
//! A variable whose address is taken has to be in memory. If it is in registers, its path is noted,
//! and lowering begins again with it in memory.

use super::Lowerer;
use super::expression::Value;
use super::place::Place;
use super::storage::Node;
use crate::ast::{BinaryOp, Expr, Pointer, TypeKind, TypeSpec};
use crate::types::{POINTER_WIDTH, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use term::Term;

impl<'a> Lowerer<'a> {
    /// What a pointer or reference at a place points to.
    pub(super) fn pointed(&mut self, place: &Place<'a>, hold: bool) -> Result<Place<'a>> {
        let Type::Pointer(to, _) = &place.ty else {
            let message = format!("a value of type {} is no pointer", place.ty);
            return Err(Diagnostic::error(self.span, message));
        };
        let to = self.target(to)?;
        let address = self.read(place)?;
        self.at_address(address, to, hold)
    }

    pub(super) fn at_address(
        &mut self,
        address: Term,
        to: Type<'a>,
        hold: bool,
    ) -> Result<Place<'a>> {
        let not_null = self.pool.ne(address, self.address(0));
        self.check(Property::Pointer, not_null);
        let address = if hold { self.keep(address) } else { address };
        Ok(Place::new(to, Node::Memory(address)))
    }

    /// `e^`
    pub(super) fn dereferenced(&mut self, expr: &'a Expr, hold: bool) -> Result<Place<'a>> {
        if let Some(place) = self.raw_place(expr, hold)? {
            return match &place.ty {
                Type::Pointer(..) => self.pointed(&place, hold),
                Type::Unknown(_) => Ok(place),
                // A reference may be followed already.
                _ => Ok(place),
            };
        }
        match self.expression(expr)? {
            Value::Scalar(address, Type::Pointer(to, _)) => {
                let to = self.target(&to)?;
                self.at_address(address, to, hold)
            }
            _ => Err(Diagnostic::error(expr.span, "this is no pointer")),
        }
    }

    /// `p[i]`: what is i elements after what the pointer points to.
    pub(super) fn moved(
        &mut self,
        place: &Place<'a>,
        index: Value<'a>,
        hold: bool,
    ) -> Result<Place<'a>> {
        let Type::Pointer(to, _) = &place.ty else { return Ok(place.clone()) };
        let to = self.target(to)?;
        if let Type::Array(_) = to {
            let array = self.pointed(place, hold)?;
            return self.indexed(array, vec![index], hold);
        }
        let size = self.layout(&to)?.0;
        let address = self.read(place)?;
        let index = self.coerce(index, &Type::Integer { width: POINTER_WIDTH, signed: true })?;
        let offset = self.pool.bv_mul(index, self.address(size));
        let address = self.pool.bv_add(address, offset);
        self.at_address(address, to, hold)
    }

    /// The address of a place.
    pub(super) fn address_of(&mut self, place: &Place<'a>) -> Result<Term> {
        if place.part.is_some() {
            return Err(Diagnostic::error(self.span, "a bit has no address"));
        }
        let mut result = None;
        for spot in &place.spots {
            let address = match &spot.node {
                Node::Memory(address) => *address,
                Node::Register(variable) => {
                    if let Some(owner) = self.owners.get(variable).cloned() {
                        self.found.memory.insert(owner);
                    }
                    self.address(0)
                }
                Node::Parts(parts) => {
                    // The whole variable that it is a part of moves to memory.
                    let owner = self.owner_of(&spot.node).unwrap_or_else(|| parts.0.clone());
                    self.found.memory.insert(owner);
                    self.address(0)
                }
                Node::Nothing => self.address(0),
            };
            result = Some(match (result, spot.guard) {
                (Some(other), Some(guard)) => self.pool.ite(guard, address, other),
                _ => address,
            });
        }
        Ok(result.unwrap_or_else(|| self.address(0)))
    }

    /// The variable that some register in a tree belongs to.
    fn owner_of(&self, node: &Node) -> Option<std::sync::Arc<str>> {
        match node {
            Node::Register(variable) => self.owners.get(variable).cloned(),
            Node::Parts(parts) => parts.1.iter().find_map(|node| self.owner_of(node)),
            Node::Memory(_) | Node::Nothing => None,
        }
    }

    /// `REF(x)`, `ADR(x)`
    pub(super) fn reference_to(&mut self, expr: &'a Expr) -> Result<Value<'a>> {
        let place = match self.place(expr, true)? {
            Some(place) => place,
            // The result of a function that gives a string is in memory anyway.
            None => match self.expression(expr)? {
                Value::Unknown(name) => return Ok(Value::Unknown(name)),
                value if self.is_text(&value) => self.temporary_place(value)?,
                _ => return Err(Diagnostic::error(expr.span, "only variables have addresses")),
            },
        };
        self.reference_to_place(place)
    }

    /// The address of a variable as a value.
    pub(super) fn reference_to_place(&mut self, place: Place<'a>) -> Result<Value<'a>> {
        if let Type::Unknown(name) = place.ty {
            return Ok(Value::Unknown(name));
        }
        let address = self.address_of(&place)?;
        Ok(Value::Scalar(address, Type::Pointer(Rc::new(place.ty), false)))
    }

    /// A value for a variable of a pointer or reference type. A reference takes the address of what
    /// it is given; so does a pointer that is given a variable of the type that it points to, which
    /// some tools allow where blocks are handed over.
    pub(super) fn value_for(&mut self, ty: &TypeSpec, expr: &'a Expr) -> Result<Value<'a>> {
        let TypeKind::Pointer(kind, to) = &ty.kind else { return self.expression(expr) };
        let Some(place) = self.raw_place(expr, true)? else { return self.expression(expr) };
        if matches!(place.ty, Type::Pointer(..)) {
            return self.value_of(place);
        }
        if *kind == Pointer::ReferenceTo {
            return self.reference_to_place(place);
        }
        let same = match (&to.kind, &place.ty) {
            (TypeKind::Named(path), Type::Block(pou)) => {
                let wanted = self.table.pou_of(path);
                self.table.ancestry(*pou).iter().any(|unit| Some(*unit) == wanted)
            }
            (TypeKind::Named(path), Type::Structure(structure)) => {
                path.last().is(&structure.name.to_lowercase())
            }
            _ => false,
        };
        if same {
            let message = "a variable where a pointer is expected; its address is taken";
            self.warn_once(expr.span, message.to_owned());
            return self.reference_to_place(place);
        }
        self.value_of(place)
    }

    /// Arithmetic with pointers: addresses plus bytes.
    pub(super) fn pointer_arithmetic(
        &mut self,
        op: BinaryOp,
        a: &Value<'a>,
        b: &Value<'a>,
    ) -> Result<Option<Value<'a>>> {
        let pointer = |value: &Value<'a>| match value {
            Value::Scalar(_, ty @ Type::Pointer(..)) => Some(ty.clone()),
            _ => None,
        };
        let ty = match (pointer(a), pointer(b)) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => Type::Bits(POINTER_WIDTH),
            (Some(ty), None) | (None, Some(ty)) => ty,
        };
        let number = Type::Bits(POINTER_WIDTH);
        let (a, b) = (self.coerce(a.clone(), &number)?, self.coerce(b.clone(), &number)?);
        let term = match op {
            BinaryOp::Add => self.pool.bv_add(a, b),
            BinaryOp::Sub => self.pool.bv_sub(a, b),
            _ => {
                return Err(Diagnostic::error(self.span, "pointers are added and subtracted only"));
            }
        };
        Ok(Some(Value::Scalar(term, ty)))
    }
}
