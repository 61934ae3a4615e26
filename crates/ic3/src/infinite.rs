//! The infinite frame: lemmas that need no stepwise assumption.
//!
//! A lemma that is inductive relative to F_∞ holds in all reachable states. It is kept apart and
//! never propagated again, and it strengthens every frame, those to come included.

use crate::cube::Cube;
use crate::engine::{Ic3, denied};
use circuit::Clause;
use lemmas::{INFINITE, Phase};
use sat::{Answer, Exhausted, Lit, Solver};

impl<S: Solver + Default> Ic3<'_, S> {
    /// Moves the lemmas of the frontier that are inductive relative to F_∞ there.
    pub(crate) fn propagate_to_infinity(&mut self) -> Result<(), Exhausted> {
        let mut lemmas = self.frames.at((), self.frames.frontier()).to_vec();
        lemmas.sort_by_key(Cube::len);
        for lemma in lemmas {
            if self.is_inductive_alone(&lemma)? && self.insert_infinite(lemma.clone()) {
                self.post(INFINITE, &lemma);
            }
        }
        Ok(())
    }

    /// Whether F_∞ ∧ ¬c ∧ C ∧ T ⇒ ¬c' for the lemma ¬c.
    fn is_inductive_alone(&mut self, lemma: &Cube) -> Result<bool, Exhausted> {
        let primed: Vec<Lit> = lemma.literals().iter().map(|l| self.transition.prime(*l)).collect();
        self.observer.query(Phase::Propagate);
        // SAT? F_∞ ∧ ¬c ∧ C ∧ T ∧ c'
        match self.infinite.solve_with(&primed, &lemma.negation()) {
            Answer::Sat => Ok(false),
            Answer::Unsat => Ok(true),
            Answer::Unknown(stop) => Err(stop),
        }
    }

    /// Takes over what is inductive of clauses that were found elsewhere: those that are not
    /// preserved by the others leave, until none does (Houdini).
    pub fn learn(&mut self, clauses: &[Clause]) -> Result<(), Exhausted> {
        let mut lemmas: Vec<Cube> = clauses.iter().map(denied).collect();
        lemmas.retain(|lemma| !self.transition.intersects_init(lemma.literals()));
        loop {
            let kept = self.preserved(&lemmas)?;
            if kept.len() == lemmas.len() {
                break;
            }
            lemmas = kept;
        }
        for lemma in lemmas {
            self.insert_infinite(lemma);
        }
        Ok(())
    }

    /// The lemmas ¬c of L with F_∞ ∧ L ∧ C ∧ T ⇒ ¬c'.
    fn preserved(&mut self, lemmas: &[Cube]) -> Result<Vec<Cube>, Exhausted> {
        let mut solver = self.transition.step::<S>();
        solver.set_allowance(self.allowance.clone());
        for lemma in self.frames.infinite(()).iter().chain(lemmas) {
            solver.add_clause(&lemma.negation());
        }
        let mut kept = Vec::with_capacity(lemmas.len());
        for lemma in lemmas {
            let primed: Vec<Lit> =
                lemma.literals().iter().map(|l| self.transition.prime(*l)).collect();
            // SAT? F_∞ ∧ L ∧ C ∧ T ∧ c'
            match solver.solve(&primed) {
                Answer::Sat => {}
                Answer::Unsat => kept.push(lemma.clone()),
                Answer::Unknown(stop) => return Err(stop),
            }
        }
        Ok(kept)
    }

    /// Adds a lemma to F_∞, in the books and in the solvers. Returns whether it is new.
    ///
    /// Requires: F_∞ ∧ ¬c ∧ C ∧ T ⇒ ¬c', and I ⇒ ¬c.
    pub(crate) fn insert_infinite(&mut self, cube: Cube) -> bool {
        let clause = cube.negation();
        self.obstacles.add_lemma(INFINITE, &cube);
        if !self.frames.add((), INFINITE, cube).is_new() {
            return false;
        }
        self.infinite.add_clause(&clause);
        // F_0 = I implies the lemma, but its solver may not see that at once.
        for solver in &mut self.solvers {
            solver.add_clause(&clause);
        }
        true
    }
}
