//! Edges as functions: from states and inputs to states, with a condition.
//!
//! An edge is executed symbolically once ([`program::symbolic`]), all its branches at the same
//! time; havocs and undecided choices are free variables of their own.

use program::cfa::{Cfa, Command, EdgeId};
use program::symbolic::{State, Trail, execute};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::traverse::{conjuncts, free_vars, rewrite};
use term::{Pool, Term};

/// What an edge does.
pub(crate) struct Step {
    pub(crate) edge: EdgeId,
    /// The edge is taken if all of these hold, over the state before and the inputs.
    pub(crate) guards: Vec<Term>,
    /// The variables that are assigned, with their values over the state before and the inputs.
    pub(crate) assigned: Vec<(Term, Term)>,
    /// The free variables in these that stand for havocs and choices.
    pub(crate) inputs: Vec<Term>,
    /// The havocs.
    pub(crate) trail: Trail,
    /// The comparisons in its command, as they stand there.
    pub(crate) comparisons: BTreeSet<Term>,
    /// What [`Step::before`] has computed.
    done: FxHashMap<Term, Term>,
}

impl Step {
    pub(crate) fn new(pool: &Pool, cfa: &Cfa, edge: EdgeId) -> Step {
        let command = &cfa.edges[edge].command;
        let mut state = State::new();
        let executed = execute(pool, command, &mut state);
        let mut assigned: Vec<(Term, Term)> =
            state.entries().filter(|(variable, value)| variable != value).collect();
        assigned.sort_unstable();
        let mut terms = Vec::new();
        mentioned(pool, command, &mut terms);
        let guards = conjuncts(pool, executed.guard);
        let mut free = guards.clone();
        free.extend(assigned.iter().map(|(_, value)| *value));
        let mut inputs = free_vars(pool, &free);
        inputs.retain(|variable| !cfa.variables.contains_key(variable));
        Step {
            edge,
            guards,
            inputs,
            trail: executed.trail,
            comparisons: smt::interpolate::words::comparisons(pool, &terms),
            done: assigned.iter().copied().collect(),
            assigned,
        }
    }

    /// A formula about the state after the edge as one about the state before and the inputs.
    pub(crate) fn before(&mut self, pool: &Pool, formula: Term) -> Term {
        rewrite(pool, formula, &mut self.done, |_| None)
    }
}

/// The terms of a command; an assignment counts as the equation that it establishes.
fn mentioned(pool: &Pool, command: &Command, into: &mut Vec<Term>) {
    match command {
        Command::Assume(formula) => into.push(*formula),
        Command::Assign(variable, value) => into.extend([*value, pool.eq(*variable, *value)]),
        Command::Havoc(..) => {}
        Command::Sequence(commands) | Command::Choice(commands) => {
            commands.iter().for_each(|command| mentioned(pool, command, into));
        }
    }
}
