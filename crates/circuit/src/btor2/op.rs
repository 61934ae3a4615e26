//! The operators and their names.

use value::Bits;

/// What a node computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// A free value at every step.
    Input,
    /// A state variable.
    State,
    /// A constant.
    Const(Bits),
    /// All bits false.
    Zero,
    /// The number one.
    One,
    /// All bits true.
    Ones,
    /// An operator of one operand.
    Unary(Unary),
    /// Copies of the sign bit on the left, so many.
    SignExtend(u32),
    /// Zeros on the left, so many.
    ZeroExtend(u32),
    /// The bits from `low` to `high`, both included.
    Slice {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
    },
    /// An operator of two operands.
    Binary(Binary),
    /// if the first operand then the second else the third; of bit vectors or arrays
    Ite,
    /// The element of an array (first) at an index (second).
    Read,
    /// The array (first) with the element at an index (second) replaced (third).
    Write,
}

impl Op {
    /// How many operands it takes.
    pub fn arity(&self) -> usize {
        match self {
            Op::Input | Op::State | Op::Const(_) | Op::Zero | Op::One | Op::Ones => 0,
            Op::Unary(_) | Op::SignExtend(_) | Op::ZeroExtend(_) | Op::Slice { .. } => 1,
            Op::Binary(_) | Op::Read => 2,
            Op::Ite | Op::Write => 3,
        }
    }
}

/// Declares an enumeration with the format's names of its variants.
macro_rules! operators {
    ($(#[$meta:meta])* $kind:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $kind { $($(#[$doc])* $variant,)* }

        impl $kind {
            /// All of them.
            pub const ALL: &[$kind] = &[$($kind::$variant,)*];

            /// The name in the format.
            pub fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)* }
            }

            /// The operator of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($kind::$variant),)* _ => None }
            }
        }
    };
}

operators! {
    /// Operators of one bit vector.
    Unary {
        /// Bitwise negation.
        Not = "not",
        /// Plus one.
        Inc = "inc",
        /// Minus one.
        Dec = "dec",
        /// Two's complement.
        Neg = "neg",
        /// Whether all bits are true.
        RedAnd = "redand",
        /// Whether any bit is true.
        RedOr = "redor",
        /// Whether an odd number of bits is true.
        RedXor = "redxor",
    }
}

operators! {
    /// Operators of two bit vectors; `eq` and `neq` also of two arrays.
    Binary {
        /// Equivalence of truth values.
        Iff = "iff",
        /// Implication of truth values.
        Implies = "implies",
        /// Equality.
        Eq = "eq",
        /// Inequality.
        Neq = "neq",
        /// Signed greater.
        Sgt = "sgt",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Signed greater or equal.
        Sgte = "sgte",
        /// Unsigned greater or equal.
        Ugte = "ugte",
        /// Signed less.
        Slt = "slt",
        /// Unsigned less.
        Ult = "ult",
        /// Signed less or equal.
        Slte = "slte",
        /// Unsigned less or equal.
        Ulte = "ulte",
        /// Bitwise and.
        And = "and",
        /// Bitwise nand.
        Nand = "nand",
        /// Bitwise nor.
        Nor = "nor",
        /// Bitwise or.
        Or = "or",
        /// Bitwise equivalence.
        Xnor = "xnor",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Rotation to the left.
        Rol = "rol",
        /// Rotation to the right.
        Ror = "ror",
        /// Shift to the left.
        Sll = "sll",
        /// Arithmetic shift to the right.
        Sra = "sra",
        /// Logical shift to the right.
        Srl = "srl",
        /// Sum.
        Add = "add",
        /// Product.
        Mul = "mul",
        /// Signed quotient, towards zero.
        Sdiv = "sdiv",
        /// Unsigned quotient.
        Udiv = "udiv",
        /// Signed remainder with the sign of the divisor.
        Smod = "smod",
        /// Signed remainder with the sign of the dividend.
        Srem = "srem",
        /// Unsigned remainder.
        Urem = "urem",
        /// Difference.
        Sub = "sub",
        /// Whether the signed sum overflows.
        Saddo = "saddo",
        /// Whether the unsigned sum overflows.
        Uaddo = "uaddo",
        /// Whether the signed quotient overflows.
        Sdivo = "sdivo",
        /// Whether the signed product overflows.
        Smulo = "smulo",
        /// Whether the unsigned product overflows.
        Umulo = "umulo",
        /// Whether the signed difference overflows.
        Ssubo = "ssubo",
        /// Whether the unsigned difference overflows.
        Usubo = "usubo",
        /// The bits of the first, then those of the second.
        Concat = "concat",
    }
}
