//! Calls [C11 §6.5.2.2] and variable arguments.

use super::Checker;
use super::conversion::Purpose;
use super::place::Operand;
use super::scope::Entity;
use crate::ast;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{Callee, ExprId, ExprKind, FunctionId, Linkage};
use crate::types::{DataModel, FloatKind, FunctionType, Type, TypeId};

impl Checker {
    pub(super) fn call(
        &mut self,
        u: &ast::Unit,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        span: Span,
    ) -> Result<ExprId> {
        if let ast::ExprKind::Ident(name) = u.exprs[callee].kind
            && let Some(value) = self.verifier_call(u, name, arguments, span)?
        {
            return Ok(value);
        }
        if let ast::ExprKind::Ident(name) = u.exprs[callee].kind
            && self.scopes.lookup(name).is_none()
        {
            let text = self.name(name).to_owned();
            if let Some(value) = self.builtin_call(u, &text, arguments, span)? {
                return Ok(value);
            }
            if self.library_builtin(&text, span).is_none() {
                self.implicit_function(name, u.exprs[callee].span)?;
            }
        }
        let operand = self.operand(u, callee)?;
        let (callee, ty) = self.callee(operand, u.exprs[callee].span)?;
        let arguments = self.rvalues(u, arguments)?;
        self.finish_call(callee, ty, arguments, span)
    }

    pub(super) fn rvalues(&mut self, u: &ast::Unit, list: &[ast::ExprId]) -> Result<Vec<ExprId>> {
        list.iter().map(|&argument| self.rvalue(u, argument)).collect()
    }

    fn callee(&mut self, operand: Operand, span: Span) -> Result<(Callee, TypeId)> {
        let value = match operand {
            Operand::Function(function) => {
                return Ok((Callee::Function(function), self.program.functions[function].ty));
            }
            other => self.value_of(other, span)?,
        };
        if let ExprKind::FunctionAddress(function) = self.program.exprs[value].kind {
            return Ok((Callee::Function(function), self.program.functions[function].ty));
        }
        let ty = self.type_of(value);
        match self.program.types.pointee(ty) {
            Some(to) if matches!(self.program.types.get(to.ty), Type::Function(_)) => {
                Ok((Callee::Pointer(value), to.ty))
            }
            _ => {
                let message = format!("'{}' is called, but is no function", self.show(ty));
                self.error(span, message)
            }
        }
    }

    /// Converts the arguments and makes the call.
    pub(super) fn finish_call(
        &mut self,
        callee: Callee,
        ty: TypeId,
        arguments: Vec<ExprId>,
        span: Span,
    ) -> Result<ExprId> {
        let Type::Function(function) = self.program.types.get(ty).clone() else {
            return self.error(span, "call of something that is no function");
        };
        self.check_count(callee, &function, arguments.len(), span)?;
        let mut converted = Vec::with_capacity(arguments.len());
        for (i, argument) in arguments.into_iter().enumerate() {
            let at = self.span_of(argument);
            let value = match function.params.get(i).filter(|_| function.prototype) {
                Some(param) => self.assign_convert(argument, param.ty, Purpose::Argument, at)?,
                None => self.promote_argument(argument)?,
            };
            converted.push(value);
        }
        let result = function.result;
        if !self.program.types.is_void(result) && !self.program.types.is_complete(result) {
            return self.error(span, "call returns an incomplete type");
        }
        Ok(self.make(ExprKind::Call(callee, converted), result, span))
    }

    fn check_count(
        &self,
        callee: Callee,
        function: &FunctionType,
        given: usize,
        span: Span,
    ) -> Result<()> {
        let needed = function.params.len();
        let fits = given == needed || (given > needed && function.variadic);
        if !function.prototype || fits {
            return Ok(());
        }
        let few = if given < needed { "few" } else { "many" };
        let mut error =
            Diagnostic::error(span, format!("too {few} arguments: {needed} needed, {given} given"));
        if let Callee::Function(id) = callee {
            error = error.note(self.program.functions[id].span, "declared here");
        }
        Err(error)
    }

    /// Default argument promotions.
    fn promote_argument(&mut self, value: ExprId) -> Result<ExprId> {
        let ty = self.type_of(value);
        match self.program.types.get(ty) {
            Type::Float(FloatKind::Float) => {
                let double = self.types().float(FloatKind::Double);
                Ok(self.convert(value, double))
            }
            Type::Void => self.error(self.span_of(value), "argument has type void"),
            _ => Ok(self.promote(value)),
        }
    }

    /// A function that is called but not declared returns an `int` [C89 §3.3.2.2].
    fn implicit_function(&mut self, name: Symbol, span: Span) -> Result<FunctionId> {
        let text = self.name(name).to_owned();
        if text.starts_with("__builtin_") {
            return self.error(span, format!("builtin '{text}' is not supported"));
        }
        let known = match self.externals.get(&name) {
            Some(Entity::Function(id)) => Some(*id),
            Some(_) => return self.error(span, format!("'{text}' is a variable elsewhere")),
            None => None,
        };
        self.warn(span, format!("'{text}' is called without a declaration"));
        let id = match known {
            Some(id) => id,
            None => {
                let result = self.int_type();
                let ty =
                    FunctionType { result, params: Vec::new(), variadic: false, prototype: false };
                let ty = self.types().intern(Type::Function(ty));
                let id = self.new_function(name, span, ty, Linkage::External);
                self.program.functions[id].implicit = true;
                self.externals.insert(name, Entity::Function(id));
                id
            }
        };
        self.scopes.bind_file(name, Entity::Function(id), span);
        Ok(id)
    }

    /// A pointer to the `va_list` that an expression designates.
    pub(super) fn va_list_pointer(&mut self, u: &ast::Unit, list: ast::ExprId) -> Result<ExprId> {
        let span = u.exprs[list].span;
        match self.program.types.model {
            // An array, or as a parameter already a pointer to its element.
            DataModel::Lp64 => {
                let value = self.rvalue(u, list)?;
                let va_list = self.va_list_type().ty;
                let element = match *self.program.types.get(va_list) {
                    Type::Array(element, _) => element.ty,
                    _ => return self.error(span, "va_list is no array"),
                };
                if self.program.types.pointee(self.type_of(value)).is_none() {
                    return self.error(span, "argument is not a va_list");
                }
                let pointer = self.types().pointer(crate::types::QualType::plain(element));
                self.assign_convert(value, pointer, Purpose::Argument, span)
            }
            DataModel::Ilp32 => {
                let place = self.place(u, list)?;
                Ok(self.address(place, span))
            }
        }
    }

    pub(super) fn va_arg(
        &mut self,
        u: &ast::Unit,
        list: ast::ExprId,
        ty: ast::TypeNameId,
        span: Span,
    ) -> Result<ExprId> {
        let list = self.va_list_pointer(u, list)?;
        let ty = self.type_name(u, ty)?.ty;
        if !self.program.types.is_complete(ty) {
            return self.error(span, "argument of incomplete type");
        }
        Ok(self.make(ExprKind::VaArg(list), ty, span))
    }
}
