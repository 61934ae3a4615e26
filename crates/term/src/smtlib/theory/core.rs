//! Core: Booleans, equality, if-then-else. Mixed Int and Real arguments of `=`, `distinct` and
//! `ite` become Real, as solvers do it.

use super::{Call, Operator, Result, plain};
use crate::op::Op;
use crate::pool::Term;
use crate::sort::Sort;

pub(super) const OPERATORS: &[Operator] = &[
    plain("true", |c| c.arity(0).map(|()| c.pool().tru())),
    plain("false", |c| c.arity(0).map(|()| c.pool().fls())),
    plain("not", |c| c.direct(Op::Not)),
    plain("and", |c| junction(c, Op::And)),
    plain("or", |c| junction(c, Op::Or)),
    plain("=>", implies),
    plain("xor", xor),
    plain("=", equal),
    plain("distinct", distinct),
    plain("ite", ite),
];

/// Old names that solvers still accept.
pub(super) const EXTENSIONS: &[Operator] =
    &[plain("implies", implies), plain("iff", |c| bools(c, 2).and_then(|()| equal(c)))];

/// All arguments are Bool, and there are enough.
fn bools(c: &Call, least: usize) -> Result<()> {
    c.at_least(least)?;
    (0..c.args.len()).try_for_each(|i| c.expect(i, Sort::Bool))
}

fn junction(c: &Call, op: Op) -> Result<Term> {
    bools(c, 1)?;
    if c.args.len() == 1 { Ok(c.arg(0)) } else { c.direct(op) }
}

/// a ⇒ (b ⇒ (c ⇒ d)) is ¬a ∨ ¬b ∨ ¬c ∨ d.
fn implies(c: &Call) -> Result<Term> {
    bools(c, 2)?;
    let mut result = c.arg(c.args.len() - 1);
    for i in (0..c.args.len() - 1).rev() {
        result = c.make(Op::Or, &[c.not(c.arg(i))?, result])?;
    }
    Ok(result)
}

fn xor(c: &Call) -> Result<Term> {
    bools(c, 2)?;
    let mut result = c.arg(0);
    for a in &c.args[1..] {
        result = c.not(c.eq(result, a.term)?)?;
    }
    Ok(result)
}

fn equal(c: &Call) -> Result<Term> {
    c.at_least(2)?;
    let args = c.coerced(0)?;
    if args.len() == 2 {
        return c.make(Op::Eq, &args);
    }
    c.chain(&args, |a, b| c.eq(a, b))
}

fn distinct(c: &Call) -> Result<Term> {
    c.at_least(2)?;
    let args = c.coerced(0)?;
    let n = args.len() as u64;
    // Two nodes for each pair.
    c.budget.spend(n * (n - 1)).map_err(|refusal| c.refused(refusal))?;
    Ok(c.pool().distinct(&args))
}

fn ite(c: &Call) -> Result<Term> {
    c.arity(3)?;
    c.expect(0, Sort::Bool)?;
    let branches = c.coerced(1)?;
    c.make(Op::Ite, &[c.arg(0), branches[0], branches[1]])
}
