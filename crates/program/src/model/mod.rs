//! From a [`Program`] to [`Procedures`] and to a [`Cfa`].
//!
//! `build` makes procedures of a program's functions, with what `targets` finds of calls through
//! pointers, and only of what the properties depend on, if asked to ([`mod@cone`]). Passes follow,
//! each in its own file:
//!
//! * [`inline`]: every call is replaced by an instance of its callee with registers of its own;
//!   checks of the properties asked for become edges to the error location.
//! * [`direct`]: the same for checks, but calls stay.
//! * `memory`: objects become scalar and array variables; `objects` says which objects there are,
//!   `fields` which of them an access can be to, and where in them.
//!
//! [`model`] is \[inline, memory\], which leaves an automaton: one graph, no calls, no memory.
//! [`procedures()`] is \[direct, memory\].
//!
//! What the model assumes beyond the program's text is stated where it is made, and collected
//! in [`Model::assumptions`].

mod alignment;
mod back;
mod build;
mod cone;
mod control;
mod copy;
mod dependence;
mod direct;
mod fields;
mod initialized;
mod inline;
mod memory;
mod null;
mod objects;
pub mod outside;
mod passed;
mod points_to;
mod shape;
mod sliced;
mod targets;
mod unplaced;

pub use back::WayBack;
pub use dependence::layout_dependence;
pub use null::{AlwaysNull, always_null};
pub use sliced::{slice, slice_without};
pub use unplaced::unplaced;

use crate::cfa::{Cfa, ContextId, EdgeId};
use crate::minimize::{Pass, PassStatistics, Size};
use crate::place::Place;
use crate::procedures::{Automaton, Procedures};
use crate::program::{Assumption, EdgeId as ProgramEdgeId, FunctionId, Program, Reading};
use crate::property::Property;
use initialized::Unread;
use outside::Outside;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use term::{Pool, Term};

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
    /// What may be memory from outside of the program.
    pub outside: Outside,
    /// Whether only the slice of the properties was built, see [`Options::cone`].
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
    let mut passes = Vec::new();
    let built = build_procedures(program, options, &mut passes)?;
    let inlined = inline::inline(&program.pool, options, &built)?;
    drop(built);
    let encoded = memory_as_variables(program, options, inlined, &mut passes)?;
    let assumptions = encoded.assumptions.clone();
    let Automaton { cfa, loads, outside } =
        encoded.automaton().expect("calls are inlined and memory is encoded");
    debug_check(&program.pool, &cfa);
    Ok(Model { cfa, assumptions, loads, outside, cone: is_sliced(options), passes })
}

/// The procedures of a program, with calls kept and memory as variables: an edge is a command or a
/// call of one procedure. A violation is reachable if and only if one of the properties asked for
/// can be violated; [`Options::recursion`] is without meaning here.
pub fn procedures(program: &Program, options: &Options) -> Result<Procedures, Error> {
    let mut passes = Vec::new();
    let built = build_procedures(program, options, &mut passes)?;
    let direct = direct::direct(&program.pool, options, &built)?;
    let procedures = memory_as_variables(program, options, direct, &mut passes)?;
    debug_assert_eq!(procedures.wellformed(&program.pool), Ok(()));
    Ok(procedures)
}

/// The automaton of procedures in which memory is variables: inlining as the last pass instead of
/// the first.
pub fn inlined(pool: &Pool, options: &Options, procedures: &Procedures) -> Result<Cfa, Error> {
    let inlined = inline::inline(pool, options, procedures)?;
    let Automaton { cfa, .. } = inlined.automaton().ok_or_else(|| Error::Malformed {
        place: procedures.procedures[procedures.start].place.clone(),
        what: "memory is not yet variables".to_owned(),
    })?;
    debug_check(pool, &cfa);
    Ok(cfa)
}

/// The most edges of an automaton that debug builds check to be well formed.
const CHECKED: usize = 10_000;

/// In debug builds, what was made is well formed.
fn debug_check(pool: &Pool, cfa: &Cfa) {
    if cfg!(debug_assertions) && cfa.edges.len() <= CHECKED {
        debug_assert_eq!(cfa.wellformed(pool), Ok(()));
    }
}

/// The procedures as the program has them, as far as the options ask for them.
fn build_procedures(
    program: &Program,
    options: &Options,
    passes: &mut Vec<PassStatistics>,
) -> Result<Procedures, Error> {
    let mut unread = Unread::default();
    if options.initialized {
        unread = Unread::find(program);
        passes.push(unread.statistics(program));
    }
    if !is_sliced(options) {
        return build::build(program, options, &targets::resolve(program), None, &unread);
    }
    let (targets, memory) = targets::resolve_with_memory(program);
    let cone = cone::cone(program, &options.properties, &targets, &memory, &unread);
    let (before, after) = cone.sizes;
    passes.push(PassStatistics { pass: Pass::Cone, before, after });
    build::build(program, options, &targets, Some(&cone), &unread)
}

/// The pass that makes variables of memory.
fn memory_as_variables(
    program: &Program,
    options: &Options,
    mut procedures: Procedures,
    passes: &mut Vec<PassStatistics>,
) -> Result<Procedures, Error> {
    let objects = objects::fix(program, &mut procedures, options.pointers);
    if options.pointers {
        let (locations, edges, variables) = procedures.counts();
        let size = |terms| Size { locations, edges, variables, terms };
        let (before, after) = (size(objects.open.0), size(objects.open.1));
        passes.push(PassStatistics { pass: Pass::Pointers, before, after });
    }
    let own = procedures.procedures.values().flat_map(|procedure| &procedure.variables);
    let all = procedures.globals.iter().chain(own.map(|(variable, origin)| (variable, origin)));
    let pointers = all.filter(|(_, origin)| origin.reading == Reading::Address);
    let pointers: FxHashSet<Term> = pointers.map(|(variable, _)| *variable).collect();
    let classes = fields::analyze(program, &procedures, &pointers, &objects);
    memory::encode(program, options, procedures, &pointers, &objects, &classes)
}

/// Whether only the slice of the properties is built.
fn is_sliced(options: &Options) -> bool {
    options.cone && !asks_for_accesses(&options.properties)
}

/// Whether it is asked of accesses and of what is freed that they are valid: then all of them matter, and
/// so does whether objects live.
pub(crate) fn asks_for_accesses(properties: &BTreeSet<Property>) -> bool {
    properties.contains(&Property::Pointer) || properties.contains(&Property::Free)
}
