//! A run along the same path whose pointers from outside point to memory from there.
//!
//! Engines take any number for a pointer that comes from outside the program, and the interpreter has
//! no object there. So the path of the run, on the automaton before minimization, becomes one formula:
//! the guards on it, and that everything accessed which may be outside is in the object that stands
//! for memory from there ([`program::model::outside`]), or in one of the program's own. A model of it
//! is a run; it counts if each address in that object was computed from a pointer that the environment
//! gave, and if the interpreter follows it.
//!
//! Values that are only approximated are those of the run that was found.

use super::approximation::approximate;
use crate::code::Decider;
use crate::code::encode::Encoding;
use crate::outcome::{Finding, Violation};
use program::cfa::{EdgeId, InputId};
use program::model::outside::comes_from_outside;
use program::program::Assumption;
use program::symbolic::{State, execute};
use program::verdict::{Run, Step};
use program::{Cfa, follow_inputs};
use smt::{Answer, Error, Solver};
use std::time::Duration;
use term::{Pool, Term};

/// How long a run may be looked for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A run of the automaton before minimization along the path of a run, with memory from outside.
pub(super) fn same_path(decider: &Decider<'_, '_>, encoding: &Encoding, run: &Run) -> Option<Run> {
    let (pool, model) = (&decider.program.pool, &encoding.model);
    if model.outside.accesses.is_empty() {
        return None;
    }
    let run = follow_inputs(pool, &model.cfa, run)?;
    let path = Path::of(pool, encoding, &run);
    let mut solver = decider.setup.settings.solvers.bits();
    solver.set_allowance(decider.setup.budget.allowance.within(PATIENCE));
    let run = path.solve(pool, &mut *solver).ok().flatten()?;
    comes_from_outside(pool, model, &run).then_some(run)
}

/// What a run with memory from outside assumes, and where it first looks there.
pub(crate) fn assumption(finding: &Finding) -> Option<Assumption> {
    let Finding::Unsafe(Violation::Program { run, .. }) = finding else { return None };
    run.placement.as_ref().filter(|placement| placement.outside)?;
    let place = run
        .taken
        .iter()
        .find(|taken| taken.is_outside())
        .map_or(&run.place, |taken| &taken.place)
        .clone();
    let text = "pointers that come from outside the program point to memory there".to_owned();
    Some(Assumption { text, place })
}

/// A path as a formula.
struct Path {
    /// What holds on it.
    formulas: Vec<Term>,
    /// Its edges, each with the variables that stand for its inputs.
    edges: Vec<(EdgeId, Vec<(InputId, Term)>)>,
}

impl Path {
    /// The path that a run takes, with all that may be outside in memory from there.
    fn of(pool: &Pool, encoding: &Encoding, run: &Run) -> Path {
        let model = &encoding.model;
        let cfa: &Cfa = &model.cfa;
        let mut state = State::new();
        let mut path = Path { formulas: Vec::new(), edges: Vec::new() };
        for Step { edge, inputs: taken } in &run.steps {
            for access in model.outside.accesses.get(edge).into_iter().flatten() {
                let empty = pool.eq(access.length, pool.bv(0, pool.width(access.length)));
                let there = pool.or([access.is_outside(pool), access.own, empty]);
                path.formulas.push(state.apply(pool, there));
            }
            let executed = execute(pool, &cfa.edges[*edge].command, &mut state);
            path.formulas.push(executed.guard);
            // The automaton before minimization has no choices.
            let inputs = executed.trail.inputs(&mut |_| false);
            for ((input, variable), (_, value)) in inputs.iter().zip(taken) {
                if approximate(&cfa.inputs[*input].cause).is_some() {
                    path.formulas.push(pool.eq(*variable, pool.constant(value.clone())));
                }
            }
            path.edges.push((*edge, inputs));
        }
        path
    }

    /// The run that a solver finds.
    fn solve(&self, pool: &Pool, solver: &mut dyn Solver) -> Result<Option<Run>, Error> {
        for formula in &self.formulas {
            solver.assert(pool, *formula)?;
        }
        // SAT? the guards of the path ∧ everything that is accessed is in memory
        if solver.check(pool, &[])? != Answer::Sat {
            return Ok(None);
        }
        let mut steps = Vec::with_capacity(self.edges.len());
        for (edge, inputs) in &self.edges {
            let value =
                |&(input, variable): &(InputId, Term)| Ok((input, solver.value(pool, variable)?));
            steps.push(Step {
                edge: *edge,
                inputs: inputs.iter().map(value).collect::<Result<_, Error>>()?,
            });
        }
        Ok(Some(Run { steps }))
    }
}
