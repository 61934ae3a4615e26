//! Interfaces and properties.
//!
//! A variable of an interface type holds the number of an instance, zero for none. Which instances
//! there are shows while lowering ([`super::Wanted`]); a call is a choice between them.

use super::Lowerer;
use super::call::Code;
use super::expression::Value;
use super::place::Place;
use super::storage::Node;
use crate::ast::{Accessor, Argument, Expr, ExprKind, Name};
use crate::types::{PouId, Type};
use program::Property;
use source::Diagnostic;
use source::diagnostic::Result;
use term::Term;

impl<'a> Lowerer<'a> {
    /// The number of an instance, as interfaces hold it.
    pub(super) fn instance_number(&mut self, place: &Place<'a>) -> Result<Term> {
        let width = 16;
        let mut result = self.pool.bv(0, width);
        for spot in place.spots.iter().rev() {
            let Node::Parts(parts) = &spot.node else { continue };
            let path = parts.0.clone();
            let known = self.wanted.instances.iter().position(|other| *other == path);
            if !self.found.instances.contains(&path) {
                self.found.instances.push(path);
            }
            let number = known.map_or(0, |at| at as u64 + 1);
            let number = self.pool.bv(number, width);
            result = match spot.guard {
                Some(guard) => self.pool.ite(guard, number, result),
                None => number,
            };
        }
        Ok(result)
    }

    /// A call of a method through an interface.
    pub(super) fn dispatched(
        &mut self,
        place: &Place<'a>,
        name: &'a Name,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        self.choose_instance(place, |this, instance, pou| {
            this.call_of_instance(instance, pou, name, arguments)
        })
    }

    /// Does something with the instance that an interface refers to.
    fn choose_instance(
        &mut self,
        place: &Place<'a>,
        mut work: impl FnMut(&mut Self, &Place<'a>, PouId) -> Result<Value<'a>>,
    ) -> Result<Value<'a>> {
        let Type::Interface(interface) = place.ty.clone() else {
            return Err(Diagnostic::error(self.span, "this is no interface"));
        };
        let number = self.read(place)?;
        let number = self.keep(number);
        let none = self.pool.bv(0, 16);
        self.check(Property::Pointer, self.pool.ne(number, none));
        let done = self.new_location();
        let mut result: Option<(program::program::VariableId, Type<'a>)> = None;
        for (at, path) in self.wanted.instances.clone().into_iter().enumerate() {
            let Some((pou, node)) = self.instances.get(&path).cloned() else { continue };
            if !self.table.implements(pou, &interface) {
                continue;
            }
            let (then, next) = (self.new_location(), self.new_location());
            let is = self.pool.eq(number, self.pool.bv(at as u64 + 1, 16));
            self.split(is, then, next);
            self.continue_at(then);
            let instance = Place::new(Type::Block(pou), node);
            if let Value::Scalar(term, ty) = work(self, &instance, pou)? {
                let into = match &result {
                    Some((into, _)) => *into,
                    None => {
                        let into = self.temporary(self.pool.sort(term));
                        result = Some((into, ty));
                        into
                    }
                };
                if self.pool.sort(self.term_of(into)) == self.pool.sort(term) {
                    self.assign(into, term);
                }
            }
            self.jump(done);
            self.continue_at(next);
        }
        if let Some((into, _)) = &result {
            let zero = self.zero(self.variables[*into].sort);
            self.assign(*into, zero);
        }
        self.jump(done);
        self.continue_at(done);
        Ok(match result {
            Some((into, ty)) => Value::Scalar(self.term_of(into), ty),
            // In the first round no instance is known yet.
            None => Value::Unknown(interface),
        })
    }

    /// The half of a property as code.
    fn accessor_code(
        owner: PouId,
        property: &'a crate::ast::Property,
        accessor: &'a Accessor,
        get: bool,
    ) -> Code<'a> {
        Code {
            name: &property.name,
            owner: Some(owner),
            sections: &accessor.sections,
            result: get.then_some(&property.ty),
            generics: &[],
            body: &accessor.body,
        }
    }

    /// What the property of an instance gives, if it has it.
    fn property_get(&mut self, place: &Place<'a>, name: &'a Name) -> Result<Option<Value<'a>>> {
        if let Type::Interface(_) = place.ty {
            let value = self.choose_instance(place, |this, instance, _| {
                Ok(this.property_get(instance, name)?.unwrap_or(Value::Void))
            })?;
            return Ok(Some(value));
        }
        let Type::Block(pou) = place.ty else { return Ok(None) };
        let Some((owner, property)) = self.table.property(pou, &name.key) else {
            return Ok(None);
        };
        let Some(get) = &property.get else {
            let message = format!("the property '{name}' can't be read");
            return Err(Diagnostic::error(name.span, message));
        };
        let code = Self::accessor_code(owner, property, get, true);
        self.run_code(code, Some(place.clone()), &[], Vec::new()).map(Some)
    }

    /// A property of this instance.
    pub(super) fn property_of_this(&mut self, name: &'a Name) -> Result<Option<Value<'a>>> {
        match self.frame.this.clone() {
            Some(this) => self.property_get(&this, name),
            None => Ok(None),
        }
    }

    /// `base.name` where it is no variable.
    pub(super) fn property_or_member(
        &mut self,
        base: &'a Expr,
        name: &'a Name,
    ) -> Result<Value<'a>> {
        if let Some(place) = self.place(base, false)? {
            if let Some(value) = self.property_get(&place, name)? {
                return Ok(value);
            }
            let message = format!("{} has no variable or property '{name}'", self.named(&place));
            return Err(Diagnostic::error(name.span, message));
        }
        if let ExprKind::Call(..) = &base.kind {
            let value = self.expression(base)?;
            let place = self.temporary_place(value)?;
            return match self.member_variable(&place, &name.key)? {
                Some(field) => self.value_of(field),
                None => Err(Diagnostic::error(name.span, format!("there is no field '{name}'"))),
            };
        }
        // A name in a namespace.
        if let Some(constant) = self.constant_named(&name.key)? {
            return Ok(constant);
        }
        if let Some(place) = self.globals.get(&name.key).cloned() {
            return self.value_of(place);
        }
        if let Some((ty, number)) = self.enumerators.get(&name.key).cloned() {
            let shape = ty.shape().expect("enumerations are scalars");
            return Ok(Value::Scalar(self.constant_of(number, shape), ty));
        }
        if self.undeclared(base) {
            return Ok(Value::Unknown(name.text.clone()));
        }
        Err(Diagnostic::error(base.span, "this is not declared"))
    }

    fn named(&self, place: &Place<'a>) -> String {
        match place.ty {
            Type::Block(pou) => format!("'{}'", self.table.pous[pou].name),
            ref ty => format!("a value of type {ty}"),
        }
    }

    /// An assignment to a property; none if the target is no property.
    pub(super) fn property_set(&mut self, target: &'a Expr, value: &'a Expr) -> Result<Option<()>> {
        let (place, name) = match &target.kind {
            ExprKind::Member(base, name) => match self.place(base, true)? {
                Some(place) => (place, name),
                None => return Ok(None),
            },
            ExprKind::Name(name) => {
                if self.frame.bindings.contains_key(&name.key) {
                    return Ok(None);
                }
                match self.frame.this.clone() {
                    Some(this) => (this, name),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        match place.ty {
            Type::Interface(_) => {
                let value = self.expression(value)?;
                self.choose_instance(&place, |this, instance, pou| {
                    this.set_property(instance, pou, name, value.clone())?;
                    Ok(Value::Void)
                })?;
                Ok(Some(()))
            }
            Type::Block(pou) if self.table.property(pou, &name.key).is_some() => {
                let value = self.expression(value)?;
                self.set_property(&place, pou, name, value).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn set_property(
        &mut self,
        place: &Place<'a>,
        pou: PouId,
        name: &'a Name,
        value: Value<'a>,
    ) -> Result<()> {
        let Some((owner, property)) = self.table.property(pou, &name.key) else {
            return Err(Diagnostic::error(name.span, format!("there is no property '{name}'")));
        };
        let Some(set) = &property.set else {
            let message = format!("the property '{name}' can't be written");
            return Err(Diagnostic::error(name.span, message));
        };
        let ty = self.resolve(&property.ty)?;
        let mut code = Self::accessor_code(owner, property, set, false);
        code.sections = &set.sections;
        self.setter = Some((property.name.key.clone(), ty, value));
        self.run_code(code, Some(place.clone()), &[], Vec::new()).map(|_| ())
    }
}
