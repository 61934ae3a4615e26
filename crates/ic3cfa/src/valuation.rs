//! Values of terms in a model, each computed once and only if it is asked for.
//!
//! A precondition shares most of its structure with itself: the conditions of nested cases are
//! parts of each other. So values are remembered over questions, and of an if-then-else only the
//! branch that is taken is looked at.

use program::execute::Values;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::eval::{apply, default_value};
use term::{Op, Pool, Term, Value};

/// What terms are in one model. What the model leaves open has the default value.
pub(crate) struct Valuation<'m> {
    pool: &'m Pool,
    model: &'m Values,
    known: FxHashMap<Term, Value>,
}

impl<'m> Valuation<'m> {
    pub(crate) fn new(pool: &'m Pool, model: &'m Values) -> Self {
        Valuation { pool, model, known: FxHashMap::default() }
    }

    /// Whether a formula is true.
    pub(crate) fn holds(&mut self, formula: Term) -> bool {
        self.value(formula) == Some(&Value::Bool(true))
    }

    /// The value of a term; none under a quantifier.
    pub(crate) fn value(&mut self, term: Term) -> Option<&Value> {
        let pool = self.pool;
        let mut pending = vec![term];
        while let Some(top) = pending.last().copied() {
            if self.known.contains_key(&top) {
                pending.pop();
                continue;
            }
            let args = pool.args(top);
            let value = match pool.op(top) {
                Op::Var(_) => self.model.get(&top).cloned(),
                Op::Forall | Op::Exists => return None,
                Op::Ite => match self.known.get(&args[0]) {
                    None => {
                        pending.push(args[0]);
                        continue;
                    }
                    Some(condition) => {
                        let taken = args[if *condition == Value::Bool(true) { 1 } else { 2 }];
                        let Some(value) = self.known.get(&taken) else {
                            pending.push(taken);
                            continue;
                        };
                        Some(value.clone())
                    }
                },
                op => {
                    let before = pending.len();
                    pending.extend(args.iter().filter(|a| !self.known.contains_key(a)));
                    if pending.len() > before {
                        continue;
                    }
                    let args: SmallVec<[&Value; 3]> = args.iter().map(|a| &self.known[a]).collect();
                    match op {
                        Op::Apply(_) => None,
                        op => apply(op, pool.sort(top), &args),
                    }
                }
            };
            let value = value.unwrap_or_else(|| default_value(pool, pool.sort(top)));
            self.known.insert(top, value);
            pending.pop();
        }
        self.known.get(&term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Sort, evaluate};
    use value::Bits;

    #[test]
    fn values_are_those_of_evaluation() {
        let pool = Pool::new();
        let [x, y] = ["x", "y"].map(|n| pool.var(n, Sort::BitVec(4)));
        let choice = pool.ite(pool.bv_ult(x, y), pool.bv_add(x, y), pool.bv_urem(x, y));
        let nested = pool.ite(pool.eq(choice, y), choice, pool.bv_mul(choice, x));
        for a in 0..16 {
            for b in 0..16 {
                let bits = |n| Value::Bits(Bits::from_u64(4, n));
                let model = Values::from_iter([(x, bits(a)), (y, bits(b))]);
                let expected = evaluate(&pool, nested, &model).expect("no quantifier");
                assert_eq!(Valuation::new(&pool, &model).value(nested), Some(&expected));
            }
        }
    }
}
