//! Linear clauses as a control-flow automaton, so that what decides programs decides them.
//!
//! A predicate is a location, a clause an edge from the predicate that it assumes (the initial
//! location, if there is none) to the one that it concludes (the error location, if that is `false`).
//! Arguments are variables that all predicates share, by their position among the arguments of their
//! sort, so that an argument that is handed on unchanged is not assigned.

use crate::model::{Interpretation, Model};
use crate::refutation::{Refutation, Step};
use crate::system::{Application, Clause, System};
use la_arena::ArenaMap;
use program::cfa::{Cfa, Command, Edge, Input, InputId, Location, LocationId, Origin};
use program::execute::outcomes;
use program::program::{Cause, Reading};
use program::verdict::{Invariant, Run};
use program::{Place, Property};
use rustc_hash::FxHashMap;
use term::traverse::{Substitution, free_vars};
use term::{Op, Pool, Sort, Term, Value};

/// An automaton, and what it is of.
pub struct Automaton<'s> {
    system: &'s System,
    /// The automaton; its edges have the numbers of clauses.
    pub cfa: Cfa,
    /// The location of each predicate.
    locations: Vec<LocationId>,
    /// The variables that hold the arguments of each predicate.
    state: Vec<Vec<Term>>,
    /// Of each clause, what its variables are when its edge is taken: state before it, or inputs.
    bindings: Vec<Vec<(Term, Binding)>>,
}

/// What a variable of a clause is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    /// A variable of the state before the edge.
    State(Term),
    /// The value that this input takes.
    Input(InputId),
}

/// The automaton of a system; none if a clause assumes two predicates.
pub fn automaton<'s>(pool: &Pool, system: &'s System) -> Option<Automaton<'s>> {
    if !system.is_linear() {
        return None;
    }
    let mut cfa = Cfa::default();
    let initial = cfa.locations.alloc(Location::default());
    let error = cfa.locations.alloc(Location::default());
    (cfa.initial, cfa.error) = (Some(initial), Some(error));
    let mut places = Places { pool, by_sort: FxHashMap::default() };
    let mut locations = Vec::new();
    let mut state = Vec::new();
    for predicate in &system.predicates {
        locations.push(cfa.locations.alloc(Location { loop_head: true, ..Location::default() }));
        let mut next: FxHashMap<Sort, usize> = FxHashMap::default();
        let place = |parameter: &Term| {
            let sort = pool.sort(*parameter);
            let number = next.entry(sort).or_default();
            *number += 1;
            places.variable(sort, *number - 1)
        };
        state.push(predicate.parameters.iter().map(place).collect::<Vec<Term>>());
    }
    let mut automaton = Automaton { system, cfa, locations, state, bindings: Vec::new() };
    for variable in automaton.state.iter().flatten() {
        automaton.cfa.variables.insert(*variable, origin(pool, *variable));
    }
    for clause in &system.clauses {
        automaton.edge(pool, clause, (initial, error));
    }
    Some(automaton)
}

/// The variables that hold arguments.
struct Places<'p> {
    pool: &'p Pool,
    by_sort: FxHashMap<(Sort, usize), Term>,
}

impl Places<'_> {
    fn variable(&mut self, sort: Sort, number: usize) -> Term {
        let fresh = || self.pool.fresh_var("state", sort);
        *self.by_sort.entry((sort, number)).or_insert_with(fresh)
    }
}

fn origin(pool: &Pool, variable: Term) -> Origin {
    let name = pool.var_name(variable).unwrap_or_default().into();
    let sort = pool.sort(variable);
    Origin { sort, variable: None, context: None, name, reading: Reading::Unsigned }
}

impl Automaton<'_> {
    fn edge(&mut self, pool: &Pool, clause: &Clause, (initial, error): (LocationId, LocationId)) {
        let mut commands = Vec::new();
        let mut bindings: Vec<(Term, Binding)> = Vec::new();
        let mut known: FxHashMap<Term, Term> = FxHashMap::default();
        let mut equal = Vec::new();
        if let Some(body) = clause.body.first() {
            for (argument, place) in body.arguments.iter().zip(&self.state[body.predicate]) {
                let is_variable = matches!(pool.op(*argument), Op::Var(_));
                if is_variable && !known.contains_key(argument) {
                    known.insert(*argument, *place);
                    bindings.push((*argument, Binding::State(*place)));
                } else {
                    equal.push(pool.eq(*argument, *place));
                }
            }
        }
        for variable in clause.variables(pool) {
            if known.contains_key(&variable) {
                continue;
            }
            let sort = pool.sort(variable);
            let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
            let input = self.cfa.inputs.alloc(input);
            self.cfa.variables.entry(variable).or_insert_with(|| origin(pool, variable));
            commands.push(Command::Havoc(variable, input));
            bindings.push((variable, Binding::Input(input)));
        }
        let mut substitution = Substitution::new(known);
        equal.push(clause.constraint);
        let assumed = equal.into_iter().map(|term| substitution.apply(pool, term));
        commands.push(Command::Assume(pool.and(assumed.collect::<Vec<_>>())));
        if let Some(head) = &clause.head {
            let head = head.map(|term| substitution.apply(pool, term));
            self.assign(pool, &head, &mut commands);
        }
        let from = clause.body.first().map_or(initial, |body| self.locations[body.predicate]);
        let to = clause.head.as_ref().map_or(error, |head| self.locations[head.predicate]);
        let violates = clause.head.is_none().then_some(Property::Assert);
        let command = Command::Sequence(commands);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
        self.bindings.push(bindings);
    }

    /// Gives the arguments of a head to the state, all at once.
    fn assign(&mut self, pool: &Pool, head: &Application, commands: &mut Vec<Command>) {
        let places = &self.state[head.predicate];
        let changed: Vec<(Term, Term)> = places
            .iter()
            .copied()
            .zip(head.arguments.iter().copied())
            .filter(|(place, argument)| place != argument)
            .collect();
        let targets: Vec<Term> = changed.iter().map(|(place, _)| *place).collect();
        let mut later = Vec::new();
        for (place, argument) in &changed {
            let reads_target =
                free_vars(pool, &[*argument]).iter().any(|v| v != place && targets.contains(v));
            if reads_target || free_vars(pool, &[*argument]).contains(place) && changed.len() > 1 {
                let copy = pool.fresh_var("next", pool.sort(*place));
                self.cfa.variables.insert(copy, origin(pool, copy));
                commands.push(Command::Assign(copy, *argument));
                later.push(Command::Assign(*place, copy));
            } else {
                later.push(Command::Assign(*place, *argument));
            }
        }
        commands.extend(later);
    }

    /// The model that an inductive invariant stands for. A predicate of which it says nothing is what
    /// its clauses say.
    pub fn model(&self, pool: &Pool, invariant: &Invariant) -> Model {
        let at: &ArenaMap<LocationId, Vec<Term>> = &invariant.at;
        let relation = |(p, location): (usize, &LocationId)| {
            let Some(formulas) = at.get(*location) else { return Interpretation::Clauses };
            let predicate = &self.system.predicates[p];
            let mut back = Substitution::new(
                self.state[p].iter().copied().zip(predicate.parameters.iter().copied()),
            );
            let formulas = formulas
                .iter()
                .filter(|f| free_vars(pool, &[**f]).iter().all(|v| self.state[p].contains(v)));
            let formulas: Vec<Term> = formulas.map(|f| back.apply(pool, *f)).collect();
            Interpretation::Formula(pool.and(formulas))
        };
        Model { relations: self.locations.iter().enumerate().map(relation).collect() }
    }

    /// The derivation that a run stands for.
    pub fn refutation(&self, pool: &Pool, run: &Run) -> Option<Refutation> {
        let mut state: FxHashMap<Term, Value> = FxHashMap::default();
        let mut steps: Vec<Step> = Vec::new();
        let numbers: FxHashMap<_, usize> =
            self.cfa.edges.iter().enumerate().map(|(number, (id, _))| (id, number)).collect();
        for step in &run.steps {
            let number = *numbers.get(&step.edge)?;
            let mut values = Vec::new();
            for (variable, binding) in &self.bindings[number] {
                let value = match binding {
                    Binding::State(place) => state.get(place).cloned(),
                    Binding::Input(input) => {
                        step.inputs.iter().find(|(id, _)| id == input).map(|(_, v)| v.clone())
                    }
                };
                values.extend(value.map(|value| (*variable, value)));
            }
            let clause = &self.system.clauses[number];
            let premises =
                if clause.body.is_empty() { vec![] } else { vec![steps.len().checked_sub(1)?] };
            let command = &self.cfa.edges[step.edge].command;
            state = outcomes(pool, command, &state, &step.inputs).into_iter().next()?;
            steps.push(Step { clause: number, values, premises });
        }
        Some(Refutation { steps })
    }
}
