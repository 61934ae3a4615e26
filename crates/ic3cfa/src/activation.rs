//! Activation literals of frames: how one incremental solver knows F_0, F_1, ….
//!
//! A lemma of frame i is a clause with the negated literal of i, and the literal of a frame implies
//! those of the frames above. So assuming the literal of i activates the lemmas of i and above,
//! which is F_i, at the cost of one assumption. Lemmas that hold in all frames have no literal.

use smt::{Error, Solver};
use term::{Pool, Sort, Term};

/// The literals that a solver knows.
#[derive(Default, Debug)]
pub struct Activation {
    /// Entry i activates F_i.
    literals: Vec<Term>,
}

impl Activation {
    /// Makes literals up to one frame above the frontier.
    pub fn extend(
        &mut self,
        pool: &Pool,
        solver: &mut (impl Solver + ?Sized),
        frontier: usize,
    ) -> Result<(), Error> {
        while self.literals.len() <= frontier + 1 {
            let next = pool.fresh_var("frame", Sort::Bool);
            if let Some(last) = self.literals.last() {
                solver.assert(pool, pool.or([pool.not(*last), next]))?;
            }
            self.literals.push(next);
        }
        Ok(())
    }

    /// The assumption that stands for F_frame.
    ///
    /// Requires: the literals were extended.
    pub fn frame(&self, frame: usize) -> Term {
        self.literals[frame.min(self.literals.len() - 1)]
    }

    /// The lemma as a formula that holds where F_frame is assumed; beyond the last frame, always.
    pub fn at(&self, pool: &Pool, frame: usize, lemma: Term) -> Term {
        match self.literals.get(frame) {
            Some(active) => pool.or([pool.not(*active), lemma]),
            None => lemma,
        }
    }
}
