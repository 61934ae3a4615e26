//! Counterexamples to generalization.
//!
//! When `down` fails to show ¬c inductive, it has a state s outside of c with a step into c.
//! [Bra11 §3] joins: it keeps only the literals of c that s satisfies, so that ¬c no longer
//! contains s. \[HBS13\] asks first whether s is reachable at all: if ¬s is inductive one frame
//! below, s gets a lemma of its own and c is tried again. Both are limited, because s needs not
//! have to do with the property.

use crate::consecution::Assume;
use crate::cube::Cube;
use crate::engine::Ic3;
use crate::lift::Target;
use crate::options::CtgLimits;
use lemmas::Phase;
use sat::{Exhausted, Lit, Solver};

/// What to do after a failed attempt.
pub(crate) enum Repair {
    /// The counterexample is blocked; the same cube may succeed now.
    Retry,
    /// The join with the counterexample.
    Join(Vec<Lit>),
    /// The join would lose a necessary literal.
    Hopeless,
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Requires: consecution of ¬cube has just failed at `frame`.
    pub(crate) fn repair(
        &mut self,
        frame: usize,
        cube: &[Lit],
        necessary: &[Lit],
        limits: CtgLimits,
        blocked: &mut usize,
    ) -> Result<Repair, Exhausted> {
        // What the state leaves open may be chosen to agree with the cube.
        let agrees = |l: &Lit| self.state_value(frame, *l) != Some(false);
        let joined: Vec<Lit> = cube.iter().copied().filter(agrees).collect();
        let hopeless = necessary.iter().any(|l| !agrees(l));
        if limits.depth > 0 && *blocked < limits.count && frame > 1 {
            let step = self.lifted_step(frame - 1, Target::Next(cube))?;
            if self.block_counterexample(frame - 1, step.state, limits)? {
                *blocked += 1;
                return Ok(Repair::Retry);
            }
        }
        *blocked = 0;
        Ok(if hopeless { Repair::Hopeless } else { Repair::Join(joined) })
    }

    /// Adds a lemma that excludes the cube from F_frame, if consecution allows.
    fn block_counterexample(
        &mut self,
        frame: usize,
        mut cube: Vec<Lit>,
        limits: CtgLimits,
    ) -> Result<bool, Exhausted> {
        self.activity.sort(&mut cube);
        cube.reverse();
        if self.transition.intersects_init(&cube)
            || !self.consecution(frame, &cube, Assume::Clause, Phase::Generalize)?
        {
            return Ok(false);
        }
        let core = self.core(frame, &cube);
        let lower = CtgLimits { depth: limits.depth - 1, ..limits };
        let lemma = self.mic(frame, core, lower)?;
        let (frame, lemma) = self.push(frame, lemma)?;
        self.add_lemma(frame, Cube::new(lemma));
        Ok(true)
    }
}
