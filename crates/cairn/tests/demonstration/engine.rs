//! A demonstration engine: it visits every state, where these are few, and tells which there are.

use answer::{Reason, Unit};
use program::explicit::{State, search};
use program::verdict::{Invariant, Proof};
use program::{Cfa, Verdict};
use term::{Pool, Sort, Term};
use verify::Engine;
use verify::engines::{ProgramCall, Row, Takes};

/// Visits states.
pub struct Walker;

impl Engine for Walker {
    fn row(&self) -> &Row {
        &Row {
            name: "walker",
            about: "Visits every state, for demonstration",
            programs: true,
            circuits: false,
            proves: true,
            refutes: false,
            unit: Unit::Steps,
            grows: true,
            takes_lemmas: false,
            joins: true,
            takes: Takes::Automaton,
            looks: 1,
        }
    }

    fn program(&self, call: &ProgramCall<'_>) -> Verdict {
        walk(call.pool, call.cfa)
    }
}

/// The most states that are visited.
const STATES: usize = 5_000;

/// A proof that names all states; nothing where there are too many, or where one is at the error.
pub fn walk(pool: &Pool, cfa: &Cfa) -> Verdict {
    let variables: Vec<Term> = cfa.variables.keys().copied().collect();
    let small = |term: &Term| matches!(pool.sort(*term), Sort::Bool | Sort::BitVec(..=3));
    if variables.len() > 4 || !variables.iter().all(small) {
        return Verdict::Unknown(Reason::Unsupported { what: "there are many states".to_owned() });
    }
    let search = search(pool, cfa, &variables, STATES);
    if search.limited || search.error.is_some() {
        return Verdict::Unknown(Reason::NoEngine);
    }
    let formula = |state: &State| {
        let values = search.variables.iter().zip(state);
        pool.and(values.map(|(variable, value)| pool.eq(*variable, pool.constant(value.clone()))))
    };
    let at = cfa.locations.iter().map(|(location, _)| {
        let states = search.reached.get(&location).into_iter().flatten();
        (location, vec![pool.or(states.map(formula))])
    });
    Verdict::Safe(Proof::Inductive(Invariant { at: at.collect() }))
}
