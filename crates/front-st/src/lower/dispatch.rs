//! Methods through interfaces, and properties: code that is run where a variable is read or written.

use super::Lowerer;
use super::call::Code;
use super::expression::Value;
use super::place::Place;
use crate::ast::{Accessor, Argument, Expr, ExprKind, Name, Pointer, TypeKind, TypeSpec};
use crate::types::{PouId, Type};
use source::Diagnostic;
use source::diagnostic::Result;

impl<'a> Lowerer<'a> {
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
        let interface = matches!(place.ty, Type::Interface(_));
        if interface || self.may_be_derived(place) && self.property_type(place, name).is_some() {
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

    /// The type of a property.
    fn property_type(&self, place: &Place<'a>, name: &Name) -> Option<&'a TypeSpec> {
        match &place.ty {
            Type::Block(pou) => self.table.property(*pou, &name.key).map(|(_, found)| &found.ty),
            Type::Interface(interface) => {
                let found = self.table.interface_property(interface, &name.key)?;
                Some(&found.ty)
            }
            _ => None,
        }
    }

    /// What a property refers to, if it gives a reference.
    pub(super) fn property_place(
        &mut self,
        place: &Place<'a>,
        name: &'a Name,
        hold: bool,
    ) -> Result<Option<Place<'a>>> {
        if !self.property_type(place, name).is_some_and(is_reference) {
            return Ok(None);
        }
        match self.property_get(place, name)? {
            Some(Value::Scalar(address, Type::Pointer(to, _))) => {
                let to = self.target(&to)?;
                self.at_address(address, to, hold).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What a call refers to, if it gives a reference.
    pub(super) fn called_place(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Argument],
        hold: bool,
    ) -> Result<Option<Place<'a>>> {
        if !self.result_type(callee)?.is_some_and(is_reference) {
            return Ok(None);
        }
        match self.call(callee, arguments)? {
            Value::Scalar(address, Type::Pointer(to, _)) => {
                let to = self.target(&to)?;
                self.at_address(address, to, hold).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The type of what a call gives, as it is declared.
    fn result_type(&mut self, callee: &'a Expr) -> Result<Option<&'a TypeSpec>> {
        let of_method = |this: &Self, ty: &Type<'a>, key: &str| match ty {
            Type::Block(pou) => this.table.method(*pou, key)?.1.result.as_ref(),
            Type::Interface(interface) => {
                this.table.interface_method(interface, key)?.result.as_ref()
            }
            _ => None,
        };
        match &callee.kind {
            ExprKind::Name(name) => {
                let this = self.frame.this.as_ref().map(|this| this.ty.clone());
                let own = this.and_then(|ty| of_method(self, &ty, &name.key));
                let function = self.table.pou(&name.key);
                Ok(own.or_else(|| self.table.pous[function?].result.as_ref()))
            }
            ExprKind::Member(base, name) if !super::expression::calls(base) => {
                let Some(place) = self.place(base, false)? else { return Ok(None) };
                let ty = match &place.ty {
                    Type::Pointer(to, _) => self.target(to)?,
                    ty => ty.clone(),
                };
                Ok(of_method(self, &ty, &name.key))
            }
            _ => Ok(None),
        }
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
            if let Value::Unknown(_) = value {
                return Ok(value);
            }
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
            Type::Interface(_) => {}
            Type::Block(pou) if self.table.property(pou, &name.key).is_some() => {}
            _ => return Ok(None),
        }
        let value = match self.property_type(&place, name) {
            Some(spec) => self.value_for(spec, value)?,
            None => self.expression(value)?,
        };
        match place.ty {
            Type::Block(pou) if !self.may_be_derived(&place) => {
                self.set_property(&place, pou, name, value).map(Some)
            }
            _ => {
                self.choose_instance(&place, |this, instance, pou| {
                    this.set_property(instance, pou, name, value.clone())?;
                    Ok(Value::Void)
                })?;
                Ok(Some(()))
            }
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

/// Whether a type is `REFERENCE TO` something: what it gives is followed where it is used.
fn is_reference(spec: &TypeSpec) -> bool {
    matches!(spec.kind, TypeKind::Pointer(Pointer::ReferenceTo, _))
}
