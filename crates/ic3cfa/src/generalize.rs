//! Generalization by dropping literals, as in [Lan18 §4.3]: the strategies `Old` and `New`.
//!
//! Literals are dropped arrow by arrow and the results united ([Lan18, Cor. 4.1]): *single*; or
//! what one arrow needs is taken as given on the next: *incremental*; or each literal is tried on
//! all arrows: *multi* (the thesis asks one query for all arrows there; we ask one each, as
//! frames live in a solver per node). `New` adds, per arrow and without a solver: don't-care and
//! assumed literals ([Lan18 §4.3.2, Theorem 4.4]), predecessor cubes with wep⁻¹ (Theorem 4.6),
//! and bounds from [`crate::context`].

use crate::block::Unreachable;
use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::frames::INFINITE;
use crate::graph::{ArrowId, NodeId};
use crate::observer::Phase;
use crate::options::{EdgeApproach, Generalize};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use term::Term;

impl Engine<'_> {
    /// A lemma that excludes the cube, and the level up to which it holds.
    pub(crate) fn generalize(
        &mut self,
        node: NodeId,
        level: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<(Cube, usize), End> {
        let top = if unreachable.framed { level } else { INFINITE };
        match self.options.generalize {
            Generalize::None => Ok((cube.clone(), top)),
            Generalize::Inductive => self.generalize_inductively(node, level, cube, unreachable),
            Generalize::Old | Generalize::New => {
                let lemma = match self.options.edge_approach {
                    EdgeApproach::Multi => self.drop_on_all(node, level, cube, unreachable)?,
                    approach => self.drop_by_arrow(level, cube, unreachable, approach)?,
                };
                Ok((lemma, level))
            }
        }
    }

    /// Tries each literal on all arrows.
    fn drop_on_all(
        &mut self,
        node: NodeId,
        level: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<Cube, End> {
        let mut kept = if self.options.unsat_cores {
            let used: FxHashSet<Term> = unreachable.cores.into_iter().flat_map(|c| c.1).collect();
            cube.literals().iter().copied().filter(|l| used.contains(l)).collect()
        } else {
            cube.literals().to_vec()
        };
        for literal in kept.clone() {
            let without: Vec<Term> = kept.iter().copied().filter(|l| *l != literal).collect();
            if self.inductive(node, level, &without, Phase::Generalize)?.is_some() {
                kept = without;
            }
        }
        Ok(Cube::new(kept))
    }

    /// Generalizes on each arrow and unites the results.
    fn drop_by_arrow(
        &mut self,
        level: usize,
        cube: &Cube,
        unreachable: Unreachable,
        approach: EdgeApproach,
    ) -> Result<Cube, End> {
        let mut needed: Vec<Term> = Vec::new();
        for (arrow, core) in unreachable.cores {
            let given: &[Term] = match approach {
                EdgeApproach::Incremental => &needed,
                EdgeApproach::Single | EdgeApproach::Multi => &[],
            };
            let found = self.drop_on_arrow(arrow, level - 1, cube, core, given)?;
            for literal in found {
                if !needed.contains(&literal) {
                    needed.push(literal);
                }
            }
        }
        Ok(Cube::new(needed))
    }

    /// A generalization of the cube relative to one arrow; literals in `given` are kept anyway
    /// and not tried.
    fn drop_on_arrow(
        &mut self,
        arrow: ArrowId,
        level: usize,
        cube: &Cube,
        core: Vec<Term>,
        given: &[Term],
    ) -> Result<Vec<Term>, End> {
        let new = self.options.generalize == Generalize::New;
        let from = self.graph.arrows[arrow].from;
        if level == 0 && from != self.graph.initial {
            return Ok(Vec::new());
        }
        let mut kept = if self.options.unsat_cores { core } else { cube.literals().to_vec() };
        if new {
            kept = self.drop_assumed(arrow, kept);
        }
        if new
            && self.options.pre_cubes
            && let Some(cheap) = self.predecessor_cube(arrow, level, cube)
            && cheap.len() <= kept.len()
        {
            self.observer.shortcut(Phase::Generalize);
            return Ok(cheap);
        }
        let frame = self.sorted_frame(from, level);
        let bound = self.bounds(arrow, cube, &frame, &mut kept);
        for literal in kept.clone() {
            if given.contains(&literal) || bound.as_ref().is_some_and(|b| b.contains(literal)) {
                continue;
            }
            let mut without: Vec<Term> = kept.iter().copied().filter(|l| *l != literal).collect();
            let tried = union(&without, given);
            let answer = self.relative(arrow, level, &tried, None, Phase::Generalize)?;
            if let Relative::Inductive { core, .. } = answer {
                if self.options.unsat_cores {
                    without.retain(|l| core.contains(l) || given.contains(l));
                }
                kept = without;
            }
        }
        if new && self.options.generalization_caching {
            let general = Cube::new(union(&kept, given));
            self.contexts.add(arrow, cube.clone(), frame, general);
        }
        Ok(kept)
    }

    /// Leaves out literals that the arrow's guards assume ([Lan18, Theorem 4.4]), and those whose
    /// truth the frame's unit clauses imply (don't-care literals, [Lan18 §4.3.2]).
    fn drop_assumed(&mut self, arrow: ArrowId, literals: Vec<Term>) -> Vec<Term> {
        let pool = self.pool;
        let effect = &mut self.graph.arrows[arrow].effect;
        let mut kept = literals;
        kept.retain(|l| {
            let before = effect.before(pool, *l);
            !effect.guards.contains(&before) && pool.as_bool(before) != Some(true)
        });
        let from = self.graph.arrows[arrow].from;
        let lemmas = self.frames.lemmas(from, INFINITE);
        let units: FxHashSet<Term> =
            lemmas.filter(|c| c.len() == 1).map(|c| pool.not(c.literals()[0])).collect();
        if !units.is_empty() {
            let effect = &mut self.graph.arrows[arrow].effect;
            kept.retain(|l| !units.contains(&effect.before(pool, *l)));
        }
        kept
    }

    /// wep⁻¹ of a lemma of the frame whose cube is part of wep(a, c) ([Lan18, Theorem 4.6]).
    fn predecessor_cube(&mut self, arrow: ArrowId, level: usize, cube: &Cube) -> Option<Vec<Term>> {
        let pool = self.pool;
        let effect = &mut self.graph.arrows[arrow].effect;
        let guards: FxHashSet<Term> = effect.guards.iter().copied().collect();
        let images: Vec<(Term, Term)> =
            cube.literals().iter().map(|l| (effect.before(pool, *l), *l)).collect();
        let whole =
            Cube::new(images.iter().map(|(i, _)| *i).chain(guards.iter().copied()).collect());
        let from = self.graph.arrows[arrow].from;
        let inverse = |lemma: &Cube| {
            let open = lemma.literals().iter().filter(|l| !guards.contains(l));
            let invert = |l: &Term| images.iter().find(|(i, _)| i == l).map(|(_, lit)| *lit);
            open.map(invert).collect::<Option<Vec<Term>>>()
        };
        let lemmas = self.frames.lemmas(from, level).filter(|lemma| lemma.subsumes(&whole));
        lemmas.filter_map(inverse).min_by_key(Vec::len)
    }

    fn sorted_frame(&self, node: NodeId, level: usize) -> Rc<[Cube]> {
        if !self.options.generalization_caching {
            return Rc::new([]);
        }
        let mut lemmas: Vec<Cube> = self.frames.lemmas(node, level).cloned().collect();
        lemmas.sort_unstable();
        lemmas.into()
    }

    /// Restricts the literals to an upper bound from the contexts; returns a lower bound.
    fn bounds(
        &mut self,
        arrow: ArrowId,
        cube: &Cube,
        frame: &[Cube],
        kept: &mut Vec<Term>,
    ) -> Option<Cube> {
        if self.options.generalize != Generalize::New || !self.options.generalization_caching {
            return None;
        }
        let mut upper = self.contexts.upper_bound(arrow, cube, frame);
        if upper.is_none() && self.options.extended_context {
            upper = self.contexts.extended_upper_bound(arrow, cube, frame);
        }
        if let Some(upper) = upper.filter(|u| u.len() <= kept.len()) {
            *kept = upper.literals().to_vec();
        }
        if !self.options.lower_bounds {
            return None;
        }
        self.contexts.lower_bound(arrow, cube, frame)
    }
}

fn union(a: &[Term], b: &[Term]) -> Vec<Term> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|l| !a.contains(l)));
    all
}
