//! Eliminating inputs from a conjunction, guided by a model.
//!
//! An input h is replaced by a term t without inputs such that all literals hold in the model
//! with h = t. Whatever t is, every state that satisfies the result satisfies the conjunction
//! with the input t, so the result is always sound as a set of predecessors. The candidates are
//! chosen such that the result is as large as can be: for an equation the term that solves it
//! (exact), for bounds the bound that is tight in the model (exact for the inequalities that
//! agree with the model in their order, as in Loos and Weispfenning's elimination), and at last
//! the value of h in the model.

use program::execute::Values;
use rustc_hash::FxHashSet;
use term::traverse::{Substitution, free_vars};
use term::{Op, Pool, Sort, Term, Value, evaluate};

/// How many candidates are evaluated for one input.
const MAX_CANDIDATES: usize = 48;

/// Literals without the inputs that imply ∃ inputs. ⋀ literals and hold in the model.
///
/// Requires: the literals hold in the model.
pub fn project(pool: &Pool, literals: Vec<Term>, inputs: &[Term], model: &Values) -> Vec<Term> {
    let mut literals = literals;
    for (position, input) in inputs.iter().enumerate() {
        let mentions = |l: &Term| free_vars(pool, &[*l]).contains(input);
        let (with, without): (Vec<Term>, Vec<Term>) = literals.iter().copied().partition(mentions);
        if with.is_empty() {
            continue;
        }
        let later: FxHashSet<Term> = inputs[position..].iter().copied().collect();
        let (value, solved) = substitute_for(pool, *input, &with, &later, model);
        let mut substitution = Substitution::new([(*input, value)]);
        literals = without;
        for literal in with.into_iter().filter(|l| Some(*l) != solved) {
            let new = substitution.apply(pool, literal);
            if pool.as_bool(new) != Some(true) && !literals.contains(&new) {
                literals.push(new);
            }
        }
    }
    literals
}

/// The term that replaces an input, and the literal that it makes true, if it is known to.
fn substitute_for(
    pool: &Pool,
    input: Term,
    literals: &[Term],
    later: &FxHashSet<Term>,
    model: &Values,
) -> (Term, Option<Term>) {
    let mut candidates: Vec<Candidate> = Vec::new();
    for literal in literals {
        candidates_of(pool, input, *literal, &mut candidates);
    }
    let of_state = |(t, _): &Candidate| !free_vars(pool, &[*t]).iter().any(|v| later.contains(v));
    let fits = |(t, _): &Candidate| {
        let Ok(value) = evaluate(pool, *t, model) else { return false };
        let mut changed = model.clone();
        changed.insert(input, value);
        literals.iter().all(|l| evaluate(pool, *l, &changed) == Ok(Value::Bool(true)))
    };
    let chosen = candidates.into_iter().take(MAX_CANDIDATES).filter(of_state).find(fits);
    chosen.unwrap_or_else(|| match model.get(&input) {
        Some(value) => (pool.constant(value.clone()), None),
        None => (pool.constant(term::eval::default_value(pool, pool.sort(input))), None),
    })
}

/// A term that may stand for an input, and the equation that it solves, if it does for all states.
type Candidate = (Term, Option<Term>);

/// Terms that may stand for the input by what one literal says.
fn candidates_of(pool: &Pool, input: Term, literal: Term, candidates: &mut Vec<Candidate>) {
    let negated = *pool.op(literal) == Op::Not;
    let atom = if negated { pool.args(literal)[0] } else { literal };
    let [a, b] = pool.args(atom)[..] else { return };
    if !matches!(pool.op(atom), Op::Eq | Op::BvUlt | Op::BvSlt | Op::FpEq | Op::FpLt | Op::FpLeq) {
        return;
    }
    let solutions = [isolate(pool, input, a, b), isolate(pool, input, b, a)];
    for (solution, exact) in solutions.into_iter().flatten() {
        if *pool.op(atom) == Op::Eq && !negated {
            // An equation leaves no other choice.
            candidates.insert(0, (solution, exact.then_some(literal)));
            continue;
        }
        candidates.push((solution, None));
        if let Sort::BitVec(width) = pool.sort(solution) {
            let one = pool.bv(1, width);
            candidates.push((pool.bv_add(solution, one), None));
            candidates.push((pool.bv_sub(solution, one), None));
        }
    }
}

/// A term for the input such that `side`, which mentions it, becomes `other`, where that is
/// possible at all: inverts the operators on the way down to the input. And whether it always is.
fn isolate(pool: &Pool, input: Term, side: Term, other: Term) -> Option<(Term, bool)> {
    let mentions = |t: Term| free_vars(pool, &[t]).contains(&input);
    if mentions(other) {
        return None;
    }
    let (mut side, mut other, mut exact) = (side, other, true);
    while side != input {
        let args = pool.args(side);
        let position = args.iter().position(|a| mentions(*a))?;
        if args.iter().filter(|a| mentions(**a)).count() > 1 {
            return None;
        }
        let inner = args[position];
        let rest = args.get(1 - position.min(1)).copied();
        other = match (pool.op(side), rest) {
            (Op::BvAdd, Some(rest)) => pool.bv_sub(other, rest),
            (Op::BvSub, Some(rest)) if position == 0 => pool.bv_add(other, rest),
            (Op::BvSub, Some(rest)) => pool.bv_sub(rest, other),
            (Op::BvXor, Some(rest)) => pool.bv_xor(other, rest),
            (Op::BvNeg, _) => pool.bv_neg(other),
            (Op::BvNot, _) => pool.bv_not(other),
            (Op::BvZeroExtend(_) | Op::BvSignExtend(_), _) => {
                exact = false;
                pool.bv_extract(other, pool.width(inner) - 1, 0)
            }
            (Op::BvConcat, Some(rest)) => {
                exact = false;
                let low = if position == 0 { pool.width(rest) } else { 0 };
                pool.bv_extract(other, low + pool.width(inner) - 1, low)
            }
            (Op::BvExtract { low: 0, .. }, _) => {
                let more = pool.width(inner) - pool.width(side);
                pool.bv_zero_extend(other, more)
            }
            _ => return None,
        };
        side = inner;
    }
    Some((other, exact))
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Bits;

    fn number(n: u64) -> Value {
        Value::Bits(Bits::from_u64(8, n))
    }

    #[test]
    fn equations_are_solved() {
        let pool = Pool::new();
        let [x, h] = ["x", "h"].map(|n| pool.var(n, Sort::BitVec(8)));
        let model = Values::from_iter([(x, number(7)), (h, number(9))]);
        let literals =
            vec![pool.eq(pool.bv_add(h, x), pool.bv(16, 8)), pool.bv_ult(h, pool.bv(10, 8))];
        let result = project(&pool, literals, &[h], &model);
        let expected = pool.bv_ult(pool.bv_sub(pool.bv(16, 8), x), pool.bv(10, 8));
        assert_eq!(result, vec![expected]);
    }

    #[test]
    fn bounds_are_tight() {
        let pool = Pool::new();
        let [x, y, h] = ["x", "y", "h"].map(|n| pool.var(n, Sort::BitVec(8)));
        let model = Values::from_iter([(x, number(3)), (y, number(20)), (h, number(9))]);
        // x ≤ h < y
        let literals = vec![pool.bv_ule(x, h), pool.bv_ult(h, y)];
        assert_eq!(project(&pool, literals, &[h], &model), vec![pool.bv_ult(x, y)]);
    }

    #[test]
    fn at_last_the_value_of_the_model() {
        let pool = Pool::new();
        let [x, h] = ["x", "h"].map(|n| pool.var(n, Sort::BitVec(8)));
        let model = Values::from_iter([(x, number(12)), (h, number(4))]);
        let literals = vec![pool.eq(pool.bv_mul(h, pool.bv(3, 8)), x)];
        assert_eq!(project(&pool, literals, &[h], &model), vec![pool.eq(x, pool.bv(12, 8))]);
    }
}
