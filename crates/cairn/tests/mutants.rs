//! Mutated certificates: `certify` accepts an invariant only if it is one.
//!
//! Engines prove small random automata safe; their invariants are then damaged: a lemma is dropped, a
//! bound changed, a literal negated, all formulas of a location removed, lemmas moved to another
//! location. What `certify::check_program` says of each is compared with a check that shares nothing
//! with it: every state of the automaton is enumerated. Runs are damaged in the same way, and
//! `program::execute::follow` is compared with a search along the run's edges.
//!
//! `cargo test` tries some; `cargo test --release -p cairn --test mutants -- --ignored` tries a
//! thousand of each.

use certify::{ProgramRejection, check_program};
use program::cfa::{Cfa, Command, Edge, Input, Location, LocationId, Origin};
use program::execute::follow;
use program::explicit::{State, holds, successors};
use program::program::{Cause, Reading};
use program::verdict::{Invariant, Proof, Run};
use program::{Place, Property, Verdict};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::{Allowance, Exhausted};
use std::time::Duration;
use term::value::all_values;
use term::{Op, Pool, Sort, Term, Value};

const WIDTH: u32 = 3;

/// A random automaton: a loop with a few branches, and a way out to a check.
struct Generator {
    random: StdRng,
    pool: Pool,
    cfa: Cfa,
    words: Vec<Term>,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let (pool, mut cfa) = (Pool::new(), Cfa::default());
        let words: Vec<Term> =
            (0..2).map(|n| pool.var(&format!("x{n}"), Sort::BitVec(WIDTH))).collect();
        for (n, &word) in words.iter().enumerate() {
            let origin = Origin {
                sort: Sort::BitVec(WIDTH),
                variable: None,
                context: None,
                name: format!("x{n}").into(),
                reading: Reading::Unsigned,
            };
            cfa.variables.insert(word, origin);
        }
        Generator { random: StdRng::seed_from_u64(seed), pool, cfa, words }
    }

    fn word(&mut self) -> Term {
        *self.words.choose(&mut self.random).expect("there are words")
    }

    fn number(&mut self) -> Term {
        self.pool.bv(self.random.random_range(0..1u64 << WIDTH), WIDTH)
    }

    fn comparison(&mut self) -> Term {
        let (a, b) = (self.word(), self.word());
        let b = if a == b || self.random.random() { self.number() } else { b };
        match self.random.random_range(0..4) {
            0 => self.pool.eq(a, b),
            1 => self.pool.ne(a, b),
            2 => self.pool.bv_ult(a, b),
            _ => self.pool.bv_ule(a, b),
        }
    }

    fn assignment(&mut self) -> Command {
        let (to, a) = (self.word(), self.word());
        if self.random.random_range(0..5) == 0 {
            let input =
                Input { instruction: None, cause: Cause::Uninitialized, sort: Sort::BitVec(WIDTH) };
            return Command::Havoc(to, self.cfa.inputs.alloc(input));
        }
        let b = if self.random.random() { self.number() } else { self.word() };
        let value = match self.random.random_range(0..4) {
            0 => self.pool.bv_add(a, b),
            1 => self.pool.bv_sub(a, b),
            2 => self.pool.bv_and(a, b),
            _ => b,
        };
        Command::Assign(to, value)
    }

    fn edge(&mut self, from: LocationId, to: LocationId, commands: Vec<Command>) {
        let violates = (Some(to) == self.cfa.error).then_some(Property::Reach);
        let command = Command::Sequence(commands);
        self.cfa.edges.alloc(Edge { from, to, command, place: Place::default(), violates });
    }

    fn automaton(mut self) -> (Pool, Cfa) {
        let count = self.random.random_range(3..=5);
        let locations: Vec<LocationId> =
            (0..=count).map(|_| self.cfa.locations.alloc(Location::default())).collect();
        let (first, inner, error) = (locations[0], &locations[1..count], locations[count]);
        (self.cfa.initial, self.cfa.error) = (Some(first), Some(error));
        let start = self.words.clone().into_iter().map(|word| {
            let number = self.pool.bv(self.random.random_range(0..3), WIDTH);
            Command::Assign(word, number)
        });
        let start = start.collect();
        self.edge(first, inner[0], start);
        for n in 0..inner.len() {
            for _ in 0..self.random.random_range(1..=2) {
                let to = *inner.choose(&mut self.random).expect("there are locations");
                let commands =
                    vec![Command::Assume(self.comparison()), self.assignment(), self.assignment()];
                self.edge(inner[n], to, commands);
            }
            let next = inner[(n + 1) % inner.len()];
            let commands = vec![Command::Assume(self.comparison()), self.assignment()];
            self.edge(inner[n], next, commands);
        }
        let from = *inner.last().expect("there are locations");
        let (a, b) = (self.comparison(), self.comparison());
        self.edge(from, error, vec![Command::Assume(a), Command::Assume(b)]);
        (self.pool, self.cfa)
    }
}

fn soon() -> Allowance {
    Allowance::default().within(Duration::from_secs(60))
}

/// What an engine says: IC3CFA, or bit-level IC3 on the circuit of the automaton.
fn decide(pool: &Pool, cfa: &Cfa, seed: u64) -> Verdict {
    if seed.is_multiple_of(2) {
        let options = ic3cfa::Options { seed, ..ic3cfa::Options::default() };
        return ic3cfa::check(pool, cfa, &options, &smt::Standard, &soon(), &mut ());
    }
    let unknown = || Verdict::Unknown(program::verdict::Reason::Stopped(Exhausted::Interrupted));
    let Ok(circuit) = synth::Circuit::new(pool, cfa, 100_000) else { return unknown() };
    let options = ic3::Options::default();
    let found = ic3::check_system(&circuit.system, 0, &options, &soon(), &mut ());
    use circuit::verdict::{Proof as CircuitProof, Verdict as CircuitVerdict};
    match found.expect("the circuit is well-formed") {
        CircuitVerdict::Safe(CircuitProof::Inductive(clauses)) => {
            Verdict::Safe(Proof::Inductive(circuit.lift_invariant(cfa, &clauses)))
        }
        CircuitVerdict::Unsafe(trace) => {
            circuit.lift_trace(cfa, &trace).map_or_else(unknown, Verdict::Unsafe)
        }
        _ => unknown(),
    }
}

/// The automaton's variables, and all their values together.
fn all_states(pool: &Pool, cfa: &Cfa) -> (Vec<Term>, Vec<State>) {
    let mut variables: Vec<Term> = cfa.variables.keys().copied().collect();
    variables.sort_unstable();
    let mut states: Vec<State> = vec![Vec::new()];
    for variable in &variables {
        let values: Vec<Value> = all_values(pool.sort(*variable)).collect();
        let longer = |state: &State| {
            let state = state.clone();
            values.iter().map(move |value| [&state[..], std::slice::from_ref(value)].concat())
        };
        states = states.iter().flat_map(longer).collect();
    }
    (variables, states)
}

/// Whether an invariant holds at the start, is kept by every run from one of its locations to the
/// next, and excludes the error location: by enumeration.
fn is_invariant(pool: &Pool, cfa: &Cfa, invariant: &Invariant) -> bool {
    let (variables, states) = all_states(pool, cfa);
    let leaving = cfa.leaving();
    let claimed = |location: LocationId, state: &State| {
        let formulas = invariant.at.get(location).map_or(&[][..], |formulas| &formulas[..]);
        formulas.iter().all(|formula| holds(pool, &variables, *formula, state))
    };
    let initial = cfa.initial.expect("there is one");
    if !states.iter().all(|state| claimed(initial, state)) {
        return false;
    }
    let is_cut = |location| location == initial || invariant.at.get(location).is_some();
    let mut pending: Vec<(LocationId, State)> = Vec::new();
    for (location, _) in cfa.locations.iter().filter(|(location, _)| is_cut(*location)) {
        if Some(location) != cfa.error {
            let here = states.iter().filter(|state| claimed(location, state));
            pending.extend(here.map(|state| (location, state.clone())));
        }
    }
    let mut seen: FxHashSet<(LocationId, State)> = FxHashSet::default();
    while let Some((location, state)) = pending.pop() {
        if !seen.insert((location, state.clone())) {
            continue;
        }
        for edge in leaving[location].iter().map(|edge| &cfa.edges[*edge]) {
            for next in successors(pool, &variables, &edge.command, &state) {
                if Some(edge.to) == cfa.error || !claimed(edge.to, &next) {
                    return false;
                }
                if !is_cut(edge.to) {
                    pending.push((edge.to, next));
                }
            }
        }
    }
    true
}

/// Damages an invariant.
fn mutate(pool: &Pool, cfa: &Cfa, invariant: &Invariant, random: &mut StdRng) -> Invariant {
    let mut mutant = invariant.clone();
    let locations: Vec<LocationId> = mutant.at.iter().map(|(location, _)| location).collect();
    let Some(&at) = locations.choose(random) else { return mutant };
    let formulas = &mut mutant.at[at];
    let choice = random.random_range(0..6);
    if formulas.is_empty() || choice == 0 {
        // All formulas of a location, or the location itself.
        match random.random() {
            true => mutant.at[at].clear(),
            false => _ = mutant.at.remove(at),
        }
        return mutant;
    }
    let n = random.random_range(0..formulas.len());
    let formula = formulas[n];
    match choice {
        1 => _ = formulas.remove(n),
        2 => formulas[n] = pool.not(formula),
        3 => formulas[n] = without_literal(pool, formula, random),
        4 => {
            // A bound changes if what is compared with it does.
            let variables: Vec<Term> = cfa.variables.keys().copied().collect();
            let mut sorted = variables;
            sorted.sort_unstable();
            let variable = *sorted.choose(random).expect("there are variables");
            let by = pool.bv(random.random_range(1..1 << WIDTH), WIDTH);
            let shifted = pool.bv_add(variable, by);
            let mut done = FxHashMap::default();
            let replaced = |term| (term == variable).then_some(shifted);
            formulas[n] = term::traverse::rewrite(pool, formula, &mut done, replaced);
        }
        _ => {
            // Lemmas of one location at another.
            let others: Vec<LocationId> = cfa.locations.iter().map(|(id, _)| id).collect();
            let to = *others.choose(random).expect("there are locations");
            let moved = mutant.at.remove(at).expect("it was there");
            mutant.at.insert(to, moved);
        }
    }
    mutant
}

/// A clause without one of its literals, or with one negated.
fn without_literal(pool: &Pool, formula: Term, random: &mut StdRng) -> Term {
    if !matches!(pool.op(formula), Op::Or) {
        return pool.not(formula);
    }
    let mut literals = pool.args(formula).to_vec();
    let n = random.random_range(0..literals.len());
    match random.random() {
        true => _ = literals.remove(n),
        false => literals[n] = pool.not(literals[n]),
    }
    pool.or(literals)
}

/// Some damage is none: a lemma may have been superfluous. Enough are tried that the wanted number
/// are no evidence any more, and rejected.
#[derive(Default, Debug)]
struct Count {
    tried: usize,
    rejected: usize,
    accepted: usize,
}

fn invariants(wanted: usize) -> Count {
    let mut count = Count::default();
    for seed in 0.. {
        if count.rejected >= wanted {
            break;
        }
        let (pool, cfa) = Generator::new(seed).automaton();
        let Verdict::Safe(Proof::Inductive(invariant)) = decide(&pool, &cfa, seed) else {
            continue;
        };
        assert!(is_invariant(&pool, &cfa, &invariant), "seed {seed}: the engine's own");
        let proof = Proof::Inductive(invariant.clone());
        check_program(&pool, &cfa, &proof, &soon())
            .unwrap_or_else(|rejection| panic!("seed {seed}: the engine's own: {rejection}"));
        let mut random = StdRng::seed_from_u64(seed);
        for mutant in 0..6 {
            let mutated = mutate(&pool, &cfa, &invariant, &mut random);
            let truth = is_invariant(&pool, &cfa, &mutated);
            let proof = Proof::Inductive(mutated);
            count.tried += 1;
            match check_program(&pool, &cfa, &proof, &soon()) {
                Ok(()) => {
                    assert!(truth, "seed {seed}, mutant {mutant}: accepted, but no invariant");
                    count.accepted += 1;
                }
                // A loop that passes no formula is not looked at further, whatever is true.
                Err(ProgramRejection::Uncut(_)) => count.rejected += 1,
                Err(rejection) => {
                    assert!(!truth, "seed {seed}, mutant {mutant}: an invariant, but {rejection}");
                    count.rejected += 1;
                }
            }
        }
    }
    count
}

/// Whether some run takes these edges into the error location, whatever its inputs.
fn is_path(pool: &Pool, cfa: &Cfa, run: &Run) -> bool {
    let (variables, states) = all_states(pool, cfa);
    let mut at = cfa.initial.expect("there is one");
    let mut reached: FxHashSet<State> = states.into_iter().collect();
    for step in &run.steps {
        let edge = &cfa.edges[step.edge];
        if edge.from != at {
            return false;
        }
        at = edge.to;
        let next = |state: &State| successors(pool, &variables, &edge.command, state);
        reached = reached.iter().flat_map(next).collect();
    }
    Some(at) == cfa.error && !reached.is_empty()
}

/// Damages a run; also whether it was cut, so that it can't be one any more.
fn mutate_run(cfa: &Cfa, run: &Run, random: &mut StdRng) -> (Run, bool) {
    let mut mutant = run.clone();
    let n = random.random_range(0..run.steps.len());
    match random.random_range(0..5) {
        0 => {
            mutant.steps.truncate(n);
            return (mutant, true);
        }
        1 => _ = mutant.steps.remove(n),
        2 => mutant.steps[n].inputs.clear(),
        3 => {
            for (_, value) in &mut mutant.steps[n].inputs {
                let bits = value::Bits::from_u64(WIDTH, random.random_range(0..1 << WIDTH));
                *value = Value::Bits(bits);
            }
        }
        _ => {
            let edges: Vec<_> = cfa.edges.iter().map(|(id, _)| id).collect();
            mutant.steps[n].edge = *edges.choose(random).expect("there are edges");
        }
    }
    (mutant, false)
}

fn runs(wanted: usize) -> Count {
    let mut count = Count::default();
    for seed in 0.. {
        if count.rejected >= wanted {
            break;
        }
        let (pool, cfa) = Generator::new(seed).automaton();
        let Verdict::Unsafe(run) = decide(&pool, &cfa, seed) else { continue };
        assert!(follow(&pool, &cfa, &run, &FxHashMap::default()).is_ok(), "seed {seed}");
        let mut random = StdRng::seed_from_u64(seed);
        for number in 0..6 {
            let (mutant, cut) = mutate_run(&cfa, &run, &mut random);
            count.tried += 1;
            if follow(&pool, &cfa, &mutant, &FxHashMap::default()).is_ok() {
                assert!(!cut, "seed {seed}, mutant {number}: a cut run was accepted");
                assert!(is_path(&pool, &cfa, &mutant), "seed {seed}, mutant {number}: no path");
                count.accepted += 1;
            } else {
                count.rejected += 1;
            }
        }
    }
    count
}

#[test]
fn damaged_invariants_are_rejected() {
    let count = invariants(50);
    assert!(count.rejected >= 50 && count.accepted < count.tried, "{count:?}");
}

#[test]
fn damaged_runs_are_rejected() {
    let count = runs(50);
    assert!(count.rejected >= 50 && count.accepted < count.tried, "{count:?}");
}

#[test]
#[ignore = "takes long; see the head of this file"]
fn a_thousand_of_each() {
    println!("invariants: {:?}", invariants(1_000));
    println!("runs: {:?}", runs(1_000));
}
