//! Generalization by dropping literals, as in [Lan18 §4.3]: the strategies `Old` and `New`.
//!
//! Literals are dropped arrow by arrow and the results united ([Lan18, Cor. 4.1]): *single*; or
//! what one arrow needs is taken as given on the next: *incremental*; or each literal is tried on
//! all arrows by one query: *multi* ([`crate::joint`]). `New` adds, per arrow and without a solver:
//! don't-care and assumed literals ([Lan18 §4.3.2, Theorem 4.4]), predecessor cubes with wep⁻¹
//! ([`crate::static_check`]), and bounds from [`crate::context`]. With interpolation, literals
//! are dropped from the negation of an interpolant instead ([`crate::interpolate`]); a union of
//! such cubes is as valid as one of subsets, as all that is needed of each is that its arrow does
//! not lead into it and that it holds the states of the cube.

use crate::block::Unreachable;
use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::frames::INFINITE;
use crate::graph::{ArrowId, NodeId};
use crate::joint::Joint;
use crate::observer::{Phase, Technique};
use crate::options::{EdgeApproach, Generalize, Interpolation, Options};
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
            if !kept.contains(&literal) {
                continue;
            }
            let mut without: Vec<Term> = kept.iter().copied().filter(|l| *l != literal).collect();
            let answer = self.check_jointly(node, level - 1, &without, Phase::Generalize)?;
            if let Joint::Inductive { core, .. } = answer {
                if self.options.unsat_cores {
                    without.retain(|l| core.contains(l));
                }
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
            kept = self.without_redundant(arrow, level, kept);
        }
        if new
            && self.options.pre_cubes
            && let Some(cheap) = self.predecessor_cube(arrow, level, cube)
            && cheap.len() <= kept.len()
        {
            self.observer.technique(Technique::PredecessorCube);
            return Ok(cheap);
        }
        let frame = match new && self.options.generalization_caching {
            true => self.contexts.frame(&self.frames, from, level),
            false => Rc::new([]),
        };
        let bound = self.bounds(arrow, cube, &frame, &mut kept);
        if self.interpolates(arrow)
            && let Some(interpolated) = self.interpolant(arrow, level, &union(&kept, given))
        {
            kept = interpolated;
        }
        for literal in kept.clone() {
            if !kept.contains(&literal) || given.contains(&literal) {
                continue;
            }
            if bound.as_ref().is_some_and(|b| b.contains(literal)) {
                self.observer.technique(Technique::LowerBound);
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

    fn interpolates(&self, arrow: ArrowId) -> bool {
        match self.options.interpolation {
            Interpolation::Off => false,
            Interpolation::LoopEdges => self.graph.is_loop(arrow),
            Interpolation::AllEdges => true,
        }
    }

    /// Leaves out literals that the arrow's guards assume ([Lan18, Theorem 4.4]), and those that
    /// are clauses of the frame (don't-care literals, [Lan18 §4.3.2]): the query means the same
    /// without them.
    fn without_redundant(
        &mut self,
        arrow: ArrowId,
        level: usize,
        literals: Vec<Term>,
    ) -> Vec<Term> {
        let pool = self.pool;
        let Options { assumed_literals, dont_care_literals, .. } = self.options;
        let from = self.graph.arrows[arrow].from;
        let units: FxHashSet<Term> = if dont_care_literals {
            let units = self.frames.lemmas(from, level).filter(|cube| cube.len() == 1);
            units.map(|cube| pool.not(cube.literals()[0])).collect()
        } else {
            FxHashSet::default()
        };
        let mut kept = literals;
        kept.retain(|literal| {
            let effect = &mut self.graph.arrows[arrow].effect;
            let before = effect.before(pool, *literal);
            let assumed = effect.guards.contains(&before) || pool.as_bool(before) == Some(true);
            if assumed_literals && assumed {
                self.observer.technique(Technique::AssumedLiteral);
                return false;
            }
            let known = units.contains(&before);
            if known {
                self.observer.technique(Technique::DontCareLiteral);
            }
            !known
        });
        kept
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
        let mut technique = Technique::UpperBound;
        if upper.is_none() && self.options.extended_context {
            upper = self.contexts.extended_upper_bound(arrow, cube, frame);
            technique = Technique::ExtendedContext;
        }
        if let Some(upper) = upper.filter(|u| u.len() <= kept.len()) {
            self.observer.technique(technique);
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
