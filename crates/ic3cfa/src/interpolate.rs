//! Interpolation of a cube relative to an arrow ([Lan18 §4.3.1, §4.3.5]).
//!
//! For A = F_(i,ℓ) ∧ T_a and B = c' with A ∧ B unsatisfiable, an interpolant I has A ⇒ I and
//! I ∧ c' ⇒ ⊥: the lemma I excludes c and speaks of the variables of c only, but is no subset of
//! its literals. [`smt::interpolate`] makes it of the bits of the variables of c after the arrow,
//! by McMillan's system, the strongest; the thesis has word-level interpolants from MathSAT. What is
//! wanted is ¬I as literals, and that is the interpolant of B and A by the dual system. Where the
//! variables have no bits (floats, arrays), literals are dropped instead, as the thesis does where
//! its solver has no interpolants.

use crate::engine::Engine;
use crate::graph::ArrowId;
use crate::observer::{Phase, Technique};
use smt::Allowance;
use smt::interpolate::{Chain, Options, System, bit};
use term::traverse::{conjuncts, free_vars};
use term::{Pool, Sort, Term};

/// How many gates either side may have, and how many connectives an interpolant to be worth a
/// lemma.
const OPTIONS: Options =
    Options { system: System::DualMcMillan, words: false, gates: 60_000, size: 64 };

impl Engine<'_> {
    /// Literals of the negation of an interpolant between F_(level,ℓ) ∧ T_a and the cube after
    /// the arrow; none if there is no useful one.
    ///
    /// Requires: no state of F_(level,ℓ) leads by the arrow into the cube.
    ///
    /// Ensures: the same for the result, and every state of the cube is in it.
    pub(crate) fn interpolant(
        &mut self,
        arrow: ArrowId,
        level: usize,
        cube: &[Term],
    ) -> Option<Vec<Term>> {
        let pool = self.pool;
        let (from, effect) = (self.graph.arrows[arrow].from, &self.graph.arrows[arrow].effect);
        let lemmas = self.frames.lemmas(from, level).map(|lemma| lemma.negation(pool));
        let before: Vec<Term> = lemmas.chain(effect.guards.iter().copied()).collect();
        let value = |variable: Term| {
            let assigned = effect.assigned.iter().find(|(v, _)| *v == variable);
            assigned.map_or(variable, |(_, value)| *value)
        };
        let work = self.strategy.effort.conflicts(Phase::Generalize);
        let allowance = Allowance { work, ..self.allowance.clone() };
        let literals = negated_interpolant(pool, &before, cube, value, &allowance)?;
        self.observer.technique(Technique::Interpolant);
        Some(literals)
    }
}

/// ¬I as literals, for an interpolant I of what comes before the arrow and the cube after it;
/// `value` is what the arrow makes of a variable.
fn negated_interpolant(
    pool: &Pool,
    before: &[Term],
    cube: &[Term],
    value: impl Fn(Term) -> Term,
    allowance: &Allowance,
) -> Option<Vec<Term>> {
    let mut chain = Chain::new(pool, 2, &OPTIONS, allowance);
    for variable in free_vars(pool, cube) {
        if !matches!(pool.sort(variable), Sort::Bool | Sort::BitVec(_)) {
            return None;
        }
        let meaning = |i| bit(pool, variable, i);
        chain.share_bits(0, 0, [variable, value(variable)], meaning).ok()?;
    }
    for (part, formulas) in [cube, before].into_iter().enumerate() {
        for formula in formulas {
            chain.assert(part, *formula).ok()?;
        }
    }
    // SAT? B ∧ A
    let negated = chain.interpolants().ok()?.pop()?;
    Some(conjuncts(pool, negated))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Auto, Solver as _};

    /// x' = x + 2 from x < 10 never is in x' > 100 ∧ x' even: the interpolant must say so too.
    #[test]
    fn interpolants_are_between() {
        let pool = Pool::new();
        let x = pool.var("x", Sort::BitVec(8));
        let number = |n: u64| pool.bv(n, 8);
        let before = [pool.bv_ult(x, number(10))];
        let next = pool.bv_add(x, number(2));
        let low = pool.eq(pool.bv_extract(x, 0, 0), pool.bv(0, 1));
        let after = [pool.bv_ult(number(100), x), low];
        let allowance = Allowance::default();
        let cube = negated_interpolant(&pool, &before, &after, |_| next, &allowance);
        let cube = cube.expect("an interpolant");
        let mut solver = Auto::new();
        // SAT? c ∧ I
        let lemma = pool.not(pool.and(cube.iter().copied()));
        let answer = solver.check(&pool, &[after[0], after[1], lemma]).expect("supported");
        assert_eq!(answer, smt::Answer::Unsat);
        // SAT? A ∧ ¬I'
        let primed = term::traverse::substitute(&pool, pool.and(cube), [(x, next)]);
        let answer = solver.check(&pool, &[before[0], primed]).expect("supported");
        assert_eq!(answer, smt::Answer::Unsat);
    }
}
