//! Operations without an operator in C: bit counting, overflow, atomics, float classes.

use super::Lowerer;
use super::expression::Value;
use super::memory::Access;
use crate::diagnostic::{Diagnostic, Result};
use crate::source::Span;
use crate::typed::{ArithOp, AtomicOp, Builtin, Comparison, ExprId};
use crate::types::{IntShape, QualType, TypeId};
use program::Property;
use program::program::Cause;
use term::{Op, Sort, Term};

impl Lowerer<'_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[ExprId],
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        match builtin {
            Builtin::VaStart => return self.start_arguments(arguments[0]),
            Builtin::VaCopy => return self.copy_arguments(arguments[0], arguments[1]),
            Builtin::VaEnd => return self.discard(arguments[0]).map(|()| Value::Void),
            Builtin::Unreachable | Builtin::Trap => {
                if builtin == Builtin::Unreachable {
                    let never = self.pool.fls();
                    self.check(Property::Promise, never);
                }
                self.stop();
                return Ok(Value::Void);
            }
            Builtin::Atomic(op) => return self.atomic(op, arguments, span),
            Builtin::Memory(question) => return self.memory_answer(question, arguments, span),
            Builtin::HavocObject => return self.havoc_object(arguments[0]),
            Builtin::Assert => {
                self.assert_formula(arguments[0], span)?;
                return Ok(Value::Void);
            }
            Builtin::Assume => {
                self.suppose_formula(arguments[0])?;
                return Ok(Value::Void);
            }
            Builtin::FrameAddress => {
                return self.unknown_value(ty, Cause::Unknown("frame address".into()));
            }
            _ => {}
        }
        self.of_values(builtin, arguments, ty, span)
    }

    /// Those whose arguments are values: these are computed first.
    fn of_values(
        &mut self,
        builtin: Builtin,
        arguments: &[ExprId],
        ty: TypeId,
        span: Span,
    ) -> Result<Value> {
        let mut terms = Vec::with_capacity(arguments.len());
        for (i, &argument) in arguments.iter().enumerate() {
            let mut term = self.exact_scalar(argument)?;
            for &later in &arguments[i + 1..] {
                term = self.safe_from(term, later);
            }
            terms.push(term);
        }
        self.span = span;
        let types: Vec<TypeId> = arguments.iter().map(|a| self.c.exprs[*a].ty).collect();
        let compares =
            matches!(builtin, Builtin::QuietCompare(_) | Builtin::LessGreater | Builtin::Unordered);
        if compares && !types.iter().all(|ty| self.c.types.is_float(*ty)) {
            return Err(Diagnostic::error(span, "neither argument is a floating number"));
        }
        match (builtin, &terms[..]) {
            (Builtin::Overflow(op), &[a, b, pointer]) => {
                self.overflow(op, (a, types[0]), (b, types[1]), Some(pointer), types[2])
            }
            (Builtin::OverflowPredicate(op), &[a, b, _]) => {
                self.overflow(op, (a, types[0]), (b, types[1]), None, types[2])
            }
            (Builtin::FpClassify, &[nan, infinite, normal, subnormal, zero, x]) => {
                let classes = [
                    (Op::FpIsNan, nan),
                    (Op::FpIsInfinite, infinite),
                    (Op::FpIsZero, zero),
                    (Op::FpIsSubnormal, subnormal),
                ];
                let pool = &self.pool;
                Ok(Value::Scalar(classes.into_iter().rev().fold(normal, |rest, (class, value)| {
                    pool.ite(pool.make(class, &[x]), value, rest)
                })))
            }
            (Builtin::QuietCompare(op), &[a, b]) => {
                Ok(Value::Scalar(self.compare_floats(op, a, b)))
            }
            (Builtin::LessGreater, &[a, b]) => {
                let less = self.compare_floats(Comparison::Lt, a, b);
                let greater = self.compare_floats(Comparison::Gt, a, b);
                Ok(Value::Scalar(self.pool.or([less, greater])))
            }
            (Builtin::Unordered, &[a, b]) => {
                let pool = &self.pool;
                Ok(Value::Scalar(pool.or([pool.fp_is_nan(a), pool.fp_is_nan(b)])))
            }
            (Builtin::SignBit, &[a]) => Ok(Value::Scalar(self.sign_bit(a))),
            (builtin, &[a]) => {
                if matches!(builtin, Builtin::CountLeadingZeros | Builtin::CountTrailingZeros) {
                    let some = self.pool.ne(a, self.pool.bv(0, self.pool.width(a)));
                    self.check(Property::Promise, some);
                }
                self.unary_builtin(builtin, a, ty).map(Value::Scalar)
            }
            _ => Err(Diagnostic::error(span, format!("builtin {builtin:?} is not supported"))),
        }
    }

    fn unary_builtin(&mut self, builtin: Builtin, a: Term, ty: TypeId) -> Result<Term> {
        let pool = &self.pool;
        let result = self.register_sort(ty).and_then(Sort::width).unwrap_or(32);
        Ok(match builtin {
            Builtin::CountLeadingZeros => self.leading_zeros(a, result),
            Builtin::CountTrailingZeros => self.trailing_zeros(a, result),
            Builtin::CountSignBits => {
                let width = pool.width(a);
                let sign = pool.bv_ashr(a, pool.bv(u64::from(width - 1), width));
                let count = self.leading_zeros(pool.bv_xor(a, sign), result);
                pool.bv_sub(count, pool.bv(1, result))
            }
            Builtin::PopCount => self.ones(a, result),
            Builtin::Parity => {
                let low = pool.bv_extract(self.ones(a, result), 0, 0);
                pool.bv_zero_extend(low, result - 1)
            }
            Builtin::FindFirstSet => {
                let zero = pool.eq(a, pool.bv(0, pool.width(a)));
                let position = pool.bv_add(self.trailing_zeros(a, result), pool.bv(1, result));
                pool.ite(zero, pool.bv(0, result), position)
            }
            Builtin::ByteSwap => {
                let bytes = pool.width(a) / 8;
                let byte = |i: u32| pool.bv_extract(a, i * 8 + 7, i * 8);
                (1..bytes).fold(byte(0), |sum, i| pool.bv_concat(sum, byte(i)))
            }
            Builtin::IsNan => pool.fp_is_nan(a),
            Builtin::IsInf => pool.fp_is_infinite(a),
            Builtin::IsInfSign => {
                let negative = pool.make(Op::FpIsNegative, &[a]);
                let one = pool.bv(1, result);
                let signed = pool.ite(negative, pool.bv_neg(one), one);
                pool.ite(pool.fp_is_infinite(a), signed, pool.bv(0, result))
            }
            Builtin::IsFinite => pool.not(pool.or([pool.fp_is_nan(a), pool.fp_is_infinite(a)])),
            Builtin::IsNormal => pool.make(Op::FpIsNormal, &[a]),
            other => {
                let message = format!("builtin {other:?} is not supported");
                return Err(Diagnostic::error(self.span, message));
            }
        })
    }

    /// The index from above of the highest one; the width for zero.
    fn leading_zeros(&self, a: Term, result: u32) -> Term {
        let width = self.pool.width(a);
        (0..width).fold(self.pool.bv(u64::from(width), result), |rest, i| {
            self.if_bit(a, i, u64::from(width - 1 - i), rest)
        })
    }

    fn trailing_zeros(&self, a: Term, result: u32) -> Term {
        let width = self.pool.width(a);
        (0..width).rev().fold(self.pool.bv(u64::from(width), result), |rest, i| {
            self.if_bit(a, i, u64::from(i), rest)
        })
    }

    fn if_bit(&self, a: Term, bit: u32, then: u64, otherwise: Term) -> Term {
        let pool = &self.pool;
        let set = pool.eq(pool.bv_extract(a, bit, bit), pool.bv(1, 1));
        pool.ite(set, pool.bv(then, pool.width(otherwise)), otherwise)
    }

    fn ones(&self, a: Term, result: u32) -> Term {
        let pool = &self.pool;
        let bit = |i| pool.bv_zero_extend(pool.bv_extract(a, i, i), result - 1);
        (1..pool.width(a)).fold(bit(0), |sum, i| pool.bv_add(sum, bit(i)))
    }

    /// `a op b` with unbounded integers; whether the result fits the third type.
    fn overflow(
        &mut self,
        op: ArithOp,
        (a, a_ty): (Term, TypeId),
        (b, b_ty): (Term, TypeId),
        pointer: Option<Term>,
        third: TypeId,
    ) -> Result<Value> {
        let stored = match pointer {
            Some(_) => self.c.types.pointee(third).map_or(third, |to| to.ty),
            None => third,
        };
        let shapes = [a_ty, b_ty, stored].map(|ty| self.c.types.shape(ty));
        let [Some(a_shape), Some(b_shape), Some(shape)] = shapes else {
            return Err(Diagnostic::error(self.span, "overflow of something that is no integer"));
        };
        let widest = a_shape.width.max(b_shape.width).max(shape.width);
        // Wide enough for every product, with a sign.
        let width = 2 * widest + 2;
        let extend = |l: &Self, term: Term, shape: IntShape| {
            let term = match l.pool.sort(term) {
                Sort::Bool => l.bool_to_bits(term, 1),
                _ => term,
            };
            l.resize(term, width, shape.signed)
        };
        let (wide_a, wide_b) = (extend(self, a, a_shape), extend(self, b, b_shape));
        let pool = &self.pool;
        let exact = match op {
            ArithOp::Add => pool.bv_add(wide_a, wide_b),
            ArithOp::Sub => pool.bv_sub(wide_a, wide_b),
            _ => pool.bv_mul(wide_a, wide_b),
        };
        let result = pool.bv_extract(exact, shape.width - 1, 0);
        let back = self.resize(result, width, shape.signed);
        let overflows = self.pool.ne(exact, back);
        if let Some(pointer) = pointer {
            let access = Access { address: pointer, pointer: Some(pointer), bits: None };
            let overflows = self.keep(overflows);
            self.store_scalar(access, stored, result);
            return Ok(Value::Scalar(overflows));
        }
        Ok(Value::Scalar(overflows))
    }

    fn load_atomic(&mut self, access: Access, to: QualType) -> Result<Term> {
        let value = self.read_scalar(access, to.ty);
        self.read_through(to, value)
    }

    fn atomic(&mut self, op: AtomicOp, arguments: &[ExprId], span: Span) -> Result<Value> {
        let mut terms = Vec::with_capacity(arguments.len());
        for (i, &argument) in arguments.iter().enumerate() {
            let mut term = self.exact_scalar(argument)?;
            for &later in &arguments[i + 1..] {
                term = self.safe_from(term, later);
            }
            terms.push(term);
        }
        self.span = span;
        let Some(&pointer) = terms.first() else { return Ok(Value::Void) };
        let access = Access { address: pointer, pointer: Some(pointer), bits: None };
        let to = self.c.types.pointee(self.c.exprs[arguments[0]].ty);
        let Some(pointee) = to.filter(|to| self.register_sort(to.ty).is_some()) else {
            return Err(Diagnostic::error(span, "atomic operation on something that is no scalar"));
        };
        let to = pointee.ty;
        Ok(match (op, &terms[1..]) {
            (AtomicOp::Load, _) => Value::Scalar(self.load_atomic(access, pointee)?),
            (AtomicOp::Store, &[value]) => {
                self.store_scalar(access, to, value);
                Value::Void
            }
            (AtomicOp::Exchange, &[value]) => {
                let old = self.load_atomic(access, pointee)?;
                self.store_scalar(access, to, value);
                Value::Scalar(old)
            }
            (AtomicOp::Fetch { op, new }, &[value]) => {
                let old = self.load_atomic(access, pointee)?;
                let (a, b) = (self.exact(old, to), self.exact(value, to));
                if self.pool.sort(a).width().is_none() {
                    let message = "atomic arithmetic on something that is no integer";
                    return Err(Diagnostic::error(span, message));
                }
                let changed = self.fetched(op, a, b);
                self.store_scalar(access, to, changed);
                Value::Scalar(if new { changed } else { old })
            }
            (AtomicOp::CompareSwap { success }, &[expected, desired]) => {
                let old = self.load_atomic(access, pointee)?;
                let equal = self.pool.eq(self.exact(old, to), self.exact(expected, to));
                self.store_choice(access, to, equal, desired, old);
                Value::Scalar(if success { equal } else { old })
            }
            (AtomicOp::CompareExchange, &[expected, desired]) => {
                let expected = Access { address: expected, pointer: Some(expected), bits: None };
                let wanted = self.read_scalar(expected, to);
                let old = self.load_atomic(access, pointee)?;
                let equal = self.pool.eq(self.exact(old, to), self.exact(wanted, to));
                self.store_choice(access, to, equal, desired, old);
                self.store_scalar(expected, to, old);
                Value::Scalar(equal)
            }
            (AtomicOp::TestAndSet, _) => {
                let old = self.read_sort(pointer, Sort::BitVec(8));
                let old = self.read_through(pointee, old)?;
                let value = self.pool.bv(1, 8);
                self.emit(program::program::Instruction::Store { address: pointer, value });
                Value::Scalar(self.truth(old))
            }
            (AtomicOp::Clear, _) => {
                let sort = self.register_sort(to).unwrap_or(Sort::BitVec(8));
                self.store_scalar(access, to, self.zero(sort));
                Value::Void
            }
            (AtomicOp::Fence, _) => Value::Void,
            _ => {
                let message = format!("atomic operation {op:?} is not supported");
                return Err(Diagnostic::error(span, message));
            }
        })
    }

    fn store_choice(&mut self, access: Access, ty: TypeId, first: Term, a: Term, b: Term) {
        let (a, b) = (self.exact(a, ty), self.exact(b, ty));
        let chosen = self.pool.ite(first, a, b);
        self.store_scalar(access, ty, chosen);
    }

    fn fetched(&self, op: Option<ArithOp>, a: Term, b: Term) -> Term {
        let pool = &self.pool;
        match op {
            None => pool.bv_not(pool.bv_and(a, b)),
            Some(ArithOp::Add) => pool.bv_add(a, b),
            Some(ArithOp::Sub) => pool.bv_sub(a, b),
            Some(ArithOp::BitAnd) => pool.bv_and(a, b),
            Some(ArithOp::BitOr) => pool.bv_or(a, b),
            Some(_) => pool.bv_xor(a, b),
        }
    }
}
