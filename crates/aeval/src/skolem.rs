//! Skolem relations as guarded cases (\[Fed15\] (3.26), (4.9)), and their functions.
//!
//! # Where this deviates
//! Algorithm 7 (GLOBALFACTOR) merges, for each variable by itself, all cases with the same function
//! and takes the disjunction of their projections as the guard. Projections overlap, so the factors
//! of two variables may then follow different cases for the same x: with the cases (0, 0) if x < 0,
//! (1, 1) if x > 5 and (0, 2) if x > 3, the factors at x = 6 are y₁ = 0 and y₂ = 1, which is no case.
//! Here whole cases are merged, and a factor keeps the order of the cases; only neighbours with the
//! same function become one.

use crate::decide::{Broken, Question};
use crate::project::Projection;
use answer::Allowance;
use rustc_hash::FxHashMap;
use smt::{Answer, Solver};
use std::time::Duration;
use term::traverse::{free_vars, substitute};
use term::{Pool, Term, eval};

/// One case: where it applies, and what y is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Tᵢ(x): the case may be taken wherever this holds.
    pub projection: Term,
    /// Iᵢ(x): the case is taken where this holds and no guard before it does.
    pub guard: Term,
    /// φᵢ(x, y), one conjunct for each variable.
    pub relation: Vec<Term>,
    /// fᵢ(x) for each variable, inside the relation.
    pub functions: Vec<Term>,
}

impl Case {
    /// The case of a projection; variables made on the way are replaced by their functions.
    pub fn new(pool: &Pool, variables: &[Term], projection: &Projection) -> Self {
        let closed = projection.functions(pool);
        let made: Vec<(Term, Term)> =
            closed.iter().copied().filter(|(v, _)| !variables.contains(v)).collect();
        let closed: FxHashMap<Term, Term> = closed.into_iter().collect();
        let relations: FxHashMap<Term, Term> =
            projection.definitions.iter().map(|d| (d.variable, d.relation)).collect();
        let relation = |v: &Term| substitute(pool, relations[v], made.iter().copied());
        Case {
            projection: projection.formula,
            guard: projection.formula,
            relation: variables.iter().map(relation).collect(),
            functions: variables.iter().map(|v| closed[v]).collect(),
        }
    }
}

/// A Skolem relation for y in S(x) ⇒ ∃y. T(x, y).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skolem {
    /// y
    pub variables: Vec<Term>,
    /// In order: the first case whose guard holds is the one. Where S holds, one does.
    pub cases: Vec<Case>,
}

impl Skolem {
    /// Sk(x, y): if I₁ then φ₁ else if I₂ then φ₂ …; false where no guard holds.
    pub fn relation(&self, pool: &Pool) -> Term {
        if self.cases.is_empty() {
            // Nothing satisfies S, so anything is a relation for it.
            return pool.tru();
        }
        self.cases.iter().rev().fold(pool.fls(), |otherwise, case| {
            pool.ite(case.guard, pool.and(case.relation.iter().copied()), otherwise)
        })
    }

    /// Each variable with its function: the factors of GLOBALFACTOR. Where no guard holds, the last
    /// case is taken.
    pub fn functions(&self, pool: &Pool) -> Vec<(Term, Term)> {
        let factor = |(at, variable): (usize, &Term)| (*variable, self.factor(pool, at));
        self.variables.iter().enumerate().map(factor).collect()
    }

    /// The function of one variable, in the order of the cases.
    fn factor(&self, pool: &Pool, at: usize) -> Term {
        let Some((last, others)) = self.cases.split_last() else {
            let sort = pool.sort(self.variables[at]);
            let any = eval::default_value(pool, sort);
            // Of a sort whose values have no names, the variable itself is as good as any.
            let named = crate::project::constant(pool, &any);
            return named.unwrap_or(self.variables[at]);
        };
        // From the end: what follows a case with the same function needs no guard before it.
        let mut factor = last.functions[at];
        for case in others.iter().rev() {
            let same = case.functions[at] == factor;
            factor = if same { factor } else { pool.ite(case.guard, case.functions[at], factor) };
        }
        factor
    }
}

/// So many cases are compared with each other; more would cost more than they are worth.
const COMPARED: usize = 24;

/// How long one comparison may take, and all of them.
const COMPARISON: Duration = Duration::from_millis(500);
const COMPARISONS: Duration = Duration::from_secs(2);

/// Merges cases: j goes into i if the functions of i do for Tⱼ as well.
pub(crate) fn merge(
    pool: &Pool,
    question: &Question,
    cases: &mut Vec<Case>,
    solver: &mut dyn Solver,
    allowance: &Allowance,
) -> Result<(), Broken> {
    if cases.len() > COMPARED {
        return Ok(());
    }
    solver.assert(pool, question.premise)?;
    let allowance = allowance.within(allowance.share(0.2, COMPARISONS));
    let mut at = 0;
    while at < cases.len() {
        let functions = question.variables.iter().copied().zip(cases[at].functions.iter().copied());
        let chosen = substitute(pool, question.conclusion, functions);
        let mut other = 0;
        while other < cases.len() {
            if allowance.exhausted().is_some() {
                return Ok(());
            }
            solver.set_allowance(allowance.within(COMPARISON));
            // Equal functions need no question. SAT? S ∧ Tⱼ ∧ ¬T[y := fᵢ(x)]
            let covered = other != at
                && (cases[other].functions == cases[at].functions
                    || solver.check(pool, &[cases[other].projection, pool.not(chosen)])?
                        == Answer::Unsat);
            if covered {
                let case = cases.remove(other);
                at -= usize::from(other < at);
                let into = &mut cases[at];
                // The relation of i may be wrong where only j was known to hold.
                let same = case.relation == into.relation;
                into.projection = pool.or([into.projection, case.projection]);
                into.guard = into.projection;
                if !same {
                    let equal = question.variables.iter().zip(&into.functions);
                    into.relation = equal.map(|(v, f)| pool.eq(*v, *f)).collect();
                }
            } else {
                other += 1;
            }
        }
        at += 1;
    }
    // The cases with the fewest variables in their functions go last, where no guard is needed.
    let variables = |case: &Case| free_vars(pool, &case.functions).len();
    cases.sort_by_key(|case| std::cmp::Reverse(variables(case)));
    Ok(())
}
