//! Points of the search as models, and whether evaluation accepts them.
//!
//! Nothing is `sat` before [`term::eval`] has found every formula true. Where SMT-LIB leaves a
//! result open, the model has the one that the search chose, as a table of a function; two terms
//! that are open at equal arguments have one result, which evaluation finds out.

use rustc_hash::FxHashMap;
use term::eval::{self, EvalError, evaluate_all, unspecified};
use term::{Assignment, Func, Pool, Symbol, Term, Value};

/// Values of free constants, and of operators where they are open.
#[derive(Default, Debug)]
pub(crate) struct Model {
    values: FxHashMap<Term, Value>,
    open: FxHashMap<(Func, Vec<Value>), Value>,
}

impl Assignment for Model {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.values.get(&term).cloned()
    }

    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        if self.open.is_empty() {
            return None;
        }
        let args = args.iter().map(|value| (*value).clone()).collect();
        self.open.get(&(func, args)).cloned()
    }
}

impl Model {
    /// A model with the values of free constants, and of terms that may be open.
    pub fn new(
        pool: &Pool,
        values: FxHashMap<Term, Value>,
        open: Vec<(Term, Value)>,
    ) -> Result<Model, EvalError> {
        let mut model = Model { values, open: FxHashMap::default() };
        for (term, value) in open {
            let args = pool.args(term);
            let evaluated = evaluate_all(pool, args, &model)?;
            let args_values: Vec<&Value> = args.iter().map(|arg| &evaluated[arg]).collect();
            if eval::apply(pool.op(term), pool.sort(term), &args_values).is_none() {
                let func = unspecified(pool, pool.op(term), args, pool.sort(term));
                let args = args_values.into_iter().cloned().collect();
                model.open.entry((func, args)).or_insert(value);
            }
        }
        Ok(model)
    }

    /// Whether all formulas are true.
    pub fn satisfies(&self, pool: &Pool, formulas: &[Term]) -> Result<bool, EvalError> {
        let values = evaluate_all(pool, formulas, self)?;
        Ok(formulas.iter().all(|formula| values[formula] == Value::Bool(true)))
    }
}
