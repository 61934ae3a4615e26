//! Floating point.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::value::Value;
use value::{Float, Rounding};

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),*) = $op:expr;)*) => {
        $($(#[$doc])*
        pub fn $name(&self, $($arg: Term),*) -> Term {
            self.make($op, &[$($arg),*])
        })*
    };
}

impl Pool {
    operators! {
        /// rm: a + b
        fp_add(rm, a, b) = Op::FpAdd;
        /// rm: a · b
        fp_mul(rm, a, b) = Op::FpMul;
        /// rm: a / b
        fp_div(rm, a, b) = Op::FpDiv;
        /// rm: a · b + c, rounded once
        fp_fma(rm, a, b, c) = Op::FpFma;
        /// rm: √a
        fp_sqrt(rm, a) = Op::FpSqrt;
        /// The IEEE remainder.
        fp_rem(a, b) = Op::FpRem;
        /// rm: a rounded to an integral value
        fp_round_to_integral(rm, a) = Op::FpRoundToIntegral;
        /// |a|
        fp_abs(a) = Op::FpAbs;
        /// −a
        fp_neg(a) = Op::FpNeg;
        /// a < b
        fp_lt(a, b) = Op::FpLt;
        /// a ≤ b
        fp_leq(a, b) = Op::FpLeq;
        /// IEEE equality
        fp_eq(a, b) = Op::FpEq;
        /// Whether a is NaN.
        fp_is_nan(a) = Op::FpIsNan;
        /// Whether a is infinite.
        fp_is_infinite(a) = Op::FpIsInfinite;
        /// The interchange bits of a.
        fp_to_bits(a) = Op::FpToBits;
    }

    /// A floating-point constant.
    pub fn float(&self, value: Float) -> Term {
        self.constant(Value::Float(value))
    }

    /// A rounding mode.
    pub fn rounding(&self, mode: Rounding) -> Term {
        self.constant(Value::Rounding(mode))
    }

    /// rm: a − b, which is a + (−b) for every rounding mode.
    pub fn fp_sub(&self, rm: Term, a: Term, b: Term) -> Term {
        self.fp_add(rm, a, self.fp_neg(b))
    }

    pub(super) fn simplify_float(&self, op: &Op, sort: Sort, args: &[Term]) -> Option<Term> {
        match (op, args) {
            (Op::FpNeg, [a]) if *self.op(*a) == Op::FpNeg => Some(self.args(*a)[0]),
            (Op::FpAbs, [a]) if matches!(self.op(*a), Op::FpNeg | Op::FpAbs) => {
                Some(self.fp_abs(self.args(*a)[0]))
            }
            (Op::FpLt, [a, b]) if a == b => Some(self.fls()),
            (Op::FpLeq | Op::FpEq, [a, b]) if a == b => Some(self.not(self.fp_is_nan(*a))),
            (Op::FpEq, [a, b]) if b < a => Some(self.fp_eq(*b, *a)),
            (Op::FpAdd | Op::FpMul, [rm, a, b]) if b < a => {
                Some(self.make(op.clone(), &[*rm, *b, *a]))
            }
            // Rounding twice to one format changes nothing the second time.
            (Op::FpToFp(_), [_, a]) if self.sort(*a) == sort => Some(*a),
            (Op::FpMin | Op::FpMax, [a, b]) if a == b => Some(*a),
            (
                Op::FpIsNormal | Op::FpIsSubnormal | Op::FpIsZero | Op::FpIsInfinite | Op::FpIsNan,
                [a],
            ) if matches!(self.op(*a), Op::FpNeg | Op::FpAbs) => {
                Some(self.make(op.clone(), &[self.args(*a)[0]]))
            }
            _ => None,
        }
    }
}
