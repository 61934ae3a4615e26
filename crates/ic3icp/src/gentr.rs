//! Generalization of obligations with the negated transition relation: GeNTR ([Sch §III-D]).
//!
//! A state e that steps into a cube c by inputs i satisfies e ∧ i ∧ T ∧ c'; so e ∧ i ∧ ¬(T ∧ c') is
//! unsatisfiable, and what of e the refutation rests on is a box all of whose states step into c by the same
//! inputs. Deviation: \[Sch\] fixes the state after the step too, because T is any relation. Ours is a
//! function of state and inputs where it gets through at all, so what is negated is "gets through, into
//! the whole of c", and more states remain.
//!
//! Each state of the result has the same inputs, so the chain of obligations is a run as it stands.

use crate::engine::{End, Search};
use crate::literal::{Cube, Literal, cube};
use crate::question::{About, Asked, Questions};
use crate::rotation::fewer;
use crate::system::RelationId;
use icp::{Bound, Domain, Side};
use lemmas::{Literal as _, Phase};
use term::{Term, Value};

impl Search<'_> {
    /// The states that step into the target by these inputs, beginning with one of them; `target` is none
    /// for the error location.
    ///
    /// Requires: the state, given by its point, does.
    pub(crate) fn lift(
        &mut self,
        relation: RelationId,
        point: Vec<Literal>,
        inputs: &[(Term, Value)],
        target: Option<&Cube>,
    ) -> Result<Cube, End> {
        if !self.options.gentr {
            return Ok(cube(&self.domains, point));
        }
        let pool = self.pool;
        let (through, domains) = (&self.system.relations[relation], &self.domains);
        let missed = target.into_iter().flat_map(Cube::literals);
        let missed = missed.map(|literal| pool.not(through.before(pool, domains, literal)));
        let mut clause: Vec<Term> =
            std::iter::once(pool.not(through.guard)).chain(missed).collect();
        clause.retain(|part| pool.as_bool(*part) != Some(false));
        if clause.is_empty() {
            // Every state does, whatever the inputs are.
            return Ok(Cube::default());
        }
        let mut fixed = Vec::new();
        for (input, value) in inputs {
            match Domain::of(pool.sort(*input)) {
                Some(domain) => fixed.extend(
                    [Side::AtLeast, Side::AtMost]
                        .map(|side| Bound::new(*input, domain, side, value).formula(pool)),
                ),
                None => fixed.push(pool.eq(*input, pool.constant(value.clone()))),
            }
        }
        fixed.retain(|part| pool.as_bool(*part).is_none());
        let solver = self.lifters[relation].get_or_insert_with(|| self.factory.make());
        solver.set_work(Some(self.options.conflicts));
        let mut questions = Questions {
            pool,
            domains: &self.domains,
            solver: &mut **solver,
            observer: self.observer,
            phase: Phase::Lift,
            about: About::Before,
            fixed,
            clause,
            weaken: self.options.bg,
        };
        let whole = self.random.shuffled(&point);
        // SAT? e ∧ i ∧ ¬(T ∧ c')
        let lifted = match questions.ask(&whole)? {
            Asked::Unsat(core) => fewer(&mut questions, core, self.strategy)?,
            // What SMT-LIB leaves open, as the integer that NaN is, another solver may choose otherwise.
            Asked::Open(_) | Asked::Sat => point.clone(),
        };
        debug_assert!(lifted.iter().all(|l| point.iter().any(|p| p.implies(l))));
        Ok(cube(&self.domains, lifted))
    }
}
