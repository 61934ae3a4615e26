//! Types as they are written to types as they are.

use super::Lowerer;
use super::expression::Value;
use crate::ast::{
    DataBlock, Dimension, Expr, Path, Pointer, TypeDeclaration, TypeKind, TypeSpec, VariableKind,
    VariableSection, Variables,
};
use crate::types::{Array, Enumeration, Field, PouId, Structure, Subrange, Type};
use source::Diagnostic;
use source::diagnostic::Result;
use std::rc::Rc;
use std::sync::Arc;

/// The greatest length of a string.
const LONGEST: i128 = 65535;

impl<'a> Lowerer<'a> {
    /// The type that is written here.
    pub(super) fn resolve(&mut self, spec: &'a TypeSpec) -> Result<Type<'a>> {
        self.resolve_with(spec, "", None)
    }

    fn resolve_with(
        &mut self,
        spec: &'a TypeSpec,
        name: &str,
        initial: Option<&'a Expr>,
    ) -> Result<Type<'a>> {
        Ok(match &spec.kind {
            TypeKind::Named(path) => self.named_type(path)?,
            TypeKind::String { wide, length } => {
                let length = match self.expression(length)? {
                    Value::Unknown(_) => i128::from(crate::types::STRING_LENGTH),
                    _ => self.constant(length)?,
                };
                if !(0..=LONGEST).contains(&length) {
                    let message = format!("a string of {length} characters");
                    return Err(Diagnostic::error(spec.span, message));
                }
                Type::String { wide: *wide, length: length as u32 }
            }
            TypeKind::Array { dimensions, element } => {
                let mut bounds = Vec::new();
                for dimension in dimensions {
                    bounds.push(self.dimension(dimension, spec)?);
                }
                let element = self.resolve(element)?;
                Type::Array(Rc::new(Array { dimensions: bounds, element, initial }))
            }
            TypeKind::Subrange { base, low, high } => {
                let base = self.named_type(base)?;
                let (low, high) = (self.constant(low)?, self.constant(high)?);
                if low > high || base.range().is_none_or(|(l, h)| low < l || high > h) {
                    let message = format!("{low}..{high} is no range of {base}");
                    return Err(Diagnostic::error(spec.span, message));
                }
                Type::Subrange(Rc::new(Subrange { base, low, high }))
            }
            TypeKind::Enum { base, values } => {
                let base = base.as_ref().map_or(Ok(Type::DINT), |base| self.named_type(base))?;
                let mut numbers: Vec<(Arc<str>, i128)> = Vec::new();
                let mut next = 0;
                for value in values {
                    if let Some(number) = &value.value {
                        // A value may be written in terms of those before it.
                        self.earlier.push(std::mem::take(&mut numbers));
                        let number = self.constant(number);
                        numbers = self.earlier.pop().unwrap_or_default();
                        next = number?;
                    }
                    numbers.push((value.name.key.clone(), next));
                    next += 1;
                }
                let values = numbers.clone();
                let ty = Type::Enumeration(Rc::new(Enumeration {
                    name: name.into(),
                    base,
                    values,
                    initial,
                }));
                for (key, number) in numbers {
                    self.enumerators.entry(key).or_insert((ty.clone(), number));
                }
                ty
            }
            TypeKind::Struct { fields, .. } => {
                let fields = self.structure_fields(fields)?;
                Type::Structure(Rc::new(Structure {
                    name: name.into(),
                    fields,
                    union: false,
                    initial,
                }))
            }
            TypeKind::Union(fields) => {
                let fields = self.structure_fields(fields)?;
                Type::Structure(Rc::new(Structure {
                    name: name.into(),
                    fields,
                    union: true,
                    initial,
                }))
            }
            TypeKind::Pointer(kind, to) => {
                // What a pointer points to may contain the pointer: it is looked at when needed.
                let reference = *kind == Pointer::ReferenceTo;
                self.pointer_type(to, reference)?
            }
            TypeKind::Variadic { element, .. } => self.resolve(element)?,
        })
    }

    fn pointer_type(&mut self, to: &'a TypeSpec, reference: bool) -> Result<Type<'a>> {
        if let TypeKind::Named(path) = &to.kind
            && let Some(declaration) = self.table.types.get(&path.last().key).copied()
            && self.resolving.iter().any(|at| std::ptr::eq(*at, declaration))
        {
            // A list: its next pointer points to a structure that is being resolved.
            return Ok(Type::Pointer(Rc::new(Type::Unknown(path.last().key.clone())), reference));
        }
        Ok(Type::Pointer(Rc::new(self.resolve(to)?), reference))
    }

    /// What a pointer points to.
    pub(super) fn target(&mut self, to: &Type<'a>) -> Result<Type<'a>> {
        match to {
            Type::Unknown(key) => match self.table.types.get(key).copied() {
                Some(declaration) => self.declared_type(declaration),
                None => Ok(to.clone()),
            },
            _ => Ok(to.clone()),
        }
    }

    fn dimension(&mut self, dimension: &'a Dimension, spec: &'a TypeSpec) -> Result<(i128, i128)> {
        match dimension {
            Dimension::Range(low, high) => {
                let (low, high) = (self.constant(low)?, self.constant(high)?);
                if high < low - 1 || high - low > i128::from(u32::MAX) {
                    let message = format!("{low}..{high} is no range of indices");
                    return Err(Diagnostic::error(spec.span, message));
                }
                Ok((low, high))
            }
            Dimension::Open => Ok((1, 0)),
            Dimension::Type(expr) => {
                if let crate::ast::ExprKind::Name(name) = &expr.kind
                    && let Some(ty) = self.type_named(&name.key)?
                {
                    let range = match &ty {
                        Type::Enumeration(e) => {
                            let numbers = || e.values.iter().map(|(_, number)| *number);
                            numbers().min().zip(numbers().max())
                        }
                        ty => ty.range(),
                    };
                    if let Some(range) = range {
                        return Ok(range);
                    }
                }
                let count = self.constant(expr)?;
                Ok((0, count - 1))
            }
        }
    }

    /// The type with this name.
    pub(super) fn named_type(&mut self, path: &'a Path) -> Result<Type<'a>> {
        if path.names.len() > 1 {
            let whole = path.to_string().to_lowercase();
            if let Some(ty) = self.type_named(&whole)? {
                return Ok(ty);
            }
        }
        let name = path.last();
        if let Some(ty) = self.type_named(&name.key)? {
            return Ok(ty);
        }
        let text = name.text.clone();
        self.warn_once(
            path.span,
            format!("the type '{text}' is not declared; what its variables do is unknown"),
        );
        self.undefined_name(&text);
        Ok(Type::Unknown(text))
    }

    /// The type with this name in small letters, if there is one.
    pub(super) fn type_named(&mut self, key: &str) -> Result<Option<Type<'a>>> {
        if let Some(ty) = self.frame.generics.get(key) {
            return Ok(Some(ty.clone()));
        }
        if let Some(declaration) = self.table.types.get(key).copied() {
            return self.declared_type(declaration).map(Some);
        }
        if let Some(pou) = self.table.pou(key)
            && self.table.has_instances(pou)
        {
            return Ok(Some(Type::Block(pou)));
        }
        if self.table.interfaces.contains_key(key) {
            return Ok(Some(Type::Interface(key.into())));
        }
        if let Some(block) = self.table.data_blocks.iter().find(|block| block.name.is(key)) {
            return self.data_block_type(block).map(Some);
        }
        Ok(Type::elementary(key))
    }

    /// The type that a declaration names.
    pub(super) fn declared_type(&mut self, declaration: &'a TypeDeclaration) -> Result<Type<'a>> {
        let at: *const TypeDeclaration = declaration;
        if let Some(ty) = self.types.get(&at) {
            return Ok(ty.clone());
        }
        if self.resolving.contains(&at) {
            let message = format!("the type '{}' contains itself", declaration.name);
            return Err(Diagnostic::error(declaration.span, message));
        }
        self.resolving.push(at);
        let initial = declaration.initial.as_ref();
        let ty = self.resolve_with(&declaration.ty, &declaration.name.text, initial);
        self.resolving.pop();
        let mut ty = ty?;
        if let (Type::Structure(structure), Some(base)) = (&ty, &declaration.extends)
            && let Type::Structure(base) = self.named_type(base)?
        {
            let fields = base.fields.iter().chain(&structure.fields).cloned().collect();
            let (name, union) = (structure.name.clone(), structure.union);
            ty = Type::Structure(Rc::new(Structure { name, fields, union, initial }));
        }
        self.types.insert(at, ty.clone());
        Ok(ty)
    }

    /// The type of a data block: what is written, or a structure of its variables.
    pub(super) fn data_block_type(&mut self, block: &'a DataBlock) -> Result<Type<'a>> {
        if block.sections.is_empty() {
            return self.resolve(&block.ty);
        }
        let mut fields = Vec::new();
        self.section_fields(&block.sections, &mut fields)?;
        let name = block.name.text.clone();
        Ok(Type::Structure(Rc::new(Structure { name, fields, union: false, initial: None })))
    }

    fn structure_fields(&mut self, declared: &'a [Variables]) -> Result<Vec<Field<'a>>> {
        let mut fields = Vec::new();
        for variables in declared {
            self.fields_of(variables, VariableKind::Local, false, &mut fields)?;
        }
        Ok(fields)
    }

    fn fields_of(
        &mut self,
        variables: &'a Variables,
        kind: VariableKind,
        constant: bool,
        fields: &mut Vec<Field<'a>>,
    ) -> Result<()> {
        let Some(spec) = &variables.ty else { return Ok(()) };
        let ty = self.resolve(spec)?;
        for name in &variables.names {
            fields.push(Field {
                key: name.key.clone(),
                name: name.text.clone(),
                ty: ty.clone(),
                initial: self.initial_of(spec, variables.initial.as_ref()),
                kind,
                constant,
                edge: variables.edge,
                location: variables.location.as_ref(),
                span: name.span,
            });
            if variables.edge.is_some() {
                // What the input was in the call before.
                fields.push(Field {
                    key: edge_key(&name.key),
                    name: edge_key(&name.text),
                    ty: Type::Bool,
                    initial: None,
                    kind: VariableKind::Local,
                    constant: false,
                    edge: None,
                    location: None,
                    span: name.span,
                });
            }
        }
        Ok(())
    }

    /// The variables of a block's instances: those it inherits first.
    pub(super) fn block_fields(&mut self, pou: PouId) -> Result<Rc<Vec<Field<'a>>>> {
        if let Some(fields) = self.fields.get(&pou) {
            return Ok(fields.clone());
        }
        if self.resolving_blocks.contains(&pou) {
            let name = &self.table.pous[pou].name;
            let message = format!("an instance of '{name}' contains an instance of itself");
            return Err(Diagnostic::error(name.span, message));
        }
        self.resolving_blocks.push(pou);
        let mut fields = Vec::new();
        let mut line = self.table.ancestry(pou);
        line.reverse();
        let sections = line.iter().map(|owner| &self.table.pous[*owner].sections[..]).collect();
        let outer = std::mem::replace(&mut self.frame.sections, sections);
        let result: Result<()> = line.into_iter().try_for_each(|owner| {
            let declared = self.table.pous[owner];
            self.section_fields(&declared.sections, &mut fields)?;
            for method in &declared.methods {
                let kept = method.sections.iter().filter(|s| s.kind == VariableKind::Inst);
                for section in kept {
                    self.section_fields(std::slice::from_ref(section), &mut fields)?;
                }
            }
            Ok(())
        });
        self.frame.sections = outer;
        self.resolving_blocks.pop();
        result?;
        let fields = Rc::new(fields);
        self.fields.insert(pou, fields.clone());
        Ok(fields)
    }

    fn section_fields(
        &mut self,
        sections: &'a [VariableSection],
        fields: &mut Vec<Field<'a>>,
    ) -> Result<()> {
        for section in sections {
            for variables in &section.variables {
                self.fields_of(variables, section.kind, section.constant, fields)?;
            }
        }
        Ok(())
    }
}

/// The variable that remembers an input which shows edges.
pub(super) fn edge_key(key: &str) -> Arc<str> {
    format!("{key}~before").into()
}
