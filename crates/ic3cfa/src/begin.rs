//! Where a search begins, and what it leaves behind.
//!
//! A search that is stopped has frames. Another one, about the same automaton or one that is much like it,
//! begins with their lemmas. Nothing of them is believed: at each new frontier k a lemma that all frames
//! so far have is asked about relative to F_(k-1), as any lemma is, and waits for the next frontier if it
//! holds. One that does not is left to propagation. So frames grow as they did, at the price of a question
//! a lemma, without the search for obligations and their generalization.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::observer::Phase;
use lemmas::INFINITE;
use program::verdict::{EVERY_FRAME, Invariant, Unfinished};
use std::cmp::Reverse;
use term::traverse::disjuncts;

/// Somebody who knows of other searches.
pub trait Partner {
    /// Formulas that hold at locations, inductive together, which then hold in all frames; asked before
    /// each iteration.
    fn proved(&mut self) -> Option<Invariant> {
        None
    }

    /// Formulas that may hold; asked once.
    fn begun(&mut self) -> Option<Unfinished> {
        None
    }

    /// The search was stopped, and had come to this.
    fn left(&mut self, unfinished: Unfinished) {
        let _ = unfinished;
    }
}

/// Knows nothing.
impl Partner for () {}

impl Engine<'_> {
    /// Takes over what another search had come to, what held longest first.
    pub(crate) fn begin(&mut self) {
        let Some(mut begun) = self.partner.begun() else { return };
        for node in 0..self.graph.nodes.len() {
            let Some(location) = self.graph.nodes[node].location else { continue };
            if node == self.graph.initial || node == self.graph.error {
                continue;
            }
            let Some(formulas) = begun.at.get_mut(location) else { continue };
            formulas.sort_by_key(|(frame, _)| Reverse(*frame));
            for &(_, formula) in formulas.iter() {
                let denied = disjuncts(self.pool, formula).into_iter().map(|d| self.pool.not(d));
                self.waiting.push((node, Cube::new(denied.collect())));
            }
        }
    }

    /// Adds to the frontier what waits and holds there.
    pub(crate) fn plant(&mut self) -> Result<(), End> {
        let frontier = self.frames.frontier();
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        while let Some((node, cube)) = waiting.next() {
            if self.frames.excluded_at(node, frontier, &cube).is_none() {
                let asked = self.inductive(node, frontier, cube.literals(), Phase::Seed);
                let found = match asked {
                    Ok(found) => found,
                    Err(end) => {
                        self.waiting.push((node, cube));
                        self.waiting.extend(waiting);
                        return Err(end);
                    }
                };
                match found {
                    None => continue,
                    Some(found) if found.framed => self.add_lemma(node, frontier, cube.clone())?,
                    Some(found) => self.add_lemma(node, INFINITE, Cube::new(found.literals))?,
                }
            }
            self.waiting.push((node, cube));
        }
        Ok(())
    }

    /// Tells what the search has come to.
    pub(crate) fn leave(&mut self) {
        let mut left = Unfinished::default();
        for (node, entry) in self.graph.nodes.iter().enumerate() {
            let Some(location) = entry.location else { continue };
            if node == self.graph.initial || node == self.graph.error {
                continue;
            }
            let here = left.at.entry(location).or_default();
            let formula = |cube: &Cube| cube.negation(self.pool);
            here.extend(self.frames.infinite(node).iter().map(|c| (EVERY_FRAME, formula(c))));
            for frame in 1..=self.frames.frontier() {
                here.extend(self.frames.at(node, frame).iter().map(|c| (frame, formula(c))));
            }
            let waiting = self.waiting.iter().filter(|(at, _)| *at == node);
            here.extend(waiting.map(|(_, cube)| (self.frames.frontier(), formula(cube))));
        }
        self.partner.left(left);
    }
}
