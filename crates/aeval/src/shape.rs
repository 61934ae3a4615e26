//! Formulas as questions: ∀x. S(x) ⇒ ∃y. T(x, y), however it is written.
//!
//! Free variables and those of the outer ∀ are x. The rest is a disjunction: of ¬S, in parts, and
//! of what has ∃. A ∃ below conjunctions and disjunctions of T moves outward, and so does a ∀ in
//! ¬S, which is a ∃ in S.

use crate::decide::Question;
use term::traverse::{disjuncts, subterms};
use term::{Op, Pool, Term};

/// A question with the variables that ∀ bound, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// S, T and y.
    pub question: Question,
    /// The bound ones of x.
    pub bound: Vec<Term>,
}

/// The question that a closed or open formula is; none if it has other quantifiers.
pub fn question(pool: &Pool, formula: Term) -> Option<Shape> {
    let mut bound = Vec::new();
    let mut body = formula;
    while let Some((variables, inner)) = quantifier(pool, body, &Op::Forall) {
        bound.extend(variables);
        body = inner;
    }
    let (mut premises, mut conclusions, mut variables) = (Vec::new(), Vec::new(), Vec::new());
    for part in disjuncts(pool, body) {
        if !is_quantified(pool, part) {
            premises.push(pool.not(part));
            continue;
        }
        let mut inner = part;
        let mut hoisted = Vec::new();
        while let Some((more, below)) = quantifier(pool, inner, &Op::Forall) {
            hoisted.extend(more);
            inner = below;
        }
        if !hoisted.is_empty() && !is_quantified(pool, inner) {
            bound.extend(hoisted);
            premises.push(pool.not(inner));
        } else {
            conclusions.push(outward(pool, part, &mut variables)?);
        }
    }
    if conclusions.is_empty() {
        // Nothing exists: what was taken for ¬S is what has to hold.
        conclusions.extend(premises.drain(..).map(|premise| pool.not(premise)));
    }
    let question =
        Question { premise: pool.and(premises), conclusion: pool.or(conclusions), variables };
    Some(Shape { question, bound })
}

fn is_quantified(pool: &Pool, term: Term) -> bool {
    subterms(pool, &[term]).iter().any(|t| matches!(pool.op(*t), Op::Forall | Op::Exists))
}

/// The variables and the body of a quantified formula; ¬∀ is ∃¬ and the other way round.
fn quantifier(pool: &Pool, formula: Term, op: &Op) -> Option<(Vec<Term>, Term)> {
    let (inner, negated) = match pool.op(formula) {
        Op::Not => (pool.args(formula)[0], true),
        _ => (formula, false),
    };
    let wanted = match (op, negated) {
        (Op::Forall, true) => &Op::Exists,
        (_, true) => &Op::Forall,
        (op, false) => op,
    };
    if pool.op(inner) != wanted {
        return None;
    }
    let (body, variables) = pool.args(inner).split_last()?;
    Some((variables.to_vec(), if negated { pool.not(*body) } else { *body }))
}

/// The formula with its ∃ moved outward, out of conjunctions and disjunctions, and removed.
fn outward(pool: &Pool, formula: Term, variables: &mut Vec<Term>) -> Option<Term> {
    let mut done = rustc_hash::FxHashMap::default();
    let mut pending = vec![formula];
    while let Some(top) = pending.last().copied() {
        if done.contains_key(&top) {
            pending.pop();
            continue;
        }
        let result = if !is_quantified(pool, top) {
            Some(top)
        } else if let Some((bound, body)) = quantifier(pool, top, &Op::Exists) {
            let below = done.get(&body).copied();
            if below.is_some() {
                variables.extend(
                    bound.into_iter().filter(|v| !variables.contains(v)).collect::<Vec<_>>(),
                );
            } else {
                pending.push(body);
            }
            below
        } else {
            let op = pool.op(top).clone();
            if !matches!(op, Op::And | Op::Or) {
                return None;
            }
            let args = pool.args(top);
            let missing: Vec<Term> =
                args.iter().copied().filter(|a| !done.contains_key(a)).collect();
            if missing.is_empty() {
                let args: Vec<Term> = args.iter().map(|a| done[a]).collect();
                Some(pool.make(op, &args))
            } else {
                pending.extend(missing);
                None
            }
        };
        if let Some(result) = result {
            done.insert(top, result);
        }
    }
    Some(done[&formula])
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{print, smtlib};

    fn shape(text: &str) -> Option<(String, String, Vec<String>, Vec<String>)> {
        let pool = Pool::new();
        let text = format!("(declare-const c Int)(assert {text})");
        let script = smtlib::parse(&pool, text.as_bytes()).expect("a well-formed script");
        let formula = script.assertions().next().expect("an assertion");
        let Shape { question, bound } = question(&pool, formula)?;
        let show = |t: Term| print::term_to_string(&pool, t);
        let all = |ts: Vec<Term>| ts.into_iter().map(show).collect();
        Some((
            show(question.premise),
            show(question.conclusion),
            all(question.variables),
            all(bound),
        ))
    }

    #[test]
    fn the_ways_to_write_a_question() {
        let names = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
        let forall = "(forall ((x Int)) (=> (< x c) (exists ((y Int)) (< x y))))";
        let expected = ("(< x c)".into(), "(< x y)".into(), names(&["y"]), names(&["x"]));
        assert_eq!(shape(forall), Some(expected));
        let open = "(=> (> c 0) (exists ((y Int)) (< c y)))";
        let expected = ("(< 0 c)".into(), "(< c y)".into(), names(&["y"]), vec![]);
        assert_eq!(shape(open), Some(expected));
        let negated = "(not (exists ((x Int)) (forall ((y Int)) (not (< x y)))))";
        let expected = ("true".into(), "(< x y)".into(), names(&["y"]), names(&["x"]));
        assert_eq!(shape(negated), Some(expected));
        let local = "(=> (exists ((z Int)) (< z c)) (exists ((y Int)) (< y c)))";
        let expected = ("(< z c)".into(), "(< y c)".into(), names(&["y"]), names(&["z"]));
        assert_eq!(shape(local), Some(expected));
        let nested =
            "(forall ((x Int)) (exists ((y Int)) (or (= x 0) (exists ((z Int)) (< x z y)))))";
        let (_, _, variables, _) = shape(nested).expect("a question");
        assert_eq!(variables.len(), 2);
        let plain = "(forall ((x Int)) (< x c))";
        let expected = ("true".into(), "(< x c)".into(), vec![], names(&["x"]));
        assert_eq!(shape(plain), Some(expected));
    }

    #[test]
    fn other_quantifiers_are_no_question() {
        assert_eq!(shape("(exists ((y Int)) (forall ((x Int)) (< x y)))"), None);
        assert_eq!(shape("(= (> c 0) (exists ((y Int)) (< c y)))"), None);
    }
}
