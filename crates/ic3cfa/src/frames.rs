//! Frames by node: F_(i,ℓ) over-approximates the states at ℓ after at most i steps ([Lan18
//! §4.2.1]), delta-encoded: a lemma is stored once, at the highest level up to which it holds.
//!
//! For all nodes but the error node, with T_a the relation of arrow a:
//! * F_(0,ℓ₀) = true, and F_(0,ℓ) = false for the others (4.5);
//! * F_(i,ℓ) ⇒ F_(i+1,ℓ) (4.6), by the encoding;
//! * F_(i,ℓ) ∧ T_a ⇒ F'_(i+1,ℓ') for every arrow a from ℓ to ℓ' and i < k (4.8).
//!
//! The initial node has no lemmas: runs start there in any state. Lemmas at [`INFINITE`] hold in
//! all frames.

use crate::cube::Cube;
use crate::graph::NodeId;

/// The level of lemmas that hold in every frame.
pub const INFINITE: usize = usize::MAX;

/// Lemmas of a node.
#[derive(Clone, Debug, Default)]
struct Sequence {
    /// Entry i: lemmas that hold up to level i and are not known to hold above.
    levels: Vec<Vec<Cube>>,
    infinite: Vec<Cube>,
    /// Entry i: when F_i last had a new lemma.
    changed: Vec<u64>,
    /// When one was added that holds everywhere.
    changed_everywhere: u64,
}

/// The frames of all nodes.
#[derive(Debug, Default)]
pub struct Frames {
    nodes: Vec<Sequence>,
    /// Entry i: how many lemmas of all nodes hold up to exactly level i.
    held: Vec<usize>,
    frontier: usize,
    /// How many lemmas were added: what time is told by.
    clock: u64,
}

impl Frames {
    /// F_0 only, for so many nodes.
    pub fn new(nodes: usize) -> Self {
        let sequence =
            Sequence { levels: vec![Vec::new()], changed: vec![0], ..Sequence::default() };
        Frames { nodes: vec![sequence; nodes], held: vec![0], frontier: 0, clock: 0 }
    }

    /// k, the highest level.
    pub fn frontier(&self) -> usize {
        self.frontier
    }

    /// Moves the frontier up; F_(k+1,ℓ) = true but for lemmas that hold everywhere.
    pub fn extend(&mut self) {
        self.frontier += 1;
        self.held.push(0);
        for sequence in &mut self.nodes {
            sequence.levels.push(Vec::new());
            sequence.changed.push(0);
        }
    }

    /// Adds a lemma to F_1, …, F_level; weaker ones are forgotten. Returns whether it is new.
    pub fn add(&mut self, node: NodeId, level: usize, cube: Cube) -> bool {
        if self.excludes(node, level, &cube).is_some() {
            return false;
        }
        self.clock += 1;
        let Sequence { levels, infinite, changed, changed_everywhere } = &mut self.nodes[node];
        let top = level.min(self.frontier);
        for (lemmas, held) in levels[..=top].iter_mut().zip(&mut self.held) {
            let before = lemmas.len();
            lemmas.retain(|lemma| !cube.subsumes(lemma));
            *held -= before - lemmas.len();
        }
        if level == INFINITE {
            infinite.retain(|lemma| !cube.subsumes(lemma));
            infinite.push(cube);
            *changed_everywhere = self.clock;
        } else {
            levels[level].push(cube);
            self.held[level] += 1;
            changed[..=level].fill(self.clock);
        }
        true
    }

    /// The highest level ≥ `level` at which a single lemma denies the cube.
    pub fn excludes(&self, node: NodeId, level: usize, cube: &Cube) -> Option<usize> {
        let Sequence { levels, infinite, .. } = &self.nodes[node];
        if infinite.iter().any(|lemma| lemma.subsumes(cube)) {
            return Some(INFINITE);
        }
        let lowest = level.min(levels.len());
        let by_level = levels.iter().enumerate().skip(lowest).rev();
        by_level
            .filter(|(_, lemmas)| lemmas.iter().any(|lemma| lemma.subsumes(cube)))
            .map(|(i, _)| i)
            .next()
    }

    /// The lemmas of F_(level,node).
    pub fn lemmas(&self, node: NodeId, level: usize) -> impl Iterator<Item = &Cube> {
        let Sequence { levels, infinite, .. } = &self.nodes[node];
        let from = level.min(levels.len());
        infinite.iter().chain(levels[from..].iter().flatten())
    }

    /// The time.
    pub fn now(&self) -> u64 {
        self.clock
    }

    /// Whether F_(level,node) has had a new lemma since a time.
    pub fn changed_since(&self, node: NodeId, level: usize, time: u64) -> bool {
        let Sequence { changed, changed_everywhere, .. } = &self.nodes[node];
        *changed_everywhere > time || changed.get(level).is_some_and(|at| *at > time)
    }

    /// The lemmas that hold up to exactly this level.
    pub fn at(&self, node: NodeId, level: usize) -> &[Cube] {
        &self.nodes[node].levels[level]
    }

    /// The lowest level i ≥ 1 below the frontier with F_(i,ℓ) = F_(i+1,ℓ) for all ℓ, by the
    /// clauses ([Lan18, Lemma 4.1]).
    pub fn fixpoint(&self) -> Option<usize> {
        (1..self.frontier).find(|i| self.held[*i] == 0)
    }

    /// Whether no lemma of any node holds up to exactly this level.
    pub fn is_bare(&self, level: usize) -> bool {
        self.held[level] == 0
    }

    /// How many lemmas there are at each level, and at [`INFINITE`] last.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = self.held.clone();
        counts.push(self.nodes.iter().map(|n| n.infinite.len()).sum());
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Pool, Sort, Term};

    #[test]
    fn counts_follow_lemmas() {
        let pool = Pool::new();
        let atoms: Vec<Term> = (0..3).map(|i| pool.var(&format!("a{i}"), Sort::Bool)).collect();
        let cube = |indices: &[usize]| Cube::new(indices.iter().map(|i| atoms[*i]).collect());
        let mut frames = Frames::new(2);
        for _ in 0..3 {
            frames.extend();
        }
        assert!(frames.add(0, 1, cube(&[0, 1])));
        assert!(frames.add(1, 2, cube(&[0, 1])));
        assert_eq!(frames.counts(), [0, 1, 1, 0, 0]);
        assert_eq!(frames.fixpoint(), None);
        let time = frames.now();
        assert!(frames.add(0, 3, cube(&[1])), "the first is weaker and goes");
        assert_eq!(frames.counts(), [0, 0, 1, 1, 0]);
        assert_eq!(frames.fixpoint(), Some(1));
        assert!(frames.is_bare(1) && !frames.is_bare(2));
        assert!(frames.changed_since(0, 2, time) && !frames.changed_since(1, 0, time));
        assert!(!frames.add(0, 2, cube(&[1, 2])), "it is excluded");
        assert!(frames.add(1, INFINITE, Cube::default()));
        assert_eq!(frames.counts(), [0, 0, 0, 1, 1]);
        assert!(frames.changed_since(1, 3, time));
    }
}
