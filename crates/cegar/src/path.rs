//! Path formulas: whether a path of the tree into the error location can be taken.
//!
//! Along the path each variable gets a new name wherever it is assigned (static single
//! assignment), and each edge its own copies of its inputs. So the path is a sequence of formulas,
//! one an edge; those of neighbours have the names of the state between them in common, which is
//! what interpolation needs. Only variables that are read later get new names.

use crate::observer::Purpose;
use crate::questions::{Questions, gave_up, holds};
use crate::step::Step;
use la_arena::ArenaMap;
use program::cfa::{Cfa, LocationId};
use program::execute::{RunError, Values, follow};
use program::verdict::{self, Reason, Run};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Solver;
use term::traverse::Substitution;
use term::{Pool, Term};

/// Names of variables at positions of paths; the same for all paths, so that formulas are too.
#[derive(Default)]
pub(crate) struct Names {
    names: FxHashMap<(Term, usize), Term>,
}

impl Names {
    fn get(&mut self, pool: &Pool, variable: Term, position: usize) -> Term {
        *self.names.entry((variable, position)).or_insert_with(|| {
            let name = pool.var_name(variable).unwrap_or("value").to_owned();
            pool.fresh_var(&name, pool.sort(variable))
        })
    }
}

/// The formulas of a path.
pub(crate) struct PathFormula {
    /// What each edge says.
    pub(crate) parts: Vec<Vec<Term>>,
    /// The state after each edge but the last: the variables that are read later, with their
    /// names.
    pub(crate) states: Vec<Vec<(Term, Term)>>,
    /// How the terms of each edge are written here.
    renamings: Vec<Substitution>,
}

impl PathFormula {
    /// The formulas of some steps with the locations where they lead, the first from the initial
    /// location. `live` are the variables whose values matter at a location.
    pub(crate) fn new(
        pool: &Pool,
        names: &mut Names,
        live: &ArenaMap<LocationId, FxHashSet<Term>>,
        steps: &[(&Step, LocationId)],
    ) -> PathFormula {
        let mut current: FxHashMap<Term, Term> = FxHashMap::default();
        let (mut parts, mut states, mut renamings) = (Vec::new(), Vec::new(), Vec::new());
        for (position, (step, end)) in steps.iter().enumerate() {
            let mut renaming: FxHashMap<Term, Term> = current.clone();
            for input in &step.inputs {
                renaming.insert(*input, names.get(pool, *input, position));
            }
            let mut renaming = Substitution::new(renaming);
            let mut part: Vec<Term> =
                step.guards.iter().map(|guard| renaming.apply(pool, *guard)).collect();
            let read_later = step.assigned.iter().filter(|(v, _)| live[*end].contains(v));
            for (variable, value) in read_later {
                let name = names.get(pool, *variable, position);
                part.push(pool.eq(name, renaming.apply(pool, *value)));
                current.insert(*variable, name);
            }
            parts.push(part);
            renamings.push(renaming);
            let named = |v: &Term| (*v, current.get(v).copied().unwrap_or(*v));
            let mut state: Vec<(Term, Term)> = live[*end].iter().map(named).collect();
            state.sort_unstable();
            states.push(state);
        }
        states.pop();
        PathFormula { parts, states, renamings }
    }

    /// Whether a variable is read after the state between the edges `cut` and `cut + 1`.
    pub(crate) fn has(&self, cut: usize, variable: Term) -> bool {
        self.states[cut].binary_search_by_key(&variable, |(v, _)| *v).is_ok()
    }

    /// A run along the path; none if there is none.
    pub(crate) fn run(
        &mut self,
        questions: &mut Questions<'_>,
        cfa: &Cfa,
        steps: &[(&Step, LocationId)],
    ) -> Result<Option<Run>, Reason> {
        let pool = questions.pool;
        let mut solver = questions.path_solver();
        let all: Vec<Term> = self.parts.concat();
        // SAT? the path formula
        if !questions.ask(&mut *solver, Purpose::Path, &all, &[])? {
            return Ok(None);
        }
        let mut run = Run::default();
        for ((step, _), renaming) in steps.iter().zip(&mut self.renamings) {
            run.steps.push(executed(pool, &mut *solver, step, renaming)?);
        }
        let mut start = Values::default();
        for variable in cfa.variables.keys() {
            start.insert(*variable, solver.value(pool, *variable).map_err(gave_up)?);
        }
        debug_assert!(executes(pool, cfa, &run, &start), "the run executes");
        Ok(Some(run))
    }
}

/// Whether a run can be executed, as far as that is found out.
fn executes(pool: &Pool, cfa: &Cfa, run: &Run, start: &Values) -> bool {
    matches!(follow(pool, cfa, run, start), Ok(_) | Err(RunError::TooManyWays(_)))
}

/// A step with the inputs that it has in the model.
fn executed(
    pool: &Pool,
    solver: &mut dyn Solver,
    step: &Step,
    renaming: &mut Substitution,
) -> Result<verdict::Step, Reason> {
    let mut failed = None;
    let inputs = step.trail.inputs(&mut |condition| {
        let condition = renaming.apply(pool, condition);
        holds(pool, solver, condition).unwrap_or_else(|reason| {
            failed = Some(reason);
            false
        })
    });
    if let Some(reason) = failed {
        return Err(reason);
    }
    let mut values = Vec::with_capacity(inputs.len());
    for (input, variable) in inputs {
        let name = renaming.apply(pool, variable);
        values.push((input, solver.value(pool, name).map_err(gave_up)?));
    }
    Ok(verdict::Step { edge: step.edge, inputs: values })
}
