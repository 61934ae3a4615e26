//! Proof obligations: cubes that must be shown unreachable, in the order of their levels ([Lan18
//! §4.2.2, §4.3.4]).
//!
//! An obligation (i, ℓ, c) asks for a lemma that excludes c from F_(i,ℓ). It knows the arrow by
//! which every state of c gets into the parent's cube, so the chain of parents is the suffix of a
//! counterexample. An obligation that is settled may be kept for a higher level, where its states
//! will be in the way too: *reuse* ([Lan18 §4.2.4]).

use crate::cube::Cube;
use crate::graph::{ArrowId, NodeId};
use crate::options::ObligationOrder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The index of an obligation.
pub type ObligationId = usize;

/// See the module's head.
#[derive(Debug)]
pub struct Obligation {
    /// The level from which the cube must be excluded.
    pub level: usize,
    /// Where.
    pub node: NodeId,
    /// The states.
    pub cube: Cube,
    /// The arrow by which they lead into the parent's cube, and the parent; none at the error
    /// node.
    pub parent: Option<(ArrowId, ObligationId)>,
    /// The length of the chain of parents.
    pub depth: usize,
    /// The first obligation of the attempt that this one belongs to ([`crate::may`]); none if it
    /// must be settled.
    pub attempt: Option<ObligationId>,
}

/// What is known of an attempt.
#[derive(Clone, Copy, Default, Debug)]
struct Attempt {
    /// How many obligations it has taken.
    effort: usize,
    given_up: bool,
}

/// Level, then the order's rank, then age.
type Key = (usize, u64, ObligationId);

/// All obligations.
#[derive(Debug)]
pub struct Obligations {
    table: Vec<Obligation>,
    queue: BTreeSet<Key>,
    /// What is in the queue.
    waiting: FxHashSet<(usize, NodeId, Cube)>,
    /// By their first obligations.
    attempts: FxHashMap<ObligationId, Attempt>,
    order: ObligationOrder,
    random: u64,
}

impl Obligations {
    /// None.
    pub fn new(order: ObligationOrder, seed: u64) -> Self {
        Obligations {
            table: Vec::new(),
            queue: BTreeSet::new(),
            waiting: FxHashSet::default(),
            attempts: FxHashMap::default(),
            order,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
        }
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

    /// Adds an obligation, unless the same waits already; returns whether it is new.
    pub fn add(
        &mut self,
        level: usize,
        node: NodeId,
        cube: Cube,
        parent: Option<(ArrowId, ObligationId)>,
    ) -> bool {
        if self.waiting.contains(&(level, node, cube.clone())) {
            return false;
        }
        let id = self.note(level, node, cube, parent);
        self.put_back(id);
        true
    }

    /// Notes an obligation that does not wait in the queue: the root, and the first of a
    /// counterexample.
    pub fn note(
        &mut self,
        level: usize,
        node: NodeId,
        cube: Cube,
        parent: Option<(ArrowId, ObligationId)>,
    ) -> ObligationId {
        let depth = parent.map_or(0, |(_, id)| self.table[id].depth + 1);
        let attempt = parent.and_then(|(_, id)| self.table[id].attempt);
        if let Some(attempt) = attempt {
            self.attempts.entry(attempt).or_default().effort += 1;
        }
        self.table.push(Obligation { level, node, cube, parent, depth, attempt });
        self.table.len() - 1
    }

    /// Begins an attempt, unless its first obligation waits already; returns whether it does.
    pub fn attempt(&mut self, level: usize, node: NodeId, cube: Cube) -> bool {
        let first = self.table.len();
        if !self.waiting.insert((level, node, cube.clone())) {
            return false;
        }
        self.queue.insert((level, u64::MAX, first));
        self.table.push(Obligation {
            level,
            node,
            cube,
            parent: None,
            depth: 0,
            attempt: Some(first),
        });
        self.attempts.insert(first, Attempt::default());
        true
    }

    /// How many obligations an attempt has taken.
    pub fn effort(&self, attempt: ObligationId) -> usize {
        self.attempts.get(&attempt).map_or(0, |a| a.effort)
    }

    /// Ends an attempt: its obligations need not be settled.
    pub fn give_up(&mut self, attempt: ObligationId) {
        self.attempts.entry(attempt).or_default().given_up = true;
    }

    /// Whether an attempt has ended.
    pub fn is_given_up(&self, attempt: ObligationId) -> bool {
        self.attempts.get(&attempt).is_some_and(|a| a.given_up)
    }

    /// Takes the next obligation of a level up to `level`.
    pub fn pop(&mut self, level: usize) -> Option<ObligationId> {
        let (next, _, id) = *self.queue.first()?;
        if next > level {
            return None;
        }
        self.queue.pop_first();
        let Obligation { level, node, cube, .. } = &self.table[id];
        self.waiting.remove(&(*level, *node, cube.clone()));
        Some(id)
    }

    /// Returns an obligation that was taken to the queue.
    pub fn put_back(&mut self, id: ObligationId) {
        let Obligation { level, node, cube, .. } = &self.table[id];
        if !self.waiting.insert((*level, *node, cube.clone())) {
            return;
        }
        let size = cube.len() as u64;
        let rank = match self.order {
            // What must be settled comes first.
            _ if self.table[id].attempt.is_some() => u64::MAX,
            ObligationOrder::Smallest => size,
            ObligationOrder::Largest => u64::MAX - size,
            ObligationOrder::Random => next_random(&mut self.random),
        };
        self.queue.insert((*level, rank, id));
    }

    /// Returns an obligation that was taken to the queue, at a higher level.
    pub fn put_forward(&mut self, id: ObligationId, level: usize) {
        self.table[id].level = level;
        self.put_back(id);
    }

    /// Forgets all that waits.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.waiting.clear();
        self.table.clear();
        self.attempts.clear();
    }

    /// How many obligations are kept, waiting or as somebody's parent.
    pub fn kept(&self) -> usize {
        self.table.len()
    }

    /// Forgets what no waiting obligation leads to.
    ///
    /// Requires: no obligation is taken.
    pub fn collect(&mut self) {
        let mut renumbered = vec![usize::MAX; self.table.len()];
        for (_, _, id) in &self.queue {
            let mut chain = Some(*id);
            // The first obligation of an attempt is the end of the chain.
            while let Some(id) = chain.filter(|id| renumbered[*id] == usize::MAX) {
                renumbered[id] = 0;
                chain = self.table[id].parent.map(|(_, parent)| parent);
            }
        }
        for (kept, slot) in renumbered.iter_mut().filter(|slot| **slot == 0).enumerate() {
            *slot = kept;
        }
        let old = std::mem::take(&mut self.table);
        let survives = |(_, slot): &(Obligation, &usize)| **slot != usize::MAX;
        self.table = old
            .into_iter()
            .zip(&renumbered)
            .filter(survives)
            .map(|(o, _)| Obligation {
                parent: o.parent.map(|(a, p)| (a, renumbered[p])),
                attempt: o.attempt.map(|first| renumbered[first]),
                ..o
            })
            .collect();
        let attempts = std::mem::take(&mut self.attempts);
        let kept = attempts.into_iter().filter(|(first, _)| renumbered[*first] != usize::MAX);
        self.attempts = kept.map(|(first, a)| (renumbered[first], a)).collect();
        let queue = std::mem::take(&mut self.queue);
        self.queue = queue.into_iter().map(|(l, r, id)| (l, r, renumbered[id])).collect();
    }
}

/// Splitmix64.
fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_level_first_and_collection_keeps_chains() {
        let mut obligations = Obligations::new(ObligationOrder::Smallest, 0);
        obligations.add(3, 7, Cube::default(), None);
        let root = obligations.pop(3).expect("one waits");
        assert!(obligations.add(2, 5, Cube::default(), Some((0, root))));
        assert!(!obligations.add(2, 5, Cube::default(), Some((1, root))), "it waits already");
        obligations.put_back(root);
        obligations.note(0, 0, Cube::default(), None);
        obligations.collect();
        assert_eq!(obligations.kept(), 2);
        let first = obligations.pop(3).expect("two wait");
        assert_eq!(obligations.get(first).level, 2);
        let (_, parent) = obligations.get(first).parent.expect("the root");
        assert_eq!(obligations.get(parent).node, 7);
        assert_eq!(obligations.pop(2), None);
    }
}
