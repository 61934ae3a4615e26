//! Activation literals of frames: how one incremental solver knows F_0, F_1, ….
//!
//! A lemma of level i is a clause with the negated literal of i, and the literal of a level implies
//! those of the levels above. So assuming the literal of i activates the lemmas of i and above,
//! which is F_i, at the cost of one assumption. Lemmas that hold in all frames have no literal.

use smt::{Error, Solver};
use term::{Pool, Sort, Term};

/// The literals that a solver knows.
#[derive(Default)]
pub(crate) struct Levels {
    /// Entry i activates F_i.
    literals: Vec<Term>,
}

impl Levels {
    /// Makes literals up to one level above the frontier.
    pub(crate) fn extend(
        &mut self,
        pool: &Pool,
        solver: &mut (impl Solver + ?Sized),
        frontier: usize,
    ) -> Result<(), Error> {
        while self.literals.len() <= frontier + 1 {
            let next = pool.fresh_var("level", Sort::Bool);
            if let Some(last) = self.literals.last() {
                solver.assert(pool, pool.or([pool.not(*last), next]))?;
            }
            self.literals.push(next);
        }
        Ok(())
    }

    /// The assumption that stands for F_level.
    ///
    /// Requires: the literals were extended.
    pub(crate) fn frame(&self, level: usize) -> Term {
        self.literals[level.min(self.literals.len() - 1)]
    }

    /// The lemma as a formula that holds where F_level is assumed; beyond the last level, always.
    pub(crate) fn at(&self, pool: &Pool, level: usize, lemma: Term) -> Term {
        match self.literals.get(level) {
            Some(active) => pool.or([pool.not(*active), lemma]),
            None => lemma,
        }
    }
}
