//! Bit-vectors.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::sort::Sort;
use crate::value::Value;
use value::Bits;

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(&self, a: Term, b: Term) -> Term {
            self.make(Op::$op, &[a, b])
        })*
    };
}

impl Pool {
    binary! {
        /// bitwise a ∧ b
        bv_and = BvAnd;
        /// bitwise a ∨ b
        bv_or = BvOr;
        /// bitwise a ⊕ b
        bv_xor = BvXor;
        /// a + b
        bv_add = BvAdd;
        /// a − b
        bv_sub = BvSub;
        /// a · b
        bv_mul = BvMul;
        /// unsigned a / b
        bv_udiv = BvUdiv;
        /// unsigned remainder of a / b
        bv_urem = BvUrem;
        /// signed a / b
        bv_sdiv = BvSdiv;
        /// signed remainder with the sign of a
        bv_srem = BvSrem;
        /// signed remainder with the sign of b
        bv_smod = BvSmod;
        /// a shifted left by b
        bv_shl = BvShl;
        /// a shifted right by b, zeros in
        bv_lshr = BvLshr;
        /// a shifted right by b, sign in
        bv_ashr = BvAshr;
        /// unsigned a < b
        bv_ult = BvUlt;
        /// signed a < b
        bv_slt = BvSlt;
        /// a above b
        bv_concat = BvConcat;
    }

    /// The bit-vector constant with this value.
    pub fn bits(&self, bits: Bits) -> Term {
        self.constant(Value::Bits(bits))
    }

    /// The constant `value` modulo 2^width.
    pub fn bv(&self, value: u64, width: u32) -> Term {
        self.bits(Bits::from_u64(width, value))
    }

    /// bitwise ¬a
    pub fn bv_not(&self, a: Term) -> Term {
        self.make(Op::BvNot, &[a])
    }

    /// −a
    pub fn bv_neg(&self, a: Term) -> Term {
        self.make(Op::BvNeg, &[a])
    }

    /// unsigned a ≤ b
    pub fn bv_ule(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_ult(b, a))
    }

    /// signed a ≤ b
    pub fn bv_sle(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_slt(b, a))
    }

    /// Bits `high` down to `low`.
    pub fn bv_extract(&self, a: Term, high: u32, low: u32) -> Term {
        self.make(Op::BvExtract { high, low }, &[a])
    }

    /// `n` zeros above.
    pub fn bv_zero_extend(&self, a: Term, n: u32) -> Term {
        self.make(Op::BvZeroExtend(n), &[a])
    }

    /// `n` copies of the sign above.
    pub fn bv_sign_extend(&self, a: Term, n: u32) -> Term {
        self.make(Op::BvSignExtend(n), &[a])
    }

    /// The one-bit vector of a truth value.
    pub fn bv_from_bool(&self, a: Term) -> Term {
        self.ite(a, self.bv(1, 1), self.bv(0, 1))
    }

    /// The width of a bit-vector.
    ///
    /// # Panics
    /// If the term is not a bit-vector.
    pub fn width(&self, term: Term) -> u32 {
        self.sort(term).width().expect("width() is asked of bit-vectors only")
    }

    /// The constant's bits.
    pub fn as_bits(&self, term: Term) -> Option<&Bits> {
        self.value(term)?.as_bits()
    }

    pub(super) fn simplify_bv(&self, op: &Op, sort: Sort, args: &[Term]) -> Option<Term> {
        let width = self.width(args[0]);
        match (op, args) {
            (Op::BvNot, [a]) if *self.op(*a) == Op::BvNot => Some(self.args(*a)[0]),
            (Op::BvNeg, [a]) if *self.op(*a) == Op::BvNeg => Some(self.args(*a)[0]),
            (Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul, [a, b]) => {
                self.simplify_commutative(op, sort, width, *a, *b)
            }
            (Op::BvSub, [a, b]) if a == b => Some(self.bv(0, width)),
            (Op::BvSub, [a, b]) if self.as_bits(*b).is_some() => {
                Some(self.bv_add(*a, self.bv_neg(*b)))
            }
            (Op::BvSub, [a, b]) if self.is_zero(*a) => Some(self.bv_neg(*b)),
            (Op::BvUdiv | Op::BvUrem, [a, b]) => self.simplify_division(op, width, *a, *b),
            (Op::BvShl | Op::BvLshr | Op::BvAshr, [a, b]) => self.simplify_shift(op, width, *a, *b),
            (Op::BvUlt, [a, b]) => self.simplify_ult(width, *a, *b),
            (Op::BvSlt, [a, b]) if a == b => Some(self.fls()),
            (Op::BvConcat, [a, b]) => self.simplify_concat(*a, *b),
            (Op::BvExtract { high, low }, [a]) => self.simplify_extract(width, *a, *high, *low),
            (Op::BvZeroExtend(0) | Op::BvSignExtend(0), [a]) => Some(*a),
            (Op::BvZeroExtend(n), [a]) => match self.op(*a) {
                Op::BvZeroExtend(m) => Some(self.bv_zero_extend(self.args(*a)[0], n + m)),
                _ => None,
            },
            (Op::BvSignExtend(n), [a]) => match self.op(*a) {
                Op::BvSignExtend(m) => Some(self.bv_sign_extend(self.args(*a)[0], n + m)),
                Op::BvZeroExtend(m) if *m > 0 => Some(self.bv_zero_extend(self.args(*a)[0], n + m)),
                _ => None,
            },
            _ => None,
        }
    }

    /// n, of the constant 2ⁿ.
    fn power_of_two(&self, term: Term) -> Option<u32> {
        let bits = self.as_bits(term)?;
        let zeros = bits.trailing_zeros();
        (bits.popcount() == 1).then_some(zeros)
    }

    fn is_zero(&self, term: Term) -> bool {
        self.as_bits(term).is_some_and(Bits::is_zero)
    }

    fn is_ones(&self, term: Term) -> bool {
        self.as_bits(term).is_some_and(Bits::is_ones)
    }

    fn is_one(&self, term: Term) -> bool {
        self.as_bits(term).is_some_and(Bits::is_one)
    }

    fn bv_complementary(&self, a: Term, b: Term) -> bool {
        (*self.op(a) == Op::BvNot && self.args(a)[0] == b)
            || (*self.op(b) == Op::BvNot && self.args(b)[0] == a)
    }

    /// A constant goes second, otherwise the older term first; constants of nested sums and
    /// bitwise operations are merged.
    fn simplify_commutative(
        &self,
        op: &Op,
        sort: Sort,
        width: u32,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        let swap = match (self.as_bits(a), self.as_bits(b)) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            _ => b < a,
        };
        let (a, b) = if swap { (b, a) } else { (a, b) };
        match op {
            Op::BvAnd if a == b || self.is_ones(b) => return Some(a),
            Op::BvAnd if self.is_zero(b) => return Some(b),
            Op::BvAnd if self.bv_complementary(a, b) => return Some(self.bv(0, width)),
            Op::BvOr if a == b || self.is_zero(b) => return Some(a),
            Op::BvOr if self.is_ones(b) => return Some(b),
            Op::BvOr if self.bv_complementary(a, b) => return Some(self.bits(Bits::ones(width))),
            Op::BvXor if a == b => return Some(self.bv(0, width)),
            Op::BvXor if self.is_zero(b) => return Some(a),
            Op::BvXor if self.is_ones(b) => return Some(self.bv_not(a)),
            Op::BvAdd if self.is_zero(b) => return Some(a),
            Op::BvAdd if self.bv_complementary(a, b) => return Some(self.bits(Bits::ones(width))),
            Op::BvAdd if *self.op(b) == Op::BvNeg && self.args(b)[0] == a => {
                return Some(self.bv(0, width));
            }
            Op::BvAdd if *self.op(a) == Op::BvNeg && self.args(a)[0] == b => {
                return Some(self.bv(0, width));
            }
            Op::BvMul if self.is_zero(b) => return Some(b),
            Op::BvMul if self.is_one(b) => return Some(a),
            Op::BvMul if self.is_ones(b) => return Some(self.bv_neg(a)),
            Op::BvMul => {
                if let Some(shift) = self.power_of_two(b) {
                    return Some(self.bv_shl(a, self.bv(u64::from(shift), width)));
                }
            }
            _ => {}
        }
        if self.as_bits(b).is_some() && self.op(a) == op {
            let [x, c] = self.args(a)[..] else { unreachable!("a binary operator") };
            if self.as_bits(c).is_some() {
                return Some(self.make(op.clone(), &[x, self.make(op.clone(), &[c, b])]));
            }
        }
        Some(self.intern(op.clone(), sort, &[a, b]))
    }

    fn simplify_division(&self, op: &Op, width: u32, a: Term, b: Term) -> Option<Term> {
        let quotient = *op == Op::BvUdiv;
        if self.is_zero(b) {
            return Some(if quotient { self.bits(Bits::ones(width)) } else { a });
        }
        let shift = self.power_of_two(b)?;
        if quotient {
            return Some(self.bv_lshr(a, self.bv(u64::from(shift), width)));
        }
        if shift == 0 {
            return Some(self.bv(0, width));
        }
        Some(self.bv_zero_extend(self.bv_extract(a, shift - 1, 0), width - shift))
    }

    /// A shift by a constant is a matter of wires.
    fn simplify_shift(&self, op: &Op, width: u32, a: Term, b: Term) -> Option<Term> {
        if self.is_zero(a) {
            return Some(a);
        }
        let by = self.as_bits(b)?;
        let by = by.to_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(width).min(width);
        Some(match op {
            _ if by == 0 => a,
            Op::BvAshr => {
                let kept = self.bv_extract(a, width - 1, by.min(width - 1));
                self.bv_sign_extend(kept, by.min(width - 1))
            }
            _ if by == width => self.bv(0, width),
            Op::BvShl => self.bv_concat(self.bv_extract(a, width - by - 1, 0), self.bv(0, by)),
            _ => self.bv_zero_extend(self.bv_extract(a, width - 1, by), by),
        })
    }

    fn simplify_ult(&self, width: u32, a: Term, b: Term) -> Option<Term> {
        if a == b || self.is_zero(b) || self.is_ones(a) {
            return Some(self.fls());
        }
        if self.is_one(b) {
            return Some(self.eq(a, self.bv(0, width)));
        }
        if self.is_zero(a) {
            return Some(self.ne(b, a));
        }
        if self.is_ones(b) {
            return Some(self.ne(a, b));
        }
        // Zeros above on both sides do not matter.
        match (self.op(a), self.op(b)) {
            (Op::BvZeroExtend(n), Op::BvZeroExtend(m)) if n == m => {
                Some(self.bv_ult(self.args(a)[0], self.args(b)[0]))
            }
            _ => None,
        }
    }

    fn simplify_concat(&self, a: Term, b: Term) -> Option<Term> {
        if self.is_zero(a) {
            return Some(self.bv_zero_extend(b, self.width(a)));
        }
        match (self.op(a), self.op(b)) {
            // Neighbouring slices of one vector are one slice.
            (Op::BvExtract { high, low }, Op::BvExtract { high: h, low: l })
                if self.args(a)[0] == self.args(b)[0] && *low == h + 1 =>
            {
                Some(self.bv_extract(self.args(a)[0], *high, *l))
            }
            // (x ∘ c) ∘ d = x ∘ (c ∘ d) for constants c, d
            (Op::BvConcat, Op::Value(_)) if self.as_bits(self.args(a)[1]).is_some() => {
                let [x, c] = self.args(a)[..] else { unreachable!("concat is binary") };
                Some(self.bv_concat(x, self.bv_concat(c, b)))
            }
            _ => None,
        }
    }

    fn simplify_extract(&self, width: u32, a: Term, high: u32, low: u32) -> Option<Term> {
        if low == 0 && high == width - 1 {
            return Some(a);
        }
        let inner = self.args(a).first().copied();
        match (self.op(a), inner) {
            (Op::BvExtract { low: base, .. }, Some(x)) => {
                Some(self.bv_extract(x, base + high, base + low))
            }
            (Op::BvConcat, Some(upper)) => {
                let lower = self.args(a)[1];
                let split = self.width(lower);
                if high < split {
                    Some(self.bv_extract(lower, high, low))
                } else if low >= split {
                    Some(self.bv_extract(upper, high - split, low - split))
                } else {
                    None
                }
            }
            (Op::BvZeroExtend(_) | Op::BvSignExtend(_), Some(x)) => {
                let split = self.width(x);
                if high < split {
                    return Some(self.bv_extract(x, high, low));
                }
                if *self.op(a) == Op::BvSignExtend(width - split) {
                    // Part of x, then copies of its sign.
                    let from = low.min(split - 1);
                    let kept = self.bv_extract(x, split - 1, from);
                    return Some(self.bv_sign_extend(kept, (high - low) - (split - 1 - from)));
                }
                if low >= split {
                    return Some(self.bv(0, high - low + 1));
                }
                let kept = self.bv_extract(x, split - 1, low);
                Some(self.bv_zero_extend(kept, high + 1 - split))
            }
            (Op::BvNot, Some(x)) => Some(self.bv_not(self.bv_extract(x, high, low))),
            (Op::BvAnd | Op::BvOr | Op::BvXor, Some(x)) => {
                let op = self.op(a).clone();
                let y = self.args(a)[1];
                let constant = self.as_bits(y).is_some();
                constant.then(|| {
                    let (x, y) = (self.bv_extract(x, high, low), self.bv_extract(y, high, low));
                    self.make(op, &[x, y])
                })
            }
            _ => None,
        }
    }

    /// a = b where one side's shape decides bits of the other.
    ///
    /// Requires: a constant, if any, is b.
    pub(super) fn simplify_bv_eq(&self, a: Term, b: Term) -> Option<Term> {
        if self.bv_complementary(a, b) {
            return Some(self.fls());
        }
        let constant = self.as_bits(b).is_some();
        match (self.op(a), self.args(a)) {
            (Op::BvNot, [x]) if constant => Some(self.eq(*x, self.bv_not(b))),
            (Op::BvNeg, [x]) if constant => Some(self.eq(*x, self.bv_neg(b))),
            (Op::BvAdd, [x, c]) if constant && self.as_bits(*c).is_some() => {
                Some(self.eq(*x, self.bv_sub(b, *c)))
            }
            (Op::BvXor, [x, c]) if constant && self.as_bits(*c).is_some() => {
                Some(self.eq(*x, self.bv_xor(b, *c)))
            }
            (Op::BvConcat, [upper, lower]) if constant => {
                let (split, width) = (self.width(*lower), self.width(a));
                Some(self.and([
                    self.eq(*upper, self.bv_extract(b, width - 1, split)),
                    self.eq(*lower, self.bv_extract(b, split - 1, 0)),
                ]))
            }
            (Op::BvZeroExtend(n), [x]) if constant => {
                let split = self.width(*x);
                let above = self.bv_extract(b, split + n - 1, split);
                if self.is_zero(above) {
                    Some(self.eq(*x, self.bv_extract(b, split - 1, 0)))
                } else {
                    Some(self.fls())
                }
            }
            (Op::BvZeroExtend(_) | Op::BvSignExtend(_), [x])
                if self.op(a) == self.op(b) && self.width(*x) == self.width(self.args(b)[0]) =>
            {
                Some(self.eq(*x, self.args(b)[0]))
            }
            _ => None,
        }
    }
}
