//! Seeds hold in every state that runs reach, whatever was guessed.

use analysis::seeds::{Graph, Prover, Step, seeds};
use program::cfa::{Command, Input, InputId};
use program::execute::Values;
use program::program::Cause;
use program::split::split;
use program::wep::Effect;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashSet;
use smt::{Answer, Error, Native, Solver, native};
use std::collections::BTreeMap;
use term::traverse::free_vars;
use term::{Pool, Sort, Term, Value, evaluate};

/// Knows nothing of nodes.
struct Plain<'a> {
    pool: &'a Pool,
    solver: Native,
    asked: usize,
}

impl Prover for Plain<'_> {
    type Error = Error;

    fn ask(&mut self, _: usize, assumptions: &[Term], clause: &[Term]) -> Result<Answer, Error> {
        self.asked += 1;
        self.solver.check_with(self.pool, assumptions, clause)
    }

    fn model(&mut self, _: usize, terms: &[Term]) -> Result<Values, Error> {
        let variables = free_vars(self.pool, terms).into_iter();
        variables.map(|v| Ok((v, self.solver.value(self.pool, v)?))).collect()
    }
}

const WIDTH: u32 = 4;

/// A graph by its commands: node 0 is where runs begin, node 1 is the error.
fn graph(pool: &Pool, nodes: usize, edges: &[(usize, Vec<Command>, usize)]) -> Graph {
    let mut steps = Vec::new();
    for (from, commands, to) in edges {
        for path in split(pool, &Command::Sequence(commands.clone())) {
            steps.push(Step { from: *from, to: *to, effect: Effect::new(pool, &path) });
        }
    }
    Graph { nodes, initial: 0, error: 1, steps }
}

type State = BTreeMap<Term, Value>;

fn valuations(pool: &Pool, variables: &[Term]) -> Vec<State> {
    let mut all = vec![State::new()];
    for variable in variables {
        let values: Vec<Value> = term::value::all_values(pool.sort(*variable)).collect();
        let with = |state: &State| {
            let more = |value: &Value| {
                let mut state = state.clone();
                state.insert(*variable, value.clone());
                state
            };
            values.iter().map(more).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// All states that runs reach, by node.
fn reachable(pool: &Pool, graph: &Graph, variables: &[Term]) -> FxHashSet<(usize, State)> {
    let mut pending: Vec<(usize, State)> =
        valuations(pool, variables).into_iter().map(|state| (graph.initial, state)).collect();
    let mut seen: FxHashSet<(usize, State)> = pending.iter().cloned().collect();
    while let Some((node, state)) = pending.pop() {
        for step in graph.steps.iter().filter(|step| step.from == node) {
            let inputs: Vec<Term> = step.effect.inputs.iter().map(|(_, v)| *v).collect();
            for inputs in valuations(pool, &inputs) {
                let known: Values = state.clone().into_iter().chain(inputs).collect();
                let holds = |g: &Term| evaluate(pool, *g, &known) == Ok(Value::Bool(true));
                if !step.effect.guards.iter().all(holds) {
                    continue;
                }
                let mut next = state.clone();
                for (variable, value) in &step.effect.assigned {
                    next.insert(*variable, evaluate(pool, *value, &known).expect("no quantifier"));
                }
                if seen.insert((step.to, next.clone())) {
                    pending.push((step.to, next));
                }
            }
        }
    }
    seen
}

/// Finds seeds and checks them; returns them and the number of questions.
fn checked(pool: &Pool, graph: Graph, variables: &[Term], seed: u64) -> (Vec<Vec<Term>>, usize) {
    let states = reachable(pool, &graph, variables);
    let mut prover = Plain { pool, solver: native(), asked: 0 };
    let found = seeds(pool, graph, seed, &mut prover).expect("small formulas");
    for (node, state) in states {
        let values: Values = state.into_iter().collect();
        for formula in &found[node] {
            let holds = evaluate(pool, *formula, &values) == Ok(Value::Bool(true));
            assert!(holds, "seed {seed}, node {node}: {formula:?} in {values:?}");
        }
    }
    (found, prover.asked)
}

#[test]
fn what_a_loop_keeps_is_found() {
    let pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
    let n = |n: u64| pool.bv(n, WIDTH);
    let first = vec![Command::Assign(x, n(0)), Command::Assign(y, n(0))];
    let round = vec![
        Command::Assume(pool.bv_ult(x, n(6))),
        Command::Assign(x, pool.bv_add(x, n(2))),
        Command::Assign(y, pool.bv_add(y, n(1))),
    ];
    let bad = vec![Command::Assume(pool.eq(x, n(5)))];
    let graph = graph(&pool, 3, &[(0, first, 2), (2, round, 2), (2, bad, 1)]);
    let (found, asked) = checked(&pool, graph, &[x, y], 0);
    assert!(asked > 0);
    let all = pool.and(found[2].iter().copied());
    let mut solver = native();
    for known in [pool.eq(x, pool.bv_add(y, y)), pool.bv_ule(x, n(6)), pool.ne(x, n(5))] {
        // SAT? seeds ∧ ¬known
        let answer = solver.check(&pool, &[all, pool.not(known)]).expect("bits");
        assert_eq!(answer, Answer::Unsat, "{known:?} does not follow from {:?}", found[2]);
    }
}

#[test]
fn seeds_hold_in_all_states() {
    let mut formulas = 0;
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let pool = Pool::new();
        let variables = ["x", "y"].map(|name| pool.var(name, Sort::BitVec(WIDTH)));
        let nodes = random.random_range(3..6);
        let mut inputs: la_arena::Arena<Input> = la_arena::Arena::new();
        let mut command = |random: &mut StdRng| {
            let [a, b] = [(); 2].map(|()| variables[random.random_range(0..2)]);
            let number = pool.bv(random.random_range(0..1 << WIDTH), WIDTH);
            match random.random_range(0..7) {
                0 => Command::Assume(pool.bv_ult(a, number)),
                1 => Command::Assume(pool.ne(a, b)),
                2 => Command::Assign(a, number),
                3 => Command::Assign(a, pool.bv_add(a, b)),
                4 => {
                    let sort = Sort::BitVec(WIDTH);
                    let input = Input { instruction: None, cause: Cause::Uninitialized, sort };
                    let input: InputId = inputs.alloc(input);
                    Command::Havoc(a, input)
                }
                _ => Command::Assign(a, pool.bv_add(a, pool.bv(2, WIDTH))),
            }
        };
        let start: Vec<Command> =
            variables.iter().map(|v| Command::Assign(*v, pool.bv(0, WIDTH))).collect();
        let mut edges = vec![(0, start, 2)];
        for _ in 0..random.random_range(nodes..2 * nodes) {
            let (from, to) = (random.random_range(2..nodes), random.random_range(1..nodes));
            let commands = (0..3).map(|_| command(&mut random)).collect();
            edges.push((from, commands, to));
        }
        let (found, _) = checked(&pool, graph(&pool, nodes, &edges), &variables, seed);
        formulas += found.iter().map(Vec::len).sum::<usize>();
    }
    assert!(formulas > 100, "{formulas} formulas");
}
