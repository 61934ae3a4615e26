//! LOCALFACTOR (\[Fed15\] Algorithm 8): a function of one variable out of a conjunction of
//! comparisons with it.
//!
//! REWRITE brings every comparison to y ⋈ t. MINIMALSKOLEM of the thesis then finds y = t where
//! y ≤ t and y ≥ t are both there, and leaves other combinations to future work; here ≤, <, ≥, >, ≠
//! in any number have a function: of reals a place halfway between the greatest lower and the least
//! upper bound or one away from all of them, of integers the first that is not excluded.
//! (The thesis suggests (b − a)/2 for a < d < b, which is not between the two; it is (a + b)/2.)

use crate::linear::{Linear, Relation};
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use term::traverse::{conjuncts, free_vars, substitute};
use term::{Op, Pool, Sort, Term};

/// The bounds of one variable as terms: closed for integers.
#[derive(Default)]
struct Bounds {
    /// y = t
    equal: Option<Term>,
    /// y ≥ t or y > t
    low: Vec<(Term, bool)>,
    /// y ≤ t or y < t
    high: Vec<(Term, bool)>,
    /// y ≠ t
    apart: Vec<Term>,
}

/// So many excluded integers are walked past.
const APART: usize = 6;

/// A function f(x) of the variable such that y = f(x) satisfies ψ(x, y) wherever some y does, for a
/// conjunction ψ of comparisons that are linear in y; none if ψ is something else. `known` are the
/// functions of the variables that were factored before.
pub fn local_factor(
    pool: &Pool,
    variable: Term,
    relation: Term,
    known: &[(Term, Term)],
) -> Option<Term> {
    let relation = substitute(pool, relation, known.iter().copied());
    let bounds = rewrite(pool, variable, relation)?;
    minimal(pool, pool.sort(variable), &bounds)
}

/// REWRITE: the conjuncts as bounds of the variable.
fn rewrite(pool: &Pool, variable: Term, relation: Term) -> Option<Bounds> {
    let sort = pool.sort(variable);
    let mut bounds = Bounds::default();
    for conjunct in conjuncts(pool, relation) {
        if !free_vars(pool, &[conjunct]).contains(&variable) {
            continue;
        }
        let (atom, negated) = match pool.op(conjunct) {
            Op::Not => (pool.args(conjunct)[0], true),
            _ => (conjunct, false),
        };
        let (Some(relation), [left, right]) = (Relation::of(pool.op(atom)), pool.args(atom)) else {
            return None;
        };
        if pool.sort(*left) != sort {
            return None;
        }
        let mut sum = Linear::of(pool, *left);
        sum.add_term(pool, *right, -BigRational::one());
        let coefficient = sum.take(variable);
        let parts: Vec<Term> = sum.parts.keys().copied().collect();
        if coefficient.is_zero() || free_vars(pool, &parts).contains(&variable) {
            return None;
        }
        bounds.add(pool, sort, coefficient, sum, relation, negated)?;
    }
    Some(bounds)
}

impl Bounds {
    /// Adds (¬) a·y + rest ⋈ 0.
    fn add(
        &mut self,
        pool: &Pool,
        sort: Sort,
        coefficient: BigRational,
        rest: Linear,
        relation: Relation,
        negated: bool,
    ) -> Option<()> {
        if relation == Relation::Eq {
            let bound = rest.times(&(-BigRational::one() / &coefficient));
            // Of integers only what is one for sure.
            if sort == Sort::Int && !bound.denominator().is_one() {
                return None;
            }
            let bound = bound.term(pool, sort);
            if negated {
                self.apart.push(bound);
            } else {
                self.equal.get_or_insert(bound);
            }
            return Some(());
        }
        // ¬(s ≤ 0) is −s < 0
        let (coefficient, rest, strict) = match (relation, negated) {
            (relation, false) => (coefficient, rest, relation == Relation::Lt),
            (relation, true) => {
                let rest = rest.times(&-BigRational::one());
                (-coefficient, rest, relation == Relation::Le)
            }
        };
        let is_upper = coefficient.is_positive();
        let bound = match sort {
            Sort::Real => rest.times(&(-BigRational::one() / coefficient)).term(pool, Sort::Real),
            _ => integer_bound(pool, coefficient, rest, strict)?,
        };
        let strict = strict && sort == Sort::Real;
        if is_upper {
            self.high.push((bound, strict))
        } else {
            self.low.push((bound, strict))
        }
        Some(())
    }
}

/// The greatest or least integer y with a·y + rest ≤ 0 or < 0.
fn integer_bound(
    pool: &Pool,
    coefficient: BigRational,
    rest: Linear,
    strict: bool,
) -> Option<Term> {
    if !coefficient.is_integer() || !rest.denominator().is_one() {
        return None;
    }
    let rest = if strict { rest.plus(BigRational::one()) } else { rest };
    let size = pool.int(coefficient.abs().to_integer());
    let quotient = |sum: &Linear| pool.make(Op::IntDiv, &[sum.term(pool, Sort::Int), size]);
    let negative = rest.times(&-BigRational::one());
    Some(if coefficient.is_positive() {
        // y ≤ ⌊−rest / a⌋
        quotient(&negative)
    } else {
        // y ≥ ⌈rest / |a|⌉ = −⌊−rest / |a|⌋
        pool.neg(quotient(&negative))
    })
}

/// MINIMALSKOLEM: one function out of all bounds.
fn minimal(pool: &Pool, sort: Sort, bounds: &Bounds) -> Option<Term> {
    if let Some(equal) = bounds.equal {
        return Some(equal);
    }
    let adjacent = |(t, strict): &&(Term, bool)| !strict && bounds.high.contains(&(*t, false));
    if let Some((t, _)) = bounds.low.iter().find(adjacent) {
        return Some(*t);
    }
    let low: Vec<Term> = bounds.low.iter().map(|(t, _)| *t).collect();
    let high: Vec<Term> = bounds.high.iter().map(|(t, _)| *t).collect();
    match sort {
        Sort::Real => Some(between(pool, &low, &high, &bounds.apart)),
        _ if bounds.apart.len() <= APART => Some(first(pool, &low, &high, &bounds.apart)),
        _ => None,
    }
}

/// The greatest or least of some terms.
pub(crate) fn extreme(pool: &Pool, terms: &[Term], greatest: bool) -> Option<Term> {
    terms.iter().copied().reduce(|best, t| {
        pool.ite(if greatest { pool.lt(best, t) } else { pool.lt(t, best) }, t, best)
    })
}

/// A real between the greatest of `low` and the least of `high` that is none of `apart`: the middle
/// of the interval, cut at the first of `apart` inside of it; of an empty side, one away from all.
pub(crate) fn between(pool: &Pool, low: &[Term], high: &[Term], apart: &[Term]) -> Term {
    let number = |n: i64| pool.real(BigRational::from_integer(n.into()));
    let Some(lowest) = extreme(pool, low, true) else {
        let all = [high, apart].concat();
        return extreme(pool, &all, false).map_or(number(0), |t| pool.sub(t, number(1)));
    };
    let limit = extreme(pool, high, false).unwrap_or_else(|| pool.add(lowest, number(2)));
    let limit = apart.iter().fold(limit, |best, t| {
        pool.ite(pool.and([pool.lt(lowest, *t), pool.lt(*t, best)]), *t, best)
    });
    let half = pool.real(BigRational::new(1.into(), 2.into()));
    pool.mul(pool.add(lowest, limit), half)
}

/// The first integer from the bounds on that is none of `apart`.
fn first(pool: &Pool, low: &[Term], high: &[Term], apart: &[Term]) -> Term {
    let (start, up) = match (extreme(pool, low, true), extreme(pool, high, false)) {
        (Some(low), _) => (low, true),
        (None, Some(high)) => (high, false),
        (None, None) => (pool.int(0), true),
    };
    // Of n + 1 integers in a row one is none of n.
    (0..=apart.len() as i64)
        .rev()
        .fold(None, |otherwise, n| {
            let step = pool.int(n);
            let here = if up { pool.add(start, step) } else { pool.sub(start, step) };
            let free = pool.and(apart.iter().map(|t| pool.ne(here, *t)));
            Some(otherwise.map_or(here, |otherwise| pool.ite(free, here, otherwise)))
        })
        .unwrap_or(start)
}
