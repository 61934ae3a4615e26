//! Quantifiers as ESBMC writes them: `__ESBMC_forall(&i, P)` and `__ESBMC_exists(&i, P)`, where `P`
//! is an expression that reads `i`.
//!
//! A run can show that a universal formula fails, or that an existential one holds, by one value of
//! `i`: that half is exact. The other half would need all values. There the result is assumed, which
//! only adds runs: a proof is a proof, and a failing run that needs the assumption is none, as its
//! [`Cause::Approximated`] says.

use super::Lowerer;
use super::expression::Value;
use super::memory::Access;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::ExprId;
use crate::types::TypeId;
use program::program::Cause;
use term::{Sort, Term};

/// Which values a formula speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quantifier {
    /// Of all.
    All,
    /// Of at least one.
    Some,
}

impl Quantifier {
    /// The quantifier that a function is called like.
    pub(super) fn named(name: &str) -> Option<Quantifier> {
        match name {
            "__ESBMC_forall" => Some(Quantifier::All),
            "__ESBMC_exists" => Some(Quantifier::Some),
            _ => None,
        }
    }

    /// The truth value that one value of the variable can show.
    fn shown_by_one(self) -> bool {
        self == Quantifier::Some
    }
}

impl Lowerer<'_> {
    /// The truth of a quantified formula, in the type of the call.
    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Value> {
        let span = self.span;
        let &[pointer, formula] = arguments else {
            return Err(Diagnostic::error(span, "a quantifier takes a variable and a formula"));
        };
        let name: &str = match quantifier {
            Quantifier::All => "__ESBMC_forall",
            Quantifier::Some => "__ESBMC_exists",
        };
        let variable = self.c.types.pointee(self.c.exprs[pointer].ty).map(|to| to.ty);
        let Some(variable) = variable.filter(|v| self.register_sort(*v).is_some()) else {
            let message = "the variable of a quantifier is given by its address, and a scalar";
            return Err(Diagnostic::error(self.c.exprs[pointer].span, message));
        };
        let shown = quantifier.shown_by_one();
        let result = self.temporary(Sort::Bool);
        let one = self.unknown(Sort::Bool, Cause::Unknown(name.into()));
        let (by_one, assumed, end) =
            (self.new_location(), self.new_location(), self.new_location());
        self.split(one, by_one, assumed);
        self.continue_at(by_one);
        let truth = self.truth_for_one(name, pointer, variable, formula)?;
        self.span = span;
        self.assume(if shown { truth } else { self.pool.not(truth) });
        self.assign(result, self.pool.bool(shown));
        self.jump(end);
        self.continue_at(assumed);
        let claim = self.unknown(Sort::Bool, Cause::Approximated(name.into()));
        self.assume(claim);
        self.assign(result, self.pool.bool(!shown));
        self.jump(end);
        self.continue_at(end);
        let truth = self.term_of(result);
        Ok(match self.register_sort(ty) {
            Some(sort) => Value::Scalar(self.coerce(truth, sort)),
            None => Value::Void,
        })
    }

    /// The truth of the formula for one value of the variable, which has its old value afterwards.
    fn truth_for_one(
        &mut self,
        name: &str,
        pointer: ExprId,
        variable: TypeId,
        formula: ExprId,
    ) -> Result<Term> {
        let address = self.scalar(pointer)?;
        let address = self.keep(address);
        let access = Access { address, pointer: None, bits: None };
        let old = self.load_scalar(access, variable);
        let old = self.keep(old);
        let cause = Cause::Unknown(name.into());
        if let Value::Scalar(value) = self.unknown_value(variable, cause)? {
            self.store_scalar(access, variable, value);
        }
        let truth = self.scalar(formula)?;
        let truth = self.truth(truth);
        let truth = self.keep(truth);
        self.store_scalar(access, variable, old);
        Ok(truth)
    }
}
