//! The truth of a quantified formula as a value: a loop over the interval of its variable.
//!
//! The counter has more bits than the variable, so that it can pass the greatest value. A short
//! interval of constants is unrolled.

use super::super::Lowerer;
use super::super::expression::Value;
use crate::contract::{Bound, Interval, Quantified};
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::ObjectId;
use program::program::LocationId;
use term::{Sort, Term};
use value::Bits;

/// The longest interval of constants that is unrolled.
const SHORT: u64 = 16;

impl Lowerer<'_> {
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
        let constants = (self.pool.as_bits(first).cloned(), self.pool.as_bits(last).cloned());
        if let (Some(first), Some(last)) = constants
            && let (Some(low), Some(high)) = (first.to_i128(), last.to_i128())
            && high.saturating_sub(low) < i128::from(SHORT)
        {
            for value in low..=high {
                let value = self.pool.bits(Bits::from_i128(first.width(), value));
                self.turn(quantified, value, decided)?;
            }
            return Ok(());
        }
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
        let value = match self.register_sort(ty) {
            Some(Sort::BitVec(width)) => self.resize(value, width, true),
            _ => self.truth(value),
        };
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
