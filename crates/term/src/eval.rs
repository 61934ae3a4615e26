//! Evaluation: what operators and terms mean on concrete values.
//!
//! [`apply`] is the reference semantics of the kernel; constant folding uses it, and every
//! bit-blaster and solver is tested against it. Where SMT-LIB leaves a result open (the minimum
//! of +0 and −0, a float that does not fit an integer, division by zero) it answers `None`, and
//! [`evaluate`] asks the [`Assignment`] for it, by the name in [`unspecified`].

use crate::op::Op;
use crate::pool::{Func, Pool, Symbol, Term};
use crate::sort::Sort;
use crate::traverse::subterms;
use crate::value::{ArrayValue, Value};
use ::value::{Bits, Float, Rounding};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where [`evaluate`] finds the meaning of what a term does not fix itself.
pub trait Assignment {
    /// The value of a free variable; `None` for "any", which becomes [`default_value`].
    fn var(&self, term: Term, name: Symbol) -> Option<Value>;

    /// The value of a declared function, or of an unspecified case of an operator (under the
    /// function that [`unspecified`] makes); `None` for "any".
    fn function(&self, func: Func, args: &[&Value]) -> Option<Value> {
        let _ = (func, args);
        None
    }
}

impl Assignment for FxHashMap<Term, Value> {
    fn var(&self, term: Term, _: Symbol) -> Option<Value> {
        self.get(&term).cloned()
    }
}

/// Why a term has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EvalError {
    /// A quantifier: there are infinitely many cases.
    #[error("a quantified formula can't be evaluated")]
    Quantifier,
}

/// The uninterpreted function that stands for the unspecified cases of an operator, over the
/// operator's own arguments. A solver that reasons about it and a model that interprets it agree
/// by construction.
///
/// Requires: the operator is partial, i.e. [`apply`] can answer `None` for it.
pub fn unspecified(pool: &Pool, op: &Op, args: &[Term], result: Sort) -> Func {
    let name = match op {
        Op::FpMin => "fp.min.unspecified",
        Op::FpMax => "fp.max.unspecified",
        Op::FpToUbv(_) => "fp.to_ubv.unspecified",
        Op::FpToSbv(_) => "fp.to_sbv.unspecified",
        Op::FpToReal => "fp.to_real.unspecified",
        Op::IntDiv => "div.unspecified",
        Op::IntMod => "mod.unspecified",
        Op::RealDiv => "/.unspecified",
        _ => unreachable!("{op:?} is total"),
    };
    let params: Vec<Sort> = args.iter().map(|a| pool.sort(*a)).collect();
    pool.function(name, &params, result)
}

/// The value that stands for "any" of a sort: false, zero, the constant array of it, ….
pub fn default_value(pool: &Pool, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::BitVec(width) => Value::Bits(Bits::zero(width)),
        Sort::Float(format) => Value::Float(Float::zero(format, false)),
        Sort::RoundingMode => Value::Rounding(Rounding::NearestEven),
        Sort::Int => Value::Int(BigInt::zero()),
        Sort::Real => Value::Real(BigRational::zero()),
        Sort::Array(_) => {
            let (_, element) = pool.array_parts(sort).expect("an array sort has parts");
            let default = default_value(pool, element);
            Value::Array(Arc::new(ArrayValue { sort, default, entries: BTreeMap::new() }))
        }
        Sort::Uninterpreted(symbol) => Value::Element(symbol, 0),
    }
}

/// The value of a term; shared subterms are evaluated once.
pub fn evaluate(
    pool: &Pool,
    term: Term,
    assignment: &(impl Assignment + ?Sized),
) -> Result<Value, EvalError> {
    Ok(evaluate_all(pool, &[term], assignment)?.remove(&term).expect("the root was evaluated"))
}

/// The values of some terms and of all their subterms.
pub fn evaluate_all(
    pool: &Pool,
    terms: &[Term],
    assignment: &(impl Assignment + ?Sized),
) -> Result<FxHashMap<Term, Value>, EvalError> {
    let mut values: FxHashMap<Term, Value> = FxHashMap::default();
    for term in subterms(pool, terms) {
        let node = pool.node(term);
        let args: SmallVec<[&Value; 3]> = node.args.iter().map(|a| &values[a]).collect();
        let value = match &node.op {
            Op::Var(name) => assignment.var(term, *name),
            Op::Apply(func) => assignment.function(*func, &args),
            Op::Forall | Op::Exists => return Err(EvalError::Quantifier),
            op => apply(op, node.sort, &args).or_else(|| {
                assignment.function(unspecified(pool, op, &node.args, node.sort), &args)
            }),
        };
        drop(args);
        let value = value.unwrap_or_else(|| default_value(pool, node.sort));
        values.insert(term, value);
    }
    Ok(values)
}

fn bits(value: &Value) -> &Bits {
    value.as_bits().expect("typing: a bit-vector")
}

fn float(value: &Value) -> &Float {
    value.as_float().expect("typing: a float")
}

fn boolean(value: &Value) -> bool {
    value.as_bool().expect("typing: a Bool")
}

fn rounding(value: &Value) -> Rounding {
    if let Value::Rounding(mode) = value { *mode } else { unreachable!("typing: a rounding mode") }
}

fn array(value: &Value) -> &ArrayValue {
    if let Value::Array(array) = value { array } else { unreachable!("typing: an array") }
}

/// The value of an operator on values, `None` where SMT-LIB leaves it open.
///
/// Requires: the arguments are of the operator's sorts and `sort` is its result's; the operator
/// is neither a variable, a function nor a quantifier.
pub fn apply(op: &Op, sort: Sort, args: &[&Value]) -> Option<Value> {
    let value = match op {
        Op::Value(value) => (**value).clone(),
        Op::Var(_) | Op::Apply(_) | Op::Forall | Op::Exists => {
            unreachable!("{op:?} has no meaning of its own")
        }
        Op::Not => Value::Bool(!boolean(args[0])),
        Op::And => Value::Bool(args.iter().all(|a| boolean(a))),
        Op::Or => Value::Bool(args.iter().any(|a| boolean(a))),
        Op::Eq => Value::Bool(args[0] == args[1]),
        Op::Ite => args[if boolean(args[0]) { 1 } else { 2 }].clone(),
        Op::Select => array(args[0]).select(args[1]).clone(),
        Op::Store => Value::Array(Arc::new(array(args[0]).store(args[1].clone(), args[2].clone()))),
        Op::ConstArray(_) => {
            let default = args[0].clone();
            Value::Array(Arc::new(ArrayValue { sort, default, entries: BTreeMap::new() }))
        }
        Op::BvUlt => Value::Bool(bits(args[0]).ult(bits(args[1]))),
        Op::BvSlt => Value::Bool(bits(args[0]).slt(bits(args[1]))),
        Op::FpFromBits(format) => Value::Float(Float::from_bits(*format, bits(args[0]))),
        Op::BvToNat => Value::Int(bits(args[0]).to_biguint().into()),
        _ => {
            return apply_bits(op, args)
                .map(Value::Bits)
                .or_else(|| apply_predicate(op, args).map(Value::Bool))
                .or_else(|| apply_float(op, args).map(Value::Float))
                .or_else(|| apply_arithmetic(op, args));
        }
    };
    Some(value)
}

/// Operators with a bit-vector result.
fn apply_bits(op: &Op, args: &[&Value]) -> Option<Bits> {
    let a = |i: usize| bits(args[i]);
    Some(match op {
        Op::BvNot => a(0).not(),
        Op::BvNeg => a(0).neg(),
        Op::BvAnd => a(0).and(a(1)),
        Op::BvOr => a(0).or(a(1)),
        Op::BvXor => a(0).xor(a(1)),
        Op::BvAdd => a(0).add(a(1)),
        Op::BvSub => a(0).sub(a(1)),
        Op::BvMul => a(0).mul(a(1)),
        Op::BvUdiv => a(0).udiv(a(1)),
        Op::BvUrem => a(0).urem(a(1)),
        Op::BvSdiv => a(0).sdiv(a(1)),
        Op::BvSrem => a(0).srem(a(1)),
        Op::BvSmod => a(0).smod(a(1)),
        Op::BvShl => a(0).shl(a(1)),
        Op::BvLshr => a(0).lshr(a(1)),
        Op::BvAshr => a(0).ashr(a(1)),
        Op::BvConcat => a(0).concat(a(1)),
        Op::BvExtract { high, low } => a(0).extract(*high, *low),
        Op::BvZeroExtend(n) => a(0).zero_extend(*n),
        Op::BvSignExtend(n) => a(0).sign_extend(*n),
        Op::FpToBits => float(args[0]).to_bits(),
        Op::FpToUbv(width) => return float(args[1]).to_ubv(*width, rounding(args[0])),
        Op::FpToSbv(width) => return float(args[1]).to_sbv(*width, rounding(args[0])),
        Op::IntToBv(width) => match args[0] {
            Value::Int(n) => Bits::from_bigint(*width, n),
            _ => unreachable!("typing: an Int"),
        },
        _ => return None,
    })
}

/// Predicates on floats and numbers.
fn apply_predicate(op: &Op, args: &[&Value]) -> Option<bool> {
    let f = |i: usize| float(args[i]);
    Some(match op {
        Op::FpLt => f(0).lt(f(1)),
        Op::FpLeq => f(0).leq(f(1)),
        Op::FpEq => f(0).ieee_eq(f(1)),
        Op::FpIsNormal => f(0).is_normal(),
        Op::FpIsSubnormal => f(0).is_subnormal(),
        Op::FpIsZero => f(0).is_zero(),
        Op::FpIsInfinite => f(0).is_infinite(),
        Op::FpIsNan => f(0).is_nan(),
        Op::FpIsNegative => f(0).is_negative(),
        Op::FpIsPositive => f(0).is_positive(),
        Op::Lt => args[0] < args[1],
        Op::Le => args[0] <= args[1],
        _ => return None,
    })
}

/// Operators with a float result.
fn apply_float(op: &Op, args: &[&Value]) -> Option<Float> {
    let f = |i: usize| float(args[i]);
    let rm = || rounding(args[0]);
    Some(match op {
        Op::FpAbs => f(0).abs(),
        Op::FpNeg => f(0).neg(),
        Op::FpAdd => f(1).add(f(2), rm()),
        Op::FpMul => f(1).mul(f(2), rm()),
        Op::FpDiv => f(1).div(f(2), rm()),
        Op::FpFma => f(1).fma(f(2), f(3), rm()),
        Op::FpSqrt => f(1).sqrt(rm()),
        Op::FpRem => f(0).rem(f(1)),
        Op::FpRoundToIntegral => f(1).round_to_integral(rm()),
        Op::FpMin | Op::FpMax if f(0).min_max_is_open(f(1)) => return None,
        Op::FpMin => f(0).min(f(1)),
        Op::FpMax => f(0).max(f(1)),
        Op::FpToFp(format) => f(1).to_format(*format, rm()),
        Op::FpFromSbv(format) => Float::from_sbv(*format, rm(), bits(args[1])),
        Op::FpFromUbv(format) => Float::from_ubv(*format, rm(), bits(args[1])),
        Op::FpFromReal(format) => match args[1] {
            Value::Real(r) => Float::from_rational(*format, rm(), r),
            _ => unreachable!("typing: a Real"),
        },
        _ => return None,
    })
}

/// Operators on integers and reals with an integer or real result.
fn apply_arithmetic(op: &Op, args: &[&Value]) -> Option<Value> {
    use ::value::int;
    Some(match (op, args) {
        (Op::FpToReal, [Value::Float(x)]) => Value::Real(x.to_real()?),
        (Op::Neg, [Value::Int(a)]) => Value::Int(-a),
        (Op::Neg, [Value::Real(a)]) => Value::Real(-a),
        (Op::Add, [Value::Int(a), Value::Int(b)]) => Value::Int(a + b),
        (Op::Add, [Value::Real(a), Value::Real(b)]) => Value::Real(a + b),
        (Op::Sub, [Value::Int(a), Value::Int(b)]) => Value::Int(a - b),
        (Op::Sub, [Value::Real(a), Value::Real(b)]) => Value::Real(a - b),
        (Op::Mul, [Value::Int(a), Value::Int(b)]) => Value::Int(a * b),
        (Op::Mul, [Value::Real(a), Value::Real(b)]) => Value::Real(a * b),
        (Op::IntDiv, [Value::Int(a), Value::Int(b)]) => Value::Int(int::div(a, b)?),
        (Op::IntMod, [Value::Int(a), Value::Int(b)]) => Value::Int(int::modulo(a, b)?),
        (Op::RealDiv, [Value::Real(a), Value::Real(b)]) => {
            if b.is_zero() {
                return None;
            }
            Value::Real(a / b)
        }
        (Op::ToReal, [Value::Int(a)]) => Value::Real(BigRational::from_integer(a.clone())),
        (Op::ToInt, [Value::Real(a)]) => Value::Int(a.floor().to_integer()),
        // An operator of the other tables whose result is open.
        _ => return None,
    })
}
