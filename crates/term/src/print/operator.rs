//! Operators: the text before their arguments.

use crate::op::Op;
use std::borrow::Cow;
use value::Format;

/// How an operator is written before its arguments, without the opening parenthesis.
///
/// Requires: it is neither a leaf, a function, a quantifier nor a constant array.
pub(super) fn operator_to_string(op: &Op) -> Cow<'static, str> {
    let to_fp = |name: &str, format: &Format| -> Cow<'static, str> {
        format!("(_ {name} {} {})", format.exponent(), format.significand()).into()
    };
    match op {
        Op::Value(_) | Op::Var(_) | Op::Apply(_) | Op::Forall | Op::Exists | Op::ConstArray(_) => {
            unreachable!("{op:?} is not written as an operator")
        }
        Op::BvExtract { high, low } => format!("(_ extract {high} {low})").into(),
        Op::BvZeroExtend(n) => format!("(_ zero_extend {n})").into(),
        Op::BvSignExtend(n) => format!("(_ sign_extend {n})").into(),
        // The sorts of the arguments tell these apart.
        Op::FpFromBits(f) | Op::FpToFp(f) | Op::FpFromSbv(f) | Op::FpFromReal(f) => {
            to_fp("to_fp", f)
        }
        Op::FpFromUbv(f) => to_fp("to_fp_unsigned", f),
        Op::FpToUbv(width) => format!("(_ fp.to_ubv {width})").into(),
        Op::FpToSbv(width) => format!("(_ fp.to_sbv {width})").into(),
        Op::IntToBv(width) => format!("(_ int2bv {width})").into(),
        _ => plain(op).into(),
    }
}

fn plain(op: &Op) -> &'static str {
    match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Eq => "=",
        Op::Ite => "ite",
        Op::BvNot => "bvnot",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvNeg => "bvneg",
        Op::BvAdd => "bvadd",
        Op::BvSub => "bvsub",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvSmod => "bvsmod",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvSlt => "bvslt",
        Op::BvConcat => "concat",
        Op::FpToBits => "fp.to_ieee_bv",
        Op::FpAbs => "fp.abs",
        Op::FpNeg => "fp.neg",
        Op::FpAdd => "fp.add",
        Op::FpMul => "fp.mul",
        Op::FpDiv => "fp.div",
        Op::FpFma => "fp.fma",
        Op::FpSqrt => "fp.sqrt",
        Op::FpRem => "fp.rem",
        Op::FpRoundToIntegral => "fp.roundToIntegral",
        Op::FpMin => "fp.min",
        Op::FpMax => "fp.max",
        Op::FpLt => "fp.lt",
        Op::FpLeq => "fp.leq",
        Op::FpEq => "fp.eq",
        Op::FpIsNormal => "fp.isNormal",
        Op::FpIsSubnormal => "fp.isSubnormal",
        Op::FpIsZero => "fp.isZero",
        Op::FpIsInfinite => "fp.isInfinite",
        Op::FpIsNan => "fp.isNaN",
        Op::FpIsNegative => "fp.isNegative",
        Op::FpIsPositive => "fp.isPositive",
        Op::FpToReal => "fp.to_real",
        Op::Select => "select",
        Op::Store => "store",
        Op::Neg | Op::Sub => "-",
        Op::Add => "+",
        Op::Mul => "*",
        Op::IntDiv => "div",
        Op::IntMod => "mod",
        Op::RealDiv => "/",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::ToReal => "to_real",
        Op::ToInt => "to_int",
        Op::BvToNat => "bv2nat",
        _ => unreachable!("{op:?} is written with indices or otherwise"),
    }
}
