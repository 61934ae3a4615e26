//! Weaker literals: bounds that are further away, and sums of two inequalities.

use aeval::linear::{Linear, Relation};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use term::{Op, Pool, Sort, Term, Value};
use value::Bits;

/// sum ⋈ 0
struct Inequality {
    sum: Linear,
    relation: Relation,
    sort: Sort,
}

/// The inequality of numbers that a literal is.
fn inequality(pool: &Pool, literal: Term) -> Option<Inequality> {
    let (atom, negated) = match pool.op(literal) {
        Op::Not => (pool.args(literal)[0], true),
        _ => (literal, false),
    };
    let relation = match (pool.op(atom), negated) {
        (Op::Le, false) | (Op::Lt, true) => Relation::Le,
        (Op::Lt, false) | (Op::Le, true) => Relation::Lt,
        _ => return None,
    };
    let [a, b] = pool.args(atom)[..] else { return None };
    let (a, b) = if negated { (b, a) } else { (a, b) };
    let mut sum = Linear::of(pool, a);
    sum.add_term(pool, b, -BigRational::one());
    let sort = pool.sort(a);
    let whole = sum.parts.keys().all(|part| pool.sort(*part) == Sort::Int);
    (whole || sort == Sort::Real).then_some(Inequality { sum, relation, sort })
}

/// The sum of two inequalities; none if one is none, or they say nothing together.
pub fn merged(pool: &Pool, first: Term, second: Term) -> Option<Term> {
    let (mut first, second) = (inequality(pool, first)?, inequality(pool, second)?);
    if first.sort != second.sort {
        return None;
    }
    // Over integers, a < b is a + 1 ≤ b: nothing is lost in the sum.
    let relation = match first.sort {
        Sort::Int => {
            for one in [&mut first] {
                tighten(one);
            }
            Relation::Le
        }
        _ if first.relation == Relation::Lt || second.relation == Relation::Lt => Relation::Lt,
        _ => Relation::Le,
    };
    let mut second = second;
    if first.sort == Sort::Int {
        tighten(&mut second);
    }
    first.sum.add(&second.sum, &BigRational::one());
    if first.sum.parts.is_empty() {
        return None;
    }
    Some(first.sum.compare(pool, relation))
}

/// Writes an inequality of integers without `<`.
fn tighten(inequality: &mut Inequality) {
    if inequality.relation == Relation::Lt {
        inequality.sum.constant += BigRational::one();
        inequality.relation = Relation::Le;
    }
}

/// The literal with its bound so many units further away; none if it has none, or there is no room.
pub fn weaker(pool: &Pool, literal: Term, step: u64) -> Option<Term> {
    if let Some(mut inequality) = inequality(pool, literal) {
        let by = BigRational::from_integer(BigInt::from(step));
        // Of reals, first what is just not excluded.
        if inequality.sort == Sort::Real && inequality.relation == Relation::Lt && step == 1 {
            return Some(inequality.sum.compare(pool, Relation::Le));
        }
        inequality.sum.constant -= by;
        return Some(inequality.sum.compare(pool, inequality.relation));
    }
    bits(pool, literal, step)
}

/// The same for unsigned bounds of bit-vectors: ¬(v < x) is x ≤ v, ¬(x < v) is v ≤ x.
fn bits(pool: &Pool, literal: Term, step: u64) -> Option<Term> {
    if *pool.op(literal) != Op::Not {
        return None;
    }
    let atom = pool.args(literal)[0];
    if *pool.op(atom) != Op::BvUlt {
        return None;
    }
    let [a, b] = pool.args(atom)[..] else { return None };
    let constant = |term: Term| match pool.value(term) {
        Some(Value::Bits(bits)) => Some(bits.clone()),
        _ => None,
    };
    let moved = |bits: &Bits, up: bool| {
        let by = Bits::from_u64(bits.width(), step);
        let moved = if up { bits.add(&by) } else { bits.sub(&by) };
        // Without a turn around the end.
        let fits = if up { bits.ult(&moved) } else { moved.ult(bits) };
        fits.then(|| pool.constant(Value::Bits(moved)))
    };
    let (a, b) = match (constant(a), constant(b)) {
        (Some(high), None) => (moved(&high, true)?, b),
        (None, Some(low)) => (a, moved(&low, false)?),
        _ => return None,
    };
    Some(pool.not(pool.make(Op::BvUlt, &[a, b])))
}
