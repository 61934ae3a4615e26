//! FixedSizeBitVectors, the logic QF_BV's operators, the overflow predicates and conversions to
//! integers of SMT-LIB 2.7, and what solvers add.

use super::{Call, Operator, Result, indexed, plain};
use crate::op::Op;
use crate::pool::Term;
use crate::sort::Sort;
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use value::Bits;

pub(super) const OPERATORS: &[Operator] = &[
    plain("concat", |c| c.at_least(2).and_then(|()| concat(c))),
    plain("bvnot", |c| c.direct(Op::BvNot)),
    plain("bvneg", |c| c.direct(Op::BvNeg)),
    plain("bvand", |c| left(c, Op::BvAnd)),
    plain("bvor", |c| left(c, Op::BvOr)),
    plain("bvxor", |c| left(c, Op::BvXor)),
    plain("bvadd", |c| left(c, Op::BvAdd)),
    plain("bvmul", |c| left(c, Op::BvMul)),
    plain("bvsub", |c| left(c, Op::BvSub)),
    plain("bvnand", |c| complement(c, Op::BvAnd)),
    plain("bvnor", |c| complement(c, Op::BvOr)),
    plain("bvxnor", |c| complement(c, Op::BvXor)),
    plain("bvudiv", |c| c.direct(Op::BvUdiv)),
    plain("bvurem", |c| c.direct(Op::BvUrem)),
    plain("bvsdiv", |c| c.direct(Op::BvSdiv)),
    plain("bvsrem", |c| c.direct(Op::BvSrem)),
    plain("bvsmod", |c| c.direct(Op::BvSmod)),
    plain("bvshl", |c| c.direct(Op::BvShl)),
    plain("bvlshr", |c| c.direct(Op::BvLshr)),
    plain("bvashr", |c| c.direct(Op::BvAshr)),
    plain("bvcomp", |c| {
        two(c)?;
        bit(c, c.eq(c.arg(0), c.arg(1))?)
    }),
    plain("bvult", |c| c.direct(Op::BvUlt)),
    plain("bvslt", |c| c.direct(Op::BvSlt)),
    plain("bvule", |c| not_less(c, Op::BvUlt, 1, 0)),
    plain("bvsle", |c| not_less(c, Op::BvSlt, 1, 0)),
    plain("bvuge", |c| not_less(c, Op::BvUlt, 0, 1)),
    plain("bvsge", |c| not_less(c, Op::BvSlt, 0, 1)),
    plain("bvugt", |c| two(c).and_then(|_| c.make(Op::BvUlt, &[c.arg(1), c.arg(0)]))),
    plain("bvsgt", |c| two(c).and_then(|_| c.make(Op::BvSlt, &[c.arg(1), c.arg(0)]))),
    indexed("extract", 2, |c| c.direct(Op::BvExtract { high: c.index(0)?, low: c.index(1)? })),
    indexed("zero_extend", 1, |c| c.direct(Op::BvZeroExtend(c.index(0)?))),
    indexed("sign_extend", 1, |c| c.direct(Op::BvSignExtend(c.index(0)?))),
    indexed("rotate_left", 1, |c| rotate(c, true)),
    indexed("rotate_right", 1, |c| rotate(c, false)),
    indexed("repeat", 1, repeat),
    plain("bvnego", |c| {
        let width = one(c)?;
        c.eq(c.arg(0), c.pool().bits(Bits::min_signed(width)))
    }),
    plain("bvuaddo", |c| {
        two(c)?;
        c.make(Op::BvUlt, &[c.make(Op::BvAdd, &[c.arg(0), c.arg(1)])?, c.arg(0)])
    }),
    plain("bvsaddo", |c| {
        let width = two(c)?;
        sign_lost(c, width, Op::BvAdd, true)
    }),
    plain("bvusubo", |c| c.direct(Op::BvUlt)),
    plain("bvssubo", |c| {
        let width = two(c)?;
        sign_lost(c, width, Op::BvSub, false)
    }),
    plain("bvumulo", |c| {
        let product = product(c, false)?;
        let width = c.pool().width(product);
        let upper = c.make(Op::BvExtract { high: width - 1, low: width / 2 }, &[product])?;
        c.not(c.eq(upper, c.pool().bits(Bits::zero(width / 2)))?)
    }),
    plain("bvsmulo", |c| {
        let product = product(c, true)?;
        let width = c.pool().width(product) / 2;
        let lower = c.make(Op::BvExtract { high: width - 1, low: 0 }, &[product])?;
        c.not(c.eq(product, c.make(Op::BvSignExtend(width), &[lower])?)?)
    }),
    plain("bvsdivo", |c| {
        let width = two(c)?;
        let least = c.eq(c.arg(0), c.pool().bits(Bits::min_signed(width)))?;
        let minus_one = c.eq(c.arg(1), c.pool().bits(Bits::ones(width)))?;
        c.and(&[least, minus_one])
    }),
    plain("ubv_to_int", |c| c.direct(Op::BvToNat)),
    plain("sbv_to_int", signed_integer),
    indexed("int_to_bv", 1, |c| c.direct(Op::IntToBv(c.index(0)?))),
];

/// Older names of conversions, and operators of single solvers.
pub(super) const EXTENSIONS: &[Operator] = &[
    plain("bv2nat", |c| c.direct(Op::BvToNat)),
    plain("bv2int", |c| c.direct(Op::BvToNat)),
    indexed("nat2bv", 1, |c| c.direct(Op::IntToBv(c.index(0)?))),
    indexed("int2bv", 1, |c| c.direct(Op::IntToBv(c.index(0)?))),
    plain("ext_rotate_left", |c| rotate_by_term(c, Op::BvShl, Op::BvLshr)),
    plain("ext_rotate_right", |c| rotate_by_term(c, Op::BvLshr, Op::BvShl)),
    plain("bvredand", |c| {
        let width = one(c)?;
        bit(c, c.eq(c.arg(0), c.pool().bits(Bits::ones(width)))?)
    }),
    plain("bvredor", |c| {
        let width = one(c)?;
        bit(c, c.not(c.eq(c.arg(0), c.pool().bits(Bits::zero(width)))?)?)
    }),
    plain("bvredxor", parity),
    plain("bvumul_noovfl", |c| {
        let product = product(c, false)?;
        let width = c.pool().width(product);
        let upper = c.make(Op::BvExtract { high: width - 1, low: width / 2 }, &[product])?;
        c.eq(upper, c.pool().bits(Bits::zero(width / 2)))
    }),
    plain("bvsmul_noovfl", |c| {
        let product = product(c, true)?;
        let width = c.pool().width(product) / 2;
        let most = c.pool().bits(Bits::max_signed(width).sign_extend(width));
        c.not(c.make(Op::BvSlt, &[most, product])?)
    }),
    plain("bvsmul_noudfl", |c| {
        let product = product(c, true)?;
        let width = c.pool().width(product) / 2;
        let least = c.pool().bits(Bits::min_signed(width).sign_extend(width));
        c.not(c.make(Op::BvSlt, &[product, least])?)
    }),
];

fn width(c: &Call, i: usize) -> Result<u32> {
    match c.sort(i) {
        Sort::BitVec(width) => Ok(width),
        _ => c.mismatch(i, "a bit-vector"),
    }
}

/// Exactly one bit-vector: its width.
fn one(c: &Call) -> Result<u32> {
    c.arity(1)?;
    width(c, 0)
}

/// Exactly two bit-vectors of one width.
fn two(c: &Call) -> Result<u32> {
    c.arity(2)?;
    let width = width(c, 0)?;
    c.same_sort()?;
    Ok(width)
}

/// The exclusive or of all bits: each step folds the vector, bit 0 collects.
fn parity(c: &Call) -> Result<Term> {
    let width = one(c)?;
    let mut folded = c.arg(0);
    let mut by = 1;
    while by < width {
        let distance = c.pool().bv(u64::from(by), width);
        let shifted = c.make(Op::BvLshr, &[folded, distance])?;
        folded = c.make(Op::BvXor, &[folded, shifted])?;
        by *= 2;
    }
    c.make(Op::BvExtract { high: 0, low: 0 }, &[folded])
}

/// `#b1` if a holds, else `#b0`.
fn bit(c: &Call, a: Term) -> Result<Term> {
    c.make(Op::Ite, &[a, c.pool().bv(1, 1), c.pool().bv(0, 1)])
}

fn left(c: &Call, op: Op) -> Result<Term> {
    c.at_least(2)?;
    width(c, 0)?;
    c.same_sort()?;
    c.left(&c.terms(), &op)
}

fn concat(c: &Call) -> Result<Term> {
    (0..c.args.len()).try_for_each(|i| width(c, i).map(|_| ()))?;
    c.left(&c.terms(), &Op::BvConcat)
}

fn complement(c: &Call, op: Op) -> Result<Term> {
    two(c)?;
    c.make(Op::BvNot, &[c.direct(op)?])
}

/// ¬(i-th < j-th)
fn not_less(c: &Call, op: Op, i: usize, j: usize) -> Result<Term> {
    two(c)?;
    c.not(c.make(op, &[c.arg(i), c.arg(j)])?)
}

fn rotate(c: &Call, left: bool) -> Result<Term> {
    let width = one(c)?;
    let by = (c.number(0)? % width).to_u32().expect("a remainder of a u32 is one");
    if by == 0 {
        return Ok(c.arg(0));
    }
    // Where the vector is cut: its lower part goes up.
    let cut = if left { width - by } else { by };
    let upper = c.make(Op::BvExtract { high: width - 1, low: cut }, &[c.arg(0)])?;
    let lower = c.make(Op::BvExtract { high: cut - 1, low: 0 }, &[c.arg(0)])?;
    c.make(Op::BvConcat, &[lower, upper])
}

/// With n = b mod width: (a `there` n) ∨ (a `back` (width − n)). Shifting by the width is zero.
fn rotate_by_term(c: &Call, there: Op, back: Op) -> Result<Term> {
    let width = two(c)?;
    // width < 2^width, so it is a constant of that width.
    let modulus = c.pool().bv(u64::from(width), width);
    let by = c.make(Op::BvUrem, &[c.arg(1), modulus])?;
    let rest = c.make(Op::BvSub, &[modulus, by])?;
    let (x, y) = (c.make(there, &[c.arg(0), by])?, c.make(back, &[c.arg(0), rest])?);
    c.make(Op::BvOr, &[x, y])
}

/// Copies side by side, by doubling: the number of terms is logarithmic.
fn repeat(c: &Call) -> Result<Term> {
    one(c)?;
    let count = c.index(0)?;
    if count == 0 {
        return super::fault(c.indices[0].at, "`repeat` of zero copies", "write at least 1");
    }
    let mut result = c.arg(0);
    for i in (0..count.ilog2()).rev() {
        result = c.make(Op::BvConcat, &[result, result])?;
        if count >> i & 1 == 1 {
            result = c.make(Op::BvConcat, &[result, c.arg(0)])?;
        }
    }
    Ok(result)
}

/// Signed overflow of a sum or difference: the operands' signs would allow one sign of the
/// result only (`equal` signs of a sum, different ones of a difference), and it has the other.
fn sign_lost(c: &Call, width: u32, op: Op, equal: bool) -> Result<Term> {
    let sign = |a: Term| c.make(Op::BvExtract { high: width - 1, low: width - 1 }, &[a]);
    let (a, b) = (sign(c.arg(0))?, sign(c.arg(1))?);
    let same = c.eq(a, b)?;
    let premise = if equal { same } else { c.not(same)? };
    let result = sign(c.make(op, &[c.arg(0), c.arg(1)])?)?;
    c.and(&[premise, c.not(c.eq(result, a)?)?])
}

/// The exact product, of twice the width.
fn product(c: &Call, signed: bool) -> Result<Term> {
    let width = two(c)?;
    let op = if signed { Op::BvSignExtend(width) } else { Op::BvZeroExtend(width) };
    let (a, b) = (c.make(op.clone(), &[c.arg(0)])?, c.make(op, &[c.arg(1)])?);
    c.make(Op::BvMul, &[a, b])
}

fn signed_integer(c: &Call) -> Result<Term> {
    let width = one(c)?;
    let sign = c.make(Op::BvExtract { high: width - 1, low: width - 1 }, &[c.arg(0)])?;
    let negative = c.eq(sign, c.pool().bv(1, 1))?;
    let unsigned = c.make(Op::BvToNat, &[c.arg(0)])?;
    let modulus = c.pool().int(BigInt::one() << width);
    c.make(Op::Ite, &[negative, c.make(Op::Sub, &[unsigned, modulus])?, unsigned])
}
