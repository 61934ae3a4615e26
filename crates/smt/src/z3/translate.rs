//! Terms to Z3's expressions.

use super::made;
use crate::solver::Error;
use rustc_hash::FxHashMap;
use std::ffi::CString;
use term::{Func, Op, Pool, Sort, Term, Value};
use value::{Bits, Float, Rounding};
use z3_sys::*;

/// Remembers what was translated for one context and one pool.
#[derive(Default)]
pub struct Translator {
    terms: FxHashMap<Term, Z3_ast>,
    functions: FxHashMap<Func, Z3_func_decl>,
}

impl Translator {
    /// The Z3 expression of a term.
    pub fn term(&mut self, context: Z3_context, pool: &Pool, term: Term) -> Result<Z3_ast, Error> {
        if let Some(ast) = self.terms.get(&term) {
            return Ok(*ast);
        }
        let mut pending = vec![term];
        while let Some(top) = pending.last().copied() {
            if self.terms.contains_key(&top) {
                pending.pop();
                continue;
            }
            let args = pool.args(top);
            let before = pending.len();
            pending.extend(args.iter().filter(|a| !self.terms.contains_key(a)));
            if pending.len() == before {
                let args: Vec<Z3_ast> = args.iter().map(|a| self.terms[a]).collect();
                // SAFETY: all arguments are live expressions of this context, and the pool has
                // checked their sorts.
                let ast = unsafe { self.node(context, pool, top, &args) }.ok_or_else(|| {
                    Error::External {
                        solver: "z3".into(),
                        message: format!("refuses the operator {:?}", pool.op(top)),
                    }
                })?;
                self.terms.insert(top, ast);
                pending.pop();
            }
        }
        Ok(self.terms[&term])
    }

    fn function(&mut self, context: Z3_context, pool: &Pool, func: Func) -> Z3_func_decl {
        *self.functions.entry(func).or_insert_with(|| {
            let function = pool.declaration(func);
            let params: Vec<Z3_sort> =
                function.params.iter().map(|s| sort(context, pool, *s)).collect();
            let result = sort(context, pool, function.result);
            let name = symbol(context, pool.name(function.name));
            // SAFETY: symbol and sorts are of this context.
            unsafe {
                made(Z3_mk_func_decl(context, name, params.len() as u32, params.as_ptr(), result))
            }
        })
    }

    /// # Safety
    /// `a` are live expressions of the context with the sorts that the term's operator takes.
    unsafe fn node(
        &mut self,
        c: Z3_context,
        pool: &Pool,
        term: Term,
        a: &[Z3_ast],
    ) -> Option<Z3_ast> {
        let node = pool.node(term);
        let n = a.len() as u32;
        let p = a.as_ptr();
        let float_sort = |format| sort(c, pool, Sort::Float(format));
        // SAFETY: by this function's contract.
        unsafe {
            match &node.op {
                Op::Value(value) => constant(c, pool, value),
                Op::Var(name) => {
                    Z3_mk_const(c, symbol(c, pool.name(*name)), sort(c, pool, node.sort))
                }
                Op::Apply(func) => Z3_mk_app(c, self.function(c, pool, *func), n, p),
                Op::Not => Z3_mk_not(c, a[0]),
                Op::And => Z3_mk_and(c, n, p),
                Op::Or => Z3_mk_or(c, n, p),
                Op::Eq => Z3_mk_eq(c, a[0], a[1]),
                Op::Ite => Z3_mk_ite(c, a[0], a[1], a[2]),
                Op::Forall | Op::Exists => {
                    let (body, bound) = a.split_last()?;
                    let bound =
                        bound.iter().map(|v| Z3_to_app(c, *v)).collect::<Option<Vec<_>>>()?;
                    Z3_mk_quantifier_const(
                        c,
                        node.op == Op::Forall,
                        0,
                        bound.len() as u32,
                        bound.as_ptr(),
                        0,
                        std::ptr::null(),
                        *body,
                    )
                }
                Op::BvNot => Z3_mk_bvnot(c, a[0]),
                Op::BvAnd => Z3_mk_bvand(c, a[0], a[1]),
                Op::BvOr => Z3_mk_bvor(c, a[0], a[1]),
                Op::BvXor => Z3_mk_bvxor(c, a[0], a[1]),
                Op::BvNeg => Z3_mk_bvneg(c, a[0]),
                Op::BvAdd => Z3_mk_bvadd(c, a[0], a[1]),
                Op::BvSub => Z3_mk_bvsub(c, a[0], a[1]),
                Op::BvMul => Z3_mk_bvmul(c, a[0], a[1]),
                Op::BvUdiv => Z3_mk_bvudiv(c, a[0], a[1]),
                Op::BvUrem => Z3_mk_bvurem(c, a[0], a[1]),
                Op::BvSdiv => Z3_mk_bvsdiv(c, a[0], a[1]),
                Op::BvSrem => Z3_mk_bvsrem(c, a[0], a[1]),
                Op::BvSmod => Z3_mk_bvsmod(c, a[0], a[1]),
                Op::BvShl => Z3_mk_bvshl(c, a[0], a[1]),
                Op::BvLshr => Z3_mk_bvlshr(c, a[0], a[1]),
                Op::BvAshr => Z3_mk_bvashr(c, a[0], a[1]),
                Op::BvUlt => Z3_mk_bvult(c, a[0], a[1]),
                Op::BvSlt => Z3_mk_bvslt(c, a[0], a[1]),
                Op::BvConcat => Z3_mk_concat(c, a[0], a[1]),
                Op::BvExtract { high, low } => Z3_mk_extract(c, *high, *low, a[0]),
                Op::BvZeroExtend(by) => Z3_mk_zero_ext(c, *by, a[0]),
                Op::BvSignExtend(by) => Z3_mk_sign_ext(c, *by, a[0]),
                Op::FpFromBits(format) => Z3_mk_fpa_to_fp_bv(c, a[0], float_sort(*format)),
                Op::FpToBits => {
                    // Z3 leaves the bits of NaN open, the kernel says which.
                    let format = pool.sort(pool.args(term)[0]).format()?;
                    let nan = bits(c, pool, &Float::nan(format).to_bits())?;
                    let plain = Z3_mk_fpa_to_ieee_bv(c, a[0])?;
                    Z3_mk_ite(c, Z3_mk_fpa_is_nan(c, a[0])?, nan, plain)
                }
                Op::FpAbs => Z3_mk_fpa_abs(c, a[0]),
                Op::FpNeg => Z3_mk_fpa_neg(c, a[0]),
                Op::FpAdd => Z3_mk_fpa_add(c, a[0], a[1], a[2]),
                Op::FpMul => Z3_mk_fpa_mul(c, a[0], a[1], a[2]),
                Op::FpDiv => Z3_mk_fpa_div(c, a[0], a[1], a[2]),
                Op::FpFma => Z3_mk_fpa_fma(c, a[0], a[1], a[2], a[3]),
                Op::FpSqrt => Z3_mk_fpa_sqrt(c, a[0], a[1]),
                Op::FpRem => Z3_mk_fpa_rem(c, a[0], a[1]),
                Op::FpRoundToIntegral => Z3_mk_fpa_round_to_integral(c, a[0], a[1]),
                Op::FpMin => Z3_mk_fpa_min(c, a[0], a[1]),
                Op::FpMax => Z3_mk_fpa_max(c, a[0], a[1]),
                Op::FpLt => Z3_mk_fpa_lt(c, a[0], a[1]),
                Op::FpLeq => Z3_mk_fpa_leq(c, a[0], a[1]),
                Op::FpEq => Z3_mk_fpa_eq(c, a[0], a[1]),
                Op::FpIsNormal => Z3_mk_fpa_is_normal(c, a[0]),
                Op::FpIsSubnormal => Z3_mk_fpa_is_subnormal(c, a[0]),
                Op::FpIsZero => Z3_mk_fpa_is_zero(c, a[0]),
                Op::FpIsInfinite => Z3_mk_fpa_is_infinite(c, a[0]),
                Op::FpIsNan => Z3_mk_fpa_is_nan(c, a[0]),
                Op::FpIsNegative => Z3_mk_fpa_is_negative(c, a[0]),
                Op::FpIsPositive => Z3_mk_fpa_is_positive(c, a[0]),
                Op::FpToFp(format) => Z3_mk_fpa_to_fp_float(c, a[0], a[1], float_sort(*format)),
                Op::FpFromSbv(format) => Z3_mk_fpa_to_fp_signed(c, a[0], a[1], float_sort(*format)),
                Op::FpFromUbv(format) => {
                    Z3_mk_fpa_to_fp_unsigned(c, a[0], a[1], float_sort(*format))
                }
                Op::FpFromReal(format) => Z3_mk_fpa_to_fp_real(c, a[0], a[1], float_sort(*format)),
                Op::FpToUbv(width) => Z3_mk_fpa_to_ubv(c, a[0], a[1], *width),
                Op::FpToSbv(width) => Z3_mk_fpa_to_sbv(c, a[0], a[1], *width),
                Op::FpToReal => Z3_mk_fpa_to_real(c, a[0]),
                Op::Select => Z3_mk_select(c, a[0], a[1]),
                Op::Store => Z3_mk_store(c, a[0], a[1], a[2]),
                Op::ConstArray(array) => {
                    let (index, _) = pool.array_parts(*array)?;
                    Z3_mk_const_array(c, sort(c, pool, index), a[0])
                }
                Op::Neg => Z3_mk_unary_minus(c, a[0]),
                Op::Add => Z3_mk_add(c, n, p),
                Op::Sub => Z3_mk_sub(c, n, p),
                Op::Mul => Z3_mk_mul(c, n, p),
                Op::IntDiv | Op::RealDiv => Z3_mk_div(c, a[0], a[1]),
                Op::IntMod => Z3_mk_mod(c, a[0], a[1]),
                Op::Lt => Z3_mk_lt(c, a[0], a[1]),
                Op::Le => Z3_mk_le(c, a[0], a[1]),
                Op::ToReal => Z3_mk_int2real(c, a[0]),
                Op::ToInt => Z3_mk_real2int(c, a[0]),
                Op::BvToNat => Z3_mk_bv2int(c, a[0], false),
                Op::IntToBv(width) => Z3_mk_int2bv(c, *width, a[0]),
            }
        }
    }
}

fn symbol(context: Z3_context, name: &str) -> Z3_symbol {
    // A name with a NUL inside would be cut; an escape keeps different names different.
    let name = CString::new(name.replace('\0', "\\u{0}")).expect("no NUL is left");
    // SAFETY: Z3 copies the string.
    unsafe { made(Z3_mk_string_symbol(context, name.as_ptr())) }
}

/// The Z3 sort of a sort.
pub fn sort(context: Z3_context, pool: &Pool, sort_: Sort) -> Z3_sort {
    // SAFETY: plain constructors with indices that the pool has checked.
    unsafe {
        made(match sort_ {
            Sort::Bool => Z3_mk_bool_sort(context),
            Sort::BitVec(width) => Z3_mk_bv_sort(context, width),
            Sort::Float(format) => Z3_mk_fpa_sort(context, format.exponent(), format.significand()),
            Sort::RoundingMode => Z3_mk_fpa_rounding_mode_sort(context),
            Sort::Int => Z3_mk_int_sort(context),
            Sort::Real => Z3_mk_real_sort(context),
            Sort::Array(_) => {
                let (index, element) = pool.array_parts(sort_).expect("an array sort has parts");
                let (index, element) = (sort(context, pool, index), sort(context, pool, element));
                Z3_mk_array_sort(context, index, element)
            }
            Sort::Uninterpreted(name) => {
                Z3_mk_uninterpreted_sort(context, symbol(context, pool.name(name)))
            }
        })
    }
}

fn numeral(context: Z3_context, pool: &Pool, text: String, of: Sort) -> Option<Z3_ast> {
    let text = CString::new(text).expect("digits hold no NUL");
    // SAFETY: Z3 copies the string; the sort is of this context.
    unsafe { Z3_mk_numeral(context, text.as_ptr(), sort(context, pool, of)) }
}

fn bits(context: Z3_context, pool: &Pool, bits: &Bits) -> Option<Z3_ast> {
    numeral(context, pool, bits.to_biguint().to_string(), Sort::BitVec(bits.width()))
}

fn constant(context: Z3_context, pool: &Pool, value: &Value) -> Option<Z3_ast> {
    // SAFETY: plain constructors in this context.
    unsafe {
        match value {
            Value::Bool(true) => Z3_mk_true(context),
            Value::Bool(false) => Z3_mk_false(context),
            Value::Bits(value) => bits(context, pool, value),
            Value::Float(float) => {
                let interchange = bits(context, pool, &float.to_bits())?;
                Z3_mk_fpa_to_fp_bv(
                    context,
                    interchange,
                    sort(context, pool, Sort::Float(float.format())),
                )
            }
            Value::Rounding(mode) => match mode {
                Rounding::NearestEven => Z3_mk_fpa_rne(context),
                Rounding::NearestAway => Z3_mk_fpa_rna(context),
                Rounding::TowardPositive => Z3_mk_fpa_rtp(context),
                Rounding::TowardNegative => Z3_mk_fpa_rtn(context),
                Rounding::TowardZero => Z3_mk_fpa_rtz(context),
            },
            Value::Int(n) => numeral(context, pool, n.to_string(), Sort::Int),
            Value::Real(r) => {
                numeral(context, pool, format!("{}/{}", r.numer(), r.denom()), Sort::Real)
            }
            // Neither is a constant of terms.
            Value::Array(_) | Value::Element(..) => None,
        }
    }
}
