//! Conversions between representations.

use super::Lowerer;
use super::expression::Value;
use crate::diagnostic::{Diagnostic, Result};
use crate::typed::{Conversion, ExprId};
use crate::types::{Type, TypeId};
use program::program::Cause;
use term::{Op, Sort, Term};

impl Lowerer<'_> {
    /// A bit-vector in another width: cut, or extended by its sign or zeros.
    pub(super) fn resize(&self, term: Term, width: u32, signed: bool) -> Term {
        let old = self.pool.width(term);
        if width < old {
            self.pool.bv_extract(term, width - 1, 0)
        } else if signed {
            self.pool.bv_sign_extend(term, width - old)
        } else {
            self.pool.bv_zero_extend(term, width - old)
        }
    }

    /// 1 or 0.
    pub(super) fn bool_to_bits(&self, term: Term, width: u32) -> Term {
        self.pool.ite(term, self.pool.bv(1, width), self.pool.bv(0, width))
    }

    /// Whether a scalar is not zero.
    pub(super) fn truth(&self, term: Term) -> Term {
        let pool = &self.pool;
        match pool.sort(term) {
            Sort::Bool => term,
            Sort::BitVec(width) => pool.ne(term, pool.bv(0, width)),
            _ => pool.not(pool.make(Op::FpIsZero, &[term])),
        }
    }

    /// The term in the sort of its type; truth values become numbers.
    pub(super) fn exact(&self, term: Term, ty: TypeId) -> Term {
        match (self.pool.sort(term), self.register_sort(ty)) {
            (Sort::Bool, Some(Sort::BitVec(width))) => self.bool_to_bits(term, width),
            (Sort::BitVec(_), Some(Sort::Bool)) => self.truth(term),
            _ => term,
        }
    }

    /// The term in a sort: for values that are passed where another type is expected, as calls
    /// without a prototype can do.
    pub(super) fn coerce(&mut self, term: Term, sort: Sort) -> Term {
        match (self.pool.sort(term), sort) {
            (from, to) if from == to => term,
            (Sort::Bool, Sort::BitVec(width)) => self.bool_to_bits(term, width),
            (_, Sort::Bool) => self.truth(term),
            (Sort::BitVec(_), Sort::BitVec(width)) => self.resize(term, width, true),
            (Sort::Float(_), Sort::Float(format)) => {
                let rounding = self.rounding_mode();
                self.pool.make(Op::FpToFp(format), &[rounding, term])
            }
            (_, sort) => {
                self.warn_that("an argument of a wrong type has an unknown value".into());
                self.unknown(sort, Cause::Unknown("argument".into()))
            }
        }
    }

    /// A conversion of a scalar.
    pub(super) fn convert(
        &mut self,
        how: Conversion,
        term: Term,
        from: TypeId,
        to: TypeId,
    ) -> Term {
        let pool = &self.pool;
        let truth_value = pool.sort(term) == Sort::Bool;
        match how {
            Conversion::ToBool => self.truth(term),
            Conversion::IntToInt | Conversion::Same if truth_value => {
                // The one bit of a signed bit-field is its sign.
                match self.register_sort(to) {
                    Some(Sort::BitVec(1)) => self.bool_to_bits(term, 1),
                    _ => term,
                }
            }
            Conversion::IntToInt
            | Conversion::PointerToInt
            | Conversion::IntToPointer
            | Conversion::PointerToPointer => match self.register_sort(to) {
                Some(Sort::BitVec(width)) => {
                    let term = self.exact(term, from);
                    let term = match self.pool.sort(term) {
                        Sort::Bool => self.bool_to_bits(term, width),
                        _ => term,
                    };
                    self.resize(term, width, self.is_signed(from))
                }
                Some(Sort::Bool) => self.truth(term),
                _ => term,
            },
            Conversion::IntToFloat => {
                let Type::Float(kind) = *self.ty(to) else { return term };
                let (term, signed) = match truth_value {
                    true => (self.bool_to_bits(term, 32), true),
                    false => (term, self.is_signed(from)),
                };
                self.int_to_float(term, signed, kind)
            }
            Conversion::FloatToInt => self.float_to_int(term, from, to),
            Conversion::FloatToFloat => {
                let Type::Float(kind) = *self.ty(to) else { return term };
                let format = super::shape::format_of(kind);
                let rounding = self.rounding_mode();
                self.pool.make(Op::FpToFp(format), &[rounding, term])
            }
            Conversion::Same | Conversion::ToVoid | Conversion::ToUnion => term,
        }
    }

    /// A conversion of any value.
    pub(super) fn convert_value(
        &mut self,
        how: Conversion,
        value: Value,
        operand: ExprId,
        expr: ExprId,
    ) -> Result<Value> {
        let c = self.c;
        let (from, to) = (c.exprs[operand].ty, c.exprs[expr].ty);
        match (how, value) {
            (Conversion::ToVoid, _) => Ok(Value::Void),
            (Conversion::ToUnion, value) => self.wrapped_in_union(value, from, to),
            (Conversion::FloatToInt, _)
                if c.constants.get(operand).is_some_and(|known| known.strict)
                    && c.constants.get(expr).is_some() =>
            {
                // gcc converts constants itself: what does not fit becomes the nearest integer.
                let known = c.constants[expr].value;
                self.constant_term(known, to).map(Value::Scalar)
            }
            (how, Value::Scalar(term)) => Ok(Value::Scalar(self.convert(how, term, from, to))),
            (Conversion::Same, value) => Ok(value),
            _ => Err(Diagnostic::error(self.span, "conversion of a value that is no scalar")),
        }
    }

    /// A value as the union that has a member of its type.
    fn wrapped_in_union(&mut self, value: Value, from: TypeId, to: TypeId) -> Result<Value> {
        let size = self.size_term(to)?;
        let address = self.temporary_object(to, size);
        let spot = super::place::Spot::Memory(super::memory::Access::sure(address));
        self.store(&spot, from, value)?;
        Ok(Value::Memory(address))
    }
}
