//! Consecution: is a clause inductive relative to a frame?
//!
//! Nearly all queries of the engine are of this form. A negative answer comes with a step out
//! of the frame into the cube; a positive one with an unsatisfiable core, that is with a
//! subset of the cube for which the answer is the same [Bra11 §7].

use crate::engine::Ic3;
use crate::lift::{Step, Target};
use lemmas::Phase;
use sat::{Answer, Exhausted, Lit, Solver, Var};

/// Whether consecution assumes the clause itself of the present state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assume {
    /// F ∧ ¬c ∧ C ∧ T ∧ c'
    Clause,
    /// F ∧ C ∧ T ∧ c'
    Nothing,
}

impl<S: Solver + Default> Ic3<'_, S> {
    /// Whether F_{frame-1} ∧ [¬c] ∧ C ∧ T ⇒ ¬c'.
    ///
    /// Literals late in the cube are the first to be missing from the core.
    /// Requires: 1 ≤ frame.
    pub(crate) fn consecution(
        &mut self,
        frame: usize,
        cube: &[Lit],
        assume: Assume,
        phase: Phase,
    ) -> Result<bool, Exhausted> {
        let primed: Vec<Lit> = cube.iter().map(|l| self.transition.prime(*l)).collect();
        let clause: Vec<Lit> = match assume {
            Assume::Clause => cube.iter().map(|l| !*l).collect(),
            Assume::Nothing => Vec::new(),
        };
        self.observer.query(phase);
        // SAT? F_{frame-1} ∧ [¬c] ∧ C ∧ T ∧ c'
        match self.solvers[frame - 1].solve_with(&primed, &clause) {
            Answer::Sat => Ok(false),
            Answer::Unsat => Ok(true),
            Answer::Unknown(stop) => Err(stop),
        }
    }

    /// After consecution held at `frame`: the literals of the cube that it needs, and one more
    /// where these alone would not exclude the initial states.
    ///
    /// Requires: I ∧ cube is unsatisfiable. Ensures: so is I ∧ core, and consecution holds for
    /// ¬core relative to F_{frame-1} ∧ ¬cube.
    pub(crate) fn core(&self, frame: usize, cube: &[Lit]) -> Vec<Lit> {
        let solver = &self.solvers[frame - 1];
        let needed = |l: &Lit| solver.failed(self.transition.prime(*l));
        let excluding = cube.iter().find(|l| self.transition.excludes_init(**l) && needed(l));
        let excluding =
            excluding.or_else(|| cube.iter().find(|l| self.transition.excludes_init(**l)));
        cube.iter().filter(|l| needed(l) || excluding == Some(l)).copied().collect()
    }

    /// After consecution failed at `frame`: the value of a latch in the state found.
    pub(crate) fn state_value(&self, frame: usize, literal: Lit) -> Option<bool> {
        self.solvers[frame - 1].value(literal)
    }

    /// The step that the last model of solver `index` describes, lifted towards the target.
    pub(crate) fn lifted_step(&mut self, index: usize, target: Target) -> Result<Step, Exhausted> {
        let solver = &self.solvers[index];
        let literal = |v: Var| solver.value(v.pos()).map(|value| v.lit(value));
        let step = Step {
            state: self.transition.latches().filter_map(literal).collect(),
            inputs: self.transition.inputs().filter_map(literal).collect(),
        };
        let lifted = self.lifter.lift(&self.transition, &mut self.activity, step, target)?;
        for _ in 0..self.lifter.take_queries() {
            self.observer.query(Phase::Lift);
        }
        Ok(lifted)
    }
}
