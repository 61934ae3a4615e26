//! Proof obligations: cubes that must be shown unreachable, in the order of their frames.
//!
//! After \[EMB11\]: an obligation (i, s) asks for a lemma that excludes s from F_i. It carries the
//! inputs that lead from every state of s into the parent's cube (or, without a parent, violate
//! the property), so the chain of parents is the suffix of a counterexample. When s is
//! excluded from F_i, the obligation is not discarded but moved to a higher frame: the states of s
//! reach a violation, so they will be in the way there too (\[Bra11\] calls this pushing the
//! generalization forward). Obligations above the frontier wait for the frontier to reach them.
//!
//! Obligations live in one table and refer to each other by index, so that a chain of a
//! million of them is dropped without recursion.

use crate::cube::Cube;
use sat::Lit;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The index of an obligation.
pub type ObligationId = usize;

/// See the module's head.
pub struct Obligation {
    /// The frame from which the cube must be excluded.
    pub frame: usize,
    /// The length of the chain of parents.
    pub depth: usize,
    /// The states.
    pub cube: Cube,
    /// The inputs that lead from the cube to the parent's; inputs not named may be anything.
    pub inputs: Vec<Lit>,
    /// What the states reach in one step; a violation, if nothing.
    pub parent: Option<ObligationId>,
    /// How often the obligation was worked on, fading as it moves up.
    pub effort: f64,
}

/// The order of work: lowest frame first, then the longest chain, then the oldest.
type Key = (usize, Reverse<usize>, ObligationId);

/// All obligations.
#[derive(Default)]
pub struct Obligations {
    table: Vec<Obligation>,
    queue: BTreeSet<Key>,
    /// The size of the table at which unreferenced obligations are collected.
    collect_at: usize,
}

/// The effort that remains of an obligation's when it moves one frame up.
const EFFORT_FADE: f64 = 0.6;
/// The smallest table worth collecting.
const COLLECT_MIN: usize = 1 << 14;

impl Obligations {
    /// None.
    pub fn new() -> Self {
        Obligations { collect_at: COLLECT_MIN, ..Self::default() }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The obligation with this index.
    pub fn get(&self, id: ObligationId) -> &Obligation {
        &self.table[id]
    }

    /// Adds an obligation.
    pub fn add(
        &mut self,
        frame: usize,
        cube: Cube,
        inputs: Vec<Lit>,
        parent: Option<ObligationId>,
    ) -> ObligationId {
        let depth = parent.map_or(0, |p| self.table[p].depth + 1);
        let id = self.table.len();
        self.table.push(Obligation { frame, depth, cube, inputs, parent, effort: 0.0 });
        self.put_back(id);
        id
    }

    /// Takes the next obligation of a frame up to `frontier`.
    pub fn pop(&mut self, frontier: usize) -> Option<ObligationId> {
        let &(frame, _, id) = self.queue.first()?;
        if frame > frontier {
            return None;
        }
        self.queue.pop_first();
        Some(id)
    }

    /// Returns an obligation that was taken to the queue.
    pub fn put_back(&mut self, id: ObligationId) {
        let Obligation { frame, depth, .. } = self.table[id];
        self.queue.insert((frame, Reverse(depth), id));
    }

    /// Returns an obligation that was taken to the queue, at a higher frame.
    pub fn put_forward(&mut self, id: ObligationId, frame: usize) {
        let obligation = &mut self.table[id];
        debug_assert!(frame >= obligation.frame);
        let steps = (frame - obligation.frame).min(64) as i32;
        obligation.effort *= EFFORT_FADE.powi(steps);
        obligation.frame = frame;
        self.put_back(id);
    }

    /// Counts an attempt at the obligation. Returns the effort so far.
    pub fn work_on(&mut self, id: ObligationId) -> f64 {
        self.table[id].effort += 1.0;
        self.table[id].effort
    }

    /// Forgets all that waits.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.table.clear();
    }

    /// Forgets what no waiting obligation leads to, if that may be much.
    ///
    /// Requires: no obligation is taken.
    pub fn collect(&mut self) {
        if self.table.len() < self.collect_at {
            return;
        }
        let mut renumbered = vec![usize::MAX; self.table.len()];
        for (_, _, id) in &self.queue {
            let mut chain = Some(*id);
            while let Some(id) = chain.filter(|id| renumbered[*id] == usize::MAX) {
                renumbered[id] = 0;
                chain = self.table[id].parent;
            }
        }
        let mut kept = 0;
        for slot in renumbered.iter_mut().filter(|slot| **slot == 0) {
            *slot = kept;
            kept += 1;
        }
        let old = std::mem::take(&mut self.table);
        self.table = old
            .into_iter()
            .zip(&renumbered)
            .filter(|(_, slot)| **slot != usize::MAX)
            .map(|(o, _)| Obligation { parent: o.parent.map(|p| renumbered[p]), ..o })
            .collect();
        let queue = std::mem::take(&mut self.queue);
        self.queue = queue.into_iter().map(|(f, d, id)| (f, d, renumbered[id])).collect();
        self.collect_at = (2 * kept).max(COLLECT_MIN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_states() -> Cube {
        Cube::new(Vec::new())
    }

    #[test]
    fn lowest_frame_first_then_longest_chain() {
        let mut obligations = Obligations::new();
        let root = obligations.add(3, all_states(), Vec::new(), None);
        let child = obligations.add(2, all_states(), Vec::new(), Some(root));
        let grandchild = obligations.add(2, all_states(), Vec::new(), Some(child));
        assert_eq!(obligations.pop(3), Some(grandchild));
        assert_eq!(obligations.pop(3), Some(child));
        assert_eq!(obligations.pop(2), None);
        assert_eq!(obligations.pop(3), Some(root));
        assert!(obligations.is_empty());
    }

    #[test]
    fn collection_keeps_chains_and_order() {
        let mut obligations = Obligations::new();
        let mut parent = None;
        for _ in 0..COLLECT_MIN {
            obligations.add(1, all_states(), Vec::new(), None);
        }
        while obligations.pop(1).is_some() {}
        for frame in (2..10).rev() {
            parent = Some(obligations.add(frame, all_states(), Vec::new(), parent));
        }
        obligations.collect();
        assert_eq!(obligations.table.len(), 8);
        let first = obligations.pop(9);
        let mut chain = first;
        for frame in 2..10 {
            let id = chain.expect("the chain is whole");
            assert_eq!(obligations.get(id).frame, frame);
            chain = obligations.get(id).parent;
        }
        assert_eq!(chain, None);
    }
}
