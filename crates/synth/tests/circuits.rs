//! Random small automata and their circuits: explicit search gives both the same answer, an
//! invariant of the circuit comes back as one that the checker accepts, a trace as a run.

use certify::check_program;
use circuit::explicit::{Explicit, ExplicitError, Outcome};
use circuit::invariant::{Clause, LatchLit};
use circuit::system::TransitionSystem;
use passes::Back;
use program::cfa::{Edge, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::explicit::search;
use program::place::Place;
use program::program::{Cause, Reading};
use program::{Cfa, Command, Invariant, Proof, Property, Run};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use synth::Circuit;
use term::value::all_values;
use term::{Pool, Sort, Term, Value};

const PAIR: Sort = Sort::BitVec(2);
const GATES: usize = 1 << 20;

struct Generator {
    random: StdRng,
    pool: Pool,
    cfa: Cfa,
    numbers: Vec<Term>,
    flag: Term,
    /// An array of two numbers, in some automata.
    array: Option<Term>,
    havocs: usize,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut random = StdRng::seed_from_u64(seed);
        let pool = Pool::new();
        let numbers = ["x", "y"].map(|name| pool.var(name, PAIR)).to_vec();
        let flag = pool.var("b", Sort::Bool);
        let sort = pool.array_sort(Sort::BitVec(1), PAIR);
        let array = random.random_bool(0.5).then(|| pool.var("a", sort));
        let mut cfa = Cfa::default();
        for &variable in numbers.iter().chain([&flag]).chain(&array) {
            let name = pool.var_name(variable).unwrap_or_default().into();
            let (sort, reading) = (pool.sort(variable), Reading::Unsigned);
            let origin = Origin { sort, variable: None, context: None, name, reading };
            cfa.variables.insert(variable, origin);
        }
        Generator { random, pool, cfa, numbers, flag, array, havocs: 0 }
    }

    fn number(&mut self) -> Term {
        let variable = self.numbers[self.random.random_range(0..2)];
        let constant = self.pool.bv(self.random.random_range(0..4), 2);
        match (self.random.random_range(0..6), self.array) {
            (0, _) => variable,
            (1 | 2, _) => constant,
            (3, _) => self.pool.bv_add(variable, constant),
            (4, _) => self.pool.bv_xor(self.numbers[0], self.numbers[1]),
            (_, Some(array)) => self.pool.select(array, self.pool.bv_extract(variable, 0, 0)),
            _ => self.pool.bv_mul(variable, constant),
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
        match self.random.random_range(0..if depth > 0 { 9 } else { 7 }) {
            0 | 1 => Command::Assume(self.formula()),
            2 | 3 => {
                let variable = self.numbers[self.random.random_range(0..2)];
                Command::Assign(variable, self.number())
            }
            4 => Command::Assign(self.flag, self.formula()),
            5 if self.havocs < 2 => {
                self.havocs += 1;
                let input = Input { instruction: None, cause: Cause::Uninitialized, sort: PAIR };
                let input = self.cfa.inputs.alloc(input);
                Command::Havoc(self.numbers[self.random.random_range(0..2)], input)
            }
            6 => match self.array {
                Some(array) => {
                    let (index, value) = (self.number(), self.number());
                    let index = self.pool.bv_extract(index, 0, 0);
                    Command::Assign(array, self.pool.store(array, index, value))
                }
                None => Command::skip(),
            },
            7 => {
                let (guard, one, other) =
                    (self.formula(), self.command(depth - 1), self.command(depth - 1));
                let otherwise = self.pool.not(guard);
                Command::Choice(vec![
                    Command::Sequence(vec![Command::Assume(guard), one]),
                    Command::Sequence(vec![Command::Assume(otherwise), other]),
                ])
            }
            8 => Command::Sequence((0..2).map(|_| self.command(depth - 1)).collect()),
            _ => Command::skip(),
        }
    }

    fn edge(&mut self, from: LocationId, to: LocationId, command: Command) {
        let violates = (Some(to) == self.cfa.error).then_some(Property::Assert);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
    }

    fn generate(mut self) -> (Pool, Cfa) {
        let count = self.random.random_range(4..8);
        let locations: Vec<LocationId> =
            (0..count).map(|_| self.cfa.locations.alloc(Location::default())).collect();
        (self.cfa.initial, self.cfa.error) = (Some(locations[0]), Some(locations[1]));
        // Arrays have first contents; scalars may have any.
        let mut first = Vec::new();
        if let Some(array) = self.array {
            let zero = self.pool.bv(0, 2);
            let contents = self.pool.const_array(self.pool.sort(array), zero);
            first.push(Command::Assign(array, contents));
        }
        for k in 0..self.random.random_range(0..3) {
            first.push(Command::Assign(self.numbers[k], self.pool.bv(k as u64, 2)));
        }
        self.edge(locations[0], locations[2], Command::Sequence(first));
        for _ in 0..self.random.random_range(count..2 * count) {
            let from = locations[self.random.random_range(2..count)];
            let to = locations[self.random.random_range(1..count)];
            let command = self.command(2);
            // Two edges with one guard each, or one.
            if self.random.random_bool(0.5) {
                let guard = self.formula();
                let sequence = Command::Sequence(vec![Command::Assume(guard), command]);
                self.edge(from, to, sequence);
                let to = locations[self.random.random_range(2..count)];
                self.edge(from, to, Command::Assume(self.pool.not(guard)));
            } else {
                self.edge(from, to, command);
            }
        }
        (self.pool, self.cfa)
    }
}

/// The reached states of a circuit as clauses: what is not reached is covered with cubes as large as
/// they can be.
fn reached(system: &TransitionSystem, explicit: &Explicit) -> Vec<Clause> {
    let count = system.latches.len();
    let reached = explicit.reachable();
    let mut clauses: Vec<Clause> = Vec::new();
    let inside = |clause: &Clause, state: usize| {
        clause.iter().all(|l| (state >> l.latch & 1 == 1) != l.value)
    };
    let is_reached: Vec<bool> = {
        let mut table = vec![false; 1 << count];
        reached.iter().for_each(|state| table[*state] = true);
        table
    };
    for state in (0..1usize << count).filter(|state| !is_reached[*state]) {
        if clauses.iter().any(|clause| inside(clause, state)) {
            continue;
        }
        let mut clause: Clause =
            (0..count).map(|k| LatchLit::new(k, state >> k & 1 == 0)).collect();
        for k in 0..count {
            let fewer: Clause = clause.iter().copied().filter(|l| l.latch != k).collect();
            if !reached.iter().any(|state| inside(&fewer, *state)) {
                clause = fewer;
            }
        }
        clauses.push(clause);
    }
    clauses
}

/// Whether a run gets through from some values of the scalars.
fn is_run(pool: &Pool, cfa: &Cfa, run: &Run) -> bool {
    let scalars = cfa.variables.keys().filter(|v| pool.array_parts(pool.sort(**v)).is_none());
    let mut first = vec![Values::default()];
    for variable in scalars {
        let values: Vec<Value> = all_values(pool.sort(*variable)).collect();
        let longer = |state: &Values| {
            let state = state.clone();
            let with = move |value: Value| {
                let mut state = state.clone();
                state.insert(*variable, value);
                state
            };
            values.clone().into_iter().map(with).collect::<Vec<_>>()
        };
        first = first.iter().flat_map(longer).collect();
    }
    first.iter().any(|state| follow(pool, cfa, run, state).is_ok())
}

fn accepted(pool: &Pool, cfa: &Cfa, invariant: Invariant) -> Result<(), String> {
    let proof = Proof::Inductive(invariant);
    check_program(pool, cfa, &proof, &smt::Allowance::default()).map_err(|e| e.to_string())
}

#[test]
fn circuits_and_their_evidence_agree_with_the_automata() {
    let (mut safe, mut unsafe_, mut arrays) = (0, 0, 0);
    for seed in 0..1_000 {
        let generator = Generator::new(seed);
        let has_array = generator.array.is_some();
        let (pool, cfa) = generator.generate();
        assert_eq!(cfa.wellformed(&pool), Ok(()), "seed {seed}");
        let circuit = Circuit::new(&pool, &cfa, GATES).expect("everything has few bits");
        assert!(!circuit.has_more_runs(), "seed {seed}: all elements are there");
        let explicit = match Explicit::new(&circuit.system) {
            Ok(explicit) => explicit,
            Err(ExplicitError::TooLarge { .. }) => continue,
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let open: Vec<Term> = cfa.variables.keys().copied().collect();
        let scalars = open.into_iter().filter(|v| pool.array_parts(pool.sort(*v)).is_none());
        let open: Vec<Term> = scalars.collect();
        let expected = search(&pool, &cfa, &open, usize::MAX).error.is_some();
        match explicit.search(0) {
            Outcome::Safe { .. } => {
                assert!(!expected, "seed {seed}: the automaton reaches the error");
                safe += 1;
                let clauses = reached(&circuit.system, &explicit);
                let invariant = circuit.back(&cfa).invariant(clauses).expect("there is a way back");
                if let Err(why) = accepted(&pool, &cfa, invariant) {
                    panic!("seed {seed}: {why}");
                }
            }
            Outcome::Unsafe(trace) => {
                assert!(expected, "seed {seed}: the automaton does not reach the error");
                unsafe_ += 1;
                let run = circuit.back(&cfa).run(trace).expect("a violation follows edges");
                assert!(is_run(&pool, &cfa, &run), "seed {seed}: {run:?}");
            }
        }
        arrays += usize::from(has_array);
    }
    assert!(safe > 60 && unsafe_ > 60 && arrays > 60, "{safe} {unsafe_} {arrays}");
}
