//! Generalization arrow by arrow, as in [Lan18 §4.3]: the edge approaches *single* and
//! *incremental*.
//!
//! A cube is generalized relative to each arrow, and the results are united ([Lan18, Cor. 4.1]);
//! *incremental* takes what one arrow needs as given on the next. Before literals are tried on an
//! arrow, the techniques of [`super::reduce`] leave fewer of them.

use super::Cores;
use super::reduce::{Attempt, Reduction};
use super::search::Question;
use crate::block::Unreachable;
use crate::consecution::Relative;
use crate::cube::Cube;
use crate::engine::{End, Engine};
use crate::graph::ArrowId;
use crate::observer::{Phase, Technique};
use crate::options::{LiteralSearch, Options};
use std::ops::ControlFlow;
use term::Term;

/// What is taken as given on an arrow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given {
    /// Nothing: *single*.
    Nothing,
    /// What the arrows before it need: *incremental*.
    Needed,
}

/// See the head.
#[derive(Clone, Debug)]
pub(crate) struct ByArrow {
    given: Given,
    search: LiteralSearch,
    cores: Cores,
    /// In the order in which they are applied.
    reductions: Vec<Reduction>,
}

impl ByArrow {
    pub(crate) fn new(options: &Options, given: Given) -> ByArrow {
        ByArrow {
            given,
            search: options.literal_search,
            cores: Cores::new(options),
            reductions: Reduction::all(options),
        }
    }

    /// A lemma of F_frame that excludes the cube.
    pub(crate) fn lemma(
        &self,
        engine: &mut Engine<'_>,
        frame: usize,
        cube: &Cube,
        unreachable: Unreachable,
    ) -> Result<Cube, End> {
        let mut needed: Vec<Term> = Vec::new();
        for (arrow, core) in unreachable.cores {
            let given: &[Term] = match self.given {
                Given::Nothing => &[],
                Given::Needed => &needed,
            };
            let found = self.on_arrow(engine, arrow, frame - 1, cube, core, given)?;
            for literal in found {
                if !needed.contains(&literal) {
                    needed.push(literal);
                }
            }
        }
        Ok(Cube::new(needed))
    }

    /// A generalization of the cube relative to one arrow and F_frame before it; literals in
    /// `given` are kept anyway and not tried.
    fn on_arrow(
        &self,
        engine: &mut Engine<'_>,
        arrow: ArrowId,
        frame: usize,
        cube: &Cube,
        core: Vec<Term>,
        given: &[Term],
    ) -> Result<Vec<Term>, End> {
        if frame == 0 && engine.graph.arrows[arrow].from != engine.graph.initial {
            return Ok(Vec::new());
        }
        let kept = self.cores.first(cube, || core);
        let mut attempt = Attempt { arrow, frame, cube, given, kept, lower: None, lemmas: None };
        for reduction in &self.reductions {
            if let ControlFlow::Break(found) = reduction.apply(engine, &mut attempt) {
                return Ok(found);
            }
        }
        let Attempt { kept, lower, lemmas, .. } = attempt;
        let mut question = OneArrow { engine, arrow, frame, given, lower, cores: self.cores };
        let kept = self.search.part(kept.clone(), kept, &mut question)?;
        if let Some(lemmas) = lemmas {
            let general = Cube::new(union(&kept, given));
            engine.contexts.add(arrow, cube.clone(), lemmas, general);
        }
        Ok(kept)
    }
}

/// Whether an arrow does not lead into a cube, together with what is given.
struct OneArrow<'q, 'e> {
    engine: &'q mut Engine<'e>,
    arrow: ArrowId,
    frame: usize,
    given: &'q [Term],
    /// Literals that can't be dropped.
    lower: Option<Cube>,
    cores: Cores,
}

impl Question for OneArrow<'_, '_> {
    fn stays(&mut self, literal: Term) -> bool {
        if self.given.contains(&literal) {
            return true;
        }
        let needed = self.lower.as_ref().is_some_and(|lower| lower.contains(&literal));
        if needed {
            self.engine.observer.technique(Technique::LowerBound);
        }
        needed
    }

    fn enough(&mut self, cube: &[Term]) -> Result<Option<Vec<Term>>, End> {
        let tried = union(cube, self.given);
        let answer =
            self.engine.relative(self.arrow, self.frame, &tried, None, Phase::Generalize)?;
        match answer {
            Relative::Inductive { core, .. } => {
                let used = |l: &Term| core.contains(l) || self.given.contains(l);
                Ok(Some(self.cores.of_answer(cube, used)))
            }
            Relative::Reachable | Relative::Undecided => Ok(None),
        }
    }
}

pub(crate) fn union(a: &[Term], b: &[Term]) -> Vec<Term> {
    let mut all = a.to_vec();
    all.extend(b.iter().filter(|l| !a.contains(l)));
    all
}
