//! Quantified formulas that one unknown value does not decide.
//!
//! **As a value** such a formula goes through the interval of its variable
//! ([`super::super::interval`]), or through the values that decide it if it only compares them
//! ([`super::super::instances`]).
//!
//! **What is assumed of all values** is assumed of all of them, one after the other, if they are few:
//! that is exact. Otherwise it is assumed of one only: the value that the checks of the run look at.
//! That allows more runs than there are, which is enough for a
//! proof; a run that goes wrong this way is none, as its [`Cause::Approximated`] says.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::contract::{Bound, Quantified};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::ExprKind;
use program::program::{Cause, LocationId, Reading, VariableId};
use term::{Sort, Term};

/// The longest interval of which all values are assumed to be as a formula says, and the longest one
/// of constants.
const FEW: u64 = 8;
const SOME: u128 = 64;
/// How many formulas inside of each other have values of their own that checks look at.
const DEPTH: usize = 3;
/// The bits of such a value: as many as the largest integers have.
const WIDTH: u32 = 128;

impl Lowerer<'_> {
    /// Registers for the values that checks look at, if there are quantifiers.
    pub(in crate::lower) fn make_looked_at(&mut self) {
        let registers: Vec<VariableId> = (0..self.deepest().min(DEPTH))
            .map(|depth| {
                let name = format!("<looked at>::{depth}");
                let (sort, reading) = (Sort::BitVec(WIDTH), Reading::Signed);
                self.new_variable(name, None, sort, reading, false, Span::default())
            })
            .collect();
        self.looked_at = registers;
    }

    /// How many quantifiers there are inside of each other.
    fn deepest(&self) -> usize {
        let (mut deepest, mut todo, mut inner) = (0, Vec::new(), Vec::new());
        for (root, _) in self.c.exprs.iter().filter(|(_, e)| is_quantified(&e.kind)) {
            todo.push((root, 0));
            while let Some((expr, around)) = todo.pop() {
                let kind = &self.c.exprs[expr].kind;
                let depth = around + usize::from(is_quantified(kind));
                deepest = deepest.max(depth);
                self.c.operands(kind, &mut inner);
                todo.extend(inner.drain(..).map(|operand| (operand, depth)));
            }
        }
        deepest
    }

    /// The run begins, and looks at unknown values.
    pub(in crate::lower) fn begin_looking(&mut self) {
        for register in self.looked_at.clone() {
            self.havoc(register, Cause::Unknown("the value that is looked at".into()));
        }
    }

    /// Does something for the value that checks look at.
    pub(super) fn for_looked_at(
        &mut self,
        quantified: &Quantified,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let ty = self.c.objects[quantified.object].ty.ty;
        let value = match self.looked_at.get(self.depth) {
            Some(register) => self.term_of(*register),
            None => {
                let cause = Cause::Unknown("the value that is looked at".into());
                self.unknown(Sort::BitVec(WIDTH), cause)
            }
        };
        self.depth += 1;
        let value = self.value_of_type(value, ty);
        let result = self.bind(quantified.object, Value::Scalar(value)).and_then(|()| work(self));
        self.depth -= 1;
        result
    }

    /// Whether all values of a formula can be looked at without a loop.
    pub(super) fn is_short(&mut self, quantified: &Quantified) -> Result<bool> {
        let Some(interval) = quantified.interval else { return Ok(false) };
        let constant = |l: &Self, bound: &Bound| l.c.constants.get(bound.value).is_some();
        if !constant(self, &interval.high) || !interval.low.is_none_or(|low| constant(self, &low)) {
            return Ok(false);
        }
        let ty = self.c.objects[quantified.object].ty.ty;
        let ends = self.ends(ty, interval)?;
        Ok(self.is_unrolled(ends))
    }

    /// Assumes that a formula has one outcome for all values.
    pub(super) fn assume_all(
        &mut self,
        quantified: &Quantified,
        negated: bool,
        span: Span,
    ) -> Result<()> {
        let end = self.new_location();
        if let Some(interval) = quantified.interval {
            let ty = self.c.objects[quantified.object].ty.ty;
            let (first, last) = self.ends(ty, interval)?;
            let (first, last) = (self.keep(first), self.keep(last));
            let (all, one, never) = (self.new_location(), self.new_location(), self.new_location());
            if self.count((first, last)).is_some_and(|count| count <= SOME) {
                self.go_through(ty, (first, last), |l, value| l.turn(quantified, value, never))?;
                // That follows, and saves a proof the loop.
                self.span = span;
                return self.for_looked_at(quantified, |l| {
                    l.assume_formula(quantified.body, negated, false)
                });
            }
            let width = self.pool.width(first);
            let few = self.pool.bv_slt(last, self.pool.bv_add(first, self.pool.bv(FEW, width)));
            self.split(few, all, one);
            self.continue_at(all);
            self.go_through(ty, (first, last), |l, value| l.turn(quantified, value, never))?;
            self.jump(end);
            self.continue_at(one);
        }
        let cause = Cause::Approximated("a formula about all values".into());
        let approximated = self.unknown(Sort::Bool, cause);
        self.span = span;
        self.assume(approximated);
        self.for_looked_at(quantified, |l| l.assume_formula(quantified.body, negated, false))?;
        self.jump(end);
        self.continue_at(end);
        Ok(())
    }

    /// The truth of a quantified formula.
    pub(in crate::lower) fn quantified_value(
        &mut self,
        quantified: &Quantified,
        span: Span,
    ) -> Result<Value> {
        let result = self.temporary(Sort::Bool);
        let (decided, end) = (self.new_location(), self.new_location());
        self.turns(quantified, decided, span)?;
        self.span = span;
        self.assign(result, self.pool.bool(quantified.all));
        self.jump(end);
        self.continue_at(decided);
        self.assign(result, self.pool.bool(!quantified.all));
        self.jump(end);
        self.continue_at(end);
        Ok(Value::Scalar(self.term_of(result)))
    }

    /// Goes through the values that matter; one that decides leads to a location.
    fn turns(&mut self, quantified: &Quantified, decided: LocationId, span: Span) -> Result<()> {
        let object = quantified.object;
        let ty = self.c.objects[object].ty.ty;
        if let Some(interval) = quantified.interval {
            let ends = self.ends(ty, interval)?;
            return self.go_through(ty, ends, |l, value| l.turn(quantified, value, decided));
        }
        let Some(values) = self.deciding_values(object, quantified.body)? else {
            let message =
                "bounds of the quantified variable are needed here: 'low <= i && i < high'";
            return Err(Diagnostic::error(span, message));
        };
        for value in values {
            self.turn(quantified, value, decided)?;
        }
        Ok(())
    }

    /// One value of the variable.
    fn turn(&mut self, quantified: &Quantified, value: Term, decided: LocationId) -> Result<()> {
        self.bind(quantified.object, Value::Scalar(value))?;
        let truth = self.full_expression(|l| l.condition(quantified.body))?;
        let truth = if quantified.all { truth } else { self.pool.not(truth) };
        let more = self.new_location();
        self.split(truth, more, decided);
        self.continue_at(more);
        Ok(())
    }
}

fn is_quantified(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Quantified(_))
}
