//! Random small automata: the bounded engines against exploration state by state.

use answer::{Allowance, Exhausted};
use bounded::{ProgramBmc, ProgramInduction};
use program::cfa::{Cfa, Command, Edge, Input, Location, LocationId, Origin};
use program::execute::{Values, follow};
use program::program::{Cause, Reading};
use program::verdict::{Invariant, Proof, Reason, Verdict};
use program::{Place, Property};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use smt::Standard;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use term::value::all_values;
use term::{Pool, Sort, Term, Value, evaluate};

const WORD: Sort = Sort::BitVec(2);

/// The values of the two variables.
type State = [Value; 2];

struct Case {
    pool: Pool,
    cfa: Cfa,
    variables: [Term; 2],
    random: StdRng,
}

impl Case {
    fn new(seed: u64) -> Case {
        let pool = Pool::new();
        let mut cfa = Cfa::default();
        let variables = ["x", "y"].map(|name| {
            let variable = pool.var(name, WORD);
            let (name, reading) = (name.into(), Reading::Unsigned);
            let origin = Origin { sort: WORD, variable: None, context: None, name, reading };
            cfa.variables.insert(variable, origin);
            variable
        });
        let random = StdRng::seed_from_u64(seed);
        let mut case = Case { pool, cfa, variables, random };
        case.build();
        case
    }

    fn build(&mut self) {
        let count = self.random.random_range(3..=5);
        let new = |_| self.cfa.locations.alloc(Location::default());
        let locations: Vec<LocationId> = (0..count).map(new).collect();
        let error = locations[count - 1];
        (self.cfa.initial, self.cfa.error) = (Some(locations[0]), Some(error));
        // A way through all locations, and edges back and forth; violations are far from the start.
        let mut ends: Vec<_> = locations.windows(2).map(|pair| (pair[0], pair[1])).collect();
        for _ in 0..self.random.random_range(1..=count) {
            let from = *locations[..count - 1].choose(&mut self.random).expect("some");
            ends.push((from, *locations[..count - 1].choose(&mut self.random).expect("some")));
        }
        for (from, to) in ends {
            let length = self.random.random_range(1..=2);
            let mut commands: Vec<Command> = (0..length).map(|_| self.command(1)).collect();
            if to == error {
                commands.extend((0..2).map(|_| Command::Assume(self.formula())));
            }
            let violates = (to == error).then_some(Property::Reach);
            let (command, place) = (Command::Sequence(commands), Place::default());
            self.cfa.edges.alloc(Edge { from, to, command, place, violates });
        }
    }

    fn word(&mut self, depth: u32) -> Term {
        if depth == 0 || self.random.random_range(0..3) == 0 {
            return match self.random.random_range(0..3) {
                0 => self.pool.bv(self.random.random_range(0..4), 2),
                _ => *self.variables.choose(&mut self.random).expect("two"),
            };
        }
        let (a, b) = (self.word(depth - 1), self.word(depth - 1));
        match self.random.random_range(0..4) {
            0 => self.pool.bv_add(a, b),
            1 => self.pool.bv_mul(a, b),
            2 => self.pool.bv_and(a, b),
            _ => self.pool.ite(self.pool.bv_ult(a, b), b, a),
        }
    }

    fn formula(&mut self) -> Term {
        let (a, b) = (self.word(1), self.word(1));
        match self.random.random_range(0..3) {
            0 => self.pool.eq(a, b),
            1 => self.pool.bv_ult(a, b),
            _ => self.pool.bv_slt(a, b),
        }
    }

    fn command(&mut self, depth: u32) -> Command {
        let variable = *self.variables.choose(&mut self.random).expect("two");
        match self.random.random_range(0..if depth == 0 { 6 } else { 8 }) {
            0 | 1 => Command::Assume(self.formula()),
            2..5 => Command::Assign(variable, self.word(2)),
            5 => {
                let input = Input { instruction: None, cause: Cause::Uninitialized, sort: WORD };
                Command::Havoc(variable, self.cfa.inputs.alloc(input))
            }
            6 => Command::Sequence(vec![self.command(depth - 1), self.command(depth - 1)]),
            _ => Command::Choice(vec![self.command(depth - 1), self.command(depth - 1)]),
        }
    }

    fn values(&self, state: &State) -> Values {
        self.variables.into_iter().zip(state.iter().cloned()).collect()
    }

    fn states(&self) -> Vec<State> {
        let with = |x: Value| all_values(WORD).map(move |y| [x.clone(), y]);
        all_values(WORD).flat_map(with).collect()
    }

    /// The states that a command leads to, for any inputs.
    fn successors(&self, command: &Command, state: &State) -> BTreeSet<State> {
        let with = |variable: Term, value: Value| {
            let mut next = state.clone();
            next[usize::from(variable == self.variables[1])] = value;
            next
        };
        let value = |term: Term| evaluate(&self.pool, term, &self.values(state)).expect("a value");
        match command {
            Command::Assume(guard) if value(*guard) == Value::Bool(true) => [state.clone()].into(),
            Command::Assume(_) => BTreeSet::new(),
            Command::Assign(variable, term) => [with(*variable, value(*term))].into(),
            Command::Havoc(variable, _) => all_values(WORD).map(|v| with(*variable, v)).collect(),
            Command::Choice(all) => all.iter().flat_map(|c| self.successors(c, state)).collect(),
            Command::Sequence(all) => all.iter().fold([state.clone()].into(), |states, command| {
                states.iter().flat_map(|s: &State| self.successors(command, s)).collect()
            }),
        }
    }

    /// One edge further.
    fn step(&self, from: &BTreeSet<(LocationId, State)>) -> BTreeSet<(LocationId, State)> {
        let mut next = BTreeSet::new();
        for (location, state) in from {
            for (_, edge) in self.cfa.edges.iter().filter(|(_, e)| e.from == *location) {
                let states = self.successors(&edge.command, state);
                next.extend(states.into_iter().map(|state| (edge.to, state)));
            }
        }
        next
    }

    fn start(&self) -> BTreeSet<(LocationId, State)> {
        let initial = self.cfa.initial.expect("an initial location");
        self.states().into_iter().map(|state| (initial, state)).collect()
    }

    fn fails(&self, at: &BTreeSet<(LocationId, State)>) -> bool {
        at.iter().any(|(location, _)| Some(*location) == self.cfa.error)
    }

    /// What is reachable, and the length of the shortest run into the error location.
    fn explored(&self) -> (BTreeSet<(LocationId, State)>, Option<usize>) {
        let mut front = self.start();
        let mut seen = front.clone();
        let mut violation = None;
        for depth in 1.. {
            front = self.step(&front);
            if self.fails(&front) {
                violation = violation.or(Some(depth));
            }
            front.retain(|place| !seen.contains(place));
            if front.is_empty() {
                break;
            }
            seen.extend(front.iter().cloned());
        }
        (seen, violation)
    }

    /// The length of the longest run, if it is less than `bound`: no run has more edges.
    fn longest(&self, bound: usize) -> Option<usize> {
        let mut front = self.start();
        for depth in 0..bound {
            front = self.step(&front);
            if front.is_empty() {
                return Some(depth);
            }
        }
        None
    }

    /// Whether k edges lead from these places into the error location, for the first time.
    fn leads_to_error(&self, from: BTreeSet<(LocationId, State)>, k: usize) -> bool {
        let mut front = from;
        front.retain(|(location, _)| Some(*location) != self.cfa.error);
        for _ in 1..k {
            front = self.step(&front);
            front.retain(|(location, _)| Some(*location) != self.cfa.error);
        }
        self.fails(&self.step(&front))
    }

    /// The run executes from some state.
    fn replay(&self, run: &program::verdict::Run) {
        let starts = self.states();
        let executes =
            |state: &State| follow(&self.pool, &self.cfa, run, &self.values(state)).is_ok();
        assert!(starts.iter().any(executes), "the run executes from no state: {run:?}");
    }
}

#[test]
fn bounded_model_checking_finds_shortest_runs() {
    let (mut safe, mut depths) = (0, BTreeMap::<usize, usize>::new());
    for seed in 0..200 {
        let case = Case::new(seed);
        let (_, violation) = case.explored();
        let mut engine =
            ProgramBmc::new(&case.pool, &case.cfa, &Standard).expect("an error location");
        let verdict = engine.check(24, &mut ());
        match (&verdict, violation) {
            (Verdict::Unsafe(run), Some(depth)) => {
                assert_eq!(run.steps.len(), depth, "seed {seed}");
                assert_eq!(engine.depth(), depth - 1, "seed {seed}");
                case.replay(run);
                *depths.entry(depth).or_default() += 1;
            }
            (Verdict::Safe(Proof::Exhausted { depth }), None) => {
                assert_eq!(case.longest(*depth), case.longest(24), "seed {seed}");
                safe += 1;
            }
            (Verdict::Unknown(Reason::GaveUp(_)), None) => assert_eq!(engine.depth(), 24),
            (_, expected) => panic!("seed {seed}: {verdict:?}, but it takes {expected:?}"),
        }
    }
    let deep: usize = depths.iter().filter(|(depth, _)| **depth > 2).map(|(_, n)| n).sum();
    assert!(safe > 5 && deep > 20, "{safe} exhausted, depths {depths:?}");
}

/// With nothing known, and with all that is true.
#[test]
fn k_induction_proves_what_is_inductive_for_the_least_k() {
    let (mut proved, mut refuted, mut larger) = (0, 0, 0);
    for seed in 1000..1150 {
        let case = Case::new(seed);
        let (reachable, violation) = case.explored();
        let everywhere: BTreeSet<(LocationId, State)> = case
            .cfa
            .locations
            .iter()
            .flat_map(|(at, _)| case.states().into_iter().map(move |state| (at, state)))
            .collect();
        for exact in [false, true] {
            let mut invariant = Invariant::default();
            let pool = &case.pool;
            for (at, _) in case.cfa.locations.iter().filter(|_| exact) {
                let here = reachable.iter().filter(|(location, _)| *location == at);
                let is = |state: &State| {
                    let equals =
                        |(v, value): (&Term, &Value)| pool.eq(*v, pool.constant(value.clone()));
                    pool.and(case.variables.iter().zip(state).map(equals))
                };
                invariant.at.insert(at, vec![pool.or(here.map(|(_, state)| is(state)))]);
            }
            let known = if exact { &reachable } else { &everywhere };
            // Ways of k edges stay within what is known only if the steps do: that is so for both.
            let least = (1..=8).find(|k| !case.leads_to_error(known.clone(), *k));
            let mut engine = ProgramInduction::new(pool, &case.cfa, &invariant, &Standard)
                .expect("an error location");
            let verdict = engine.check(8, &mut ());
            let context = format!("seed {seed}, exact {exact}: {verdict:?}");
            match (&verdict, violation) {
                (Verdict::Unsafe(run), Some(depth)) => {
                    assert_eq!(run.steps.len(), depth, "{context}");
                    case.replay(run);
                    refuted += 1;
                }
                (Verdict::Safe(Proof::KInductive { k, .. }), None) => {
                    assert_eq!(Some(*k), least, "{context}");
                    proved += 1;
                    larger += usize::from(*k > 1);
                }
                (Verdict::Safe(Proof::Exhausted { depth }), None) => {
                    assert_eq!(case.longest(*depth), case.longest(8), "{context}");
                }
                (Verdict::Unknown(_), None) => assert_eq!(least, None, "{context}"),
                (Verdict::Unknown(_), Some(depth)) => assert!(depth > 8, "{context}"),
                _ => panic!("{context}, but the shortest violation takes {violation:?}"),
            }
        }
    }
    assert!(proved > 20 && refuted > 20 && larger > 3, "{proved}, {refuted}, {larger}");
}

#[test]
fn a_run_along_the_edges_of_a_shortest_one_is_found() {
    let mut followed = 0;
    for seed in 2000..2120 {
        let case = Case::new(seed);
        let engine = || ProgramBmc::new(&case.pool, &case.cfa, &Standard).expect("an error");
        let Verdict::Unsafe(run) = engine().check(12, &mut ()) else { continue };
        let path: Vec<_> = run.steps.iter().map(|step| step.edge).collect();
        match engine().along(&path) {
            Verdict::Unsafe(again) => {
                assert!(again.steps.iter().map(|s| s.edge).eq(path.iter().copied()));
                case.replay(&again);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
        // A part of it does not end in the error location.
        let part = engine().along(&path[..path.len() - 1]);
        assert!(matches!(part, Verdict::Unknown(Reason::GaveUp(_))), "seed {seed}: {part:?}");
        followed += 1;
    }
    assert!(followed > 20, "{followed}");
}

#[test]
fn engines_obey_their_allowance_and_go_on() {
    let case = (0..).map(Case::new).find(|case| case.explored().1 == Some(3)).expect("one");
    let interrupted = Allowance::default();
    interrupted.interrupt.raise();
    let late = Allowance::default().until(Instant::now());
    let invariant = Invariant::default();
    let mut search = ProgramBmc::new(&case.pool, &case.cfa, &Standard).expect("an error");
    for (allowance, why) in [(&interrupted, Exhausted::Interrupted), (&late, Exhausted::Time)] {
        let mut induction =
            ProgramInduction::new(&case.pool, &case.cfa, &invariant, &Standard).expect("an error");
        search.set_allowance(allowance.clone());
        induction.set_allowance(allowance.clone());
        for verdict in [search.check(5, &mut ()), induction.check(5, &mut ())] {
            assert!(
                matches!(&verdict, Verdict::Unknown(Reason::Stopped(reason)) if *reason == why),
                "{verdict:?}"
            );
        }
    }
    search.set_allowance(Allowance::default());
    let Verdict::Unsafe(run) = search.check(5, &mut ()) else { panic!("a run of three edges") };
    assert_eq!(run.steps.len(), 3);
}
