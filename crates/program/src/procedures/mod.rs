//! Programs that keep their calls: the middle form, between a [`Program`] and an automaton.
//!
//! One automaton a function, with registers of its own beside the global ones; an edge may be a
//! call. It is the form of everything that works function by function: summaries, for which a
//! program is encoded in one formula a call (\[Fed15 §2.2.2\]: a partitioned encoding, so that
//! interpolants say what a function does), and an IC3 whose frames are of procedures instead of one
//! automaton (\[Lan18\], last page). It is also the way that every automaton is made on.
//!
//! **Passes.** A pass takes procedures and makes procedures:
//!
//! | pass | what it makes |
//! |---|---|
//! | `direct` | checks are edges to the error location, every call is to a procedure with a body |
//! | `inline` | the same, and one procedure without a call; recursion is unrolled to a depth |
//! | `memory` | scalar and array variables in place of loads and stores |
//!
//! [`crate::model`] is the list \[inline, memory\], and what is then left is an automaton;
//! [`procedures`] is the list \[direct, memory\]. The first gives every call objects of its own; in
//! the second all calls of a function share the variables that its objects became, which are global,
//! as pointers to them may be anywhere.
//!
//! [`Procedures::with_loops_as_recursion`] is for whoever wants each body as one formula.
//!
//! **Runs.** A run begins at the entry of the start. A call gives the parameters their values, all
//! other variables of the procedure any value, and goes on behind the call when the exit is
//! reached, with the results; a run is a violation as soon as it reaches the error location of any
//! procedure. Only globals are shared by open calls. From the dead end and from
//! locations that no edge leaves, there is no way on.
//!
//! **Objects of open calls.** A local object whose function can be open twice, because the
//! function is recursive, is not one object: it is placed during the run, by a variable that counts
//! up, like an object of a loop, and accesses to it are to an array by address. All others have
//! one place for all their lives; allocating again makes the contents unknown.
//!
//! **Limits.** Two calls of a function one after the other have their objects at one place here, and
//! at two where they are inlined: programs that compare an address with that of an object that is
//! gone can tell, and C does not say what they find. An access to such an object is a violation in
//! both if validity of pointers is asked for.
//!
//! \[Fed15\] is Fedyukovich: *Incremental Verification* (2015).
//!
//! [`Program`]: crate::Program

mod action;
mod effects;
mod frames;
mod interface;
mod loops;

pub use action::{Action, Allocation, Behind, Call, Callee, Instance};
pub use effects::Effects;
pub(crate) use frames::Frames;
pub use interface::{Interface, Node, Output, Summaries, Summary};

use crate::cfa::{Cfa, Context, Input, Location, LocationId, Origin};
use crate::model::Loaded;
use crate::model::outside::{Access, Contents, Outside};
use crate::place::Place;
use crate::program::{Assumption, FunctionId};
use crate::property::Property;
use la_arena::{Arena, Idx};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use term::Term;

pub use crate::model::procedures;

/// A procedure's index.
pub type ProcedureId = Idx<Procedure>;
/// An edge's index in its procedure.
pub type EdgeId = Idx<Edge>;

/// A program that keeps its calls.
#[derive(Clone, Debug)]
pub struct Procedures {
    /// The procedures that the start can reach by calls, the start first.
    pub procedures: Arena<Procedure>,
    /// Where runs begin.
    pub start: ProcedureId,
    /// Variables that all procedures share: global registers, and what memory has become.
    pub globals: FxHashMap<Term, Origin>,
    /// What havocs stand for.
    pub inputs: Arena<Input>,
    /// Chains of calls, each beginning in some procedure; the first is the empty one.
    pub contexts: Arena<Context>,
    /// What was assumed on the way.
    pub assumptions: Vec<Assumption>,
    /// The variables of memory whose first contents come from outside of the program.
    pub(crate) outside: FxHashMap<Term, Contents>,
    /// Of the slice of some properties, what it keeps.
    pub(crate) slice: Option<Slice>,
}

/// What is kept of a program of which only the slice of some properties is built. As no call changes
/// the registers of its callers, inlining may then put arguments in the place of parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slice {
    /// The registers that are read by anything that acts.
    pub needed: FxHashSet<Term>,
    /// All global registers, which every procedure can assign.
    pub globals: FxHashSet<Term>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The name in the source.
    pub name: Arc<str>,
    /// The function.
    pub function: FunctionId,
    /// Where it is defined.
    pub place: Place,
    /// The variables that take the arguments. Of a slice, one that is not among the procedure's
    /// variables takes nothing.
    pub parameters: Vec<Term>,
    /// The variables that hold the results at the exit.
    pub results: Vec<Term>,
    /// Its own variables, parameters and results among them, in order.
    pub variables: Vec<(Term, Origin)>,
    /// Points of the procedure.
    pub locations: Arena<Location>,
    /// Steps.
    pub edges: Arena<Edge>,
    /// Where violations lead.
    pub error: LocationId,
    /// Where runs end that nothing leads on from.
    pub dead_end: LocationId,
    /// Where calls begin.
    pub entry: LocationId,
    /// Where they return.
    pub exit: LocationId,
    /// What is known of a call without a look at the edges.
    pub extent: Extent,
    /// The edges that loaded from memory before it became variables.
    pub loads: FxHashMap<EdgeId, Loaded>,
    /// The edges that accessed memory some of which is outside of the program.
    pub(crate) outside: FxHashMap<EdgeId, Vec<Access>>,
    /// Of a slice, the registers that some edge gives a value.
    pub(crate) assigned: FxHashSet<Term>,
}

/// What there is of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A call does what the edges say.
    Body,
    /// It is defined nowhere: a call gives any results, and changes nothing else.
    Unknown,
    /// Nothing in it matters, and it returns.
    Idle,
    /// Nothing in it matters, and it never returns.
    Endless,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// What it does.
    pub action: Action,
    /// The source of its first instruction.
    pub place: Place,
    /// For an edge to the error location, what is violated.
    pub violates: Option<Property>,
}

impl Procedure {
    /// A procedure with its four special locations and nothing else.
    pub(crate) fn new(name: Arc<str>, function: FunctionId, place: Place) -> Procedure {
        let mut locations = Arena::new();
        let [error, dead_end, entry, exit] = [(); 4].map(|()| locations.alloc(Location::default()));
        Procedure {
            name,
            function,
            place,
            parameters: Vec::new(),
            results: Vec::new(),
            variables: Vec::new(),
            locations,
            edges: Arena::new(),
            error,
            dead_end,
            entry,
            exit,
            extent: Extent::Body,
            loads: FxHashMap::default(),
            outside: FxHashMap::default(),
            assigned: FxHashSet::default(),
        }
    }

    /// The calls in it.
    pub fn calls(&self) -> impl Iterator<Item = (EdgeId, &Call)> {
        self.edges.iter().filter_map(|(id, edge)| match &edge.action {
            Action::Call(call) => Some((id, &**call)),
            _ => None,
        })
    }
}

/// An automaton, and what its edges were before memory became variables.
pub(crate) struct Automaton {
    pub cfa: Cfa,
    pub loads: FxHashMap<crate::cfa::EdgeId, Loaded>,
    pub outside: Outside,
}

impl Procedures {
    /// All edges, procedure by procedure.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.procedures.values().flat_map(|procedure| procedure.edges.values())
    }

    /// How many locations, edges and variables there are.
    pub(crate) fn counts(&self) -> (usize, usize, usize) {
        let sum = |size: fn(&Procedure) -> usize| self.procedures.values().map(size).sum::<usize>();
        let variables = self.globals.len() + sum(|procedure| procedure.variables.len());
        (sum(|procedure| procedure.locations.len()), sum(|p| p.edges.len()), variables)
    }

    /// The start as an automaton, with what its edges were; none if an edge of it does more than an
    /// automaton can.
    pub(crate) fn automaton(mut self) -> Option<Automaton> {
        let start = &mut self.procedures[self.start];
        let loads = std::mem::take(&mut start.loads);
        let mut accesses = std::mem::take(&mut start.outside);
        let mut cfa = Cfa {
            locations: std::mem::take(&mut start.locations),
            edges: Arena::with_capacity(start.edges.len()),
            variables: self.globals,
            inputs: self.inputs,
            contexts: self.contexts,
            initial: Some(start.entry),
            error: Some(start.error),
        };
        cfa.variables.reserve(start.variables.len());
        cfa.variables.extend(std::mem::take(&mut start.variables));
        let mut kept = FxHashMap::default();
        let mut outside = Outside { contents: self.outside, ..Outside::default() };
        for (id, edge) in std::mem::take(&mut start.edges).into_iter() {
            let Edge { from, to, action, place, violates } = edge;
            let Action::Command(command) = action else { return None };
            let new = cfa.edges.alloc(crate::cfa::Edge { from, to, command, place, violates });
            kept.extend(loads.get(&id).map(|loaded| (new, *loaded)));
            outside.accesses.extend(accesses.remove(&id).map(|accesses| (new, accesses)));
        }
        Some(Automaton { cfa, loads: kept, outside })
    }
}
