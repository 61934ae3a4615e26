//! From a [`Program`] to a [`Cfa`]: one graph, no calls, no memory.
//!
//! Three steps, each in its own file:
//!
//! 1. `targets` finds the functions that a call through a pointer can be to, and [`mod@cone`], if
//!    asked to, what the properties depend on. [`inline`]: every call is replaced by an instance of
//!    its callee with registers of its own; checks of the properties asked for become edges to the error location. Recursion is
//!    unrolled to a depth; where that cuts, an edge to the error location with
//!    [`Property::Unwinding`] makes a proof say that the depth suffices.
//! 2. `points_to`: which objects an access can be to (Steensgaard's unification).
//! 3. `memory`: objects become scalar and array variables.
//!
//! What the model assumes beyond the program's text is stated where it is made, and collected
//! in [`Model::assumptions`].

mod alignment;
mod back;
mod cone;
mod control;
mod dependence;
mod flat;
mod graph;
mod initialized;
mod inline;
mod memory;
mod null;
mod objects;
mod passed;
mod points_to;
mod shape;
mod targets;

pub use back::WayBack;
pub use dependence::layout_dependence;
pub use null::{AlwaysNull, always_null};

use crate::cfa::{Cfa, ContextId, EdgeId};
use crate::minimize::{Pass, PassStatistics, Size};
use crate::place::Place;
use crate::program::{Assumption, EdgeId as ProgramEdgeId, FunctionId, Program};
use crate::property::Property;
use initialized::Unread;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use term::Term;

/// What to build, and how much of it at most.
#[derive(Clone, Debug)]
pub struct Options {
    /// The properties that are asked for: their checks lead to the error location.
    pub properties: BTreeSet<Property>,
    /// How many calls of one function may be open at a time before the model ends with
    /// [`Property::Unwinding`]; at least 1.
    pub recursion: u32,
    /// How many edges the automaton may have.
    pub edges: usize,
    /// Whether only that is built which the properties depend on. The automaton then has all
    /// violations of the program, and maybe more: a run of it counts if the interpreter can follow
    /// it. With [`Property::Pointer`] every access matters, and all is built.
    pub cone: bool,
    /// Whether the unknown first values of registers go that are assigned before they are read.
    pub initialized: bool,
    /// Whether registers that hold the address of one object are replaced by it.
    pub pointers: bool,
}

impl Default for Options {
    fn default() -> Self {
        let properties = [Property::Reach, Property::Assert].into();
        Options {
            properties,
            recursion: 3,
            edges: 1_000_000,
            cone: false,
            initialized: true,
            pointers: true,
        }
    }
}

/// Why there is no model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// Inlining made too many edges.
    #[error("{place}: calls inlined here make the model larger than {limit} edges")]
    Size {
        /// The call that went beyond.
        place: Place,
        /// The limit.
        limit: usize,
    },
    /// A construct that has no model.
    #[error("{place}: {what}")]
    Unsupported {
        /// Where it is.
        place: Place,
        /// In words.
        what: String,
    },
    /// The program breaks a rule of its own form: a fault of the front end.
    #[error("{place}: the program is not well formed: {what}")]
    Malformed {
        /// Where it is.
        place: Place,
        /// In words.
        what: String,
    },
}

/// An automaton, and what its verdicts depend on.
#[derive(Clone, Debug)]
pub struct Model {
    /// The automaton.
    pub cfa: Cfa,
    /// What was assumed in building it.
    pub assumptions: Vec<Assumption>,
    /// The edges that load from memory.
    pub loads: FxHashMap<EdgeId, Loaded>,
    /// Whether only the cone of the properties was built, see [`Options::cone`].
    pub cone: bool,
    /// What the passes did that are no passes of automata. Of [`Pass::Initialized`], terms are the
    /// instructions that give a variable its unknown first value. Of [`Pass::Cone`], the sizes are
    /// those of the functions that can be called, without repetition, and terms the instructions;
    /// of [`Pass::Pointers`], terms are the accesses to memory whose object is not known.
    pub passes: Vec<PassStatistics>,
}

/// A load from memory.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// The variable that takes the value.
    pub into: Term,
    /// The instruction, and the chain of calls it is in.
    pub instruction: (ContextId, FunctionId, ProgramEdgeId),
}

/// The automaton of a program; its error location is reachable if and only if one of the
/// properties asked for can be violated (or an unrolling does not suffice).
pub fn build(program: &Program, options: &Options) -> Result<Cfa, Error> {
    Ok(model(program, options)?.cfa)
}

/// The same with the assumptions made on the way.
pub fn model(program: &Program, options: &Options) -> Result<Model, Error> {
    let sliced = is_sliced(options);
    let mut passes = Vec::new();
    let mut unread = Unread::default();
    if options.initialized {
        unread = Unread::find(program);
        passes.push(unread.statistics(program));
    }
    let mut flat = if sliced {
        let (targets, memory) = targets::resolve_with_memory(program);
        let cone = cone::cone(program, &options.properties, &targets, &memory, &unread);
        let (before, after) = cone.sizes;
        passes.push(PassStatistics { pass: Pass::Cone, before, after });
        inline::inline(program, options, &targets, Some(&cone), &unread)?
    } else {
        inline::inline(program, options, &targets::resolve(program), None, &unread)?
    };
    let objects = objects::fix(program, &mut flat, options.pointers);
    if options.pointers {
        let size = |terms| Size {
            locations: flat.cfa.locations.len(),
            edges: flat.steps.len(),
            variables: flat.cfa.variables.len(),
            terms,
        };
        let (before, after) = (size(objects.open.0), size(objects.open.1));
        passes.push(PassStatistics { pass: Pass::Pointers, before, after });
    }
    let classes = points_to::analyze(program, &flat.cfa, &flat.steps, &objects);
    let model = memory::encode(program, options, flat, &objects, &classes)?;
    Ok(Model { cone: sliced, passes, ..model })
}

/// Whether only the cone of the properties is built.
fn is_sliced(options: &Options) -> bool {
    options.cone && !options.properties.contains(&Property::Pointer)
}
