//! Constructors: each returns the simplest term it can find by looking at most two levels down.
//!
//! [`Pool::make`] is the one door: it checks sorts, folds constants with the evaluator's own
//! operator semantics ([`crate::eval::apply`]), tries the theory's local rules, and interns what
//! is left. The named constructors (`bv_add`, `fp_leq`, …) go through it, as do substitution and
//! the parser, so a term is simplified the same way wherever it comes from.
//!
//! Rules never look deeper than an argument's arguments and never grow a term by more than a
//! constant number of nodes. A rule may build terms that are simplified in turn; beyond
//! [`MAX_NESTING`] such steps a term is taken as it is, so that building is linear in the number of
//! constructor calls and the stack stays small, whatever the shape of the arguments.

mod arith;
mod array;
mod bv;
mod core;
mod float;

use crate::eval;
use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::typing::{SortError, sort_of};
use crate::value::Value;

/// How deep simplifications may start each other.
const MAX_NESTING: u32 = 64;

impl Pool {
    /// `op` applied to `args`, simplified; an error if they do not fit together.
    pub fn try_make(&self, op: Op, args: &[Term]) -> Result<Term, SortError> {
        let sort = sort_of(self, &op, args)?;
        Ok(self.simplified(op, sort, args))
    }

    /// `op` applied to `args`, simplified.
    ///
    /// # Panics
    /// If they do not fit together; [`Pool::try_make`] tells instead.
    pub fn make(&self, op: Op, args: &[Term]) -> Term {
        match self.try_make(op.clone(), args) {
            Ok(term) => term,
            Err(error) => panic!("ill-sorted term {op:?}: {error}"),
        }
    }

    /// `op` applied to `args` as it is, not simplified; an error if they do not fit together.
    /// For readers of texts that have to give back what was written; whatever is made of the
    /// term later goes through the simplifying constructors.
    pub fn try_exactly(&self, op: Op, args: &[Term]) -> Result<Term, SortError> {
        let sort = sort_of(self, &op, args)?;
        match op {
            Op::Value(value) => Ok(self.constant(*value)),
            op => Ok(self.intern(op, sort, args)),
        }
    }

    /// The constant with this value.
    pub fn constant(&self, value: Value) -> Term {
        if let Value::Array(array) = &value {
            let default = self.constant(array.default.clone());
            let empty = self.make(Op::ConstArray(array.sort), &[default]);
            return array.entries.iter().fold(empty, |rest, (index, element)| {
                let index = self.constant(index.clone());
                let element = self.constant(element.clone());
                self.make(Op::Store, &[rest, index, element])
            });
        }
        let sort = crate::typing::value_sort(&value);
        self.intern(Op::Value(Box::new(value)), sort, &[])
    }

    /// Requires: `sort` is the sort of `op` applied to `args`.
    fn simplified(&self, op: Op, sort: Sort, args: &[Term]) -> Term {
        if let Some(value) = self.folded(&op, sort, args) {
            return self.constant(value);
        }
        if let Op::Value(value) = op {
            return self.constant(*value);
        }
        let nesting = self.nesting.get();
        if nesting >= MAX_NESTING {
            return self.intern(op, sort, args);
        }
        self.nesting.set(nesting + 1);
        let simpler = self.simpler(&op, sort, args);
        self.nesting.set(nesting);
        simpler.unwrap_or_else(|| self.intern(op, sort, args))
    }

    /// What the rules of the operator's theory make of it.
    fn simpler(&self, op: &Op, sort: Sort, args: &[Term]) -> Option<Term> {
        match op {
            Op::Value(_) | Op::Var(_) | Op::Apply(_) => None,
            Op::Not | Op::And | Op::Or | Op::Eq | Op::Ite | Op::Forall | Op::Exists => {
                self.simplify_core(op, sort, args)
            }
            Op::Select | Op::Store | Op::ConstArray(_) => self.simplify_array(op, args),
            _ if matches!(self.sort(args[0]), Sort::BitVec(_)) => self.simplify_bv(op, sort, args),
            _ if matches!(self.sort(args[0]), Sort::Float(_) | Sort::RoundingMode) => {
                self.simplify_float(op, sort, args)
            }
            _ => self.simplify_arith(op, args),
        }
    }

    /// The value of an operator on constants, where it is specified.
    fn folded(&self, op: &Op, sort: Sort, args: &[Term]) -> Option<Value> {
        let foldable = !args.is_empty()
            && !matches!(
                op,
                Op::Apply(_) | Op::Forall | Op::Exists | Op::Store | Op::ConstArray(_) | Op::Select
            )
            && args.iter().all(|a| matches!(self.op(*a), Op::Value(_)));
        if !foldable {
            return None;
        }
        let values: smallvec::SmallVec<[&Value; 3]> =
            args.iter().filter_map(|a| self.value(*a)).collect();
        eval::apply(op, sort, &values)
    }
}
