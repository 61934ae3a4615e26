//! The frame invariants as code.
//!
//! [`Ic3::audit`] asks what [`mod@lemmas::audit`] wants to know of a solver of its own. It runs after
//! every propagation in debug builds on small systems, and in the tests.

use crate::cube::{Cube, Frames};
use crate::engine::Ic3;
use crate::transition::Transition;
use lemmas::audit::{Broken, Frame, Questions, audit};
use sat::cadical::Cadical;
use sat::{Answer, Lit, Solver};
use std::convert::Infallible;

/// The largest product of latches and lemmas that debug builds check.
const SMALL: usize = 2_000;

impl<S: Solver + Default> Ic3<'_, S> {
    /// Checks the frame invariants.
    ///
    /// Requires: `strengthen` is done, so that only the frontier may have bad states.
    pub fn audit(&self) -> Result<(), Broken<()>> {
        audit_frames(&self.transition, &self.frames)
    }

    /// Checks the frame invariants where that is cheap; always returns true.
    ///
    /// # Panics
    /// If an invariant is broken.
    pub(crate) fn audit_if_small(&self) -> bool {
        let lemmas = self.frames.lemmas((), 1).count();
        if lemmas * self.transition.latches().len() < SMALL
            && let Err(broken) = self.audit()
        {
            panic!("{broken}");
        }
        true
    }
}

fn audit_frames(transition: &Transition, frames: &Frames) -> Result<(), Broken<()>> {
    let Ok(broken) = audit(frames, &mut Auditor { transition, solver: None });
    broken.map_or(Ok(()), Err)
}

/// Answers by a solver that knows F_i ∧ C ∧ T, for the frame last asked about.
struct Auditor<'a> {
    transition: &'a Transition<'a>,
    solver: Option<(usize, Cadical)>,
}

impl Auditor<'_> {
    /// SAT? F_i ∧ C ∧ T ∧ assumptions
    fn ask(&mut self, frame: Frame<'_, (), Lit>, assumptions: &[Lit]) -> bool {
        let known = self.solver.take().filter(|(index, _)| *index == frame.index());
        let (_, mut solver) = known.unwrap_or_else(|| (frame.index(), self.frame_solver(frame)));
        let answer = solver.solve(assumptions);
        self.solver = Some((frame.index(), solver));
        // Nothing bounds this solver, so it always knows; if it did not, the audit should fail.
        answer != Answer::Unsat
    }

    fn frame_solver(&self, frame: Frame<'_, (), Lit>) -> Cadical {
        let mut solver = self.transition.step::<Cadical>();
        if frame.is_initial() {
            for literal in self.transition.init() {
                solver.add_clause(&[literal]);
            }
        } else {
            for lemma in frame.lemmas(()) {
                solver.add_clause(&lemma.negation());
            }
        }
        solver
    }
}

impl Questions<(), Lit> for Auditor<'_> {
    type Error = Infallible;

    fn initial(&mut self, (): (), cube: &Cube) -> Result<bool, Infallible> {
        Ok(self.transition.intersects_init(cube.literals()))
    }

    fn consecution(
        &mut self,
        frame: Frame<'_, (), Lit>,
        (): (),
        cube: &Cube,
    ) -> Result<bool, Infallible> {
        let primed: Vec<Lit> = cube.literals().iter().map(|l| self.transition.prime(*l)).collect();
        // SAT? F_i ∧ C ∧ T ∧ c'
        Ok(self.ask(frame, &primed))
    }

    fn bad(&mut self, frame: Frame<'_, (), Lit>) -> Result<bool, Infallible> {
        // SAT? F_i ∧ C ∧ bad
        Ok(self.ask(frame, &[self.transition.bad()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circuit::{Init, TransitionSystem};
    use lemmas::INFINITE;
    use sat::Var;
    use sat::cone::ConeSolver;

    /// What the audit says of these lemmas about a, which loads an input, and b, which loads a and
    /// is bad; k = 2.
    fn audit_of(lemmas: &[(usize, Lit)]) -> Result<(), Broken<()>> {
        let mut system = TransitionSystem::new();
        let input = system.add_input(None);
        let [a, b] = [(); 2].map(|()| system.add_latch(Init::Zero, None));
        (system.latches[0].next, system.latches[1].next) = (input, a);
        system.add_bad(b, None);
        let transition = Transition::new::<ConeSolver>(&system, 0);
        let mut frames = Frames::new(1);
        frames.extend();
        frames.extend();
        for (frame, literal) in lemmas {
            frames.add((), *frame, Cube::new(vec![*literal]));
        }
        audit_frames(&transition, &frames)
    }

    #[test]
    fn broken_frames_are_found() {
        let [a, b] = [0, 1].map(|latch| Var::new(latch).pos());
        assert_eq!(audit_of(&[(1, b)]), Ok(()));
        assert_eq!(audit_of(&[]), Err(Broken::Safety(1)));
        assert_eq!(audit_of(&[(1, b), (1, !a)]), Err(Broken::Initiation(())));
        assert_eq!(audit_of(&[(1, b), (1, a)]), Err(Broken::Consecution { frame: 0, node: () }));
        assert_eq!(audit_of(&[(2, b)]), Err(Broken::Consecution { frame: 1, node: () }));
        let infinite = audit_of(&[(1, b), (INFINITE, b)]);
        assert_eq!(infinite, Err(Broken::Consecution { frame: 1, node: () }));
    }
}
