//! Equations solved for a variable: y = t where y occurs once, below operators that can be
//! inverted.

use super::atoms::containing;
use super::{State, Stuck};
use crate::linear::Linear;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashSet;
use term::{Op, Pool, Sort, Term, Value};
use value::Bits;

/// The term of a value; none if no term is one (elements of sorts of which nothing is known).
pub fn constant(pool: &Pool, value: &Value) -> Option<Term> {
    let named = match value {
        Value::Element(..) => false,
        Value::Array(array) => {
            let mut parts = array.entries.iter().flat_map(|(i, e)| [i, e]).chain([&array.default]);
            parts.all(|part| constant(pool, part).is_some())
        }
        _ => true,
    };
    named.then(|| pool.constant(value.clone()))
}

/// t such that left = right says the same as variable = t, in every model.
pub fn exactly(pool: &Pool, left: Term, right: Term, variable: Term) -> Option<Term> {
    let inside = containing(pool, &[left, right], variable);
    match (inside.contains(&left), inside.contains(&right)) {
        (true, false) => solve_exactly(pool, left, right, variable, &inside),
        (false, true) => solve_exactly(pool, right, left, variable, &inside),
        // Sums may have the variable on both sides.
        (true, true) => linear(pool, left, right, variable),
        (false, false) => None,
    }
}

fn solve_exactly(
    pool: &Pool,
    mut left: Term,
    mut right: Term,
    variable: Term,
    inside: &FxHashSet<Term>,
) -> Option<Term> {
    while left != variable {
        if matches!(pool.sort(left), Sort::Int | Sort::Real) {
            return linear(pool, left, right, variable);
        }
        let (operand, value) = inverse(pool, left, right, inside, None)?;
        (left, right) = (operand, value);
    }
    Some(right)
}

/// a·y + rest = 0 solved for y: of reals always, of integers where a is 1 or −1.
fn linear(pool: &Pool, left: Term, right: Term, variable: Term) -> Option<Term> {
    let sort = pool.sort(left);
    if !matches!(sort, Sort::Int | Sort::Real) {
        return None;
    }
    let mut sum = Linear::of(pool, left);
    sum.add_term(pool, right, -BigRational::one());
    let coefficient = sum.take(variable);
    let solvable = match (sort, pool.sort(variable)) {
        (Sort::Int, Sort::Int) => coefficient.abs().is_one() && sum.denominator().is_one(),
        (Sort::Real, Sort::Real) => !coefficient.is_zero(),
        _ => false,
    };
    let parts: Vec<Term> = sum.parts.keys().copied().collect();
    if !solvable || !containing(pool, &parts, variable).is_empty() {
        return None;
    }
    Some(sum.times(&(-BigRational::one() / coefficient)).term(pool, sort))
}

/// What the model adds where an operator loses bits.
pub type Known<'a> = &'a dyn Fn(Term) -> Result<Value, Stuck>;

/// One step: from `left = right`, where the variable is inside one operand of `left`, to what that
/// operand equals. Without `known` the two say the same; with it, the operand has this value where
/// its lost bits are those of the model and the equation holds.
fn inverse(
    pool: &Pool,
    left: Term,
    right: Term,
    inside: &FxHashSet<Term>,
    known: Option<Known<'_>>,
) -> Option<(Term, Term)> {
    let args = pool.args(left);
    let mut operands = (0..args.len()).filter(|i| inside.contains(&args[*i]));
    let at = operands.next()?;
    if operands.next().is_some() {
        return None;
    }
    let operand = args[at];
    let other = || args[1 - at];
    let width = || pool.width(operand);
    let bits = || Some(known?(operand).ok()?.as_bits()?.clone());
    let value = match pool.op(left) {
        Op::Not => pool.not(right),
        Op::Eq if pool.sort(operand) == Sort::Bool => pool.eq(other(), right),
        Op::BvNot => pool.bv_not(right),
        Op::BvNeg => pool.bv_neg(right),
        Op::BvAdd => pool.bv_sub(right, other()),
        Op::BvSub if at == 0 => pool.bv_add(right, other()),
        Op::BvSub => pool.bv_sub(other(), right),
        Op::BvXor => pool.bv_xor(right, other()),
        Op::BvMul => product(pool, right, pool.as_bits(other())?, bits)?,
        Op::FpNeg => pool.make(Op::FpNeg, &[right]),
        Op::FpFromBits(_) if known.is_some() => pool.make(Op::FpToBits, &[right]),
        Op::FpToBits if known.is_some() => {
            let format = pool.sort(operand).format()?;
            pool.make(Op::FpFromBits(format), &[right])
        }
        // Bits that are lost come from the model.
        Op::BvConcat if known.is_some() => {
            let below = if at == 0 { pool.width(args[1]) } else { 0 };
            pool.bv_extract(right, below + width() - 1, below)
        }
        Op::BvZeroExtend(_) | Op::BvSignExtend(_) if known.is_some() => {
            pool.bv_extract(right, width() - 1, 0)
        }
        Op::BvExtract { high, low } => framed(pool, right, &bits()?, *high, *low),
        Op::BvShl if at == 0 => {
            let by = pool.as_bits(other())?.to_u64().filter(|by| *by < u64::from(width()))? as u32;
            let kept = pool.bv_extract(right, width() - 1, by);
            framed(pool, kept, &bits()?, width() - 1 - by, 0)
        }
        Op::BvLshr | Op::BvAshr if at == 0 => {
            let by = pool.as_bits(other())?.to_u64().filter(|by| *by < u64::from(width()))? as u32;
            let kept = pool.bv_extract(right, width() - 1 - by, 0);
            framed(pool, kept, &bits()?, width() - 1, by)
        }
        Op::Ite if at > 0 && known.is_some() => right,
        _ => return None,
    };
    Some((operand, value))
}

/// y from y · factor = right. Of an odd factor there is an inverse; an even one loses the highest
/// bits of y.
fn product(
    pool: &Pool,
    right: Term,
    factor: &Bits,
    bits: impl Fn() -> Option<Bits>,
) -> Option<Term> {
    let width = factor.width();
    let zeros = factor.trailing_zeros();
    if zeros >= width {
        return None;
    }
    let odd = (factor.to_biguint() >> zeros).into();
    let inverse = pool.bits(Bits::from_bigint(width, &inverse_modulo(&odd, width)));
    let product = pool.bv_mul(right, inverse);
    if zeros == 0 {
        return Some(product);
    }
    let kept = pool.bv_extract(product, width - 1, zeros);
    Some(framed(pool, kept, &bits()?, width - 1 - zeros, 0))
}

/// The inverse of an odd number modulo 2^width, by Newton's iteration.
fn inverse_modulo(odd: &BigInt, width: u32) -> BigInt {
    let modulus = BigInt::one() << width;
    let mut inverse = BigInt::one();
    let mut correct = 1;
    while correct < width {
        correct *= 2;
        inverse = (&inverse * (BigInt::from(2) - odd * &inverse)) % &modulus;
    }
    inverse
}

/// `value` with its bits `high` to `low` replaced by the term.
fn framed(pool: &Pool, term: Term, value: &Bits, high: u32, low: u32) -> Term {
    let width = value.width();
    let mut framed = term;
    if low > 0 {
        framed = pool.bv_concat(framed, pool.bits(value.extract(low - 1, 0)));
    }
    if high + 1 < width {
        framed = pool.bv_concat(pool.bits(value.extract(width - 1, high + 1)), framed);
    }
    framed
}

/// A term without the variable that the variable equals where `left = right` holds and what
/// operators lose is as in the model. Whether it has the variable's value, the caller finds out.
pub fn along(
    state: &State<'_>,
    left: Term,
    right: Term,
    variable: Term,
) -> Result<Option<Term>, Stuck> {
    let pool = state.pool;
    let inside = containing(pool, &[left, right], variable);
    let (mut left, mut right) = match (inside.contains(&left), inside.contains(&right)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return Ok(None),
    };
    let known = |term: Term| state.value(term);
    while left != variable {
        if *pool.op(left) == Op::Ite {
            // Only the branch that is taken counts, and only if the condition is free of it.
            let args = pool.args(left);
            let holds = state.value(args[0])? == Value::Bool(true);
            let taken = if holds { args[1] } else { args[2] };
            if !inside.contains(&taken) {
                return Ok(None);
            }
            left = taken;
            continue;
        }
        match inverse(pool, left, right, &inside, Some(&known)) {
            Some((operand, value)) => (left, right) = (operand, value),
            None => return Ok(None),
        }
    }
    Ok(Some(right))
}
