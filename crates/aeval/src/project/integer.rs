//! Integers: Cooper's elimination with divisibility, along a model.
//!
//! With L the least common multiple of the variable's coefficients, every comparison becomes one of
//! Y = L·y: a boundary Y ≤ t, Y ≥ t, Y = t. Remainders, and L | Y, repeat with a period D. The
//! points are the boundary that an equation has Y on; l + j for the greatest boundary l below and
//! the j in [0, D) with which l + j has the residue that Y has; the same from above; and −∞ or +∞
//! with that residue if there is nothing on that side.

use super::arithmetic::{Constraint, Constraints};
use super::{State, Step, Stuck};
use crate::linear::{Linear, Relation};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use term::{Op, Sort, Term};

/// What an atom says of Y.
enum Atom {
    /// Y ≤ t
    Most(Linear),
    /// Y ≥ t
    Least(Linear),
    /// Y = t
    Equal(Linear),
}

/// Where Y is put.
enum Point {
    /// At a sum.
    At(Linear),
    /// Below all boundaries.
    Below,
    /// Above all boundaries.
    Beyond,
}

/// The atoms of one variable on a common scale.
struct Scaled {
    /// L
    scale: BigInt,
    /// D, a multiple of L
    period: BigInt,
    /// The value of Y.
    value: BigInt,
}

/// The step for an integer variable; none where an atom says something else of it.
pub fn eliminate(state: &State<'_>, variable: Term) -> Result<Option<Step>, Stuck> {
    let Some(constraints) = Constraints::of(state, variable)? else { return Ok(None) };
    let (mut scale, mut period) = (BigInt::one(), BigInt::one());
    for (_, constraint) in &constraints.atoms {
        match constraint {
            Constraint::Compare { coefficient, rest, .. } => {
                let denominator = integral(coefficient, rest);
                scale = scale.lcm(&(coefficient * denominator).to_integer().abs());
            }
            Constraint::Remainder { coefficient, modulus, .. } => {
                period = period.lcm(&(modulus / modulus.gcd(coefficient)));
            }
            Constraint::Plain(_) => {}
        }
    }
    let value = state.number(variable)?.to_integer();
    let scaled = Scaled { period: &scale * period, value: value * &scale, scale };
    let point = scaled.point(state, &constraints)?;
    let mut formula = constraints.at(state, |constraint| scaled.said(state, constraint, &point));
    if let Point::At(at) = &point {
        formula = state.pool.and([formula, scaled.divides(state, at)]);
    }
    let boundaries = scaled.boundaries(&constraints);
    let (relation, function) = scaled.choice(state, variable, &point, &boundaries);
    Ok(Some(Step { formula, relation, function, auxiliary: Vec::new() }))
}

/// The positive number that makes integers of the coefficients of y and the parts; the constant
/// may stay a fraction.
fn integral(coefficient: &BigRational, rest: &Linear) -> BigRational {
    let all = rest.parts.values().chain([coefficient]);
    BigRational::from_integer(all.fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom())))
}

impl Scaled {
    /// What a comparison says of Y; none if nothing satisfies it.
    fn atom(&self, constraint: &Constraint) -> Option<Atom> {
        let Constraint::Compare { coefficient, rest, relation } = constraint else { return None };
        let factor = integral(coefficient, rest);
        let coefficient = coefficient * &factor;
        let mut rest = rest.times(&factor);
        let (constant, relation) = relation.tighten(&rest.constant)?;
        rest.constant = constant;
        // a·y + r ⋈ 0 times L / |a| is ±Y + r' ⋈ 0.
        let factor = BigRational::from_integer(self.scale.clone()) / coefficient.abs();
        let rest = rest.times(&factor);
        let is_upper = coefficient.is_positive();
        let bound = if is_upper { rest.times(&-BigRational::one()) } else { rest };
        Some(match relation {
            Relation::Eq => Atom::Equal(bound),
            _ if is_upper => Atom::Most(bound),
            _ => Atom::Least(bound),
        })
    }

    /// What bounds there are, as sums.
    fn boundaries(&self, constraints: &Constraints) -> Vec<Linear> {
        let mut found: Vec<Linear> = Vec::new();
        for (_, constraint) in &constraints.atoms {
            let Some(atom) = self.atom(constraint) else { continue };
            let (Atom::Most(bound) | Atom::Least(bound) | Atom::Equal(bound)) = atom;
            if !found.contains(&bound) {
                found.push(bound);
            }
        }
        found
    }

    /// The point next to the value of Y at which all atoms have the values they have there.
    fn point(&self, state: &State<'_>, constraints: &Constraints) -> Result<Point, Stuck> {
        let mut below: Option<(BigInt, Linear)> = None;
        let mut above: Option<(BigInt, Linear)> = None;
        for (_, constraint) in &constraints.atoms {
            let Some(atom) = self.atom(constraint) else { continue };
            let one = BigRational::one();
            let (Atom::Most(bound) | Atom::Least(bound) | Atom::Equal(bound)) = &atom;
            let at = state.sum(bound)?.to_integer();
            let is_below = match &atom {
                Atom::Equal(_) if at == self.value => return Ok(Point::At(bound.clone())),
                Atom::Equal(_) => at < self.value,
                Atom::Most(_) => at < self.value,
                Atom::Least(_) => at <= self.value,
            };
            // An atom that is false has its boundary on the other side of it.
            let (at, bound) = match (&atom, is_below) {
                (Atom::Least(_), true) | (Atom::Most(_), false) => (at, bound.clone()),
                (_, true) => (at + 1, bound.clone().plus(one)),
                (_, false) => (at - 1, bound.clone().plus(-one)),
            };
            if is_below {
                if below.as_ref().is_none_or(|(highest, _)| *highest < at) {
                    below = Some((at, bound));
                }
            } else if above.as_ref().is_none_or(|(lowest, _)| *lowest > at) {
                above = Some((at, bound));
            }
        }
        Ok(match (below, above) {
            (None, _) => Point::Below,
            (_, None) => Point::Beyond,
            (Some((low, bound)), Some((high, upper))) => {
                let up = (&self.value - &low).mod_floor(&self.period);
                let down = (&high - &self.value).mod_floor(&self.period);
                if up <= down {
                    Point::At(bound.plus(BigRational::from_integer(up)))
                } else {
                    Point::At(upper.plus(BigRational::from_integer(-down)))
                }
            }
        })
    }

    /// L | t
    fn divides(&self, state: &State<'_>, sum: &Linear) -> Term {
        if self.scale.is_one() {
            return state.pool.tru();
        }
        remainder(state, sum, &self.scale, &Linear::default())
    }

    /// What an atom says at the point.
    fn said(&self, state: &State<'_>, constraint: &Constraint, point: &Point) -> Term {
        let pool = state.pool;
        if let Constraint::Remainder { coefficient, rest, modulus, equal } = constraint {
            let scale = BigRational::from_integer(self.scale.clone());
            return match point {
                // (a·y + r) mod d = e, times L
                Point::At(at) => {
                    let mut sum = rest.times(&scale);
                    sum.add(at, &BigRational::from_integer(coefficient.clone()));
                    remainder(state, &sum, &(modulus * &self.scale), &equal.times(&scale))
                }
                _ => {
                    let residue = BigRational::from_integer(coefficient * self.residue());
                    remainder(state, &rest.clone().plus(residue), modulus, equal)
                }
            };
        }
        let Some(atom) = self.atom(constraint) else { return pool.fls() };
        match point {
            Point::At(at) => {
                let (less, more, relation) = match &atom {
                    Atom::Most(bound) => (at, bound, Relation::Le),
                    Atom::Least(bound) => (bound, at, Relation::Le),
                    Atom::Equal(bound) => (at, bound, Relation::Eq),
                };
                let mut sum = less.clone();
                sum.add(more, &-BigRational::one());
                sum.compare(pool, relation)
            }
            Point::Below => pool.bool(matches!(atom, Atom::Most(_))),
            Point::Beyond => pool.bool(matches!(atom, Atom::Least(_))),
        }
    }

    /// D / L, the period of y.
    fn period_of_variable(&self) -> BigInt {
        &self.period / &self.scale
    }

    /// The residue of y.
    fn residue(&self) -> BigInt {
        (&self.value / &self.scale).mod_floor(&self.period_of_variable())
    }

    /// The relation of the variable to the others at the point, and a function inside of it.
    fn choice(
        &self,
        state: &State<'_>,
        variable: Term,
        point: &Point,
        boundaries: &[Linear],
    ) -> (Term, Term) {
        let pool = state.pool;
        let scale = pool.int(self.scale.clone());
        let upper_case = pool.mul(variable, scale);
        let divided = |t: Term| pool.make(Op::IntDiv, &[t, scale]);
        if let Point::At(at) = point {
            let at = at.term(pool, Sort::Int);
            return (pool.eq(upper_case, at), divided(at));
        }
        let is_below = matches!(point, Point::Below);
        let all: Vec<Term> = boundaries.iter().map(|b| b.term(pool, Sort::Int)).collect();
        let relation = all
            .iter()
            .map(|t| if is_below { pool.lt(upper_case, *t) } else { pool.lt(*t, upper_case) });
        let period = pool.int(self.period_of_variable());
        let residue = pool.int(self.residue());
        let modulo = |t: Term| pool.make(Op::IntMod, &[t, period]);
        let periodic = !self.period_of_variable().is_one();
        let same = if periodic { pool.eq(modulo(variable), residue) } else { pool.tru() };
        let relation = pool.and(relation.chain([same]));
        let Some(extreme) = all.iter().copied().reduce(|best, t| {
            pool.ite(if is_below { pool.lt(t, best) } else { pool.lt(best, t) }, t, best)
        }) else {
            return (relation, residue);
        };
        // The first y on the other side of all boundaries, and from there to the residue.
        let function = if is_below {
            let first = divided(pool.sub(extreme, pool.int(1)));
            pool.sub(first, modulo(pool.sub(first, residue)))
        } else {
            let first = pool.add(divided(extreme), pool.int(1));
            pool.add(first, modulo(pool.sub(residue, first)))
        };
        (relation, function)
    }
}

/// sum mod modulus = equal, with the coefficients reduced
fn remainder(state: &State<'_>, sum: &Linear, modulus: &BigInt, equal: &Linear) -> Term {
    let pool = state.pool;
    let mut reduced = Linear::default();
    for (part, factor) in &sum.parts {
        let factor = factor.to_integer().mod_floor(modulus);
        reduced.add_part(*part, BigRational::from_integer(factor));
    }
    let constant = sum.constant.to_integer().mod_floor(modulus);
    reduced.constant = BigRational::from_integer(constant);
    let dividend = reduced.term(pool, Sort::Int);
    // What is left after division by one is zero.
    let left = if modulus.is_one() {
        pool.int(BigInt::zero())
    } else {
        pool.make(Op::IntMod, &[dividend, pool.int(modulus.clone())])
    };
    pool.eq(left, equal.term(pool, Sort::Int))
}
