//! Deciding cases as a model does: a conjunction of formulas becomes a cube of simple literals
//! that implies it and holds in the model.
//!
//! A disjunction is replaced by a disjunct that holds; an if-then-else inside a term by the
//! branch that is taken, with the condition as a literal of its own; a read of an array after a
//! write by the written element or a read of the array before, with the comparison of the
//! indices. This is the lazy form of bringing preconditions into disjunctive normal form ([LPN18
//! §3.1]): the cases that the model does not take come up when these are excluded.

use crate::valuation::Valuation;
use program::execute::Values;
use program::split::{Junction, junction};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::traverse::size;
use term::{Op, Pool, Sort, Term};

/// How many cases are decided; formulas beyond are left as they are.
const MAX_DECISIONS: usize = 512;

/// Literals that imply the formulas and hold in the model.
///
/// Requires: the formulas hold in the model.
pub fn decide(pool: &Pool, formulas: Vec<Term>, model: &Values) -> Vec<Term> {
    let mut cases =
        Cases { pool, valuation: Valuation::new(pool, model), resolved: FxHashMap::default() };
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
                pending.push(cases.choose(&parts, &literals).unwrap_or(formula));
            }
            Junction::Literal => {
                let parts = cases.decide_literal(formula);
                if parts[..] == [formula] {
                    if !literals.contains(&formula) {
                        literals.push(formula);
                    }
                } else {
                    decisions += parts.len() - 1;
                    pending.extend(parts);
                }
            }
        }
    }
    literals
}

/// The cases that a model takes.
struct Cases<'m> {
    pool: &'m Pool,
    valuation: Valuation<'m>,
    /// Terms without the cases in them.
    resolved: FxHashMap<Term, Term>,
}

impl Cases<'_> {
    /// A part that holds: one that is there already, otherwise the smallest.
    fn choose(&mut self, parts: &[Term], literals: &[Term]) -> Option<Term> {
        let holding: Vec<Term> =
            parts.iter().copied().filter(|p| self.valuation.holds(*p)).collect();
        if let [only] = holding[..] {
            return Some(only);
        }
        let known = holding.iter().filter(|p| literals.contains(p)).min();
        let smallest = || holding.iter().min_by_key(|p| (size(self.pool, **p), **p));
        known.or_else(smallest).copied()
    }

    /// A literal with the cases inside it decided, and their conditions; the literal alone if
    /// there are none.
    fn decide_literal(&mut self, literal: Term) -> Vec<Term> {
        if let Some(parts) = self.decide_equivalence(literal) {
            return parts;
        }
        let mut conditions = Vec::new();
        let simple = self.resolve(literal, &mut conditions);
        conditions.push(simple);
        conditions
    }

    /// A term without its cases: from the top down, so that only those of branches that are taken
    /// are decided. The conditions of cases that were not decided before are added.
    fn resolve(&mut self, term: Term, conditions: &mut Vec<Term>) -> Term {
        let pool = self.pool;
        let mut pending = vec![term];
        while let Some(top) = pending.last().copied() {
            if self.resolved.contains_key(&top) {
                pending.pop();
                continue;
            }
            if let Some((condition, chosen)) = self.case(top) {
                match self.resolved.get(&chosen).copied() {
                    Some(result) => {
                        conditions.push(condition);
                        self.resolved.insert(top, result);
                        pending.pop();
                    }
                    None => pending.push(chosen),
                }
                continue;
            }
            let args = pool.args(top);
            let before = pending.len();
            pending.extend(args.iter().filter(|a| !self.resolved.contains_key(a)));
            if pending.len() > before {
                continue;
            }
            let new: SmallVec<[Term; 3]> = args.iter().map(|a| self.resolved[a]).collect();
            let result = if new[..] == *args { top } else { pool.make(pool.op(top).clone(), &new) };
            self.resolved.insert(top, result);
            pending.pop();
        }
        self.resolved[&term]
    }

    /// The condition and the result of an if-then-else, or of a read of a written array.
    fn case(&mut self, term: Term) -> Option<(Term, Term)> {
        let pool = self.pool;
        let args = pool.args(term);
        match pool.op(term) {
            Op::Ite if pool.sort(term) != Sort::Bool => {
                let taken = self.valuation.holds(args[0]);
                let condition = if taken { args[0] } else { pool.not(args[0]) };
                Some((condition, args[if taken { 1 } else { 2 }]))
            }
            Op::Select if *pool.op(args[0]) == Op::Store => {
                let [rest, at, element] = pool.args(args[0])[..] else { unreachable!("store") };
                let same = pool.eq(at, args[1]);
                Some(if self.valuation.holds(same) {
                    (same, element)
                } else {
                    (pool.not(same), pool.select(rest, args[1]))
                })
            }
            _ => None,
        }
    }

    /// a ⇔ b as a ∧ b or ¬a ∧ ¬b.
    fn decide_equivalence(&mut self, literal: Term) -> Option<Vec<Term>> {
        let pool = self.pool;
        let negated = *pool.op(literal) == Op::Not;
        let equation = if negated { pool.args(literal)[0] } else { literal };
        let [a, b] = pool.args(equation)[..] else { return None };
        if *pool.op(equation) != Op::Eq || pool.sort(a) != Sort::Bool {
            return None;
        }
        let mut signed = |t: Term| if self.valuation.holds(t) { t } else { pool.not(t) };
        Some(vec![signed(a), signed(b)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::traverse::subterms;
    use term::{Value, evaluate};
    use value::Bits;

    fn holds(pool: &Pool, formula: Term, model: &Values) -> bool {
        evaluate(pool, formula, model) == Ok(Value::Bool(true))
    }

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
