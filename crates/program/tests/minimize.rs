//! Minimization on random small automata: the answer stays the same, and invariants of the smaller
//! automaton become inductive invariants of the original.

use la_arena::ArenaMap;
use passes::Back;
use program::cfa::{Edge, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::explicit::{self, State, search};
use program::minimize::{Minimized, Options, Pass, minimize};
use program::place::Place;
use program::program::{Cause, Reading};
use program::verdict::Step;
use program::{Cfa, Command, Invariant, Property, Run, blocks};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use term::value::all_values;
use term::{Pool, Sort, Term, Value};

const PAIR: Sort = Sort::BitVec(2);

struct Generator {
    random: StdRng,
    pool: Pool,
    cfa: Cfa,
    numbers: Vec<Term>,
    flag: Term,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let pool = Pool::new();
        let mut cfa = Cfa::default();
        let numbers: Vec<Term> = ["x", "y", "z"].iter().map(|name| pool.var(name, PAIR)).collect();
        let flag = pool.var("b", Sort::Bool);
        for &variable in numbers.iter().chain([&flag]) {
            let name = pool.var_name(variable).unwrap_or_default().into();
            let (sort, reading) = (pool.sort(variable), Reading::Unsigned);
            let origin = Origin { sort, variable: None, context: None, name, reading };
            cfa.variables.insert(variable, origin);
        }
        Generator { random: StdRng::seed_from_u64(seed), pool, cfa, numbers, flag }
    }

    fn number(&mut self) -> Term {
        let variable = self.numbers[self.random.random_range(0..3)];
        let constant = self.pool.bv(self.random.random_range(0..4), 2);
        match self.random.random_range(0..5) {
            0 => variable,
            1 | 2 => constant,
            3 => self.pool.bv_add(variable, constant),
            _ => {
                let other = self.numbers[self.random.random_range(0..3)];
                self.pool.bv_xor(variable, other)
            }
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.number(), self.number());
        match self.random.random_range(0..4) {
            0 => self.flag,
            1 => self.pool.ne(a, b),
            2 => self.pool.bv_ult(a, b),
            _ => self.pool.eq(a, b),
        }
    }

    fn command(&mut self, depth: u32) -> Command {
        match self.random.random_range(0..if depth > 0 { 8 } else { 6 }) {
            0 | 1 => Command::Assume(self.formula()),
            2 | 3 => {
                let variable = self.numbers[self.random.random_range(0..3)];
                Command::Assign(variable, self.number())
            }
            4 => Command::Assign(self.flag, self.formula()),
            5 => {
                let input = Input { instruction: None, cause: Cause::Uninitialized, sort: PAIR };
                let input = self.cfa.inputs.alloc(input);
                Command::Havoc(self.numbers[self.random.random_range(0..3)], input)
            }
            6 => Command::Sequence(self.commands(depth - 1)),
            _ => Command::Choice(self.commands(depth - 1)),
        }
    }

    fn commands(&mut self, depth: u32) -> Vec<Command> {
        (0..self.random.random_range(0..4)).map(|_| self.command(depth)).collect()
    }

    fn generate(mut self) -> (Pool, Cfa) {
        let count = self.random.random_range(3..10);
        let locations: Vec<LocationId> =
            (0..count).map(|_| self.cfa.locations.alloc(Location::default())).collect();
        self.cfa.initial = Some(locations[0]);
        self.cfa.error = Some(locations[1]);
        for _ in 0..self.random.random_range(count..2 * count + 2) {
            let from = locations[self.random.random_range(0..count)];
            let to = locations[self.random.random_range(0..count)];
            if Some(from) == self.cfa.error {
                continue;
            }
            let command = self.command(2);
            let violates = (Some(to) == self.cfa.error).then_some(Property::Assert);
            self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
        }
        if self.random.random_bool(0.5) {
            self.start_with_constants();
        }
        if self.random.random_bool(0.5) {
            self.double(locations[self.random.clone().random_range(2..count)]);
        }
        (self.pool, self.cfa)
    }

    /// A new initial location with one edge, which gives some variables constants.
    fn start_with_constants(&mut self) {
        let from = self.cfa.locations.alloc(Location::default());
        let to = self.cfa.initial.replace(from).expect("it has one");
        let mut commands = vec![Command::Assign(self.flag, self.pool.tru())];
        for k in 0..self.random.random_range(1..4) {
            let constant = self.pool.bv(self.random.random_range(0..4), 2);
            commands.push(Command::Assign(self.numbers[k], constant));
        }
        let command = Command::Sequence(commands);
        let violates = None;
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
    }

    /// A second location with the edges of another, and half of the edges to it.
    fn double(&mut self, location: LocationId) {
        let twin = self.cfa.locations.alloc(Location::default());
        let edges: Vec<_> = self.cfa.edges.iter().map(|(id, edge)| (id, edge.clone())).collect();
        for (id, mut edge) in edges {
            if edge.from == location {
                edge.from = twin;
                self.cfa.edges.alloc(edge);
            } else if edge.to == location && self.random.random_bool(0.5) {
                self.cfa.edges[id].to = twin;
            }
        }
    }
}

fn unsafe_(pool: &Pool, cfa: &Cfa) -> bool {
    let open: Vec<Term> = cfa.variables.keys().copied().collect();
    let search = search(pool, cfa, &open, usize::MAX);
    search.error.is_some()
}

/// The states that are reached, as an invariant.
fn reached(pool: &Pool, cfa: &Cfa) -> Invariant {
    let open: Vec<Term> = cfa.variables.keys().copied().collect();
    let search = search(pool, cfa, &open, usize::MAX);
    let mut invariant = Invariant::default();
    for (location, _) in cfa.locations.iter() {
        let states = search.reached.get(&location).into_iter().flatten();
        let state = |state: &State| {
            let values = search.variables.iter().zip(state);
            pool.and(values.map(|(v, value)| pool.eq(*v, pool.constant(value.clone()))))
        };
        let formula = pool.or(states.map(state));
        invariant.at.insert(location, vec![formula]);
    }
    invariant
}

/// All states over some variables.
fn all_states(pool: &Pool, variables: &[Term]) -> Vec<State> {
    let mut states: Vec<State> = vec![Vec::new()];
    for variable in variables {
        let values: Vec<Value> = all_values(pool.sort(*variable)).collect();
        let longer = |state: State| {
            let values = values.clone();
            values.into_iter().map(move |value| {
                let mut state = state.clone();
                state.push(value);
                state
            })
        };
        states = states.into_iter().flat_map(longer).collect();
    }
    states
}

/// Whether an invariant is inductive, by trying all states.
fn inductive(pool: &Pool, cfa: &Cfa, invariant: &Invariant) -> Result<(), String> {
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let states = all_states(pool, &variables);
    let mut holding: ArenaMap<LocationId, FxHashMap<State, bool>> = ArenaMap::default();
    for (location, formulas) in invariant.at.iter() {
        let formula = pool.and(formulas.iter().copied());
        let table = states
            .iter()
            .map(|state| (state.clone(), explicit::holds(pool, &variables, formula, state)));
        holding.insert(location, table.collect());
    }
    let initial = cfa.initial.expect("it has one");
    if holding.get(initial).is_some_and(|table| table.values().any(|holds| !holds)) {
        return Err("the initial location excludes a state".to_owned());
    }
    let mut starts: Vec<(LocationId, State)> =
        states.iter().map(|state| (initial, state.clone())).collect();
    for (location, table) in holding.iter() {
        let there = table.iter().filter(|(_, holds)| **holds);
        starts.extend(there.map(|(state, _)| (location, state.clone())));
    }
    for (location, state) in starts {
        let mut pending = vec![(location, state, 0)];
        while let Some((location, state, length)) = pending.pop() {
            if length > cfa.locations.len() {
                return Err(format!("a cycle without a formula through {location:?}"));
            }
            for edge in cfa.edges.values().filter(|edge| edge.from == location) {
                for next in explicit::successors(pool, &variables, &edge.command, &state) {
                    if Some(edge.to) == cfa.error {
                        return Err(format!("the error is reached from {location:?}"));
                    }
                    match holding.get(edge.to) {
                        Some(table) if table[&next] => {}
                        Some(_) => {
                            let (from, to) = (location, edge.to);
                            return Err(format!("not preserved from {from:?} to {to:?}"));
                        }
                        None => pending.push((edge.to, next, length + 1)),
                    }
                }
            }
        }
    }
    Ok(())
}

fn check(seed: u64, options: &Options, counts: &mut (usize, usize)) {
    let (pool, cfa) = Generator::new(seed).generate();
    check_one(&pool, &cfa, &format!("seed {seed}"), options, counts);
}

fn check_one(pool: &Pool, cfa: &Cfa, name: &str, options: &Options, counts: &mut (usize, usize)) {
    assert_eq!(cfa.wellformed(pool), Ok(()), "{name}");
    let expected = unsafe_(pool, cfa);
    let minimized: Minimized = minimize(pool, cfa, options);
    assert_eq!(unsafe_(pool, &minimized.cfa), expected, "{name}, {:?}", options.passes);
    if expected {
        counts.1 += 1;
        return;
    }
    counts.0 += 1;
    let invariant = reached(pool, &minimized.cfa);
    inductive(pool, &minimized.cfa, &invariant).expect("the reached states are inductive");
    let lifted = minimized.back(pool, cfa).invariant(invariant).expect("there is a way back");
    if let Err(why) = inductive(pool, cfa, &lifted) {
        panic!("{name}, {:?}: {why}", options.passes);
    }
}

#[test]
fn each_pass_alone_keeps_the_answer() {
    for pass in Pass::ALL {
        let mut counts = (0, 0);
        let options = Options { passes: [pass].into(), ..Options::default() };
        for seed in 0..40 {
            check(seed, &options, &mut counts);
        }
        assert!(counts.0 > 5 && counts.1 > 5, "{counts:?}");
    }
}

#[test]
fn all_passes_together_keep_the_answer() {
    let mut counts = (0, 0);
    for seed in 1_000..1_070 {
        check(seed, &Options::default(), &mut counts);
    }
    assert!(counts.0 > 15 && counts.1 > 15, "{counts:?}");
}

#[test]
fn all_but_one_pass_keep_the_answer() {
    for pass in Pass::ALL {
        let mut options = Options::default();
        options.passes.remove(&pass);
        options.blocks = blocks::Options { size: 25 };
        for seed in 2_000..2_012 {
            check(seed, &options, &mut (0, 0));
        }
    }
}

/// An automaton with these edges between locations by number: the first is initial, the second
/// the error.
fn automaton(generator: &mut Generator, edges: &[(usize, usize, Vec<Command>)]) -> Cfa {
    let count = edges.iter().map(|(from, to, _)| from.max(to) + 1).max().unwrap_or(2);
    let cfa = &mut generator.cfa;
    let locations: Vec<LocationId> =
        (0..count).map(|_| cfa.locations.alloc(Location::default())).collect();
    (cfa.initial, cfa.error) = (Some(locations[0]), Some(locations[1]));
    for (from, to, commands) in edges {
        let (from, to) = (locations[*from], locations[*to]);
        let command = Command::Sequence(commands.clone());
        let violates = (Some(to) == cfa.error).then_some(Property::Assert);
        cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
    }
    cfa.clone()
}

/// `y := y + 1`
fn increment(generator: &Generator) -> Command {
    let y = generator.numbers[1];
    Command::Assign(y, generator.pool.bv_add(y, generator.pool.bv(1, 2)))
}

#[test]
fn constants_that_were_used_come_back_as_facts() {
    let mut generator = Generator::new(0);
    let (x, one) = (generator.numbers[0], generator.pool.bv(1, 2));
    let equal = generator.pool.eq(x, one);
    let other = generator.pool.not(equal);
    let edges = [
        (0, 2, vec![Command::Assign(x, one)]),
        (2, 2, vec![increment(&generator)]),
        (2, 1, vec![Command::Assume(other)]),
    ];
    let cfa = automaton(&mut generator, &edges);
    let minimized = minimize(&generator.pool, &cfa, &Options::default());
    assert_eq!(minimized.cfa.edges.len(), 0);
    check_one(&generator.pool, &cfa, "facts", &Options::default(), &mut (0, 0));
}

#[test]
fn code_that_constants_exclude_comes_back_as_false() {
    let mut generator = Generator::new(0);
    let (x, z, pool) = (generator.numbers[0], generator.numbers[2], &generator.pool);
    let (one, two) = (pool.bv(1, 2), pool.bv(2, 2));
    let (is_two, z_is_two) = (pool.eq(x, two), pool.eq(z, two));
    let edges = [
        (0, 2, vec![Command::Assign(x, one), Command::Assign(z, one)]),
        (2, 3, vec![Command::Assume(is_two)]),
        (3, 3, vec![increment(&generator)]),
        (3, 1, vec![]),
        (2, 2, vec![increment(&generator)]),
        (2, 1, vec![Command::Assume(z_is_two)]),
    ];
    let cfa = automaton(&mut generator, &edges);
    check_one(&generator.pool, &cfa, "false", &Options::default(), &mut (0, 0));
}

#[test]
fn twins_share_their_invariant() {
    let mut generator = Generator::new(0);
    let (y, flag, pool) = (generator.numbers[1], generator.flag, &generator.pool);
    let (zero, two, three) = (pool.bv(0, 2), pool.bv(2, 2), pool.bv(3, 2));
    let (below, is_three) = (pool.bv_ult(y, two), pool.eq(y, three));
    let start = |condition| vec![Command::Assume(condition), Command::Assign(y, zero)];
    let round = vec![Command::Assume(below), increment(&generator)];
    let edges = [
        (0, 2, start(flag)),
        (0, 3, start(pool.not(flag))),
        (2, 2, round.clone()),
        (3, 3, round),
        (2, 1, vec![Command::Assume(is_three)]),
        (3, 1, vec![Command::Assume(is_three)]),
    ];
    let cfa = automaton(&mut generator, &edges);
    let minimized = minimize(&generator.pool, &cfa, &Options::default());
    assert_eq!(minimized.cfa.locations.len(), 3);
    check_one(&generator.pool, &cfa, "twins", &Options::default(), &mut (0, 0));
}

/// Two chains that do the same for a while, from where a flag decides between them, and end with
/// these assumptions before the error.
fn chains(generator: &mut Generator, length: usize, ends: [Term; 2]) -> Cfa {
    let (y, flag, pool) = (generator.numbers[1], generator.flag, &generator.pool);
    let start = |condition| vec![Command::Assume(condition), Command::Assign(y, pool.bv(0, 2))];
    let mut edges = vec![(0, 2, start(flag)), (0, 3, start(pool.not(flag)))];
    for n in 0..length {
        for chain in 0..2 {
            edges.push((2 + 2 * n + chain, 4 + 2 * n + chain, vec![increment(generator)]));
        }
    }
    for (chain, end) in ends.into_iter().enumerate() {
        edges.push((2 + 2 * length + chain, 1, vec![Command::Assume(end)]));
    }
    automaton(generator, &edges)
}

#[test]
fn locations_whose_futures_part_late_stay_apart() {
    let options = Options { passes: [Pass::Bisimulation].into(), ..Options::default() };
    for length in 0..7 {
        for order in [false, true] {
            let mut generator = Generator::new(0);
            let y = generator.numbers[1];
            // One chain's end is met, the other's is not.
            let met = generator.pool.eq(y, generator.pool.bv(length as u64 % 4, 2));
            let mut ends = [met, generator.pool.not(met)];
            if order {
                ends.reverse();
            }
            let cfa = chains(&mut generator, length, ends);
            let minimized = minimize(&generator.pool, &cfa, &options);
            assert_eq!(minimized.cfa.locations.len(), cfa.locations.len(), "length {length}");
            assert!(unsafe_(&generator.pool, &minimized.cfa), "length {length}, {order}");
            // With the same end they are one chain.
            let mut generator = Generator::new(0);
            let flag = generator.flag;
            let cfa = chains(&mut generator, length, [flag; 2]);
            let minimized = minimize(&generator.pool, &cfa, &options);
            assert_eq!(minimized.cfa.locations.len(), 3 + length, "length {length}");
        }
    }
}

#[test]
fn locations_that_violate_different_properties_stay_apart() {
    let mut generator = Generator::new(0);
    let (flag, other) = (generator.flag, generator.pool.not(generator.flag));
    let choice = |term| vec![Command::Assume(term)];
    let edges = [(0, 2, choice(flag)), (0, 3, choice(other)), (2, 1, vec![]), (3, 1, vec![])];
    let mut cfa = automaton(&mut generator, &edges);
    let ends = [None, None, Some(Property::Reach), Some(Property::Unwinding)];
    for ((_, edge), violates) in cfa.edges.iter_mut().zip(ends) {
        edge.violates = violates;
    }
    let options = Options { passes: [Pass::Bisimulation].into(), ..Options::default() };
    assert_eq!(minimize(&generator.pool, &cfa, &options).cfa.locations.len(), 4);
}

#[test]
fn the_initial_location_is_nobodys_twin() {
    let mut generator = Generator::new(0);
    let round = vec![increment(&generator)];
    let end = vec![Command::Assume(generator.flag)];
    let edges = [(0, 2, round.clone()), (2, 2, round), (0, 1, end.clone()), (2, 1, end)];
    let cfa = automaton(&mut generator, &edges);
    let options = Options { passes: [Pass::Bisimulation].into(), ..Options::default() };
    assert_eq!(minimize(&generator.pool, &cfa, &options).cfa.locations.len(), 3);
}

#[test]
fn a_run_comes_back_along_the_edges_of_the_original() {
    let mut generator = Generator::new(0);
    let (x, y) = (generator.numbers[0], generator.numbers[1]);
    let input = Input { instruction: None, cause: Cause::Uninitialized, sort: PAIR };
    let input = generator.cfa.inputs.alloc(input);
    let pool = generator.pool.clone();
    let three = pool.eq(x, pool.bv(3, 2));
    let more = pool.bv_add(x, pool.bv(1, 2));
    let edges = [
        (0, 2, vec![Command::Havoc(x, input)]),
        (2, 3, vec![Command::Assume(pool.not(three))]),
        (3, 2, vec![Command::Assign(x, more)]),
        (2, 4, vec![Command::Assume(three), Command::Assign(y, more)]),
        (4, 1, vec![Command::Assume(pool.eq(y, pool.bv(0, 2)))]),
    ];
    let cfa = automaton(&mut generator, &edges);
    let minimized = minimize(&pool, &cfa, &Options::default());
    assert!(minimized.cfa.edges.len() < cfa.edges.len());
    // Only the inputs of the run count: which edges of the smaller automaton it takes does not.
    let back = minimized.back(&pool, &cfa);
    for first in 0..4u64 {
        let (edge, _) = minimized.cfa.edges.iter().next().expect("it has an edge");
        let value = Value::Bits(value::Bits::from_u64(2, first));
        let run = Run { steps: vec![Step { edge, inputs: vec![(input, value)] }] };
        let lifted = back.run(run).expect("every first value leads to the error");
        assert_eq!(lifted.steps.len() as u64, 3 + 2 * (3 - first));
        assert!(follow(&pool, &cfa, &lifted, &Values::default()).is_ok(), "{lifted:?}");
    }
}

#[test]
fn a_run_that_does_not_reach_the_error_has_no_way_back() {
    let mut generator = Generator::new(0);
    let x = generator.numbers[0];
    let input = Input { instruction: None, cause: Cause::Uninitialized, sort: PAIR };
    let input = generator.cfa.inputs.alloc(input);
    let pool = generator.pool.clone();
    let three = pool.eq(x, pool.bv(3, 2));
    let edges = [(0, 2, vec![Command::Havoc(x, input)]), (2, 1, vec![Command::Assume(three)])];
    let cfa = automaton(&mut generator, &edges);
    let minimized = minimize(&pool, &cfa, &Options::default());
    let (edge, _) = minimized.cfa.edges.iter().next().expect("it has an edge");
    let inputs = |n| vec![(input, Value::Bits(value::Bits::from_u64(2, n)))];
    let run = |n| Run { steps: vec![Step { edge, inputs: inputs(n) }] };
    assert!(minimized.back(&pool, &cfa).run(run(3)).is_some());
    assert!(minimized.back(&pool, &cfa).run(run(2)).is_none());
}
