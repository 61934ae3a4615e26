//! Variables of any sort by points that terms name: solved equations, bounds, extremes, and at last
//! the value that the model gives.
//!
//! This is what projects bit-vectors, whose sums wrap around, so that bounds can't be compared as
//! numbers are. A point counts if the formula is true there in the model, which evaluation tells;
//! there are finitely many terms and, of bit-vectors and floats, finitely many values.

use super::atoms::{atoms, containing};
use super::solve::{self, constant};
use super::{State, Step, Stuck};
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashSet;
use term::traverse::subterms;
use term::{Assignment, Func, Op, Sort, Symbol, Term, Value};
use value::{Bits, Float, Rounding};

/// Of how many points that the model allows the most general is looked for.
const COMPARED: usize = 6;

/// How many atoms are looked at for points.
const ATOMS: usize = 200;

/// The state's model with another value of one variable.
struct With<'a> {
    state: &'a State<'a>,
    variable: Term,
    value: &'a Value,
}

impl Assignment for With<'_> {
    fn var(&self, term: Term, name: Symbol) -> Option<Value> {
        if term == self.variable { Some(self.value.clone()) } else { self.state.var(term, name) }
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        self.state.function(func, args)
    }
}

/// The step for a variable of any sort.
pub fn eliminate(state: &mut State<'_>, variable: Term) -> Result<Step, Stuck> {
    let value = state.value(variable)?;
    let mut tried = FxHashSet::default();
    let mut first: Option<Step> = None;
    let mut found = 0;
    for point in points(state, variable)? {
        let at = state.value(point)?;
        let same = at == value;
        if !tried.insert(point) || !same && !holds_at(state, variable, &at)? {
            continue;
        }
        let step = state.substitute(variable, point);
        found += 1;
        if step.formula == state.pool.tru() {
            return Ok(step);
        }
        first.get_or_insert(step);
        if found == COMPARED {
            break;
        }
    }
    if let Some(step) = first {
        return Ok(step);
    }
    let Some(term) = constant(state.pool, &value) else { return Err(state.no_term(variable)) };
    if !matches!(state.pool.sort(variable), Sort::Bool | Sort::BitVec(_) | Sort::Float(_)) {
        state.values += 1;
    }
    Ok(state.substitute(variable, term))
}

fn holds_at(state: &State<'_>, variable: Term, value: &Value) -> Result<bool, Stuck> {
    let model = With { state, variable, value };
    Ok(term::evaluate(state.pool, state.formula, &model)? == Value::Bool(true))
}

/// Terms that may be put in the variable's place, the most promising first.
fn points(state: &State<'_>, variable: Term) -> Result<Vec<Term>, Stuck> {
    let pool = state.pool;
    let sort = pool.sort(variable);
    if sort == Sort::Bool {
        return Ok(vec![pool.constant(state.value(variable)?)]);
    }
    let (mut equal, mut bounds) = (Vec::new(), Vec::new());
    for atom in atoms(pool, state.formula, variable).into_iter().take(ATOMS) {
        let [left, right] = pool.args(atom)[..] else { continue };
        let holds = state.value(atom)? == Value::Bool(true);
        match pool.op(atom) {
            Op::Eq if holds => {
                equal.extend(solve::along(state, left, right, variable)?);
                equal.extend(solve::exactly(pool, left, right, variable));
            }
            Op::Eq | Op::BvUlt | Op::BvSlt => {
                bounds.extend(beside(state, atom, holds, variable)?);
            }
            Op::Lt | Op::Le => {
                // Integers and reals come here if they are also somewhere else than in sums.
                if let Some(bound) = solve::exactly(pool, left, right, variable) {
                    bounds.extend(around(state, bound));
                }
            }
            Op::FpLt | Op::FpLeq | Op::FpEq => {
                bounds.extend(solve::along(state, left, right, variable)?);
            }
            _ => {}
        }
    }
    let value = state.value(variable)?;
    let mut points = Vec::new();
    for term in equal {
        if state.value(term)? == value {
            points.push(term);
        }
    }
    points.extend(bounds);
    points.extend(extremes(sort).iter().map(|value| pool.constant(value.clone())));
    if let Sort::Int | Sort::Real = sort {
        points.extend(indices(state, variable).into_iter().flat_map(|i| around(state, i)));
    }
    if let Sort::Uninterpreted(_) = sort {
        let inside = containing(pool, &[state.formula], variable);
        let others = subterms(pool, &[state.formula]);
        let others = others.into_iter().filter(|t| pool.sort(*t) == sort && !inside.contains(t));
        points.extend(others);
    }
    Ok(points)
}

/// A number and its neighbours.
fn around(state: &State<'_>, term: Term) -> [Term; 3] {
    let pool = state.pool;
    let one = match pool.sort(term) {
        Sort::Int => pool.int(1),
        _ => pool.real(BigRational::one()),
    };
    [term, pool.add(term, one), pool.sub(term, one)]
}

/// Where arrays are read and written, if the variable is such a place: what holds at one of these
/// places or beside all of them is what a formula can tell (Bradley, Manna, Sipma 2006).
fn indices(state: &State<'_>, variable: Term) -> Vec<Term> {
    let pool = state.pool;
    let inside = containing(pool, &[state.formula], variable);
    let all = subterms(pool, &[state.formula]);
    let accesses = all.into_iter().filter(|t| matches!(pool.op(*t), Op::Select | Op::Store));
    let all: Vec<Term> = accesses.map(|t| pool.args(t)[1]).collect();
    if !all.contains(&variable) {
        return Vec::new();
    }
    let mut plain: Vec<Term> = Vec::new();
    for index in all {
        if pool.sort(index) == pool.sort(variable)
            && !inside.contains(&index)
            && !plain.contains(&index)
        {
            plain.push(index);
        }
    }
    plain
}

/// The points next to where an atom over bit-vectors changes its value, on the side of the model.
fn beside(state: &State<'_>, atom: Term, holds: bool, variable: Term) -> Result<Vec<Term>, Stuck> {
    let pool = state.pool;
    let [left, right] = pool.args(atom)[..] else { unreachable!("a comparison has two sides") };
    let Some(width) = pool.sort(left).width() else { return Ok(Vec::new()) };
    let one = pool.bv(1, width);
    let (up, down) = (pool.bv_add(right, one), pool.bv_sub(right, one));
    let sides: &[Term] = match (pool.op(atom), holds) {
        (Op::Eq, _) => &[up, down],
        // left < right up to left = right − 1; left ≥ right from left = right on
        (_, true) => &[down],
        (_, false) => &[right],
    };
    let mut points = Vec::new();
    for side in sides {
        points.extend(solve::along(state, left, *side, variable)?);
    }
    Ok(points)
}

/// The values at the ends of a sort.
fn extremes(sort: Sort) -> Vec<Value> {
    match sort {
        Sort::BitVec(width) => vec![
            Value::Bits(Bits::zero(width)),
            Value::Bits(Bits::ones(width)),
            Value::Bits(Bits::max_signed(width)),
            Value::Bits(Bits::min_signed(width)),
        ],
        Sort::Float(format) => vec![
            Value::Float(Float::zero(format, false)),
            Value::Float(Float::zero(format, true)),
            Value::Float(Float::infinity(format, false)),
            Value::Float(Float::infinity(format, true)),
            Value::Float(Float::nan(format)),
        ],
        Sort::RoundingMode => Rounding::ALL.iter().map(|mode| Value::Rounding(*mode)).collect(),
        _ => Vec::new(),
    }
}
