//! One operator at a time.

use super::{Blasted, Blaster, is_atom};
use crate::float::{self, Float, Layout};
use crate::rounding::Mode;
use crate::word::{self, Word};
use aig::{Aig, Edge};
use rustc_hash::FxHashMap;
use term::eval::unspecified;
use term::{Op, Pool, Sort, Term, Value};
use value::{Float as FloatValue, Rounding};

/// The operands of one term, and the graph.
struct Builder<'a> {
    g: &'a mut Aig,
    blasted: &'a FxHashMap<Term, Blasted>,
    args: &'a [Term],
}

/// Builds a term that is neither a variable nor an atom.
///
/// Requires: its operands are blasted and have bits.
pub(super) fn build(blaster: &mut Blaster, pool: &Pool, term: Term) -> Blasted {
    debug_assert!(!is_atom(pool, term));
    let op = pool.op(term);
    let args = pool.args(term);
    match op {
        Op::FpMin | Op::FpMax => return extreme(blaster, pool, term),
        Op::FpToUbv(_) | Op::FpToSbv(_) => return to_bits(blaster, pool, term),
        _ => {}
    }
    let Blaster { graph, blasted, .. } = blaster;
    let mut b = Builder { g: graph, blasted, args };
    match op {
        Op::Value(value) => constant(b.g, value),
        Op::Not | Op::And | Op::Or | Op::Eq | Op::Ite => b.core(op),
        Op::BvUlt | Op::BvSlt => Blasted::Bool(b.bv_comparison(op)),
        Op::FpLt
        | Op::FpLeq
        | Op::FpEq
        | Op::FpIsNormal
        | Op::FpIsSubnormal
        | Op::FpIsZero
        | Op::FpIsInfinite
        | Op::FpIsNan
        | Op::FpIsNegative
        | Op::FpIsPositive => Blasted::Bool(b.float_predicate(op)),
        Op::FpFromReal(_) => {
            let real = pool.value(args[1]).expect("only constant reals reach here");
            Blasted::Float(Box::new(b.rounded_real(op, real)))
        }
        _ if matches!(pool.sort(term), Sort::Float(_)) => {
            Blasted::Float(Box::new(b.float_operator(op)))
        }
        _ => Blasted::Bits(b.bv_operator(op)),
    }
}

fn constant(g: &mut Aig, value: &Value) -> Blasted {
    match value {
        Value::Bool(b) => Blasted::Bool(Edge::constant(*b)),
        Value::Bits(bits) => Blasted::Bits(bits.iter().map(Edge::constant).collect()),
        Value::Float(float) => Blasted::Float(Box::new(constant_float(g, float))),
        Value::Rounding(mode) => Blasted::Rounding(Mode::constant(*mode)),
        Value::Int(_) | Value::Real(_) | Value::Array(_) | Value::Element(..) => {
            unreachable!("only values with bits are blasted")
        }
    }
}

/// In both forms, so that it goes with whatever the other operand has.
fn constant_float(g: &mut Aig, value: &FloatValue) -> Float {
    let bits: Word = value.to_bits().iter().map(Edge::constant).collect();
    let float = Float::from_bits(g, Layout::of(value.format()), &bits);
    float.normal(g);
    float
}

impl<'a> Builder<'a> {
    fn truth(&self, i: usize) -> Edge {
        match &self.blasted[&self.args[i]] {
            Blasted::Bool(edge) => *edge,
            other => unreachable!("typing: a Bool, not {other:?}"),
        }
    }

    fn word(&self, i: usize) -> &'a Word {
        match &self.blasted[&self.args[i]] {
            Blasted::Bits(word) => word,
            other => unreachable!("typing: a bit-vector, not {other:?}"),
        }
    }

    fn float(&self, i: usize) -> &'a Float {
        match &self.blasted[&self.args[i]] {
            Blasted::Float(float) => float,
            other => unreachable!("typing: a float, not {other:?}"),
        }
    }

    fn mode(&self, i: usize) -> &'a Mode {
        match &self.blasted[&self.args[i]] {
            Blasted::Rounding(mode) => mode,
            other => unreachable!("typing: a rounding mode, not {other:?}"),
        }
    }

    fn core(&mut self, op: &Op) -> Blasted {
        let truths = |b: &Self| (0..b.args.len()).map(|i| b.truth(i)).collect::<Vec<_>>();
        Blasted::Bool(match op {
            Op::Not => !self.truth(0),
            Op::And => self.g.and_all(truths(self)),
            Op::Or => self.g.or_all(truths(self)),
            Op::Eq => self.equal(),
            _ => return self.ite(),
        })
    }

    fn equal(&mut self) -> Edge {
        match (&self.blasted[&self.args[0]], &self.blasted[&self.args[1]]) {
            (Blasted::Bool(a), Blasted::Bool(b)) => self.g.iff(*a, *b),
            (Blasted::Bits(a), Blasted::Bits(b)) => word::equal(self.g, a, b),
            (Blasted::Float(a), Blasted::Float(b)) => float::identical(self.g, a, b),
            (Blasted::Rounding(a), Blasted::Rounding(b)) => {
                word::equal(self.g, &a.bits(), &b.bits())
            }
            _ => unreachable!("typing: equal sorts"),
        }
    }

    fn ite(&mut self) -> Blasted {
        let c = self.truth(0);
        match (&self.blasted[&self.args[1]], &self.blasted[&self.args[2]]) {
            (Blasted::Bool(t), Blasted::Bool(e)) => Blasted::Bool(self.g.ite(c, *t, *e)),
            (Blasted::Bits(t), Blasted::Bits(e)) => Blasted::Bits(word::ite(self.g, c, t, e)),
            (Blasted::Float(t), Blasted::Float(e)) => {
                Blasted::Float(Box::new(Float::ite(self.g, c, t, e)))
            }
            (Blasted::Rounding(t), Blasted::Rounding(e)) => {
                Blasted::Rounding(Mode::ite(self.g, c, *t, *e))
            }
            _ => unreachable!("typing: equal sorts"),
        }
    }

    fn bv_comparison(&mut self, op: &Op) -> Edge {
        let (a, b) = (self.word(0), self.word(1));
        match op {
            Op::BvUlt => word::less(self.g, a, b),
            _ => word::signed_less(self.g, a, b),
        }
    }

    fn bv_operator(&mut self, op: &Op) -> Word {
        if *op == Op::FpToBits {
            return self.float(0).bits(self.g);
        }
        let a = self.word(0);
        let g = &mut *self.g;
        // Only binary operators ask for it.
        let b = || match &self.blasted[&self.args[1]] {
            Blasted::Bits(word) => word,
            other => unreachable!("typing: a bit-vector, not {other:?}"),
        };
        match op {
            Op::BvNot => word::not(a),
            Op::BvAnd => word::and(g, a, b()),
            Op::BvOr => word::or(g, a, b()),
            Op::BvXor => word::xor(g, a, b()),
            Op::BvNeg => word::negate(g, a),
            Op::BvAdd => word::add(g, a, b()),
            Op::BvSub => word::subtract(g, a, b()),
            Op::BvMul => word::multiply(g, a, b()),
            Op::BvUdiv => word::divide(g, a, b()).0,
            Op::BvUrem => word::divide(g, a, b()).1,
            Op::BvSdiv => word::signed_divide(g, a, b()),
            Op::BvSrem => word::signed_remainder(g, a, b()),
            Op::BvSmod => word::signed_modulo(g, a, b()),
            Op::BvShl => word::shift_left(g, a, b()),
            Op::BvLshr => word::shift_right(g, a, b()),
            Op::BvAshr => word::shift_right_signed(g, a, b()),
            Op::BvConcat => word::concat(b(), a),
            Op::BvExtract { high, low } => a[*low as usize..=*high as usize].to_vec(),
            Op::BvZeroExtend(n) => word::zero_extend(a, a.len() + *n as usize),
            Op::BvSignExtend(n) => word::sign_extend(a, a.len() + *n as usize),
            _ => unreachable!("{op:?} gives no bit-vector of bits"),
        }
    }

    fn float_predicate(&mut self, op: &Op) -> Edge {
        let a = self.float(0);
        match op {
            Op::FpLt => float::less(self.g, a, self.float(1)),
            Op::FpLeq => float::less_equal(self.g, a, self.float(1)),
            Op::FpEq => float::equal(self.g, a, self.float(1)),
            Op::FpIsNormal => a.is_normal(self.g),
            Op::FpIsSubnormal => a.is_subnormal(self.g),
            Op::FpIsZero => a.zero,
            Op::FpIsInfinite => a.infinite,
            Op::FpIsNan => a.nan,
            Op::FpIsNegative => a.is_negative(self.g),
            _ => a.is_positive(self.g),
        }
    }

    fn float_operator(&mut self, op: &Op) -> Float {
        match op {
            Op::FpFromBits(format) => Float::from_bits(self.g, Layout::of(*format), self.word(0)),
            Op::FpAbs => self.float(0).absolute(),
            Op::FpNeg => self.float(0).negate(),
            Op::FpRem => float::remainder(self.g, self.float(0), self.float(1)),
            _ => self.rounded_operator(op),
        }
    }

    /// The operators that take a rounding mode first.
    fn rounded_operator(&mut self, op: &Op) -> Float {
        let mode = self.mode(0);
        match op {
            Op::FpAdd => float::add(self.g, mode, self.float(1), self.float(2)),
            Op::FpMul => float::multiply(self.g, mode, self.float(1), self.float(2)),
            Op::FpDiv => float::divide(self.g, mode, self.float(1), self.float(2)),
            Op::FpFma => float::fma(self.g, mode, self.float(1), self.float(2), self.float(3)),
            Op::FpSqrt => float::square_root(self.g, mode, self.float(1)),
            Op::FpRoundToIntegral => float::round_to_integral(self.g, mode, self.float(1)),
            Op::FpToFp(format) => {
                float::to_format(self.g, mode, self.float(1), Layout::of(*format))
            }
            Op::FpFromSbv(format) => {
                float::from_signed(self.g, mode, self.word(1), Layout::of(*format))
            }
            Op::FpFromUbv(format) => {
                float::from_unsigned(self.g, mode, self.word(1), Layout::of(*format))
            }
            _ => unreachable!("{op:?} gives no float of bits"),
        }
    }

    /// A constant real under a mode that is none: one of five constants.
    fn rounded_real(&mut self, op: &Op, real: &Value) -> Float {
        let (Op::FpFromReal(format), Value::Real(real)) = (op, real) else {
            unreachable!("typing: a real and a format")
        };
        let code = self.mode(0).bits();
        let mut float: Option<Float> = None;
        for rounding in Rounding::ALL {
            let value = FloatValue::from_rational(*format, rounding, real);
            let rounded = constant_float(self.g, &value);
            let bits = Mode::constant(rounding).bits();
            let chosen = word::equal(self.g, &code, &bits);
            float = Some(match float {
                None => rounded,
                Some(rest) => Float::ite(self.g, chosen, &rounded, &rest),
            });
        }
        float.expect("there are five modes")
    }
}

/// A float as an integer; where it does not fit, an atom.
fn to_bits(blaster: &mut Blaster, pool: &Pool, term: Term) -> Blasted {
    let (op, args) = (pool.op(term), pool.args(term));
    let Blaster { graph, blasted, .. } = blaster;
    let b = Builder { g: graph, blasted, args };
    let (mode, float) = (b.mode(0), b.float(1));
    let (number, fits) = match op {
        Op::FpToUbv(width) => float::to_unsigned(b.g, mode, float, *width as usize),
        Op::FpToSbv(width) => float::to_signed(b.g, mode, float, *width as usize),
        _ => unreachable!("{op:?} gives no integer"),
    };
    if fits == Edge::TRUE {
        return Blasted::Bits(number);
    }
    let atom = pool.apply(unspecified(pool, op, args, pool.sort(term)), args);
    if !blaster.is_blasted(atom) {
        let free = blaster.free(pool.sort(atom));
        blaster.atoms.push(atom);
        blaster.blasted.insert(atom, free);
    }
    let Blaster { graph, blasted, .. } = blaster;
    let Blasted::Bits(open) = &blasted[&atom] else { unreachable!("typing: a bit-vector") };
    Blasted::Bits(word::ite(graph, fits, &number, open))
}

/// The smaller or the larger of two floats; of zeros with different signs, what an atom says.
fn extreme(blaster: &mut Blaster, pool: &Pool, term: Term) -> Blasted {
    let (op, args) = (pool.op(term), pool.args(term));
    let (a, b) = {
        let Blaster { graph, blasted, .. } = &mut *blaster;
        let b = Builder { g: graph, blasted, args };
        (b.float(0).clone(), b.float(1).clone())
    };
    let differ = blaster.graph.xor(a.sign, b.sign);
    let open = blaster.graph.and_all([a.zero, b.zero, differ]);
    let mut first_zero = Edge::FALSE;
    if open != Edge::FALSE {
        let minus_first = open_zero(blaster, pool, term, true);
        let plus_first = open_zero(blaster, pool, term, false);
        // The sign of the result is that of the first operand.
        first_zero = blaster.graph.ite(a.sign, minus_first, !plus_first);
    }
    let g = &mut blaster.graph;
    let float = match op {
        Op::FpMin => float::minimum(g, &a, &b, first_zero),
        _ => float::maximum(g, &a, &b, first_zero),
    };
    Blasted::Float(Box::new(float))
}

/// The sign of what the operator gives for (−0, +0), or for (+0, −0): a free input.
fn open_zero(blaster: &mut Blaster, pool: &Pool, term: Term, minus_first: bool) -> Edge {
    let Sort::Float(format) = pool.sort(term) else { unreachable!("typing: a float") };
    let zero = |minus: bool| pool.float(FloatValue::zero(format, minus));
    let args = [zero(minus_first), zero(!minus_first)];
    let atom = pool.apply(unspecified(pool, pool.op(term), &args, pool.sort(term)), &args);
    if let Some(Blasted::Float(float)) = blaster.blasted.get(&atom) {
        return float.sign;
    }
    let g = &mut blaster.graph;
    let layout = Layout::of(format);
    let mut bits = word::zeros(layout.width());
    let sign = g.input();
    bits[layout.width() - 1] = sign;
    let float = Float::from_bits(g, layout, &bits);
    blaster.atoms.push(atom);
    blaster.blasted.insert(atom, Blasted::Float(Box::new(float)));
    sign
}
