//! Quantified formulas that one unknown value does not decide.
//!
//! **As a value** such a formula is a loop over the interval of its variable. The counter has more
//! bits than the variable, so that it can pass the greatest value. A short interval of constants is
//! unrolled.
//!
//! **What is assumed of all values** is assumed of all of them, one after the other, if they are few:
//! that is exact. Otherwise it is assumed of one only: the value that the checks of the run look at.
//! That allows more runs than there are, which is enough for a
//! proof; a run that goes wrong this way is none, as its [`Cause::Approximated`] says.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::contract::{Bound, Interval, Quantified};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::ExprKind;
use crate::typed::ObjectId;
use program::program::{Cause, LocationId, Reading, VariableId};
use term::{Sort, Term};
use value::Bits;

/// The longest interval of constants that is unrolled.
const SHORT: u64 = 16;
/// The longest interval of which all values are assumed to be as a formula says.
const FEW: u64 = 8;
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

    fn value_of_type(&mut self, value: Term, ty: crate::types::TypeId) -> Term {
        match self.register_sort(ty) {
            Some(Sort::BitVec(width)) => self.resize(value, width, true),
            _ => self.truth(value),
        }
    }

    /// Whether all values of a formula can be looked at without a loop.
    pub(super) fn is_short(&mut self, quantified: &Quantified) -> Result<bool> {
        let Some(interval) = quantified.interval else { return Ok(false) };
        let constant = |l: &Self, bound: &Bound| l.c.constants.get(bound.value).is_some();
        if !constant(self, &interval.high) || !interval.low.is_none_or(|low| constant(self, &low)) {
            return Ok(false);
        }
        let (first, last) = self.ends(quantified.object, interval)?;
        Ok(self.short(first, last).is_some())
    }

    /// The first and last value, if they are constants close to each other.
    fn short(&self, first: Term, last: Term) -> Option<(i128, i128)> {
        let low = self.pool.as_bits(first)?.to_i128()?;
        let high = self.pool.as_bits(last)?.to_i128()?;
        (high.saturating_sub(low) < i128::from(SHORT)).then_some((low, high))
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
            let (first, last) = self.ends(quantified.object, interval)?;
            let (first, last) = (self.keep(first), self.keep(last));
            let width = self.pool.width(first);
            let few = self.pool.bv_slt(last, self.pool.bv_add(first, self.pool.bv(FEW, width)));
            let (all, one, never) = (self.new_location(), self.new_location(), self.new_location());
            self.split(few, all, one);
            self.continue_at(all);
            self.loop_over(quantified, (first, last), never)?;
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
        let Some(interval) = quantified.interval else {
            let message =
                "bounds of the quantified variable are needed here: 'low <= i && i < high'";
            return Err(Diagnostic::error(span, message));
        };
        let result = self.temporary(Sort::Bool);
        let (decided, end) = (self.new_location(), self.new_location());
        self.turns(quantified, interval, decided)?;
        self.span = span;
        self.assign(result, self.pool.bool(quantified.all));
        self.jump(end);
        self.continue_at(decided);
        self.assign(result, self.pool.bool(!quantified.all));
        self.jump(end);
        self.continue_at(end);
        Ok(Value::Scalar(self.term_of(result)))
    }

    /// Goes through the interval; a value that decides leads to a location.
    fn turns(
        &mut self,
        quantified: &Quantified,
        interval: Interval,
        decided: LocationId,
    ) -> Result<()> {
        let (first, last) = self.ends(quantified.object, interval)?;
        if let Some((low, high)) = self.short(first, last) {
            let width = self.pool.width(first);
            for value in low..=high {
                let value = self.pool.bits(Bits::from_i128(width, value));
                self.turn(quantified, value, decided)?;
            }
            return Ok(());
        }
        self.loop_over(quantified, (first, last), decided)
    }

    /// A loop over an interval; a value that decides leads to a location.
    fn loop_over(
        &mut self,
        quantified: &Quantified,
        (first, last): (Term, Term),
        decided: LocationId,
    ) -> Result<()> {
        let width = self.pool.width(first);
        let counter = self.temporary(Sort::BitVec(width));
        self.assign(counter, first);
        let last = self.keep(last);
        let head = self.loop_head();
        let (inside, done) = (self.new_location(), self.new_location());
        let more = self.pool.bv_sle(self.term_of(counter), last);
        self.split(more, inside, done);
        self.continue_at(inside);
        self.turn(quantified, self.term_of(counter), decided)?;
        let next = self.pool.bv_add(self.term_of(counter), self.pool.bv(1, width));
        self.assign(counter, next);
        self.jump(head);
        self.continue_at(done);
        Ok(())
    }

    /// One value of the variable.
    fn turn(&mut self, quantified: &Quantified, value: Term, decided: LocationId) -> Result<()> {
        let object = quantified.object;
        let ty = self.c.objects[object].ty.ty;
        let value = self.value_of_type(value, ty);
        self.bind(object, Value::Scalar(value))?;
        let truth = self.full_expression(|l| l.condition(quantified.body))?;
        let truth = if quantified.all { truth } else { self.pool.not(truth) };
        let more = self.new_location();
        self.split(truth, more, decided);
        self.continue_at(more);
        Ok(())
    }

    /// The first and the last value, as signed numbers of two bits more than the variable has.
    fn ends(&mut self, object: ObjectId, interval: Interval) -> Result<(Term, Term)> {
        let ty = self.c.objects[object].ty.ty;
        let shape = self.c.types.shape(ty);
        let (width, signed) = shape.map_or((1, false), |shape| (shape.width, shape.signed));
        let wide = width + 1;
        let (least, greatest) = match signed {
            true => {
                (Bits::min_signed(width).sign_extend(1), Bits::max_signed(width).sign_extend(1))
            }
            false => (Bits::zero(wide), Bits::ones(width).zero_extend(1)),
        };
        let (least, greatest) = (self.pool.bits(least), self.pool.bits(greatest));
        let first = match interval.low {
            Some(bound) => self.end(bound, 1, (least, greatest))?,
            None => self.resize(least, wide + 1, true),
        };
        let last = self.end(interval.high, -1, (least, greatest))?;
        Ok((first, last))
    }

    /// A bound as a number that belongs to the interval, within the values of the variable; one that
    /// lies beyond them leaves nothing of the interval.
    fn end(&mut self, bound: Bound, step: i64, (least, greatest): (Term, Term)) -> Result<Term> {
        let ty = self.c.exprs[bound.value].ty;
        let value = self.exact_scalar(bound.value)?;
        let value = match self.pool.sort(value) {
            Sort::Bool => self.bool_to_bits(value, 8),
            _ => value,
        };
        let wide = self.pool.width(least);
        let width = self.pool.width(value).max(wide) + 2;
        let mut value = self.resize(value, width, self.is_signed(ty));
        if bound.strict {
            let one = self.pool.bits(Bits::from_i128(width, i128::from(step)));
            value = self.pool.bv_add(value, one);
        }
        let (low, high) = (self.resize(least, width, true), self.resize(greatest, width, true));
        let pool = &self.pool;
        // One beyond on the side where nothing is left; there is room, as the width is larger.
        let (low, high) = match step > 0 {
            true => (low, pool.bv_add(high, pool.bv(1, width))),
            false => (pool.bv_sub(low, pool.bv(1, width)), high),
        };
        let value = pool.ite(pool.bv_slt(value, low), low, value);
        let value = pool.ite(pool.bv_slt(high, value), high, value);
        Ok(self.resize(value, wide + 1, true))
    }
}

fn is_quantified(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Quantified(_))
}
