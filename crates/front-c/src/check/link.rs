//! Linkage [C11 §6.2.2]: declarations that mean one function or variable, in a file and across
//! files.
//!
//! A declaration with external linkage refers to the entity of the same name that an earlier
//! file declared, after a check that the types are compatible; structs and unions of different
//! files are compared by their members [C11 §6.2.7].

use super::Checker;
use super::declaration::Declared;
use super::scope::Entity;
use crate::ast;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{Function, FunctionId, Linkage, ObjectId, Storage};
use crate::types::{ArrayLength, Type, TypeId};

impl Checker {
    /// Declares a function; also for its definition and for calls without declaration.
    pub(super) fn declare_function(&mut self, declared: &Declared<'_>) -> Result<FunctionId> {
        let (name, span, ty) = (declared.name, declared.span, declared.ty.ty);
        let is_static = declared.specs.storage == Some(ast::Storage::Static);
        if let Some(binding) = self.scopes.lookup_here(name)
            && !matches!(binding.entity, Entity::Function(_))
        {
            return self.redeclared(declared, binding.span, "redeclaration of");
        }
        let previous = self.scopes.lookup(name).or_else(|| self.scopes.lookup_file(name));
        let known = match previous.map(|b| (b.entity, b.span)) {
            Some((Entity::Function(id), _)) => Some(id),
            _ => match self.scopes.lookup_file(name).map(|b| (b.entity, b.span)) {
                Some((Entity::Function(id), _)) => Some(id),
                Some((_, at)) => return self.redeclared(declared, at, "redeclaration of"),
                None => None,
            },
        };
        let linked = match known {
            Some(id) => Some((id, false)),
            None if is_static => None,
            None => match self.externals.get(&name) {
                Some(Entity::Function(id)) => Some((*id, true)),
                Some(_) => return self.error(span, "function is a variable in another file"),
                None => None,
            },
        };
        let id = match linked {
            Some((id, other_file)) => {
                self.merge_function(declared, id, other_file)?;
                id
            }
            None => {
                let linkage = if is_static { Linkage::Internal } else { Linkage::External };
                let id = self.new_function(name, span, ty, linkage);
                if linkage == Linkage::External {
                    self.externals.insert(name, Entity::Function(id));
                }
                id
            }
        };
        let attributes = &declared.attributes;
        let function = &mut self.program.functions[id];
        function.noreturn |= attributes.noreturn;
        function.inline |= declared.specs.inline;
        function.constructor |= attributes.constructor;
        function.destructor |= attributes.destructor;
        function.weak |= attributes.weak;
        function.alias = function.alias.or(attributes.alias);
        if self.scopes.lookup_file(name).is_none() {
            self.scopes.bind_file(name, Entity::Function(id), span);
        }
        if !self.scopes.at_file() {
            self.scopes.bind(name, Entity::Function(id), span);
        }
        Ok(id)
    }

    pub(super) fn new_function(
        &mut self,
        name: Symbol,
        span: Span,
        ty: TypeId,
        linkage: Linkage,
    ) -> FunctionId {
        self.program.functions.alloc(Function {
            name,
            span,
            ty,
            linkage,
            noreturn: false,
            inline: false,
            implicit: false,
            constructor: false,
            destructor: false,
            weak: false,
            unit: self.unit,
            replaceable: false,
            alias: None,
            params: Vec::new(),
            locals: Vec::new(),
            labels: Vec::new(),
            body: None,
            contract: None,
        })
    }

    fn merge_function(
        &mut self,
        declared: &Declared<'_>,
        id: FunctionId,
        other_file: bool,
    ) -> Result<()> {
        let (old, at) = (self.program.functions[id].ty, self.program.functions[id].span);
        let new = declared.ty.ty;
        if self.compatible(old, new) {
            self.program.functions[id].ty = self.composite(old, new);
            return Ok(());
        }
        let implicit = self.program.functions[id].implicit;
        let (old_result, new_result) = (self.result_type(old), self.result_type(new));
        let now_void = new_result.is_some_and(|r| self.program.types.is_void(r));
        let same_result = old_result.is_some() && old_result == new_result;
        if implicit && (now_void || same_result) {
            let name = self.name(declared.name);
            let message = format!("'{name}' was called before this declaration, as another type");
            self.warn(declared.span, message);
            self.program.functions[id].ty = new;
            return Ok(());
        }
        let what =
            if other_file { "conflicting types across files for" } else { "conflicting types for" };
        let message = format!("{what} '{}'", self.name(declared.name));
        let label = format!("has type '{}'", self.show(new));
        let note = format!("previously declared as '{}'", self.show(old));
        Err(Diagnostic::error(declared.span, message).label(label).note(at, note))
    }

    fn result_type(&self, ty: TypeId) -> Option<TypeId> {
        match self.program.types.get(ty) {
            Type::Function(f) => Some(f.result),
            _ => None,
        }
    }

    /// A variable with linkage: the one declared before, or a new one.
    pub(super) fn linked_object(
        &mut self,
        declared: &Declared<'_>,
        linkage: Linkage,
        defines: bool,
    ) -> Result<ObjectId> {
        let (name, span) = (declared.name, declared.span);
        if let Some(here) = self.scopes.lookup_here(name) {
            let linked = matches!(here.entity, Entity::Object(o)
                if self.program.objects[o].linkage != Linkage::None);
            if !linked {
                return self.redeclared(declared, here.span, "redeclaration of");
            }
        }
        if defines && self.program.types.is_void(declared.ty.ty) {
            return self.error(span, format!("variable '{}' has type void", self.name(name)));
        }
        let visible = match self.scopes.lookup(name).map(|b| b.entity) {
            Some(Entity::Object(o)) if self.program.objects[o].linkage != Linkage::None => Some(o),
            _ => None,
        };
        let in_file = self.scopes.lookup_file(name).map(|b| (b.entity, b.span));
        let known = match (visible, in_file) {
            (Some(object), _) => Some(object),
            (None, Some((Entity::Object(object), _))) => Some(object),
            (None, Some((_, at))) => return self.redeclared(declared, at, "redeclaration of"),
            (None, None) => None,
        };
        let linked = known.or_else(|| match self.externals.get(&name) {
            Some(Entity::Object(object)) if linkage == Linkage::External => Some(*object),
            _ => None,
        });
        let object = match linked {
            Some(object) => {
                self.merge_object(declared, object, linkage, defines)?;
                object
            }
            None => {
                if linkage == Linkage::External && self.externals.contains_key(&name) {
                    return self.error(span, "variable is a function in another file");
                }
                self.new_object(declared, Storage::Static, linkage, defines)
            }
        };
        if self.program.objects[object].linkage == Linkage::External {
            self.externals.insert(name, Entity::Object(object));
        }
        if self.scopes.lookup_file(name).is_none() {
            self.scopes.bind_file(name, Entity::Object(object), span);
        }
        if !self.scopes.at_file() {
            self.scopes.bind(name, Entity::Object(object), span);
        }
        Ok(object)
    }

    fn merge_object(
        &mut self,
        declared: &Declared<'_>,
        object: ObjectId,
        linkage: Linkage,
        defines: bool,
    ) -> Result<()> {
        let old = self.program.objects[object].ty;
        let at = self.program.objects[object].span;
        if !self.compatible(old.ty, declared.ty.ty) {
            let message = format!("conflicting types for '{}'", self.name(declared.name));
            let label = format!("has type '{}'", self.show(declared.ty.ty));
            let note = format!("previously declared as '{}'", self.show(old.ty));
            return Err(Diagnostic::error(declared.span, message).label(label).note(at, note));
        }
        let old_linkage = self.program.objects[object].linkage;
        let is_extern = declared.specs.storage == Some(ast::Storage::Extern);
        if old_linkage != linkage && !is_extern {
            let what = "static declaration does not match the non-static one of";
            return self.redeclared(declared, at, what);
        }
        let ty = self.composite(old.ty, declared.ty.ty);
        let align = self.program.objects[object].align.max(declared.attributes.aligned);
        let entry = &mut self.program.objects[object];
        entry.ty.ty = ty;
        entry.align = align;
        entry.defined |= defines;
        Ok(())
    }

    /// At the end of a file: arrays of unknown length that are defined have one element.
    pub(super) fn finish_unit(&mut self) {
        let objects: Vec<ObjectId> = self.program.objects.iter().map(|(id, _)| id).collect();
        for id in objects {
            let object = &self.program.objects[id];
            if !object.defined
                || object.storage != Storage::Static
                || object.linkage == Linkage::None
            {
                continue;
            }
            let ty = object.ty;
            if let Type::Array(element, ArrayLength::Unknown) = *self.program.types.get(ty.ty) {
                let one = self.types().array(element, 1);
                self.program.objects[id].ty.ty = one;
            }
            if let Err(error) = self.require_complete(id) {
                self.report(*error);
            }
        }
    }

    /// The function that a definition defines. A name has one definition, except: a weak one
    /// gives way to another, an `extern inline` one to the proper one, and inline definitions of
    /// other files are separate functions.
    pub(super) fn resolve_redefinition(
        &mut self,
        declared: &Declared<'_>,
        id: FunctionId,
    ) -> Result<FunctionId> {
        let function = &self.program.functions[id];
        if function.body.is_none() {
            return Ok(id);
        }
        let (at, other_file) = (function.span, function.unit != self.unit);
        let replaceable = function.weak && other_file && !declared.attributes.weak;
        if replaceable || function.replaceable {
            let function = &mut self.program.functions[id];
            function.body = None;
            function.labels.clear();
            function.locals.clear();
            return Ok(id);
        }
        if other_file && (declared.specs.inline || declared.attributes.weak) {
            let (name, ty) = (declared.name, declared.ty.ty);
            let own = self.new_function(name, declared.span, ty, Linkage::Internal);
            self.scopes.bind_file(name, Entity::Function(own), declared.span);
            return Ok(own);
        }
        self.redeclared(declared, at, "redefinition of")
    }
}
