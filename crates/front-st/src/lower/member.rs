//! Expressions that are places: variables, members, elements, bits, what pointers point to.

use super::Lowerer;
use super::expression::Value;
use super::place::{Part, Place, Side, Spot};
use super::storage::Node;
use crate::ast::{Expr, ExprKind, Name};
use crate::types::{Shape, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;

impl<'a> Lowerer<'a> {
    /// The place that an expression means, if it means one; references are followed. To hold it is
    /// to mean this place whatever happens to the variables of indices later.
    pub(super) fn place(&mut self, expr: &'a Expr, hold: bool) -> Result<Option<Place<'a>>> {
        match self.raw_place(expr, hold)? {
            Some(place) if matches!(place.ty, Type::Pointer(_, true)) => {
                self.pointed(&place, hold).map(Some)
            }
            place => Ok(place),
        }
    }

    /// The place of an expression that has to be one.
    pub(super) fn assigned_place(&mut self, expr: &'a Expr) -> Result<Place<'a>> {
        let outer = std::mem::replace(&mut self.span, expr.span);
        let place = match self.place(expr, true)? {
            None if self.undeclared(expr) => {
                Some(Place::new(Type::Unknown("undeclared".into()), Node::Nothing))
            }
            place => place,
        };
        self.span = outer;
        place.ok_or_else(|| {
            let message = match &expr.kind {
                ExprKind::Name(name) => format!("'{name}' is no variable"),
                _ => "this is no variable".to_owned(),
            };
            Diagnostic::error(expr.span, message)
        })
    }

    /// Whether an expression speaks of a name that no file declares: one of other files, or of a
    /// controller's table of variables. Then that is said; what it holds is unknown.
    pub(super) fn undeclared(&mut self, expr: &'a Expr) -> bool {
        let name = match &expr.kind {
            ExprKind::Name(name) | ExprKind::Global(name) => name,
            ExprKind::Member(base, _)
            | ExprKind::Part(base, ..)
            | ExprKind::PartAt(base, ..)
            | ExprKind::Deref(base)
            | ExprKind::Index(base, _) => return self.undeclared(base),
            _ => return false,
        };
        // In a requirement it is a mistake.
        let known = self.quiet > 0
            || self.frame.bindings.contains_key(&name.key)
            || self.globals.contains_key(&name.key)
            || self.enumerators.contains_key(&name.key)
            || self.table.pou(&name.key).is_some()
            || self.is_scope(&name.key)
            || !matches!(self.variable(&name.key), Ok(None))
            || !matches!(self.type_named(&name.key), Ok(None));
        if !known {
            self.undefined_name(&name.text);
            let message = format!("'{name}' is not declared; its value is taken as unknown");
            self.warn_once(name.span, message);
        }
        !known
    }

    /// The same, and a reference is the place that holds it.
    pub(super) fn raw_place(&mut self, expr: &'a Expr, hold: bool) -> Result<Option<Place<'a>>> {
        match &expr.kind {
            ExprKind::Name(name) => match (self.variable(&name.key)?, self.frame.this.clone()) {
                (None, Some(this)) => self.property_place(&this, name, hold),
                (place, _) => Ok(place),
            },
            ExprKind::Call(callee, arguments) => self.called_place(callee, arguments, hold),
            ExprKind::Global(name) => Ok(self.globals.get(&name.key).cloned()),
            ExprKind::Direct(direct) => self.direct_place(direct).map(Some),
            ExprKind::This => Ok(self.frame.this.clone()),
            ExprKind::Super => Ok(self.base_of_this()),
            ExprKind::Member(base, name) => self.member_place(base, name, hold),
            ExprKind::Index(base, indices) => {
                let Some(place) = self.place(base, hold)? else { return Ok(None) };
                let mut values = Vec::new();
                for index in indices {
                    values.push(self.expression(index)?);
                }
                self.span = expr.span;
                self.indexed(place, values, hold).map(Some)
            }
            ExprKind::Part(base, width, index) => {
                let Some(place) = self.place(base, hold)? else { return Ok(None) };
                self.part_place(place, width.bits(), *index).map(Some)
            }
            ExprKind::PartAt(base, width, index) => {
                let Some(place) = self.place(base, hold)? else { return Ok(None) };
                let index = self.expression(index)?;
                self.part_at(place, width.bits(), index, hold).map(Some)
            }
            ExprKind::Deref(base) => match &base.kind {
                ExprKind::This => Ok(self.frame.this.clone()),
                ExprKind::Super => Ok(self.base_of_this()),
                _ => self.dereferenced(base, hold).map(Some),
            },
            _ => Ok(None),
        }
    }

    /// What this instance inherits from; it is the same place.
    fn base_of_this(&mut self) -> Option<Place<'a>> {
        self.frame.this.clone()
    }

    fn member_place(
        &mut self,
        base: &'a Expr,
        name: &'a Name,
        hold: bool,
    ) -> Result<Option<Place<'a>>> {
        if let Some(place) = self.place(base, hold)? {
            return match &place.ty {
                Type::Unknown(_) => Ok(Some(Place {
                    ty: Type::Unknown(name.text.clone()),
                    spots: vec![Spot { guard: None, node: Node::Nothing }],
                    part: None,
                    constant: false,
                })),
                _ => {
                    let target = match &place.ty {
                        Type::Pointer(..) => self.pointed(&place, hold)?,
                        _ => place,
                    };
                    match self.member_variable(&target, &name.key)? {
                        Some(found) => Ok(Some(found)),
                        None => self.property_place(&target, name, hold),
                    }
                }
            };
        }
        // A program that nobody calls still has variables.
        if let ExprKind::Name(unit) = &base.kind
            && let Some(pou) = self.table.pou(&unit.key)
            && self.table.pous[pou].kind == crate::ast::PouKind::Program
            && self.quiet == 0
        {
            let place = self.global_instance(pou)?;
            return self.member_variable(&place, &name.key);
        }
        // A list of global variables, or a namespace.
        if let ExprKind::Name(list) = &base.kind
            && (self.is_scope(&list.key) || self.frames.len() <= 1 && self.is_entry(&list.key))
        {
            return self.variable(&name.key);
        }
        Ok(None)
    }

    fn is_scope(&self, key: &str) -> bool {
        let list = |name: &Option<std::sync::Arc<str>>| name.as_ref().is_some_and(|n| **n == *key);
        self.table.globals.iter().any(|(name, _)| list(name))
            || self.table.configurations.iter().any(|c| {
                c.name.is(key)
                    || c.resources.iter().any(|r| r.name.as_ref().is_some_and(|name| name.is(key)))
            })
    }

    /// Whether a name in a requirement is that of the unit itself: `instance.x`.
    fn is_entry(&self, key: &str) -> bool {
        key == "instance" || self.frame.owner.is_some_and(|o| self.table.pous[o].name.is(key))
    }

    /// An element of an array, a character of a string, a bit of a number.
    pub(super) fn indexed(
        &mut self,
        place: Place<'a>,
        mut indices: Vec<Value<'a>>,
        hold: bool,
    ) -> Result<Place<'a>> {
        match place.ty.clone() {
            Type::Array(array) => {
                // An array of arrays may be indexed at once.
                let own = array.dimensions.len();
                if indices.len() > own && matches!(array.element, Type::Array(_)) {
                    let rest = indices.split_off(own);
                    let inner = self.element(&place, &array, indices, hold)?;
                    return self.indexed(inner, rest, hold);
                }
                self.element(&place, &array, indices, hold)
            }
            Type::Pointer(..) => {
                let index = indices.remove(0);
                let target = self.moved(&place, index, hold)?;
                if indices.is_empty() { Ok(target) } else { self.indexed(target, indices, hold) }
            }
            Type::String { wide, length } => {
                let element = Type::Bits(if wide { 16 } else { 8 });
                // Characters count from 1 in the standard.
                let array = crate::types::Array {
                    dimensions: vec![(1, i128::from(length))],
                    element,
                    initial: None,
                };
                self.element(&place, &Rc::new(array), indices, hold)
            }
            Type::Unknown(_) => Ok(place),
            ty => Err(Diagnostic::error(self.span, format!("an index into a value of type {ty}"))),
        }
    }

    /// A bit or another part of a number.
    fn part_place(&mut self, place: Place<'a>, width: u32, index: u32) -> Result<Place<'a>> {
        if let Type::Unknown(_) = place.ty {
            return Ok(place);
        }
        let (base, whole) = match (&place.part, place.ty.shape()) {
            (None, Some(Shape::Number { width, .. })) => (0, width),
            (Some(part), Some(Shape::Number { .. })) => (part.low, part.width),
            _ => {
                let message = format!("part of a value of type {}", place.ty);
                return Err(Diagnostic::error(self.span, message));
            }
        };
        let low = index.saturating_mul(width);
        if low + width > whole {
            let message = format!("there is no part {index} of so many bits in a {}", place.ty);
            return Err(Diagnostic::error(self.span, message));
        }
        let ty = if width == 1 { Type::Bool } else { Type::Bits(width) };
        if width == whole {
            return Ok(Place { ty, ..place });
        }
        let number = place.part.as_ref().map_or(&place.ty, |part| &part.whole).clone();
        let at = place.part.as_ref().and_then(|part| part.at);
        let part = Some(Part { low: base + low, at, width, whole: number });
        Ok(Place { ty, part, ..place })
    }

    /// The part of a number that a variable says.
    fn part_at(
        &mut self,
        place: Place<'a>,
        width: u32,
        index: Value<'a>,
        hold: bool,
    ) -> Result<Place<'a>> {
        if let Some(known) = self.known_integer(&index) {
            let known = u32::try_from(known).unwrap_or(u32::MAX);
            return self.part_place(place, width, known);
        }
        if let Type::Unknown(_) = place.ty {
            return Ok(place);
        }
        let (None, Some(Shape::Number { width: whole, .. })) = (&place.part, place.ty.shape())
        else {
            let message = format!("part of a value of type {}", place.ty);
            return Err(Diagnostic::error(self.span, message));
        };
        let (term, shape) = self.scalar(index)?;
        let Shape::Number { signed, .. } = shape else {
            return Err(Diagnostic::error(self.span, "the number of a part has to be an integer"));
        };
        let last = i128::from(whole / width) - 1;
        let within = self.pool.and([
            self.compared(term, signed, 0, Side::AtLeast),
            self.compared(term, signed, last, Side::AtMost),
        ]);
        self.check(Property::Bounds, within);
        let index = self.resize(term, whole, signed);
        let at = self.pool.bv_mul(index, self.pool.bv(u64::from(width), whole));
        let at = if hold { self.keep(at) } else { at };
        let ty = if width == 1 { Type::Bool } else { Type::Bits(width) };
        let part = Some(Part { low: 0, at: Some(at), width, whole: place.ty.clone() });
        Ok(Place { ty, part, ..place })
    }

    /// A part of a value that is at no place.
    pub(super) fn part_of_value(
        &mut self,
        value: Value<'a>,
        width: u32,
        index: u32,
    ) -> Result<Value<'a>> {
        let (term, shape) = self.scalar(value)?;
        let low = index.saturating_mul(width);
        match shape {
            Shape::Number { width: whole, .. } if low + width <= whole => {
                let bits = self.pool.bv_extract(term, low + width - 1, low);
                Ok(if width == 1 {
                    Value::Scalar(self.pool.eq(bits, self.pool.bv(1, 1)), Type::Bool)
                } else {
                    Value::Scalar(bits, Type::Bits(width))
                })
            }
            _ => Err(Diagnostic::error(self.span, "the value has no such part")),
        }
    }
}
