//! Declarators to types [C11 §6.7.6], and type names.

use super::Checker;
use super::record::MAX_TYPE_DEPTH;
use super::scope::Entity;
use super::specifier::Alone;
use crate::ast::{self, Declarator, Derivation, Parameter, Parameters, Quals, TypeSpec};
use crate::constant::Constant;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::typed::{ExprId, Linkage, Object, Storage, Vla};
use crate::types::{ArrayLength, FunctionType, QualType, Type, TypeId};

/// A parameter of a function that is being defined.
#[derive(Clone, Debug)]
pub(super) struct ParameterInfo {
    pub(super) name: Option<Symbol>,
    pub(super) span: Span,
    pub(super) ty: QualType,
    /// Whether it is declared in the scope that was opened.
    pub(super) declared: Option<crate::typed::ObjectId>,
}

impl Checker {
    /// The type of a declarator on a base type.
    pub(super) fn declared_type(
        &mut self,
        u: &ast::Unit,
        base: QualType,
        declarator: &Declarator,
    ) -> Result<QualType> {
        self.derive(u, base, &declarator.derivations, declarator.span)
    }

    /// The type of a function definition's declarator; opens the scope of its parameters.
    pub(super) fn defined_type(
        &mut self,
        u: &ast::Unit,
        base: QualType,
        declarator: &Declarator,
    ) -> Result<(QualType, Vec<ParameterInfo>)> {
        let Some((Derivation::Function(parameters), outer)) = declarator.derivations.split_first()
        else {
            return self.error(declarator.span, "body of something that is no function");
        };
        let result = self.derive(u, base, outer, declarator.span)?;
        self.scopes.push();
        let (ty, infos) = self.function_type(u, result, parameters, true, declarator.span)?;
        Ok((QualType::plain(ty), infos))
    }

    fn derive(
        &mut self,
        u: &ast::Unit,
        base: QualType,
        derivations: &[Derivation],
        span: Span,
    ) -> Result<QualType> {
        let mut ty = base;
        for derivation in derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(quals) => {
                    QualType::plain(self.types().pointer(ty)).with(*quals)
                }
                Derivation::Array { length, span, .. } => {
                    QualType::plain(self.array_type(u, ty, *length, *span)?)
                }
                Derivation::Function(parameters) => {
                    let depth = self.scopes.depth();
                    self.scopes.push();
                    let outer = std::mem::replace(&mut self.in_prototype, true);
                    let result = self.function_type(u, ty, parameters, false, span);
                    self.in_prototype = outer;
                    self.scopes.pop_to(depth);
                    QualType::plain(result?.0)
                }
            };
        }
        if self.program.types.depth(ty.ty) > MAX_TYPE_DEPTH {
            return self.error(span, format!("type nests deeper than {MAX_TYPE_DEPTH} levels"));
        }
        Ok(ty)
    }

    fn array_type(
        &mut self,
        u: &ast::Unit,
        element: QualType,
        length: ast::ArrayLength,
        span: Span,
    ) -> Result<TypeId> {
        match self.program.types.get(element.ty) {
            Type::Function(_) => return self.error(span, "array of functions"),
            Type::Void => return self.error(span, "array of void"),
            Type::Array(_, ArrayLength::Unknown) => {
                return self.error(span, "array of arrays of unknown length");
            }
            Type::Record(id) if self.program.types.records[*id].body.is_none() => {
                return self.error(span, "array of a struct or union that is not defined yet");
            }
            _ => {}
        }
        let length = match length {
            ast::ArrayLength::Unknown => ArrayLength::Unknown,
            ast::ArrayLength::Star => ArrayLength::Star,
            ast::ArrayLength::Expr(expr) => self.array_length(u, element, expr, span)?,
        };
        Ok(self.types().intern(Type::Array(element, length)))
    }

    fn array_length(
        &mut self,
        u: &ast::Unit,
        element: QualType,
        expr: ast::ExprId,
        span: Span,
    ) -> Result<ArrayLength> {
        let value = self.rvalue(u, expr)?;
        if !self.program.types.is_integer(self.type_of(value)) {
            return self.error(span, "length of an array is not an integer");
        }
        if let Some(known) = self.integer_constant(value) {
            let Ok(length) = u64::try_from(known) else {
                return self.error(span, "length of an array is negative");
            };
            let size = self.program.types.size_of(element.ty).unwrap_or(1);
            if size.checked_mul(length).is_none_or(|s| s > self.program.types.max_size()) {
                return self.error(span, "array is too large");
            }
            return Ok(ArrayLength::Fixed(length));
        }
        if self.scopes.at_file() {
            return self.error(span, "length of an array at file scope is not constant");
        }
        if self.in_prototype {
            return Ok(ArrayLength::Star);
        }
        let known = self.constant_length(element, value);
        let size_type = self.types().size_type();
        let length = self.convert(value, size_type);
        // It is evaluated in any case: a variable that it reads may have no value yet.
        let vla = self.new_length(length);
        Ok(known.map_or(ArrayLength::Variable(vla), ArrayLength::Fixed))
    }

    /// The length of an array that constant variables give, if it is a sensible one.
    fn constant_length(&self, element: QualType, value: ExprId) -> Option<u64> {
        let Constant::Int(bits) = self.program.constants.get(value)?.value else { return None };
        let shape = self.program.types.shape(self.type_of(value))?;
        let length = u64::try_from(shape.value(bits)).ok().filter(|length| *length > 0)?;
        let size = self.program.types.size_of(element.ty)?.checked_mul(length)?;
        (size <= self.program.types.max_size()).then_some(length)
    }

    fn new_length(&mut self, length: ExprId) -> crate::typed::VlaId {
        let id = self.program.vlas.alloc(Vla { length });
        self.pending_lengths.push(id);
        id
    }

    fn function_type(
        &mut self,
        u: &ast::Unit,
        result: QualType,
        parameters: &Parameters,
        defining: bool,
        span: Span,
    ) -> Result<(TypeId, Vec<ParameterInfo>)> {
        match self.program.types.get(result.ty) {
            Type::Function(_) => return self.error(span, "function returns a function"),
            Type::Array(..) => return self.error(span, "function returns an array"),
            _ => {}
        }
        let mut infos = Vec::new();
        let mut params = Vec::new();
        let (variadic, prototype) = match parameters {
            Parameters::OldStyle(names) => {
                infos.extend(names.iter().map(|&(name, span)| ParameterInfo {
                    name: Some(name),
                    span,
                    ty: QualType::plain(result.ty),
                    declared: None,
                }));
                (false, false)
            }
            Parameters::Prototype { params: list, variadic } => {
                let dependent = defining || list.iter().any(refers_to_others);
                for parameter in list {
                    let info = self.parameter(u, parameter, dependent, defining)?;
                    params.push(QualType { quals: Quals::NONE, ..info.ty });
                    infos.push(info);
                }
                (*variadic, true)
            }
        };
        let function = FunctionType { result: result.ty, params, variadic, prototype };
        Ok((self.types().intern(Type::Function(function)), infos))
    }

    fn parameter(
        &mut self,
        u: &ast::Unit,
        parameter: &Parameter,
        declare: bool,
        defining: bool,
    ) -> Result<ParameterInfo> {
        let declarator = &parameter.declarator;
        let base = self.base_type(u, &parameter.specs, Alone::No)?;
        let mut ty = self.declared_type(u, base, declarator)?;
        let attributes = parameter.specs.attributes.iter().chain(&declarator.attributes);
        let attributes = self.attributes(u, attributes)?;
        if let Some(mode) = attributes.mode {
            ty = self.apply_mode(ty, mode)?;
        }
        let ty = self.adjust_parameter(ty, outer_array_quals(declarator));
        let span = declarator.name.map_or(parameter.specs.span, |n| n.1);
        let name = declarator.name.map(|n| n.0);
        if self.program.types.is_void(ty.ty) {
            return self.error(span, "parameter has type void");
        }
        let declared = if declare && (name.is_some() || defining) {
            Some(self.declare_parameter(name, span, ty)?)
        } else {
            None
        };
        Ok(ParameterInfo { name, span, ty, declared })
    }

    pub(super) fn declare_parameter(
        &mut self,
        name: Option<Symbol>,
        span: Span,
        ty: QualType,
    ) -> Result<crate::typed::ObjectId> {
        let object = self.program.objects.alloc(Object {
            name,
            span,
            ty,
            align: None,
            storage: Storage::Parameter,
            linkage: Linkage::None,
            thread_local: false,
            defined: true,
            init: None,
            function: None,
        });
        if let Some(name) = name {
            if self.scopes.lookup_here(name).is_some() {
                return self
                    .error(span, format!("redefinition of parameter '{}'", self.name(name)));
            }
            self.scopes.bind(name, Entity::Object(object), span);
        }
        Ok(object)
    }

    /// Arrays become pointers to their elements, functions pointers to them.
    pub(super) fn adjust_parameter(&mut self, ty: QualType, quals: Quals) -> QualType {
        match *self.program.types.get(ty.ty) {
            Type::Array(element, _) => QualType::plain(self.types().pointer(element)).with(quals),
            Type::Function(_) => QualType::plain(self.types().pointer(ty)),
            _ => ty,
        }
    }

    /// The type a type name stands for.
    pub(super) fn type_name(&mut self, u: &ast::Unit, id: ast::TypeNameId) -> Result<QualType> {
        let name = &u.type_names[id];
        let base = self.base_type(u, &name.specs, Alone::No)?;
        let ty = self.declared_type(u, base, &name.declarator)?;
        let attributes = name.specs.attributes.iter().chain(&name.declarator.attributes);
        let attributes = self.attributes(u, attributes)?;
        let ty = match attributes.mode {
            Some(mode) => self.apply_mode(ty, mode)?,
            None => ty,
        };
        Ok(attributes.aligned.map_or(ty, |a| ty.aligned(a)))
    }
}

/// Qualifiers in the brackets of a parameter, as in `int a[const]`.
pub(super) fn outer_array_quals(declarator: &Declarator) -> Quals {
    match declarator.derivations.first() {
        Some(Derivation::Array { quals, .. }) => *quals,
        _ => Quals::NONE,
    }
}

/// Whether a parameter's type may name other parameters.
fn refers_to_others(parameter: &Parameter) -> bool {
    let length = |d: &Derivation| match d {
        Derivation::Array { length: ast::ArrayLength::Expr(_), .. } => true,
        Derivation::Function(Parameters::Prototype { params, .. }) => !params.is_empty(),
        _ => false,
    };
    matches!(parameter.specs.ty, TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_))
        || parameter.declarator.derivations.iter().any(length)
}
