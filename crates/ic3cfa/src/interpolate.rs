//! Interpolation of a cube relative to an arrow ([Lan18 §4.3.1, §4.3.5]).
//!
//! For A = F_(i,ℓ) ∧ T_a and B = c' with A ∧ B unsatisfiable, an interpolant I has A ⇒ I and
//! I ∧ c' ⇒ ⊥: the lemma I excludes c and speaks of the variables of c only, but is no subset of
//! its literals. Theories are below us: A and B are bit-blasted apart, sharing the bits of the
//! variables of c after the arrow, and the interpolant is read off CaDiCaL's refutation
//! ([`sat::interpolant`], McMillan's system, the strongest). So it is a formula over single bits;
//! the thesis has word-level interpolants from MathSAT. What has no bits (floats, arrays) is left
//! to the dropping of literals, as the thesis does where its solver has no interpolants.

use crate::engine::Engine;
use crate::graph::ArrowId;
use crate::observer::{Phase, Technique};
use aig::{Edge, Encoder};
use blast::Blaster;
use sat::interpolant::{Node, System, interpolate};
use sat::proof::{Partition, ProvingSolver};
use sat::{Allowance, Answer, Lit, Solver, Statistics, Var};
use term::traverse::{conjuncts, free_vars};
use term::{Pool, Sort, Term};

/// What comes before the arrow, and what after.
const BEFORE: Partition = Partition(0);
const AFTER: Partition = Partition(1);
/// How many gates either side may have.
const MAX_GATES: usize = 60_000;
/// How many connectives an interpolant may have to be worth a lemma.
const MAX_SIZE: usize = 64;

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
        let mut question = Question::new(Allowance { work, ..self.allowance.clone() });
        question.share(pool, &free_vars(pool, cube), value)?;
        question.assert(pool, &before, cube)?;
        let literals = question.negated_interpolant(pool)?;
        self.observer.technique(Technique::Interpolant);
        Some(literals)
    }
}

/// A ∧ B, each side with its own circuits.
struct Question {
    solver: ProvingSolver,
    before: (Blaster, Encoder),
    after: (Blaster, Encoder),
    /// What the shared variables of the solver stand for.
    bits: Vec<(Var, Term)>,
}

impl Question {
    fn new(allowance: Allowance) -> Self {
        let mut solver = ProvingSolver::default();
        solver.set_allowance(allowance);
        let side = || (Blaster::with_limit(MAX_GATES), Encoder::new());
        Question { solver, before: side(), after: side(), bits: Vec::new() }
    }

    /// Gives every bit of the variables after the arrow a variable of the solver, equal to the bit
    /// that the arrow computes.
    fn share(
        &mut self,
        pool: &Pool,
        variables: &[Term],
        value: impl Fn(Term) -> Term,
    ) -> Option<()> {
        for variable in variables {
            let bit = |i: u32| match pool.sort(*variable) {
                Sort::Bool => Some(*variable),
                Sort::BitVec(_) => Some(pool.eq(pool.bv_extract(*variable, i, i), pool.bv(1, 1))),
                _ => None,
            };
            let computed = self.before.0.bits(pool, value(*variable)).ok()?;
            let received = self.after.0.bits(pool, *variable).ok()?;
            for (i, (computed, received)) in computed.iter().zip(received.iter()).enumerate() {
                let shared = self.solver.new_var();
                self.bits.push((shared, bit(i as u32)?));
                self.after.1.bind(*received, shared.pos());
                let computed = self.literal_before(*computed);
                let shared = shared.pos();
                self.solver.add_clause_in(BEFORE, &[!shared, computed]);
                self.solver.add_clause_in(BEFORE, &[shared, !computed]);
            }
        }
        Some(())
    }

    fn literal_before(&mut self, edge: Edge) -> Lit {
        let (blaster, encoder) = &mut self.before;
        encoder.lit(blaster.aig(), &mut InPart { solver: &mut self.solver, part: BEFORE }, edge)
    }

    /// Asserts both sides; `None` if one has more than bits.
    fn assert(&mut self, pool: &Pool, before: &[Term], after: &[Term]) -> Option<()> {
        let sides = [(&mut self.before, BEFORE, before), (&mut self.after, AFTER, after)];
        for ((blaster, encoder), part, formulas) in sides {
            for formula in formulas {
                let edge = blaster.bool(pool, *formula).ok()?;
                let solver = &mut InPart { solver: &mut self.solver, part };
                encoder.assert(blaster.aig(), solver, edge);
            }
            if !blaster.atoms().is_empty() {
                return None;
            }
        }
        Some(())
    }

    /// ¬I as literals.
    fn negated_interpolant(&mut self, pool: &Pool) -> Option<Vec<Term>> {
        // SAT? A ∧ B
        if self.solver.solve(&[]) != Answer::Unsat {
            return None;
        }
        let refutation = self.solver.proof().ok()?.check().ok()?;
        let interpolant = interpolate(&refutation, System::McMillan, |part| part == BEFORE);
        if interpolant.formulas.size(interpolant.root) > MAX_SIZE {
            return None;
        }
        let negated = |lit: Lit| {
            let (_, bit) = self.bits.iter().find(|(var, _)| *var == lit.var())?;
            Some(if lit.is_pos() { pool.not(*bit) } else { *bit })
        };
        let value = |node: Node<Option<Term>>| match node {
            Node::Constant(value) => Some(pool.bool(!value)),
            Node::Literal(lit) => negated(lit),
            Node::And(a, b) => Some(pool.or([a?, b?])),
            Node::Or(a, b) => Some(pool.and([a?, b?])),
        };
        let root = interpolant.formulas.fold(&[interpolant.root], value).pop()??;
        Some(conjuncts(pool, root))
    }
}

/// The proving solver as seen by an encoder: what is added is of one part.
struct InPart<'a> {
    solver: &'a mut ProvingSolver,
    part: Partition,
}

impl Solver for InPart<'_> {
    fn name(&self) -> &'static str {
        "cadical"
    }

    fn new_var(&mut self) -> Var {
        self.solver.new_var()
    }

    fn var_count(&self) -> usize {
        self.solver.var_count()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.solver.add_clause_in(self.part, clause);
    }

    fn solve_with(&mut self, assumptions: &[Lit], temporary: &[Lit]) -> Answer {
        let mut assumed: Vec<(Lit, Partition)> =
            assumptions.iter().map(|lit| (*lit, self.part)).collect();
        if !temporary.is_empty() {
            let active = self.solver.new_var().pos();
            let clause: Vec<Lit> = temporary.iter().copied().chain([!active]).collect();
            self.solver.add_clause_in(self.part, &clause);
            assumed.push((active, self.part));
        }
        self.solver.solve(&assumed)
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.solver.value(lit)
    }

    fn failed(&self, assumption: Lit) -> bool {
        self.solver.failed(assumption)
    }

    fn set_allowance(&mut self, allowance: Allowance) {
        self.solver.set_allowance(allowance);
    }

    fn set_work(&mut self, conflicts: Option<u64>) {
        self.solver.set_work(conflicts);
    }

    fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }
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
        let mut question = Question::new(Allowance::default());
        question.share(&pool, &[x], |_| next).expect("bits");
        question.assert(&pool, &before, &after).expect("bits");
        let cube = question.negated_interpolant(&pool).expect("an interpolant");
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
