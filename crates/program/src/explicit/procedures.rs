//! Explicit-state search over procedures that call each other: the reference for passes that keep
//! calls.
//!
//! A configuration is the stack of open calls, a location, and the values of the globals and of the
//! procedure's own variables; those that a call gives no value start with zero. Recursion goes as
//! deep as inlining unrolls it ([`crate::model::Options::recursion`]), and a call beyond is a
//! violation of [`Property::Unwinding`] here as there.

use super::{Machine, State};
use crate::cfa::LocationId;
use crate::procedures::{Action, Call, Callee, EdgeId, Procedure, ProcedureId, Procedures};
use crate::property::Property;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::eval::default_value;
use term::{Pool, Term, Value};

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// What some run violates.
    pub violated: BTreeSet<Property>,
    /// The results of the start in runs that end there.
    pub results: BTreeSet<Vec<Value>>,
    /// Whether the limit stopped the search.
    pub limited: bool,
}

/// A call that is open: who called, by which edge, and the values of its own variables.
type Open = (ProcedureId, EdgeId, State);

/// Where a run is. The state is of the globals, then of the procedure's own variables.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    stack: Vec<Open>,
    procedure: ProcedureId,
    location: LocationId,
    state: State,
}

/// Follows all runs of procedures in which every call is direct and memory is variables, with at
/// most so many open calls of one procedure and so many configurations.
///
/// # Panics
/// If an edge does anything else.
pub fn search(pool: &Pool, procedures: &Procedures, recursion: u32, limit: usize) -> Found {
    let mut globals: Vec<Term> = procedures.globals.keys().copied().collect();
    globals.sort_unstable();
    let scopes = procedures.procedures.iter().map(|(id, p)| (id, Scope::of(pool, &globals, p)));
    let scopes = scopes.collect();
    let search = Search { pool, procedures, recursion, globals, scopes };
    search.run(limit)
}

/// A procedure as the search sees it.
struct Scope<'a> {
    machine: Machine<'a>,
    leaving: FxHashMap<LocationId, Vec<EdgeId>>,
    /// The procedure's variables before they have values.
    fresh: State,
}

impl<'a> Scope<'a> {
    fn of(pool: &'a Pool, globals: &[Term], procedure: &Procedure) -> Scope<'a> {
        let own = procedure.variables.iter().map(|(variable, _)| *variable);
        let place = globals.iter().copied().chain(own.clone()).enumerate();
        let place = place.map(|(n, variable)| (variable, n)).collect();
        let mut leaving: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
        for (id, edge) in procedure.edges.iter() {
            leaving.entry(edge.from).or_default().push(id);
        }
        let fresh = own.map(|variable| default_value(pool, pool.sort(variable))).collect();
        Scope { machine: Machine { pool, place }, leaving, fresh }
    }
}

struct Search<'a> {
    pool: &'a Pool,
    procedures: &'a Procedures,
    recursion: u32,
    globals: Vec<Term>,
    scopes: FxHashMap<ProcedureId, Scope<'a>>,
}

impl Search<'_> {
    fn run(&self, limit: usize) -> Found {
        let mut found = Found::default();
        let start = self.procedures.start;
        let mut state: State =
            self.globals.iter().map(|v| default_value(self.pool, self.pool.sort(*v))).collect();
        state.extend(self.scopes[&start].fresh.iter().cloned());
        let location = self.procedures.procedures[start].entry;
        let first = Configuration { stack: Vec::new(), procedure: start, location, state };
        let mut seen: FxHashSet<Configuration> = FxHashSet::default();
        let mut pending = vec![first];
        while let Some(here) = pending.pop() {
            if seen.contains(&here) {
                continue;
            }
            if seen.len() >= limit {
                found.limited = true;
                return found;
            }
            self.leave(&here, &mut found, &mut pending);
            seen.insert(here);
        }
        found
    }

    /// What comes after a configuration.
    fn leave(&self, here: &Configuration, found: &mut Found, pending: &mut Vec<Configuration>) {
        let procedure = &self.procedures.procedures[here.procedure];
        if here.location == procedure.exit {
            match self.back(here) {
                Some(back) => pending.push(back),
                None => {
                    let machine = &self.scopes[&here.procedure].machine;
                    let results = procedure.results.iter();
                    let results = results.map(|result| machine.value(*result, &here.state));
                    found.results.insert(results.collect());
                }
            }
            return;
        }
        let scope = &self.scopes[&here.procedure];
        for &id in scope.leaving.get(&here.location).into_iter().flatten() {
            let edge = &procedure.edges[id];
            match &edge.action {
                Action::Command(command) => {
                    let after = scope.machine.execute(command, vec![here.state.clone()]);
                    if edge.to == procedure.error {
                        found.violated.extend(edge.violates.filter(|_| !after.is_empty()));
                        continue;
                    }
                    pending.extend(after.into_iter().map(|state| Configuration {
                        location: edge.to,
                        state,
                        ..here.clone()
                    }));
                }
                Action::Call(call) => match self.enter(here, id, call) {
                    Some(entered) => pending.push(entered),
                    None => {
                        found.violated.insert(Property::Unwinding);
                    }
                },
                _ => panic!("memory is not yet variables"),
            }
        }
    }

    /// The beginning of a call; none if too many of the procedure are open.
    fn enter(&self, here: &Configuration, edge: EdgeId, call: &Call) -> Option<Configuration> {
        let Callee::Procedure(callee) = call.callee else { panic!("a call is not direct") };
        let open = here.stack.iter().map(|(procedure, _, _)| *procedure).chain([here.procedure]);
        if open.filter(|procedure| *procedure == callee).count() >= self.recursion.max(1) as usize {
            return None;
        }
        let (globals, own) = here.state.split_at(self.globals.len());
        let mut stack = here.stack.clone();
        stack.push((here.procedure, edge, own.to_vec()));
        let scope = &self.scopes[&callee];
        let mut state = globals.to_vec();
        state.extend(scope.fresh.iter().cloned());
        let procedure = &self.procedures.procedures[callee];
        let caller = &self.scopes[&here.procedure].machine;
        for (parameter, argument) in procedure.parameters.iter().zip(&call.arguments) {
            state[scope.machine.place[parameter]] = caller.value(*argument, &here.state);
        }
        Some(Configuration { stack, procedure: callee, location: procedure.entry, state })
    }

    /// What comes after a return; none at the end of the start.
    fn back(&self, here: &Configuration) -> Option<Configuration> {
        let mut stack = here.stack.clone();
        let (procedure, edge, own) = stack.pop()?;
        let callee = &self.procedures.procedures[here.procedure];
        let edge = &self.procedures.procedures[procedure].edges[edge];
        let Action::Call(call) = &edge.action else { panic!("a call was made by another edge") };
        let mut state = here.state[..self.globals.len()].to_vec();
        state.extend(own);
        let machine = &self.scopes[&here.procedure].machine;
        let caller = &self.scopes[&procedure].machine;
        for (into, result) in call.results.iter().zip(&callee.results) {
            state[caller.place[into]] = machine.value(*result, &here.state);
        }
        Some(Configuration { stack, procedure, location: edge.to, state })
    }
}
