//! Finite transition systems over an and-inverter graph.
//!
//! The semantics is that of AIGER 1.9 and the hardware model checking competition. A *step* is a
//! valuation of latches and inputs. A *trace* is a sequence of steps whose first latches satisfy
//! the reset values, whose latches at each further step are the `next` functions of the step
//! before, and in which **every** constraint holds at **every** step. A bad property is violated
//! by a trace at whose last step it is true; the constraints must hold there too.

use aig::{Aig, Edge, Node};

/// A named edge: an input, an output, a bad property or a constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The function; of an input, the graph's input itself.
    pub edge: Edge,
    /// The name from the file's symbol table.
    pub name: Option<String>,
}

impl Signal {
    /// A signal without a name.
    pub fn unnamed(edge: Edge) -> Self {
        Signal { edge, name: None }
    }
}

/// The value of a latch at the first step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Init {
    /// Reset to false.
    Zero,
    /// Reset to true.
    One,
    /// Uninitialized: both values are possible.
    Free,
}

impl Init {
    /// The reset value, if there is one.
    pub fn value(self) -> Option<bool> {
        match self {
            Init::Zero => Some(false),
            Init::One => Some(true),
            Init::Free => None,
        }
    }

    /// The reset to a value.
    pub fn constant(value: bool) -> Self {
        if value { Init::One } else { Init::Zero }
    }
}

/// A bit of state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// The present value: an input of the graph, not inverted.
    pub state: Edge,
    /// The value at the next step.
    pub next: Edge,
    /// The value at the first step.
    pub init: Init,
    /// The name from the file's symbol table.
    pub name: Option<String>,
}

/// What an input of the graph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The input with this index in [`TransitionSystem::inputs`].
    Input(usize),
    /// The latch with this index in [`TransitionSystem::latches`].
    Latch(usize),
}

/// A transition system; see the head of this module for its meaning.
///
/// [`TransitionSystem::check`] states the invariant that its parts must keep.
#[derive(Clone, Default)]
pub struct TransitionSystem {
    /// All functions.
    pub aig: Aig,
    /// The primary inputs.
    pub inputs: Vec<Signal>,
    /// The state.
    pub latches: Vec<Latch>,
    /// The bad properties: what must never be true.
    pub bads: Vec<Signal>,
    /// What may be assumed of every step.
    pub constraints: Vec<Signal>,
    /// Outputs without a role in verification; kept for writing.
    pub outputs: Vec<Signal>,
    /// The lines of the file's comment section.
    pub comments: Vec<String>,
}

/// A [`TransitionSystem`] that does not fit together.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SystemError {
    /// An input or the present value of a latch is no plain input of the graph.
    #[error("{claimant:?} is {edge:?}, which is not a plain input of the graph")]
    NotAnInput {
        /// Who claims the edge.
        claimant: Source,
        /// The edge.
        edge: Edge,
    },
    /// Two inputs or latches share one input of the graph.
    #[error("{first:?} and {second:?} share one input of the graph")]
    Shared {
        /// Who claimed it first.
        first: Source,
        /// Who claimed it again.
        second: Source,
    },
    /// An input of the graph that is neither an input nor a latch of the system.
    #[error("node {0} of the graph is an input that is neither an input nor a latch of the system")]
    Unclaimed(usize),
    /// An edge to a node that the graph does not have.
    #[error("{0:?} is outside the graph")]
    OutsideGraph(Edge),
}

impl TransitionSystem {
    /// A system without inputs, latches and properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an input.
    pub fn add_input(&mut self, name: Option<String>) -> Edge {
        let edge = self.aig.input();
        self.inputs.push(Signal { edge, name });
        edge
    }

    /// Adds a latch that keeps its value until [`Latch::next`] is set.
    pub fn add_latch(&mut self, init: Init, name: Option<String>) -> Edge {
        let state = self.aig.input();
        self.latches.push(Latch { state, next: state, init, name });
        state
    }

    /// Adds a bad property.
    pub fn add_bad(&mut self, edge: Edge, name: Option<String>) {
        self.bads.push(Signal { edge, name });
    }

    /// Adds a constraint.
    pub fn add_constraint(&mut self, edge: Edge, name: Option<String>) {
        self.constraints.push(Signal { edge, name });
    }

    /// What each input of the graph stands for, in the order of [`Aig::inputs`].
    ///
    /// Ensures: the result has one entry per input of the graph.
    pub fn sources(&self) -> Result<Vec<Source>, SystemError> {
        let mut claimed: Vec<Option<Source>> = vec![None; self.aig.len()];
        let inputs = self.inputs.iter().enumerate().map(|(i, s)| (Source::Input(i), s.edge));
        let latches = self.latches.iter().enumerate().map(|(i, l)| (Source::Latch(i), l.state));
        for (source, edge) in inputs.chain(latches) {
            if edge.node() >= self.aig.len() {
                return Err(SystemError::OutsideGraph(edge));
            }
            if edge.is_inverted() || self.aig.node(edge.node()) != Node::Input {
                return Err(SystemError::NotAnInput { claimant: source, edge });
            }
            if let Some(first) = claimed[edge.node()].replace(source) {
                return Err(SystemError::Shared { first, second: source });
            }
        }
        self.aig
            .inputs()
            .map(|e| claimed[e.node()].ok_or(SystemError::Unclaimed(e.node())))
            .collect()
    }

    /// The invariant: inputs and latches are the graph's inputs, one to one, and every edge is
    /// inside the graph.
    pub fn check(&self) -> Result<(), SystemError> {
        self.sources()?;
        match self.roots().find(|e| e.node() >= self.aig.len()) {
            Some(edge) => Err(SystemError::OutsideGraph(edge)),
            None => Ok(()),
        }
    }

    /// All functions: next states, bads, constraints, outputs.
    pub fn roots(&self) -> impl Iterator<Item = Edge> + '_ {
        let signals = [&self.bads, &self.constraints, &self.outputs];
        let nexts = self.latches.iter().map(|l| l.next);
        nexts.chain(signals.into_iter().flatten().map(|s| s.edge))
    }

    /// How many conjunctions the graph has.
    pub fn and_count(&self) -> usize {
        self.aig.len() - 1 - self.aig.inputs().len()
    }
}
