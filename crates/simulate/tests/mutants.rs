//! Random programs over two small bit-vectors, and mutants of them: what is claimed is compared with
//! an exploration of all their states.

use answer::Allowance;
use program::place::Place;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::{FxHashMap, FxHashSet};
use simulate::graph::{Edge, Graph, Point, Variable};
use simulate::{Certificate, Outcome, simulate};
use smt::Standard;
use std::collections::BTreeMap;
use std::time::Duration;
use term::value::all_values;
use term::{Pool, Sort, Term, Value, evaluate};

const WIDTH: u32 = 2;
const NAMES: [&str; 2] = ["a", "b"];

/// What an edge does, in numbers: the same ones make the same edge in another program.
#[derive(Clone)]
struct Plan {
    from: usize,
    to: usize,
    guard: [u64; 3],
    values: [[u64; 2]; 2],
}

fn plan(random: &mut StdRng, points: usize) -> Vec<Plan> {
    let error = points - 1;
    let mut ends = vec![(0, 1), (error - 1, error)];
    ends.extend((1..error).map(|p| (p, p)));
    ends.extend((1..error - 1).map(|p| (p, p + 1)));
    let mut edge = |(from, to)| Plan {
        from,
        to,
        guard: [random.random_range(0..5), random.random_range(0..4), random.random_range(0..3)],
        values: [0, 1].map(|_| [random.random_range(0..6), random.random_range(0..4)]),
    };
    ends.into_iter().map(&mut edge).collect()
}

/// Changes one edge.
fn mutate(random: &mut StdRng, plan: &mut [Plan]) {
    let at = random.random_range(0..plan.len());
    match random.random_range(0..3) {
        0 => plan[at].guard[0] = random.random_range(0..5),
        1 => plan[at].guard[1] = random.random_range(0..4),
        _ => plan[at].values[random.random_range(0..2)][0] = random.random_range(0..6),
    }
}

fn graph(pool: &Pool, prefix: &str, plan: &[Plan], points: usize) -> Graph {
    let sort = Sort::BitVec(WIDTH);
    let vars = NAMES.map(|n| pool.var(&format!("{prefix}{n}"), sort));
    let point = |at: usize| {
        let live = at > 0 && at + 1 < points;
        let all = NAMES.iter().zip(vars);
        let all = all.map(|(name, term)| Variable { term, name: (*name).to_owned() });
        Point { place: Place::default(), variables: if live { all.collect() } else { vec![] } }
    };
    let edge = |p: &Plan| {
        let local = pool.fresh_var(&format!("{prefix}input"), sort);
        let number = |n: u64| pool.bv(n % (1 << WIDTH), WIDTH);
        // Nothing is known at the entry.
        let known = if p.from == 0 { [number(0), number(1)] } else { vars };
        let guard = match p.guard {
            [0, n, v] => pool.bv_ult(known[v as usize % 2], number(n)),
            [1, n, v] => pool.eq(known[v as usize % 2], number(n)),
            [2, _, _] => pool.bv_ult(known[0], known[1]),
            [3, n, _] => pool.ne(known[1], number(n)),
            _ => pool.tru(),
        };
        let value = |at: usize| match p.values[at] {
            [0, n] => pool.bv_add(known[at], number(n)),
            [1, _] => pool.bv_xor(known[0], known[1]),
            [2, n] => number(n),
            [3, _] => local,
            _ => known[at],
        };
        let live = p.to > 0 && p.to + 1 < points;
        let values: BTreeMap<Term, Term> =
            if live { (0..2).map(|at| (vars[at], value(at))).collect() } else { BTreeMap::new() };
        let locals = vec![local];
        Edge { from: p.from, to: p.to, guard, values, locals, place: Place::default() }
    };
    Graph {
        points: (0..points).map(point).collect(),
        entry: 0,
        error: Some(points - 1),
        edges: plan.iter().map(edge).collect(),
        renamed: FxHashMap::default(),
    }
}

/// Whether a run reaches the error, by all states and inputs.
fn fails(pool: &Pool, graph: &Graph) -> bool {
    let mut seen: FxHashSet<(usize, Vec<(Term, Value)>)> = FxHashSet::default();
    let mut pending = vec![(graph.entry, Vec::new())];
    while let Some(state) = pending.pop() {
        if Some(state.0) == graph.error {
            return true;
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        for edge in graph.edges.iter().filter(|edge| edge.from == state.0) {
            for input in all_values(Sort::BitVec(WIDTH)) {
                let mut values: FxHashMap<Term, Value> = state.1.iter().cloned().collect();
                values.insert(edge.locals[0], input);
                let of = |t: Term| evaluate(pool, t, &values).expect("no quantifiers");
                if of(edge.guard) == Value::Bool(true) {
                    let next = edge.values.iter().map(|(v, t)| (*v, of(*t))).collect();
                    pending.push((edge.to, next));
                }
            }
        }
    }
    false
}

/// (claimed simulations, pairs that a run tells apart)
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut claimed, mut apart) = (0, 0);
    for seed in seeds {
        let mut random = StdRng::seed_from_u64(seed);
        let points = random.random_range(3..5);
        let original = plan(&mut random, points);
        let mut changed = original.clone();
        if seed % 4 > 0 {
            mutate(&mut random, &mut changed);
        }
        let pool = Pool::new();
        let source = graph(&pool, "S.", &changed, points);
        let target = graph(&pool, "T.", &original, points);
        let allowance = Allowance::default().within(Duration::from_secs(10));
        let found = simulate(&pool, &source, &target, &[], &Standard, &allowance);
        let found = found.unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        let certificate = Certificate::of(&pool, &source, &found);
        assert_eq!(certificate.check(&pool, &allowance), Ok(None), "seed {seed}");
        let (ours, theirs) = (fails(&pool, &source), fails(&pool, &target));
        apart += usize::from(ours && !theirs);
        // An abstraction too has all violations, since control is not abstracted.
        if found.outcome <= Outcome::Skolem {
            claimed += 1;
            assert!(
                !ours || theirs,
                "seed {seed}: {:?}, but a run tells them apart",
                found.outcome
            );
        }
        if seed.is_multiple_of(4) {
            assert_eq!(found.outcome, Outcome::Identity, "seed {seed}: the same program");
        }
    }
    (claimed, apart)
}

#[test]
fn no_simulation_is_claimed_where_a_run_tells_programs_apart() {
    let (claimed, apart) = compare(0..24);
    assert!(claimed > 6 && apart > 0, "{claimed} claimed, {apart} apart");
}

/// `MUTANTS=5000 cargo test --release -p cairn-simulate --test mutants -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn no_simulation_is_claimed_of_many_mutants() {
    let count = std::env::var("MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let (claimed, apart) = compare(1000..1000 + count);
    println!("{count} pairs: {claimed} simulations, {apart} told apart by a run");
}
