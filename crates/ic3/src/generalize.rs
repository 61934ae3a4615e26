//! Generalization: from an unreachable cube to a strong lemma.
//!
//! `mic` finds a *minimal inductive subclause* [Bra11 §3; BM07]: it drops literals one by one and
//! lets `down` repair what remains. Every answer's core drops further literals. The literals
//! that were found necessary are not tried again, and `down` gives up when it would have to
//! drop one of them (both after \[HBS13\]).
//!
//! Unless [`Options::mic_failures`] says so, we don't end the search after three failures as
//! [Bra11 §7] does: with queries this cheap the better lemma is worth it.
//!
//! Other strategies: the core alone; and a *prime implicate*, where the original clause stays on the
//! left [Bra11 §7]. `Generalizer` is the choice.

use crate::consecution::Assume;
use crate::ctg::Repair;
use crate::cube::Obligations;
use crate::engine::Ic3;
use crate::options::{CtgLimits, Generalization, Options};
use lemmas::{ObligationId, Phase};
use sat::{Answer, Exhausted, Lit, Solver};

/// The effort on an obligation from which on the dynamic strategy blocks counterexamples.
const EFFORT_FOR_CTG: f64 = 5.0;

/// How cubes become lemmas; chosen when the engine is made.
#[derive(Clone, Copy)]
pub(crate) struct Generalizer {
    pub(crate) strategy: Generalization,
    ctg: CtgLimits,
    /// How many literals that can't be dropped end the search.
    failures: usize,
}

impl Generalizer {
    /// What the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        Generalizer {
            strategy: options.generalization,
            ctg: options.ctg,
            failures: options.mic_failures,
        }
    }

    /// How much counterexamples to the generalization of an obligation's cube may cost.
    fn limits(&self, obligations: &Obligations, id: ObligationId) -> CtgLimits {
        match self.strategy {
            Generalization::Ctg => self.ctg,
            Generalization::Dynamic => dynamic_limits(obligations, id),
            Generalization::Core | Generalization::PrimeImplicate | Generalization::Down => {
                CtgLimits::NONE
            }
        }
    }
}

/// The harder the parents of an obligation were, the more a good lemma is worth \[SYCH25\].
fn dynamic_limits(obligations: &Obligations, id: ObligationId) -> CtgLimits {
    let ancestors = obligations.chain(id).skip(1).take(2);
    let effort = ancestors.map(|o| o.effort).fold(0.0, f64::max);
    if effort < EFFORT_FOR_CTG {
        return CtgLimits::NONE;
    }
    let count = 2 + (effort - EFFORT_FOR_CTG) as usize / 5;
    CtgLimits { depth: 1, count: count.min(5) }
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Changes how cubes become lemmas, from the next one on.
    pub fn set_generalization(&mut self, strategy: Generalization) {
        self.generalizer.strategy = strategy;
    }

    /// A subset of a cube of an obligation whose negation is a lemma for `frame` too.
    ///
    /// Requires: I ⇒ ¬c, F_{frame-1} ∧ ¬c ∧ C ∧ T ⇒ ¬c'. Ensures: the same of the result.
    pub(crate) fn generalize(
        &mut self,
        frame: usize,
        cube: Vec<Lit>,
        id: ObligationId,
    ) -> Result<Vec<Lit>, Exhausted> {
        match self.generalizer.strategy {
            Generalization::Core => Ok(cube),
            Generalization::PrimeImplicate => self.prime_implicate(frame, cube),
            Generalization::Down | Generalization::Ctg | Generalization::Dynamic => {
                let limits = self.generalizer.limits(&self.obligations, id);
                self.mic(frame, cube, limits)
            }
        }
    }

    /// A minimal inductive subclause.
    pub(crate) fn mic(
        &mut self,
        frame: usize,
        mut cube: Vec<Lit>,
        limits: CtgLimits,
    ) -> Result<Vec<Lit>, Exhausted> {
        self.activity.sort(&mut cube);
        // So many literals at the cube's begin were found necessary.
        let mut necessary = 0;
        let mut failures = 0;
        while failures < self.generalizer.failures
            && let Some(&literal) = cube.get(necessary)
        {
            let candidate = cube.iter().copied().filter(|l| *l != literal).collect();
            match self.down(frame, candidate, &cube[..necessary], limits)? {
                Some(smaller) => {
                    let kept = |l: &Lit| smaller.contains(l);
                    necessary = cube[..necessary].iter().filter(|l| kept(l)).count();
                    cube.retain(kept);
                }
                None => {
                    necessary += 1;
                    failures += 1;
                }
            }
        }
        self.activity.bump(&cube);
        Ok(cube)
    }

    /// [Bra11 §3] `down`: a subset of the cube whose negation is inductive relative to
    /// F_{frame-1}, with all necessary literals; `None` if the search for it fails.
    fn down(
        &mut self,
        frame: usize,
        mut cube: Vec<Lit>,
        necessary: &[Lit],
        limits: CtgLimits,
    ) -> Result<Option<Vec<Lit>>, Exhausted> {
        let mut blocked = 0;
        loop {
            if self.transition.intersects_init(&cube) {
                return Ok(None);
            }
            // The most active literals are assumed first and so tend to stay.
            cube.reverse();
            if self.consecution(frame, &cube, Assume::Clause, Phase::Generalize)? {
                let mut core = self.core(frame, &cube);
                core.reverse();
                return Ok(Some(core));
            }
            cube.reverse();
            match self.repair(frame, &cube, necessary, limits, &mut blocked)? {
                Repair::Retry => {}
                Repair::Join(smaller) => cube = smaller,
                Repair::Hopeless => return Ok(None),
            }
        }
    }

    /// A minimal subset d of the cube with F_{frame-1} ∧ ¬c ∧ C ∧ T ⇒ ¬d' [Bra11 §7].
    fn prime_implicate(&mut self, frame: usize, cube: Vec<Lit>) -> Result<Vec<Lit>, Exhausted> {
        let original: Vec<Lit> = cube.iter().map(|l| !*l).collect();
        let mut cube = cube;
        self.activity.sort(&mut cube);
        let mut at = 0;
        while at < cube.len() {
            let mut candidate = cube.clone();
            let literal = candidate.remove(at);
            if self.transition.intersects_init(&candidate)
                || !self.implicate(frame, &original, &candidate)?
            {
                at += 1;
                continue;
            }
            let mut core = self.core(frame, &candidate);
            if !core.iter().any(|l| self.transition.excludes_init(*l)) {
                core.push(literal);
            }
            at = cube[..at].iter().filter(|l| core.contains(l)).count();
            cube.retain(|l| core.contains(l));
        }
        self.activity.bump(&cube);
        Ok(cube)
    }

    /// Whether F_{frame-1} ∧ clause ∧ C ∧ T ⇒ ¬cube'.
    fn implicate(&mut self, frame: usize, clause: &[Lit], cube: &[Lit]) -> Result<bool, Exhausted> {
        let primed: Vec<Lit> = cube.iter().map(|l| self.transition.prime(*l)).collect();
        self.observer.query(Phase::Generalize);
        // SAT? F_{frame-1} ∧ ¬c ∧ C ∧ T ∧ d'
        match self.solvers[frame - 1].solve_with(&primed, clause) {
            Answer::Sat => Ok(false),
            Answer::Unsat => Ok(true),
            Answer::Unknown(stop) => Err(stop),
        }
    }
}
