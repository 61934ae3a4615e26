//! Random execution of the graph, to see states.
//!
//! The same seed gives the same states; effort is bounded by the number of terms evaluated.

use super::{Graph, Step};
use program::execute::Values;
use rustc_hash::FxHashMap;
use term::eval::evaluate_all;
use term::traverse::subterms;
use term::{Pool, Sort, Term, Value};
use value::Bits;

/// How many states of a node are kept.
const MAX_STATES: usize = 24;
/// How many steps a run has.
const MAX_STEPS: usize = 120;
/// How many runs there are.
const RUNS: usize = 16;
/// How many subterms are evaluated in all.
const MAX_EVALUATIONS: usize = 200_000;
/// How often inputs are drawn for one step.
const DRAWS: usize = 3;

/// States that runs have at each node.
pub(super) fn simulate(pool: &Pool, graph: &Graph, seed: u64) -> Vec<Vec<Values>> {
    let constants = constants(pool, graph);
    let costs = graph.steps.iter().map(|step| subterms(pool, &terms(step)).len() + 1).collect();
    let mut leaving = vec![Vec::new(); graph.nodes];
    for (step, Step { from, .. }) in graph.steps.iter().enumerate() {
        leaving[*from].push(step);
    }
    let mut simulation = Simulation {
        pool,
        graph,
        constants,
        costs,
        spent: 0,
        random: seed ^ 0x5851_f42d_4c95_7f2d,
        leaving,
        seen: vec![Vec::new(); graph.nodes],
    };
    for _ in 0..RUNS {
        simulation.run();
    }
    simulation.seen
}

/// What a step computes.
fn terms(step: &Step) -> Vec<Term> {
    let values = step.effect.assigned.iter().map(|(_, value)| *value);
    step.effect.guards.iter().copied().chain(values).collect()
}

/// The bit-vector constants of the program.
pub(super) fn constants(pool: &Pool, graph: &Graph) -> FxHashMap<u32, Vec<Bits>> {
    let all: Vec<Term> = graph.steps.iter().flat_map(terms).collect();
    let mut constants: FxHashMap<u32, Vec<Bits>> = FxHashMap::default();
    for term in subterms(pool, &all) {
        if let Some(bits) = pool.as_bits(term) {
            constants.entry(bits.width()).or_default().push(bits.clone());
        }
    }
    constants
}

struct Simulation<'a> {
    pool: &'a Pool,
    graph: &'a Graph,
    constants: FxHashMap<u32, Vec<Bits>>,
    costs: Vec<usize>,
    spent: usize,
    random: u64,
    /// The steps that leave each node.
    leaving: Vec<Vec<usize>>,
    seen: Vec<Vec<Values>>,
}

impl Simulation<'_> {
    fn next(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let mixed = self.random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        mixed as usize % bound.max(1)
    }

    fn run(&mut self) {
        let mut node = self.graph.initial;
        let mut state = Values::default();
        for _ in 0..MAX_STEPS {
            let Some((step, next)) = self.step(node, &state) else { return };
            node = self.graph.steps[step].to;
            state = next;
            self.note(node, &state);
        }
    }

    fn note(&mut self, node: usize, state: &Values) {
        if self.seen[node].len() < MAX_STATES {
            self.seen[node].push(state.clone());
        } else {
            let place = self.next(2 * MAX_STATES);
            if place < MAX_STATES {
                self.seen[node][place] = state.clone();
            }
        }
    }

    /// A step that can be taken.
    fn step(&mut self, node: usize, state: &Values) -> Option<(usize, Values)> {
        let count = self.leaving[node].len();
        let first = self.next(count);
        for offset in 0..count {
            let step = self.leaving[node][(first + offset) % count];
            let draws = if self.graph.steps[step].effect.inputs.is_empty() { 1 } else { DRAWS };
            for _ in 0..draws {
                self.spent += self.costs[step];
                if self.spent > MAX_EVALUATIONS {
                    return None;
                }
                if let Some(next) = self.attempt(step, state) {
                    return Some((step, next));
                }
            }
        }
        None
    }

    fn attempt(&mut self, step: usize, state: &Values) -> Option<Values> {
        let graph = self.graph;
        let effect = &graph.steps[step].effect;
        let mut known = state.clone();
        for (_, input) in &effect.inputs {
            if let Some(value) = self.draw(self.pool.sort(*input)) {
                known.insert(*input, value);
            }
        }
        let values = evaluate_all(self.pool, &terms(&graph.steps[step]), &known).ok()?;
        if effect.guards.iter().any(|g| values[g] != Value::Bool(true)) {
            return None;
        }
        let mut next = state.clone();
        for (variable, term) in &effect.assigned {
            next.insert(*variable, values[term].clone());
        }
        Some(next)
    }

    /// A value that programs find interesting; none for the default.
    fn draw(&mut self, sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => Some(Value::Bool(self.next(2) == 1)),
            Sort::BitVec(width) => {
                let bits = match self.next(4) {
                    0 => Bits::from_u64(width, self.next(4) as u64),
                    1 => Bits::from_u64(width, self.next(64) as u64),
                    2 => Bits::from_u64(width, self.next(usize::MAX) as u64),
                    _ => {
                        let count = self.constants.get(&width).map_or(0, Vec::len);
                        let place = self.next(count);
                        let known = self.constants.get(&width).and_then(|c| c.get(place));
                        known.cloned().unwrap_or_else(|| Bits::zero(width))
                    }
                };
                Some(Value::Bits(bits))
            }
            _ => None,
        }
    }
}
