//! Where a search begins, and what it leaves behind.
//!
//! A search that is stopped has frames. Another one, about the same circuit or one that is much like it,
//! begins with their lemmas. Nothing of them is believed: at each new frontier k a lemma that all frames
//! so far have is asked about relative to F_(k-1), as any lemma is, and waits for the next frontier if it
//! holds. One that does not is left to propagation.

use crate::consecution::Assume;
use crate::cube::Cube;
use crate::engine::{Ic3, clause, denied};
use circuit::Clause;
use lemmas::{INFINITE, Phase};
use sat::{Exhausted, Solver};

impl<S: Solver + Default> Ic3<'_, S> {
    /// Begins with clauses that may hold, those that held longest first.
    pub fn begin_with(&mut self, clauses: &[Clause]) {
        let lemmas = clauses.iter().map(denied);
        let waiting: Vec<Cube> =
            lemmas.filter(|lemma| !self.transition.intersects_init(lemma.literals())).collect();
        self.waiting.extend(waiting);
    }

    /// Adds to the frontier what waits and holds there.
    pub(crate) fn plant(&mut self) -> Result<(), Exhausted> {
        let frontier = self.frames.frontier();
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        while let Some(lemma) = waiting.next() {
            if self.frames.excluded_at((), frontier, &lemma).is_none() {
                match self.consecution(frontier, lemma.literals(), Assume::Clause, Phase::Propagate)
                {
                    Ok(true) => self.add_lemma(frontier, lemma.clone()),
                    Ok(false) => continue,
                    Err(stop) => {
                        self.waiting.push(lemma);
                        self.waiting.extend(waiting);
                        return Err(stop);
                    }
                }
            }
            self.waiting.push(lemma);
        }
        Ok(())
    }

    /// What the search has come to: clauses over latches, each with the highest frame that has it, or
    /// [`INFINITE`].
    pub fn unfinished(&self) -> Vec<(usize, Clause)> {
        let frontier = self.frames.frontier();
        let infinite = self.frames.infinite(()).iter().map(|cube| (INFINITE, clause(cube)));
        let levels = (1..=frontier).rev();
        let framed = levels.flat_map(|i| self.frames.at((), i).iter().map(move |c| (i, clause(c))));
        let waiting = self.waiting.iter().map(|cube| (frontier, clause(cube)));
        infinite.chain(framed).chain(waiting).collect()
    }
}
