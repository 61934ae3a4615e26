//! Integers and reals.

use crate::op::Op;
use crate::pool::{Pool, Term};
use crate::value::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

impl Pool {
    /// An integer constant.
    pub fn int(&self, value: impl Into<BigInt>) -> Term {
        self.constant(Value::Int(value.into()))
    }

    /// A real constant.
    pub fn real(&self, value: BigRational) -> Term {
        self.constant(Value::Real(value))
    }

    /// a + b
    pub fn add(&self, a: Term, b: Term) -> Term {
        self.make(Op::Add, &[a, b])
    }

    /// a − b
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.make(Op::Sub, &[a, b])
    }

    /// a · b
    pub fn mul(&self, a: Term, b: Term) -> Term {
        self.make(Op::Mul, &[a, b])
    }

    /// −a
    pub fn neg(&self, a: Term) -> Term {
        self.make(Op::Neg, &[a])
    }

    /// a < b
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.make(Op::Lt, &[a, b])
    }

    /// a ≤ b
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.make(Op::Le, &[a, b])
    }

    fn is_number(&self, term: Term, zero: bool) -> bool {
        match self.value(term) {
            Some(Value::Int(n)) => {
                if zero {
                    n.is_zero()
                } else {
                    n.is_one()
                }
            }
            Some(Value::Real(r)) => {
                if zero {
                    r.is_zero()
                } else {
                    r.is_one()
                }
            }
            _ => false,
        }
    }

    pub(super) fn simplify_arith(&self, op: &Op, args: &[Term]) -> Option<Term> {
        let zero = |t: Term| self.is_number(t, true);
        let one = |t: Term| self.is_number(t, false);
        match (op, args) {
            (Op::Neg, [a]) if *self.op(*a) == Op::Neg => Some(self.args(*a)[0]),
            (Op::Add, [a, b]) if zero(*a) => Some(*b),
            (Op::Add | Op::Sub, [a, b]) if zero(*b) => Some(*a),
            (Op::Add | Op::Mul, [a, b]) if self.value(*a).is_some() && self.value(*b).is_none() => {
                Some(self.make(op.clone(), &[*b, *a]))
            }
            (Op::Sub, [a, b]) if zero(*a) => Some(self.neg(*b)),
            (Op::Sub, [a, b]) if a == b => Some(self.zero_like(*a)),
            (Op::Mul, [_, b]) if zero(*b) => Some(*b),
            (Op::Mul | Op::RealDiv | Op::IntDiv, [a, b]) if one(*b) => Some(*a),
            (Op::Lt, [a, b]) if a == b => Some(self.fls()),
            (Op::Le, [a, b]) if a == b => Some(self.tru()),
            (Op::ToInt, [a]) if *self.op(*a) == Op::ToReal => Some(self.args(*a)[0]),
            _ => None,
        }
    }

    fn zero_like(&self, a: Term) -> Term {
        match self.sort(a) {
            crate::Sort::Real => self.real(BigRational::zero()),
            _ => self.int(0),
        }
    }
}
