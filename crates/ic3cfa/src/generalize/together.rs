//! Generalization by trying each literal on all arrows with one query: the edge approach *multi*
//! ([Lan18 §4.3.2], query (4.14), [`crate::joint`]).

use super::Cores;
use super::search::Question;
use crate::block::Unreachable;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::NodeId;
use crate::joint::Joint;
use crate::observer::Phase;
use crate::options::{LiteralSearch, Options};
use rustc_hash::FxHashSet;
use term::Term;

/// See the head.
#[derive(Clone, Debug)]
pub(crate) struct Together {
    search: LiteralSearch,
    cores: Cores,
}

impl Together {
    pub(crate) fn new(options: &Options) -> Together {
        Together { search: options.literal_search, cores: Cores::new(options) }
    }

    /// A lemma of F_frame that excludes the cube.
    pub(crate) fn lemma(
        &self,
        engine: &mut Engine<'_>,
        node: NodeId,
        frame: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<Cube, End> {
        let united = || {
            let used: FxHashSet<Term> = unreachable.cores.into_iter().flat_map(|c| c.1).collect();
            cube.literals().iter().copied().filter(|l| used.contains(l)).collect()
        };
        let kept = self.cores.first(cube, united);
        let mut question = AllArrows { engine, node, before: frame - 1, cores: self.cores };
        Ok(Cube::new(self.search.part(kept.clone(), kept, &mut question)?))
    }
}

/// Whether no arrow leads into a cube.
struct AllArrows<'q, 'e> {
    engine: &'q mut Engine<'e>,
    node: NodeId,
    /// The frame before the arrows.
    before: usize,
    cores: Cores,
}

impl Question for AllArrows<'_, '_> {
    fn enough(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, End> {
        match self.engine.check_jointly(self.node, self.before, cube, Phase::Generalize)? {
            Joint::Inductive { core, .. } => {
                Ok(Some(self.cores.of_answer(cube, |l| core.contains(l))))
            }
            Joint::Reachable(_) | Joint::Undecided => Ok(None),
        }
    }
}
