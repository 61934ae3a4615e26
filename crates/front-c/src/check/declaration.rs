//! Declarations of variables, functions and types [C11 §6.7, §6.9.2], with their linkage.

use super::Checker;
use super::scope::Entity;
use super::specifier::{Alone, Attributes};
use crate::ast::{self, DeclarationKind, InitDeclarator, Quals, Specifiers, TypeSpec};
use crate::constant::Constant;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{InitId, InitValue, Linkage, Object, ObjectId, StmtId, StmtKind, Storage};
use crate::types::{QualType, Type};

/// A name with its type, before it is known to be an object, function or type.
pub(super) struct Declared<'a> {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) ty: QualType,
    pub(super) specs: &'a Specifiers,
    pub(super) attributes: Attributes,
}

impl Checker {
    /// A declaration at file scope.
    pub(super) fn file_declaration(&mut self, u: &ast::Unit, id: ast::DeclId) -> Result<()> {
        let mut statements = Vec::new();
        self.declaration(u, id, &mut statements)
    }

    /// A declaration anywhere; appends what happens when control reaches it.
    pub(super) fn declaration(
        &mut self,
        u: &ast::Unit,
        id: ast::DeclId,
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        let declaration = &u.decls[id];
        let DeclarationKind::Plain(specs, declarators) = &declaration.kind else {
            return self.static_assert(u, id);
        };
        if matches!(specs.ty, TypeSpec::Auto) {
            return self.auto_declaration(u, specs, declarators, out);
        }
        let alone = if declarators.is_empty() { Alone::Yes } else { Alone::No };
        let base = self.base_type(u, specs, alone)?;
        if matches!(specs.ty, TypeSpec::Missing) && !declarators.is_empty() {
            self.warn(specs.span.to(declaration.span), "type defaults to int");
        }
        for declarator in declarators {
            let ty = self.declared_type(u, base, &declarator.declarator)?;
            let Some(declared) = self.declared(u, specs, declarator, ty)? else { continue };
            let name = declared.name;
            self.init_declarator(u, declared, declarator, out)?;
            self.declared_contract(u, name, base, &declarator.declarator);
        }
        self.flush_lengths(declaration.span, out);
        Ok(())
    }

    fn declared<'a>(
        &mut self,
        u: &ast::Unit,
        specs: &'a Specifiers,
        declarator: &InitDeclarator,
        ty: QualType,
    ) -> Result<Option<Declared<'a>>> {
        let Some((name, span)) = declarator.declarator.name else { return Ok(None) };
        let list = specs.attributes.iter().chain(&declarator.declarator.attributes);
        let attributes = self.attributes(u, list)?;
        let ty = match attributes.mode {
            Some(mode) => self.apply_mode(ty, mode)?,
            None => ty,
        };
        Ok(Some(Declared { name, span, ty, specs, attributes }))
    }

    /// `__auto_type x = e;`
    fn auto_declaration(
        &mut self,
        u: &ast::Unit,
        specs: &Specifiers,
        declarators: &[InitDeclarator],
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        for declarator in declarators {
            let init = declarator.init.map(|i| &u.inits[i].kind);
            let Some(ast::InitializerKind::Expr(value)) = init else {
                return self.error(specs.span, "'__auto_type' needs an initializer");
            };
            let lengths = self.pending_lengths.clone();
            let probe = self.rvalue(u, *value)?;
            self.pending_lengths = lengths;
            let ty = QualType::plain(self.type_of(probe)).with(specs.quals);
            let Some(declared) = self.declared(u, specs, declarator, ty)? else { continue };
            self.init_declarator(u, declared, declarator, out)?;
        }
        Ok(())
    }

    fn init_declarator(
        &mut self,
        u: &ast::Unit,
        declared: Declared<'_>,
        declarator: &InitDeclarator,
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        if declared.specs.storage == Some(ast::Storage::Typedef) {
            self.flush_lengths(declared.span, out);
            return self.declare_typedef(&declared);
        }
        if matches!(self.program.types.get(declared.ty.ty), Type::Function(_)) {
            if declarator.init.is_some() {
                return self.error(declared.span, "a function is initialized like a variable");
            }
            return self.declare_function(&declared).map(|_| ());
        }
        if self.scopes.at_file() {
            return self.file_object(u, &declared, declarator.init);
        }
        match declared.specs.storage {
            Some(ast::Storage::Extern) => {
                if declarator.init.is_some() {
                    return self
                        .error(declared.span, "'extern' variable in a block is initialized");
                }
                self.linked_object(&declared, Linkage::External, false).map(|_| ())
            }
            Some(ast::Storage::Static) => self.static_local(u, &declared, declarator.init),
            _ => self.automatic_object(u, &declared, declarator.init, out),
        }
    }

    pub(super) fn flush_lengths(&mut self, span: Span, out: &mut Vec<StmtId>) {
        if !self.pending_lengths.is_empty() {
            let lengths = std::mem::take(&mut self.pending_lengths);
            out.push(self.make_stmt(StmtKind::EvaluateLengths(lengths), span));
        }
    }

    pub(super) fn static_assert(&mut self, u: &ast::Unit, id: ast::DeclId) -> Result<()> {
        let DeclarationKind::StaticAssert(condition, message) = &u.decls[id].kind else {
            return Ok(());
        };
        let value = self.constant_value(u, *condition, "condition of a static assertion")?;
        if value != 0 {
            return Ok(());
        }
        let text: String = message
            .iter()
            .flat_map(|m| m.units.iter())
            .filter_map(|&unit| char::from_u32(unit))
            .collect();
        self.error(u.decls[id].span, format!("static assertion failed: \"{text}\""))
    }

    pub(super) fn redeclared<T>(
        &self,
        declared: &Declared<'_>,
        before: Span,
        what: &str,
    ) -> Result<T> {
        let message = format!("{what} '{}'", self.name(declared.name));
        Err(Diagnostic::error(declared.span, message).note(before, "previous declaration"))
    }

    fn declare_typedef(&mut self, declared: &Declared<'_>) -> Result<()> {
        let ty = declared.attributes.aligned.map_or(declared.ty, |a| declared.ty.aligned(a));
        if let Some(previous) = self.scopes.lookup_here(declared.name) {
            return match previous.entity {
                Entity::Typedef(old) if self.compatible(old.ty, ty.ty) && old.quals == ty.quals => {
                    Ok(())
                }
                _ => self.redeclared(declared, previous.span, "redefinition of"),
            };
        }
        self.scopes.bind(declared.name, Entity::Typedef(ty), declared.span);
        Ok(())
    }

    /// A variable at file scope.
    fn file_object(
        &mut self,
        u: &ast::Unit,
        declared: &Declared<'_>,
        init: Option<ast::InitId>,
    ) -> Result<()> {
        let is_extern = declared.specs.storage == Some(ast::Storage::Extern);
        let linkage = match declared.specs.storage {
            Some(ast::Storage::Static) => Linkage::Internal,
            _ => Linkage::External,
        };
        let defines = !is_extern || init.is_some();
        let object = self.linked_object(declared, linkage, defines)?;
        let Some(init) = init else { return Ok(()) };
        if self.program.objects[object].init.is_some() {
            let at = self.program.objects[object].span;
            return self.redeclared(declared, at, "redefinition of");
        }
        let (init, ty) = self.initializer(u, self.program.objects[object].ty, init, true)?;
        self.require_constants(init)?;
        let entry = &mut self.program.objects[object];
        entry.init = Some(init);
        entry.ty = ty;
        entry.span = declared.span;
        Ok(())
    }

    pub(super) fn new_object(
        &mut self,
        declared: &Declared<'_>,
        storage: Storage,
        linkage: Linkage,
        defined: bool,
    ) -> ObjectId {
        self.program.objects.alloc(Object {
            name: Some(declared.name),
            span: declared.span,
            ty: declared.ty,
            align: declared.attributes.aligned,
            storage,
            linkage,
            thread_local: declared.specs.thread_local,
            defined,
            init: None,
            function: self.function_id(),
        })
    }

    /// Declares a variable of the block; it is in scope in its own initializer.
    fn local_object(&mut self, declared: &Declared<'_>, storage: Storage) -> Result<ObjectId> {
        if let Some(previous) = self.scopes.lookup_here(declared.name) {
            return self.redeclared(declared, previous.span, "redeclaration of");
        }
        if self.program.types.is_void(declared.ty.ty) {
            let message = format!("variable '{}' has type void", self.name(declared.name));
            return self.error(declared.span, message);
        }
        let object = self.new_object(declared, storage, Linkage::None, true);
        self.scopes.bind(declared.name, Entity::Object(object), declared.span);
        if let Some(function) = self.function_id() {
            self.program.functions[function].locals.push(object);
        }
        Ok(object)
    }

    fn static_local(
        &mut self,
        u: &ast::Unit,
        declared: &Declared<'_>,
        init: Option<ast::InitId>,
    ) -> Result<()> {
        if self.program.types.is_variably_modified(declared.ty.ty) {
            return self.error(declared.span, "static variable of variable size");
        }
        let object = self.local_object(declared, Storage::Static)?;
        if let Some(init) = init {
            let (init, ty) = self.initializer(u, declared.ty, init, true)?;
            self.require_constants(init)?;
            self.program.objects[object].init = Some(init);
            self.program.objects[object].ty = ty;
        }
        self.require_complete(object)
    }

    fn automatic_object(
        &mut self,
        u: &ast::Unit,
        declared: &Declared<'_>,
        init: Option<ast::InitId>,
        out: &mut Vec<StmtId>,
    ) -> Result<()> {
        self.flush_lengths(declared.span, out);
        let object = self.local_object(declared, Storage::Automatic)?;
        let init = match init {
            Some(init) => {
                let is_vla = self.program.types.is_complete(declared.ty.ty)
                    && self.program.types.size_of(declared.ty.ty).is_none();
                if is_vla {
                    return self.error(declared.span, "array of variable length is initialized");
                }
                let (init, ty) = self.initializer(u, declared.ty, init, false)?;
                self.program.objects[object].ty = ty;
                self.flush_lengths(declared.span, out);
                self.note_constant(object, init);
                Some(init)
            }
            None => None,
        };
        self.require_complete(object)?;
        out.push(self.make_stmt(StmtKind::Declare(object, init), declared.span));
        Ok(())
    }

    /// Notes the value of a constant integer, which nothing changes.
    fn note_constant(&mut self, object: ObjectId, init: InitId) {
        let ty = self.program.objects[object].ty;
        let constant = ty.quals.contains(Quals::CONST) && !ty.is_volatile();
        if let ([entry], true) = (self.program.inits[init].entries.as_slice(), constant)
            && let InitValue::Expr(value) = entry.value
            && self.program.types.is_integer(ty.ty)
            && let Some(known) = self.program.constants.get(value)
        {
            self.constant_objects.insert(object, known.value);
        }
    }

    pub(super) fn require_complete(&self, object: ObjectId) -> Result<()> {
        let object = &self.program.objects[object];
        if self.program.types.is_complete(object.ty.ty) {
            return Ok(());
        }
        let name = object.name.map_or("", |n| self.name(n));
        let message = format!(
            "size of '{name}' is not known: its type '{}' is incomplete",
            self.show(object.ty.ty)
        );
        self.error(object.span, message)
    }

    /// Static initializers are known before the program starts.
    pub(super) fn require_constants(&self, init: InitId) -> Result<()> {
        for entry in &self.program.inits[init].entries {
            let InitValue::Expr(value) = entry.value else { continue };
            if let Some(known) = self.program.constants.get(value) {
                let address = matches!(known.value, Constant::Address(..));
                let pointer = self.program.types.pointer_width();
                let shape = self.program.types.shape(entry.ty.ty);
                if !address || shape.is_none_or(|s| s.width >= pointer) {
                    continue;
                }
            }
            let span = self.span_of(value);
            return self.error(span, "initializer of a static variable is not constant");
        }
        Ok(())
    }
}
