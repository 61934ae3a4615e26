//! Specifiers and attributes to types [C11 §6.7.2], enums among them.

use super::Checker;
use super::scope::{Entity, Tag};
use crate::ast::{self, Attribute, AttributeKind, NamedFloat, Specifiers, TypeSpec, Words};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{
    DataModel, Enum, EnumId, Field, FloatKind, IntKind, QualType, Record, RecordBody, Type, TypeId,
};

/// The attributes of a declaration, evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) aligned: Option<u64>,
    pub(super) packed: bool,
    pub(super) mode: Option<(Symbol, Span)>,
    pub(super) noreturn: bool,
    pub(super) transparent: bool,
    pub(super) constructor: bool,
    pub(super) destructor: bool,
    pub(super) weak: bool,
    pub(super) gnu_inline: bool,
    pub(super) alias: Option<Symbol>,
}

/// What `__attribute__((aligned))` means on x86.
const GREATEST_ALIGNMENT: u64 = 16;

/// Whether a specifier stands alone before a semicolon, where `struct s;` declares a new tag.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Alone {
    Yes,
    No,
}

impl Checker {
    pub(super) fn attributes<'a>(
        &mut self,
        u: &ast::Unit,
        attributes: impl IntoIterator<Item = &'a Attribute>,
    ) -> Result<Attributes> {
        let mut out = Attributes::default();
        for attribute in attributes {
            let span = attribute.span;
            match attribute.kind {
                AttributeKind::NoReturn => out.noreturn = true,
                AttributeKind::Packed => out.packed = true,
                AttributeKind::TransparentUnion => out.transparent = true,
                AttributeKind::Constructor => out.constructor = true,
                AttributeKind::Destructor => out.destructor = true,
                AttributeKind::Weak => out.weak = true,
                AttributeKind::Alias(target) => out.alias = Some(target),
                AttributeKind::GnuInline => out.gnu_inline = true,
                AttributeKind::Mode(mode) => out.mode = Some((mode, span)),
                AttributeKind::Aligned(None) => out.align(GREATEST_ALIGNMENT),
                AttributeKind::Aligned(Some(value)) | AttributeKind::Alignas(value) => {
                    let align = self.constant_value(u, value, "alignment")?;
                    match u64::try_from(align) {
                        Ok(0) if matches!(attribute.kind, AttributeKind::Alignas(_)) => {}
                        Ok(n) if n.is_power_of_two() && n <= 1 << 28 => out.align(n),
                        _ => return self.error(span, "alignment is not a small power of two"),
                    }
                }
                AttributeKind::AlignedAs(ty) => {
                    let ty = self.type_name(u, ty)?;
                    let align = self.program.types.align_of(ty);
                    out.align(align);
                }
                AttributeKind::VectorSize => {
                    return self.error(span, "vector types are not supported");
                }
                AttributeKind::Cleanup => {
                    return self.error(span, "attribute 'cleanup' is not supported");
                }
                AttributeKind::StorageOrder => {
                    let message = "attribute 'scalar_storage_order' is not supported";
                    return self.error(span, message);
                }
            }
        }
        Ok(out)
    }

    /// The value of an integer constant expression of the syntax tree.
    pub(super) fn constant_value(
        &mut self,
        u: &ast::Unit,
        expr: ast::ExprId,
        what: &str,
    ) -> Result<i128> {
        let value = self.rvalue(u, expr)?;
        if let Some(value) = self.integer_constant(value) {
            return Ok(value);
        }
        let span = u.exprs[expr].span;
        self.error(span, format!("{what} is not an integer constant expression"))
    }

    /// The type that specifiers name, with their qualifiers.
    pub(super) fn base_type(
        &mut self,
        u: &ast::Unit,
        specs: &Specifiers,
        alone: Alone,
    ) -> Result<QualType> {
        let base = match &specs.ty {
            TypeSpec::Missing => QualType::plain(self.int_type()),
            TypeSpec::Words(words) => QualType::plain(self.word_type(words, specs.span)?),
            TypeSpec::Named(name) => self.named_type(*name, specs.span)?,
            TypeSpec::Record(id) => QualType::plain(self.record_type(u, *id, alone)?),
            TypeSpec::Enum(id) => QualType::plain(self.enum_type(u, *id, alone)?),
            TypeSpec::TypeofExpr(expr) => self.typeof_expr(u, *expr)?,
            TypeSpec::TypeofType(ty) => self.type_name(u, *ty)?,
            TypeSpec::Atomic(ty) => self.type_name(u, *ty)?.with(ast::Quals::ATOMIC),
            TypeSpec::Auto => {
                return self.error(specs.span, "'__auto_type' needs a plain variable");
            }
            TypeSpec::VaList => self.va_list_type(),
        };
        Ok(self.qualify(base, specs.quals))
    }

    /// Adds qualifiers; those of an array are its elements'.
    pub(super) fn qualify(&mut self, ty: QualType, quals: ast::Quals) -> QualType {
        if quals == ast::Quals::NONE {
            return ty;
        }
        // Down to the elements, and back up.
        let mut lengths = Vec::new();
        let mut inner = ty;
        while let Type::Array(element, length) = *self.program.types.get(inner.ty) {
            lengths.push((inner, length));
            inner = element;
        }
        inner = inner.with(quals);
        for (array, length) in lengths.into_iter().rev() {
            inner = QualType { ty: self.types().intern(Type::Array(inner, length)), ..array };
        }
        inner
    }

    fn word_type(&mut self, w: &Words, span: Span) -> Result<TypeId> {
        if let Some(named) = w.named_float {
            let kind = match named {
                NamedFloat::Float32 => FloatKind::Float,
                NamedFloat::Float64 | NamedFloat::Float32x => FloatKind::Double,
                NamedFloat::Float64x | NamedFloat::Float80 => FloatKind::LongDouble,
                NamedFloat::Float128 => FloatKind::Quad,
            };
            return Ok(self.types().float(kind));
        }
        if w.int128 && self.program.types.model == DataModel::Ilp32 {
            return self.error(span, "'__int128' does not exist in the ILP32 data model");
        }
        let pick = |signed, unsigned| if w.unsigned { unsigned } else { signed };
        let kind = if w.void {
            return Ok(self.types().void());
        } else if w.bool {
            return Ok(self.types().bool());
        } else if w.float {
            return Ok(self.types().float(FloatKind::Float));
        } else if w.double {
            let kind = if w.long > 0 { FloatKind::LongDouble } else { FloatKind::Double };
            return Ok(self.types().float(kind));
        } else if w.char {
            if w.signed { IntKind::SChar } else { pick(IntKind::Char, IntKind::UChar) }
        } else if w.short {
            pick(IntKind::Short, IntKind::UShort)
        } else if w.int128 {
            pick(IntKind::Int128, IntKind::UInt128)
        } else {
            match w.long {
                0 => pick(IntKind::Int, IntKind::UInt),
                1 => pick(IntKind::Long, IntKind::ULong),
                _ => pick(IntKind::LongLong, IntKind::ULongLong),
            }
        };
        Ok(self.types().int(kind))
    }

    fn named_type(&mut self, name: Symbol, span: Span) -> Result<QualType> {
        if let Some(binding) = self.scopes.lookup(name) {
            return match binding.entity {
                Entity::Typedef(ty) => Ok(ty),
                _ => {
                    let message = format!("'{}' is not a type", self.name(name));
                    Err(Diagnostic::error(span, message).note(binding.span, "declared here"))
                }
            };
        }
        let plain = match self.name(name) {
            "__CPROVER_bool" => Some(self.types().bool()),
            "__CPROVER_size_t" => Some(self.types().size_type()),
            "__CPROVER_ssize_t" => Some(self.types().int(IntKind::Long)),
            _ => None,
        };
        if let Some(ty) = plain {
            return Ok(QualType::plain(ty));
        }
        let kind = match self.name(name) {
            "__int128_t" => IntKind::Int128,
            "__uint128_t" => IntKind::UInt128,
            other => {
                let message = format!("unknown type name '{other}'");
                return self.error(span, message);
            }
        };
        if self.program.types.model == DataModel::Ilp32 {
            return self.error(span, "'__int128' does not exist in the ILP32 data model");
        }
        Ok(QualType::plain(self.types().int(kind)))
    }

    /// `__builtin_va_list`: an array of one struct on LP64, a pointer on ILP32.
    pub(super) fn va_list_type(&mut self) -> QualType {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let ty = match self.program.types.model {
            DataModel::Ilp32 => {
                let char_type = self.types().int(IntKind::Char);
                self.types().pointer(QualType::plain(char_type))
            }
            DataModel::Lp64 => {
                let uint = QualType::plain(self.types().int(IntKind::UInt));
                let pointer = QualType::plain(self.types().void_pointer());
                let members = [
                    ("gp_offset", uint, 0),
                    ("fp_offset", uint, 4),
                    ("overflow_arg_area", pointer, 8),
                    ("reg_save_area", pointer, 16),
                ];
                let fields = members
                    .into_iter()
                    .map(|(name, ty, offset)| {
                        let name = Some(self.program.symbols.intern(name));
                        Field { name, span: Span::default(), ty, offset, bits: None }
                    })
                    .collect();
                let body = RecordBody { fields, size: 24, align: 8, transparent: false, depth: 1 };
                let record = Record {
                    is_union: false,
                    tag: Some(self.program.symbols.intern("__va_list_tag")),
                    span: Span::default(),
                    unit: 0,
                    body: Some(body),
                };
                let id = self.types().records.alloc(record);
                let element = QualType::plain(self.types().intern(Type::Record(id)));
                self.types().array(element, 1)
            }
        };
        let ty = QualType::plain(ty);
        self.va_list = Some(ty);
        ty
    }

    /// Replaces a type by the one of the width that a mode attribute names.
    pub(super) fn apply_mode(&mut self, ty: QualType, mode: (Symbol, Span)) -> Result<QualType> {
        let word = u64::from(self.program.types.pointer_width() / 8);
        let name = self.name(mode.0).to_owned();
        let float = match name.as_str() {
            "SF" => Some(FloatKind::Float),
            "DF" => Some(FloatKind::Double),
            "XF" => Some(FloatKind::LongDouble),
            "TF" => Some(FloatKind::Quad),
            _ => None,
        };
        if let Some(kind) = float {
            return Ok(QualType { ty: self.types().float(kind), ..ty });
        }
        let bytes = match name.as_str() {
            "QI" | "byte" => 1,
            "HI" => 2,
            "SI" => 4,
            "DI" => 8,
            "TI" => 16,
            "word" | "pointer" | "unwind_word" => word,
            _ => return self.error(mode.1, format!("machine mode '{name}' is not supported")),
        };
        if self.program.types.pointee(ty.ty).is_some() {
            return Ok(ty);
        }
        let Some(shape) = self.program.types.shape(ty.ty) else {
            return self.error(mode.1, "mode attribute on a type that is no integer");
        };
        let kind = int_of_size(bytes, shape.signed, self.program.types.model);
        Ok(QualType { ty: self.types().int(kind), ..ty })
    }

    fn enum_type(&mut self, u: &ast::Unit, id: ast::EnumId, alone: Alone) -> Result<TypeId> {
        let spec = &u.enums[id];
        let visible = spec.tag.and_then(|(tag, _)| {
            if spec.constants.is_some() || alone == Alone::Yes {
                self.scopes.tag_here(tag)
            } else {
                self.scopes.tag(tag)
            }
        });
        let known = match visible.map(|b| (b.entity, b.span)) {
            Some((Tag::Enum(known), _)) => Some(known),
            Some((Tag::Record(_), at)) => {
                let message = "tag is declared as another kind of type";
                return Err(Diagnostic::error(spec.span, message).note(at, "declared here"));
            }
            None => None,
        };
        let enum_id = known.unwrap_or_else(|| self.new_enum(spec));
        if let Some(constants) = &spec.constants {
            if self.program.types.enums[enum_id].underlying.is_some()
                && !self.program.types.enums[enum_id].constants.is_empty()
            {
                let at = self.program.types.enums[enum_id].span;
                let error = Diagnostic::error(spec.span, "redefinition of an enum");
                return Err(error.note(at, "defined here"));
            }
            self.enum_constants(u, spec, constants, enum_id)?;
        }
        Ok(self.types().intern(Type::Enum(enum_id)))
    }

    fn new_enum(&mut self, spec: &ast::EnumSpec) -> EnumId {
        let tag = spec.tag.map(|t| t.0);
        // gcc lets an enum be used before it is defined, as an unsigned int.
        let underlying = if spec.constants.is_none() { Some(IntKind::UInt) } else { None };
        let entry = Enum { tag, span: spec.span, underlying, constants: Vec::new() };
        let id = self.types().enums.alloc(entry);
        if let Some((tag, span)) = spec.tag {
            self.scopes.bind_tag(tag, Tag::Enum(id), span);
        }
        id
    }

    /// Evaluates the constants and chooses the type as gcc does: unsigned int, int, unsigned
    /// long, long, whichever first holds all of them, signed only for negative ones.
    fn enum_constants(
        &mut self,
        u: &ast::Unit,
        spec: &ast::EnumSpec,
        constants: &[ast::EnumConstant],
        id: EnumId,
    ) -> Result<()> {
        let int = self.int_type();
        let mut next = 0i128;
        let mut values = Vec::with_capacity(constants.len());
        for constant in constants {
            if let Some(value) = constant.value {
                next = self.constant_value(u, value, "value of an enumeration constant")?;
            }
            if let Some(previous) = self.scopes.lookup_here(constant.name) {
                let message = format!("redeclaration of '{}'", self.name(constant.name));
                let error = Diagnostic::error(constant.span, message);
                return Err(error.note(previous.span, "declared here"));
            }
            // While the enum is open, a constant beyond int has the type of its value.
            let ty = if i32::try_from(next).is_ok() {
                int
            } else {
                let kind = enum_kind(next.min(0), next.max(0), false, self.program.types.model);
                self.types().int(kind)
            };
            self.scopes.bind(constant.name, Entity::Constant(next, ty), constant.span);
            values.push((constant.name, next));
            next += 1;
        }
        let attributes = self.attributes(u, &spec.attributes)?;
        let least = values.iter().map(|v| v.1).min().unwrap_or(0).min(0);
        let greatest = values.iter().map(|v| v.1).max().unwrap_or(0).max(0);
        let mut kind = enum_kind(least, greatest, attributes.packed, self.program.types.model);
        if let Some(mode) = attributes.mode {
            let plain = QualType::plain(self.types().int(kind));
            let ty = self.apply_mode(plain, mode)?;
            if let Type::Int(narrow) = self.program.types.get(ty.ty) {
                kind = *narrow;
            }
        }
        let entry = &mut self.types().enums[id];
        entry.underlying = Some(kind);
        entry.span = spec.span;
        entry.constants.clone_from(&values);
        let enum_type = self.types().intern(Type::Enum(id));
        for (constant, (name, value)) in constants.iter().zip(values) {
            if i32::try_from(value).is_err() {
                self.scopes.bind(name, Entity::Constant(value, enum_type), constant.span);
            }
        }
        Ok(())
    }
}

impl Attributes {
    /// The strictest of several alignments holds.
    fn align(&mut self, bytes: u64) {
        self.aligned = Some(self.aligned.map_or(bytes, |a| a.max(bytes)));
    }
}

/// The integer type of a size in bytes.
pub(super) fn int_of_size(bytes: u64, signed: bool, model: DataModel) -> IntKind {
    let (s, u) = match (bytes, model) {
        (1, _) => (IntKind::SChar, IntKind::UChar),
        (2, _) => (IntKind::Short, IntKind::UShort),
        (4, _) => (IntKind::Int, IntKind::UInt),
        (8, DataModel::Lp64) => (IntKind::Long, IntKind::ULong),
        (8, DataModel::Ilp32) => (IntKind::LongLong, IntKind::ULongLong),
        _ => (IntKind::Int128, IntKind::UInt128),
    };
    if signed { s } else { u }
}

fn enum_kind(least: i128, greatest: i128, packed: bool, model: DataModel) -> IntKind {
    let signed = least < 0;
    let sizes: &[u64] = if packed { &[1, 2, 4, 8] } else { &[4, 8] };
    let holds = |bytes: u64| {
        let bits = bytes * 8;
        if signed {
            least >= -(1i128 << (bits - 1)) && greatest < 1i128 << (bits - 1)
        } else {
            greatest < 1i128 << bits
        }
    };
    let bytes = sizes.iter().copied().find(|&b| holds(b)).unwrap_or(8);
    int_of_size(bytes, signed, model)
}
