//! Variables of calls, and what is not known of units without a body.

use super::Lowerer;
use super::argument::{Parameter, parameters};
use super::expression::Value;
use super::place::Place;
use super::storage::Node;
use crate::ast::{
    Argument, Direct, Expr, Name, TypeKind, TypeSpec, VariableKind, VariableSection, Variables,
};
use crate::types::{Field, PouId, Shape, Type};
use program::program::{Assumption, Cause, Instruction};
use source::diagnostic::Result;
use source::{Diagnostic, Span};
use std::sync::Arc;

impl<'a> Lowerer<'a> {
    /// The sections of a block and of what it inherits from.
    pub(super) fn all_sections(&self, pou: PouId) -> Vec<&'a [VariableSection]> {
        let line = self.table.ancestry(pou).into_iter();
        line.map(|unit| &self.table.pous[unit].sections[..]).collect()
    }

    /// The parameters of a block: those it inherits first.
    pub(super) fn all_parameters(&self, pou: PouId) -> Vec<Parameter<'a>> {
        let mut line = self.table.ancestry(pou);
        line.reverse();
        let table = self.table;
        let mut found: Vec<_> =
            line.into_iter().flat_map(|unit| parameters(&table.pous[unit].sections)).collect();
        for parameter in &mut found {
            // An instance keeps its inputs from call to call.
            parameter.reference = parameter.kind == VariableKind::InOut;
        }
        found
    }

    /// A new variable of this call, not written yet.
    pub(super) fn fresh(&mut self, key: &Arc<str>, name: &str, ty: Type<'a>) -> Result<Place<'a>> {
        let path = format!("{}.{name}", self.frame.path);
        let shown = path.clone();
        let node = self.allocate(&ty, &path, &shown)?;
        let place = Place::new(ty, node);
        self.frame.bindings.insert(key.clone(), place.clone());
        Ok(place)
    }

    /// A new variable of this call with its initial value.
    pub(super) fn local(
        &mut self,
        key: &Arc<str>,
        name: &str,
        ty: Type<'a>,
        initial: Option<&'a Expr>,
    ) -> Result<Place<'a>> {
        let place = self.fresh(key, name, ty)?;
        self.initialize(&place, initial, false)?;
        Ok(place)
    }

    /// The variables of a section that are new in each call: makes them, or gives them their
    /// initial values.
    pub(super) fn local_section(
        &mut self,
        section: &'a VariableSection,
        initialize: bool,
    ) -> Result<()> {
        for variables in &section.variables {
            if variables.location.is_some() {
                continue;
            }
            let Some(spec) = &variables.ty else { continue };
            let ty = self.resolve(spec)?;
            let initial = self.initial_of(spec, variables.initial.as_ref());
            for name in &variables.names {
                self.span = name.span;
                if !initialize {
                    self.fresh(&name.key, &name.text, ty.clone())?;
                } else if let Some(place) = self.frame.bindings.get(&name.key).cloned() {
                    self.initialize(&place, initial, false)?;
                }
            }
        }
        Ok(())
    }

    /// The variables of a section that are made once and kept from call to call.
    pub(super) fn kept_section(&mut self, section: &'a VariableSection) -> Result<()> {
        for variables in &section.variables {
            let Some(spec) = &variables.ty else { continue };
            for name in &variables.names {
                let at = (std::ptr::from_ref(variables).addr(), name.key.clone());
                if let Some(place) = self.kept.get(&at) {
                    self.frame.bindings.insert(name.key.clone(), place.clone());
                    continue;
                }
                let ty = self.resolve(spec)?;
                let known = self.in_memory.len();
                let place = self.fresh(&name.key, &name.text, ty)?;
                self.known_too_late(known)?;
                self.kept.insert(at, place.clone());
                let initial = self.initial_of(spec, variables.initial.as_ref());
                self.at_start(|this| this.initialize(&place, initial, true))?;
            }
        }
        Ok(())
    }

    /// The initial value of a variable: its own, or that of the type that is named.
    pub(super) fn initial_of(&self, spec: &'a TypeSpec, own: Option<&'a Expr>) -> Option<&'a Expr> {
        let mut spec = spec;
        for _ in 0..100 {
            let TypeKind::Named(path) = &spec.kind else { break };
            if own.is_some() {
                break;
            }
            let declaration = self.table.types.get(&path.last().key)?;
            if declaration.initial.is_some() {
                return declaration.initial.as_ref();
            }
            spec = &declaration.ty;
        }
        own
    }

    /// Variables of a section that are at places of the controller's memory.
    pub(super) fn located_section(&mut self, section: &'a VariableSection) -> Result<()> {
        for variables in &section.variables {
            if let Some(location) = &variables.location
                && (!location.address.is_empty() || variables.names.is_empty())
            {
                let place = self.located(variables, location)?;
                for name in &variables.names {
                    self.frame.bindings.insert(name.key.clone(), place.clone());
                }
            }
        }
        Ok(())
    }

    /// The variable at a place of the controller's memory; one for each place that is written.
    pub(super) fn located(
        &mut self,
        variables: &'a Variables,
        location: &'a Direct,
    ) -> Result<Place<'a>> {
        let own = variables.names.first().map_or("", |name| &name.text);
        let ty = match &variables.ty {
            Some(spec) => self.resolve(spec)?,
            None => direct_type(location),
        };
        self.located_at(location, &ty, own, variables.initial.as_ref())
    }

    /// The same, of a variable with this name. One whose place is not written (`%I*`) is one by its
    /// name.
    pub(super) fn located_at(
        &mut self,
        location: &'a Direct,
        ty: &Type<'a>,
        own: &str,
        initial: Option<&'a Expr>,
    ) -> Result<Place<'a>> {
        let text = match location.address.is_empty() {
            true => format!("%{}*{own}", location.area.to_ascii_uppercase()),
            false => direct_name(location),
        };
        if let Some(place) = self.direct.get(&text) {
            return Ok(place.clone());
        }
        let shown = if own.is_empty() { text.clone() } else { own.to_owned() };
        self.new_direct(text, ty.clone(), &shown, initial)
    }

    /// The global variable that a section `VAR_EXTERNAL` speaks of.
    pub(super) fn external(&mut self, field: &Field<'a>) -> Result<Place<'a>> {
        if let Some(place) = self.globals.get(&field.key) {
            return Ok(place.clone());
        }
        let name = &field.name;
        self.undefined_name(name);
        let message =
            format!("no file declares the global variable '{name}'; its value is unknown");
        self.warn_once(field.span, message);
        Ok(Place::new(Type::Unknown(name.clone()), Node::Nothing))
    }

    /// `%IX0.0` in code.
    pub(super) fn direct_place(&mut self, location: &'a Direct) -> Result<Place<'a>> {
        let text = direct_name(location);
        if let Some(place) = self.direct.get(&text) {
            return Ok(place.clone());
        }
        let shown = text.clone();
        self.new_direct(text, direct_type(location), &shown, None)
    }

    fn new_direct(
        &mut self,
        text: String,
        ty: Type<'a>,
        shown: &str,
        initial: Option<&'a Expr>,
    ) -> Result<Place<'a>> {
        let node = self.allocate(&ty, &text, shown)?;
        let place = Place::new(ty, node);
        self.direct.insert(text.clone(), place.clone());
        self.at_start(|this| this.initialize(&place, initial, true))?;
        if text[1..].starts_with(['I', 'i']) {
            self.direct_inputs.push(text.into());
        }
        Ok(place)
    }

    /// Does something before the first cycle.
    pub(super) fn at_start<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let here = std::mem::replace(&mut self.graph.at, self.start_at);
        let done = work(self);
        self.start_at = std::mem::replace(&mut self.graph.at, here);
        done
    }

    /// A variable without a name that holds a value.
    pub(super) fn temporary_place(&mut self, value: Value<'a>) -> Result<Place<'a>> {
        match value {
            Value::Place(place) => Ok(place),
            Value::Text(text) => self.text_object(&text),
            Value::Unknown(name) => Ok(Place::new(Type::Unknown(name), Node::Nothing)),
            value => {
                let (term, ty) = self.typed(value)?;
                let kept = self.temporary(self.pool.sort(term));
                self.assign(kept, term);
                Ok(Place::new(ty, Node::Register(kept)))
            }
        }
    }

    /// A call of something that no file declares: what it gives and changes is unknown.
    pub(super) fn call_unknown(
        &mut self,
        name: &Arc<str>,
        arguments: &'a [Argument],
    ) -> Result<Value<'a>> {
        self.undefined_name(name);
        let message =
            format!("'{name}' is not declared; what it returns and changes is taken as unknown");
        self.warn_once(self.span, message);
        for argument in arguments {
            let expr = match argument {
                Argument::Positional(expr)
                | Argument::Input(_, Some(expr))
                | Argument::Output(_, _, Some(expr)) => expr,
                _ => continue,
            };
            // What is handed over may be changed, unless it is plainly a value.
            match self.place(expr, true)? {
                Some(place) if !place.constant => {
                    self.forget(&place, name)?;
                }
                _ => {
                    let value = self.expression(expr)?;
                    self.forget_pointed(value, name)?;
                }
            }
        }
        Ok(Value::Unknown(name.clone()))
    }

    /// Any values where a pointer points to that is handed over.
    fn forget_pointed(&mut self, value: Value<'a>, name: &Arc<str>) -> Result<()> {
        let Value::Scalar(address, Type::Pointer(to, _)) = value else { return Ok(()) };
        let to = self.target(&to)?;
        self.forget(&Place::new(to, Node::Memory(address)), name)
    }

    /// Any values at a place.
    pub(super) fn forget(&mut self, place: &Place<'a>, name: &str) -> Result<()> {
        self.set_unknown(place, &Cause::Unknown(name.into()))
    }

    /// Any values at a place, for a reason.
    pub(super) fn set_unknown(&mut self, place: &Place<'a>, cause: &Cause) -> Result<()> {
        if let Some(shape) = place.ty.shape() {
            if let Some(register) = place.register() {
                self.havoc(register, cause.clone());
                return Ok(());
            }
            let part = place.part.as_ref().map(|part| part.width);
            let sort = match part {
                Some(width) if width > 1 => term::Sort::BitVec(width),
                _ => shape.sort(),
            };
            let any = self.unknown(sort, cause.clone());
            return self.write(place, any);
        }
        match place.ty.clone() {
            Type::String { .. } => self.unknown_text(place, cause),
            Type::Array(array) => {
                if let Some(address) = place.memory()
                    && matches!(array.element.shape(), Some(Shape::Number { .. }))
                {
                    let size = self.layout(&place.ty)?.0;
                    let length = self.address(size);
                    self.emit(Instruction::HavocBytes { address, length, cause: cause.clone() });
                    return Ok(());
                }
                for number in 0..array.count() {
                    let element = self.known_element(place, &array, i128::from(number))?;
                    self.set_unknown(&element, cause)?;
                }
                Ok(())
            }
            Type::Structure(_) | Type::Block(_) => {
                let fields = self.fields(&place.ty)?.expect("structures and blocks have fields");
                for field in fields.iter().filter(|field| Self::is_stored(field)) {
                    if let Some(inner) = self.member_variable(place, &field.key)? {
                        self.set_unknown(&inner, cause)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The outputs of a block without a body are unknown after each call.
    pub(super) fn forget_outputs(&mut self, pou: PouId) -> Result<()> {
        let Some(this) = self.frame.this.clone() else { return Ok(()) };
        let name = self.table.pous[pou].name.text.clone();
        let fields = self.block_fields(pou)?;
        for field in fields.iter() {
            if matches!(field.kind, VariableKind::Output | VariableKind::Local)
                && let Some(place) = self.member_variable(&this, &field.key)?
            {
                self.forget(&place, &name)?;
            }
            if field.kind == VariableKind::InOut
                && let Some(place) = self.frame.bindings.get(&field.key).cloned()
            {
                self.forget(&place, &name)?;
            }
        }
        Ok(())
    }

    /// Says that a unit has no body.
    pub(super) fn warn_missing(&mut self, name: &Name) {
        self.undefined_name(&name.text);
        let message = format!("'{name}' has no body; what it returns and changes is unknown");
        self.warn_once(name.span, message);
    }

    /// A warning, said once; the verdict depends on it.
    pub(super) fn warn_once(&mut self, span: Span, message: String) {
        if self.warned.insert(message.clone()) {
            let place = self.place_of(span);
            self.assumptions.push(Assumption { text: message.clone(), place });
            self.warnings.push(*Diagnostic::warning(span, message));
        }
    }

    /// Something is used that is not declared.
    pub(super) fn undefined_name(&mut self, name: &Arc<str>) {
        if !self.undefined.contains(name) {
            self.undefined.push(name.clone());
        }
    }
}

/// `%IX0.0`, in capital letters; a bit is `X`.
fn direct_name(direct: &Direct) -> String {
    let address: Vec<String> = direct.address.iter().map(u32::to_string).collect();
    let size = direct.size.unwrap_or('X').to_ascii_uppercase();
    format!("%{}{size}{}", direct.area.to_ascii_uppercase(), address.join("."))
}

/// The type that a place's size says.
fn direct_type(direct: &Direct) -> Type<'static> {
    match direct.size.map(|size| size.to_ascii_uppercase()) {
        Some('B') => Type::Bits(8),
        Some('W') => Type::Bits(16),
        Some('D') => Type::Bits(32),
        Some('L') => Type::Bits(64),
        _ => Type::Bool,
    }
}
