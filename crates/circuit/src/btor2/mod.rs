//! BTOR2: word-level systems over bit vectors and arrays.
//!
//! The format is that of Niemetz, Preiner, Wolf, Biere: *Btor2, BtorMC and Boolector 3.0*
//! (CAV 2018). All its operators are read, for the sorts bit vector and array (from bit vectors
//! to bit vectors). Justice and fairness are liveness: they are rejected, not ignored.
//!
//! A [`System`] keeps words and arrays as they are; its nodes are in topological order
//! ([`System::nodes`]), so that whoever translates it to bits or terms makes one pass. The
//! meaning of every operator is what [`simulate`] computes.
//!
//! The reader is written by hand: `flussab-btor2` (0.1.0) leaves negated operands, the checking
//! of sorts and the places of semantic errors to its user, which is most of the work.
//!
//! * `read`, [`mod@write`]: the formats; `line` splits lines, `typing` checks sorts.
//! * [`simulate`]: values and one step of a system.
//! * [`mod@lower`]: the system at the bit level; [`back`]: traces back to words.
//! * [`witness`]: word-level traces, their format and their replay.

pub mod back;
mod error;
mod line;
pub mod lower;
mod op;
mod read;
pub mod simulate;
mod typing;
pub mod witness;
pub mod write;

pub use error::{Problem, ReadError};
pub use lower::{Lowered, TooLarge, lower};
pub use op::{Binary, Op, Unary};
pub use read::read;
pub use write::write;

use std::fmt;

/// The widest bit vector that is accepted: a limit against files of a few bytes that ask for
/// gigabytes.
pub const MAX_WIDTH: u32 = 1 << 20;

/// The sort of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Bit vectors of a width of at least 1.
    BitVec(u32),
    /// Arrays from bit vectors to bit vectors.
    Array {
        /// The width of an index.
        index: u32,
        /// The width of an element.
        element: u32,
    },
}

impl Sort {
    /// The sort of truth values: bit vectors of width 1.
    pub const BOOL: Sort = Sort::BitVec(1);

    /// The width of a bit vector.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            Sort::Array { .. } => None,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::BitVec(width) => write!(f, "bitvec {width}"),
            Sort::Array { index, element } => {
                write!(f, "array of bitvec {index} to bitvec {element}")
            }
        }
    }
}

/// A node, or its bitwise negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operand {
    /// The node's index in [`System::nodes`].
    pub node: usize,
    /// Whether all bits are negated; never of an array.
    pub negated: bool,
}

impl Operand {
    /// A node itself.
    pub fn plain(node: usize) -> Self {
        Operand { node, negated: false }
    }
}

impl fmt::Debug for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}n{}", if self.negated { "¬" } else { "" }, self.node)
    }
}

/// A value of the system: an input, a state or an operator with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// The operands, as many as the operator takes; all are earlier nodes.
    pub args: Vec<Operand>,
    /// The sort of its values.
    pub sort: Sort,
    /// The name in the file.
    pub symbol: Option<String>,
    /// The line of the file, from 1.
    pub line: usize,
}

/// A state variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The node with [`Op::State`].
    pub node: usize,
    /// The value at the first step; any value where there is none. For an array it may be a bit
    /// vector: the value of all elements. It depends on no input.
    pub init: Option<Operand>,
    /// The value at the next step; any value where there is none.
    pub next: Option<Operand>,
}

/// A named value: a property, a constraint or an output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The value; of a property or constraint, a bit vector of width 1.
    pub value: Operand,
    /// The name in the file.
    pub symbol: Option<String>,
    /// The line of the file, from 1.
    pub line: usize,
}

/// A word-level transition system. Traces, constraints and bad properties mean what they mean in
/// [`crate::system`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    nodes: Vec<Node>,
    inputs: Vec<usize>,
    states: Vec<State>,
    /// The nodes that initial values need, operands and initial values first; all states among
    /// them.
    init_order: Vec<usize>,
    /// What must never be true.
    pub bads: Vec<Root>,
    /// What may be assumed of every step.
    pub constraints: Vec<Root>,
    /// Outputs without a role in verification.
    pub outputs: Vec<Root>,
}

impl System {
    /// All nodes in topological order: operands come before their operators.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The inputs' nodes, in the order of the file (which witnesses count by).
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The states, in the order of the file (which witnesses count by).
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The nodes on which initial values depend, in an order in which they can be computed: a
    /// state with an initial value comes after all that this value depends on.
    pub fn init_order(&self) -> &[usize] {
        &self.init_order
    }

    /// The sort of an operand.
    pub fn sort(&self, operand: Operand) -> Sort {
        self.nodes[operand.node].sort
    }
}
