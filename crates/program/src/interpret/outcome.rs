//! How a run ends, and where.

use super::placement::Misplaced;
use crate::place::Place;
use crate::program::{EdgeId, FunctionId, Program};
use crate::property::Property;
use std::fmt;
use term::Value;

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A property that was asked for is violated.
    Violation {
        /// Which.
        property: Property,
        /// Where.
        at: Position,
        /// What went wrong, beyond a check that failed.
        fault: Option<Fault>,
    },
    /// The start function returned.
    Finished {
        /// What the last function returned that the start function called: the result of `main`.
        results: Vec<Value>,
    },
    /// The run ended silently.
    Ended {
        /// Where.
        at: Position,
        /// By what.
        by: Ending,
    },
    /// The program did something that has no meaning, and nobody asked whether it does.
    Undefined {
        /// Where.
        at: Position,
        /// What.
        fault: Fault,
    },
    /// A limit struck; the run could go on.
    Stopped {
        /// Where.
        at: Position,
        /// Which limit.
        by: Limit,
    },
}

/// What ends a run silently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// No edge could be taken: an assumption failed.
    Assumption,
    /// A location without edges: `abort`, `exit`.
    Stop,
    /// No address is left for a new object.
    Memory,
    /// An object may not lie where the run's placement puts it.
    Placement(Misplaced),
}

/// What a run can exhaust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The number of steps.
    Steps,
    /// The bytes that the interpreter may use for objects and frames.
    Memory,
    /// The deadline.
    Time,
    /// Somebody stopped the run.
    Interrupted,
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A check that no machine goes on after.
    Check(Property),
    /// An access to bytes that no living object has all of.
    Access {
        /// The first byte.
        address: u64,
        /// How many bytes.
        length: u64,
        /// Whether they were to be written.
        write: bool,
    },
    /// A write to an object that is constant.
    Constant {
        /// The first byte.
        address: u64,
    },
    /// What was freed does not begin a living object of that kind.
    Free {
        /// The address.
        address: u64,
    },
    /// A call through an address at which there is no function that takes these arguments.
    Call {
        /// The address.
        address: u64,
    },
}

impl Fault {
    /// The property that it violates.
    pub fn property(&self) -> Property {
        match self {
            Fault::Check(property) => *property,
            Fault::Access { .. } | Fault::Constant { .. } | Fault::Call { .. } => Property::Pointer,
            Fault::Free { .. } => Property::Free,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Check(property) => write!(f, "a check of {property} fails"),
            Fault::Access { address, length, write } => {
                let verb = if *write { "write" } else { "read" };
                write!(f, "{verb} of {length} bytes at {address:#x}, outside of living objects")
            }
            Fault::Constant { address } => write!(f, "write to a constant object at {address:#x}"),
            Fault::Free { address } => {
                write!(f, "free of {address:#x}, where no allocated object begins")
            }
            Fault::Call { address } => {
                write!(f, "call of {address:#x}, where no function of fitting type is")
            }
        }
    }
}

/// A point of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The function that was executed.
    pub function: FunctionId,
    /// The edge that was executed last or failed; none before the first.
    pub edge: Option<EdgeId>,
    /// The calls that were open, outermost first.
    pub calls: Vec<(FunctionId, EdgeId)>,
}

impl Position {
    /// Its place in the source.
    pub fn place(&self, program: &Program) -> Place {
        let function = &program.functions[self.function];
        match (self.edge, &function.body) {
            (Some(edge), Some(body)) => body.edges[edge].place.clone(),
            _ => function.place.clone(),
        }
    }

    /// The functions that were open and the places of their calls, outermost first.
    pub fn stack<'p>(&'p self, program: &'p Program) -> impl Iterator<Item = (&'p str, &'p Place)> {
        self.calls.iter().map(|&(function, edge)| {
            let function = &program.functions[function];
            (&*function.name, &function.body().edges[edge].place)
        })
    }
}

impl Outcome {
    /// Where the run ended, if not by returning.
    pub fn position(&self) -> Option<&Position> {
        match self {
            Outcome::Violation { at, .. }
            | Outcome::Ended { at, .. }
            | Outcome::Undefined { at, .. }
            | Outcome::Stopped { at, .. } => Some(at),
            Outcome::Finished { .. } => None,
        }
    }

    /// The property that the run violates, if it does.
    pub fn violates(&self) -> Option<Property> {
        match self {
            Outcome::Violation { property, .. } => Some(*property),
            _ => None,
        }
    }
}
