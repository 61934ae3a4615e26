//! Generalization: from an unreachable cube to a strong lemma.
//!
//! `mic` finds a *minimal inductive subclause* [Bra11 §3; BM07]: it drops literals one by one and
//! lets `down` repair what remains. Every answer's core drops further literals. The literals
//! that were found necessary are not tried again, and `down` gives up when it would have to
//! drop one of them (both after \[HBS13\]).
//!
//! We don't end the search after three failures as [Bra11 §7] does: with queries this cheap
//! the better lemma is worth it.

use crate::consecution::Assume;
use crate::ctg::Repair;
use crate::engine::Ic3;
use crate::observer::Phase;
use crate::options::{CtgLimits, Generalization};
use sat::{Exhausted, Lit, Solver};

impl<S: Solver + Default> Ic3<'_, S> {
    /// A subset of the cube whose negation is a lemma for `frame` too.
    ///
    /// Requires: I ⇒ ¬c, F_{frame-1} ∧ ¬c ∧ C ∧ T ⇒ ¬c'. Ensures: the same of the result.
    pub(crate) fn generalize(
        &mut self,
        frame: usize,
        cube: Vec<Lit>,
        limits: CtgLimits,
    ) -> Result<Vec<Lit>, Exhausted> {
        match self.options.generalization {
            Generalization::Core => Ok(cube),
            Generalization::PrimeImplicate => self.prime_implicate(frame, cube),
            Generalization::Inductive(_) | Generalization::Dynamic => self.mic(frame, cube, limits),
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
        while let Some(&literal) = cube.get(necessary) {
            let candidate = cube.iter().copied().filter(|l| *l != literal).collect();
            match self.down(frame, candidate, &cube[..necessary], limits)? {
                Some(smaller) => {
                    let kept = |l: &Lit| smaller.contains(l);
                    necessary = cube[..necessary].iter().filter(|l| kept(l)).count();
                    cube.retain(kept);
                }
                None => necessary += 1,
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
            sat::Answer::Sat => Ok(false),
            sat::Answer::Unsat => Ok(true),
            sat::Answer::Unknown(stop) => Err(stop),
        }
    }
}
