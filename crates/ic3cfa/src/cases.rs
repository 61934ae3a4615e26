//! Deciding cases as a model does: a conjunction of formulas becomes a cube of simple literals
//! that implies it and holds in the model.
//!
//! A disjunction is replaced by a disjunct that holds; an if-then-else inside a term by the
//! branch that is taken, with the condition as a literal of its own; a read of an array after a
//! write by the written element or a read of the array before, with the comparison of the
//! indices. This is the lazy form of bringing preconditions into disjunctive normal form ([LPN18
//! §3.1]): the cases that the model does not take come up when these are excluded.

use program::execute::Values;
use program::split::{Junction, junction};
use term::traverse::{size, substitute, subterms};
use term::{Op, Pool, Sort, Term, Value, evaluate};

/// How many cases are decided; formulas beyond are left as they are.
const MAX_DECISIONS: usize = 512;

/// Literals that imply the formulas and hold in the model.
///
/// Requires: the formulas hold in the model.
pub fn decide(pool: &Pool, formulas: Vec<Term>, model: &Values) -> Vec<Term> {
    let mut pending = formulas;
    let mut literals: Vec<Term> = Vec::new();
    let mut decisions = 0;
    while let Some(formula) = pending.pop() {
        if decisions > MAX_DECISIONS {
            literals.push(formula);
            continue;
        }
        match junction(pool, formula) {
            Junction::Constant(true) => {}
            Junction::Constant(false) => literals.push(formula),
            Junction::All(parts) => pending.extend(parts),
            Junction::Any(parts) => {
                decisions += 1;
                pending.push(choose(pool, &parts, &literals, model).unwrap_or(formula));
            }
            Junction::Literal => match decide_inside(pool, formula, model) {
                Some(parts) => {
                    decisions += 1;
                    pending.extend(parts);
                }
                None => {
                    if !literals.contains(&formula) {
                        literals.push(formula);
                    }
                }
            },
        }
    }
    literals
}

fn holds(pool: &Pool, formula: Term, model: &Values) -> bool {
    evaluate(pool, formula, model) == Ok(Value::Bool(true))
}

/// A part that holds: one that is there already, otherwise the smallest.
fn choose(pool: &Pool, parts: &[Term], literals: &[Term], model: &Values) -> Option<Term> {
    let holding = parts.iter().copied().filter(|p| holds(pool, *p, model));
    holding.min_by_key(|p| (!literals.contains(p), size(pool, *p), *p))
}

/// A literal with one case inside it decided, and the condition; `None` if there is none.
fn decide_inside(pool: &Pool, literal: Term, model: &Values) -> Option<Vec<Term>> {
    if let Some(parts) = decide_equivalence(pool, literal, model) {
        return Some(parts);
    }
    for term in subterms(pool, &[literal]) {
        let args = pool.args(term);
        let (condition, chosen) = match pool.op(term) {
            Op::Ite if pool.sort(term) != Sort::Bool => {
                let taken = holds(pool, args[0], model);
                let condition = if taken { args[0] } else { pool.not(args[0]) };
                (condition, args[if taken { 1 } else { 2 }])
            }
            Op::Select if *pool.op(args[0]) == Op::Store => {
                let [rest, at, element] = pool.args(args[0])[..] else { unreachable!("store") };
                let same = pool.eq(at, args[1]);
                if holds(pool, same, model) {
                    (same, element)
                } else {
                    (pool.not(same), pool.select(rest, args[1]))
                }
            }
            _ => continue,
        };
        return Some(vec![condition, substitute(pool, literal, [(term, chosen)])]);
    }
    None
}

/// a ⇔ b as a ∧ b or ¬a ∧ ¬b.
fn decide_equivalence(pool: &Pool, literal: Term, model: &Values) -> Option<Vec<Term>> {
    let negated = *pool.op(literal) == Op::Not;
    let equation = if negated { pool.args(literal)[0] } else { literal };
    let [a, b] = pool.args(equation)[..] else { return None };
    if *pool.op(equation) != Op::Eq || pool.sort(a) != Sort::Bool {
        return None;
    }
    let signed = |t: Term| if holds(pool, t, model) { t } else { pool.not(t) };
    Some(vec![signed(a), signed(b)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Bits;

    #[test]
    fn cases_are_decided_as_in_the_model() {
        let pool = Pool::new();
        let sort = Sort::BitVec(4);
        let [x, y] = ["x", "y"].map(|n| pool.var(n, sort));
        let memory = pool.var("m", pool.array_sort(sort, sort));
        let model = Values::from_iter([
            (x, Value::Bits(Bits::from_u64(4, 3))),
            (y, Value::Bits(Bits::zero(4))),
        ]);
        let below = pool.bv_ult(x, y);
        let written = pool.store(memory, x, pool.bv(5, 4));
        let formulas = vec![
            pool.or([below, pool.eq(y, pool.bv(0, 4))]),
            pool.eq(pool.ite(below, x, y), pool.select(written, y)),
        ];
        let literals = decide(&pool, formulas.clone(), &model);
        let simple = |t: &Term| {
            subterms(&pool, &[*t])
                .iter()
                .all(|s| !matches!(pool.op(*s), Op::Ite | Op::Or | Op::Store))
        };
        assert!(literals.iter().all(simple));
        assert!(literals.iter().all(|l| holds(&pool, *l, &model)));
        assert!(literals.contains(&pool.not(pool.eq(x, y))));
    }
}
