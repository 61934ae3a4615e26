//! Reals: Loos–Weispfenning ([Fed15] (3.3), (3.4)), along a model.
//!
//! Each atom is a boundary t for the variable: y < t, y ≥ t, y = t. The points are the boundary
//! that y equals, −∞ and +∞ if there is nothing on that side in the model, and l + ε for the
//! greatest boundary l below.

use super::arithmetic::{Constraint, Constraints};
use super::{State, Step, Stuck};
use crate::linear::{Linear, Relation};
use num_rational::BigRational;
use num_traits::{One, Signed};
use term::{Sort, Term};

/// Where the variable is put.
enum Point {
    /// On a boundary.
    At(Linear),
    /// Just above a boundary.
    Above(Linear),
    /// Below all boundaries.
    Below,
    /// Above all boundaries.
    Beyond,
}

/// The step for a real variable; none where an atom says something else than a comparison of it.
pub fn eliminate(state: &State<'_>, variable: Term) -> Result<Option<Step>, Stuck> {
    let Some(constraints) = Constraints::of(state, variable)? else { return Ok(None) };
    let boundaries = boundaries(&constraints);
    let value = state.number(variable)?;
    let (mut below, mut above) = (None::<(BigRational, &Linear)>, false);
    let mut point = None;
    for boundary in &boundaries {
        let at = state.sum(boundary)?;
        if at == value {
            point = Some(Point::At(boundary.clone()));
            break;
        }
        if at > value {
            above = true;
        } else if below.as_ref().is_none_or(|(highest, _)| *highest < at) {
            below = Some((at, boundary));
        }
    }
    let point = point.unwrap_or_else(|| match below {
        None => Point::Below,
        Some(_) if !above => Point::Beyond,
        Some((_, boundary)) => Point::Above(boundary.clone()),
    });
    let formula = constraints.at(state, |constraint| said(state, constraint, &point));
    let (relation, function) = choice(state, variable, &point, &boundaries);
    Ok(Some(Step { formula, relation, function, auxiliary: Vec::new() }))
}

/// −rest / coefficient
fn boundary(coefficient: &BigRational, rest: &Linear) -> Linear {
    rest.times(&(-BigRational::one() / coefficient))
}

/// The boundaries of all atoms, those of equations first, each once.
fn boundaries(constraints: &Constraints) -> Vec<Linear> {
    let mut found: Vec<(Relation, Linear)> = Vec::new();
    for (_, constraint) in &constraints.atoms {
        if let Constraint::Compare { coefficient, rest, relation } = constraint {
            found.push((*relation, boundary(coefficient, rest)));
        }
    }
    found.sort_by_key(|(relation, _)| *relation);
    let mut distinct: Vec<Linear> = Vec::new();
    for (_, boundary) in found {
        if !distinct.contains(&boundary) {
            distinct.push(boundary);
        }
    }
    distinct
}

/// What an atom says at the point.
fn said(state: &State<'_>, constraint: &Constraint, point: &Point) -> Term {
    let pool = state.pool;
    let Constraint::Compare { coefficient, rest, relation } = constraint else {
        unreachable!("remainders are of integers")
    };
    let is_upper = coefficient.is_positive();
    match point {
        Point::At(at) => {
            let mut sum = rest.clone();
            sum.add(at, coefficient);
            sum.compare(pool, *relation)
        }
        _ if *relation == Relation::Eq => pool.fls(),
        Point::Below => pool.bool(is_upper),
        Point::Beyond => pool.bool(!is_upper),
        Point::Above(low) => {
            // l + ε < t and l + ε ≤ t are l < t; l + ε > t and l + ε ≥ t are l ≥ t
            let bound = boundary(coefficient, rest);
            let (less, more, relation) =
                if is_upper { (low, &bound, Relation::Lt) } else { (&bound, low, Relation::Le) };
            let mut sum = less.clone();
            sum.add(more, &-BigRational::one());
            sum.compare(pool, relation)
        }
    }
}

/// The relation of the variable to the others at the point, and a function inside of it.
fn choice(state: &State<'_>, variable: Term, point: &Point, boundaries: &[Linear]) -> (Term, Term) {
    let pool = state.pool;
    let term = |sum: &Linear| sum.term(pool, Sort::Real);
    let number = |n: i64| pool.real(BigRational::from_integer(n.into()));
    let all: Vec<Term> = boundaries.iter().map(term).collect();
    // The one of two terms that is the smaller or the larger.
    let extreme = |upper: bool| {
        let first = *all.first()?;
        Some(all[1..].iter().fold(first, |best, t| {
            let better = if upper { pool.lt(best, *t) } else { pool.lt(*t, best) };
            pool.ite(better, *t, best)
        }))
    };
    match point {
        Point::At(at) => (pool.eq(variable, term(at)), term(at)),
        Point::Below => {
            let function = extreme(false).map_or(number(0), |least| pool.sub(least, number(1)));
            (pool.and(all.iter().map(|t| pool.lt(variable, *t))), function)
        }
        Point::Beyond => {
            let function = extreme(true).map_or(number(0), |most| pool.add(most, number(1)));
            (pool.and(all.iter().map(|t| pool.lt(*t, variable))), function)
        }
        Point::Above(low) => {
            let low = term(low);
            let others = || all.iter().copied().filter(|t| *t != low);
            let inside = others()
                .map(|t| pool.implies(pool.lt(low, t), pool.lt(variable, t)))
                .chain([pool.lt(low, variable)]);
            // Halfway to the least boundary that is higher, or to a place where none is.
            let high = others().fold(pool.add(low, number(2)), |best, t| {
                pool.ite(pool.and([pool.lt(low, t), pool.lt(t, best)]), t, best)
            });
            let half = pool.real(BigRational::new(1.into(), 2.into()));
            (pool.and(inside), pool.mul(pool.add(low, high), half))
        }
    }
}
