//! Floating point: rounding mode, conversions to and from integers.
//!
//! What does not fit an integer type is what gcc's code gives on x86: the conversion instruction
//! works in 32 or 64 bits and gives its least number for everything that does not fit; narrower
//! types take its lower bits, `unsigned` those of the 64-bit conversion, and 64-bit unsigned types
//! subtract 2⁶³ first from what is that large.

use super::Lowerer;
use crate::typed::ExprKind;
use crate::types::{FloatKind, Type, TypeId};
use program::program::{Cause, Reading};
use term::{Op, Sort, Term};
use value::{BigInt, Bits, Float, Rounding};

impl Lowerer<'_> {
    /// Gives the rounding mode a register if the program can change it.
    pub(super) fn find_rounding(&mut self) {
        let changes = |expr: &ExprKind| match expr {
            ExprKind::Call(crate::typed::Callee::Function(f), _) => {
                let function = &self.c.functions[*f];
                function.body.is_none() && self.symbol_name(function.name) == "fesetround"
            }
            _ => false,
        };
        if self.c.exprs.iter().any(|(_, e)| changes(&e.kind)) {
            let (sort, reading) = (Sort::RoundingMode, Reading::Unsigned);
            let name = "rounding mode".to_owned();
            let span = crate::source::Span::default();
            self.rounding = Some(self.new_variable(name, None, sort, reading, false, span));
        }
    }

    /// The rounding mode in force.
    pub(super) fn rounding_mode(&self) -> Term {
        match self.rounding {
            Some(register) => self.term_of(register),
            None => self.pool.rounding(Rounding::NearestEven),
        }
    }

    /// Whether the sign bit is set. Floats have one NaN here, without a sign; its sign is definite,
    /// and unknown to us.
    pub(super) fn sign_bit(&mut self, x: Term) -> Term {
        let nan = self.pool.fp_is_nan(x);
        if self.pool.as_bool(nan) == Some(false) {
            return self.pool.make(Op::FpIsNegative, &[x]);
        }
        let any = self.unknown(Sort::Bool, Cause::Approximated("sign of a NaN".into()));
        self.pool.ite(nan, any, self.pool.make(Op::FpIsNegative, &[x]))
    }

    pub(super) fn int_to_float(&mut self, term: Term, signed: bool, kind: FloatKind) -> Term {
        let format = super::shape::format_of(kind);
        let rounding = self.rounding_mode();
        let op = if signed { Op::FpFromSbv(format) } else { Op::FpFromUbv(format) };
        self.pool.make(op, &[rounding, term])
    }

    pub(super) fn float_to_int(&mut self, term: Term, from: TypeId, to: TypeId) -> Term {
        let Some(shape) = self.c.types.shape(to) else { return term };
        let x87 = matches!(self.ty(from), Type::Float(FloatKind::LongDouble));
        let width = shape.width;
        let result = match (width, shape.signed) {
            (64, false) => self.float_to_u64(term),
            (65.., true) => self.truncated(term, width),
            (65.., false) => self.truncated_unsigned(term, width),
            (33.., _) | (32, false) => self.truncated(term, 64),
            // The x87 stores 16 bits where the type has no more.
            (..=16, true) | (..=8, false) if x87 => self.truncated(term, 16),
            _ => self.truncated(term, 32),
        };
        self.resize(result, width, false)
    }

    /// The integer towards zero in so many bits, the least number where it does not fit.
    pub(super) fn truncated(&self, term: Term, width: u32) -> Term {
        self.rounded_to_int(term, width, self.pool.rounding(Rounding::TowardZero))
    }

    /// The integer in so many bits, the least number where it does not fit.
    pub(super) fn rounded_to_int(&self, term: Term, width: u32, rounding: Term) -> Term {
        let pool = &self.pool;
        let integral = pool.fp_round_to_integral(rounding, term);
        let limit = BigInt::from(1) << (width - 1);
        let fits = pool.and([
            pool.fp_leq(self.float_of(term, &-limit.clone()), integral),
            pool.fp_lt(integral, self.float_of(term, &limit)),
        ]);
        let least = pool.bits(Bits::min_signed(width));
        let converted = pool.make(Op::FpToSbv(width), &[rounding, term]);
        pool.ite(fits, converted, least)
    }

    fn truncated_unsigned(&self, term: Term, width: u32) -> Term {
        let pool = &self.pool;
        let rounding = pool.rounding(Rounding::TowardZero);
        let integral = pool.fp_round_to_integral(rounding, term);
        let limit = BigInt::from(1) << width;
        let fits = pool.and([
            pool.fp_leq(self.float_of(term, &BigInt::from(0)), integral),
            pool.fp_lt(integral, self.float_of(term, &limit)),
        ]);
        let converted = pool.make(Op::FpToUbv(width), &[rounding, term]);
        pool.ite(fits, converted, self.truncated(term, width))
    }

    fn float_to_u64(&self, term: Term) -> Term {
        let pool = &self.pool;
        let half = self.float_of(term, &(BigInt::from(1) << 63));
        let nearest = pool.rounding(Rounding::NearestEven);
        let upper = self.truncated(pool.fp_sub(nearest, term, half), 64);
        let upper = pool.bv_xor(upper, pool.bits(Bits::min_signed(64)));
        pool.ite(pool.fp_leq(half, term), upper, self.truncated(term, 64))
    }

    /// An integer, a power of two, in the format of a term; infinity if it is too large.
    fn float_of(&self, like: Term, number: &BigInt) -> Term {
        let format = self.pool.sort(like).format().expect("conversions are from floats");
        self.pool.float(Float::from_bigint(format, Rounding::NearestEven, number))
    }
}
