//! Lemmas as we make them by default: literals are dropped while the clause stays inductive
//! relative to all arrows at once.
//!
//! Differences from [Lan18 §4.3]:
//! * One and the same clause is asked about on every arrow, so on an arrow from the node to
//!   itself the clause may be assumed before it, (4.11): [Lan18, Theorem 4.1] speaks of clauses
//!   that differ between arrows. This is the relative induction that IC3 lives by.
//! * The cube is first extended by formulas that it implies ([`super::saturate`]), so that
//!   dropping an equation may leave an inequality, or a guard of the program.
//! * A lemma is moved up to the highest frame at which it is inductive, at once.

use super::search::Question;
use crate::block::{Excluded, Unreachable};
use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::NodeId;
use crate::observer::Phase;
use crate::options::{LiteralSearch, Options};
use lemmas::INFINITE;
use rustc_hash::FxHashSet;
use term::traverse::size;
use term::{Op, Term};

/// See the head.
#[derive(Clone, Debug)]
pub(crate) struct Inductive {
    search: LiteralSearch,
    start: Start,
}

/// The literals that are tried.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// Those of a core.
    Core,
    /// And formulas that they imply.
    Saturated,
}

impl Engine<'_> {
    /// F_(frame-1,ℓ) ∧ T_a ⇒ ¬literals' for every arrow a from ℓ to the node, with ¬literals
    /// assumed where ℓ is the node? Returns literals that are enough.
    pub(crate) fn inductive(
        &mut self,
        node: NodeId,
        frame: usize,
        literals: &[Term],
        phase: Phase,
    ) -> Result<Option<Excluded>, End> {
        let mut used: FxHashSet<Term> = FxHashSet::default();
        let mut any_framed = false;
        for position in 0..self.graph.nodes[node].incoming.len() {
            let arrow = self.graph.nodes[node].incoming[position];
            let premise = self.premise(arrow, literals);
            match self.relative(arrow, frame - 1, literals, premise, phase)? {
                Relative::Inductive { core, framed } => {
                    used.extend(core);
                    any_framed |= framed;
                }
                Relative::Reachable | Relative::Undecided => {
                    // What fails once often fails again: this arrow is asked first.
                    self.graph.nodes[node].incoming[..=position].rotate_right(1);
                    return Ok(None);
                }
            }
        }
        let literals = literals.iter().copied().filter(|l| used.contains(l)).collect();
        Ok(Some(Excluded { literals, framed: any_framed }))
    }
}

impl Inductive {
    pub(crate) fn new(options: &Options) -> Inductive {
        let start = if options.saturate { Start::Saturated } else { Start::Core };
        Inductive { search: options.literal_search, start }
    }

    /// A lemma that excludes the cube, and the highest frame at which it was found inductive.
    pub(crate) fn lemma(
        &self,
        engine: &mut Engine<'_>,
        node: NodeId,
        frame: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<(Cube, usize), End> {
        let used: FxHashSet<Term> =
            unreachable.cores.into_iter().flat_map(|(_, core)| core).collect();
        let core = cube.literals().iter().copied().filter(|l| used.contains(l)).collect();
        let core = Excluded { literals: core, framed: unreachable.framed };
        let first = match self.start {
            Start::Core => core,
            Start::Saturated => engine.saturated_core(node, frame, core)?,
        };
        let mut order = first.literals.clone();
        order.sort_by_cached_key(|l| engine.simplicity(*l));
        let mut question = AllArrows { engine, node, frame, framed: first.framed };
        let literals = self.search.part(order, first.literals, &mut question)?;
        let framed = question.framed;
        engine.push_at_once(node, frame, Excluded { literals, framed })
    }
}

/// Whether a cube is inductive relative to all arrows.
struct AllArrows<'q, 'e> {
    engine: &'q mut Engine<'e>,
    node: NodeId,
    frame: usize,
    /// Whether lemmas were needed for what was found last.
    framed: bool,
}

impl Question for AllArrows<'_, '_> {
    fn enough(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, End> {
        let found = self.engine.inductive(self.node, self.frame, cube, Phase::Generalize)?;
        Ok(found.map(|Excluded { literals, framed }| {
            self.framed = framed;
            literals
        }))
    }
}

impl Engine<'_> {
    /// The lemma of a cube that is excluded from F_frame, with the highest frame at which it is
    /// inductive.
    fn push_at_once(
        &mut self,
        node: NodeId,
        frame: usize,
        cube: Excluded,
    ) -> Result<(Cube, usize), End> {
        let Excluded { mut literals, mut framed } = cube;
        let mut top = frame;
        while framed && top < self.frames.frontier() {
            match self.inductive(node, top + 1, &literals, Phase::Generalize)? {
                Some(higher) => {
                    top += 1;
                    Excluded { literals, framed } = higher;
                }
                None => break,
            }
        }
        Ok((Cube::new(literals), if framed { top } else { INFINITE }))
    }

    /// The core with what it implies, as far as another core needs it.
    fn saturated_core(
        &mut self,
        node: NodeId,
        frame: usize,
        core: Excluded,
    ) -> Result<Excluded, End> {
        let Excluded { literals, framed } = core;
        if literals.is_empty() {
            return Ok(Excluded { literals, framed });
        }
        let extended = self.saturated(&literals)?;
        if extended.len() > literals.len()
            && let Some(core) = self.inductive(node, frame, &extended, Phase::Generalize)?
        {
            // The strongest starting point keeps the cube's own literals too.
            let core_set: FxHashSet<Term> = core.literals.iter().copied().collect();
            let weak = extended.iter().filter(|l| !literals.contains(l));
            let useful = weak.filter(|l| core_set.contains(l) || self.is_weak_form(**l));
            let more: Vec<Term> = useful.copied().collect();
            let literals = literals.into_iter().chain(more).collect();
            return Ok(Excluded { literals, framed: framed || core.framed });
        }
        Ok(Excluded { literals, framed })
    }

    /// Whether a literal is an inequality, which is what equations are given up for.
    fn is_weak_form(&self, literal: Term) -> bool {
        let pool = self.pool;
        let atom = if *pool.op(literal) == Op::Not { pool.args(literal)[0] } else { literal };
        matches!(pool.op(atom), Op::BvUlt | Op::BvSlt | Op::FpLt | Op::FpLeq)
    }

    /// The order in which literals are tried: equations first, then the larger ones.
    fn simplicity(&mut self, literal: Term) -> (bool, std::cmp::Reverse<usize>, Term) {
        let pool = self.pool;
        let equation = *pool.op(literal) == Op::Eq;
        let size = *self.sizes.entry(literal).or_insert_with(|| size(pool, literal));
        (!equation, std::cmp::Reverse(size), literal)
    }
}
