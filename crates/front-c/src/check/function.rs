//! Function definitions [C11 §6.9.1], in prototype and K&R style.

use super::Checker;
use super::declaration::Declared;
use super::declarator::{ParameterInfo, outer_array_quals};
use super::scope::Entity;
use super::specifier::Alone;
use crate::ast::{self, DeclarationKind, FunctionDefinition, Quals, TypeSpec};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{FunctionId, LabelId, ObjectId, StmtKind};
use crate::types::{FunctionType, QualType, Type, TypeId};
use rustc_hash::FxHashMap;

/// What is known about the function whose body is checked.
#[derive(Debug)]
pub(super) struct FunctionContext {
    pub(super) id: FunctionId,
    pub(super) result: TypeId,
    /// Labels by name, with where they were first used and whether they are placed; local labels
    /// shadow.
    pub(super) labels: FxHashMap<Symbol, Vec<LabelId>>,
    pub(super) label_uses: Vec<(Span, bool)>,
    /// Promoted types of the enclosing switches.
    pub(super) switches: Vec<super::statement::SwitchContext>,
    pub(super) loops: u32,
    pub(super) function_name: Option<ObjectId>,
}

impl Checker {
    pub(super) fn function_definition(
        &mut self,
        u: &ast::Unit,
        definition: &FunctionDefinition,
    ) -> Result<()> {
        let Some((name, span)) = definition.declarator.name else {
            return self.error(definition.span, "function without a name");
        };
        let base = self.base_type(u, &definition.specs, Alone::No)?;
        if matches!(definition.specs.ty, TypeSpec::Missing) {
            self.warn(span, "return type defaults to int");
        }
        self.in_prototype = false;
        let (ty, mut params) = self.defined_type(u, base, &definition.declarator)?;
        let ty = self.old_style_parameters(u, definition, ty, &mut params)?;
        let lengths = std::mem::take(&mut self.pending_lengths);
        let Type::Function(function_type) = self.program.types.get(ty.ty).clone() else {
            return self.error(span, "body of something that is no function");
        };
        let id = self.define_function(u, definition, (name, span), ty)?;
        self.program.functions[id].replaceable = self.only_for_inlining(u, definition)?;
        self.current = Some(FunctionContext::new(id, function_type.result));
        self.check_signature(&function_type, &params, span)?;
        self.program.functions[id].params = params.iter().filter_map(|p| p.declared).collect();
        for object in self.program.functions[id].params.clone() {
            self.program.objects[object].function = Some(id);
        }
        self.function_contract(u, id, base, &definition.declarator);
        let mut statements = Vec::new();
        self.pending_lengths = lengths;
        self.flush_lengths(span, &mut statements);
        let ast::StmtKind::Block(items) = &u.stmts[definition.body].kind else {
            return self.error(span, "function without a body");
        };
        let (messages, errors) = (self.diagnostics.len(), self.errors);
        self.block_items(u, items, &mut statements);
        self.check_labels();
        if self.errors > errors && self.only_for_inlining(u, definition)? {
            // There is another definition elsewhere, which this one may stand in for.
            self.diagnostics.truncate(messages);
            self.errors = errors;
            self.warn(span, "definition for inlining is left out, for it has unsupported parts");
            return Ok(());
        }
        let body_span = u.stmts[definition.body].span;
        let body = self.make_stmt(StmtKind::Block(statements), body_span);
        self.program.functions[id].body = Some(body);
        Ok(())
    }

    /// Whether the definition is `extern inline` in GNU's sense.
    fn only_for_inlining(
        &mut self,
        u: &ast::Unit,
        definition: &FunctionDefinition,
    ) -> Result<bool> {
        let specs = &definition.specs;
        let list = specs.attributes.iter().chain(&definition.declarator.attributes);
        let attributes = self.attributes(u, list)?;
        let is_extern = specs.storage == Some(ast::Storage::Extern);
        Ok(attributes.gnu_inline && specs.inline && is_extern)
    }

    /// Enters the function at file scope, below the scope of its parameters.
    fn define_function(
        &mut self,
        u: &ast::Unit,
        definition: &FunctionDefinition,
        (name, span): (Symbol, Span),
        ty: QualType,
    ) -> Result<FunctionId> {
        let specs = &definition.specs;
        let list = specs.attributes.iter().chain(&definition.declarator.attributes);
        let attributes = self.attributes(u, list)?;
        let declared = Declared { name, span, ty, specs, attributes };
        let shadowing = self.scopes.lookup_here(name).map(|b| (b.entity, b.span));
        let id = self.declare_function_at_file(&declared)?;
        if let Some((entity, at)) = shadowing {
            self.scopes.bind(name, entity, at);
        }
        let id = self.resolve_redefinition(&declared, id)?;
        self.program.functions[id].span = span;
        self.program.functions[id].unit = self.unit;
        Ok(id)
    }

    fn declare_function_at_file(&mut self, declared: &Declared<'_>) -> Result<FunctionId> {
        // Parameters are in the innermost scope; the function's own name is not among them
        // unless a parameter has it, which then hides the function.
        let here = self.scopes.lookup_here(declared.name);
        if here.is_some_and(|b| !matches!(b.entity, Entity::Function(_))) {
            let known = self.scopes.lookup_file(declared.name).map(|b| b.entity);
            if let Some(Entity::Function(id)) = known {
                return Ok(id);
            }
            let linkage = crate::typed::Linkage::External;
            let id = self.new_function(declared.name, declared.span, declared.ty.ty, linkage);
            self.scopes.bind_file(declared.name, Entity::Function(id), declared.span);
            return Ok(id);
        }
        self.declare_function(declared)
    }

    /// Types and objects of K&R parameters: declared ones, and `int` for the others.
    fn old_style_parameters(
        &mut self,
        u: &ast::Unit,
        definition: &FunctionDefinition,
        ty: QualType,
        params: &mut [ParameterInfo],
    ) -> Result<QualType> {
        let Type::Function(function) = self.program.types.get(ty.ty).clone() else {
            return Ok(ty);
        };
        if function.prototype {
            return Ok(ty);
        }
        let mut types: FxHashMap<Symbol, (QualType, Span)> = FxHashMap::default();
        for &declaration in &definition.old_style {
            let DeclarationKind::Plain(specs, declarators) = &u.decls[declaration].kind else {
                continue;
            };
            let base = self.base_type(u, specs, Alone::No)?;
            for declarator in declarators {
                let declarator = &declarator.declarator;
                let Some((name, span)) = declarator.name else { continue };
                let declared = self.declared_type(u, base, declarator)?;
                let adjusted = self.adjust_parameter(declared, outer_array_quals(declarator));
                if !params.iter().any(|p| p.name == Some(name)) {
                    let message = format!("'{}' is not a parameter", self.name(name));
                    return self.error(span, message);
                }
                types.insert(name, (adjusted, span));
            }
        }
        let int = QualType::plain(self.int_type());
        for param in params.iter_mut() {
            let declared = param.name.and_then(|n| types.get(&n)).copied();
            let (ty, span) = declared.unwrap_or((int, param.span));
            param.ty = ty;
            param.declared = Some(self.declare_parameter(param.name, span, ty)?);
        }
        // The definition's own type keeps the parameters, so that calls can be matched.
        let list = params.iter().map(|p| QualType { quals: Quals::NONE, ..p.ty }).collect();
        let function = FunctionType { params: list, ..function };
        Ok(QualType::plain(self.types().intern(Type::Function(function))))
    }

    fn check_signature(
        &self,
        function: &FunctionType,
        params: &[ParameterInfo],
        span: Span,
    ) -> Result<()> {
        let types = &self.program.types;
        if !types.is_void(function.result) && !types.is_complete(function.result) {
            return self.error(span, "function returns an incomplete type");
        }
        for param in params {
            if !types.is_complete(param.ty.ty) {
                return self.error(param.span, "parameter has incomplete type");
            }
        }
        Ok(())
    }

    /// Labels that are used must stand somewhere.
    fn check_labels(&mut self) {
        let Some(context) = &self.current else { return };
        let id = context.id;
        let missing: Vec<(usize, Span)> = context
            .label_uses
            .iter()
            .enumerate()
            .filter(|(_, u)| !u.1)
            .map(|(i, u)| (i, u.0))
            .collect();
        for (label, span) in missing {
            let name = self.program.functions[id].labels[label].name;
            let message = format!("label '{}' is used but not defined", self.name(name));
            self.report(*Diagnostic::error(span, message));
        }
    }
}

impl FunctionContext {
    fn new(id: FunctionId, result: TypeId) -> FunctionContext {
        FunctionContext {
            id,
            result,
            labels: FxHashMap::default(),
            label_uses: Vec::new(),
            switches: Vec::new(),
            loops: 0,
            function_name: None,
        }
    }
}
