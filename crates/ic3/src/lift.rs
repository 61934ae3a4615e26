//! Lifting: from one state that leads to a target to a cube of states that do.
//!
//! The engine's obligations must be cubes all of whose states reach a violation, and the larger
//! the better. Given a state s and inputs i with s ∧ i ∧ T ⇒ t' and s ∧ i ⇒ C, lifting finds a
//! subset of s for which both still hold. That the constraints C stay satisfied matters: a
//! state that leaves them has no step at all, so it would not belong to a trace.
//!
//! * [`Lifting::Sat`]: s ∧ i ∧ T ∧ (¬t' ∨ ¬C) is unsatisfiable, and the literals of s that are
//!   not in its core are dropped (Chockler, Ivrii, Matsliah, Moran, Nevo: *Incremental formal
//!   verification of hardware*, FMCAD 2011).
//! * [`Lifting::Ternary`]: latches are set to unknown one by one; those without effect on t' and
//!   C are dropped \[EMB11\].
//! * [`Lifting::Model`]: what the solver's partial model leaves open is dropped already.

use crate::activity::Activity;
use crate::options::Lifting;
use crate::transition::Transition;
use aig::Edge;
use circuit::ternary::{Ternary, Values};
use circuit::{Source, TransitionSystem};
use sat::{Answer, Exhausted, Lit, Solver};

/// What the lifted states must reach.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// A cube of states, in one step.
    Next(&'a [Lit]),
    /// A violation, at once.
    Bad,
}

/// A step out of a state: what a solver's model gives.
pub struct Step {
    /// Literals of latches.
    pub state: Vec<Lit>,
    /// Literals of inputs; those not named don't matter.
    pub inputs: Vec<Lit>,
}

/// How often a smaller core is asked for again.
const ROUNDS: usize = 2;

/// Lifts steps; see the module's head.
pub struct Lifter<S> {
    method: Lifting,
    /// Knows T alone.
    solver: S,
    queries: u64,
}

impl<S: Solver> Lifter<S> {
    /// A lifter with a solver that knows T and nothing else.
    pub fn new(method: Lifting, solver: S) -> Self {
        Lifter { method, solver, queries: 0 }
    }

    /// The lifter's solver.
    pub fn solver(&self) -> &S {
        &self.solver
    }

    /// The lifter's solver, to set limits.
    pub fn solver_mut(&mut self) -> &mut S {
        &mut self.solver
    }

    /// How many queries were asked since the last call.
    pub fn take_queries(&mut self) -> u64 {
        std::mem::take(&mut self.queries)
    }

    /// Requires: all states and inputs of `step` reach the target under the constraints.
    /// Ensures: so do those of the result, whose literals are literals of `step`.
    pub fn lift(
        &mut self,
        transition: &Transition,
        activity: &mut Activity,
        mut step: Step,
        target: Target,
    ) -> Result<Step, Exhausted> {
        activity.sort(&mut step.state);
        match self.method {
            Lifting::Model => {}
            Lifting::Ternary => ternary(transition, &mut step, target),
            Lifting::Sat => self.by_core(transition, &mut step, target)?,
        }
        Ok(step)
    }

    fn by_core(
        &mut self,
        tr: &Transition,
        step: &mut Step,
        target: Target,
    ) -> Result<(), Exhausted> {
        let mut missed: Vec<Lit> = match target {
            Target::Next(cube) => cube.iter().map(|l| !tr.prime(*l)).collect(),
            Target::Bad => vec![!tr.bad()],
        };
        missed.extend(tr.constraints().iter().map(|c| !*c));
        // The most active literals are assumed first and so tend to stay.
        step.state.reverse();
        for _ in 0..ROUNDS {
            let assumptions = [&step.inputs[..], &step.state[..]].concat();
            self.queries += 1;
            // SAT? i ∧ s ∧ T ∧ (¬t' ∨ ¬C)
            match self.solver.solve_with(&assumptions, &missed) {
                Answer::Unsat => {}
                Answer::Unknown(stop) => return Err(stop),
                Answer::Sat => unreachable!("the step reaches its target"),
            }
            let before = step.state.len();
            step.state.retain(|l| self.solver.failed(*l));
            if step.state.len() == before {
                break;
            }
            step.state.reverse();
        }
        Ok(())
    }
}

/// Drops the latches, least active first, that ternary simulation shows to have no effect.
fn ternary(transition: &Transition, step: &mut Step, target: Target) {
    let system = transition.system();
    let goals = goals(transition, target);
    let mut leaves = vec![Ternary::UNKNOWN; system.latches.len() + system.inputs.len()];
    for literal in step.state.iter().chain(&step.inputs) {
        leaves[literal.var().index()] = Ternary::of(Some(literal.is_pos()));
    }
    let leaf_of_source = leaf_order(system);
    let reaches = |leaves: &[Ternary]| {
        let values = Values::simulate(&system.aig, |k| leaves[leaf_of_source[k]]);
        goals.iter().all(|goal| values.value(*goal) == Ternary::TRUE)
    };
    if !reaches(&leaves) {
        // The solver reasoned where simulation can't follow: the step is right, but opaque.
        return;
    }
    step.state.retain(|literal| {
        let leaf = literal.var().index();
        leaves[leaf] = Ternary::UNKNOWN;
        let dropped = reaches(&leaves);
        if !dropped {
            leaves[leaf] = Ternary::of(Some(literal.is_pos()));
        }
        !dropped
    });
}

/// The edges that must be true for the target to be reached under the constraints.
fn goals(transition: &Transition, target: Target) -> Vec<Edge> {
    let system = transition.system();
    let mut goals: Vec<Edge> = match target {
        Target::Bad => vec![transition.bad_edge()],
        Target::Next(cube) => {
            let next = |l: &Lit| system.latches[l.var().index()].next.xor(l.is_neg());
            cube.iter().map(next).collect()
        }
    };
    goals.extend(system.constraints.iter().map(|c| c.edge));
    goals
}

/// For each input of the graph the variable that stands for it (see [`crate::transition`]).
fn leaf_order(system: &TransitionSystem) -> Vec<usize> {
    let sources = system.sources().expect("the engine was given a system that fits together");
    let leaf = |source| match source {
        Source::Latch(k) => k,
        Source::Input(k) => system.latches.len() + k,
    };
    sources.into_iter().map(leaf).collect()
}
