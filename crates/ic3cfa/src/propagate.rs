//! Propagation: lemmas that hold one frame higher are moved there.
//!
//! [Lan18 §4.4] found it of no use, as it asks whether a clause of one location holds at the next.
//! Here a lemma stays at its location and is moved to a higher frame if it is inductive there,
//! relative to all incoming arrows: what IC3 does, and what makes frames equal.

use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::observer::Phase;
use crate::strategy::Propagation;
use lemmas::INFINITE;

impl Engine<'_> {
    /// Moves lemmas up, from the lowest frame to the highest. Stops at a fixed point.
    pub(crate) fn propagate(&mut self) -> Result<(), End> {
        for frame in 1..self.frames.frontier() {
            for node in 0..self.graph.nodes.len() {
                for cube in self.frames.at(node, frame).to_vec() {
                    self.push(node, frame, cube)?;
                }
            }
            if self.frames.is_bare(frame) {
                // A fixed point.
                return Ok(());
            }
        }
        Ok(())
    }

    fn push(&mut self, node: usize, frame: usize, cube: Cube) -> Result<(), End> {
        // A failure lasts as long as the frame that it came from.
        let key = (node, cube);
        if let Some((at, from, time)) = self.failures.get(&key)
            && *at == frame
            && !self.frames.changed_since(*from, frame, *time)
        {
            self.observer.shortcut(Phase::Propagate);
            return Ok(());
        }
        let found = self.inductive(node, frame + 1, key.1.literals(), Phase::Propagate)?;
        if let Some(inductive) = found {
            self.failures.remove(&key);
            let frame = if inductive.framed { frame + 1 } else { INFINITE };
            return self.add_lemma(node, frame, Cube::new(inductive.literals));
        }
        // The arrow that failed is the first now.
        let arrow = self.graph.nodes[node].incoming[0];
        let failure = (frame, self.graph.arrows[arrow].from, self.frames.now());
        match self.strategy.propagation {
            Propagation::None | Propagation::Push => {}
            Propagation::PushAndTry => self.try_lemma(node, frame + 1, &key.1),
        }
        self.failures.insert(key, failure);
        Ok(())
    }
}
