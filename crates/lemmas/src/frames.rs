//! The frames F_0, F_1, …, F_k, F_∞ of all nodes: stepwise over-approximations of what is
//! reachable.
//!
//! F_(i,n) holds the states that may be at node n after at most i steps. Frames are delta-encoded
//! \[EMB11\]: a lemma is stored once, at the highest frame i for which it is known to hold, and
//! belongs to all F_(j,n) with 1 ≤ j ≤ i. F_0 is where runs begin and has no lemmas: every engine
//! knows it in its own way. F_∞ has the lemmas that need no stepwise assumption; they belong to
//! every frame, those to come included.
//!
//! The invariants are those of [Bra11, Listing 1.1, assertion A], and with more than one node
//! those of [Lan18, (4.5)–(4.8)], for k the frontier:
//!
//! 1. runs begin in F_(i,n) for all i (4.5);
//! 2. no state of F_i, i < k, is bad (ours allows bad states in F_k until strengthening is done,
//!    as \[EMB11\] does; (4.7) asks for nothing, because there the error is a node);
//! 3. F_i ⇒ F_{i+1}, by the encoding (4.6);
//! 4. a step from F_i leads into F_{i+1} for i < k (4.8), and one from F_∞ into F_∞;
//! 5. no lemma is stored above k, and none that another one of its node implies there.
//!
//! 3 and 5 hold by construction; [`mod@crate::audit`] asks about the others.

use crate::cube::Cube;
use crate::literal::Literal;
use crate::node::Node;
use std::marker::PhantomData;

/// The frame of lemmas that hold in every frame.
pub const INFINITE: usize = usize::MAX;

/// Where a lemma was found to belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// Another lemma implies it everywhere it would be added.
    Known,
    /// It was added; solvers of the frames from `first` to its own don't know it yet.
    Added {
        /// The lowest frame in which it is new.
        first: usize,
    },
}

impl Placement {
    /// Whether the lemma is new somewhere.
    pub fn is_new(self) -> bool {
        self != Placement::Known
    }
}

/// The lemmas of a node, as the cubes they deny.
#[derive(Clone, Debug)]
struct Sequence<L> {
    /// Entry i: those whose highest frame is i. The entry 0 stays empty.
    delta: Vec<Vec<Cube<L>>>,
    infinite: Vec<Cube<L>>,
    /// Entry i: when F_i last had a new lemma.
    changed: Vec<u64>,
    /// When F_∞ had one.
    changed_everywhere: u64,
}

/// See the module's head.
#[derive(Clone, Debug)]
pub struct Frames<N, L> {
    nodes: Vec<Sequence<L>>,
    /// Entry i: how many lemmas of all nodes have i as their highest frame.
    held: Vec<usize>,
    /// How many lemmas were added: what time is told by.
    clock: u64,
    /// No lemma below this frame is new since the last propagation.
    unpropagated: usize,
    node: PhantomData<N>,
}

impl<N: Node, L: Literal> Frames<N, L> {
    /// F_0 alone, for so many nodes.
    pub fn new(nodes: usize) -> Self {
        let sequence = || Sequence {
            delta: vec![Vec::new()],
            infinite: Vec::new(),
            changed: vec![0],
            changed_everywhere: 0,
        };
        Frames {
            nodes: (0..nodes).map(|_| sequence()).collect(),
            held: vec![0],
            clock: 0,
            unpropagated: 1,
            node: PhantomData,
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> impl Iterator<Item = N> + use<N, L> {
        (0..self.nodes.len()).map(N::of)
    }

    /// k.
    pub fn frontier(&self) -> usize {
        self.held.len() - 1
    }

    /// Moves the frontier up: F_{k+1} has the lemmas of F_∞ only.
    pub fn extend(&mut self) {
        self.held.push(0);
        for sequence in &mut self.nodes {
            sequence.delta.push(Vec::new());
            sequence.changed.push(0);
        }
    }

    /// The lemmas whose highest frame is `frame`.
    pub fn at(&self, node: N, frame: usize) -> &[Cube<L>] {
        &self.nodes[node.index()].delta[frame]
    }

    /// The lemmas of F_∞.
    pub fn infinite(&self, node: N) -> &[Cube<L>] {
        &self.nodes[node.index()].infinite
    }

    /// The lemmas of F_(frame,node), those of F_∞ first; for [`INFINITE`] only those.
    pub fn lemmas(&self, node: N, frame: usize) -> impl Iterator<Item = &Cube<L>> {
        let Sequence { delta, infinite, .. } = &self.nodes[node.index()];
        infinite.iter().chain(delta.get(frame.max(1)..).unwrap_or_default().iter().flatten())
    }

    /// How many lemmas of all nodes have each frame as their highest; F_∞ is not among them.
    pub fn counts(&self) -> &[usize] {
        &self.held
    }

    /// How many lemmas all nodes have in F_∞.
    pub fn infinite_count(&self) -> usize {
        self.nodes.iter().map(|n| n.infinite.len()).sum()
    }

    /// The highest frame from `frame` on that excludes the cube by a single lemma.
    pub fn excluded_at(&self, node: N, frame: usize, cube: &Cube<L>) -> Option<usize> {
        let Sequence { delta, infinite, .. } = &self.nodes[node.index()];
        let excludes = |lemmas: &[Cube<L>]| lemmas.iter().any(|l| l.subsumes(cube));
        if excludes(infinite) {
            return Some(INFINITE);
        }
        (frame..delta.len()).rev().find(|i| excludes(&delta[*i]))
    }

    /// Whether this very lemma still has `frame` as its highest.
    pub fn is_at(&self, node: N, frame: usize, cube: &Cube<L>) -> bool {
        self.at(node, frame).contains(cube)
    }

    /// Adds a lemma to F_1, …, F_frame, or to all for [`INFINITE`], and removes what it subsumes
    /// there.
    ///
    /// Requires: invariants 1 and 4 hold for the lemma, and 1 ≤ frame ≤ k unless infinite.
    pub fn add(&mut self, node: N, frame: usize, lemma: Cube<L>) -> Placement {
        debug_assert!((1..=self.frontier()).contains(&frame) || frame == INFINITE);
        if self.excluded_at(node, frame, &lemma).is_some() {
            return Placement::Known;
        }
        self.clock += 1;
        let top = frame.min(self.frontier());
        let sequence = &mut self.nodes[node.index()];
        let mut first = 1;
        for i in (1..=top).rev() {
            let lemmas = &mut sequence.delta[i];
            if first == 1 && lemmas.iter().any(|l| l.subsumes(&lemma)) {
                first = i + 1;
            }
            let before = lemmas.len();
            lemmas.retain(|l| !lemma.subsumes(l));
            self.held[i] -= before - lemmas.len();
        }
        if frame == INFINITE {
            sequence.infinite.retain(|l| !lemma.subsumes(l));
            sequence.infinite.push(lemma);
            sequence.changed_everywhere = self.clock;
        } else {
            sequence.delta[frame].push(lemma);
            self.held[frame] += 1;
            sequence.changed[first..=frame].fill(self.clock);
            self.unpropagated = self.unpropagated.min(first);
        }
        Placement::Added { first }
    }

    /// The lowest frame i with 1 ≤ i < k and F_i = F_{i+1} for all nodes, by the lemmas
    /// ([Lan18, Lemma 4.1]).
    pub fn fixpoint(&self) -> Option<usize> {
        (1..self.frontier()).find(|i| self.held[*i] == 0)
    }

    /// Whether no lemma of any node has this frame as its highest.
    pub fn is_bare(&self, frame: usize) -> bool {
        self.held[frame] == 0
    }

    /// The lowest frame that propagation has to visit: those below have no new lemmas but what
    /// F_∞ got.
    pub fn unpropagated(&self) -> usize {
        self.unpropagated
    }

    /// Notes that propagation has visited all frames.
    pub fn end_propagation(&mut self) {
        self.unpropagated = self.frontier();
    }

    /// The time, for [`Frames::changed_since`].
    pub fn now(&self) -> u64 {
        self.clock
    }

    /// Whether F_(frame,node) has had a lemma since a time that it did not imply by a single one
    /// before.
    pub fn changed_since(&self, node: N, frame: usize, time: u64) -> bool {
        let Sequence { changed, changed_everywhere, .. } = &self.nodes[node.index()];
        *changed_everywhere > time || changed.get(frame).is_some_and(|at| *at > time)
    }
}
