//! Types [C11 §6.2.5], interned: equal types are equal [`TypeId`]s.
//!
//! Qualifiers, and an alignment that a typedef or attribute imposes, live beside the type in
//! [`QualType`]. Structs, unions and enums are nominal: each definition is an entry of its own.

use crate::ast::Quals;
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// The sizes of the basic types.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits, as gcc -m32 on x86.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64, as gcc -m64 on x86.
    Lp64,
}

impl DataModel {
    /// All of them.
    pub const ALL: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];
}

/// A type's index in its [`TypeTable`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(u32);

/// A struct or union.
pub type RecordId = Idx<Record>;
/// An enum.
pub type EnumId = Idx<Enum>;

/// A type with qualifiers, and with an alignment of its own if it was given one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub quals: Quals,
    /// 0, or 1 + the binary logarithm of the alignment imposed.
    pub(crate) alignment: u8,
}

impl QualType {
    /// The type without qualifiers.
    #[must_use]
    pub fn plain(ty: TypeId) -> QualType {
        QualType { ty, quals: Quals::NONE, alignment: 0 }
    }

    /// The type with these qualifiers added.
    #[must_use]
    pub fn with(self, quals: Quals) -> QualType {
        QualType { quals: self.quals | quals, ..self }
    }

    /// The type without qualifiers and alignment.
    #[must_use]
    pub fn unqualified(self) -> QualType {
        QualType::plain(self.ty)
    }

    /// The same with an alignment in bytes, a power of two.
    #[must_use]
    pub fn aligned(self, bytes: u64) -> QualType {
        QualType { alignment: bytes.trailing_zeros() as u8 + 1, ..self }
    }

    /// The alignment imposed, in bytes.
    #[must_use]
    pub fn alignment(self) -> Option<u64> {
        self.alignment.checked_sub(1).map(|log| 1 << log)
    }

    /// Whether it is `const`.
    #[must_use]
    pub fn is_const(self) -> bool {
        self.quals.contains(Quals::CONST)
    }

    /// Whether it is `volatile`.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        self.quals.contains(Quals::VOLATILE)
    }
}

/// The integer types, without `_Bool` and enums.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    /// The type of a bit-field wider than `int`, which gcc computes in its own width.
    Bits {
        signed: bool,
        width: u8,
    },
}

/// The floating types.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FloatKind {
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// The x87 80-bit extended format.
    LongDouble,
    /// IEEE binary128.
    Quad,
}

/// The length of an array.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ArrayLength {
    /// Not (yet) known.
    Unknown,
    /// Known.
    Fixed(u64),
    /// Computed when its declaration is reached.
    Variable(crate::typed::VlaId),
    /// `[*]` in a prototype.
    Star,
}

/// A function type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    /// What it returns, unqualified.
    pub result: TypeId,
    /// Its parameters, adjusted and unqualified.
    pub params: Vec<QualType>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether the parameters are declared; otherwise arguments are promoted as they are.
    pub prototype: bool,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer.
    Int(IntKind),
    /// A floating type.
    Float(FloatKind),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array(QualType, ArrayLength),
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// An enum.
    Enum(EnumId),
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Whether it is a union.
    pub is_union: bool,
    /// Its tag.
    pub tag: Option<Symbol>,
    /// Where it was first named or defined.
    pub span: Span,
    /// Which file of the program defines it.
    pub unit: u32,
    /// Its members and layout, once defined.
    pub body: Option<RecordBody>,
}

/// The members and layout of a struct or union.
#[derive(Clone, Debug)]
pub struct RecordBody {
    /// Members, in order; unnamed bit-fields are only padding and not among them.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether arguments may be given as any of the members.
    pub transparent: bool,
    /// Greatest nesting of the members' types.
    pub depth: u32,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; none for anonymous structs and unions.
    pub name: Option<Symbol>,
    /// Its place.
    pub span: Span,
    /// Its type.
    pub ty: QualType,
    /// Offset in bytes; for a bit-field that of the byte with its first bit.
    pub offset: u64,
    /// For a bit-field, its bits.
    pub bits: Option<BitField>,
}

/// The bits of a bit-field.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitField {
    /// First bit, counted from the start of the record, least significant first.
    pub position: u64,
    /// Number of bits.
    pub width: u32,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag.
    pub tag: Option<Symbol>,
    /// Where it was first named or defined.
    pub span: Span,
    /// The integer type it is represented in, once defined.
    pub underlying: Option<IntKind>,
    /// Its constants in order, for those who show values.
    pub constants: Vec<(Symbol, i128)>,
}

/// The types of a program.
#[derive(Debug)]
pub struct TypeTable {
    /// The data model.
    pub model: DataModel,
    types: Vec<Type>,
    depths: Vec<u32>,
    index: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: Arena<Record>,
    /// Enums.
    pub enums: Arena<Enum>,
}

impl TypeTable {
    /// A table with the basic types.
    #[must_use]
    pub fn new(model: DataModel) -> TypeTable {
        TypeTable {
            model,
            types: Vec::new(),
            depths: Vec::new(),
            index: FxHashMap::default(),
            records: Arena::new(),
            enums: Arena::new(),
        }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.index.get(&ty) {
            return id;
        }
        let depth = match &ty {
            Type::Pointer(to) => self.depth(to.ty) + 1,
            Type::Array(element, _) => self.depth(element.ty) + 1,
            Type::Function(f) => {
                let params = f.params.iter().map(|p| self.depth(p.ty)).max().unwrap_or(0);
                params.max(self.depth(f.result)) + 1
            }
            _ => 0,
        };
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.depths.push(depth);
        self.index.insert(ty, id);
        id
    }

    /// The type with this id.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// How deep a type nests; the length of a recursion over it.
    #[must_use]
    pub fn depth(&self, id: TypeId) -> u32 {
        match self.get(id) {
            Type::Record(record) => {
                self.records[*record].body.as_ref().map_or(0, |body| body.depth + 1)
            }
            _ => self.depths[id.0 as usize],
        }
    }

    /// `void`
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// `_Bool`
    pub fn bool(&mut self) -> TypeId {
        self.intern(Type::Bool)
    }

    /// An integer type.
    pub fn int(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }

    /// A floating type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// A pointer to a type.
    pub fn pointer(&mut self, to: QualType) -> TypeId {
        self.intern(Type::Pointer(to))
    }

    /// `void *`
    pub fn void_pointer(&mut self) -> TypeId {
        let void = self.void();
        self.pointer(QualType::plain(void))
    }

    /// An array of known length.
    pub fn array(&mut self, element: QualType, length: u64) -> TypeId {
        self.intern(Type::Array(element, ArrayLength::Fixed(length)))
    }

    /// The unsigned type of `sizeof`.
    pub fn size_type(&mut self) -> TypeId {
        self.int(match self.model {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        })
    }

    /// The type of pointer differences.
    pub fn ptrdiff_type(&mut self) -> TypeId {
        self.int(match self.model {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        })
    }

    /// Bits of a pointer.
    #[must_use]
    pub fn pointer_width(&self) -> u32 {
        match self.model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Bits and signedness of an integer type.
    #[must_use]
    pub fn int_shape(&self, kind: IntKind) -> IntShape {
        let long = self.pointer_width();
        let (width, signed) = match kind {
            IntKind::Char | IntKind::SChar => (8, true),
            IntKind::UChar => (8, false),
            IntKind::Short => (16, true),
            IntKind::UShort => (16, false),
            IntKind::Int => (32, true),
            IntKind::UInt => (32, false),
            IntKind::Long => (long, true),
            IntKind::ULong => (long, false),
            IntKind::LongLong => (64, true),
            IntKind::ULongLong => (64, false),
            IntKind::Int128 => (128, true),
            IntKind::UInt128 => (128, false),
            IntKind::Bits { signed, width } => (u32::from(width), signed),
        };
        IntShape { width, signed }
    }

    /// Bits and signedness of an integer, `_Bool` or enum type.
    #[must_use]
    pub fn shape(&self, ty: TypeId) -> Option<IntShape> {
        match self.get(ty) {
            Type::Bool => Some(IntShape { width: 1, signed: false }),
            Type::Int(kind) => Some(self.int_shape(*kind)),
            Type::Enum(id) => Some(self.int_shape(self.enums[*id].underlying?)),
            _ => None,
        }
    }

    /// Whether the type is an integer type; enums are.
    #[must_use]
    pub fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Bool | Type::Int(_) | Type::Enum(_))
    }

    /// Whether the type is a floating type.
    #[must_use]
    pub fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Float(_))
    }

    /// Whether the type is an integer or floating type.
    #[must_use]
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        self.is_integer(ty) || self.is_float(ty)
    }

    /// Whether the type is arithmetic or a pointer.
    #[must_use]
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || matches!(self.get(ty), Type::Pointer(_))
    }

    /// Whether the type is `void`.
    #[must_use]
    pub fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Void)
    }

    /// What a pointer points to.
    #[must_use]
    pub fn pointee(&self, ty: TypeId) -> Option<QualType> {
        match self.get(ty) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// The record a type is.
    #[must_use]
    pub fn record(&self, ty: TypeId) -> Option<RecordId> {
        match self.get(ty) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    }

    /// The members of a complete struct or union.
    #[must_use]
    pub fn body(&self, ty: TypeId) -> Option<&RecordBody> {
        self.records[self.record(ty)?].body.as_ref()
    }

    /// Whether the type contains an array of variable length.
    #[must_use]
    pub fn is_variably_modified(&self, ty: TypeId) -> bool {
        match self.get(ty) {
            Type::Array(_, ArrayLength::Variable(_)) => true,
            Type::Array(inner, _) | Type::Pointer(inner) => self.is_variably_modified(inner.ty),
            _ => false,
        }
    }

    /// The type as a C programmer would write it.
    #[must_use]
    pub fn show(&self, ty: QualType, symbols: &Symbols) -> String {
        let mut base = ty;
        let mut declarator = String::new();
        loop {
            match self.get(base.ty) {
                Type::Pointer(to) => {
                    let quals = show_quals(base.quals);
                    let space = if quals.is_empty() || declarator.is_empty() { "" } else { " " };
                    declarator = format!("*{quals}{space}{declarator}");
                    base = *to;
                }
                Type::Array(element, length) => {
                    if declarator.starts_with('*') {
                        declarator = format!("({declarator})");
                    }
                    match length {
                        ArrayLength::Fixed(n) => {
                            let _ = write!(declarator, "[{n}]");
                        }
                        ArrayLength::Unknown => declarator.push_str("[]"),
                        ArrayLength::Variable(_) | ArrayLength::Star => declarator.push_str("[*]"),
                    }
                    base = *element;
                }
                Type::Function(f) => {
                    if declarator.starts_with('*') {
                        declarator = format!("({declarator})");
                    }
                    let mut params: Vec<_> =
                        f.params.iter().map(|p| self.show(*p, symbols)).collect();
                    if f.variadic {
                        params.push("...".into());
                    } else if f.prototype && params.is_empty() {
                        params.push("void".into());
                    }
                    let _ = write!(declarator, "({})", params.join(", "));
                    base = QualType::plain(f.result);
                }
                leaf => {
                    let quals = show_quals(base.quals);
                    let space = if quals.is_empty() { "" } else { " " };
                    let gap = if declarator.is_empty() { "" } else { " " };
                    return format!(
                        "{quals}{space}{}{gap}{declarator}",
                        self.show_leaf(leaf, symbols)
                    );
                }
            }
        }
    }

    fn show_leaf(&self, ty: &Type, symbols: &Symbols) -> String {
        let tagged = |keyword: &str, tag: Option<Symbol>| match tag {
            Some(tag) => format!("{keyword} {}", symbols.name(tag)),
            None => format!("{keyword} <anonymous>"),
        };
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int(kind) => int_name(*kind),
            Type::Float(FloatKind::Float) => "float".into(),
            Type::Float(FloatKind::Double) => "double".into(),
            Type::Float(FloatKind::LongDouble) => "long double".into(),
            Type::Float(FloatKind::Quad) => "_Float128".into(),
            Type::Record(id) => {
                let record = &self.records[*id];
                tagged(if record.is_union { "union" } else { "struct" }, record.tag)
            }
            Type::Enum(id) => tagged("enum", self.enums[*id].tag),
            Type::Pointer(_) | Type::Array(..) | Type::Function(_) => String::new(),
        }
    }
}

fn show_quals(quals: Quals) -> String {
    let names = [
        (Quals::CONST, "const"),
        (Quals::VOLATILE, "volatile"),
        (Quals::RESTRICT, "restrict"),
        (Quals::ATOMIC, "_Atomic"),
    ];
    let set: Vec<_> = names.iter().filter(|(q, _)| quals.contains(*q)).map(|n| n.1).collect();
    set.join(" ")
}

fn int_name(kind: IntKind) -> String {
    match kind {
        IntKind::Char => "char",
        IntKind::SChar => "signed char",
        IntKind::UChar => "unsigned char",
        IntKind::Short => "short",
        IntKind::UShort => "unsigned short",
        IntKind::Int => "int",
        IntKind::UInt => "unsigned int",
        IntKind::Long => "long",
        IntKind::ULong => "unsigned long",
        IntKind::LongLong => "long long",
        IntKind::ULongLong => "unsigned long long",
        IntKind::Int128 => "__int128",
        IntKind::UInt128 => "unsigned __int128",
        IntKind::Bits { signed, width } => {
            return format!("{}bit-field of {width} bits", if signed { "" } else { "unsigned " });
        }
    }
    .into()
}

/// Width and signedness of an integer type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct IntShape {
    /// Number of bits; 1 for `_Bool`.
    pub width: u32,
    /// Whether it is signed, in two's complement.
    pub signed: bool,
}

impl IntShape {
    /// The bits of a value of this shape: all above the width are zero.
    #[must_use]
    pub fn wrap(self, bits: u128) -> u128 {
        if self.width >= 128 { bits } else { bits & ((1 << self.width) - 1) }
    }

    /// The bits of a value, extended to 128 bits by the sign if the shape has one.
    #[must_use]
    pub fn extend(self, bits: u128) -> u128 {
        let spare = 128 - self.width;
        if self.signed { (((bits << spare) as i128) >> spare) as u128 } else { self.wrap(bits) }
    }

    /// The value that bits mean, where it fits 127 bits and a sign.
    #[must_use]
    pub fn value(self, bits: u128) -> i128 {
        self.extend(bits) as i128
    }

    /// Whether a value is one of this shape's.
    #[must_use]
    pub fn fits(self, value: i128) -> bool {
        self.value(self.wrap(value as u128)) == value && (self.signed || value >= 0)
    }
}
