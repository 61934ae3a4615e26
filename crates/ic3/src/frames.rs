//! The frames F_0, F_1, …, F_k, F_∞: stepwise over-approximations of the reachable states.
//!
//! Frames are delta-encoded \[EMB11\]: a lemma is stored once, at the highest frame i for which it
//! is known to hold, and belongs to all F_j with 1 ≤ j ≤ i. F_0 is the initial condition.
//! F_∞ holds the lemmas that are inductive by themselves; they belong to every frame.
//!
//! The invariants of [Bra11, Listing 1.1, assertion A], with constraints C and k the frontier:
//!
//! 1. I ⇒ F_i for all i;
//! 2. F_i ∧ C ⇒ ¬bad for all i < k (ours allows bad F_k-states until `strengthen` is done, as
//!    \[EMB11\] does, and doesn't conjoin P to the frames);
//! 3. clauses(F_{i+1}) ⊆ clauses(F_i) for all i > 0;
//! 4. F_i ∧ C ∧ T ⇒ F'_{i+1} for all 0 ≤ i < k, and F_∞ ∧ C ∧ T ⇒ F'_∞;
//! 5. no lemma is stored above k.
//!
//! 3 and 5 hold by construction; [`crate::audit`] checks the others with a solver.

use crate::cube::Cube;

/// Where a lemma was found to belong.
pub enum Placement {
    /// Another lemma implies it everywhere it would be added.
    Known,
    /// It was added; solvers of the frames from `first` to its own don't know it yet.
    Added {
        /// The lowest frame in which it is new.
        first: usize,
    },
}

/// See the module's head.
#[derive(Default)]
pub struct Frames {
    /// The lemmas whose highest frame is i, as the cubes they deny. The entry 0 stays empty.
    delta: Vec<Vec<Cube>>,
    /// F_∞.
    infinite: Vec<Cube>,
    /// No lemma below this frame is new since the last propagation.
    unpropagated: usize,
}

impl Frames {
    /// F_0 alone.
    pub fn new() -> Self {
        Frames { delta: vec![Vec::new()], infinite: Vec::new(), unpropagated: 1 }
    }

    /// k.
    pub fn frontier(&self) -> usize {
        self.delta.len() - 1
    }

    /// Adds a frame without lemmas of its own.
    pub fn extend(&mut self) {
        self.delta.push(Vec::new());
    }

    /// The lemmas whose highest frame is `frame`.
    pub fn at(&self, frame: usize) -> &[Cube] {
        &self.delta[frame]
    }

    /// The lemmas of F_∞.
    pub fn infinite(&self) -> &[Cube] {
        &self.infinite
    }

    /// The lemmas of F_i.
    pub fn lemmas(&self, frame: usize) -> impl Iterator<Item = &Cube> {
        let own = self.delta.get(frame.max(1)..).unwrap_or_default();
        own.iter().flatten().chain(&self.infinite)
    }

    /// How many lemmas have each frame as their highest.
    pub fn counts(&self) -> Vec<usize> {
        self.delta.iter().map(Vec::len).collect()
    }

    /// The lowest frame that propagation has to visit: those below have no new lemmas.
    pub fn unpropagated(&self) -> usize {
        self.unpropagated
    }

    /// Notes that propagation has visited all frames.
    pub fn end_propagation(&mut self) {
        self.unpropagated = self.frontier();
    }

    /// The highest frame from `frame` on that is known to exclude the cube by a single lemma;
    /// `usize::MAX` stands for F_∞.
    pub fn excluded_at(&self, frame: usize, cube: &Cube) -> Option<usize> {
        if self.infinite.iter().any(|l| l.subsumes(cube)) {
            return Some(usize::MAX);
        }
        (frame..self.delta.len()).rev().find(|i| self.delta[*i].iter().any(|l| l.subsumes(cube)))
    }

    /// Whether this very lemma still has `frame` as its highest.
    pub fn is_at(&self, frame: usize, cube: &Cube) -> bool {
        self.delta[frame].contains(cube)
    }

    /// Adds a lemma to F_1, …, F_frame and removes what it subsumes there.
    ///
    /// Requires: invariants 1 and 4 hold for the lemma, and 1 ≤ frame ≤ k.
    pub fn add(&mut self, frame: usize, lemma: Cube) -> Placement {
        if self.excluded_at(frame, &lemma).is_some_and(|at| at > frame)
            || self.delta[frame].iter().any(|l| l.subsumes(&lemma))
        {
            return Placement::Known;
        }
        let mut first = 1;
        for i in (1..=frame).rev() {
            if first == 1 && self.delta[i].iter().any(|l| l.subsumes(&lemma)) {
                first = i + 1;
            }
            self.delta[i].retain(|l| !lemma.subsumes(l));
        }
        self.unpropagated = self.unpropagated.min(first);
        self.delta[frame].push(lemma);
        Placement::Added { first }
    }

    /// Moves a lemma to F_∞ and removes what it subsumes anywhere. Returns whether it is new.
    ///
    /// Requires: F_∞ ∧ ¬c ∧ C ∧ T ⇒ ¬c' for the lemma ¬c, and I ⇒ ¬c.
    pub fn add_infinite(&mut self, lemma: Cube) -> bool {
        if self.infinite.iter().any(|l| l.subsumes(&lemma)) {
            return false;
        }
        self.infinite.retain(|l| !lemma.subsumes(l));
        for frame in &mut self.delta {
            frame.retain(|l| !lemma.subsumes(l));
        }
        self.infinite.push(lemma);
        true
    }

    /// A frame i < k with F_i = F_{i+1}.
    pub fn fixpoint(&self) -> Option<usize> {
        (1..self.frontier()).find(|i| self.delta[*i].is_empty())
    }
}
