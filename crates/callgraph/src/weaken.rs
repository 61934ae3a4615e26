//! Weaker literals: bounds that are further away, and sums of two inequalities.

use aeval::linear::{Linear, Relation};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
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

/// Two inequalities that can be added up.
pub struct Pair {
    first: Inequality,
    second: Inequality,
    /// What their sums are where something is derived that a sum of multiples has to exclude.
    points: Vec<(BigRational, BigRational)>,
}

/// The multiples that are tried, the simplest first.
const FACTORS: [(u32, u32); 11] =
    [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (3, 2), (2, 3), (4, 1), (1, 4), (8, 1), (1, 8)];

impl Pair {
    /// Two literals; none if one is no inequality, or they are of different sorts.
    pub fn of(pool: &Pool, first: Term, second: Term) -> Option<Pair> {
        let (mut first, mut second) = (inequality(pool, first)?, inequality(pool, second)?);
        if first.sort != second.sort {
            return None;
        }
        if first.sort == Sort::Int {
            // a < b is a + 1 ≤ b: nothing is lost in the sum.
            tighten(&mut first);
            tighten(&mut second);
        }
        Some(Pair { first, second, points: Vec::new() })
    }

    /// Notes a point of something that is derived; false if it can't be told where it is.
    pub fn exclude(&mut self, value: &impl Fn(Term) -> Option<BigRational>) -> bool {
        let at = self.first.sum.value(value).zip(self.second.sum.value(value));
        self.points.extend(at.clone());
        at.is_some()
    }

    /// The simplest sum of multiples that says something and excludes all points: what is implied by
    /// both together (by Farkas' lemma any such inequality is a sum of multiples).
    pub fn sum(&self, pool: &Pool) -> Option<Term> {
        let number = |n: u32| BigRational::from_integer(n.into());
        let strict = self.first.relation == Relation::Lt || self.second.relation == Relation::Lt;
        FACTORS.iter().map(|(a, b)| (number(*a), number(*b))).find_map(|(a, b)| {
            let zero = BigRational::zero();
            let excluded = |(x, y): &(BigRational, BigRational)| x * &a + y * &b > zero;
            if !self.points.iter().all(excluded) {
                return None;
            }
            let mut sum = self.first.sum.times(&a);
            sum.add(&self.second.sum, &b);
            let relation = if strict { Relation::Lt } else { Relation::Le };
            (!sum.parts.is_empty()).then(|| sum.compare(pool, relation))
        })
    }
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
