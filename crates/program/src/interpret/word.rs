//! Operators on words: values of sort Bool, bit-vectors of at most 64 bits and the processor's floats
//! ([`super::float_word`]) as machine words, which is nearly all that programs compute with.
//! [`term::eval::apply`] is the reference, and the tests compare with it.
//!
//! A word's bits above its width are zero.

use super::float_word::{self, FloatOp, is_machine};
use term::{Op, Pool, Sort, Term, Value};
use value::{Bits, Float};

/// Whether values of the sort are words.
pub(super) fn is_word(sort: Sort) -> bool {
    match sort {
        Sort::Bool | Sort::BitVec(..=64) => true,
        Sort::Float(format) => is_machine(format),
        _ => false,
    }
}

/// A value whose sort is one of words as a word.
pub(super) fn of_value(value: &Value) -> u64 {
    match value {
        Value::Bool(b) => u64::from(*b),
        Value::Bits(bits) => bits.to_u64().expect("a word has at most 64 bits"),
        Value::Float(float) => float.to_bits().to_u64().expect("a word has at most 64 bits"),
        _ => unreachable!("{value:?} is no word"),
    }
}

/// The value that a word stands for.
pub(super) fn to_value(word: u64, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::BitVec(width) => Value::Bits(Bits::from_u64(width, word)),
        Sort::Float(format) => {
            Value::Float(Float::from_bits(format, &Bits::from_u64(format.width(), word)))
        }
        _ => unreachable!("{sort:?} is no sort of words"),
    }
}

/// An operator whose arguments and result are words. Numbers are widths, or masks of ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordOp {
    Not,
    And,
    Or,
    Eq,
    Ite,
    BitNot(u64),
    BitAnd,
    BitOr,
    BitXor,
    Neg(u64),
    Add(u64),
    Sub(u64),
    Mul(u64),
    Udiv(u64),
    Urem,
    Sdiv(u32),
    Srem(u32),
    Shl(u32),
    Lshr(u32),
    Ashr(u32),
    Ult,
    Slt(u32),
    /// By the width of the lower part.
    Concat(u32),
    /// From this bit on.
    Extract(u32, u64),
    ZeroExtend,
    /// From the one width, to the other's mask.
    SignExtend(u32, u64),
    /// On floats, and whether they are `float`.
    Float(FloatOp, bool),
}

pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The word as a signed number.
pub(super) fn signed(word: u64, width: u32) -> i64 {
    ((word << (64 - width)) as i64) >> (64 - width)
}

impl WordOp {
    /// The operator on words for a term's, if there is one, and how many of the term's first arguments
    /// it has no use for: all others and the result must be words, and there are at most three of them
    /// (of ∧ and ∨, two).
    pub(super) fn of(pool: &Pool, term: Term) -> Option<(WordOp, usize)> {
        if let Some(op) = WordOp::on_bits(pool, term) {
            return Some((op, 0));
        }
        let (op, single, skipped) = float_word::operator(pool, term)?;
        Some((WordOp::Float(op, single), skipped))
    }

    /// The operator that does not look at what floats mean.
    fn on_bits(pool: &Pool, term: Term) -> Option<WordOp> {
        let node = pool.node(term);
        let words = node.args.iter().all(|a| is_word(pool.sort(*a)));
        if !words || !is_word(node.sort) {
            return None;
        }
        // The width of the first argument, 1 of a Bool.
        let width = node.args.first().and_then(|a| pool.sort(*a).width()).unwrap_or(1);
        let ones = mask(width);
        Some(match &node.op {
            Op::Not => WordOp::Not,
            Op::And => WordOp::And,
            Op::Or => WordOp::Or,
            Op::Eq => WordOp::Eq,
            Op::Ite => WordOp::Ite,
            Op::BvNot => WordOp::BitNot(ones),
            Op::BvAnd => WordOp::BitAnd,
            Op::BvOr => WordOp::BitOr,
            Op::BvXor => WordOp::BitXor,
            Op::BvNeg => WordOp::Neg(ones),
            Op::BvAdd => WordOp::Add(ones),
            Op::BvSub => WordOp::Sub(ones),
            Op::BvMul => WordOp::Mul(ones),
            Op::BvUdiv => WordOp::Udiv(ones),
            Op::BvUrem => WordOp::Urem,
            Op::BvSdiv => WordOp::Sdiv(width),
            Op::BvSrem => WordOp::Srem(width),
            Op::BvShl => WordOp::Shl(width),
            Op::BvLshr => WordOp::Lshr(width),
            Op::BvAshr => WordOp::Ashr(width),
            Op::BvUlt => WordOp::Ult,
            Op::BvSlt => WordOp::Slt(width),
            Op::BvConcat => WordOp::Concat(pool.width(node.args[1])),
            Op::BvExtract { high, low } => WordOp::Extract(*low, mask(high - low + 1)),
            Op::BvZeroExtend(_) => WordOp::ZeroExtend,
            Op::BvSignExtend(_) => WordOp::SignExtend(width, mask(pool.width(term))),
            _ => return None,
        })
    }

    /// The result.
    #[inline]
    pub(super) fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        match self {
            WordOp::Not => a ^ 1,
            WordOp::And | WordOp::BitAnd => a & b,
            WordOp::Or | WordOp::BitOr => a | b,
            WordOp::Eq => u64::from(a == b),
            WordOp::Ite => {
                if a != 0 {
                    b
                } else {
                    c
                }
            }
            WordOp::BitNot(mask) => a ^ mask,
            WordOp::BitXor => a ^ b,
            WordOp::Neg(mask) => a.wrapping_neg() & mask,
            WordOp::Add(mask) => a.wrapping_add(b) & mask,
            WordOp::Sub(mask) => a.wrapping_sub(b) & mask,
            WordOp::Mul(mask) => a.wrapping_mul(b) & mask,
            WordOp::Udiv(mask) => a.checked_div(b).unwrap_or(mask),
            WordOp::Urem => a.checked_rem(b).unwrap_or(a),
            WordOp::Sdiv(width) => match (signed(a, width), signed(b, width)) {
                (a, 0) if a >= 0 => mask(width),
                (_, 0) => 1,
                (a, b) => a.wrapping_div(b) as u64 & mask(width),
            },
            WordOp::Srem(width) => match (signed(a, width), signed(b, width)) {
                (_, 0) => a,
                (a, b) => a.wrapping_rem(b) as u64 & mask(width),
            },
            WordOp::Shl(width) if b < u64::from(width) => (a << b) & mask(width),
            WordOp::Lshr(width) if b < u64::from(width) => a >> b,
            WordOp::Shl(_) | WordOp::Lshr(_) => 0,
            WordOp::Ashr(width) => {
                let by = b.min(u64::from(width) - 1);
                (signed(a, width) >> by) as u64 & mask(width)
            }
            WordOp::Ult => u64::from(a < b),
            WordOp::Slt(width) => u64::from(signed(a, width) < signed(b, width)),
            WordOp::Concat(width) => (a << width) | b,
            WordOp::Extract(low, mask) => (a >> low) & mask,
            WordOp::ZeroExtend => a,
            WordOp::SignExtend(width, mask) => signed(a, width) as u64 & mask,
            WordOp::Float(op, single) => op.apply(single, a, b, c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::eval;

    /// Words at which operators go wrong.
    fn samples(width: u32) -> Vec<u64> {
        let least = 1 << (width - 1);
        let candidates = [
            0,
            1,
            2,
            3,
            7,
            u64::from(width) - 1,
            u64::from(width),
            u64::from(width) + 1,
            least,
            least - 1,
            least + 1,
            u64::MAX,
            u64::MAX - 1,
            0x0123_4567_89ab_cdef,
            0xfedc_ba98_7654_3210,
        ];
        let mut samples: Vec<u64> = candidates.iter().map(|n| n & mask(width)).collect();
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    /// Compares an operator on two variables of a width with the reference; says whether there
    /// is an operator on words.
    fn compare(pool: &Pool, op: Op, width: u32, arity: usize) -> bool {
        let sort = Sort::BitVec(width);
        let args: Vec<Term> =
            (0..arity).map(|i| pool.var(&format!("v{width}_{i}"), sort)).collect();
        let term = pool.make(op.clone(), &args);
        if *pool.op(term) != op {
            return false;
        }
        let Some((word_op, 0)) = WordOp::of(pool, term) else { return false };
        // The pool may have changed the order of arguments.
        let swapped = pool.args(term) != args;
        for a in samples(width) {
            for b in samples(width) {
                let (x, y) = if swapped { (b, a) } else { (a, b) };
                let values = [to_value(x, sort), to_value(y, sort)];
                let references: Vec<&Value> = values.iter().take(arity).collect();
                let expected = eval::apply(&op, pool.sort(term), &references).expect("total");
                let ours = word_op.apply(x, y, x);
                assert_eq!(to_value(ours, pool.sort(term)), expected, "{op:?} {width} {x} {y}");
            }
        }
        true
    }

    #[test]
    fn operators_on_words_mean_what_the_reference_says() {
        let pool = Pool::new();
        let binary = [
            Op::Eq,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvUlt,
            Op::BvSlt,
        ];
        for width in [1, 2, 5, 8, 31, 32, 33, 63, 64] {
            // Of width 1, most are others in disguise.
            for op in &binary {
                let found = compare(&pool, op.clone(), width, 2);
                assert!(found || width == 1 || *op == Op::BvSub, "{op:?} {width}");
            }
            compare(&pool, Op::BvNot, width, 1);
            compare(&pool, Op::BvNeg, width, 1);
            for by in [1, 3, 64 - width] {
                if by > 0 && width + by <= 64 {
                    compare(&pool, Op::BvZeroExtend(by), width, 1);
                    compare(&pool, Op::BvSignExtend(by), width, 1);
                }
            }
            for low in [0, width / 3, width - 1] {
                for high in [low, width - 1] {
                    compare(&pool, Op::BvExtract { high, low }, width, 1);
                }
            }
            if width <= 32 {
                assert!(compare(&pool, Op::BvConcat, width, 2));
            }
        }
    }
}
