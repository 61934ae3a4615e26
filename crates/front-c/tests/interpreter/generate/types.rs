//! The types of generated programs.

use super::Generator;
use rand::Rng;

/// Integer types: name, and whether they have 64 bits in every data model.
pub(super) const INTEGERS: [(&str, bool); 13] = [
    ("_Bool", false),
    ("char", false),
    ("signed char", false),
    ("unsigned char", false),
    ("short", false),
    ("unsigned short", false),
    ("int", false),
    ("unsigned", false),
    ("long", false),
    ("unsigned long", false),
    ("long long", true),
    ("unsigned long long", true),
    ("enum", false),
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// By its index in [`INTEGERS`].
    Integer(usize),
    Float,
    Double,
    Pointer(Box<Type>),
    Array(Box<Type>, usize),
    /// By its index among the program's records.
    Record(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Record {
    /// With `struct` or `union`.
    pub(super) name: String,
    pub(super) union: bool,
    pub(super) packed: bool,
    pub(super) members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) ty: Type,
    /// The width of a bit-field.
    pub(super) bits: Option<u32>,
}

impl Type {
    pub(super) fn is_scalar(&self) -> bool {
        !matches!(self, Type::Array(..) | Type::Record(_))
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Type::Integer(_))
    }

    pub(super) fn is_float(&self) -> bool {
        matches!(self, Type::Float | Type::Double)
    }

    pub(super) fn is_wide(&self) -> bool {
        matches!(self, Type::Integer(n) if INTEGERS[*n].1)
    }
}

impl Generator {
    /// A declaration of a name, or the name of the type if it is empty.
    pub(super) fn declare(&self, ty: &Type, name: &str) -> String {
        let space = if name.is_empty() { "" } else { " " };
        match ty {
            Type::Integer(n) if INTEGERS[*n].0 == "enum" => {
                format!("enum {}e{space}{name}", self.prefix)
            }
            Type::Integer(n) => format!("{}{space}{name}", INTEGERS[*n].0),
            Type::Float => format!("float{space}{name}"),
            Type::Double => format!("double{space}{name}"),
            Type::Record(n) => format!("{}{space}{name}", self.records[*n].name),
            Type::Pointer(to) => match **to {
                Type::Array(..) => self.declare(to, &format!("(*{name})")),
                _ => self.declare(to, &format!("*{name}")),
            },
            Type::Array(of, length) => self.declare(of, &format!("{name}[{length}]")),
        }
    }

    pub(super) fn integer(&mut self) -> Type {
        Type::Integer(self.rng.random_range(0..INTEGERS.len()))
    }

    pub(super) fn arithmetic(&mut self) -> Type {
        match self.below(10) {
            0 => Type::Float,
            1 => Type::Double,
            _ => self.integer(),
        }
    }

    /// A type for a variable.
    pub(super) fn any_type(&mut self, depth: u32) -> Type {
        match self.below(12) {
            0 | 1 if depth > 0 => {
                let of = self.any_type(depth - 1);
                Type::Array(Box::new(of), 1 + self.below(5))
            }
            2 | 3 if depth > 0 && !self.records.is_empty() => {
                Type::Record(self.below(self.records.len()))
            }
            _ => self.arithmetic(),
        }
    }
}
