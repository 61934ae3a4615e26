//! Conversions [C11 §6.3] and compatibility of types [C11 §6.2.7].

use super::Checker;
use crate::ast::Quals;
use crate::diagnostic::Result;
use crate::source::Span;
use crate::typed::{Conversion, ExprId, ExprKind};
use crate::types::{
    ArrayLength, FunctionType, IntKind, IntShape, QualType, RecordId, Type, TypeId, TypeTable,
};

/// What a value is converted for, as messages say it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    Assignment,
    Initialization,
    Argument,
    Return,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Purpose::Assignment => "assignment",
            Purpose::Initialization => "initialization",
            Purpose::Argument => "argument",
            Purpose::Return => "return value",
        }
    }
}

impl Checker {
    /// Whether two types are compatible; qualifiers at the top are not looked at.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        compatible(&self.program.types, a, b, &mut Vec::new())
    }

    /// The composite of two compatible types.
    pub(super) fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        let (left, right) = (self.program.types.get(a).clone(), self.program.types.get(b).clone());
        match (left, right) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let inner = self.composite(x.ty, y.ty);
                self.types().pointer(QualType { ty: inner, ..x })
            }
            (Type::Array(x, n), Type::Array(y, m)) => {
                let inner = self.composite(x.ty, y.ty);
                let length = if matches!(n, ArrayLength::Fixed(_)) { n } else { m };
                let length = if matches!(length, ArrayLength::Unknown) { n } else { length };
                self.types().intern(Type::Array(QualType { ty: inner, ..x }, length))
            }
            (Type::Function(x), Type::Function(y)) => self.composite_function(x, y),
            // An enum gives way to nothing, an incomplete record to its definition elsewhere.
            (Type::Record(x), Type::Record(_)) if self.program.types.records[x].body.is_none() => b,
            _ => a,
        }
    }

    fn composite_function(&mut self, x: FunctionType, y: FunctionType) -> TypeId {
        let result = self.composite(x.result, y.result);
        let function = match (x.prototype, y.prototype) {
            (true, true) => {
                let pairs: Vec<_> = x.params.iter().copied().zip(y.params).collect();
                let params = pairs
                    .into_iter()
                    .map(|(p, q)| QualType { ty: self.composite(p.ty, q.ty), ..p })
                    .collect();
                FunctionType { result, params, ..x }
            }
            (true, false) => FunctionType { result, ..x },
            (false, true) => FunctionType { result, ..y },
            (false, false) if x.params.is_empty() => FunctionType { result, ..y },
            (false, false) => FunctionType { result, ..x },
        };
        self.types().intern(Type::Function(function))
    }

    // Conversions that always succeed.

    /// How a scalar is converted; both types must be scalar, or the target void.
    pub(super) fn conversion_kind(&self, from: TypeId, to: TypeId) -> Conversion {
        let types = &self.program.types;
        match (types.get(from), types.get(to)) {
            (_, Type::Void) => Conversion::ToVoid,
            (Type::Bool, Type::Bool) => Conversion::Same,
            (_, Type::Bool) => Conversion::ToBool,
            (Type::Float(_), Type::Float(_)) => Conversion::FloatToFloat,
            (Type::Float(_), _) => Conversion::FloatToInt,
            (_, Type::Float(_)) => Conversion::IntToFloat,
            (Type::Pointer(_), Type::Pointer(_)) => Conversion::PointerToPointer,
            (Type::Pointer(_), _) => Conversion::PointerToInt,
            (_, Type::Pointer(_)) => Conversion::IntToPointer,
            _ if types.shape(from) == types.shape(to) => Conversion::Same,
            _ => Conversion::IntToInt,
        }
    }

    /// The value converted to a scalar type or void.
    pub(super) fn convert(&mut self, value: ExprId, to: TypeId) -> ExprId {
        let from = self.type_of(value);
        if from == to {
            return value;
        }
        let how = self.conversion_kind(from, to);
        let span = self.span_of(value);
        self.make(ExprKind::Convert(how, value), to, span)
    }

    /// The value of a condition as `_Bool`.
    pub(super) fn condition(&mut self, value: ExprId) -> Result<ExprId> {
        let ty = self.type_of(value);
        if !self.program.types.is_scalar(ty) {
            let message = format!("value of type '{}' is used as a condition", self.show(ty));
            return self.error(self.span_of(value), message);
        }
        let to = self.types().bool();
        // A comparison is true exactly if it is not zero: no need to say so twice.
        Ok(self.convert(value, to))
    }

    // Arithmetic.

    /// The type after the integer promotions.
    pub(super) fn promoted_type(&mut self, ty: TypeId) -> TypeId {
        if self.is_mathematical() && self.program.types.is_integer(ty) {
            return self.types().int(IntKind::Int128);
        }
        let int = IntShape { width: 32, signed: true };
        let promoted = match *self.program.types.get(ty) {
            Type::Bool => IntKind::Int,
            Type::Int(kind) => match self.program.types.int_shape(kind) {
                shape if shape.width < int.width => IntKind::Int,
                _ => return ty,
            },
            Type::Enum(id) => {
                let kind = self.program.types.enums[id].underlying.unwrap_or(IntKind::UInt);
                if self.program.types.int_shape(kind).width < int.width {
                    IntKind::Int
                } else {
                    kind
                }
            }
            _ => return ty,
        };
        self.types().int(promoted)
    }

    pub(super) fn promote(&mut self, value: ExprId) -> ExprId {
        let to = self.promoted_type(self.type_of(value));
        self.convert(value, to)
    }

    /// The common type of the usual arithmetic conversions; both must be arithmetic.
    pub(super) fn common_type(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (left, right) = (self.program.types.get(a).clone(), self.program.types.get(b).clone());
        match (left, right) {
            (Type::Float(x), Type::Float(y)) => self.types().float(x.max(y)),
            (Type::Float(_), _) => a,
            (_, Type::Float(_)) => b,
            _ => {
                let (a, b) = (self.promoted_type(a), self.promoted_type(b));
                self.common_integer(a, b)
            }
        }
    }

    fn common_integer(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (&Type::Int(x), &Type::Int(y)) = (self.program.types.get(a), self.program.types.get(b))
        else {
            return a;
        };
        let types = &self.program.types;
        let (p, q) = (types.int_shape(x), types.int_shape(y));
        if p.width != q.width {
            return if p.width > q.width { a } else { b };
        }
        let higher = if rank(x) >= rank(y) { x } else { y };
        if p.signed == q.signed {
            return self.types().int(higher);
        }
        self.types().int(unsigned(higher))
    }

    // Assignment.

    /// Converts a value as if by assignment [C11 §6.5.16.1], with gcc's tolerance: pointers and
    /// integers mix with a warning.
    pub(super) fn assign_convert(
        &mut self,
        value: ExprId,
        to: TypeId,
        purpose: Purpose,
        span: Span,
    ) -> Result<ExprId> {
        let from = self.type_of(value);
        if from == to {
            return Ok(value);
        }
        let types = &self.program.types;
        let (source, target) = (types.get(from).clone(), types.get(to).clone());
        match (source, target) {
            (Type::Pointer(source), Type::Pointer(target)) => {
                self.check_pointers(value, source, target, purpose, span);
                Ok(self.convert(value, to))
            }
            (Type::Pointer(_), Type::Bool) => Ok(self.convert(value, to)),
            (Type::Pointer(_), Type::Int(_) | Type::Enum(_)) => {
                self.warn(span, format!("{} makes an integer from a pointer", purpose.name()));
                Ok(self.convert(value, to))
            }
            (Type::Bool | Type::Int(_) | Type::Enum(_), Type::Pointer(_)) => {
                if !self.is_null_constant(value) {
                    self.warn(span, format!("{} makes a pointer from an integer", purpose.name()));
                }
                Ok(self.convert(value, to))
            }
            (Type::Record(a), Type::Record(_)) if self.compatible(from, to) => {
                let _ = a;
                Ok(self.make(ExprKind::Convert(Conversion::Same, value), to, span))
            }
            (_, Type::Record(record)) => self.pass_as_union(value, record, to, purpose, span),
            _ if self.program.types.is_arithmetic(from) && self.program.types.is_arithmetic(to) => {
                Ok(self.convert(value, to))
            }
            _ => self.cannot_convert(from, to, purpose, span),
        }
    }

    fn cannot_convert<T>(
        &self,
        from: TypeId,
        to: TypeId,
        purpose: Purpose,
        span: Span,
    ) -> Result<T> {
        let message = format!(
            "incompatible types in {}: '{}' needed, '{}' given",
            purpose.name(),
            self.show(to),
            self.show(from)
        );
        self.error(span, message)
    }

    /// A member's value may be passed for a transparent union.
    fn pass_as_union(
        &mut self,
        value: ExprId,
        record: RecordId,
        to: TypeId,
        purpose: Purpose,
        span: Span,
    ) -> Result<ExprId> {
        let from = self.type_of(value);
        let body = self.program.types.records[record].body.as_ref();
        let transparent = body.is_some_and(|b| b.transparent) && purpose == Purpose::Argument;
        if !transparent {
            return self.cannot_convert(from, to, purpose, span);
        }
        let members: Vec<TypeId> =
            body.map(|b| b.fields.iter().map(|f| f.ty.ty).collect()).unwrap_or_default();
        let pointer = |ty: TypeId| self.program.types.pointee(ty).is_some();
        let null = self.is_null_constant(value);
        let found = members
            .iter()
            .copied()
            .find(|&m| self.compatible(m, from) || (pointer(m) && (pointer(from) || null)));
        let Some(member) = found else {
            return self.cannot_convert(from, to, purpose, span);
        };
        let value = self.convert(value, member);
        Ok(self.make(ExprKind::Convert(Conversion::ToUnion, value), to, span))
    }

    /// Warns of pointers to different types and of lost qualifiers.
    fn check_pointers(
        &mut self,
        value: ExprId,
        source: QualType,
        target: QualType,
        purpose: Purpose,
        span: Span,
    ) {
        let types = &self.program.types;
        let void = types.is_void(source.ty) || types.is_void(target.ty);
        if self.is_null_constant(value) {
            return;
        }
        let same_size = |types: &TypeTable| {
            let (a, b) = (types.shape(source.ty), types.shape(target.ty));
            a.is_some() && a.map(|s| s.width) == b.map(|s| s.width)
        };
        if !void && !self.compatible(source.ty, target.ty) && !same_size(&self.program.types) {
            let message = format!(
                "{} from incompatible pointer type: '{} *' needed, '{} *' given",
                purpose.name(),
                self.program.types.show(target, &self.program.symbols),
                self.program.types.show(source, &self.program.symbols)
            );
            self.warn(span, message);
        } else if source.quals.0 & !target.quals.0 & (Quals::CONST | Quals::VOLATILE).0 != 0 {
            self.warn(span, format!("{} discards qualifiers of the pointer", purpose.name()));
        }
    }

    /// Whether a value is an integer constant zero, or one cast to `void *`.
    pub(super) fn is_null_constant(&self, value: ExprId) -> bool {
        let expr = &self.program.exprs[value];
        match (&expr.kind, self.program.types.get(expr.ty)) {
            (_, Type::Bool | Type::Int(_) | Type::Enum(_)) => {
                self.integer_constant(value) == Some(0)
            }
            (ExprKind::Convert(_, inner), Type::Pointer(to)) => {
                self.program.types.is_void(to.ty)
                    && to.quals == Quals::NONE
                    && self.program.types.is_integer(self.type_of(*inner))
                    && self.integer_constant(*inner) == Some(0)
            }
            _ => false,
        }
    }
}

/// The order of integer types of equal width; types of bit-fields come below all.
fn rank(kind: IntKind) -> u32 {
    match kind {
        IntKind::Bits { .. } => 0,
        IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
        IntKind::Short | IntKind::UShort => 2,
        IntKind::Int | IntKind::UInt => 3,
        IntKind::Long | IntKind::ULong => 4,
        IntKind::LongLong | IntKind::ULongLong => 5,
        IntKind::Int128 | IntKind::UInt128 => 6,
    }
}

/// The unsigned type of the same rank.
pub(super) fn unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SChar | IntKind::UChar => IntKind::UChar,
        IntKind::Short | IntKind::UShort => IntKind::UShort,
        IntKind::Int | IntKind::UInt => IntKind::UInt,
        IntKind::Long | IntKind::ULong => IntKind::ULong,
        IntKind::LongLong | IntKind::ULongLong => IntKind::ULongLong,
        IntKind::Int128 | IntKind::UInt128 => IntKind::UInt128,
        IntKind::Bits { width, .. } => IntKind::Bits { signed: false, width },
    }
}

/// Compatibility; `assumed` are pairs of records of different files that are being compared.
fn compatible(
    types: &TypeTable,
    a: TypeId,
    b: TypeId,
    assumed: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    if a == b {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Type::Pointer(x), Type::Pointer(y)) => qualified(types, *x, *y, assumed),
        (Type::Array(x, n), Type::Array(y, m)) => {
            let lengths = match (n, m) {
                (ArrayLength::Fixed(n), ArrayLength::Fixed(m)) => n == m,
                _ => true,
            };
            lengths && qualified(types, *x, *y, assumed)
        }
        (Type::Function(f), Type::Function(g)) => functions(types, f, g, assumed),
        (Type::Enum(e), Type::Int(kind)) | (Type::Int(kind), Type::Enum(e)) => {
            types.enums[*e].underlying == Some(*kind)
        }
        (Type::Enum(x), Type::Enum(y)) => {
            // Enums of different files; within a file they are the same or differ.
            let (x, y) = (&types.enums[*x], &types.enums[*y]);
            x.tag == y.tag && x.constants == y.constants && x.underlying == y.underlying
        }
        (Type::Record(x), Type::Record(y)) => records(types, *x, *y, assumed),
        _ => false,
    }
}

fn qualified(
    types: &TypeTable,
    a: QualType,
    b: QualType,
    assumed: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    a.quals == b.quals && compatible(types, a.ty, b.ty, assumed)
}

fn functions(
    types: &TypeTable,
    f: &FunctionType,
    g: &FunctionType,
    assumed: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    if !compatible(types, f.result, g.result, assumed) {
        return false;
    }
    if !f.prototype || !g.prototype {
        // A K&R definition knows its parameters: their number must agree.
        return f.params.is_empty() || g.params.is_empty() || f.params.len() == g.params.len();
    }
    f.params.len() == g.params.len()
        && f.variadic == g.variadic
        && f.params.iter().zip(&g.params).all(|(p, q)| {
            compatible(types, p.ty, q.ty, assumed)
                || transparent_member(types, p.ty, q.ty)
                || transparent_member(types, q.ty, p.ty)
        })
}

/// A prototype with a transparent union agrees with one that has the type of a member.
fn transparent_member(types: &TypeTable, union: TypeId, member: TypeId) -> bool {
    types.body(union).is_some_and(|b| b.transparent && b.fields.iter().any(|f| f.ty.ty == member))
}

/// Records of different files are compatible if tag and members agree, or one is incomplete.
fn records(
    types: &TypeTable,
    x: RecordId,
    y: RecordId,
    assumed: &mut Vec<(RecordId, RecordId)>,
) -> bool {
    // A chain of this many different records is assumed to go on alike: recursion is bounded.
    if assumed.len() > 500 || assumed.contains(&(x, y)) {
        return true;
    }
    let (r, s) = (&types.records[x], &types.records[y]);
    if r.unit == s.unit || r.is_union != s.is_union || r.tag != s.tag {
        return false;
    }
    let (Some(body_r), Some(body_s)) = (&r.body, &s.body) else { return r.tag.is_some() };
    if body_r.fields.len() != body_s.fields.len() || body_r.size != body_s.size {
        return false;
    }
    assumed.push((x, y));
    body_r.fields.iter().zip(&body_s.fields).all(|(f, g)| {
        f.name == g.name
            && f.offset == g.offset
            && f.bits == g.bits
            && qualified(types, f.ty, g.ty, assumed)
    })
}
