//! SAT sweeping: gates that are equal for all values of inputs and latches become one.
//!
//! The graph is rebuilt gate by gate. A new gate whose simulated values agree, up to complement,
//! with those of an earlier node is a candidate; a solver decides. A counterexample becomes a
//! pattern: 64 of them make a column of simulation words, with which the candidates are told
//! apart better.
//!
//! Constraints are not assumed: a gate may be equal to another under a constraint, but the
//! constraint itself must not be replaced by what holds under it.

use super::Options;
use crate::cone;
use crate::random::Random;
use crate::reduction::{Reduction, Targets};
use crate::system::{Latch, Signal, SystemError, TransitionSystem};
use aig::{Aig, Edge, Encoder, Node};
use rustc_hash::{FxHashMap, FxHasher};
use sat::{Answer, Solver};
use std::hash::Hasher;

/// The most columns; later ones replace the oldest. Large graphs get fewer, so that all columns
/// together stay below 2^25 words where possible.
const MOST_COLUMNS: usize = 32;
/// Candidates of equal values that one gate is compared with.
const ATTEMPTS: usize = 3;

/// Merges equal gates.
pub fn reduce<S: Solver>(
    system: &TransitionSystem,
    options: &Options,
    mut new_solver: impl FnMut() -> S,
) -> Result<Reduction, SystemError> {
    system.check()?;
    let most_columns = ((1 << 25) / system.aig.len()).min(MOST_COLUMNS).max(options.columns);
    let mut sweep = Sweep::new(options, most_columns, options.attend(new_solver()));
    let needed = cone::marked(&system.aig, system.roots());
    let mut edges: Vec<Edge> = Vec::with_capacity(system.aig.len());
    for (node, kind) in system.aig.nodes().iter().enumerate() {
        let image = |e: Edge| edges[e.node()].xor(e.is_inverted());
        edges.push(match *kind {
            Node::False => Edge::FALSE,
            Node::Input => sweep.leaf(),
            Node::And(left, right) if needed[node] => sweep.gate(image(left), image(right)),
            Node::And(..) => Edge::FALSE,
        });
    }
    let image = |e: Edge| edges[e.node()].xor(e.is_inverted());
    let swept = copy(system, sweep.aig, image);
    let identity = Reduction::identity(swept);
    // Merging leaves nodes behind, and properties may have become independent of latches.
    let targets = Targets::all(&identity.system);
    let cone = cone::reduce(&identity.system, &targets)?;
    Ok(identity.then(cone))
}

/// The system over another graph.
fn copy(system: &TransitionSystem, aig: Aig, image: impl Fn(Edge) -> Edge) -> TransitionSystem {
    let signals = |signals: &[Signal]| -> Vec<Signal> {
        let copied = signals.iter();
        copied.map(|s| Signal { edge: image(s.edge), name: s.name.clone() }).collect()
    };
    let latches = system.latches.iter().map(|l| Latch {
        state: image(l.state),
        next: image(l.next),
        init: l.init,
        name: l.name.clone(),
    });
    TransitionSystem {
        inputs: signals(&system.inputs),
        latches: latches.collect(),
        bads: signals(&system.bads),
        constraints: signals(&system.constraints),
        outputs: signals(&system.outputs),
        comments: system.comments.clone(),
        aig,
    }
}

struct Sweep<'a, S> {
    options: &'a Options,
    most_columns: usize,
    aig: Aig,
    /// What each node of the graph is known to equal: an earlier node, or itself.
    representatives: Vec<Edge>,
    encoder: Encoder,
    solver: S,
    random: Random,
    /// The values of all nodes, column by column.
    columns: Vec<Vec<u64>>,
    /// The column that is replaced next, once there are as many as allowed.
    oldest: usize,
    /// The nodes that later ones are compared with.
    entered: Vec<u32>,
    /// The same, by the hash of their values, complemented so that the first is 0.
    candidates: FxHashMap<u64, Vec<u32>>,
    /// Counterexamples that are not yet a column: the value of each leaf.
    pending: Vec<Vec<bool>>,
    /// No more questions.
    exhausted: bool,
}

impl<'a, S: Solver> Sweep<'a, S> {
    fn new(options: &'a Options, most_columns: usize, solver: S) -> Self {
        let mut sweep = Sweep {
            options,
            most_columns,
            aig: Aig::new(),
            representatives: vec![Edge::FALSE],
            encoder: Encoder::new(),
            solver,
            random: Random::new(options.seed),
            columns: vec![vec![0]; options.columns.max(1)],
            oldest: 0,
            entered: Vec::new(),
            candidates: FxHashMap::default(),
            pending: Vec::new(),
            exhausted: false,
        };
        sweep.enter(0);
        sweep
    }

    fn leaf(&mut self) -> Edge {
        let edge = self.aig.input();
        self.representatives.push(edge);
        for column in &mut self.columns {
            column.push(self.random.word());
        }
        // Leaves are free: no question is worth asking between two of them.
        self.enter(edge.node());
        edge
    }

    /// A node that equals the conjunction, the earliest that is known.
    fn gate(&mut self, left: Edge, right: Edge) -> Edge {
        let before = self.aig.len();
        let edge = self.aig.and(left, right);
        self.extend(before);
        if self.aig.len() > before && !self.exhausted {
            self.compare(edge.node());
        }
        self.representatives[edge.node()].xor(edge.is_inverted())
    }

    /// Looks for an earlier node that equals a new one.
    fn compare(&mut self, node: usize) {
        let signature = self.signature(node);
        let known = self.candidates.get(&signature).cloned().unwrap_or_default();
        for candidate in known.into_iter().take(ATTEMPTS) {
            let candidate = candidate as usize;
            let other = Edge::new(candidate, self.phase(node) != self.phase(candidate));
            match self.equal(Edge::new(node, false), other) {
                Answer::Unsat => {
                    self.representatives[node] = other;
                    return;
                }
                Answer::Sat => self.learn_pattern(),
                Answer::Unknown(_) => return,
            }
        }
        self.enter(node);
        if self.pending.len() == 64 {
            self.add_column();
        }
    }

    /// Values of the nodes from `start` on, which are gates.
    fn extend(&mut self, start: usize) {
        for node in start..self.aig.len() {
            let Node::And(left, right) = self.aig.node(node) else { continue };
            self.representatives.push(Edge::new(node, false));
            for column in &mut self.columns {
                let word = |e: Edge| column[e.node()] ^ if e.is_inverted() { !0 } else { 0 };
                let value = word(left) & word(right);
                column.push(value);
            }
        }
    }

    /// Whether the values of a node are complemented before they are compared.
    fn phase(&self, node: usize) -> bool {
        self.columns[0][node] & 1 == 1
    }

    fn signature(&self, node: usize) -> u64 {
        let flip = if self.phase(node) { !0 } else { 0 };
        let mut hasher = FxHasher::default();
        for column in &self.columns {
            hasher.write_u64(column[node] ^ flip);
        }
        hasher.finish()
    }

    fn enter(&mut self, node: usize) {
        self.entered.push(node as u32);
        let signature = self.signature(node);
        self.candidates.entry(signature).or_default().push(node as u32);
    }

    /// Whether two edges are equal (`Unsat`) or can differ.
    fn equal(&mut self, a: Edge, b: Edge) -> Answer {
        let spent = self.solver.statistics().conflicts;
        if spent >= self.options.budget || self.options.stopped() {
            self.exhausted = true;
            return Answer::Unknown(sat::Exhausted::Work);
        }
        self.options.bound(&mut self.solver, spent);
        let a = self.encoder.lit(&self.aig, &mut self.solver, a);
        let b = self.encoder.lit(&self.aig, &mut self.solver, b);
        for (x, y) in [(a, !b), (!a, b)] {
            // SAT? x ∧ y over all values of inputs and latches
            let answer = self.solver.solve(&[x, y]);
            if answer != Answer::Unsat {
                return answer;
            }
        }
        Answer::Unsat
    }

    /// Keeps the solver's model as a pattern.
    fn learn_pattern(&mut self) {
        let mut pattern = Vec::with_capacity(self.aig.inputs().len());
        for leaf in self.aig.inputs() {
            let value = self.encoder.known(leaf).and_then(|l| self.solver.value(l));
            pattern.push(value.unwrap_or_else(|| self.random.one_in(2)));
        }
        if self.pending.len() < 64 {
            self.pending.push(pattern);
        }
    }

    /// Makes the patterns a column and sorts all nodes anew.
    fn add_column(&mut self) {
        let patterns = std::mem::take(&mut self.pending);
        let mut random = self.random.clone();
        let words = aig::simulate::Words::simulate(&self.aig, |k| {
            let bits = patterns.iter().enumerate();
            // A leaf that is younger than a pattern has no value in it.
            let bit = |random: &mut Random, p: &[bool]| match p.get(k) {
                Some(value) => *value,
                None => random.one_in(2),
            };
            bits.fold(0, |w, (j, p)| w | u64::from(bit(&mut random, p)) << j)
        });
        self.random = random;
        let column = (0..self.aig.len()).map(|n| words.word(Edge::new(n, false))).collect();
        if self.columns.len() < self.most_columns {
            self.columns.push(column);
        } else {
            self.columns[self.oldest] = column;
            self.oldest = (self.oldest + 1) % self.most_columns;
        }
        self.candidates.clear();
        for node in std::mem::take(&mut self.entered) {
            self.enter(node as usize);
        }
    }
}
