//! What is known of the literals of a cube before they are tried on an arrow ([Lan18 §4.3.2 to
//! §4.3.5]).
//!
//! The strategy `Old` has interpolation at most; `New` has what the options name. With
//! interpolation, literals are dropped from the negation of an interpolant
//! ([`crate::interpolate`]); a union of such cubes is as valid as one of subsets, as all that is
//! needed of each is that its arrow does not lead into it and that it holds the states of the
//! cube.

use super::by_arrow::union;
use crate::cube::Cube;
use crate::engine::Engine;
use crate::graph::ArrowId;
use crate::observer::Technique;
use crate::options::{Generalize, Interpolation, Options};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;
use std::rc::Rc;
use term::Term;

/// A technique that leaves fewer literals to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    /// Leaves out what the arrow's guards assume: the query means the same without it ([Lan18,
    /// Theorem 4.4]).
    AssumedLiterals,
    /// Leaves out clauses of the frame, for the same reason ([Lan18 §4.3.2]).
    DontCareLiterals,
    /// Reads a generalization off a lemma of the frame ([Lan18, Theorem 4.6]).
    PredecessorCube,
    /// Restricts the literals to a generalization found for the same cube, [Lan18, Theorem 4.7],
    /// and if there is none to one found for another, Theorem 4.8.
    UpperBound { extended: bool },
    /// Keeps literals that were needed before ([Lan18, Theorem 4.9]).
    LowerBound,
    /// Replaces the literals by the negation of an interpolant ([Lan18 §4.3.5]).
    Interpolant { loops_only: bool },
}

/// A generalization of a cube relative to an arrow, under way.
pub(crate) struct Attempt<'c> {
    pub(crate) arrow: ArrowId,
    /// The one before the arrow.
    pub(crate) frame: usize,
    pub(crate) cube: &'c Cube,
    /// Kept anyway.
    pub(crate) given: &'c [Term],
    /// What is to be tried.
    pub(crate) kept: Vec<Term>,
    /// What is needed.
    pub(crate) lower: Option<Cube>,
    /// The lemmas of the frame, sorted, if the result is to be remembered in this context.
    pub(crate) lemmas: Option<Rc<[Cube]>>,
}

impl Reduction {
    /// What the options name, in the order in which it is applied.
    pub(crate) fn all(options: &Options) -> Vec<Reduction> {
        let (new, cached) = (options.generalize == Generalize::New, options.generalization_caching);
        let interpolant = match options.interpolation {
            Interpolation::Off => None,
            Interpolation::LoopEdges => Some(Reduction::Interpolant { loops_only: true }),
            Interpolation::AllEdges => Some(Reduction::Interpolant { loops_only: false }),
        };
        let upper = Reduction::UpperBound { extended: options.extended_context };
        let techniques = [
            (new && options.assumed_literals).then_some(Reduction::AssumedLiterals),
            (new && options.dont_care_literals).then_some(Reduction::DontCareLiterals),
            (new && options.pre_cubes).then_some(Reduction::PredecessorCube),
            (new && cached).then_some(upper),
            (new && cached && options.lower_bounds).then_some(Reduction::LowerBound),
            interpolant,
        ];
        techniques.into_iter().flatten().collect()
    }

    /// Applies the technique; breaks with a result that needs no trying.
    pub(crate) fn apply(
        self,
        engine: &mut Engine<'_>,
        attempt: &mut Attempt<'_>,
    ) -> ControlFlow<Vec<Term>> {
        match self {
            Reduction::AssumedLiterals => engine.drop_assumed(attempt),
            Reduction::DontCareLiterals => engine.drop_dont_cares(attempt),
            Reduction::PredecessorCube => return engine.read_off_lemma(attempt),
            Reduction::UpperBound { extended } => engine.bound_from_above(attempt, extended),
            Reduction::LowerBound => engine.bound_from_below(attempt),
            Reduction::Interpolant { loops_only } => {
                if !loops_only || engine.graph.is_loop(attempt.arrow) {
                    engine.replace_by_interpolant(attempt);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl Engine<'_> {
    fn drop_assumed(&mut self, attempt: &mut Attempt<'_>) {
        let (pool, observer) = (self.pool, &mut self.observer);
        let effect = &mut self.graph.arrows[attempt.arrow].effect;
        attempt.kept.retain(|literal| {
            let before = effect.before(pool, *literal);
            let assumed = effect.guards.contains(&before) || pool.as_bool(before) == Some(true);
            if assumed {
                observer.technique(Technique::AssumedLiteral);
            }
            !assumed
        });
    }

    fn drop_dont_cares(&mut self, attempt: &mut Attempt<'_>) {
        let (pool, observer) = (self.pool, &mut self.observer);
        let arrow = &mut self.graph.arrows[attempt.arrow];
        let units = self.frames.lemmas(arrow.from, attempt.frame).filter(|cube| cube.len() == 1);
        let units: FxHashSet<Term> = units.map(|cube| pool.not(cube.literals()[0])).collect();
        attempt.kept.retain(|literal| {
            let known = units.contains(&arrow.effect.before(pool, *literal));
            if known {
                observer.technique(Technique::DontCareLiteral);
            }
            !known
        });
    }

    fn read_off_lemma(&mut self, attempt: &mut Attempt<'_>) -> ControlFlow<Vec<Term>> {
        match self.predecessor_cube(attempt.arrow, attempt.frame, attempt.cube) {
            Some(cheap) if cheap.len() <= attempt.kept.len() => {
                self.observer.technique(Technique::PredecessorCube);
                ControlFlow::Break(cheap)
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn bound_from_above(&mut self, attempt: &mut Attempt<'_>, extended: bool) {
        let Attempt { arrow, frame, cube, .. } = *attempt;
        let lemmas = self.contexts.lemmas(&self.frames, self.graph.arrows[arrow].from, frame);
        let mut upper = self.contexts.upper_bound(arrow, cube, &lemmas);
        let mut technique = Technique::UpperBound;
        if extended && upper.is_none() {
            upper = self.contexts.extended_upper_bound(arrow, cube, &lemmas);
            technique = Technique::ExtendedContext;
        }
        if let Some(upper) = upper.filter(|u| u.len() <= attempt.kept.len()) {
            self.observer.technique(technique);
            attempt.kept = upper.literals().to_vec();
        }
        attempt.lemmas = Some(lemmas);
    }

    /// Requires: [`Engine::bound_from_above`].
    fn bound_from_below(&mut self, attempt: &mut Attempt<'_>) {
        let Some(lemmas) = &attempt.lemmas else { return };
        attempt.lower = self.contexts.lower_bound(attempt.arrow, attempt.cube, lemmas);
    }

    fn replace_by_interpolant(&mut self, attempt: &mut Attempt<'_>) {
        let cube = union(&attempt.kept, attempt.given);
        if let Some(interpolated) = self.interpolant(attempt.arrow, attempt.frame, &cube) {
            attempt.kept = interpolated;
        }
    }
}
