//! Ints, Reals and Reals_Ints. Where Int and Real arguments meet, the Ints are converted.

use super::{Call, Operator, Result, Terms, indexed, plain};
use crate::op::Op;
use crate::pool::Term;
use crate::sort::Sort;
use num_bigint::BigInt;
use num_traits::Zero;

pub(super) const OPERATORS: &[Operator] = &[
    plain("+", |c| sum(c, Op::Add)),
    plain("*", |c| sum(c, Op::Mul)),
    plain("-", minus),
    plain("div", |c| integer(c, Op::IntDiv)),
    plain("mod", |c| c.arity(2).and_then(|()| integer(c, Op::IntMod))),
    plain("/", divide),
    plain("abs", absolute),
    plain("<", |c| compare(c, |a, b| c.make(Op::Lt, &[a, b]))),
    plain("<=", |c| compare(c, |a, b| c.make(Op::Le, &[a, b]))),
    plain(">", |c| compare(c, |a, b| c.make(Op::Lt, &[b, a]))),
    plain(">=", |c| compare(c, |a, b| c.make(Op::Le, &[b, a]))),
    plain("to_real", |c| c.arity(1).and_then(|()| real(c, 0))),
    plain("to_int", |c| {
        c.arity(1)?;
        c.make(Op::ToInt, &[real(c, 0)?])
    }),
    plain("is_int", |c| {
        c.arity(1)?;
        let x = real(c, 0)?;
        let floor = c.make(Op::ToInt, &[x])?;
        c.eq(x, c.make(Op::ToReal, &[floor])?)
    }),
    indexed("divisible", 1, divisible),
];

impl Call<'_> {
    /// The arguments from the `from`-th on, of one sort: Ints beside Reals become Reals.
    pub(super) fn coerced(&self, from: usize) -> Result<Terms> {
        let count = self.args.len();
        let number = |i: usize| matches!(self.sort(i), Sort::Int | Sort::Real);
        let mixed = number(from) && (from..count).any(|i| self.sort(i) != self.sort(from));
        if mixed && (from..count).all(number) {
            return (from..count).map(|i| real(self, i)).collect();
        }
        let sort = self.sort(from);
        // Beside a number, what is no number is to blame and not another kind of number.
        (from..count).filter(|i| !(mixed && number(*i))).try_for_each(|i| self.expect(i, sort))?;
        Ok((from..count).map(|i| self.arg(i)).collect())
    }

    /// The arguments as numbers of one sort.
    fn numbers(&self) -> Result<Terms> {
        let number = |i: &usize| matches!(self.sort(*i), Sort::Int | Sort::Real);
        match (0..self.args.len()).find(|i| !number(i)) {
            Some(i) => self.mismatch(i, "Int or Real"),
            None => self.coerced(0),
        }
    }
}

/// The `i`-th argument as a Real.
pub(super) fn real(c: &Call, i: usize) -> Result<Term> {
    match c.sort(i) {
        Sort::Real => Ok(c.arg(i)),
        Sort::Int => c.make(Op::ToReal, &[c.arg(i)]),
        _ => c.mismatch(i, "Int or Real"),
    }
}

fn sum(c: &Call, op: Op) -> Result<Term> {
    c.at_least(1)?;
    c.left(&c.numbers()?, &op)
}

fn minus(c: &Call) -> Result<Term> {
    c.at_least(1)?;
    let args = c.numbers()?;
    if args.len() == 1 { c.make(Op::Neg, &args) } else { c.left(&args, &Op::Sub) }
}

fn integer(c: &Call, op: Op) -> Result<Term> {
    c.at_least(2)?;
    (0..c.args.len()).try_for_each(|i| c.expect(i, Sort::Int))?;
    c.left(&c.terms(), &op)
}

fn divide(c: &Call) -> Result<Term> {
    c.at_least(2)?;
    let args: Result<Terms> = (0..c.args.len()).map(|i| real(c, i)).collect();
    c.left(&args?, &Op::RealDiv)
}

fn compare(c: &Call, relation: impl Fn(Term, Term) -> Result<Term>) -> Result<Term> {
    c.at_least(2)?;
    c.chain(&c.numbers()?, relation)
}

fn absolute(c: &Call) -> Result<Term> {
    c.arity(1)?;
    let x = c.numbers()?[0];
    let zero = match c.pool().sort(x) {
        Sort::Real => c.pool().real(Zero::zero()),
        _ => c.pool().int(0),
    };
    let negative = c.make(Op::Lt, &[x, zero])?;
    c.make(Op::Ite, &[negative, c.make(Op::Neg, &[x])?, x])
}

fn divisible(c: &Call) -> Result<Term> {
    c.arity(1)?;
    c.expect(0, Sort::Int)?;
    let n = c.number(0)?;
    if n.is_zero() {
        return super::fault(
            c.indices[0].at,
            "the index of `divisible` is zero",
            "write a positive number",
        );
    }
    let remainder = c.make(Op::IntMod, &[c.arg(0), c.pool().int(BigInt::from(n))])?;
    c.eq(remainder, c.pool().int(0))
}
