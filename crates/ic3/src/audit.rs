//! The frame invariants as code.
//!
//! [`Ic3::audit`] checks what the head of [`crate::frames`] states, with a solver of its own. It
//! runs after every propagation in debug builds on small systems, and in the tests.

use crate::engine::Ic3;
use crate::frames::Frames;
use crate::transition::Transition;
use sat::cadical::Cadical;
use sat::{Answer, Solver};

/// The largest product of latches and lemmas that debug builds check.
const SMALL: usize = 2_000;

/// A frame invariant that does not hold; the numbers are those of [`crate::frames`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    /// An initial state is excluded.
    #[error("a lemma excludes an initial state (invariant 1)")]
    Initiation,
    /// A frame below the frontier has a bad state.
    #[error("F_{0} has a bad state (invariant 2)")]
    Safety(usize),
    /// A step leads out of the next frame.
    #[error("a step leads from F_{0} out of the next frame (invariant 4)")]
    Consecution(usize),
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Checks the frame invariants.
    ///
    /// Requires: `strengthen` is done, so that only the frontier may have bad states.
    pub fn audit(&self) -> Result<(), Broken> {
        audit(&self.transition, &self.frames)
    }

    /// Checks the frame invariants where that is cheap; always returns true.
    ///
    /// # Panics
    /// If an invariant is broken.
    pub(crate) fn audit_if_small(&self) -> bool {
        let lemmas = self.frames.lemmas(1).count();
        if lemmas * self.transition.latches().len() < SMALL
            && let Err(broken) = self.audit()
        {
            panic!("{broken}");
        }
        true
    }
}

fn audit(transition: &Transition, frames: &Frames) -> Result<(), Broken> {
    if frames.lemmas(1).any(|l| transition.intersects_init(l.literals())) {
        return Err(Broken::Initiation);
    }
    for frame in 0..frames.frontier() {
        let mut solver = transition.step::<Cadical>();
        for lemma in frames.lemmas(frame).filter(|_| frame > 0) {
            solver.add_clause(&lemma.negation());
        }
        for literal in transition.init().filter(|_| frame == 0) {
            solver.add_clause(&[literal]);
        }
        // SAT? F_i ∧ C ∧ bad
        if solver.solve(&[transition.bad()]) != Answer::Unsat {
            return Err(Broken::Safety(frame));
        }
        for lemma in frames.lemmas(frame + 1) {
            let primed: Vec<_> = lemma.literals().iter().map(|l| transition.prime(*l)).collect();
            // SAT? F_i ∧ C ∧ T ∧ ¬lemma'
            if solver.solve(&primed) != Answer::Unsat {
                return Err(Broken::Consecution(frame));
            }
        }
    }
    audit_infinite(transition, frames)
}

fn audit_infinite(transition: &Transition, frames: &Frames) -> Result<(), Broken> {
    let mut solver = transition.step::<Cadical>();
    for lemma in frames.infinite() {
        solver.add_clause(&lemma.negation());
    }
    for lemma in frames.infinite() {
        let primed: Vec<_> = lemma.literals().iter().map(|l| transition.prime(*l)).collect();
        // SAT? F_∞ ∧ C ∧ T ∧ ¬lemma'
        if solver.solve(&primed) != Answer::Unsat {
            return Err(Broken::Consecution(usize::MAX));
        }
    }
    Ok(())
}
