//! Arithmetic and comparison, with the checks that C's gaps call for.

use super::Lowerer;
use crate::typed::{ArithOp, Comparison};
use crate::types::{DataModel, TypeId};
use program::Property;
use term::{Op, Sort, Term};
use value::Bits;

impl Lowerer<'_> {
    /// A comparison; of sort Bool.
    pub(super) fn compare(&mut self, op: Comparison, ty: TypeId, a: Term, b: Term) -> Term {
        if self.c.types.is_float(ty) {
            return self.compare_floats(op, a, b);
        }
        let both_truths = self.pool.sort(a) == Sort::Bool && self.pool.sort(b) == Sort::Bool;
        match op {
            Comparison::Eq if both_truths => return self.pool.eq(a, b),
            Comparison::Ne if both_truths => return self.pool.ne(a, b),
            _ => {}
        }
        let (a, b) = (self.exact(a, ty), self.exact(b, ty));
        let pool = &self.pool;
        let signed = self.is_signed(ty);
        let less = |x, y| if signed { pool.bv_slt(x, y) } else { pool.bv_ult(x, y) };
        match op {
            Comparison::Eq => pool.eq(a, b),
            Comparison::Ne => pool.ne(a, b),
            Comparison::Lt => less(a, b),
            Comparison::Gt => less(b, a),
            Comparison::Le => pool.not(less(b, a)),
            Comparison::Ge => pool.not(less(a, b)),
        }
    }

    pub(super) fn compare_floats(&self, op: Comparison, a: Term, b: Term) -> Term {
        let pool = &self.pool;
        match op {
            Comparison::Eq => pool.fp_eq(a, b),
            Comparison::Ne => pool.not(pool.fp_eq(a, b)),
            Comparison::Lt => pool.fp_lt(a, b),
            Comparison::Gt => pool.fp_lt(b, a),
            Comparison::Le => pool.fp_leq(a, b),
            Comparison::Ge => pool.fp_leq(b, a),
        }
    }

    /// `-a`
    pub(super) fn negate(&mut self, a: Term, ty: TypeId) -> Term {
        if self.c.types.is_float(ty) {
            return self.pool.fp_neg(a);
        }
        if self.is_signed(ty) {
            let least = self.pool.bits(Bits::min_signed(self.pool.width(a)));
            let condition = self.pool.ne(a, least);
            self.check(Property::Overflow, condition);
        }
        self.pool.bv_neg(a)
    }

    /// `a op b` in a type; the right operand of a shift has its own.
    pub(super) fn arith(
        &mut self,
        op: ArithOp,
        ty: TypeId,
        a: Term,
        b: Term,
        right_ty: TypeId,
    ) -> Term {
        if self.c.types.is_float(ty) {
            return self.float_arith(op, a, b);
        }
        let both_truths = self.pool.sort(a) == Sort::Bool && self.pool.sort(b) == Sort::Bool;
        match op {
            ArithOp::BitAnd if both_truths => return self.pool.and([a, b]),
            ArithOp::BitOr if both_truths => return self.pool.or([a, b]),
            ArithOp::BitXor if both_truths => return self.pool.xor(a, b),
            _ => {}
        }
        let a = self.exact(a, ty);
        if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            let b = self.exact(b, right_ty);
            return self.shift(op, ty, a, b, right_ty);
        }
        let b = self.exact(b, ty);
        let signed = self.is_signed(ty);
        self.check_arith(op, signed, a, b);
        let pool = &self.pool;
        match (op, signed) {
            (ArithOp::Add, _) => pool.bv_add(a, b),
            (ArithOp::Sub, _) => pool.bv_sub(a, b),
            (ArithOp::Mul, _) => pool.bv_mul(a, b),
            (ArithOp::Div, true) => pool.bv_sdiv(a, b),
            (ArithOp::Div, false) => pool.bv_udiv(a, b),
            (ArithOp::Rem, true) => pool.bv_srem(a, b),
            (ArithOp::Rem, false) => pool.bv_urem(a, b),
            (ArithOp::BitAnd, _) => pool.bv_and(a, b),
            (ArithOp::BitOr, _) => pool.bv_or(a, b),
            (ArithOp::BitXor | ArithOp::Shl | ArithOp::Shr, _) => pool.bv_xor(a, b),
        }
    }

    fn check_arith(&mut self, op: ArithOp, signed: bool, a: Term, b: Term) {
        let width = self.pool.width(a);
        if matches!(op, ArithOp::Div | ArithOp::Rem) {
            let condition = self.pool.ne(b, self.pool.bv(0, width));
            self.check(Property::DivisionByZero, condition);
        }
        if !signed || !self.checks(Property::Overflow) {
            return;
        }
        let pool = &self.pool;
        let condition = match op {
            ArithOp::Add => self.sum_fits(a, b, false),
            ArithOp::Sub => self.sum_fits(a, b, true),
            ArithOp::Mul => self.product_fits(a, b),
            ArithOp::Div | ArithOp::Rem => {
                let least = pool.eq(a, pool.bits(Bits::min_signed(width)));
                let minus_one = pool.eq(b, pool.bits(Bits::ones(width)));
                pool.not(pool.and([least, minus_one]))
            }
            _ => return,
        };
        self.check(Property::Overflow, condition);
    }

    /// Whether the signed sum or difference fits. With a constant it is one inequality.
    fn sum_fits(&self, a: Term, b: Term, subtract: bool) -> Term {
        let pool = &self.pool;
        let width = pool.width(a);
        let (least, greatest) = (Bits::min_signed(width), Bits::max_signed(width));
        let (variable, constant) = match (pool.as_bits(a), pool.as_bits(b)) {
            (_, Some(c)) => (a, Some(c)),
            (Some(c), _) if !subtract => (b, Some(c)),
            _ => (a, None),
        };
        if let Some(c) = constant {
            // x ± c within bounds, where the bound itself can't leave the range
            return if c.is_negative() != subtract {
                let bound = if subtract { least.add(c) } else { least.sub(c) };
                pool.bv_sle(pool.bits(bound), variable)
            } else {
                let bound = if subtract { greatest.add(c) } else { greatest.sub(c) };
                pool.bv_sle(variable, pool.bits(bound))
            };
        }
        // One bit more holds the exact result; its two highest bits must agree.
        let (wide_a, wide_b) = (pool.bv_sign_extend(a, 1), pool.bv_sign_extend(b, 1));
        let exact =
            if subtract { pool.bv_sub(wide_a, wide_b) } else { pool.bv_add(wide_a, wide_b) };
        let top = pool.bv_extract(exact, width, width);
        pool.eq(top, pool.bv_extract(exact, width - 1, width - 1))
    }

    fn product_fits(&self, a: Term, b: Term) -> Term {
        let pool = &self.pool;
        let width = pool.width(a);
        let (x, constant) = match (pool.as_bits(a), pool.as_bits(b)) {
            (_, Some(c)) => (a, c.to_i128()),
            (Some(c), _) => (b, c.to_i128()),
            _ => (a, None),
        };
        if let Some(c) = constant.filter(|_| width <= 64) {
            let (least, greatest) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
            let (low, high) = match c {
                0 => return pool.tru(),
                c if c > 0 => (least / c, greatest / c),
                c => (greatest / c, (least / c).min(greatest)),
            };
            let bound = |value: i128| pool.bits(Bits::from_i128(width, value));
            return pool.and([pool.bv_sle(bound(low), x), pool.bv_sle(x, bound(high))]);
        }
        let (wide_a, wide_b) = (pool.bv_sign_extend(a, width), pool.bv_sign_extend(b, width));
        let exact = pool.bv_mul(wide_a, wide_b);
        let fits = pool.bv_sign_extend(pool.bv_mul(a, b), width);
        pool.eq(exact, fits)
    }

    fn shift(&mut self, op: ArithOp, ty: TypeId, a: Term, b: Term, right_ty: TypeId) -> Term {
        let signed = self.is_signed(ty);
        let width = self.pool.width(a);
        let count = self.shift_count(b, width, self.is_signed(right_ty));
        let pool = &self.pool;
        let zero = pool.bv(0, width);
        let bound = pool.bv(u64::from(width), width);
        let small = pool.bv_ult(count, bound);
        let not_negative = pool.bv_sle(zero, a);
        let shifted = match op {
            ArithOp::Shl => pool.bv_shl(a, count),
            _ if signed => pool.bv_ashr(a, count),
            _ => pool.bv_lshr(a, count),
        };
        if op == ArithOp::Shl && signed {
            let proper = pool.and([small, not_negative]);
            // The value must survive, with its sign.
            let back = pool.eq(pool.bv_lshr(shifted, count), a);
            let survives = pool.and([back, pool.bv_sle(zero, shifted)]);
            let fits = pool.or([pool.not(proper), survives]);
            self.check(Property::Shift, proper);
            self.check(Property::Overflow, fits);
        } else {
            self.check(Property::Shift, small);
        }
        shifted
    }

    /// A shift count in the width of what is shifted; one that is too large stays so.
    fn shift_count(&self, count: Term, width: u32, signed: bool) -> Term {
        let pool = &self.pool;
        let own = pool.width(count);
        if own <= width {
            return self.resize(count, width, signed);
        }
        let bound = pool.bv(u64::from(width), own);
        let small = pool.bv_ult(count, bound);
        pool.ite(small, self.resize(count, width, false), pool.bv(u64::from(width), width))
    }

    fn float_arith(&mut self, op: ArithOp, a: Term, b: Term) -> Term {
        if self.c.types.model == DataModel::Ilp32 {
            let text = "floating operations are rounded to their type, as with SSE, not the x87";
            self.assume_that(text.into());
        }
        let rounding = self.rounding_mode();
        let pool = &self.pool;
        let result = match op {
            ArithOp::Add => pool.fp_add(rounding, a, b),
            ArithOp::Sub => pool.fp_sub(rounding, a, b),
            ArithOp::Mul => pool.fp_mul(rounding, a, b),
            _ => pool.fp_div(rounding, a, b),
        };
        if self.checks(Property::Float) {
            let nan = |t| pool.fp_is_nan(t);
            let infinite = |t| pool.make(Op::FpIsInfinite, &[t]);
            let made_nan = pool.and([nan(result), pool.not(nan(a)), pool.not(nan(b))]);
            let made_infinity =
                pool.and([infinite(result), pool.not(infinite(a)), pool.not(infinite(b))]);
            let proper = pool.not(pool.or([made_nan, made_infinity]));
            self.check(Property::Float, proper);
        }
        result
    }
}
