//! What calls give to parameters: values, places, outputs; and which types stand for type parameters.

use super::Lowerer;
use super::call::Code;
use super::expression::{Value, calls};
use super::place::Place;
use crate::ast::{Argument, Expr, Name, TypeKind, VariableKind, VariableSection, Variables};
use crate::types::Type;
use rustc_hash::FxHashMap;
use source::Diagnostic;
use source::diagnostic::Result;
use std::sync::Arc;

/// A parameter of a function or method.
#[derive(Copy, Clone)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a Name,
    pub(super) kind: VariableKind,
    /// Whether it is another name for what is given.
    pub(super) reference: bool,
    pub(super) variables: &'a Variables,
}

impl Parameter<'_> {
    /// Whether it takes any number of arguments.
    fn is_variadic(&self) -> bool {
        let kind = self.variables.ty.as_ref().map(|spec| &spec.kind);
        matches!(kind, Some(TypeKind::Variadic { .. }))
    }
}

/// What is given for a parameter.
#[derive(Clone)]
pub(super) enum Given<'a> {
    /// A value.
    Value(Value<'a>),
    /// A variable.
    Place(Place<'a>),
    /// A variable that takes an output, perhaps negated.
    Output(Place<'a>, bool),
    /// Nothing.
    Nothing,
}

impl<'a> Lowerer<'a> {
    /// A generic function for types that have a function of their own: `f__INT` of `f`.
    pub(super) fn specialized(
        &mut self,
        code: Code<'a>,
        parameters: &[Parameter<'a>],
        given: &[Given<'a>],
    ) -> Result<Option<Code<'a>>> {
        if code.generics.is_empty() {
            return Ok(None);
        }
        let types = self.inferred(code, parameters, given)?;
        let mut key = code.name.key.to_string();
        for generic in code.generics {
            if let Some(ty) = types.get(&generic.name.key) {
                key.push_str(&format!("__{}", ty.to_string().to_lowercase()));
            }
        }
        let own = |this: &Self, key: &str| this.table.pou(key).filter(|p| *p < this.table.own);
        // A literal has no type that it could not have another one of.
        let found = own(self, &key)
            .or_else(|| own(self, &key.replace("__lreal", "__real")))
            .or_else(|| own(self, &key.replace("__int", "__dint")));
        Ok(found.map(|pou| self.code_of(pou)))
    }

    /// A variable of this call for a parameter.
    pub(super) fn bind(&mut self, parameter: &Parameter<'a>, given: Given<'a>) -> Result<()> {
        let name = parameter.name;
        if let Given::Place(place) = given {
            self.frame.bindings.insert(name.key.clone(), place);
            return Ok(());
        }
        let Some(spec) = &parameter.variables.ty else { return Ok(()) };
        let ty = match (&spec.kind, &given) {
            (TypeKind::Named(path), Given::Value(value)) if path.last().key.starts_with("any") => {
                match value {
                    Value::Place(place) => place.ty.clone(),
                    value => self.typed(value.clone())?.1,
                }
            }
            _ => self.resolve(spec)?,
        };
        let initial = match given {
            Given::Value(_) => None,
            _ => parameter.variables.initial.as_ref(),
        };
        let value = match given {
            Given::Value(value) => Some(value),
            _ => None,
        };
        let place = match &value {
            Some(_) => self.fresh(&name.key, &name.text, ty)?,
            None => self.local(&name.key, &name.text, ty, initial)?,
        };
        match value {
            Some(value) => self.store(&place, value),
            None => Ok(()),
        }
    }

    /// Types for the type parameters of a call.
    pub(super) fn inferred(
        &mut self,
        code: Code<'a>,
        parameters: &[Parameter<'a>],
        given: &[Given<'a>],
    ) -> Result<FxHashMap<Arc<str>, Type<'a>>> {
        let mut types: FxHashMap<Arc<str>, Type<'a>> = FxHashMap::default();
        for generic in code.generics {
            for (parameter, given) in parameters.iter().zip(given) {
                let named = matches!(
                    parameter.variables.ty.as_ref().map(|spec| &spec.kind),
                    Some(TypeKind::Named(path)) if path.last().key == generic.name.key
                );
                let ty = match given {
                    Given::Value(Value::Place(place)) | Given::Place(place) => place.ty.clone(),
                    Given::Value(value) if named => self.typed(value.clone())?.1,
                    _ => continue,
                };
                if named {
                    let joined = types.get(&generic.name.key).cloned();
                    types.insert(generic.name.key.clone(), joined.unwrap_or(ty));
                }
            }
        }
        Ok(types)
    }

    /// What a call gives for each parameter.
    pub(super) fn given(
        &mut self,
        parameters: &[Parameter<'a>],
        arguments: &'a [Argument],
        callee: source::Span,
    ) -> Result<Vec<Given<'a>>> {
        let mut given: Vec<Given<'a>> = parameters.iter().map(|_| Given::Nothing).collect();
        let impure = |argument: &Argument| match argument {
            Argument::Positional(expr) | Argument::Input(_, Some(expr)) => calls(expr),
            _ => false,
        };
        let keep = arguments.iter().filter(|argument| impure(argument)).count() > 0;
        for (position, argument) in arguments.iter().enumerate() {
            let (at, expr) = match argument {
                Argument::Positional(expr) => (position, Some(expr)),
                Argument::Input(name, _) | Argument::Output(name, _, _) => {
                    let key = &name.key;
                    let found = parameters.iter().rposition(|p| p.name.key == *key);
                    let Some(at) = found else {
                        if name.is("en") || name.is("eno") {
                            continue;
                        }
                        let message = format!("there is no parameter '{name}'");
                        return Err(Diagnostic::error(name.span, message)
                            .note(callee, "the declaration of what is called"));
                    };
                    match argument {
                        Argument::Input(_, expr) => (at, expr.as_ref()),
                        Argument::Output(_, negated, Some(expr)) => {
                            let place = self.assigned_place(expr)?;
                            given[at] = match parameters[at].reference {
                                true => Given::Place(place),
                                false => Given::Output(place, *negated),
                            };
                            continue;
                        }
                        _ => continue,
                    }
                }
            };
            // What is handed over beyond the parameters of `x : INT...` is of the last one.
            let last = parameters.last().filter(|last| last.is_variadic());
            let Some(parameter) = parameters.get(at).or(last) else {
                let message = format!("more arguments than the {} parameters", parameters.len());
                return Err(Diagnostic::error(self.span, message)
                    .note(callee, "the declaration of what is called"));
            };
            let Some(expr) = expr else { continue };
            let one = self.given_one(parameter, expr, keep)?;
            if let Some(slot) = given.get_mut(at) {
                *slot = one;
            }
        }
        Ok(given)
    }

    fn given_one(
        &mut self,
        parameter: &Parameter<'a>,
        expr: &'a Expr,
        keep: bool,
    ) -> Result<Given<'a>> {
        if parameter.kind == VariableKind::Output && !parameter.reference {
            return self.assigned_place(expr).map(|place| Given::Output(place, false));
        }
        if parameter.reference {
            if let Some(place) = self.place(expr, true)? {
                return Ok(Given::Place(place));
            }
            let value = self.expression(expr)?;
            return self.temporary_place(value).map(Given::Place);
        }
        let value = match &parameter.variables.ty {
            Some(spec) => self.value_for(spec, expr)?,
            None => self.expression(expr)?,
        };
        let value = match value {
            Value::Scalar(term, ty) if keep => Value::Scalar(self.keep(term), ty),
            value => value,
        };
        Ok(Given::Value(value))
    }
}

/// The parameters in sections of a function or method.
pub(super) fn parameters(sections: &[VariableSection]) -> Vec<Parameter<'_>> {
    let mut found = Vec::new();
    for section in sections {
        let kind = section.kind;
        let input = kind == VariableKind::Input;
        if !input && !matches!(kind, VariableKind::InOut | VariableKind::Output) {
            continue;
        }
        for variables in &section.variables {
            let open = matches!(
                variables.ty.as_ref().map(|spec| &spec.kind),
                Some(TypeKind::Array { dimensions, .. })
                    if dimensions.iter().any(|d| matches!(d, crate::ast::Dimension::Open))
            );
            let reference = kind == VariableKind::InOut
                || open
                || input && (section.pragmas.iter().any(|pragma| pragma.is("ref")));
            for name in &variables.names {
                found.push(Parameter { name, kind, reference, variables });
            }
        }
    }
    found
}
