//! Generalization contexts: generalizations with the cube, arrow and frame that they were found
//! for, as bounds on later ones ([Lan18 §4.3.4], [LPN18 §3.5]).
//!
//! Least recently used entries go first.

use crate::cube::{Cube, Frames};
use crate::graph::{ArrowId, NodeId};
use lru::LruCache;
use rustc_hash::FxHashMap;
use std::num::NonZeroUsize;
use std::rc::Rc;

/// How many cubes are remembered.
const CAPACITY: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");
/// How many generalizations of one cube are.
const PER_CUBE: usize = 8;

/// A generalization in its context.
struct Entry {
    /// The lemmas of the frame, sorted.
    lemmas: Rc<[Cube]>,
    generalization: Cube,
}

/// All contexts.
pub(crate) struct Contexts {
    entries: LruCache<(ArrowId, Cube), Vec<Entry>>,
    /// The lemmas of F_(frame,node), by node and frame.
    sorted: FxHashMap<(NodeId, usize), Sorted>,
}

/// The lemmas of a frame in order.
struct Sorted {
    /// When they were sorted.
    time: u64,
    lemmas: Rc<[Cube]>,
}

impl Contexts {
    pub(crate) fn new() -> Self {
        Contexts { entries: LruCache::new(CAPACITY), sorted: FxHashMap::default() }
    }

    /// The lemmas of F_(frame,node), sorted.
    pub(crate) fn lemmas(&mut self, frames: &Frames, node: NodeId, frame: usize) -> Rc<[Cube]> {
        if let Some(Sorted { time, lemmas }) = self.sorted.get(&(node, frame))
            && !frames.changed_since(node, frame, *time)
        {
            return lemmas.clone();
        }
        let mut lemmas: Vec<Cube> = frames.lemmas(node, frame).cloned().collect();
        lemmas.sort_unstable();
        let lemmas: Rc<[Cube]> = lemmas.into();
        let sorted = Sorted { time: frames.now(), lemmas: lemmas.clone() };
        self.sorted.insert((node, frame), sorted);
        lemmas
    }

    /// Remembers that the cube was generalized relative to this arrow and frame.
    pub(crate) fn add(
        &mut self,
        arrow: ArrowId,
        cube: Cube,
        lemmas: Rc<[Cube]>,
        generalization: Cube,
    ) {
        let entries = self.entries.get_or_insert_mut((arrow, cube), Vec::new);
        if entries.len() >= PER_CUBE {
            entries.remove(0);
        }
        entries.push(Entry { lemmas, generalization });
    }

    /// The smallest known generalization of the cube that is valid relative to the frame: found
    /// for a frame with no other lemmas ([Lan18, Theorem 4.7]).
    pub(crate) fn upper_bound(
        &mut self,
        arrow: ArrowId,
        cube: &Cube,
        lemmas: &[Cube],
    ) -> Option<Cube> {
        let entries = self.entries.get(&(arrow, cube.clone()))?;
        let valid = entries.iter().filter(|e| is_subset(&e.lemmas, lemmas));
        valid.map(|e| &e.generalization).min_by_key(|g| g.len()).cloned()
    }

    /// As above, among generalizations of other cubes that are part of this one ([Lan18, Theorem
    /// 4.8]).
    pub(crate) fn extended_upper_bound(
        &mut self,
        arrow: ArrowId,
        cube: &Cube,
        lemmas: &[Cube],
    ) -> Option<Cube> {
        let of_arrow = self.entries.iter().filter(|((a, _), _)| *a == arrow);
        let valid = of_arrow.flat_map(|(key, entries)| entries.iter().map(move |e| (key, e)));
        let valid = valid
            .filter(|(_, e)| e.generalization.subsumes(cube) && is_subset(&e.lemmas, lemmas))
            .min_by_key(|(_, e)| e.generalization.len());
        let (key, found) = valid.map(|(key, e)| (key.clone(), e.generalization.clone()))?;
        // It was of use: it is to be kept.
        self.entries.promote(&key);
        Some(found)
    }

    /// The largest known generalization of the cube of which no literal can be dropped: found for
    /// a frame with all these lemmas ([Lan18, Theorem 4.9]).
    pub(crate) fn lower_bound(
        &mut self,
        arrow: ArrowId,
        cube: &Cube,
        lemmas: &[Cube],
    ) -> Option<Cube> {
        let entries = self.entries.get(&(arrow, cube.clone()))?;
        let valid = entries.iter().filter(|e| is_subset(lemmas, &e.lemmas));
        valid.map(|e| &e.generalization).max_by_key(|g| g.len()).cloned()
    }
}

/// Whether a sorted list is part of another.
fn is_subset(part: &[Cube], whole: &[Cube]) -> bool {
    let mut rest = whole.iter();
    part.len() <= whole.len() && part.iter().all(|p| rest.by_ref().find(|w| *w >= p) == Some(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Pool, Sort};

    #[test]
    fn bounds_depend_on_the_frame() {
        let pool = Pool::new();
        let [a, b, c] = ["a", "b", "c"].map(|n| pool.var(n, Sort::Bool));
        let cube = Cube::new(vec![a, b, c]);
        let general = Cube::new(vec![a, b]);
        let weak: Rc<[Cube]> = [Cube::new(vec![a])].into();
        let mut lemmas = vec![Cube::new(vec![a]), Cube::new(vec![c])];
        lemmas.sort_unstable();
        let mut contexts = Contexts::new();
        contexts.add(0, cube.clone(), weak.clone(), general.clone());
        assert_eq!(contexts.upper_bound(0, &cube, &lemmas), Some(general.clone()));
        assert_eq!(contexts.upper_bound(1, &cube, &lemmas), None, "another arrow");
        assert_eq!(contexts.upper_bound(0, &cube, &[]), None, "a weaker frame");
        assert_eq!(contexts.lower_bound(0, &cube, &[]), Some(general.clone()));
        assert_eq!(contexts.lower_bound(0, &cube, &lemmas), None);
        let other = Cube::new(vec![a, b]);
        assert_eq!(contexts.extended_upper_bound(0, &other, &weak), Some(general));
    }
}
