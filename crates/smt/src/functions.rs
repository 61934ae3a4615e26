//! Uninterpreted functions by lemmas on demand: congruence, checked on each model.
//!
//! The bit-blaster takes every application as free bits. If a model gives two applications of
//! one function equal arguments and different results, the instance of congruence
//! x₁ = y₁ ∧ … ⇒ f(x) = f(y) is added. The same tables interpret the unspecified cases of partial
//! operators ([`term::eval::unspecified`]).

use crate::solver::Error;
use rustc_hash::FxHashMap;
use term::{Func, Op, Pool, Sort, Term, Value};

/// The applications that the solver has met.
#[derive(Default)]
pub struct Functions {
    applications: Vec<Term>,
}

/// What a model says of functions: results by function and arguments.
pub type Tables = FxHashMap<(Func, Vec<Value>), Value>;

impl Functions {
    /// Whether any application was met.
    pub fn is_empty(&self) -> bool {
        self.applications.is_empty()
    }

    /// Takes an application that was bit-blasted as free bits. Terms whose values the theory will
    /// ask for are appended to `needed`.
    pub fn add(
        &mut self,
        pool: &Pool,
        application: Term,
        needed: &mut Vec<Term>,
    ) -> Result<(), Error> {
        for arg in pool.args(application) {
            let sort = pool.sort(*arg);
            if !matches!(sort, Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::RoundingMode) {
                let what = "functions of other sorts than Bool, bit-vectors and floats".into();
                return Err(Error::Unsupported { solver: "bit-blasting", what });
            }
        }
        needed.extend(pool.args(application));
        self.applications.push(application);
        Ok(())
    }

    /// Instances of congruence that the model violates.
    pub fn violations(&self, pool: &Pool, value: &mut dyn FnMut(Term) -> Value) -> Vec<Term> {
        let mut first: FxHashMap<(Func, Vec<Value>), Term> = FxHashMap::default();
        let mut lemmas = Vec::new();
        for application in &self.applications {
            let key = self.key(pool, *application, value);
            let other = *first.entry(key).or_insert(*application);
            if other != *application && value(other) != value(*application) {
                let differ = pool.args(other).iter().zip(pool.args(*application));
                let mut parts: Vec<Term> = differ.map(|(x, y)| pool.ne(*x, *y)).collect();
                parts.push(pool.eq(other, *application));
                lemmas.push(pool.or(parts));
            }
        }
        lemmas
    }

    /// The tables of a model with no violations.
    pub fn tables(&self, pool: &Pool, value: &mut dyn FnMut(Term) -> Value) -> Tables {
        self.applications.iter().map(|a| (self.key(pool, *a, value), value(*a))).collect()
    }

    fn key(
        &self,
        pool: &Pool,
        application: Term,
        value: &mut dyn FnMut(Term) -> Value,
    ) -> (Func, Vec<Value>) {
        let Op::Apply(func) = pool.op(application) else { unreachable!("an application") };
        (*func, pool.args(application).iter().map(|a| value(*a)).collect())
    }
}
