//! What can be wrong with a BTOR2 file, and what to do about it.

use super::{MAX_WIDTH, Sort};
use crate::place::Place;

/// A BTOR2 file that can't be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// The line ends too early.
    #[error("the line ends where {0} is expected")]
    Missing(&'static str),
    /// Something else was expected here.
    #[error("expected {expected}, found \"{found}\"")]
    Unexpected {
        /// What the format wants.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// An unknown keyword.
    #[error("\"{0}\" is no keyword of BTOR2")]
    Keyword(String),
    /// A second line with this identifier.
    #[error("identifier {id} is used a second time; first on line {first}")]
    Redefined {
        /// The identifier.
        id: u64,
        /// The line that used it first.
        first: usize,
    },
    /// An identifier that no earlier line has.
    #[error("no earlier line has the identifier {0}")]
    Undefined(u64),
    /// An identifier of a line that is no sort.
    #[error("line {line} (identifier {id}) is no sort")]
    NotASort {
        /// The identifier.
        id: u64,
        /// Its line.
        line: usize,
    },
    /// An identifier of a line that has no value.
    #[error("line {line} (identifier {id}) has no value: it is a sort, a property or the like")]
    NotAValue {
        /// The identifier.
        id: u64,
        /// Its line.
        line: usize,
    },
    /// An identifier of a line that is no state.
    #[error("line {line} (identifier {id}) is no state")]
    NotAState {
        /// The identifier.
        id: u64,
        /// Its line.
        line: usize,
    },
    /// A negated operand where none is possible.
    #[error("{0} can't be negated by a minus sign")]
    Negated(&'static str),
    /// A width that is zero or beyond the limit.
    #[error("width {0} is not supported: it must be from 1 to {MAX_WIDTH}")]
    Width(u64),
    /// An array of arrays.
    #[error(
        "index and element of an array must be bit vectors; arrays of arrays are not supported"
    )]
    NestedArray,
    /// An operand of the wrong sort.
    #[error("operand {number} has sort {found}; {expected} is expected")]
    OperandSort {
        /// Which operand, from 1.
        number: usize,
        /// The sort it must have.
        expected: String,
        /// The sort it has.
        found: Sort,
    },
    /// A declared sort that is not the operator's.
    #[error("the line declares sort {declared}, but its value has sort {computed}")]
    DeclaredSort {
        /// The sort on the line.
        declared: Sort,
        /// The sort that the operator gives.
        computed: String,
    },
    /// A constant that does not fit its sort.
    #[error("the constant does not fit into {0} bits")]
    ConstantTooLarge(u32),
    /// A slice outside its operand.
    #[error("bits {high} to {low} of a bit vector of width {width} do not exist")]
    Slice {
        /// The upper index.
        high: u64,
        /// The lower index.
        low: u64,
        /// The width of the operand.
        width: u32,
    },
    /// A second `init` or `next` of one state.
    #[error("the state has its {0} already")]
    Twice(&'static str),
    /// An initial value that depends on an input.
    #[error(
        "the initial value depends on the input of line {0}; use a state without next instead of the input"
    )]
    InitReadsInput(usize),
    /// Initial values that depend on each other.
    #[error("the initial value of this state depends on itself")]
    InitCycle,
    /// Liveness.
    #[error("\"{0}\": liveness is not supported; remove the line to check safety alone")]
    Liveness(&'static str),
}
