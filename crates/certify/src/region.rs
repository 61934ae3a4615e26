//! Loop-free pieces of an automaton, executed symbolically.
//!
//! The checker has its own executor, so that a mistake in the one that engines use is found and
//! not repeated. It is plain: every choice is decided by a fresh Bool, nothing is clever.

use ::program::cfa::{Cfa, Command, EdgeId, LocationId};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use la_arena::ArenaMap;
use rustc_hash::{FxHashMap, FxHashSet};
use term::traverse::rewrite;
use term::{Pool, Sort, Term};

/// The values of the variables that were changed. Large programs have tens of thousands of them,
/// of which a step changes one; states therefore share what they have in common.
pub type State = OrdMap<Term, Term>;

/// An automaton cut at some locations.
pub struct Pieces<'a> {
    pool: &'a Pool,
    cfa: &'a Cfa,
    leaving: ArenaMap<LocationId, Vec<EdgeId>>,
    cuts: FxHashSet<LocationId>,
}

/// A way through a piece, or several merged ones: to a cut, with the condition and the state there.
pub struct Arrival {
    /// The cut.
    pub location: LocationId,
    /// Whether the run comes here.
    pub taken: Term,
    /// The state it comes with.
    pub state: State,
}

/// The ways from a location.
#[derive(Default)]
pub struct Ways {
    /// Those to the next cuts.
    pub ends: Vec<Arrival>,
    /// Those that come back to where they have been before they pass a cut: first rounds of cycles. A
    /// proof that has no invariant there has to show that there is no such run.
    pub rounds: Vec<Arrival>,
}

impl<'a> Pieces<'a> {
    /// The pieces between the given locations.
    pub fn new(pool: &'a Pool, cfa: &'a Cfa, cuts: FxHashSet<LocationId>) -> Self {
        Pieces { pool, cfa, leaving: cfa.leaving(), cuts }
    }

    /// The ways from a location with this state. `definitions` are formulas that
    /// give the Bools on the ways their meaning.
    pub fn follow(
        &self,
        start: LocationId,
        at: Term,
        state: State,
        definitions: &mut Vec<Term>,
    ) -> Ways {
        let mut incoming: FxHashMap<LocationId, Vec<Arrival>> = FxHashMap::default();
        let mut ways = Ways::default();
        // Locations from the start to before the next cuts, each after those that lead to it but by
        // cycles.
        let (order, _) = walk(self.cfa, &self.leaving, start, &self.cuts);
        let mut passed = FxHashSet::default();
        for location in order {
            passed.insert(location);
            let (at, state) = if location == start {
                (at, state.clone())
            } else {
                let arrivals = incoming.remove(&location).unwrap_or_default();
                if arrivals.is_empty() {
                    continue;
                }
                merge(self.pool, arrivals, definitions)
            };
            for &edge in &self.leaving[location] {
                let edge = &self.cfa.edges[edge];
                let mut state = state.clone();
                let mut taken = at;
                execute(self.pool, &edge.command, &mut state, &mut taken);
                if self.pool.as_bool(taken) == Some(false) {
                    continue;
                }
                let arrival = Arrival { location: edge.to, taken, state };
                if self.cuts.contains(&edge.to) {
                    ways.ends.push(arrival);
                } else if passed.contains(&edge.to) {
                    ways.rounds.push(arrival);
                } else {
                    incoming.entry(edge.to).or_default().push(arrival);
                }
            }
        }
        ways
    }
}

/// Locations that cut every cycle.
pub fn loop_cuts(cfa: &Cfa) -> FxHashSet<LocationId> {
    let cycles = |start| walk(cfa, &cfa.leaving(), start, &FxHashSet::default()).1;
    cfa.initial.into_iter().flat_map(cycles).collect()
}

/// A walk in depth that ends before some locations: the locations, each after those that lead to
/// it other than by cycles, and where the walk met its own path, which cuts every cycle.
fn walk(
    cfa: &Cfa,
    leaving: &ArenaMap<LocationId, Vec<EdgeId>>,
    start: LocationId,
    ends: &FxHashSet<LocationId>,
) -> (Vec<LocationId>, Vec<LocationId>) {
    let (mut order, mut cycles) = (Vec::new(), Vec::new());
    let (mut open, mut seen) = (FxHashSet::from_iter([start]), FxHashSet::from_iter([start]));
    let mut path = vec![(start, leaving[start].iter())];
    while let Some((here, edges)) = path.last_mut() {
        let Some(&edge) = edges.next() else {
            open.remove(here);
            order.push(*here);
            path.pop();
            continue;
        };
        let to = cfa.edges[edge].to;
        if ends.contains(&to) {
            continue;
        }
        if seen.insert(to) {
            open.insert(to);
            path.push((to, leaving[to].iter()));
        } else if open.contains(&to) {
            cycles.push(to);
        }
    }
    order.reverse();
    (order, cycles)
}

/// One condition and one state for all that arrive at a location.
pub fn merge(
    pool: &Pool,
    mut arrivals: Vec<Arrival>,
    definitions: &mut Vec<Term>,
) -> (Term, State) {
    let reached = pool.or(arrivals.iter().map(|arrival| arrival.taken));
    let last = arrivals.pop().expect("something arrives");
    if arrivals.is_empty() {
        return (last.taken, last.state);
    }
    // A run may be able to come several ways at once; a fresh Bool for each lets it come one way.
    let mut ways = Vec::new();
    let mut state = last.state;
    let mut others = pool.tru();
    for arrival in arrivals {
        let chosen = pool.fresh_var("way", Sort::Bool);
        let taken = pool.and([chosen, arrival.taken]);
        ways.push(taken);
        others = pool.and([others, pool.not(taken)]);
        decide(pool, taken, &arrival.state, &mut state);
    }
    ways.push(pool.and([others, last.taken]));
    let at = match pool.as_bool(reached) {
        Some(false) => reached,
        _ => pool.fresh_var("at", Sort::Bool),
    };
    definitions.push(pool.implies(at, pool.or(ways)));
    (at, state)
}

/// Makes `otherwise` the state that is `then` where the condition holds.
fn decide(pool: &Pool, condition: Term, then: &State, otherwise: &mut State) {
    let before = otherwise.clone();
    for difference in before.diff(then) {
        let (variable, was, will) = match difference {
            DiffItem::Add(variable, will) => (variable, variable, will),
            DiffItem::Update { old: (variable, was), new: (_, will) } => (variable, was, will),
            DiffItem::Remove(variable, was) => (variable, was, variable),
        };
        otherwise.insert(*variable, pool.ite(condition, *will, *was));
    }
}

/// Executes a command; `guard` is strengthened by what it assumes. Commands nest as deep as the
/// blocks of one edge.
fn execute(pool: &Pool, command: &Command, state: &mut State, guard: &mut Term) {
    let value = |state: &State, term: Term| {
        rewrite(pool, term, &mut FxHashMap::default(), |variable| state.get(&variable).copied())
    };
    match command {
        Command::Assume(formula) => *guard = pool.and([*guard, value(state, *formula)]),
        Command::Assign(variable, term) => {
            let value = value(state, *term);
            state.insert(*variable, value);
        }
        Command::Havoc(variable, _) => {
            state.insert(*variable, pool.fresh_var("any", pool.sort(*variable)));
        }
        Command::Sequence(commands) => {
            for command in commands {
                execute(pool, command, state, guard);
            }
        }
        Command::Choice(commands) => {
            let mut branches = commands.iter().map(|command| {
                let (mut state, mut taken) = (state.clone(), *guard);
                execute(pool, command, &mut state, &mut taken);
                (taken, state)
            });
            let Some((mut taken, mut merged)) = branches.next() else {
                *guard = pool.fls();
                return;
            };
            for (other, branch) in branches {
                let chosen = pool.fresh_var("branch", Sort::Bool);
                taken = pool.ite(chosen, other, taken);
                decide(pool, chosen, &branch, &mut merged);
            }
            *guard = taken;
            *state = merged;
        }
    }
}
