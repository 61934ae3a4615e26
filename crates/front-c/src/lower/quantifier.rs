//! Quantifiers as ESBMC writes them: `__ESBMC_forall(&i, P)` and `__ESBMC_exists(&i, P)`, where `P`
//! is an expression that reads `i`.
//!
//! A run can show that a universal formula fails, or that an existential one holds, by one value of
//! `i`: that half is exact. In the other half the formula has the same outcome for all values. That
//! is assumed of each of them where few can be seen to decide: the values of an interval that the
//! formula itself names, those of a small type, or those that the variable is compared with, if it
//! is only compared ([`super::instances`]). This is exact, too.
//!
//! Otherwise the outcome is assumed of likely values only, which allows more runs than there are: a
//! proof is a proof, and a failing run that needs the assumption is none, as its
//! [`Cause::Approximated`] says. Where evaluating the formula changes something, it is not evaluated
//! for that.

use super::Lowerer;
use super::expression::Value;
use super::interval::Ends;
use super::memory::Access;
use super::object::Home;
use super::place::Spot;
use crate::bounds::{INSIDE, QuantifierCall};
use crate::contract::{Bound, Interval};
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{ExprId, ObjectId};
use crate::types::TypeId;
use program::Property;
use program::program::Cause;
use term::{Sort, Term};

/// How often formulas inside of each other are evaluated together.
const EVALUATIONS: usize = 1024;
/// The longest interval of constants of which all values are looked at, and of others.
const LONG: u128 = 1024;
const FEW: u64 = 16;
/// The bits of types of which all values are looked at.
const SMALL: u32 = 8;

/// What is known of the quantified formulas of the program.
pub(super) struct Quantifiers {
    /// How often the formula at hand may be evaluated.
    left: usize,
    /// How many formulas around it are evaluated for values of which something is assumed.
    assumed: u32,
}

impl Default for Quantifiers {
    fn default() -> Quantifiers {
        Quantifiers { left: EVALUATIONS, assumed: 0 }
    }
}

/// A formula and its variable.
struct Formula {
    name: &'static str,
    call: QuantifierCall,
    /// Where values of the variable are put.
    spot: Spot,
    /// The type of the variable.
    ty: TypeId,
}

/// What a variable was before.
enum Saved {
    /// It lived elsewhere.
    Home(ObjectId, Option<Home>),
    /// It had a value.
    Value(Term, Access),
    /// The address of a copy, the variable's own, and the size.
    Copy(Term, Term, Term),
}

impl Formula {
    /// The truth value that one value of the variable can show.
    fn shown_by_one(&self) -> bool {
        !self.call.all
    }
}

impl Lowerer<'_> {
    /// The truth of a quantified formula, in the type of the call.
    pub(super) fn quantified(
        &mut self,
        name: &'static str,
        arguments: &[ExprId],
        ty: TypeId,
    ) -> Result<Value> {
        let span = self.span;
        let Some(call) = self.c.quantifier_named(name, arguments) else {
            return Err(Diagnostic::error(span, "a quantifier takes a variable and a formula"));
        };
        let pointer = &self.c.exprs[call.pointer];
        let variable = self.c.types.pointee(pointer.ty).map(|to| to.ty);
        let Some(of) = variable.filter(|v| self.register_sort(*v).is_some()) else {
            let message = "the variable of a quantifier is given by its address, and a scalar";
            return Err(Diagnostic::error(pointer.span, message));
        };
        let (spot, saved) = self.save(&call, of)?;
        let formula = &Formula { name, call, spot, ty: of };
        let shown = formula.shown_by_one();
        let result = self.temporary(Sort::Bool);
        let cause = self.cause(formula);
        let one = self.unknown(Sort::Bool, cause);
        let (by_one, assumed, end) =
            (self.new_location(), self.new_location(), self.new_location());
        self.split(one, by_one, assumed);
        self.continue_at(by_one);
        self.shown_by_a_value(formula)?;
        self.span = span;
        self.assign(result, self.pool.bool(shown));
        self.jump(end);
        self.continue_at(assumed);
        self.assume_of_all(formula)?;
        self.span = span;
        self.assign(result, self.pool.bool(!shown));
        self.jump(end);
        self.continue_at(end);
        self.restore(saved, of);
        let truth = self.term_of(result);
        Ok(match self.register_sort(ty) {
            Some(sort) => Value::Scalar(self.coerce(truth, sort)),
            None => Value::Void,
        })
    }

    fn cause(&self, formula: &Formula) -> Cause {
        let inside = self.quantifiers.assumed > 0;
        Cause::Unknown(if inside { INSIDE } else { formula.name }.into())
    }

    /// Where the values of a variable are put. One that nothing else can read has a register of
    /// its own meanwhile; what is in memory is saved, also that it may have no value.
    fn save(&mut self, call: &QuantifierCall, ty: TypeId) -> Result<(Spot, Saved)> {
        let named = call.object.filter(|object| !self.escaping.contains(object));
        if let (Some(object), Some(sort)) = (named, self.register_sort(ty)) {
            let register = self.temporary(sort);
            let home = self.homes.insert(object, Home::Registers(vec![register]));
            return Ok((Spot::Registers(vec![register]), Saved::Home(object, home)));
        }
        let address = self.scalar(call.pointer)?;
        let variable = Access { address: self.keep(address), pointer: None, bits: None };
        let size = self.c.types.size_of(ty).filter(|_| self.checks(Property::Uninitialized));
        let saved = match size {
            Some(size) => {
                let size = self.pointer_bits(size);
                let copy = self.temporary_object(ty, size);
                self.copy(copy, variable.address, size);
                Saved::Copy(copy, variable.address, size)
            }
            None => {
                let value = self.load_scalar(variable, ty);
                Saved::Value(self.keep(value), variable)
            }
        };
        Ok((Spot::Memory(variable), saved))
    }

    fn restore(&mut self, saved: Saved, ty: TypeId) {
        match saved {
            Saved::Home(object, Some(home)) => _ = self.homes.insert(object, home),
            Saved::Home(object, None) => _ = self.homes.remove(&object),
            Saved::Copy(copy, address, size) => self.copy(address, copy, size),
            Saved::Value(value, variable) => self.store_scalar(variable, ty, value),
        }
    }

    /// One value of the variable shows what it can.
    fn shown_by_a_value(&mut self, formula: &Formula) -> Result<()> {
        let cause = self.cause(formula);
        if let Value::Scalar(value) = self.unknown_value(formula.ty, cause)? {
            self.assume_at(formula, value, formula.shown_by_one())?;
        }
        Ok(())
    }

    /// Assumes an outcome of the formula for a value of the variable.
    fn assume_at(&mut self, formula: &Formula, value: Term, outcome: bool) -> Result<()> {
        let span = self.span;
        self.store(&formula.spot, formula.ty, Value::Scalar(value))?;
        let truth = self.full_expression(|l| {
            let truth = l.condition(formula.call.body)?;
            Ok(l.keep(truth))
        })?;
        self.span = span;
        self.assume(if outcome { truth } else { self.pool.not(truth) });
        Ok(())
    }

    /// No value of the variable shows what one can.
    fn assume_of_all(&mut self, formula: &Formula) -> Result<()> {
        let QuantifierCall { object, body, .. } = formula.call;
        let shape = self.c.types.shape(formula.ty);
        let Some(shape) = shape.filter(|_| self.formula_reads(body)) else {
            self.approximate(formula);
            return Ok(());
        };
        let left = self.quantifiers.left;
        if let Some(object) = object
            && let Some(values) = self.deciding_values(object, body)?
            && values.len() <= left
        {
            return self.assume_at_all(formula, &values);
        }
        let ends = match self.interval_of(formula) {
            Some(interval) => Some(self.quietly(|l| l.ends(formula.ty, interval))?),
            None if shape.width <= SMALL => Some(self.all_values(formula.ty)),
            None => None,
        };
        match ends.map(|ends| (ends, self.count(ends))) {
            Some((ends, Some(count))) if count <= LONG.min(left as u128) => {
                self.assume_in(formula, ends, count as usize)
            }
            Some((ends, None)) => self.assume_if_few(formula, ends),
            Some((ends, _)) => self.assume_of_likely(formula, Some(ends)),
            None => self.assume_of_likely(formula, None),
        }
    }

    /// The interval of the values that matter, if its ends can be computed here.
    fn interval_of(&self, formula: &Formula) -> Option<Interval> {
        let QuantifierCall { all, object, body, .. } = formula.call;
        let interval = self.c.interval(object?, body, all)?;
        let quiet = |bound: Bound| self.is_quiet(bound.value);
        (quiet(interval.high) && interval.low.is_none_or(quiet)).then_some(interval)
    }

    fn approximate(&mut self, formula: &Formula) {
        let claim = self.unknown(Sort::Bool, Cause::Approximated(formula.name.into()));
        self.assume(claim);
    }

    /// Evaluates formulas so many times.
    fn so_often(&mut self, times: usize, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let left = self.quantifiers.left;
        self.quantifiers.left = left / times.max(1);
        self.quantifiers.assumed += 1;
        let result = work(self);
        self.quantifiers.assumed -= 1;
        self.quantifiers.left = left;
        result
    }

    fn assume_at_all(&mut self, formula: &Formula, values: &[Term]) -> Result<()> {
        let outcome = !formula.shown_by_one();
        self.so_often(values.len(), |l| {
            values.iter().try_for_each(|value| l.assume_at(formula, *value, outcome))
        })
    }

    fn assume_in(&mut self, formula: &Formula, ends: Ends, count: usize) -> Result<()> {
        let outcome = !formula.shown_by_one();
        self.so_often(count, |l| {
            l.go_through(formula.ty, ends, |l, value| l.assume_at(formula, value, outcome))
        })
    }

    /// The interval has as many values as the run says.
    fn assume_if_few(&mut self, formula: &Formula, (first, last): Ends) -> Result<()> {
        let (first, last) = (self.keep(first), self.keep(last));
        let width = self.pool.width(first);
        let few = self.pool.bv_slt(last, self.pool.bv_add(first, self.pool.bv(FEW, width)));
        let (all, likely, end) = (self.new_location(), self.new_location(), self.new_location());
        self.split(few, all, likely);
        self.continue_at(all);
        self.assume_in(formula, (first, last), FEW as usize)?;
        self.jump(end);
        self.continue_at(likely);
        self.assume_of_likely(formula, Some((first, last)))?;
        self.jump(end);
        self.continue_at(end);
        Ok(())
    }

    /// Values outside of the interval do not matter, and the formula may be undefined for them.
    fn assume_of_likely(&mut self, formula: &Formula, ends: Option<Ends>) -> Result<()> {
        self.approximate(formula);
        let QuantifierCall { object, body, .. } = formula.call;
        let values = self.likely_values(object, body, formula.ty, self.quantifiers.left)?;
        let Some((first, last)) = ends else { return self.assume_at_all(formula, &values) };
        let (width, signed) = (self.pool.width(first), self.is_signed(formula.ty));
        for value in values {
            let number = match self.pool.sort(value) {
                Sort::Bool => self.bool_to_bits(value, width),
                _ => self.resize(value, width, signed),
            };
            let pool = &self.pool;
            let inside = pool.and([pool.bv_sle(first, number), pool.bv_sle(number, last)]);
            let (within, on) = (self.new_location(), self.new_location());
            self.split(inside, within, on);
            self.continue_at(within);
            self.assume_at_all(formula, &[value])?;
            self.jump(on);
            self.continue_at(on);
        }
        Ok(())
    }
}
