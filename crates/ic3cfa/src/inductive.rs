//! Lemmas as we make them by default: literals are dropped while the clause stays inductive
//! relative to all arrows at once.
//!
//! Differences from [Lan18 §4.3]:
//! * One and the same clause is asked about on every arrow, so on an arrow from the node to
//!   itself the clause may be assumed before it, (4.11): [Lan18, Theorem 4.1] speaks of clauses
//!   that differ between arrows. This is the relative induction that IC3 lives by.
//! * The cube is first extended by formulas that it implies ([`crate::saturate`]), so that
//!   dropping an equation may leave an inequality, or a guard of the program.
//! * A lemma is moved up to the highest level at which it is inductive, at once.

use crate::block::Unreachable;
use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::frames::INFINITE;
use crate::graph::NodeId;
use crate::observer::Phase;
use rustc_hash::FxHashSet;
use term::traverse::size;
use term::{Op, Term};

/// A cube that no arrow leads into.
pub(crate) struct Inductive {
    /// Literals that are enough.
    pub(crate) literals: Vec<Term>,
    /// Whether lemmas were needed.
    pub(crate) framed: bool,
}

impl Engine<'_> {
    /// F_(level-1,ℓ) ∧ T_a ⇒ ¬literals' for every arrow a from ℓ to the node, with ¬literals
    /// assumed where ℓ is the node? Returns literals that are enough.
    pub(crate) fn inductive(
        &mut self,
        node: NodeId,
        level: usize,
        literals: &[Term],
        phase: Phase,
    ) -> Result<Option<Inductive>, End> {
        let mut used: FxHashSet<Term> = FxHashSet::default();
        let mut any_framed = false;
        for position in 0..self.graph.nodes[node].incoming.len() {
            let arrow = self.graph.nodes[node].incoming[position];
            let premise = self.premise(arrow, literals);
            match self.relative(arrow, level - 1, literals, premise, phase)? {
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
        Ok(Some(Inductive { literals, framed: any_framed }))
    }

    /// A lemma that excludes the cube, and the highest level at which it was found inductive.
    pub(crate) fn generalize_inductively(
        &mut self,
        node: NodeId,
        level: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<(Cube, usize), End> {
        let mut best = self.first_core(node, level, cube, unreachable)?;
        let mut order = best.literals.clone();
        order.sort_by_cached_key(|l| self.simplicity(*l));
        for literal in order {
            if !best.literals.contains(&literal) {
                continue;
            }
            let without: Vec<Term> =
                best.literals.iter().copied().filter(|l| *l != literal).collect();
            if let Some(smaller) = self.inductive(node, level, &without, Phase::Generalize)? {
                best = smaller;
            }
        }
        let Inductive { mut literals, mut framed } = best;
        let mut top = level;
        while framed && top < self.frames.frontier() {
            match self.inductive(node, top + 1, &literals, Phase::Generalize)? {
                Some(higher) => {
                    top += 1;
                    Inductive { literals, framed } = higher;
                }
                None => break,
            }
        }
        let top = if framed { top } else { INFINITE };
        Ok((Cube::new(literals), top))
    }

    /// The literals to begin with: the cube with what it implies, as far as a core needs it.
    fn first_core(
        &mut self,
        node: NodeId,
        level: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<Inductive, End> {
        let Unreachable { cores, framed } = unreachable;
        let used: FxHashSet<Term> = cores.into_iter().flat_map(|(_, core)| core).collect();
        let literals: Vec<Term> =
            cube.literals().iter().copied().filter(|l| used.contains(l)).collect();
        if self.options.saturate && !literals.is_empty() {
            let extended = self.saturated(&literals)?;
            if extended.len() > literals.len()
                && let Some(core) = self.inductive(node, level, &extended, Phase::Generalize)?
            {
                // The strongest starting point keeps the cube's own literals too.
                let core_set: FxHashSet<Term> = core.literals.iter().copied().collect();
                let weak = extended.iter().filter(|l| !used.contains(l));
                let mut all = literals;
                all.extend(weak.filter(|l| core_set.contains(l) || self.is_weak_form(**l)));
                return Ok(Inductive { literals: all, framed: framed || core.framed });
            }
        }
        Ok(Inductive { literals, framed })
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
