//! Structs and unions [C11 §6.7.2.1], and the lookup of their members.

use super::Checker;
use super::scope::Tag;
use super::specifier::Alone;
use crate::ast::{self, MemberDeclaration, MemberDeclarator, Specifiers, TypeSpec};
use crate::diagnostic::{Diagnostic, Result};
use crate::layout::{Member, place};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{ArrayLength, Field, QualType, Record, RecordBody, RecordId, Type, TypeId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How deep types may nest, so that recursion over them is bounded.
pub(super) const MAX_TYPE_DEPTH: u32 = 1500;

/// The way from a record to a member, through anonymous members.
pub(super) type FieldPath = SmallVec<[u32; 2]>;

impl Checker {
    pub(super) fn record_type(
        &mut self,
        u: &ast::Unit,
        id: ast::RecordId,
        alone: Alone,
    ) -> Result<TypeId> {
        let spec = &u.records[id];
        let record = self.tagged_record(spec, alone)?;
        if let Some(members) = &spec.members {
            if self.program.types.records[record].body.is_some() {
                let at = self.program.types.records[record].span;
                let error = Diagnostic::error(spec.span, "redefinition of a struct or union");
                return Err(error.note(at, "defined here"));
            }
            let body = self.record_body(u, spec, members)?;
            let entry = &mut self.types().records[record];
            entry.body = Some(body);
            entry.span = spec.span;
        }
        Ok(self.types().intern(Type::Record(record)))
    }

    /// The record a specifier names, made if it is new here.
    fn tagged_record(&mut self, spec: &ast::RecordSpec, alone: Alone) -> Result<RecordId> {
        if let Some((tag, span)) = spec.tag {
            let visible = if spec.members.is_some() || alone == Alone::Yes {
                self.scopes.tag_here(tag)
            } else {
                self.scopes.tag(tag)
            };
            if let Some(binding) = visible {
                if let Tag::Record(known) = binding.entity
                    && self.program.types.records[known].is_union == spec.is_union
                {
                    return Ok(known);
                }
                let message = format!("'{}' is declared as another kind of tag", self.name(tag));
                return Err(Diagnostic::error(span, message).note(binding.span, "declared here"));
            }
        }
        let (is_union, tag, unit) = (spec.is_union, spec.tag.map(|t| t.0), self.unit);
        let entry = Record { is_union, tag, span: spec.span, unit, body: None };
        let id = self.types().records.alloc(entry);
        if let Some((tag, span)) = spec.tag {
            self.scopes.bind_tag(tag, Tag::Record(id), span);
        }
        Ok(id)
    }

    fn record_body(
        &mut self,
        u: &ast::Unit,
        spec: &ast::RecordSpec,
        declarations: &[MemberDeclaration],
    ) -> Result<RecordBody> {
        let attributes = self.attributes(u, &spec.attributes)?;
        let mut members = Vec::new();
        for declaration in declarations {
            match declaration {
                MemberDeclaration::StaticAssert(id) => self.static_assert(u, *id)?,
                MemberDeclaration::Fields(specs, declarators) => {
                    self.members(u, specs, declarators, attributes.packed, &mut members)?;
                }
            }
        }
        let depth = members.iter().map(|m: &Member| self.program.types.depth(m.field.ty.ty)).max();
        let depth = depth.unwrap_or(0) + 1;
        if depth > MAX_TYPE_DEPTH {
            return self
                .error(spec.span, format!("type nests deeper than {MAX_TYPE_DEPTH} levels"));
        }
        self.check_incomplete_members(spec, &members)?;
        let pack = u64::from(spec.pack);
        let placed = place(&self.program.types, spec.is_union, members, pack, attributes.aligned);
        let Some(placed) = placed else {
            return self.error(spec.span, "struct or union is too large");
        };
        self.check_duplicate_members(&placed.fields)?;
        let transparent = attributes.transparent;
        let (fields, size, align) = (placed.fields, placed.size, placed.align);
        Ok(RecordBody { fields, size, align, transparent, depth })
    }

    fn members(
        &mut self,
        u: &ast::Unit,
        specs: &Specifiers,
        declarators: &[MemberDeclarator],
        packed: bool,
        out: &mut Vec<Member>,
    ) -> Result<()> {
        let alone = if declarators.is_empty() { Alone::Yes } else { Alone::No };
        let base = self.base_type(u, specs, alone)?;
        if declarators.is_empty() {
            return self.anonymous_member(u, specs, base, packed, out);
        }
        for member in declarators {
            let declarator = &member.declarator;
            let ty = self.declared_type(u, base, declarator)?;
            let attributes =
                self.attributes(u, specs.attributes.iter().chain(&declarator.attributes))?;
            let ty = match attributes.mode {
                Some(mode) => self.apply_mode(ty, mode)?,
                None => ty,
            };
            let span = declarator.name.map_or(declarator.span, |n| n.1);
            let name = declarator.name.map(|n| n.0);
            let width = match member.width {
                Some(width) => Some(self.bit_field_width(u, width, ty, name.is_some())?),
                None => None,
            };
            if matches!(self.program.types.get(ty.ty), Type::Function(_)) {
                return self.error(span, "member is declared as a function");
            }
            out.push(Member {
                field: Field { name, span, ty, offset: 0, bits: None },
                width,
                aligned: attributes.aligned,
                packed: packed || attributes.packed,
            });
        }
        Ok(())
    }

    /// `struct { … };` in a record: its members are the record's. Other declarations without a
    /// declarator declare nothing.
    fn anonymous_member(
        &mut self,
        u: &ast::Unit,
        specs: &Specifiers,
        ty: QualType,
        packed: bool,
        out: &mut Vec<Member>,
    ) -> Result<()> {
        let TypeSpec::Record(id) = specs.ty else {
            if !matches!(specs.ty, TypeSpec::Enum(_)) {
                self.warn(specs.span, "declaration does not declare anything");
            }
            return Ok(());
        };
        let spec = &u.records[id];
        if spec.tag.is_some() || spec.members.is_none() {
            if spec.members.is_none() {
                self.warn(specs.span, "declaration does not declare anything");
            }
            return Ok(());
        }
        let attributes = self.attributes(u, &specs.attributes)?;
        out.push(Member {
            field: Field { name: None, span: specs.span, ty, offset: 0, bits: None },
            width: None,
            aligned: attributes.aligned,
            packed: packed || attributes.packed,
        });
        Ok(())
    }

    fn bit_field_width(
        &mut self,
        u: &ast::Unit,
        width: ast::ExprId,
        ty: QualType,
        named: bool,
    ) -> Result<u32> {
        let span = u.exprs[width].span;
        let value = self.constant_value(u, width, "width of a bit-field")?;
        let Some(shape) = self.program.types.shape(ty.ty) else {
            return self.error(span, "bit-field of a type that is no integer");
        };
        match u32::try_from(value) {
            Ok(0) if named => self.error(span, "named bit-field of width zero"),
            Ok(width) if width <= shape.width => Ok(width),
            Ok(_) => self.error(span, "bit-field is wider than its type"),
            Err(_) => self.error(span, "negative width of a bit-field"),
        }
    }

    /// Members must be complete, but the last of a struct may be a flexible array.
    fn check_incomplete_members(&self, spec: &ast::RecordSpec, members: &[Member]) -> Result<()> {
        for (i, member) in members.iter().enumerate() {
            let ty = member.field.ty.ty;
            if self.program.types.size_of(ty).is_some() {
                continue;
            }
            let message = match self.program.types.get(ty) {
                Type::Array(element, ArrayLength::Unknown) => {
                    let last = i + 1 == members.len();
                    let complete = self.program.types.size_of(element.ty).is_some();
                    if complete && (last || spec.is_union) {
                        continue;
                    }
                    "flexible array member is not at the end of its struct"
                }
                Type::Array(_, ArrayLength::Variable(_)) => "a member cannot have variable length",
                _ => "member has incomplete type",
            };
            return self.error(member.field.span, message);
        }
        Ok(())
    }

    fn check_duplicate_members(&self, fields: &[Field]) -> Result<()> {
        let mut seen: FxHashMap<Symbol, Span> = FxHashMap::default();
        let mut pending: Vec<&Field> = fields.iter().rev().collect();
        while let Some(field) = pending.pop() {
            match field.name {
                Some(name) => {
                    if let Some(at) = seen.insert(name, field.span) {
                        let message = format!("duplicate member '{}'", self.name(name));
                        let error = Diagnostic::error(field.span, message);
                        return Err(error.note(at, "declared here"));
                    }
                }
                None => {
                    if let Some(body) = self.program.types.body(field.ty.ty) {
                        pending.extend(body.fields.iter().rev());
                    }
                }
            }
        }
        Ok(())
    }

    /// The way to a member, breadth first through anonymous members.
    pub(super) fn find_field(&self, ty: TypeId, name: Symbol) -> Option<FieldPath> {
        let mut level: Vec<(TypeId, FieldPath)> = vec![(ty, FieldPath::new())];
        while !level.is_empty() {
            let mut next = Vec::new();
            for (ty, path) in level {
                let Some(body) = self.program.types.body(ty) else { continue };
                for (i, field) in body.fields.iter().enumerate() {
                    if field.name.is_some_and(|n| n != name) {
                        continue;
                    }
                    let mut extended = path.clone();
                    extended.push(i as u32);
                    if field.name.is_some() {
                        return Some(extended);
                    }
                    next.push((field.ty.ty, extended));
                }
            }
            level = next;
        }
        None
    }
}
