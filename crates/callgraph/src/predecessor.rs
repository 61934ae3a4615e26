//! Cubes by model-based projection: what a premise must be for a clause to do what is asked, and what a
//! clause derives from facts.
//!
//! The formula is first reduced to an implicant, literals that are true in the model and suffice for it
//! to be true; then variables are projected away along the model.

use aeval::{Model, project};
use answer::Reason;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use term::traverse::{conjuncts, substitute, subterms};
use term::{Op, Pool, Sort, Term, Value, evaluate};

/// Values of variables.
pub type Values = FxHashMap<Term, Value>;

/// Literals over the parameters that are true where they have these values, and imply that there are
/// values of the variables with which all formulas hold.
///
/// Requires: the formulas hold under `values`, which has values of the parameters too.
pub fn cube(
    pool: &Pool,
    values: &Values,
    formulas: &[Term],
    variables: &[Term],
) -> Result<Vec<Term>, Reason> {
    let literals = implicant(pool, values, formulas);
    let model = Model::new(values.clone());
    let formula = pool.and(literals);
    let projected = project(pool, &model, formula, variables)
        .map_err(|stuck| Reason::GaveUp(stuck.to_string()))?;
    Ok(implicant(pool, values, &[projected.formula]))
}

/// Literals that are true under the values and imply all the formulas.
pub fn implicant(pool: &Pool, values: &Values, formulas: &[Term]) -> Vec<Term> {
    let mut walk = Implicant { pool, values, seen: FxHashSet::default(), found: Vec::new() };
    let mut pending: VecDeque<(Term, bool)> = formulas.iter().map(|f| (*f, true)).collect();
    while let Some((term, polarity)) = pending.pop_front() {
        if walk.seen.insert((term, polarity)) {
            walk.open(term, polarity, &mut pending);
        }
    }
    walk.found
}

struct Implicant<'a> {
    pool: &'a Pool,
    values: &'a Values,
    seen: FxHashSet<(Term, bool)>,
    found: Vec<Term>,
}

impl Implicant<'_> {
    fn truth(&self, term: Term) -> bool {
        evaluate(self.pool, term, self.values) == Ok(Value::Bool(true))
    }

    fn open(&mut self, term: Term, polarity: bool, pending: &mut VecDeque<(Term, bool)>) {
        let pool = self.pool;
        let args = pool.args(term);
        match (pool.op(term), polarity) {
            (Op::Value(_), _) => {}
            (Op::Not, _) => pending.push_back((args[0], !polarity)),
            (Op::And, true) | (Op::Or, false) => {
                pending.extend(args.iter().map(|arg| (*arg, polarity)));
            }
            (Op::And, false) | (Op::Or, true) => {
                // One that was chosen before costs nothing.
                let known = args.iter().find(|arg| self.seen.contains(&(**arg, polarity)));
                let true_here = || args.iter().find(|arg| self.truth(**arg) == polarity);
                pending.extend(known.or_else(true_here).map(|arg| (*arg, polarity)));
            }
            (Op::Ite, _) => {
                let holds = self.truth(args[0]);
                pending.push_back((args[0], holds));
                pending.push_back((if holds { args[1] } else { args[2] }, polarity));
            }
            (Op::Eq, _) if pool.sort(args[0]) == Sort::Bool => {
                pending.extend(args.iter().map(|arg| (*arg, self.truth(*arg))));
            }
            _ => self.atom(term, polarity, pending),
        }
    }

    /// An atom, in which if-then-else becomes the branch that is taken.
    fn atom(&mut self, mut atom: Term, polarity: bool, pending: &mut VecDeque<(Term, bool)>) {
        let pool = self.pool;
        loop {
            let choice =
                subterms(pool, &[atom]).into_iter().rev().find(|term| *pool.op(*term) == Op::Ite);
            let Some(choice) = choice else { break };
            let [condition, then, otherwise] = pool.args(choice)[..] else {
                unreachable!("if-then-else has three arguments")
            };
            let holds = self.truth(condition);
            pending.push_back((condition, holds));
            let branch = if holds { then } else { otherwise };
            atom = substitute(pool, atom, [(choice, branch)]);
        }
        self.found.extend(self.literals(atom, polarity));
    }

    /// The literals of an atom: of numbers, equations are two bounds, and what differs is less or more.
    fn literals(&self, atom: Term, polarity: bool) -> Vec<Term> {
        let pool = self.pool;
        if pool.value(atom).is_some() {
            return Vec::new();
        }
        let args = pool.args(atom);
        let is_number = |term: Term| matches!(pool.sort(term), Sort::Int | Sort::Real);
        match (pool.op(atom), polarity) {
            (Op::Eq, false) if is_number(args[0]) => {
                let less = pool.lt(args[0], args[1]);
                vec![if self.truth(less) { less } else { pool.lt(args[1], args[0]) }]
            }
            (Op::Lt, false) => vec![pool.le(args[1], args[0])],
            (Op::Le, false) => vec![pool.lt(args[1], args[0])],
            (_, true) => vec![atom],
            (_, false) => vec![pool.not(atom)],
        }
    }
}

/// The literals of a cube such that each can be dropped or weakened by itself: equations become two
/// bounds.
pub fn split(pool: &Pool, cube: &[Term]) -> Vec<Term> {
    let mut literals = Vec::new();
    for literal in cube.iter().flat_map(|literal| conjuncts(pool, *literal)) {
        let args = pool.args(literal);
        match (pool.op(literal), args.first().map(|arg| pool.sort(*arg))) {
            (Op::Eq, Some(Sort::Int | Sort::Real)) => {
                literals.extend([pool.le(args[0], args[1]), pool.le(args[1], args[0])]);
            }
            (Op::Eq, Some(Sort::BitVec(width))) if width > 1 => {
                let below = |a, b| pool.not(pool.make(Op::BvUlt, &[b, a]));
                literals.extend([below(args[0], args[1]), below(args[1], args[0])]);
            }
            _ => literals.push(literal),
        }
    }
    literals.retain(|literal| pool.as_bool(*literal) != Some(true));
    literals.sort_unstable();
    literals.dedup();
    literals
}
