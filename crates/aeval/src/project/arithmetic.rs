//! What the atoms of a formula say of a number: comparisons a·y + rest ⋈ 0, and remainders.
//!
//! Where the number is inside an if-then-else, a quotient or a remainder, the model says which
//! branch or residue is meant, and that becomes a condition beside the formula, with atoms of its
//! own.

use super::atoms::{atoms, containing};
use super::{State, Stuck};
use crate::linear::{Linear, Relation, number};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashSet;
use term::traverse::rewrite;
use term::{Op, Sort, Term};

/// What an atom says of the variable y.
pub enum Constraint {
    /// coefficient · y + rest ⋈ 0, the coefficient not zero
    Compare {
        /// a
        coefficient: BigRational,
        /// What does not contain y.
        rest: Linear,
        /// ⋈
        relation: Relation,
    },
    /// (coefficient · y + rest) mod modulus = equal, of integers
    Remainder {
        /// a, an integer
        coefficient: BigInt,
        /// What does not contain y.
        rest: Linear,
        /// The absolute value of the divisor.
        modulus: BigInt,
        /// Free of y.
        equal: Linear,
    },
    /// y does not matter after all.
    Plain(Term),
}

/// A formula with the conditions under which its atoms are as simple as that.
pub struct Constraints {
    /// The formula and the conditions.
    formula: Term,
    /// Each atom in which the variable occurs with what it says.
    pub atoms: Vec<(Term, Constraint)>,
}

impl Constraints {
    /// Reads the atoms of the state's formula; none if one says something else of the variable.
    pub fn of(state: &State<'_>, variable: Term) -> Result<Option<Self>, Stuck> {
        let mut all = vec![state.formula];
        let mut pending = vec![state.formula];
        let mut seen = FxHashSet::default();
        let mut constraints = Vec::new();
        while let Some(formula) = pending.pop() {
            for atom in atoms(state.pool, formula, variable) {
                if !seen.insert(atom) {
                    continue;
                }
                let mut conditions = Vec::new();
                match constraint(state, atom, variable, &mut conditions)? {
                    Some(constraint) => constraints.push((atom, constraint)),
                    None => return Ok(None),
                }
                all.extend(&conditions);
                pending.extend(conditions);
            }
        }
        Ok(Some(Constraints { formula: state.pool.and(all), atoms: constraints }))
    }

    /// The formula with each atom replaced by what it says at the point.
    pub fn at(&self, state: &State<'_>, point: impl Fn(&Constraint) -> Term) -> Term {
        let replaced = self.atoms.iter().map(|(atom, constraint)| {
            let said = match constraint {
                Constraint::Plain(said) => *said,
                other => point(other),
            };
            (*atom, said)
        });
        rewrite(state.pool, self.formula, &mut replaced.collect(), |_| None)
    }
}

fn constraint(
    state: &State<'_>,
    atom: Term,
    variable: Term,
    conditions: &mut Vec<Term>,
) -> Result<Option<Constraint>, Stuck> {
    let pool = state.pool;
    let (Some(relation), [left, right]) = (Relation::of(pool.op(atom)), pool.args(atom)) else {
        return Ok(None);
    };
    let sort = pool.sort(*left);
    if !matches!(sort, Sort::Int | Sort::Real) {
        return Ok(None);
    }
    let mut sum = Linear::of(pool, *left);
    sum.add_term(pool, *right, -BigRational::one());
    let inside = containing(pool, &[atom], variable);
    if let Some((part, equal)) = remainder(state, &sum, relation, &inside) {
        let [dividend, divisor] = pool.args(part)[..] else { return Ok(None) };
        let Some(modulus) = pool.value(divisor).and_then(number) else { return Ok(None) };
        let mut rest = Linear::of(pool, dividend);
        if modulus.is_zero() || !open_all(state, &mut rest, variable, &inside, conditions)? {
            return Ok(None);
        }
        // Opened quotients may leave fractions.
        let scale = rest.denominator();
        let (rest, modulus) = (rest.times(&scale.clone().into()), modulus.to_integer().abs());
        let (mut rest, modulus, equal) = (rest, modulus * &scale, equal.times(&scale.into()));
        let coefficient = rest.take(variable).to_integer();
        return Ok(Some(Constraint::Remainder { coefficient, rest, modulus, equal }));
    }
    if !open_all(state, &mut sum, variable, &inside, conditions)? {
        return Ok(None);
    }
    let coefficient = sum.take(variable);
    if coefficient.is_zero() {
        return Ok(Some(Constraint::Plain(sum.compare(pool, relation))));
    }
    if pool.sort(variable) == Sort::Int && sum.parts.keys().any(|p| pool.sort(*p) == Sort::Real) {
        return Ok(among_reals(state, coefficient, sum, relation));
    }
    Ok(Some(Constraint::Compare { coefficient, rest: sum, relation }))
}

/// Replaces all parts but the variable itself in which it occurs by what they are in the model;
/// false if that is not known.
fn open_all(
    state: &State<'_>,
    sum: &mut Linear,
    variable: Term,
    inside: &FxHashSet<Term>,
    conditions: &mut Vec<Term>,
) -> Result<bool, Stuck> {
    let opaque = |sum: &Linear| {
        sum.parts.keys().copied().find(|part| *part != variable && inside.contains(part))
    };
    while let Some(part) = opaque(sum) {
        if !open(state, sum, part, conditions)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Replaces a part in which the variable occurs by what it is in the model; false if that is not
/// known.
fn open(
    state: &State<'_>,
    sum: &mut Linear,
    part: Term,
    conditions: &mut Vec<Term>,
) -> Result<bool, Stuck> {
    let pool = state.pool;
    let factor = sum.take(part);
    match (pool.op(part), pool.args(part)) {
        (Op::Ite, [condition, then, otherwise]) => {
            let holds = state.value(*condition)?.as_bool().expect("typing: a Bool");
            conditions.push(if holds { *condition } else { pool.not(*condition) });
            sum.add_term(pool, if holds { *then } else { *otherwise }, factor);
        }
        (Op::IntDiv | Op::IntMod, [dividend, divisor]) => {
            let Some(by) = pool.value(*divisor).and_then(number).filter(|n| !n.is_zero()) else {
                return Ok(false);
            };
            let residue = pool.make(Op::IntMod, &[*dividend, *divisor]);
            let value = state.number(residue)?;
            conditions.push(pool.eq(residue, pool.int(value.to_integer())));
            if *pool.op(part) == Op::IntMod {
                sum.constant += factor * value;
            } else {
                // dividend = divisor · quotient + residue
                let factor = factor / by;
                sum.constant -= &factor * value;
                sum.add_term(pool, *dividend, factor);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// An equation between a remainder, the only part with the variable, and what is free of it: both.
///
/// The conditions of [`open`] on remainders have this form, and nothing in it is opened by a
/// condition on itself.
fn remainder(
    state: &State<'_>,
    sum: &Linear,
    relation: Relation,
    inside: &FxHashSet<Term>,
) -> Option<(Term, Linear)> {
    let pool = state.pool;
    let mut with_variable = sum.parts.keys().copied().filter(|part| inside.contains(part));
    let part = with_variable.next().filter(|part| *pool.op(*part) == Op::IntMod)?;
    let plain = with_variable.next().is_none()
        && relation == Relation::Eq
        && sum.parts.keys().all(|part| pool.sort(*part) == Sort::Int);
    let mut equal = sum.clone();
    let factor = equal.take(part);
    let usable = plain && factor.abs().is_one() && equal.denominator().is_one();
    usable.then(|| (part, equal.times(&-factor)))
}

/// An integer compared with a real r: y ≤ r is y ≤ ⌊r⌋, y ≥ r is y ≥ ⌈r⌉.
fn among_reals(
    state: &State<'_>,
    coefficient: BigRational,
    rest: Linear,
    relation: Relation,
) -> Option<Constraint> {
    let pool = state.pool;
    let floor = |sum: &Linear| {
        let mut floor = Linear::default();
        let real = sum.term(pool, Sort::Real);
        floor.add_term(pool, pool.make(Op::ToInt, &[real]), BigRational::one());
        floor
    };
    let one = BigRational::one();
    let bound = rest.times(&(-&one / &coefficient));
    let (coefficient, rest) = match (relation, coefficient.is_positive()) {
        (Relation::Le, true) => (one.clone(), floor(&bound).times(&-one)),
        (Relation::Le, false) => (-&one, floor(&bound.times(&-&one)).times(&-one)),
        // y < r is y ≤ ⌈r⌉ − 1, y > r is y ≥ ⌊r⌋ + 1
        (Relation::Lt, true) => (one.clone(), floor(&bound.times(&-&one)).plus(one)),
        (Relation::Lt, false) => (-&one, floor(&bound).plus(one)),
        (Relation::Eq, _) => return None,
    };
    Some(Constraint::Compare { coefficient, rest, relation: Relation::Le })
}
