//! Going through the values of a variable.
//!
//! A counter has more bits than the variable, so that it can pass the greatest value. A short
//! interval of constants is unrolled, a longer one is a loop.

use super::Lowerer;
use crate::contract::{Bound, Interval};
use crate::diagnostic::Result;
use crate::types::TypeId;
use term::{Sort, Term};
use value::Bits;

/// The longest interval of constants that is unrolled.
const SHORT: i128 = 16;

/// The first and the last value of an interval, as signed numbers of two bits more than the variable
/// has.
pub(super) type Ends = (Term, Term);

impl Lowerer<'_> {
    /// The ends of an interval of a variable's values.
    pub(super) fn ends(&mut self, ty: TypeId, interval: Interval) -> Result<Ends> {
        let (least, greatest) = self.limits(ty);
        let width = self.pool.width(least) + 1;
        let first = match interval.low {
            Some(bound) => self.end(bound, 1, (least, greatest))?,
            None => self.resize(least, width, true),
        };
        let last = self.end(interval.high, -1, (least, greatest))?;
        Ok((first, last))
    }

    /// All values of a type.
    pub(super) fn all_values(&self, ty: TypeId) -> Ends {
        let (least, greatest) = self.limits(ty);
        let width = self.pool.width(least) + 1;
        (self.resize(least, width, true), self.resize(greatest, width, true))
    }

    /// The least and the greatest value of a type, as signed numbers of one bit more.
    pub(super) fn limits(&self, ty: TypeId) -> (Term, Term) {
        let shape = self.c.types.shape(ty);
        let (width, signed) = shape.map_or((1, false), |shape| (shape.width, shape.signed));
        let (least, greatest) = match signed {
            true => {
                (Bits::min_signed(width).sign_extend(1), Bits::max_signed(width).sign_extend(1))
            }
            false => (Bits::zero(width + 1), Bits::ones(width).zero_extend(1)),
        };
        (self.pool.bits(least), self.pool.bits(greatest))
    }

    /// How many values an interval has, if that is a constant.
    pub(super) fn count(&self, (first, last): Ends) -> Option<u128> {
        let (low, high) = self.constant_ends((first, last))?;
        u128::try_from(high.checked_sub(low)?.checked_add(1)?.max(0)).ok()
    }

    /// Whether an interval is unrolled.
    pub(super) fn is_unrolled(&self, ends: Ends) -> bool {
        self.count(ends).is_some_and(|count| count <= SHORT as u128)
    }

    fn constant_ends(&self, (first, last): Ends) -> Option<(i128, i128)> {
        let low = self.pool.as_bits(first)?.to_i128()?;
        let high = self.pool.as_bits(last)?.to_i128()?;
        Some((low, high))
    }

    /// Does something for each value of an interval, in the variable's type.
    pub(super) fn go_through(
        &mut self,
        ty: TypeId,
        (first, last): Ends,
        mut turn: impl FnMut(&mut Self, Term) -> Result<()>,
    ) -> Result<()> {
        let width = self.pool.width(first);
        if self.is_unrolled((first, last))
            && let Some((low, high)) = self.constant_ends((first, last))
        {
            for value in low..=high {
                let value = self.pool.bits(Bits::from_i128(width, value));
                let value = self.value_of_type(value, ty);
                turn(self, value)?;
            }
            return Ok(());
        }
        let counter = self.temporary(Sort::BitVec(width));
        self.assign(counter, first);
        let last = self.keep(last);
        let head = self.loop_head();
        let (inside, done) = (self.new_location(), self.new_location());
        let more = self.pool.bv_sle(self.term_of(counter), last);
        self.split(more, inside, done);
        self.continue_at(inside);
        let value = self.value_of_type(self.term_of(counter), ty);
        turn(self, value)?;
        let next = self.pool.bv_add(self.term_of(counter), self.pool.bv(1, width));
        self.assign(counter, next);
        self.jump(head);
        self.continue_at(done);
        Ok(())
    }

    /// A number that is large enough, in a type.
    pub(super) fn value_of_type(&self, value: Term, ty: TypeId) -> Term {
        match self.register_sort(ty) {
            Some(Sort::BitVec(width)) => self.resize(value, width, true),
            _ => self.truth(value),
        }
    }

    /// A bound as a number that belongs to the interval, within the values of the variable; one that
    /// lies beyond them leaves nothing of the interval.
    fn end(&mut self, bound: Bound, step: i64, (least, greatest): Ends) -> Result<Term> {
        let value = self.number(bound.value)?;
        let by = if bound.strict { step } else { 0 };
        let wide = self.pool.width(least);
        let width = self.pool.width(value).max(wide) + 2;
        let (low, high) = (self.resize(least, width, true), self.resize(greatest, width, true));
        let pool = &self.pool;
        // One beyond on the side where nothing is left; there is room, as the width is larger.
        let (low, high) = match step > 0 {
            true => (low, pool.bv_add(high, pool.bv(1, width))),
            false => (pool.bv_sub(low, pool.bv(1, width)), high),
        };
        let value = self.nearest(value, by, (low, high));
        Ok(self.resize(value, wide + 1, true))
    }

    /// The value of an expression as a signed number of one bit more.
    pub(super) fn number(&mut self, expr: crate::typed::ExprId) -> Result<Term> {
        let value = self.exact_scalar(expr)?;
        let value = match self.pool.sort(value) {
            Sort::Bool => self.bool_to_bits(value, 8),
            _ => value,
        };
        let width = self.pool.width(value) + 1;
        Ok(self.resize(value, width, self.is_signed(self.c.exprs[expr].ty)))
    }

    /// A signed number plus a small one, or the nearest of two limits, which have more bits.
    pub(super) fn nearest(&self, value: Term, by: i64, (low, high): Ends) -> Term {
        let width = self.pool.width(low);
        let pool = &self.pool;
        let by = pool.bits(Bits::from_i128(width, i128::from(by)));
        let value = pool.bv_add(self.resize(value, width, true), by);
        let value = pool.ite(pool.bv_slt(value, low), low, value);
        pool.ite(pool.bv_slt(high, value), high, value)
    }
}
