//! Reals: Loos–Weispfenning (\[Fed15\] (3.3), (3.4)), along a model.
//!
//! Each atom is a boundary t for the variable: y < t, y ≥ t, y = t. The points are the boundary
//! that y equals, −∞ and +∞ if there is nothing on that side in the model, and l + ε for the
//! greatest boundary l below.

use super::arithmetic::{Constraint, Constraints};
use super::{State, Step, Stuck};
use crate::factor::{between, extreme};
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

/// The boundaries of all atoms, each once: those of equations first, then those that belong to the
/// side that an atom allows.
fn boundaries(constraints: &Constraints) -> Vec<Linear> {
    let mut found: Vec<(Relation, Linear)> = Vec::new();
    for (_, constraint) in &constraints.atoms {
        if let Constraint::Compare { coefficient, rest, relation } = constraint {
            found.push((*relation, boundary(coefficient, rest)));
        }
    }
    found.sort_by_key(|(relation, _)| match relation {
        Relation::Eq => 0,
        Relation::Le => 1,
        Relation::Lt => 2,
    });
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
    let all: Vec<Term> = boundaries.iter().map(term).collect();
    match point {
        Point::At(at) => (pool.eq(variable, term(at)), term(at)),
        Point::Below => {
            (pool.and(all.iter().map(|t| pool.lt(variable, *t))), between(pool, &[], &all, &[]))
        }
        Point::Beyond => {
            let one = pool.real(BigRational::one());
            let function = extreme(pool, &all, true).map_or(one, |most| pool.add(most, one));
            (pool.and(all.iter().map(|t| pool.lt(*t, variable))), function)
        }
        Point::Above(low) => {
            // Below the least boundary that is higher, if there is one.
            let low = term(low);
            let others: Vec<Term> = all.iter().copied().filter(|t| *t != low).collect();
            let inside = others
                .iter()
                .map(|t| pool.implies(pool.lt(low, *t), pool.lt(variable, *t)))
                .chain([pool.lt(low, variable)]);
            (pool.and(inside), between(pool, &[low], &[], &others))
        }
    }
}
