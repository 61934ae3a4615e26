//! Model-based projection (\[Fed15\] Definition 11): from a model m of T(x, y) to a formula P(x) with
//! m ⊨ P and P ⇒ ∃y. T.
//!
//! Variables go one after the other. A variable that the formula defines is replaced by its
//! definition. Otherwise the formula is taken as it is, with all its disjunctions, and the atoms in
//! which the variable occurs are replaced by what they say at one point near its value in the
//! model: a term over the other variables, or a place that no term names (just above a bound,
//! below all of them). Truth values of atoms in the model do not change by that, so the model stays
//! one; a formula has finitely many such points, so its projections cover ∃y. T after finitely many
//! models. Where no point is found, the value that the model gives is one: for bit-vectors that
//! still ends.
//!
//! * [`atoms`]: where in a formula a variable occurs; the point as a substitution.
//! * [`arithmetic`], [`real`], [`integer`]: Loos–Weispfenning and Cooper.
//! * [`points`]: bit-vectors and every other sort: solved equations, bounds, extremes, values.
//! * [`solve`]: equations solved for a variable.
//! * [`mod@array`]: arrays by their reads.
//!
//! Where the thesis's projection (\[Fed15\] (3.4), of reals only) knows the points y = e, l + ε and
//! −∞, this one also has +∞, which is more general than l + ε where nothing is above.

mod arithmetic;
mod array;
mod atoms;
mod integer;
mod points;
mod real;
mod solve;

pub(crate) use solve::constant;

use crate::linear::{Linear, number};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use term::traverse::{conjuncts, free_vars, substitute};
use term::{Assignment, Func, Op, Pool, Sort, Symbol, Term, Value, eval};
use thiserror::Error;

/// What became of one variable.
///
/// The variable may have been made on the way: a quotient, an element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The variable y.
    pub variable: Term,
    /// φ over y, the variables of later definitions and those that stay (\[Fed15\] (3.24)): whoever
    /// satisfies it together with the projection satisfies what was projected.
    pub relation: Term,
    /// A term over the variables of later definitions and those that stay which satisfies the
    /// relation wherever the projection holds.
    pub function: Term,
}

/// A formula without the variables, and what values they may take where it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Projection {
    /// P: true in the model, and P ⇒ ∃ variables. formula.
    pub formula: Term,
    /// In the order in which the variables went.
    pub definitions: Vec<Definition>,
    /// How many variables of sorts without end got the value that the model gives: more of those
    /// projections may be needed than there is time for.
    pub values: usize,
}

impl Projection {
    /// Each variable with a term over the variables that stay: in place of the variables, these
    /// make the formula true wherever the projection is.
    pub fn functions(&self, pool: &Pool) -> Vec<(Term, Term)> {
        let mut closed: FxHashMap<Term, Term> = FxHashMap::default();
        for definition in self.definitions.iter().rev() {
            let function =
                substitute(pool, definition.function, closed.iter().map(|(a, b)| (*a, *b)));
            closed.insert(definition.variable, function);
        }
        self.definitions.iter().map(|d| (d.variable, closed[&d.variable])).collect()
    }
}

/// Why there is no projection.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Stuck {
    /// The formula has quantifiers, which a model does not decide.
    #[error("a quantified formula can't be projected")]
    Quantifier,
    /// A variable of a sort whose values no term names.
    #[error("no term of sort {0} has the value that the variable {1} needs")]
    NoTerm(String, String),
    /// The formula is false in what was given as its model.
    #[error("the formula is false in the model")]
    NoModel,
}

impl From<eval::EvalError> for Stuck {
    fn from(_: eval::EvalError) -> Self {
        Stuck::Quantifier
    }
}

/// The projection of a formula along a model: without `variables`, true in the model, and implying
/// that they can be chosen such that the formula is true.
///
/// Requires: `formula` is free of quantifiers, and true in `model`.
/// Ensures: m ⊨ P, P ⇒ ∃ variables. formula, and for a formula whose variables are Booleans,
/// bit-vectors or occur linearly in integer or real arithmetic, finitely many P for all models.
///
/// ```
/// use aeval::{Model, project};
/// use term::{Pool, Sort, Value};
///
/// let pool = Pool::new();
/// let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::Int));
/// // x < 2y ∧ y ≤ 5 where x = 3, y = 4
/// let two_y = pool.mul(y, pool.int(2));
/// let formula = pool.and([pool.lt(x, two_y), pool.le(y, pool.int(5))]);
/// let model = [(x, 3), (y, 4)].map(|(v, n)| (v, Value::Int(n.into())));
/// let projection = project(&pool, &Model::new(model.into_iter().collect()), formula, &[y]).unwrap();
/// assert_eq!(term::traverse::free_vars(&pool, &[projection.formula]), [x]);
/// ```
pub fn project(
    pool: &Pool,
    model: &dyn Assignment,
    formula: Term,
    variables: &[Term],
) -> Result<Projection, Stuck> {
    let mut state = State { pool, base: model, extra: FxHashMap::default(), formula, values: 0 };
    if state.value(formula)? != Value::Bool(true) {
        return Err(Stuck::NoModel);
    }
    let mut pending: Vec<Term> = variables.to_vec();
    let mut definitions = Vec::new();
    loop {
        // What is not mentioned can be anything; what is defined needs no model.
        let free = free_vars(pool, &[state.formula]);
        if let Some(at) = pending.iter().position(|v| !free.contains(v)) {
            let variable = pending.remove(at);
            let any = eval::default_value(pool, pool.sort(variable));
            match solve::constant(pool, &any) {
                Some(function) => {
                    definitions.push(Definition { variable, relation: pool.tru(), function });
                }
                None => return Err(state.no_term(variable)),
            }
            continue;
        }
        if let Some((at, term)) = defined(pool, state.formula, &pending) {
            let variable = pending.remove(at);
            state.formula = substitute(pool, state.formula, [(variable, term)]);
            let relation = pool.eq(variable, term);
            definitions.push(Definition { variable, relation, function: term });
            continue;
        }
        let Some(at) = next(pool, &pending) else { break };
        let variable = pending.remove(at);
        let step = state.eliminate(variable)?;
        debug_assert!(!free_vars(pool, &[step.formula]).contains(&variable));
        state.formula = step.formula;
        for (auxiliary, value) in step.auxiliary {
            state.extra.insert(auxiliary, value);
            pending.push(auxiliary);
        }
        let Step { relation, function, .. } = step;
        definitions.push(Definition { variable, relation, function });
        debug_assert_eq!(state.value(state.formula), Ok(Value::Bool(true)), "m ⊨ P");
    }
    Ok(Projection { formula: state.formula, definitions, values: state.values })
}

/// A pending variable with the term that the formula says it equals, whatever the model.
fn defined(pool: &Pool, formula: Term, pending: &[Term]) -> Option<(usize, Term)> {
    for conjunct in conjuncts(pool, formula) {
        let (atom, holds) = match pool.op(conjunct) {
            Op::Not => (pool.args(conjunct)[0], false),
            _ => (conjunct, true),
        };
        if let Some(at) = pending.iter().position(|v| *v == atom) {
            return Some((at, pool.bool(holds)));
        }
        let is_equation =
            *pool.op(atom) == Op::Eq && (holds || pool.sort(pool.args(atom)[0]) == Sort::Bool);
        if !is_equation {
            continue;
        }
        let [a, b] = pool.args(atom)[..] else { unreachable!("an equation has two sides") };
        let b = if holds { b } else { pool.not(b) };
        let mentioned = free_vars(pool, &[a, b]);
        for (at, variable) in pending.iter().enumerate() {
            if mentioned.contains(variable)
                && let Some(term) = solve::exactly(pool, a, b, *variable)
            {
                return Some((at, term));
            }
        }
    }
    None
}

/// Whose turn it is: arrays, since they leave their elements behind, then what may leave
/// conditions, then Booleans.
fn next(pool: &Pool, pending: &[Term]) -> Option<usize> {
    let rank = |variable: &Term| match pool.sort(*variable) {
        Sort::Array(_) => 0,
        Sort::Real => 1,
        Sort::Int => 2,
        Sort::Bool => 4,
        _ => 3,
    };
    (0..pending.len()).min_by_key(|at| rank(&pending[*at]))
}

/// What became of one variable.
struct Step {
    formula: Term,
    relation: Term,
    function: Term,
    /// New variables to get rid of, with their values.
    auxiliary: Vec<(Term, Value)>,
}

/// The formula that is projected, and its model.
struct State<'a> {
    pool: &'a Pool,
    base: &'a dyn Assignment,
    /// The values of variables that were made on the way.
    extra: FxHashMap<Term, Value>,
    formula: Term,
    values: usize,
}

impl Assignment for State<'_> {
    fn var(&self, term: Term, name: Symbol) -> Option<Value> {
        self.extra.get(&term).cloned().or_else(|| self.base.var(term, name))
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        self.base.function(func, args)
    }
}

impl State<'_> {
    fn value(&self, term: Term) -> Result<Value, Stuck> {
        Ok(term::evaluate(self.pool, term, self)?)
    }

    fn number(&self, term: Term) -> Result<BigRational, Stuck> {
        Ok(number(&self.value(term)?).expect("typing: a number"))
    }

    /// The value of a sum.
    fn sum(&self, sum: &Linear) -> Result<BigRational, Stuck> {
        let mut value = sum.constant.clone();
        for (part, factor) in &sum.parts {
            value += factor * self.number(*part)?;
        }
        Ok(value)
    }

    fn no_term(&self, variable: Term) -> Stuck {
        let name = self.pool.var_name(variable).unwrap_or_default().to_owned();
        Stuck::NoTerm(term::print::sort_to_string(self.pool, self.pool.sort(variable)), name)
    }

    /// P for one variable.
    fn eliminate(&mut self, variable: Term) -> Result<Step, Stuck> {
        let step = match self.pool.sort(variable) {
            Sort::Real => real::eliminate(self, variable)?,
            Sort::Int => integer::eliminate(self, variable)?,
            Sort::Array(_) => array::eliminate(self, variable)?,
            _ => None,
        };
        match step {
            Some(step) => Ok(step),
            None => points::eliminate(self, variable),
        }
    }

    /// The step that puts a term in the place of the variable.
    fn substitute(&self, variable: Term, function: Term) -> Step {
        Step {
            formula: substitute(self.pool, self.formula, [(variable, function)]),
            relation: self.pool.eq(variable, function),
            function,
            auxiliary: Vec::new(),
        }
    }
}
