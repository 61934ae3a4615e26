//! Ternary simulation: values that are false, true or unknown.
//!
//! [`reachable_cube`] runs the circuit from its resets with all inputs unknown and joins what it
//! sees, until nothing changes: a cube that contains all reachable states. A latch that is still
//! known there is a constant. The cube is closed under steps even of the ternary simulation, so
//! its literals are an inductive fact.
//!
//! Values only ever rise from known to unknown, so the run is event-driven: every gate is
//! recomputed at most once per operand, and the whole takes time linear in the graph, however
//! many steps a value needs to travel.

use crate::reduction::{Fact, Reduction, Substitution, Targets, rebuild};
use crate::system::{Source, SystemError, TransitionSystem};
use aig::{Aig, Edge, Node};

/// A value of the ternary logic, as the set of values that are possible: bit 0 for false, bit 1
/// for true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ternary(u8);

impl Ternary {
    /// False.
    pub const FALSE: Ternary = Ternary(0b01);
    /// True.
    pub const TRUE: Ternary = Ternary(0b10);
    /// Either.
    pub const UNKNOWN: Ternary = Ternary(0b11);

    /// A known value, or unknown for `None`.
    pub fn of(value: Option<bool>) -> Self {
        match value {
            Some(true) => Self::TRUE,
            Some(false) => Self::FALSE,
            None => Self::UNKNOWN,
        }
    }

    /// The value, where it is known.
    pub fn value(self) -> Option<bool> {
        match self {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    /// This value, complemented where `flip`.
    #[inline]
    pub fn xor(self, flip: bool) -> Self {
        if flip { Ternary(self.0 >> 1 | (self.0 & 1) << 1) } else { self }
    }

    /// The conjunction.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Ternary((self.0 & other.0 & 0b10) | ((self.0 | other.0) & 0b01))
    }

    /// What is possible in either.
    #[inline]
    pub fn join(self, other: Self) -> Self {
        Ternary(self.0 | other.0)
    }
}

/// The ternary values of all nodes.
pub struct Values(Vec<Ternary>);

impl Values {
    /// Simulates the whole graph; `input(i)` gives the value of the i-th input.
    pub fn simulate(aig: &Aig, mut input: impl FnMut(usize) -> Ternary) -> Self {
        let mut values = Values(Vec::with_capacity(aig.len()));
        let mut inputs = 0;
        for node in aig.nodes() {
            let value = match *node {
                Node::False => Ternary::FALSE,
                Node::Input => {
                    inputs += 1;
                    input(inputs - 1)
                }
                Node::And(left, right) => values.value(left).and(values.value(right)),
            };
            values.0.push(value);
        }
        values
    }

    /// The value of an edge.
    #[inline]
    pub fn value(&self, edge: Edge) -> Ternary {
        self.0[edge.node()].xor(edge.is_inverted())
    }
}

/// The literals of leaves that the constraints contain as conjuncts: by node, the value that
/// every valid step gives to the leaf. Contradicting conjuncts leave the leaf out.
pub fn forced_leaves(system: &TransitionSystem) -> Vec<Option<bool>> {
    let mut possible = vec![Ternary::UNKNOWN; system.aig.len()];
    let mut visited = vec![false; system.aig.len()];
    let mut pending: Vec<Edge> = system.constraints.iter().map(|c| c.edge).collect();
    while let Some(edge) = pending.pop() {
        match system.aig.node(edge.node()) {
            Node::Input => {
                let old = possible[edge.node()];
                possible[edge.node()] = Ternary(old.0 & Ternary::of(Some(!edge.is_inverted())).0);
            }
            Node::And(left, right) if !edge.is_inverted() && !visited[edge.node()] => {
                visited[edge.node()] = true;
                pending.extend([left, right]);
            }
            _ => {}
        }
    }
    possible.into_iter().map(Ternary::value).collect()
}

/// A cube of latch values that contains all states that valid traces reach.
///
/// Ensures: with `cube` the conjunction of the known values, Init ⇒ cube, and
/// cube ∧ C ∧ T ⇒ cube'.
pub fn reachable_cube(system: &TransitionSystem) -> Result<Vec<Ternary>, SystemError> {
    let sources = system.sources()?;
    let forced = forced_leaves(system);
    let mut cube: Vec<Ternary> =
        system.latches.iter().map(|l| Ternary::of(l.init.value())).collect();
    // What a step may assume of a leaf: its value in the cube, narrowed by the constraints. A
    // latch known to violate a constraint keeps its value; then no step is possible, and
    // anything that contains the states reached so far will do.
    let assumed = |node: usize, value: Ternary| match forced[node] {
        Some(_) if value == Ternary::UNKNOWN => Ternary::of(forced[node]),
        _ => value,
    };
    let leaves: Vec<Edge> = system.aig.inputs().collect();
    let mut values = Values::simulate(&system.aig, |k| match sources[k] {
        Source::Input(_) => assumed(leaves[k].node(), Ternary::UNKNOWN),
        Source::Latch(l) => assumed(leaves[k].node(), cube[l]),
    });
    let fanouts = Fanouts::of(system);
    let mut pending: Vec<usize> = (0..system.latches.len()).collect();
    while let Some(latch) = pending.pop() {
        let joined = cube[latch].join(values.value(system.latches[latch].next));
        if joined == cube[latch] {
            continue;
        }
        cube[latch] = joined;
        let node = system.latches[latch].state.node();
        let value = assumed(node, joined).join(values.0[node]);
        if value != values.0[node] {
            values.0[node] = value;
            fanouts.propagate(system, &mut values, node, &mut pending);
        }
    }
    Ok(cube)
}

/// Replaces the latches that ternary simulation shows to be constant.
pub fn reduce(system: &TransitionSystem) -> Result<Reduction, SystemError> {
    let cube = reachable_cube(system)?;
    let known = cube.iter().enumerate().filter_map(|(latch, v)| Some((latch, v.value()?)));
    let facts: Vec<Fact> = known.map(|(latch, value)| Fact::Constant { latch, value }).collect();
    let substitution = Substitution::by_facts(system, &facts);
    rebuild(system, &substitution, facts, &Targets::all(system))
}

/// For every node the gates and the latches that read it.
struct Fanouts {
    /// The readers of node n are `readers[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    readers: Vec<Reader>,
}

#[derive(Clone, Copy)]
enum Reader {
    Gate(u32),
    Latch(u32),
}

impl Fanouts {
    fn of(system: &TransitionSystem) -> Self {
        let reads = |visit: &mut dyn FnMut(usize, Reader)| {
            for (gate, kind) in system.aig.nodes().iter().enumerate() {
                if let Node::And(left, right) = *kind {
                    visit(left.node(), Reader::Gate(gate as u32));
                    visit(right.node(), Reader::Gate(gate as u32));
                }
            }
            for (k, latch) in system.latches.iter().enumerate() {
                visit(latch.next.node(), Reader::Latch(k as u32));
            }
        };
        let mut starts = vec![0u32; system.aig.len() + 1];
        reads(&mut |node, _| starts[node + 1] += 1);
        for node in 0..system.aig.len() {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut readers = vec![Reader::Gate(0); starts[system.aig.len()] as usize];
        reads(&mut |node, reader| {
            readers[free[node] as usize] = reader;
            free[node] += 1;
        });
        Fanouts { starts, readers }
    }

    /// Recomputes what depends on a node that has risen; latches that may rise become pending.
    fn propagate(
        &self,
        system: &TransitionSystem,
        values: &mut Values,
        node: usize,
        pending: &mut Vec<usize>,
    ) {
        let mut risen = vec![node];
        while let Some(node) = risen.pop() {
            let range = self.starts[node] as usize..self.starts[node + 1] as usize;
            for reader in &self.readers[range] {
                match *reader {
                    Reader::Latch(latch) => pending.push(latch as usize),
                    Reader::Gate(gate) => {
                        let gate = gate as usize;
                        let Node::And(left, right) = system.aig.node(gate) else { continue };
                        let value = values.value(left).and(values.value(right));
                        if value != values.0[gate] {
                            values.0[gate] = value;
                            risen.push(gate);
                        }
                    }
                }
            }
        }
    }
}
