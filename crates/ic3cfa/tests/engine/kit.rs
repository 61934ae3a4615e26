//! What the tests are made of: building automata, exploring them state by state, and checking
//! verdicts against that.

use program::cfa::{Cfa, Command, Edge, EdgeId, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::program::{Cause, Reading};
use program::verdict::{Proof, Verdict};
use program::{Place, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::Duration;
use term::{Pool, Sort, Term, Value, evaluate};

/// An automaton under construction.
#[derive(Default)]
pub struct Builder {
    pub pool: Pool,
    pub cfa: Cfa,
}

impl Builder {
    pub fn location(&mut self) -> LocationId {
        self.cfa.locations.alloc(Location::default())
    }

    pub fn variable(&mut self, name: &str, sort: Sort) -> Term {
        let variable = self.pool.var(name, sort);
        let origin = Origin {
            sort,
            variable: None,
            context: None,
            name: name.into(),
            reading: Reading::Unsigned,
        };
        self.cfa.variables.insert(variable, origin);
        variable
    }

    pub fn havoc(&mut self, variable: Term) -> Command {
        let sort = self.pool.sort(variable);
        let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
        Command::Havoc(variable, self.cfa.inputs.alloc(input))
    }

    pub fn edge(&mut self, from: LocationId, commands: Vec<Command>, to: LocationId) -> EdgeId {
        let violates = (Some(to) == self.cfa.error).then_some(Property::Reach);
        let command = Command::Sequence(commands);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates })
    }

    pub fn check(&self, options: &ic3cfa::Options) -> Verdict {
        self.check_watched(options, &mut ())
    }

    pub fn check_watched(
        &self,
        options: &ic3cfa::Options,
        observer: &mut dyn ic3cfa::Observer,
    ) -> Verdict {
        let allowance = smt::Allowance::default().within(Duration::from_secs(60));
        ic3cfa::check(&self.pool, &self.cfa, options, &smt::Standard, &allowance, observer)
    }
}

/// A state with an order, so that sets of states do not depend on hashing.
pub type State = BTreeMap<Term, Value>;

/// All states over the automaton's variables.
pub fn all_states(pool: &Pool, cfa: &Cfa) -> Vec<State> {
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let mut states = vec![State::new()];
    for variable in variables {
        let values: Vec<Value> = term::value::all_values(pool.sort(variable)).collect();
        let with = |state: &State| {
            let mut copies = Vec::new();
            for value in &values {
                let mut copy = state.clone();
                copy.insert(variable, value.clone());
                copies.push(copy);
            }
            copies
        };
        states = states.iter().flat_map(with).collect();
    }
    states
}

fn values(state: &State) -> Values {
    state.iter().map(|(k, v)| (*k, v.clone())).collect()
}

/// The states that a command leads to, for any inputs.
pub fn successors(pool: &Pool, command: &Command, state: &State) -> FxHashSet<State> {
    match command {
        Command::Assume(guard) => {
            let holds = evaluate(pool, *guard, &values(state)) == Ok(Value::Bool(true));
            if holds { FxHashSet::from_iter([state.clone()]) } else { FxHashSet::default() }
        }
        Command::Assign(variable, term) => {
            let value = evaluate(pool, *term, &values(state)).expect("no quantifiers");
            let mut next = state.clone();
            next.insert(*variable, value);
            FxHashSet::from_iter([next])
        }
        Command::Havoc(variable, _) => {
            let with = |value: Value| {
                let mut next = state.clone();
                next.insert(*variable, value);
                next
            };
            term::value::all_values(pool.sort(*variable)).map(with).collect()
        }
        Command::Sequence(commands) => {
            let mut states = FxHashSet::from_iter([state.clone()]);
            for command in commands {
                states = states.iter().flat_map(|s| successors(pool, command, s)).collect();
            }
            states
        }
        Command::Choice(commands) => {
            commands.iter().flat_map(|c| successors(pool, c, state)).collect()
        }
    }
}

/// Whether the error location is reachable, by visiting every reachable state.
pub fn is_unsafe(pool: &Pool, cfa: &Cfa) -> bool {
    let mut leaving: FxHashMap<LocationId, Vec<&Edge>> = FxHashMap::default();
    for (_, edge) in cfa.edges.iter() {
        leaving.entry(edge.from).or_default().push(edge);
    }
    let initial = cfa.initial.expect("an initial location");
    let mut pending: Vec<(LocationId, State)> =
        all_states(pool, cfa).into_iter().map(|s| (initial, s)).collect();
    let mut seen: FxHashSet<(LocationId, State)> = pending.iter().cloned().collect();
    while let Some((location, state)) = pending.pop() {
        if Some(location) == cfa.error {
            return true;
        }
        for edge in leaving.get(&location).into_iter().flatten() {
            for next in successors(pool, &edge.command, &state) {
                if seen.insert((edge.to, next.clone())) {
                    pending.push((edge.to, next));
                }
            }
        }
    }
    false
}

/// Checks the evidence of a verdict by enumeration. Returns whether it is safe; `None` if unknown.
pub fn examine(pool: &Pool, cfa: &Cfa, verdict: &Verdict) -> Option<bool> {
    match verdict {
        Verdict::Unknown(_) => None,
        Verdict::Unsafe(run) => {
            // The run does not tell where it starts: some state must do.
            let starts = all_states(pool, cfa);
            let executes = starts.iter().any(|s| follow(pool, cfa, run, &values(s)).is_ok());
            assert!(executes, "the run executes from no state: {run:?}");
            Some(false)
        }
        Verdict::Safe(Proof::Exhausted { .. } | Proof::KInductive { .. }) => {
            panic!("IC3 has invariants")
        }
        Verdict::Safe(Proof::Inductive(invariant)) => {
            let holds = |location: LocationId, state: &State| {
                let formulas = invariant.at.get(location).expect("every location has formulas");
                let values = values(state);
                formulas.iter().all(|f| evaluate(pool, *f, &values) == Ok(Value::Bool(true)))
            };
            let initial = cfa.initial.expect("an initial location");
            for state in all_states(pool, cfa) {
                assert!(holds(initial, &state), "initiation");
                assert!(!holds(cfa.error.expect("an error location"), &state), "safety");
                for (_, edge) in cfa.edges.iter() {
                    if holds(edge.from, &state) {
                        for next in successors(pool, &edge.command, &state) {
                            assert!(holds(edge.to, &next), "consecution of {edge:?}");
                        }
                    }
                }
            }
            Some(true)
        }
    }
}

/// All configurations that are tested.
pub fn configurations() -> Vec<(String, ic3cfa::Options)> {
    let preset = |c: char| (c.to_string(), ic3cfa::Options::preset(c).expect("a letter to Q"));
    let default = ic3cfa::Options::default();
    let mut all: Vec<(String, ic3cfa::Options)> = ('A'..='Q').map(preset).collect();
    all.push(("default".into(), default));
    // What is switched differently, from our own choice and from configurations of the thesis.
    let variants: [(Option<char>, &str); 21] = [
        (None, "case-split=off"),
        (None, "loop-premise=off"),
        (None, "seeds=off saturate=off"),
        (None, "seeds=off"),
        (None, "cached-answers=100"),
        (None, "rel-ind-alt=off"),
        (None, "semantic-termination=on"),
        (None, "may-obligations=on"),
        (None, "query-form=check"),
        (None, "query-form=check-and-filter"),
        (None, "non-critical-conflicts=0"),
        (None, "literal-search=binary"),
        (Some('B'), "literal-search=binary unsat-cores=off"),
        (Some('D'), "literal-search=binary cached-answers=0"),
        (Some('O'), "literal-search=binary unsat-cores=off"),
        (Some('A'), "semantic-termination=on"),
        (Some('E'), "semantic-termination=on obligation-order=random unsat-cores=off"),
        (Some('H'), "query-form=check"),
        (Some('O'), "interpolation=all-edges pre-cubes=off"),
        (Some('O'), "unsat-cores=off cached-answers=100"),
        (Some('O'), "extended-context=on propagate=on may-obligations=on"),
    ];
    for (letter, text) in variants {
        let mut options = letter.and_then(ic3cfa::Options::preset).unwrap_or(default);
        for assignment in text.split_whitespace() {
            options.assign(assignment).expect("an option");
        }
        all.push((format!("{} {text}", letter.unwrap_or('-')), options));
    }
    all
}
