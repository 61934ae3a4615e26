//! Models as values of variables and of applications of functions.

use crate::linear::number;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use smt::{Error, Solver};
use term::traverse::{free_vars, subterms};
use term::{Assignment, Func, Op, Pool, Symbol, Term, Value, eval};

/// What a solver's model says of some formulas.
///
/// Functions are known where the formulas apply them, and so are the cases of operators that
/// SMT-LIB leaves open (division by zero).
#[derive(Clone, Default, Debug)]
pub struct Model {
    /// The values of variables.
    pub variables: FxHashMap<Term, Value>,
    functions: FxHashMap<(Func, Vec<Value>), Value>,
}

/// The function whose value the term is, if operators and variables do not fix it.
fn open_function(pool: &Pool, term: Term) -> Option<Func> {
    let node = pool.node(term);
    match &node.op {
        Op::Apply(func) => Some(*func),
        Op::IntDiv
        | Op::IntMod
        | Op::RealDiv
        | Op::FpMin
        | Op::FpMax
        | Op::FpToUbv(_)
        | Op::FpToSbv(_)
        | Op::FpToReal => Some(eval::unspecified(pool, &node.op, &node.args, node.sort)),
        _ => None,
    }
}

/// Whether a quotient or remainder is specified whatever the dividend is.
fn is_divided_by_a_number(pool: &Pool, term: Term) -> bool {
    let [_, divisor] = pool.args(term)[..] else { return false };
    let number = pool.value(divisor).and_then(number);
    matches!(pool.op(term), Op::IntDiv | Op::IntMod | Op::RealDiv)
        && number.is_some_and(|n| !n.is_zero())
}

impl Model {
    /// A model that says of each variable what the map says, and nothing else.
    pub fn new(variables: FxHashMap<Term, Value>) -> Self {
        Model { variables, functions: FxHashMap::default() }
    }

    /// Reads the model of a solver.
    ///
    /// Requires: the solver's last answer is `Sat`.
    pub fn read(pool: &Pool, solver: &mut dyn Solver, formulas: &[Term]) -> Result<Self, Error> {
        let mut model = Model::default();
        for variable in free_vars(pool, formulas) {
            let value = solver.value(pool, variable)?;
            model.variables.insert(variable, value);
        }
        for term in subterms(pool, formulas) {
            if let Some(func) = open_function(pool, term) {
                if is_divided_by_a_number(pool, term) {
                    continue;
                }
                let args = pool.args(term).iter();
                let args = args.map(|a| solver.value(pool, *a)).collect::<Result<_, _>>()?;
                model.functions.insert((func, args), solver.value(pool, term)?);
            }
        }
        Ok(model)
    }

    /// The value of a variable, any where there is none.
    pub fn value(&self, pool: &Pool, variable: Term) -> Value {
        let known = self.variables.get(&variable).cloned();
        known.unwrap_or_else(|| eval::default_value(pool, pool.sort(variable)))
    }
}

impl Assignment for Model {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.variables.get(&term).cloned()
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        let args: Vec<Value> = args.iter().map(|a| (*a).clone()).collect();
        self.functions.get(&(func, args)).cloned()
    }
}
