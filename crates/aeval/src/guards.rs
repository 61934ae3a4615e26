//! Guards over as few variables as possible (\[Fed15\] §4.2.3): the Horn system (4.10)
//!
//! ```text
//! S ∧ Tᵢ ∧ ¬T₁ ∧ … ∧ ¬Tᵢ₋₁ ⇒ Iᵢ(xᵢ)        S ∧ Iᵢ(xᵢ) ∧ ¬Tᵢ ⇒ ⊥
//! ```
//!
//! No predicate depends on another, so the system falls apart into one interpolation problem a
//! case, and over given variables xᵢ the strongest candidate is the elimination of all others from
//! the left side: there is a solution over xᵢ if and only if that is one. Variables are given up
//! one after the other as long as there is a solution, as the thesis proposes; where it asks a Horn
//! solver, this asks projections. The thesis compares Tᵢ with the projections before it, this with
//! the guards before it, which is what decides whether a case is reached.

use crate::decide::{Broken, Question, eliminate};
use crate::skolem::Case;
use answer::Allowance;
use smt::{Answer, Solver, Solvers};
use std::time::Duration;
use term::traverse::{conjuncts, disjuncts, free_vars};
use term::{Op, Pool, Sort, Term};

/// How long the search for guards may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Of how many projections an elimination may consist.
const DISJUNCTS: usize = 8;

/// Replaces the guards of the cases by smaller ones.
pub(crate) fn minimize(
    pool: &Pool,
    question: &Question,
    cases: &mut [Case],
    solvers: &dyn Solvers,
    allowance: &Allowance,
) -> Result<(), Broken> {
    let allowance = allowance.within(allowance.share(0.2, PATIENCE));
    let mut before = pool.tru();
    for case in cases {
        if allowance.exhausted().is_some() {
            return Ok(());
        }
        let mut solver = solvers.general();
        solver.set_allowance(allowance.clone());
        solver.assert(pool, question.premise)?;
        let premise = question.premise;
        let mut search = Search { pool, solver, premise, covers: case.projection, before };
        case.guard = search.smallest()?;
        before = pool.and([before, pool.not(case.guard)]);
    }
    Ok(())
}

/// The search for one guard.
struct Search<'a> {
    pool: &'a Pool,
    /// Knows S.
    solver: Box<dyn Solver>,
    /// S
    premise: Term,
    /// Tᵢ
    covers: Term,
    /// ¬I₁ ∧ … ∧ ¬Iᵢ₋₁
    before: Term,
}

impl Search<'_> {
    fn smallest(&mut self) -> Result<Term, Broken> {
        let pool = self.pool;
        let mut guard = self.covers;
        if self.allowed(pool.tru())? {
            return Ok(pool.tru());
        }
        let needed = pool.and([self.premise, self.before, self.covers]);
        let mut kept = free_vars(pool, &[guard]);
        let mut at = 0;
        while at < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            match self.over(needed, &fewer)? {
                Some(smaller) => {
                    guard = smaller;
                    kept = fewer;
                }
                None => at += 1,
            }
        }
        self.simplify(guard)
    }

    /// S ∧ before ∧ I ⇒ Tᵢ: where the guard holds and none before, the case may be taken.
    fn allowed(&mut self, guard: Term) -> Result<bool, Broken> {
        let excluded = self.pool.not(self.covers);
        // SAT? S ∧ before ∧ I ∧ ¬Tᵢ
        Ok(self.solver.check(self.pool, &[self.before, guard, excluded])? == Answer::Unsat)
    }

    /// A guard over some of the variables, if there is one.
    fn over(&mut self, needed: Term, variables: &[Term]) -> Result<Option<Term>, Broken> {
        let pool = self.pool;
        let others: Vec<Term> =
            free_vars(pool, &[needed]).into_iter().filter(|v| !variables.contains(v)).collect();
        // Elements of sorts without names, and arrays, are not given up.
        let hard = |v: &Term| matches!(pool.sort(*v), Sort::Uninterpreted(_) | Sort::Array(_));
        if others.iter().any(hard) {
            return Ok(None);
        }
        let guard = eliminate(pool, needed, &others, &mut *self.solver, DISJUNCTS)?;
        match guard {
            Some(guard) if self.allowed(guard)? => Ok(Some(guard)),
            _ => Ok(None),
        }
    }

    /// Drops the conjuncts of each disjunct that S and the other guards imply.
    fn simplify(&mut self, guard: Term) -> Result<Term, Broken> {
        let pool = self.pool;
        let mut cubes: Vec<Vec<Term>> =
            disjuncts(pool, guard).into_iter().map(|d| conjuncts(pool, d)).collect();
        let whole =
            |cubes: &[Vec<Term>]| pool.or(cubes.iter().map(|cube| pool.and(cube.iter().copied())));
        for at in 0..cubes.len() {
            let mut part = 0;
            while part < cubes[at].len() {
                let mut fewer = cubes.clone();
                fewer[at].remove(part);
                if *pool.op(cubes[at][part]) != Op::Or && self.allowed(whole(&fewer))? {
                    cubes = fewer;
                } else {
                    part += 1;
                }
            }
        }
        Ok(whole(&cubes))
    }
}
