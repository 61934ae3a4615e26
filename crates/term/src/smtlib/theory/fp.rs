//! FloatingPoint.
//!
//! `fp.to_ieee_bv` is the one operator outside the standard that the kernel itself needs: the
//! bits of a float, where NaN has the canonical quiet bits. (Solvers that have it leave the bits
//! of NaN open.)

use super::arith::real;
use super::{Call, Operator, Result, fault, indexed, plain};
use crate::op::Op;
use crate::pool::Term;
use crate::sort::Sort;
use value::{Float, Format, Rounding};

pub(super) const OPERATORS: &[Operator] = &[
    plain("RNE", |c| mode(c, Rounding::NearestEven)),
    plain("roundNearestTiesToEven", |c| mode(c, Rounding::NearestEven)),
    plain("RNA", |c| mode(c, Rounding::NearestAway)),
    plain("roundNearestTiesToAway", |c| mode(c, Rounding::NearestAway)),
    plain("RTP", |c| mode(c, Rounding::TowardPositive)),
    plain("roundTowardPositive", |c| mode(c, Rounding::TowardPositive)),
    plain("RTN", |c| mode(c, Rounding::TowardNegative)),
    plain("roundTowardNegative", |c| mode(c, Rounding::TowardNegative)),
    plain("RTZ", |c| mode(c, Rounding::TowardZero)),
    plain("roundTowardZero", |c| mode(c, Rounding::TowardZero)),
    plain("fp", triple),
    indexed("+oo", 2, |c| special(c, |f| Float::infinity(f, false))),
    indexed("-oo", 2, |c| special(c, |f| Float::infinity(f, true))),
    indexed("+zero", 2, |c| special(c, |f| Float::zero(f, false))),
    indexed("-zero", 2, |c| special(c, |f| Float::zero(f, true))),
    indexed("NaN", 2, |c| special(c, Float::nan)),
    plain("fp.abs", |c| c.direct(Op::FpAbs)),
    plain("fp.neg", |c| c.direct(Op::FpNeg)),
    plain("fp.add", |c| c.direct(Op::FpAdd)),
    plain("fp.sub", subtract),
    plain("fp.mul", |c| c.direct(Op::FpMul)),
    plain("fp.div", |c| c.direct(Op::FpDiv)),
    plain("fp.fma", |c| c.direct(Op::FpFma)),
    plain("fp.sqrt", |c| c.direct(Op::FpSqrt)),
    plain("fp.rem", |c| c.direct(Op::FpRem)),
    plain("fp.roundToIntegral", |c| c.direct(Op::FpRoundToIntegral)),
    plain("fp.min", |c| c.direct(Op::FpMin)),
    plain("fp.max", |c| c.direct(Op::FpMax)),
    plain("fp.leq", |c| compare(c, |a, b| c.make(Op::FpLeq, &[a, b]))),
    plain("fp.lt", |c| compare(c, |a, b| c.make(Op::FpLt, &[a, b]))),
    plain("fp.geq", |c| compare(c, |a, b| c.make(Op::FpLeq, &[b, a]))),
    plain("fp.gt", |c| compare(c, |a, b| c.make(Op::FpLt, &[b, a]))),
    plain("fp.eq", |c| compare(c, |a, b| c.make(Op::FpEq, &[a, b]))),
    plain("fp.isNormal", |c| c.direct(Op::FpIsNormal)),
    plain("fp.isSubnormal", |c| c.direct(Op::FpIsSubnormal)),
    plain("fp.isZero", |c| c.direct(Op::FpIsZero)),
    plain("fp.isInfinite", |c| c.direct(Op::FpIsInfinite)),
    plain("fp.isNaN", |c| c.direct(Op::FpIsNan)),
    plain("fp.isNegative", |c| c.direct(Op::FpIsNegative)),
    plain("fp.isPositive", |c| c.direct(Op::FpIsPositive)),
    indexed("to_fp", 2, to_fp),
    indexed("to_fp_unsigned", 2, |c| c.direct(Op::FpFromUbv(format(c)?))),
    indexed("fp.to_ubv", 1, |c| c.direct(Op::FpToUbv(c.index(0)?))),
    indexed("fp.to_sbv", 1, |c| c.direct(Op::FpToSbv(c.index(0)?))),
    plain("fp.to_real", |c| c.direct(Op::FpToReal)),
];

/// Names of single solvers, among them one for each of the meanings of `to_fp`.
pub(super) const EXTENSIONS: &[Operator] = &[
    plain("fp.to_ieee_bv", |c| c.direct(Op::FpToBits)),
    plain("to_ieee_bv", |c| c.direct(Op::FpToBits)),
    indexed("to_fp_bv", 2, |c| c.direct(Op::FpFromBits(format(c)?))),
    indexed("to_fp_signed", 2, |c| c.direct(Op::FpFromSbv(format(c)?))),
    indexed("to_fp_fp", 2, |c| c.direct(Op::FpToFp(format(c)?))),
    indexed("to_fp_real", 2, |c| {
        c.arity(2)?;
        c.make(Op::FpFromReal(format(c)?), &[c.arg(0), real(c, 1)?])
    }),
];

fn mode(c: &Call, mode: Rounding) -> Result<Term> {
    c.arity(0)?;
    Ok(c.pool().rounding(mode))
}

fn format(c: &Call) -> Result<Format> {
    make_format(c.index(0)?, c.index(1)?, c.indices[0].at)
}

/// The format with these numbers of bits, or why there is none.
pub(in crate::smtlib) fn make_format(exponent: u32, significand: u32, at: usize) -> Result<Format> {
    match Format::new(exponent, significand) {
        Ok(format) if format.width() <= crate::typing::MAX_WIDTH => Ok(format),
        Ok(_) => fault(at, "a floating-point format that is too wide", "use a narrower one"),
        Err(error) => fault(at, error.to_string(), "use another floating-point format"),
    }
}

fn special(c: &Call, value: impl Fn(Format) -> Float) -> Result<Term> {
    c.arity(0)?;
    let format = format(c)?;
    c.budget.spend(u64::from(format.width()) / 1024).map_err(|refusal| c.refused(refusal))?;
    Ok(c.pool().float(value(format)))
}

/// `(fp sign exponent significand)`
fn triple(c: &Call) -> Result<Term> {
    c.arity(3)?;
    c.expect(0, Sort::BitVec(1))?;
    let width = |i: usize| match c.sort(i) {
        Sort::BitVec(width) => Ok(width),
        _ => c.mismatch(i, "a bit-vector"),
    };
    // The first bit of the significand is not written.
    let format = make_format(width(1)?, width(2)? + 1, c.at)?;
    let magnitude = c.make(Op::BvConcat, &[c.arg(1), c.arg(2)])?;
    let bits = c.make(Op::BvConcat, &[c.arg(0), magnitude])?;
    c.make(Op::FpFromBits(format), &[bits])
}

/// a − b is a + (−b) for every rounding mode.
fn subtract(c: &Call) -> Result<Term> {
    c.arity(3)?;
    match c.sort(2) {
        Sort::Float(_) => {}
        _ => return c.mismatch(2, "a floating-point number"),
    }
    let negated = c.make(Op::FpNeg, &[c.arg(2)])?;
    c.make(Op::FpAdd, &[c.arg(0), c.arg(1), negated])
}

fn compare(c: &Call, relation: impl Fn(Term, Term) -> Result<Term>) -> Result<Term> {
    c.at_least(2)?;
    match c.sort(0) {
        Sort::Float(_) => c.same_sort()?,
        _ => return c.mismatch(0, "a floating-point number"),
    }
    c.chain(&c.terms(), relation)
}

/// `to_fp` in its four meanings: of bits, of a float, of a signed bit-vector, of a real.
fn to_fp(c: &Call) -> Result<Term> {
    let format = format(c)?;
    if c.args.len() == 1 {
        return c.direct(Op::FpFromBits(format));
    }
    c.arity(2)?;
    match c.sort(1) {
        Sort::Float(_) => c.direct(Op::FpToFp(format)),
        Sort::BitVec(_) => c.direct(Op::FpFromSbv(format)),
        Sort::Real | Sort::Int => c.make(Op::FpFromReal(format), &[c.arg(0), real(c, 1)?]),
        _ => c.mismatch(1, "a floating-point number, a bit-vector or a Real"),
    }
}
