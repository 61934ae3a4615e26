//! A control-flow automaton as linear clauses.

use crate::system::{Application, Clause, NOWHERE, Predicate, System};
use la_arena::ArenaMap;
use program::Cfa;
use program::cfa::LocationId;
use program::minimize::live_variables;
use program::symbolic::{State, execute};
use std::collections::HashMap;
use term::smtlib::Place;
use term::traverse::Substitution;
use term::{Pool, Term};

/// The clauses of an automaton. Its variables are those of the clauses.
pub fn of_automaton(pool: &Pool, cfa: &Cfa) -> System {
    let live = live_variables(pool, cfa);
    let mut system = System::default();
    let mut numbers: ArenaMap<LocationId, usize> = ArenaMap::default();
    for (location, what) in cfa.locations.iter() {
        if Some(location) == cfa.error {
            continue;
        }
        numbers.insert(location, system.predicates.len());
        let number = location.into_raw().into_u32();
        let name = match what.place.is_known() {
            true => format!("L{number} {}:{}", what.place.line, what.place.column),
            false => format!("L{number}"),
        };
        let sorts = live[location].iter().map(|v| pool.sort(*v));
        system.predicates.push(Predicate::new(pool, &name, sorts));
    }
    let at = |location: LocationId, value: &dyn Fn(Term) -> Term| Application {
        predicate: numbers[location],
        arguments: live[location].iter().map(|v| value(*v)).collect(),
    };
    if let Some(initial) = cfa.initial.filter(|initial| Some(*initial) != cfa.error) {
        let head = Some(at(initial, &|v| v));
        let constraint = pool.tru();
        system.clauses.push(Clause { body: Vec::new(), constraint, head, place: NOWHERE });
    }
    for edge in cfa.edges.values() {
        let mut state = State::new();
        let executed = execute(pool, &edge.command, &mut state);
        let head = (Some(edge.to) != cfa.error).then(|| at(edge.to, &|v| state.get(v)));
        let place = source_place(&edge.place);
        let body = vec![at(edge.from, &|v| v)];
        system.clauses.push(Clause { body, constraint: executed.guard, head, place });
    }
    system.clauses.iter_mut().for_each(|clause| *clause = apart(pool, clause));
    system
}

/// A place of the source as one of clauses.
pub(super) fn source_place(place: &program::Place) -> Place {
    Place { line: place.line as usize, column: place.column as usize }
}

/// The clause with short names of its own for variables.
pub(super) fn apart(pool: &Pool, clause: &Clause) -> Clause {
    let mut names: HashMap<String, usize> = HashMap::new();
    let fresh = |variable: &Term| {
        let name = pool.var_name(*variable).unwrap_or("v");
        let name = name.split('!').next().unwrap_or(name);
        *names.entry(name.to_owned()).or_default() += 1;
        (*variable, pool.fresh_var(name, pool.sort(*variable)))
    };
    let renaming: Vec<(Term, Term)> = clause.variables(pool).iter().map(fresh).collect();
    clause.substituted(pool, &mut Substitution::new(renaming))
}
