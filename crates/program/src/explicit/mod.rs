//! Explicit-state search: the reference for everything that changes automata.
//!
//! Follows every run, one concrete state after the other. That ends only where sorts are tiny or
//! runs short, which is what tests are made of; everything else stops at the limit.
//!
//! Runs start with any values. So that searches stay small, the caller says which variables'
//! first values to try all of; the others start with zero.
//!
//! [`procedures`] does the same with a stack of open calls.

pub mod procedures;

use crate::cfa::{Cfa, Command, EdgeId, LocationId};
use rustc_hash::{FxHashMap, FxHashSet};
use term::eval::{default_value, evaluate};
use term::value::all_values;
use term::{Pool, Term, Value};

/// The values of the variables, in the order of [`Search::variables`].
pub type State = Vec<Value>;

/// What a search found.
#[derive(Clone, Debug)]
pub struct Search {
    /// The automaton's variables, sorted.
    pub variables: Vec<Term>,
    /// The states that were reached, by location.
    pub reached: FxHashMap<LocationId, FxHashSet<State>>,
    /// An edge into the error location, if it is reached.
    pub error: Option<EdgeId>,
    /// Whether the limit stopped the search.
    pub limited: bool,
}

/// Searches all states that a run reaches, until one is at the error location.
///
/// `open` are the variables whose first values are all tried.
///
/// # Panics
/// If a value of a sort with unbounded many is asked for.
pub fn search(pool: &Pool, cfa: &Cfa, open: &[Term], limit: usize) -> Search {
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let place = variables.iter().enumerate().map(|(n, v)| (*v, n)).collect();
    let mut leaving: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
    for (id, edge) in cfa.edges.iter() {
        leaving.entry(edge.from).or_default().push(id);
    }
    let machine = Machine { pool, place };
    let first: State = variables.iter().map(|v| default_value(pool, pool.sort(*v))).collect();
    let mut states = vec![first];
    for variable in open {
        let Some(&n) = machine.place.get(variable) else { continue };
        let values = all_values(pool.sort(*variable)).collect::<Vec<_>>();
        let with = |state: &State| {
            let state = state.clone();
            values.iter().map(move |value| replaced(&state, n, value.clone()))
        };
        states = states.iter().flat_map(with).collect::<Vec<_>>();
    }
    let mut search =
        Search { variables, reached: FxHashMap::default(), error: None, limited: false };
    let Some(initial) = cfa.initial else { return search };
    let mut pending: Vec<(LocationId, State)> =
        states.into_iter().map(|state| (initial, state)).collect();
    let mut count = 0;
    while let Some((location, state)) = pending.pop() {
        if !search.reached.entry(location).or_default().insert(state.clone()) {
            continue;
        }
        count += 1;
        if count > limit {
            search.limited = true;
            return search;
        }
        for &id in leaving.get(&location).map_or(&[][..], Vec::as_slice) {
            let edge = &cfa.edges[id];
            let successors = machine.execute(&edge.command, vec![state.clone()]);
            if Some(edge.to) == cfa.error && !successors.is_empty() {
                search.error = Some(id);
                return search;
            }
            pending.extend(successors.into_iter().map(|state| (edge.to, state)));
        }
    }
    search
}

fn replaced(state: &State, n: usize, value: Value) -> State {
    let mut state = state.clone();
    state[n] = value;
    state
}

/// All states that a command leads to from a state over the variables in this order.
pub fn successors(pool: &Pool, variables: &[Term], command: &Command, state: &State) -> Vec<State> {
    let place = variables.iter().enumerate().map(|(n, v)| (*v, n)).collect();
    Machine { pool, place }.execute(command, vec![state.clone()])
}

/// Whether a formula holds in a state over the variables in this order.
pub fn holds(pool: &Pool, variables: &[Term], formula: Term, state: &State) -> bool {
    let place = variables.iter().enumerate().map(|(n, v)| (*v, n)).collect();
    Machine { pool, place }.value(formula, state) == Value::Bool(true)
}

struct Machine<'a> {
    pool: &'a Pool,
    place: FxHashMap<Term, usize>,
}

impl Machine<'_> {
    fn value(&self, term: Term, state: &State) -> Value {
        let vars = term::traverse::free_vars(self.pool, &[term]);
        let values = vars.iter().filter_map(|v| Some((*v, state[*self.place.get(v)?].clone())));
        let values: FxHashMap<Term, Value> = values.collect();
        evaluate(self.pool, term, &values).expect("edges carry no quantifiers")
    }

    /// All states after the command; commands nest as deep as the tests make them.
    fn execute(&self, command: &Command, states: Vec<State>) -> Vec<State> {
        match command {
            Command::Assume(formula) => states
                .into_iter()
                .filter(|state| self.value(*formula, state) == Value::Bool(true))
                .collect(),
            Command::Assign(variable, term) => {
                let n = self.place[variable];
                let assigned = |state: State| {
                    let value = self.value(*term, &state);
                    replaced(&state, n, value)
                };
                states.into_iter().map(assigned).collect()
            }
            Command::Havoc(variable, _) => {
                let n = self.place[variable];
                let sort = self.pool.sort(*variable);
                // Of a sort with too many values, one stands for all.
                let values: Vec<Value> = match sort.cardinality() {
                    Some(count) if count <= 1 << 10 => all_values(sort).collect(),
                    _ => vec![default_value(self.pool, sort)],
                };
                let with = |state: State| {
                    values
                        .iter()
                        .map(|value| replaced(&state, n, value.clone()))
                        .collect::<Vec<_>>()
                };
                states.into_iter().flat_map(with).collect()
            }
            Command::Sequence(commands) => {
                commands.iter().fold(states, |states, command| self.execute(command, states))
            }
            Command::Choice(commands) => {
                commands.iter().flat_map(|command| self.execute(command, states.clone())).collect()
            }
        }
    }
}
