//! Types as the standard has them, resolved: widths, ranges, fields and layout in memory.
//!
//! `TIME` and `TOD` count milliseconds in 32 bits, `DATE` and `DT` seconds in 32 bits, their long
//! kin nanoseconds in 64 bits: the usual choice of controllers, which the standard leaves open.

pub mod table;

use crate::ast::{Direct, Edge, Expr, VariableKind};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use term::Sort;
use value::Format;

/// The width of addresses.
pub const POINTER_WIDTH: u32 = 32;

/// The number of characters of a `STRING` without a length.
pub const STRING_LENGTH: u32 = 80;

/// The number of a unit in the table of declarations.
pub type PouId = usize;

/// A type. Structures and enumerations are the same if they are one declaration.
#[derive(Clone, Debug)]
pub enum Type<'a> {
    /// `BOOL`
    Bool,
    /// `SINT` … `ULINT`
    Integer {
        /// In bits.
        width: u32,
        /// Whether there are negative numbers.
        signed: bool,
    },
    /// `BYTE` … `LWORD`, `CHAR` and `WCHAR`, by width.
    Bits(u32),
    /// `REAL`, or `LREAL`.
    Real {
        /// Whether it is `LREAL`.
        long: bool,
    },
    /// Durations and dates.
    Clock(Clock),
    /// `STRING[n]`, `WSTRING[n]`: so many characters and a zero after them.
    String {
        /// Whether its characters have 16 bits.
        wide: bool,
        /// The greatest number of characters.
        length: u32,
    },
    /// An enumeration.
    Enumeration(Rc<Enumeration<'a>>),
    /// An integer in a range.
    Subrange(Rc<Subrange<'a>>),
    /// An array.
    Array(Rc<Array<'a>>),
    /// A structure or union.
    Structure(Rc<Structure<'a>>),
    /// An instance of a function block, class or program.
    Block(PouId),
    /// A reference to an instance that implements it: the number of the instance, 0 for none.
    Interface(Arc<str>),
    /// A pointer or reference.
    Pointer(Rc<Type<'a>>, bool),
    /// A type that no file declares.
    Unknown(Arc<str>),
}

/// The types of time.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Clock {
    Time,
    LongTime,
    Date,
    LongDate,
    TimeOfDay,
    LongTimeOfDay,
    DateAndTime,
    LongDateAndTime,
}

/// An enumeration.
#[derive(Debug)]
pub struct Enumeration<'a> {
    /// Its name; empty for one without.
    pub name: Arc<str>,
    /// The type of its numbers.
    pub base: Type<'a>,
    /// Its values, in order.
    pub values: Vec<(Arc<str>, i128)>,
    /// What variables begin with, where that is declared.
    pub initial: Option<&'a Expr>,
}

/// An integer type with a range.
#[derive(Debug)]
pub struct Subrange<'a> {
    /// Of what.
    pub base: Type<'a>,
    /// The least value.
    pub low: i128,
    /// The greatest value.
    pub high: i128,
}

/// An array.
#[derive(Debug)]
pub struct Array<'a> {
    /// Bounds of the dimensions, both included.
    pub dimensions: Vec<(i128, i128)>,
    /// The type of an element.
    pub element: Type<'a>,
    /// The initial value that its type's declaration gives.
    pub initial: Option<&'a Expr>,
}

/// A structure or union.
#[derive(Debug)]
pub struct Structure<'a> {
    /// Its name; empty for one without.
    pub name: Arc<str>,
    /// Its fields, in order.
    pub fields: Vec<Field<'a>>,
    /// Whether all fields begin at the same place.
    pub union: bool,
    /// The initial value that its declaration gives.
    pub initial: Option<&'a Expr>,
}

/// A field of a structure, or a variable of a block.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// Its name, in small letters.
    pub key: Arc<str>,
    /// As it is declared.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type<'a>,
    /// Its initial value.
    pub initial: Option<&'a Expr>,
    /// What it is in its block; `Local` in a structure.
    pub kind: VariableKind,
    /// Whether it is `CONSTANT`.
    pub constant: bool,
    /// `R_EDGE`, `F_EDGE`
    pub edge: Option<Edge>,
    /// The place of the controller's memory where it is.
    pub location: Option<&'a Direct>,
    /// Where it is declared.
    pub span: source::Span,
}

impl Clock {
    /// All of them with their names.
    pub const NAMES: [(&'static str, Clock); 14] = [
        ("time", Clock::Time),
        ("ltime", Clock::LongTime),
        ("date", Clock::Date),
        ("ldate", Clock::LongDate),
        ("tod", Clock::TimeOfDay),
        ("time_of_day", Clock::TimeOfDay),
        ("ltod", Clock::LongTimeOfDay),
        ("ltime_of_day", Clock::LongTimeOfDay),
        ("dt", Clock::DateAndTime),
        ("date_and_time", Clock::DateAndTime),
        ("ldt", Clock::LongDateAndTime),
        ("ldate_and_time", Clock::LongDateAndTime),
        ("s5time", Clock::Time),
        ("dtl", Clock::LongDateAndTime),
    ];

    /// Its width.
    pub fn width(self) -> u32 {
        if self.unit() == 1 { 64 } else { 32 }
    }

    /// Whether there are negative values: durations alone.
    pub fn is_signed(self) -> bool {
        matches!(self, Clock::Time | Clock::LongTime)
    }

    /// Nanoseconds in its unit.
    pub fn unit(self) -> i128 {
        match self {
            Clock::Time | Clock::TimeOfDay => 1_000_000,
            Clock::Date | Clock::DateAndTime => 1_000_000_000,
            _ => 1,
        }
    }

    /// Whether it is a duration.
    pub fn is_duration(self) -> bool {
        self.is_signed()
    }
}

impl Field<'_> {
    /// Whether it is a variable of the controller's memory, whose place is written.
    pub fn is_located(&self) -> bool {
        self.location.is_some_and(|location| !location.address.is_empty())
    }
}

/// How a scalar is stored: a truth value, a number of some width, or a float.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A truth value.
    Bool,
    /// A number.
    Number {
        /// In bits.
        width: u32,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
    /// A float.
    Float(Format),
}

impl Shape {
    /// The sort of its registers.
    pub fn sort(self) -> Sort {
        match self {
            Shape::Bool => Sort::Bool,
            Shape::Number { width, .. } => Sort::BitVec(width),
            Shape::Float(format) => Sort::Float(format),
        }
    }

    /// Bytes in memory.
    pub fn bytes(self) -> u64 {
        match self {
            Shape::Bool => 1,
            Shape::Number { width, .. } => u64::from(width / 8),
            Shape::Float(format) => u64::from(format.width() / 8),
        }
    }
}

impl<'a> Type<'a> {
    /// `INT`
    pub const INT: Type<'static> = Type::Integer { width: 16, signed: true };
    /// `DINT`
    pub const DINT: Type<'static> = Type::Integer { width: 32, signed: true };
    /// `LINT`
    pub const LINT: Type<'static> = Type::Integer { width: 64, signed: true };
    /// `TIME`
    pub const TIME: Type<'static> = Type::Clock(Clock::Time);

    /// The elementary type of a name in small letters.
    pub fn elementary(key: &str) -> Option<Type<'static>> {
        let integer = |width, signed| Type::Integer { width, signed };
        Some(match key {
            "bool" | "bit" => Type::Bool,
            "sint" => integer(8, true),
            "int" => integer(16, true),
            "dint" => integer(32, true),
            "lint" => integer(64, true),
            "usint" => integer(8, false),
            "uint" => integer(16, false),
            "udint" => integer(32, false),
            "ulint" => integer(64, false),
            "byte" | "char" => Type::Bits(8),
            "word" | "wchar" => Type::Bits(16),
            "dword" | "pvoid" => Type::Bits(32),
            "lword" => Type::Bits(64),
            "real" => Type::Real { long: false },
            "lreal" => Type::Real { long: true },
            "string" => Type::String { wide: false, length: STRING_LENGTH },
            "wstring" => Type::String { wide: true, length: STRING_LENGTH },
            "__xword" | "__uxint" => Type::Bits(POINTER_WIDTH),
            "__xint" => integer(POINTER_WIDTH, true),
            _ => {
                let clock = Clock::NAMES.iter().find(|(name, _)| *name == key);
                Type::Clock(clock?.1)
            }
        })
    }

    /// How it is stored, if it is a scalar.
    pub fn shape(&self) -> Option<Shape> {
        Some(match self {
            Type::Bool => Shape::Bool,
            Type::Integer { width, signed } => Shape::Number { width: *width, signed: *signed },
            Type::Bits(width) => Shape::Number { width: *width, signed: false },
            Type::Real { long } => Shape::Float(if *long { Format::F64 } else { Format::F32 }),
            Type::Clock(clock) => Shape::Number { width: clock.width(), signed: clock.is_signed() },
            Type::Enumeration(e) => return e.base.shape(),
            Type::Subrange(s) => return s.base.shape(),
            Type::Interface(_) => Shape::Number { width: 16, signed: false },
            Type::Pointer(..) => Shape::Number { width: POINTER_WIDTH, signed: false },
            _ => return None,
        })
    }

    /// The type without its range or the names of its values.
    pub fn base(&self) -> &Type<'a> {
        match self {
            Type::Enumeration(e) => e.base.base(),
            Type::Subrange(s) => s.base.base(),
            _ => self,
        }
    }

    /// Whether operators treat it as a number with digits.
    pub fn is_integer(&self) -> bool {
        matches!(self.base(), Type::Integer { .. } | Type::Bits(_))
    }

    /// The range of an integer type.
    pub fn range(&self) -> Option<(i128, i128)> {
        match self {
            Type::Subrange(s) => Some((s.low, s.high)),
            _ => match self.shape()? {
                Shape::Number { width, signed: true } => {
                    Some((-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1))
                }
                Shape::Number { width, signed: false } => Some((0, (1i128 << width) - 1)),
                _ => None,
            },
        }
    }
}

impl PartialEq for Type<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Type::Bool, Type::Bool) => true,
            (Type::Integer { width: a, signed: x }, Type::Integer { width: b, signed: y }) => {
                a == b && x == y
            }
            (Type::Bits(a), Type::Bits(b)) => a == b,
            (Type::Real { long: a }, Type::Real { long: b }) => a == b,
            (Type::Clock(a), Type::Clock(b)) => a == b,
            (Type::String { wide: a, length: x }, Type::String { wide: b, length: y }) => {
                a == b && x == y
            }
            (Type::Enumeration(a), Type::Enumeration(b)) => {
                Rc::ptr_eq(a, b) || a.name == b.name && a.values == b.values
            }
            (Type::Subrange(a), Type::Subrange(b)) => {
                a.base == b.base && (a.low, a.high) == (b.low, b.high)
            }
            (Type::Array(a), Type::Array(b)) => {
                a.dimensions == b.dimensions && a.element == b.element
            }
            (Type::Structure(a), Type::Structure(b)) => {
                Rc::ptr_eq(a, b) || !a.name.is_empty() && a.name == b.name
            }
            (Type::Block(a), Type::Block(b)) => a == b,
            (Type::Interface(a), Type::Interface(b)) | (Type::Unknown(a), Type::Unknown(b)) => {
                a == b
            }
            (Type::Pointer(a, x), Type::Pointer(b, y)) => a == b && x == y,
            _ => false,
        }
    }
}

impl Array<'_> {
    /// The number of elements.
    pub fn count(&self) -> u64 {
        let extent = |(low, high): &(i128, i128)| u64::try_from(high - low + 1).unwrap_or(0);
        self.dimensions.iter().map(extent).fold(1, u64::saturating_mul)
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("BOOL"),
            Type::Integer { width, signed } => {
                let size = match width {
                    8 => "SINT",
                    16 => "INT",
                    32 => "DINT",
                    _ => "LINT",
                };
                write!(f, "{}{size}", if *signed { "" } else { "U" })
            }
            Type::Bits(width) => f.write_str(match width {
                8 => "BYTE",
                16 => "WORD",
                32 => "DWORD",
                _ => "LWORD",
            }),
            Type::Real { long } => f.write_str(if *long { "LREAL" } else { "REAL" }),
            Type::Clock(clock) => {
                let name = Clock::NAMES.iter().find(|(_, c)| c == clock).map_or("", |(n, _)| n);
                f.write_str(&name.to_uppercase())
            }
            Type::String { wide, length } => {
                write!(f, "{}STRING[{length}]", if *wide { "W" } else { "" })
            }
            Type::Enumeration(e) => f.write_str(&e.name),
            Type::Subrange(s) => write!(f, "{}({}..{})", s.base, s.low, s.high),
            Type::Array(array) => {
                f.write_str("ARRAY[")?;
                for (i, (low, high)) in array.dimensions.iter().enumerate() {
                    write!(f, "{}{low}..{high}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, "] OF {}", array.element)
            }
            Type::Structure(s) if s.name.is_empty() => f.write_str("STRUCT"),
            Type::Structure(s) => f.write_str(&s.name),
            Type::Block(_) => f.write_str("a function block"),
            Type::Interface(name) | Type::Unknown(name) => f.write_str(name),
            Type::Pointer(to, true) => write!(f, "REFERENCE TO {to}"),
            Type::Pointer(to, false) => write!(f, "POINTER TO {to}"),
        }
    }
}
