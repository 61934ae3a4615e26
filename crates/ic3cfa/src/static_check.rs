//! Inductivity and generalizations without a solver: lemmas of the frame before an arrow that
//! occur in the precondition of a cube ([Lan18, Theorems 4.5 and 4.6]).
//!
//! wep(a, c) is the guards of a and, for each literal of c, its image before a ([Lan18, Lemma
//! 4.9]). A lemma ¬d with d ⊆ wep(a, c) shows that no state of the frame leads into c; and the
//! literals of c whose images are in d, wep⁻¹(a, d), are a cube that no state leads into either.

use crate::cube::Cube;
use crate::engine::Engine;
use crate::graph::ArrowId;
use rustc_hash::{FxHashMap, FxHashSet};
use term::Term;

impl Engine<'_> {
    /// The smallest wep⁻¹(a, d) for a lemma ¬d of F_(frame,ℓ) with d ⊆ wep(a, c), where ℓ is the
    /// arrow's source.
    pub(crate) fn predecessor_cube(
        &mut self,
        arrow: ArrowId,
        frame: usize,
        cube: &Cube,
    ) -> Option<Vec<Term>> {
        let pool = self.pool;
        let from = self.graph.arrows[arrow].from;
        self.frames.lemmas(from, frame).next()?;
        let effect = &mut self.graph.arrows[arrow].effect;
        let mut literal_of: FxHashMap<Term, Term> = FxHashMap::default();
        for literal in cube.literals() {
            literal_of.entry(effect.before(pool, *literal)).or_insert(*literal);
        }
        let guards: FxHashSet<Term> = effect.guards.iter().copied().collect();
        let whole = Cube::new(literal_of.keys().chain(&guards).copied().collect());
        let inverse = |lemma: &Cube| -> Vec<Term> {
            let open = lemma.literals().iter().filter(|l| !guards.contains(l));
            open.map(|l| literal_of[l]).collect()
        };
        let lemmas = self.frames.lemmas(from, frame).filter(|lemma| lemma.subsumes(&whole));
        lemmas.map(inverse).min_by_key(Vec::len)
    }
}
