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
    /// Entry i: when a lemma was last added that holds up to level i.
    added: Vec<u64>,
    /// When one was that holds everywhere.
    added_everywhere: u64,
}

/// The frames of all nodes.
#[derive(Debug, Default)]
pub struct Frames {
    nodes: Vec<Sequence>,
    frontier: usize,
    /// How many lemmas were added: what time is told by.
    clock: u64,
}

impl Frames {
    /// F_0 only, for so many nodes.
    pub fn new(nodes: usize) -> Self {
        let sequence = Sequence { levels: vec![Vec::new()], added: vec![0], ..Sequence::default() };
        Frames { nodes: vec![sequence; nodes], frontier: 0, clock: 0 }
    }

    /// k, the highest level.
    pub fn frontier(&self) -> usize {
        self.frontier
    }

    /// Moves the frontier up; F_(k+1,ℓ) = true but for lemmas that hold everywhere.
    pub fn extend(&mut self) {
        self.frontier += 1;
        for sequence in &mut self.nodes {
            sequence.levels.push(Vec::new());
            sequence.added.push(0);
        }
    }

    /// Adds a lemma to F_1, …, F_level; weaker ones are forgotten. Returns whether it is new.
    pub fn add(&mut self, node: NodeId, level: usize, cube: Cube) -> bool {
        if self.excludes(node, level, &cube).is_some() {
            return false;
        }
        self.clock += 1;
        let Sequence { levels, infinite, added, added_everywhere } = &mut self.nodes[node];
        let top = level.min(self.frontier);
        for lemmas in &mut levels[..=top] {
            lemmas.retain(|lemma| !cube.subsumes(lemma));
        }
        if level == INFINITE {
            infinite.retain(|lemma| !cube.subsumes(lemma));
            infinite.push(cube);
            *added_everywhere = self.clock;
        } else {
            levels[level].push(cube);
            added[level] = self.clock;
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
        let Sequence { added, added_everywhere, .. } = &self.nodes[node];
        *added_everywhere > time || added.iter().skip(level).any(|at| *at > time)
    }

    /// The lemmas that hold up to exactly this level.
    pub fn at(&self, node: NodeId, level: usize) -> &[Cube] {
        &self.nodes[node].levels[level]
    }

    /// The lowest level i ≥ 1 below the frontier with F_(i,ℓ) = F_(i+1,ℓ) for all ℓ, by the
    /// clauses ([Lan18, Lemma 4.1]).
    pub fn fixpoint(&self) -> Option<usize> {
        (1..self.frontier).find(|i| self.nodes.iter().all(|n| n.levels[*i].is_empty()))
    }

    /// How many lemmas there are at each level, and at [`INFINITE`] last.
    pub fn counts(&self) -> Vec<usize> {
        let level = |i: usize| self.nodes.iter().map(|n| n.levels[i].len()).sum();
        let mut counts: Vec<usize> = (0..=self.frontier).map(level).collect();
        counts.push(self.nodes.iter().map(|n| n.infinite.len()).sum());
        counts
    }
}
