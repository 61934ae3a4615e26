//! Operators: the kernel to which all SMT-LIB operators are reduced.
//!
//! SMT-LIB has many names for few functions. Constructors and the parser accept all of them
//! and express them by this kernel (`bvuge a b` is `¬(a <ᵤ b)`, `fp.sub` is `fp.add` of a
//! negation, `bvcomp` an if-then-else, …), so that every consumer (evaluator, bit-blaster,
//! printer, weakest preconditions) has few cases to get right.

use crate::pool::{Func, Symbol};
use crate::sort::Sort;
use crate::value::Value;
use ::value::Format;

/// What a node of a term does with its arguments.
///
/// Arguments are written `a, b, c` in order; `rm` is a rounding mode.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    // ---- leaves
    /// A constant. Array constants do not occur here: they are `ConstArray` and `Store`.
    Value(Box<Value>),
    /// A free constant, or a variable bound by an enclosing quantifier (bound names are unique in
    /// their pool, see [`Pool::bound_var`](crate::Pool::bound_var)).
    Var(Symbol),
    /// An uninterpreted function or predicate applied to its arguments.
    Apply(Func),

    // ---- core
    /// ¬a
    Not,
    /// Conjunction of two or more arguments.
    And,
    /// Disjunction of two or more arguments.
    Or,
    /// a = b, on any sort (on floats the identity of SMT-LIB: NaN = NaN, +0 ≠ −0).
    Eq,
    /// if a then b else c, on any sort
    Ite,
    /// ∀: the arguments are the bound variables and, last, the body.
    Forall,
    /// ∃: the arguments are the bound variables and, last, the body.
    Exists,

    // ---- bit-vectors
    /// bitwise ¬a
    BvNot,
    /// bitwise a ∧ b
    BvAnd,
    /// bitwise a ∨ b
    BvOr,
    /// bitwise a ⊕ b
    BvXor,
    /// −a
    BvNeg,
    /// a + b
    BvAdd,
    /// a − b
    BvSub,
    /// a · b
    BvMul,
    /// unsigned a / b, all ones where b = 0
    BvUdiv,
    /// unsigned remainder, a where b = 0
    BvUrem,
    /// signed a / b, rounded toward zero
    BvSdiv,
    /// signed remainder with the sign of a
    BvSrem,
    /// signed remainder with the sign of b
    BvSmod,
    /// a shifted left by b
    BvShl,
    /// a shifted right by b, zeros in
    BvLshr,
    /// a shifted right by b, sign in
    BvAshr,
    /// unsigned a < b
    BvUlt,
    /// signed a < b
    BvSlt,
    /// a above b (a holds the high bits)
    BvConcat,
    /// Bits `high` down to `low` of a.
    BvExtract {
        /// The highest bit taken.
        high: u32,
        /// The lowest bit taken.
        low: u32,
    },
    /// a with so many zeros above
    BvZeroExtend(u32),
    /// a with so many copies of its sign above
    BvSignExtend(u32),

    // ---- floating point
    /// The float whose IEEE interchange bits are a.
    FpFromBits(Format),
    /// The IEEE interchange bits of a; for NaN the canonical quiet NaN.
    FpToBits,
    /// |a|
    FpAbs,
    /// −a
    FpNeg,
    /// rm: a + b (arguments rm, a, b)
    FpAdd,
    /// rm: a · b
    FpMul,
    /// rm: a / b
    FpDiv,
    /// rm: a · b + c with one rounding
    FpFma,
    /// rm: √a
    FpSqrt,
    /// The IEEE remainder of a and b.
    FpRem,
    /// rm: a rounded to an integral value
    FpRoundToIntegral,
    /// The smaller; of zeros with different signs, either.
    FpMin,
    /// The larger; of zeros with different signs, either.
    FpMax,
    /// a < b
    FpLt,
    /// a ≤ b
    FpLeq,
    /// IEEE equality (NaN ≠ NaN, +0 = −0).
    FpEq,
    /// Whether a is normal.
    FpIsNormal,
    /// Whether a is subnormal.
    FpIsSubnormal,
    /// Whether a is a zero.
    FpIsZero,
    /// Whether a is infinite.
    FpIsInfinite,
    /// Whether a is NaN.
    FpIsNan,
    /// Whether a has a minus sign (never for NaN).
    FpIsNegative,
    /// Whether a has a plus sign (never for NaN).
    FpIsPositive,
    /// rm: a (a float) in this format
    FpToFp(Format),
    /// rm: the signed bit-vector a in this format
    FpFromSbv(Format),
    /// rm: the unsigned bit-vector a in this format
    FpFromUbv(Format),
    /// rm: the real a in this format
    FpFromReal(Format),
    /// rm: a as an unsigned bit-vector of this width; unspecified if it does not fit
    FpToUbv(u32),
    /// rm: a as a signed bit-vector of this width; unspecified if it does not fit
    FpToSbv(u32),
    /// a as a real; unspecified if not finite
    FpToReal,

    // ---- arrays
    /// a\[b\]
    Select,
    /// a with c at b
    Store,
    /// The array of this sort with a everywhere.
    ConstArray(Sort),

    // ---- integers and reals (the sort of the arguments tells which)
    /// −a
    Neg,
    /// a + b
    Add,
    /// a − b
    Sub,
    /// a · b
    Mul,
    /// Integer division, Euclidean; unspecified where b = 0.
    IntDiv,
    /// Integer remainder, Euclidean; unspecified where b = 0.
    IntMod,
    /// Real division; unspecified where b = 0.
    RealDiv,
    /// a < b
    Lt,
    /// a ≤ b
    Le,
    /// The integer a as a real.
    ToReal,
    /// The largest integer not above the real a.
    ToInt,
    /// The value of the unsigned bit-vector a.
    BvToNat,
    /// a modulo 2^width as a bit-vector.
    IntToBv(u32),
}
