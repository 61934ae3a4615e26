//! Smaller systems with the way back: what every reduction of this crate returns.
//!
//! A reduction replaces latches by constants or by other latches, and gates by equal ones, and
//! then keeps only what the properties and constraints depend on. What it used to be allowed to
//! do so, its *facts*, is a conjunction of clauses over the original's latches that is inductive
//! in the original:
//!
//! * Init ⇒ facts, and facts ∧ C ∧ T ⇒ facts', where C are the constraints at the present step;
//! * where the facts hold, original and reduced system make the same steps (each original latch
//!   is its [`Image`]), and agree on bads and constraints.
//!
//! So a violation of the reduced system is one of the original ([`Reduction::lift_trace`]), and
//! an inductive invariant of the reduced system, conjoined with the facts, is one of the
//! original ([`Reduction::lift_invariant`]); a reduction is its own [`Back`].

use crate::invariant::{Clause, LatchLit};
use crate::system::{Latch, Signal, Source, SystemError, TransitionSystem};
use crate::trace::Trace;
use aig::{Edge, Node};
use passes::{Back, Form};

/// What became of a latch or an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Image {
    /// Nothing of interest depends on it.
    Dropped,
    /// It always has this value.
    Constant(bool),
    /// It is the latch or input of the new system with this index, or its complement.
    Kept {
        /// The index in the new system.
        index: usize,
        /// Whether it is the complement.
        inverted: bool,
    },
}

/// A fact about the original's reachable states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fact {
    /// The latch always has the value.
    Constant {
        /// The latch.
        latch: usize,
        /// Its value.
        value: bool,
    },
    /// The two latches are always equal, or always different where `inverted`.
    Equal {
        /// The latch that was replaced.
        latch: usize,
        /// The latch that replaced it.
        by: usize,
        /// Whether by the complement.
        inverted: bool,
    },
}

impl Fact {
    /// The fact as clauses.
    pub fn clauses(&self) -> Vec<Clause> {
        match *self {
            Fact::Constant { latch, value } => vec![vec![LatchLit::new(latch, value)]],
            Fact::Equal { latch, by, inverted } => [false, true]
                .map(|v| vec![LatchLit::new(latch, v), LatchLit::new(by, !v ^ inverted)])
                .to_vec(),
        }
    }

    /// The fact about other latches.
    fn renamed(self, name: impl Fn(usize) -> usize) -> Fact {
        match self {
            Fact::Constant { latch, value } => Fact::Constant { latch: name(latch), value },
            Fact::Equal { latch, by, inverted } => {
                Fact::Equal { latch: name(latch), by: name(by), inverted }
            }
        }
    }
}

/// A smaller system and its relation to the original.
#[derive(Clone)]
pub struct Reduction {
    /// The new system.
    pub system: TransitionSystem,
    /// What became of each latch of the original.
    pub latches: Vec<Image>,
    /// What became of each input of the original.
    pub inputs: Vec<Image>,
    /// For each latch of the new system, the latch of the original that it is.
    pub latch_origins: Vec<usize>,
    /// For each input of the new system, the input of the original that it is.
    pub input_origins: Vec<usize>,
    /// For each bad property of the new system, the one of the original that it is.
    pub bad_origins: Vec<usize>,
    /// What was used; see the head of this module.
    pub facts: Vec<Fact>,
}

impl Reduction {
    /// The reduction that changes nothing.
    pub fn identity(system: TransitionSystem) -> Self {
        let kept = |count| (0..count).map(|index| Image::Kept { index, inverted: false }).collect();
        Reduction {
            latches: kept(system.latches.len()),
            inputs: kept(system.inputs.len()),
            latch_origins: (0..system.latches.len()).collect(),
            input_origins: (0..system.inputs.len()).collect(),
            bad_origins: (0..system.bads.len()).collect(),
            facts: Vec::new(),
            system,
        }
    }

    /// This reduction followed by one of its result.
    ///
    /// Requires: `next` was made from `self.system`.
    pub fn then(mut self, next: Reduction) -> Reduction {
        let through = |image: &Image, images: &[Image]| match *image {
            Image::Kept { index, inverted } => match images[index] {
                Image::Dropped => Image::Dropped,
                Image::Constant(value) => Image::Constant(value ^ inverted),
                Image::Kept { index, inverted: again } => {
                    Image::Kept { index, inverted: inverted ^ again }
                }
            },
            image => image,
        };
        let renamed = next.facts.iter().map(|f| f.renamed(|l| self.latch_origins[l]));
        self.facts.extend(renamed);
        let origins = |new: &[usize], old: &[usize]| new.iter().map(|k| old[*k]).collect();
        Reduction {
            latches: self.latches.iter().map(|i| through(i, &next.latches)).collect(),
            inputs: self.inputs.iter().map(|i| through(i, &next.inputs)).collect(),
            latch_origins: origins(&next.latch_origins, &self.latch_origins),
            input_origins: origins(&next.input_origins, &self.input_origins),
            bad_origins: origins(&next.bad_origins, &self.bad_origins),
            facts: self.facts,
            system: next.system,
        }
    }

    /// The value of an original latch as an edge of the new system's graph.
    pub fn latch_edge(&self, original: usize) -> Option<Edge> {
        match self.latches[original] {
            Image::Dropped => None,
            Image::Constant(value) => Some(Edge::constant(value)),
            Image::Kept { index, inverted } => Some(self.system.latches[index].state.xor(inverted)),
        }
    }

    /// A trace of the new system as a trace of the original. What was dropped does not matter;
    /// latches that were replaced start with their resets.
    pub fn lift_trace(&self, trace: &Trace) -> Trace {
        let lift = |images: usize, origins: &[usize], values: &[Option<bool>]| {
            let mut lifted = vec![None; images];
            for (origin, value) in origins.iter().zip(values) {
                lifted[*origin] = *value;
            }
            lifted
        };
        Trace {
            initial: lift(self.latches.len(), &self.latch_origins, &trace.initial),
            inputs: trace
                .inputs
                .iter()
                .map(|step| lift(self.inputs.len(), &self.input_origins, step))
                .collect(),
        }
    }

    /// An invariant of the new system as an invariant of the original: the facts included.
    ///
    /// Requires: the clauses name latches of the new system.
    pub fn lift_invariant(&self, clauses: &[Clause]) -> Vec<Clause> {
        let renamed = clauses.iter().map(|clause| {
            clause.iter().map(|l| LatchLit::new(self.latch_origins[l.latch], l.value)).collect()
        });
        self.facts.iter().flat_map(Fact::clauses).chain(renamed).collect()
    }
}

impl Reduction {
    /// What a search of the new system had come to, as clauses about the original, each with its frame:
    /// the facts hold in all.
    pub fn lift_unfinished(&self, clauses: &[(usize, Clause)]) -> Vec<(usize, Clause)> {
        let facts = self.facts.iter().flat_map(Fact::clauses).map(|clause| (usize::MAX, clause));
        let renamed = clauses.iter().map(|(frame, clause)| {
            let literals = clause.iter();
            let name = |l: &LatchLit| LatchLit::new(self.latch_origins[l.latch], l.value);
            (*frame, literals.map(name).collect())
        });
        facts.chain(renamed).collect()
    }

    /// A clause about the original as one about the new system; none if it names a latch that was
    /// dropped, or if it always holds.
    pub fn lower_clause(&self, clause: &[LatchLit]) -> Option<Clause> {
        let mut lowered = Clause::with_capacity(clause.len());
        for literal in clause {
            match self.latches[literal.latch] {
                Image::Dropped => return None,
                Image::Constant(value) if value == literal.value => return None,
                Image::Constant(_) => {}
                Image::Kept { index, inverted } => {
                    lowered.push(LatchLit::new(index, literal.value ^ inverted));
                }
            }
        }
        lowered.sort_unstable();
        lowered.dedup();
        let tautology = lowered.windows(2).any(|pair| pair[0].latch == pair[1].latch);
        (!tautology).then_some(lowered)
    }
}

impl Form for TransitionSystem {
    type Invariant = Vec<Clause>;
    type Run = Trace;
}

impl Back for Reduction {
    type Before = TransitionSystem;
    type After = TransitionSystem;

    fn invariant(&self, clauses: Vec<Clause>) -> Option<Vec<Clause>> {
        Some(self.lift_invariant(&clauses))
    }

    fn run(&self, trace: Trace) -> Option<Trace> {
        Some(self.lift_trace(&trace))
    }
}

/// For every node of a graph an edge that may stand in its place.
///
/// A leaf may be replaced by a leaf or a constant, a gate by an edge to an earlier node; what
/// replaces is not replaced itself.
pub(crate) struct Substitution(Vec<Edge>);

impl Substitution {
    /// Every node stands for itself.
    pub fn identity(system: &TransitionSystem) -> Self {
        Substitution((0..system.aig.len()).map(|n| Edge::new(n, false)).collect())
    }

    /// Replaces a node.
    pub fn replace(&mut self, node: usize, by: Edge) {
        debug_assert_eq!(self.0[by.node()], by.plain(), "what replaces is not replaced");
        self.0[node] = by;
    }

    /// Replaces latches as the facts say.
    pub fn by_facts(system: &TransitionSystem, facts: &[Fact]) -> Self {
        let mut substitution = Self::identity(system);
        for fact in facts {
            let (latch, by) = match *fact {
                Fact::Constant { latch, value } => (latch, Edge::constant(value)),
                Fact::Equal { latch, by, inverted } => {
                    (latch, system.latches[by].state.xor(inverted))
                }
            };
            substitution.replace(system.latches[latch].state.node(), by);
        }
        substitution
    }

    /// What stands for an edge.
    pub fn of(&self, edge: Edge) -> Edge {
        self.0[edge.node()].xor(edge.is_inverted())
    }
}

/// What of a system is to be kept.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Indices of bad properties.
    pub bads: Vec<usize>,
    /// Indices of constraints.
    pub constraints: Vec<usize>,
}

impl Targets {
    /// All bad properties under all constraints.
    pub fn all(system: &TransitionSystem) -> Self {
        Self::of_bads(system, (0..system.bads.len()).collect())
    }

    /// Some bad properties under all constraints.
    pub fn of_bads(system: &TransitionSystem, bads: Vec<usize>) -> Self {
        Targets { bads, constraints: (0..system.constraints.len()).collect() }
    }
}

/// Builds the part of `system` that the targets depend on, with `substitution` applied.
///
/// Requires: the facts justify the substitution.
pub(crate) fn rebuild(
    system: &TransitionSystem,
    substitution: &Substitution,
    facts: Vec<Fact>,
    targets: &Targets,
) -> Result<Reduction, SystemError> {
    let needed = sequential_cone(system, substitution, targets)?;
    let mut new = TransitionSystem { comments: system.comments.clone(), ..Default::default() };
    let mut edges = vec![Edge::FALSE; system.aig.len()];
    let mut input_origins = Vec::new();
    for (k, input) in system.inputs.iter().enumerate() {
        if needed[input.edge.node()] {
            edges[input.edge.node()] = new.add_input(input.name.clone());
            input_origins.push(k);
        }
    }
    let mut latch_origins = Vec::new();
    for (k, latch) in system.latches.iter().enumerate() {
        if needed[latch.state.node()] {
            edges[latch.state.node()] = new.add_latch(latch.init, latch.name.clone());
            latch_origins.push(k);
        }
    }
    let image = |edges: &[Edge], edge: Edge| {
        let edge = substitution.of(edge);
        edges[edge.node()].xor(edge.is_inverted())
    };
    for (node, kind) in system.aig.nodes().iter().enumerate() {
        if let Node::And(left, right) = *kind
            && needed[node]
        {
            edges[node] = new.aig.and(image(&edges, left), image(&edges, right));
        }
    }
    for (latch, origin) in new.latches.iter_mut().zip(&latch_origins) {
        latch.next = image(&edges, system.latches[*origin].next);
    }
    let copied =
        |signal: &Signal| Signal { edge: image(&edges, signal.edge), name: signal.name.clone() };
    new.bads = targets.bads.iter().map(|k| copied(&system.bads[*k])).collect();
    let constraints = targets.constraints.iter().map(|k| copied(&system.constraints[*k]));
    new.constraints = constraints.filter(|s| s.edge != Edge::TRUE).collect();
    let images = images(system, substitution, &latch_origins, &input_origins);
    Ok(Reduction {
        system: new,
        latches: images.0,
        inputs: images.1,
        latch_origins,
        input_origins,
        bad_origins: targets.bads.clone(),
        facts,
    })
}

/// What became of latches and inputs.
fn images(
    system: &TransitionSystem,
    substitution: &Substitution,
    latch_origins: &[usize],
    input_origins: &[usize],
) -> (Vec<Image>, Vec<Image>) {
    let mut index_of_node = vec![None; system.aig.len()];
    for (index, origin) in latch_origins.iter().enumerate() {
        index_of_node[system.latches[*origin].state.node()] = Some(index);
    }
    for (index, origin) in input_origins.iter().enumerate() {
        index_of_node[system.inputs[*origin].edge.node()] = Some(index);
    }
    let image = |edge: Edge| {
        let edge = substitution.of(edge);
        match (edge.as_constant(), index_of_node[edge.node()]) {
            (Some(value), _) => Image::Constant(value),
            (None, Some(index)) => Image::Kept { index, inverted: edge.is_inverted() },
            (None, None) => Image::Dropped,
        }
    };
    let latches = system.latches.iter().map(|l: &Latch| image(l.state)).collect();
    let inputs = system.inputs.iter().map(|s| image(s.edge)).collect();
    (latches, inputs)
}

/// The nodes that the targets depend on, at this step or through latches.
fn sequential_cone(
    system: &TransitionSystem,
    substitution: &Substitution,
    targets: &Targets,
) -> Result<Vec<bool>, SystemError> {
    let mut next_of_node = vec![None; system.aig.len()];
    for (leaf, source) in system.aig.inputs().zip(system.sources()?) {
        if let Source::Latch(k) = source {
            next_of_node[leaf.node()] = Some(system.latches[k].next);
        }
    }
    let mut needed = vec![false; system.aig.len()];
    let bads = targets.bads.iter().map(|k| system.bads[*k].edge);
    let constraints = targets.constraints.iter().map(|k| system.constraints[*k].edge);
    let mut pending: Vec<Edge> = bads.chain(constraints).collect();
    while let Some(edge) = pending.pop() {
        let node = substitution.of(edge).node();
        if std::mem::replace(&mut needed[node], true) {
            continue;
        }
        match system.aig.node(node) {
            Node::And(left, right) => pending.extend([left, right]),
            Node::Input => pending.extend(next_of_node[node]),
            Node::False => {}
        }
    }
    Ok(needed)
}
