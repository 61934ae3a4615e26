//! Automata are damaged, one rule at a time, and the damage is noticed.

use la_arena::{Idx, RawIdx};
use program::cfa::{Context, Edge, EdgeId, Input, Location, LocationId, Origin};
use program::place::Place;
use program::program::{Cause, Reading};
use program::wellformed::{Defect, End};
use program::{Cfa, Command, Property};
use term::{Pool, Sort, Term};

const BYTE: Sort = Sort::BitVec(8);

fn nowhere<T>() -> Idx<T> {
    Idx::from_raw(RawIdx::from(1_000))
}

struct Case {
    pool: Pool,
    cfa: Cfa,
    x: Term,
    locations: Vec<LocationId>,
    /// From the initial location, and to the error.
    edges: Vec<EdgeId>,
}

/// `x := any; x := x + 1`, in one edge, and an edge to the error where x is zero.
fn case() -> Case {
    let pool = Pool::new();
    let mut cfa = Cfa::default();
    let x = pool.var("x", BYTE);
    let context = cfa.contexts.alloc(Context::default());
    let origin = Origin {
        sort: BYTE,
        variable: None,
        context: Some(context),
        name: "x".into(),
        reading: Reading::Unsigned,
    };
    cfa.variables.insert(x, origin);
    let locations: Vec<LocationId> =
        (0..3).map(|_| cfa.locations.alloc(Location::default())).collect();
    (cfa.initial, cfa.error) = (Some(locations[0]), Some(locations[2]));
    let input = Input { instruction: None, cause: Cause::Uninitialized, sort: BYTE };
    let input = cfa.inputs.alloc(input);
    let more = pool.bv_add(x, pool.bv(1, 8));
    let zero = pool.eq(x, pool.bv(0, 8));
    let command = Command::Sequence(vec![
        Command::Havoc(x, input),
        Command::Choice(vec![Command::Assign(x, more), Command::skip()]),
    ]);
    let place = Place::default();
    let mut edge = |from: usize, to: usize, command: Command, violates| {
        let (from, to, place) = (locations[from], locations[to], place.clone());
        cfa.edges.alloc(Edge { from, to, command, place, violates })
    };
    let first = edge(0, 1, command, None);
    let last = edge(1, 2, Command::Assume(zero), Some(Property::Assert));
    Case { pool, cfa, x, locations, edges: vec![first, last] }
}

fn found(case: &Case) -> Defect {
    case.cfa.wellformed(&case.pool).expect_err("the automaton is damaged")
}

#[test]
fn a_sound_automaton_passes() {
    let case = case();
    assert_eq!(case.cfa.wellformed(&case.pool), Ok(()));
    assert_eq!(Cfa::default().wellformed(&case.pool), Ok(()));
}

#[test]
fn locations_exist() {
    let mut damaged = case();
    damaged.cfa.initial = Some(nowhere());
    assert_eq!(found(&damaged), Defect::NoSuchLocation(nowhere()));
    for end in [End::From, End::To] {
        let mut damaged = case();
        let edge = damaged.edges[0];
        match end {
            End::From => damaged.cfa.edges[edge].from = nowhere(),
            End::To => damaged.cfa.edges[edge].to = nowhere(),
        }
        assert_eq!(found(&damaged), Defect::NoSuchEnd { edge, end });
    }
}

#[test]
fn the_error_location_is_the_end_and_edges_there_say_why() {
    let mut damaged = case();
    let (first, last) = (damaged.edges[0], damaged.edges[1]);
    damaged.cfa.edges[first].from = damaged.locations[2];
    assert_eq!(found(&damaged), Defect::LeavesError(first));
    let mut damaged = case();
    damaged.cfa.edges[last].violates = None;
    assert_eq!(found(&damaged), Defect::ViolatesNothing(last));
    let mut damaged = case();
    damaged.cfa.edges[first].violates = Some(Property::Reach);
    assert_eq!(found(&damaged), Defect::ViolatesElsewhere(first));
}

#[test]
fn variables_are_declared_with_their_sorts() {
    let mut damaged = case();
    let x = damaged.x;
    damaged.cfa.variables.get_mut(&x).expect("declared").sort = Sort::Bool;
    assert_eq!(found(&damaged), Defect::Declaration { variable: x, sort: Sort::Bool });
    let mut damaged = case();
    let origin = damaged.cfa.variables[&x].clone();
    let one = damaged.pool.bv(1, 8);
    damaged.cfa.variables.insert(one, origin);
    assert_eq!(found(&damaged), Defect::Declaration { variable: one, sort: BYTE });
    let mut damaged = case();
    damaged.cfa.variables.clear();
    let edge = damaged.edges[0];
    assert_eq!(found(&damaged), Defect::Undeclared { edge, variable: x });
    // Deep in a term, and inside a choice.
    let mut damaged = case();
    let y = damaged.pool.var("y", BYTE);
    let sum = damaged.pool.bv_mul(damaged.pool.bv_add(y, x), x);
    let assign = Command::Choice(vec![Command::skip(), Command::Assign(x, sum)]);
    damaged.cfa.edges[edge].command = assign;
    assert_eq!(found(&damaged), Defect::Undeclared { edge, variable: y });
}

#[test]
fn terms_are_of_the_pool() {
    let mut damaged = case();
    let other = Pool::new();
    let mut term = other.var("x", Sort::Bool);
    while term.index() < damaged.pool.len() {
        term = other.fresh_var("x", Sort::Bool);
    }
    let edge = damaged.edges[1];
    damaged.cfa.edges[edge].command = Command::Assume(term);
    assert_eq!(found(&damaged), Defect::Foreign { edge, term });
}

#[test]
fn commands_fit_their_sorts() {
    let mut damaged = case();
    let (x, first, last) = (damaged.x, damaged.edges[0], damaged.edges[1]);
    damaged.cfa.edges[last].command = Command::Assume(x);
    assert_eq!(found(&damaged), Defect::Guard { edge: last, term: x });
    let mut damaged = case();
    let wide = damaged.pool.bv_zero_extend(x, 8);
    damaged.cfa.edges[first].command = Command::Assign(x, wide);
    assert_eq!(found(&damaged), Defect::Assignment { edge: first, variable: x });
}

#[test]
fn inputs_and_chains_of_calls_exist() {
    let mut damaged = case();
    let (x, edge) = (damaged.x, damaged.edges[0]);
    damaged.cfa.edges[edge].command = Command::Havoc(x, nowhere());
    assert_eq!(found(&damaged), Defect::NoSuchInput { edge, input: nowhere() });
    let mut damaged = case();
    let input = Input { instruction: None, cause: Cause::Uninitialized, sort: Sort::Bool };
    let input = damaged.cfa.inputs.alloc(input);
    damaged.cfa.edges[edge].command = Command::Havoc(x, input);
    assert_eq!(found(&damaged), Defect::Input { edge, input });
    let mut damaged = case();
    let location = damaged.locations[0];
    damaged.cfa.locations[location].context = Some(nowhere());
    assert_eq!(found(&damaged), Defect::NoSuchContext(nowhere()));
}
