//! What an execution leaves behind: what may go wrong, where it was cut, and what a run takes.

use crate::object::Base;
use crate::path::Path;
use program::interpret::Part;
use program::program::{EdgeId, FunctionId, LocationId};
use program::{Place, Property};
use std::fmt;
use term::Term;

/// Something that must not happen.
#[derive(Clone)]
pub struct Goal {
    /// Up to here.
    pub path: Path,
    /// What is wrong then.
    pub violation: Term,
    /// Of which property.
    pub property: Property,
    /// Where.
    pub place: Place,
}

/// Runs that were not followed any further.
#[derive(Clone)]
pub struct Cut {
    /// Up to here.
    pub path: Path,
    /// Those for which this holds.
    pub condition: Term,
    /// Why not.
    pub why: Why,
    /// Where.
    pub place: Place,
}

/// Why runs were not followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A loop or a recursion has come to the bound; a larger one goes on.
    Bound,
    /// An access that can't be followed to objects: behind a pointer from outside, or one made by
    /// more than sums.
    Pointer,
    /// A range that is too long.
    Size,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Bound => "a loop or a recursion has come to the bound",
            Why::Pointer => "an access that can't be followed to an object",
            Why::Size => "an access to an object that is too large",
        })
    }
}

/// What a run asks for, in the order in which runs ask.
#[derive(Clone)]
pub struct Event {
    /// The runs that come here.
    pub path: Path,
    /// Of those, the ones that ask.
    pub condition: Term,
    /// The function that asks.
    pub function: FunctionId,
    /// For what.
    pub asked: Asked,
}

/// What a run asks for.
#[derive(Clone)]
pub enum Asked {
    /// A value.
    Value {
        /// The instruction.
        edge: EdgeId,
        /// Which of its values.
        part: Part,
        /// The variable that stands for it.
        value: Term,
    },
    /// Which edge to take: when each is taken, and whether its guard holds.
    Way {
        /// Where.
        location: LocationId,
        /// The edges: whether each is taken, and whether it could be.
        edges: Vec<(EdgeId, Term, Term)>,
    },
    /// Where an object is to lie.
    Object(Base),
}

/// All of it.
#[derive(Default)]
pub struct Found {
    /// What must not happen.
    pub goals: Vec<Goal>,
    /// What was not followed.
    pub cuts: Vec<Cut>,
    /// What runs ask for.
    pub events: Vec<Event>,
    /// The first check that some run comes to.
    pub reached: Option<Place>,
}
