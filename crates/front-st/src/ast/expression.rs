//! Expressions and literals.

use super::{Direct, Name, Path};
use source::Span;

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A variable, enumeration value, unit, or type where one is expected (`SIZEOF(INT)`).
    Name(Name),
    /// `.name`: the global one.
    Global(Name),
    /// `THIS`; what it points to is `THIS^`.
    This,
    /// `SUPER`; what it points to is `SUPER^`. `SUPER()` is a call of it.
    Super,
    /// `NULL`
    Null,
    /// `%IX0.0`
    Direct(Direct),
    /// `TYPE#name`: a value of an enumeration.
    Typed(Path, Name),
    /// `e.name`: a field, method, property or variable of an instance; a value of an enumeration
    /// `Type.name`; something of a namespace.
    Member(Box<Expr>, Name),
    /// `e.5`, `e.%X5`, `e.%B1`: a bit or another part of a bit string or integer.
    Part(Box<Expr>, PartWidth, u32),
    /// `e.%Xi`: the part with the number that a variable has.
    PartAt(Box<Expr>, PartWidth, Box<Expr>),
    /// `e[i, j]`
    Index(Box<Expr>, Vec<Expr>),
    /// `e^`
    Deref(Box<Expr>),
    /// `f(a, b := c, d => e)`. `REF(x)`, `ADR(x)`, `SIZEOF(x)` and operators that are written like
    /// calls (`ADD(a, b)`, `AND(a, b)`) are calls too.
    Call(Box<Expr>, Vec<Argument>),
    /// A prefix operator.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `[1, 2(0), 3]`: values of an array.
    Array(Vec<Element>),
    /// `(a := 1, b := 2)`: values of a structure or of an instance's variables. With no names (`(1,
    /// 2)`): the fields in order.
    Struct(Vec<FieldValue>),
}

/// An entry of an array's values.
#[derive(Clone, Debug)]
pub struct Element {
    /// How often it is repeated: `3(0)`; once if nothing is written.
    pub count: Option<Expr>,
    /// The values that are repeated, usually one; with none (`3()`) they have their defaults.
    pub values: Vec<Expr>,
}

/// A field and its value.
#[derive(Clone, Debug)]
pub struct FieldValue {
    /// The field.
    pub name: Option<Name>,
    /// Its value.
    pub value: Expr,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `e`: by its position.
    Positional(Expr),
    /// `name := e`; without a value (`name :=`) the parameter keeps its default.
    Input(Name, Option<Expr>),
    /// `name => e`, `NOT name => e` (the flag); without a variable (`name =>`) it is not looked at.
    Output(Name, bool, Option<Expr>),
}

/// The width of a part: `%X`, `%B`, `%W`, `%D`, `%L`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum PartWidth {
    /// One bit.
    Bit,
    /// 8 bits.
    Byte,
    /// 16 bits.
    Word,
    /// 32 bits.
    Double,
    /// 64 bits.
    Long,
}

impl PartWidth {
    /// The number of bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            PartWidth::Bit => 1,
            PartWidth::Byte => 8,
            PartWidth::Word => 16,
            PartWidth::Double => 32,
            PartWidth::Long => 64,
        }
    }

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            PartWidth::Bit => 'X',
            PartWidth::Byte => 'B',
            PartWidth::Word => 'W',
            PartWidth::Double => 'D',
            PartWidth::Long => 'L',
        }
    }
}

/// Prefix operators.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
}

/// Operators between two operands.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    /// `**`
    Power,
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    /// `AND`, `&`
    And,
    /// `AND_THEN`: the right side only if the left one is true.
    AndThen,
    Xor,
    Or,
    /// `OR_ELSE`: the right side only if the left one is false.
    OrElse,
    /// `-->`, in requirements only.
    Implies,
}

/// A literal.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The type before `#`: `INT#5`. Not that of `T#5s` and `D#…`, which say what they are.
    pub ty: Option<Name>,
    /// The value.
    pub kind: LiteralKind,
}

/// The value of a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiteralKind {
    /// `5`, `16#FF`, `INT#-5`.
    Int {
        /// The sign after the type; a sign before the literal is an operator.
        negative: bool,
        /// The value without the sign.
        value: u128,
        /// 2, 8, 10 or 16.
        base: u8,
    },
    /// `1.5`, `1.0E-3`, `REAL#-1.5`: the sign as above, and digits without underscores.
    Real {
        /// The sign after the type.
        negative: bool,
        /// Digits with a point or exponent.
        digits: Box<str>,
    },
    /// `TRUE`, `FALSE`. `BOOL#1` is an integer literal with a type.
    Bool(bool),
    /// `'text'`, or `"text"` with wide characters. Escapes are decoded, each to its number; other
    /// characters are their code points in Unicode.
    String {
        /// Whether it is a `WSTRING`.
        wide: bool,
        /// The characters.
        text: Box<[u32]>,
    },
    /// `T#1h30m`, `LTIME#-5ns`.
    Time {
        /// Whether it is an `LTIME`.
        long: bool,
        /// Nanoseconds.
        nanoseconds: i128,
    },
    /// `D#2024-02-29`, `LDATE#…`.
    Date {
        /// Whether it is an `LDATE`.
        long: bool,
        /// Days since 1970-01-01.
        days: i64,
    },
    /// `TOD#23:59:59.999`, `LTOD#…`.
    TimeOfDay {
        /// Whether it is an `LTOD`.
        long: bool,
        /// Nanoseconds since midnight.
        nanoseconds: u64,
    },
    /// `DT#2024-02-29-23:59:59`, `LDT#…`.
    DateAndTime {
        /// Whether it is an `LDT`.
        long: bool,
        /// Nanoseconds since 1970-01-01-00:00:00.
        nanoseconds: i128,
    },
}
