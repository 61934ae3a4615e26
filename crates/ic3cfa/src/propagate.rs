//! Propagation: lemmas that hold one level higher are moved there.
//!
//! [Lan18 §4.4] found it of no use, as it asks whether a clause of one location holds at the next.
//! Here a lemma stays at its location and is moved to a higher level if it is inductive there,
//! relative to all incoming arrows: what IC3 does, and what makes frames equal.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::frames::INFINITE;
use crate::observer::Phase;
use crate::strategy::Propagation;

impl Engine<'_> {
    /// Moves lemmas up, from the lowest level to the highest. Stops at a fixed point.
    pub(crate) fn propagate(&mut self) -> Result<(), End> {
        for level in 1..self.frames.frontier() {
            for node in 0..self.graph.nodes.len() {
                for cube in self.frames.at(node, level).to_vec() {
                    self.push(node, level, cube)?;
                }
            }
            if self.frames.is_bare(level) {
                // A fixed point.
                return Ok(());
            }
        }
        Ok(())
    }

    fn push(&mut self, node: usize, level: usize, cube: Cube) -> Result<(), End> {
        // A failure lasts as long as the frame that it came from.
        let key = (node, cube);
        if let Some((at, from, time)) = self.failures.get(&key)
            && *at == level
            && !self.frames.changed_since(*from, level, *time)
        {
            self.observer.shortcut(Phase::Propagate);
            return Ok(());
        }
        let found = self.inductive(node, level + 1, key.1.literals(), Phase::Propagate)?;
        if let Some(inductive) = found {
            self.failures.remove(&key);
            let level = if inductive.framed { level + 1 } else { INFINITE };
            return self.add_lemma(node, level, Cube::new(inductive.literals));
        }
        // The arrow that failed is the first now.
        let arrow = self.graph.nodes[node].incoming[0];
        let failure = (level, self.graph.arrows[arrow].from, self.frames.now());
        match self.strategy.propagation {
            Propagation::None | Propagation::Push => {}
            Propagation::PushAndTry => self.try_lemma(node, level + 1, &key.1),
        }
        self.failures.insert(key, failure);
        Ok(())
    }
}
