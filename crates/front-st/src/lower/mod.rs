//! Programs of cyclic controllers as one function of instructions.
//!
//! A controller repeats: read the inputs, run the programs, write the outputs. Lowering makes one
//! function of that ([`cycle`]): initial values, then a loop in which inputs take any values, time
//! passes, bodies run, and requirements are checked.
//!
//! **Calls are inlined.** The standard has no recursion, and every instance of a block is a
//! variable, so each call is lowered where it stands ([`call`]): parameters by reference become
//! other names for what is given, types of open arrays and generic functions those of the
//! arguments, and which method an object runs is known or a choice between the instances there are.
//!
//! **Variables are registers** ([`storage`]), also the fields of structures and instances and the
//! elements of small arrays, which an unknown index chooses from ([`place`]). Strings, large arrays
//! and what a pointer can point to are in byte memory. Which variables these are shows while
//! lowering; then it begins again ([`Wanted`]).
//!
//! **Standard functions** are lowered to terms ([`standard`]); standard blocks are text in our own
//! language ([`crate::library`]).

mod action;
mod argument;
mod assign;
mod call;
mod chart;
mod convert;
mod coverage;
mod cycle;
mod dispatch;
mod ends;
mod expression;
mod frame;
mod graph;
mod initial;
mod input;
mod instance;
mod lasso;
mod local;
mod loops;
mod member;
mod observe;
mod operator;
mod pattern;
mod place;
mod pointer;
mod resolve;
mod standard;
mod statement;
mod storage;
mod text;
mod uses;

pub use ends::WATCHED;
pub use lasso::LOOP;
pub use observe::{Asked, Entry, Kind, Observed, Question, Role, Tree};
pub use pattern::{Bound, Pattern, Requirement};
pub(crate) use standard::is_pure;

use crate::ast::{Item, ItemKind, TypeDeclaration, Unit};
use crate::dialect::Dialect;
use crate::types::table::Table;
use crate::types::{Field, PouId, Type};
use frame::Frame;
use la_arena::Arena;
use place::Place;
use program::program::{
    Assumption, Function, FunctionId, LocationId, Object, Variable, VariableId,
};
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use source::diagnostic::Diagnostic;
use source::{SourceMap, Span};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use storage::Node;
use term::{Pool, Term};
use value::Bits;

/// How a program is lowered.
#[derive(Clone, Debug)]
pub struct Options {
    /// The unit that runs once per cycle; none for what the files' configuration says, or their
    /// programs, or else what no other unit uses.
    pub entry: Option<String>,
    /// The least and the greatest duration of a cycle, in nanoseconds.
    pub cycle: (u64, u64),
    /// After how many cycles runs end; none for never.
    pub cycles: Option<u64>,
    /// Variables that take any value in each cycle, besides inputs.
    pub inputs: Vec<String>,
    /// What has to hold, besides claims in the code.
    pub requirements: Vec<Requirement>,
    /// The properties that are asked about.
    pub properties: BTreeSet<Property>,
    /// Whether runs are to be given and seen: inputs keep their values unless they are set, and
    /// values at the end of each cycle are there to be read ([`Observed`]). Variables that are set
    /// by name come in addition to `inputs`.
    pub observed: bool,
    /// Whether there are probes for structural coverage.
    pub coverage: bool,
    /// How many rounds all loops of a cycle may have together; none if each has to end some time
    /// ([`Property::Termination`]).
    pub watchdog: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            entry: None,
            cycle: (1_000_000, 100_000_000),
            cycles: None,
            inputs: Vec::new(),
            requirements: Vec::new(),
            properties: [Property::Assert].into(),
            observed: false,
            coverage: false,
            watchdog: None,
        }
    }
}

/// What lowering gives.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What should be known of it.
    pub warnings: Vec<Diagnostic>,
    /// Inputs, outputs and other variables of the units that run, in order.
    pub observed: Observed,
    /// What there is to cover, if that was asked for.
    pub coverage: Option<program::coverage::Map>,
    /// The units of the files, with where they begin and end: all of them become one function.
    pub units: Vec<(Arc<str>, program::Place, program::Place)>,
}

/// How often lowering begins again before it gives up; each time, more variables are in memory.
const ROUNDS: usize = 50;

/// How many edges a program may have: each call is inlined.
const MOST_EDGES: usize = 3_000_000;

/// Lowers the units of files.
pub fn lower(
    unit: &Unit,
    library: &Unit,
    sources: &SourceMap,
    options: &Options,
) -> std::result::Result<Lowered, Vec<Diagnostic>> {
    let table = Table::new(unit, library)?;
    let mut wanted = Wanted::default();
    for _ in 0..ROUNDS {
        let mut lowerer = Lowerer::new(&table, sources, options, unit.dialect, &wanted);
        lowerer.warnings.extend(unit.warnings.iter().cloned());
        lowerer.whole_program().map_err(|error| vec![*error])?;
        if !wanted.grow(&lowerer.found) {
            let mut lowered = lowerer.finish();
            units(&unit.items, sources, &mut lowered.units);
            return Ok(lowered);
        }
    }
    let message = "too many variables are used by reference, each through another one";
    Err(vec![*Diagnostic::error(Span::default(), message)])
}

/// Adds the units among items, with where they begin and end.
fn units(
    items: &[Item],
    sources: &SourceMap,
    found: &mut Vec<(Arc<str>, program::Place, program::Place)>,
) {
    for item in items {
        match &item.kind {
            ItemKind::Pou(pou) => {
                let place = |span: Span| {
                    let at = sources.presumed(span);
                    program::Place { file: at.file.clone(), line: at.line, column: at.column }
                };
                let end = Span::new(item.span.end, item.span.end);
                found.push((pou.name.text.clone(), place(item.span), place(end)));
            }
            ItemKind::Namespace(namespace) => units(&namespace.items, sources, found),
            _ => {}
        }
    }
}

/// What has to be known before lowering, and shows while lowering.
#[derive(Clone, Default, PartialEq, Eq)]
struct Wanted {
    /// Variables whose address is taken, by their paths.
    memory: FxHashSet<Arc<str>>,
    /// Instances that interfaces refer to, by their paths, in the order in which they are met.
    instances: Vec<Arc<str>>,
    /// Whether anything reads the clock.
    clock: bool,
}

impl Wanted {
    /// Adds what was found; says whether anything is new.
    fn grow(&mut self, found: &Wanted) -> bool {
        let before = (self.memory.len(), self.instances.len(), self.clock);
        self.memory.extend(found.memory.iter().cloned());
        for path in &found.instances {
            if !self.instances.contains(path) {
                self.instances.push(path.clone());
            }
        }
        self.clock |= found.clock;
        before != (self.memory.len(), self.instances.len(), self.clock)
    }
}

/// The state of lowering.
struct Lowerer<'a> {
    table: &'a Table<'a>,
    sources: &'a SourceMap,
    options: &'a Options,
    pool: Pool,
    variables: Arena<Variable>,
    objects: Arena<Object>,
    functions: Arena<Function>,
    start: FunctionId,
    addresses: FxHashMap<Term, Bits>,
    next_address: u64,
    dialect: Dialect,
    /// How many registers have a name.
    names: FxHashMap<String, usize>,
    assumptions: Vec<Assumption>,
    warnings: Vec<Diagnostic>,
    /// Who has been warned of.
    warned: FxHashSet<String>,
    undefined: Vec<Arc<str>>,
    graph: program::builder::Graph,
    /// Where the code before the first cycle goes on.
    start_at: Option<LocationId>,
    /// What is being lowered.
    span: Span,
    /// The unit whose code is being lowered; its callers are below.
    frame: Frame<'a>,
    frames: Vec<Frame<'a>>,
    /// Resolved types of declarations.
    types: FxHashMap<*const TypeDeclaration, Type<'a>>,
    /// Types and blocks that are being resolved.
    resolving: Vec<*const TypeDeclaration>,
    resolving_blocks: Vec<PouId>,
    /// Values of an enumeration that is being resolved.
    earlier: Vec<Vec<(Arc<str>, i128)>>,
    /// The variables of blocks.
    fields: FxHashMap<PouId, Rc<Vec<Field<'a>>>>,
    /// Values of enumerations by their names.
    enumerators: FxHashMap<Arc<str>, (Type<'a>, i128)>,
    /// Global variables, and programs by their names.
    globals: FxHashMap<Arc<str>, Place<'a>>,
    /// Variables at places of the controller's memory.
    direct: FxHashMap<String, Place<'a>>,
    /// Those that are inputs.
    direct_inputs: Vec<Arc<str>>,
    /// Variables of functions that keep their values.
    kept: FxHashMap<(usize, Arc<str>), Place<'a>>,
    /// The variable that each register belongs to.
    owners: FxHashMap<VariableId, Arc<str>>,
    /// Instances of blocks by their paths.
    instances: FxHashMap<Arc<str>, (PouId, Node)>,
    /// Those that are in memory, and the blocks whose instances pointers have been followed to.
    in_memory: Vec<instance::InMemory>,
    chosen_from: Vec<PouId>,
    /// What the duration of each cycle is added to.
    timers: Vec<Node>,
    /// The clock in milliseconds.
    clock: Option<VariableId>,
    wanted: Wanted,
    found: Wanted,
    /// What has to happen some time, and is waited for.
    awaited: Vec<lasso::Awaited>,
    loops: Vec<ends::Loop>,
    /// Counts the rounds of loops in a cycle, for a watchdog.
    rounds: Option<VariableId>,
    /// The new value of a property, for the code that sets it.
    setter: Option<(Arc<str>, Type<'a>, expression::Value<'a>)>,
    /// Above zero where checks are not wanted: requirements are evaluated.
    quiet: usize,
    /// How deep constants are that are being evaluated, and actions that run.
    constants: usize,
    action_depth: usize,
    /// How many calls have been inlined and strings made, for names.
    calls: usize,
    buffers: usize,
    observed: Observed,
    coverage: Option<Box<coverage::Coverage>>,
}

impl<'a> Lowerer<'a> {
    fn new(
        table: &'a Table<'a>,
        sources: &'a SourceMap,
        options: &'a Options,
        dialect: Dialect,
        wanted: &Wanted,
    ) -> Lowerer<'a> {
        let mut functions = Arena::new();
        let start = functions.alloc(Function {
            name: Arc::from("<start>"),
            place: program::Place::default(),
            address: None,
            parameters: Vec::new(),
            results: Vec::new(),
            body: None,
        });
        let mut graph = program::builder::Graph::default();
        let start_at = graph.at.take();
        Lowerer {
            table,
            sources,
            options,
            pool: Pool::new(),
            variables: Arena::new(),
            objects: Arena::new(),
            functions,
            start,
            addresses: FxHashMap::default(),
            dialect,
            next_address: storage::FIRST_ADDRESS,
            names: FxHashMap::default(),
            assumptions: Vec::new(),
            warnings: Vec::new(),
            warned: FxHashSet::default(),
            undefined: Vec::new(),
            graph,
            start_at,
            span: Span::default(),
            frame: Frame::new(""),
            frames: Vec::new(),
            types: FxHashMap::default(),
            resolving: Vec::new(),
            resolving_blocks: Vec::new(),
            earlier: Vec::new(),
            fields: FxHashMap::default(),
            enumerators: FxHashMap::default(),
            globals: FxHashMap::default(),
            direct: FxHashMap::default(),
            direct_inputs: Vec::new(),
            kept: FxHashMap::default(),
            owners: FxHashMap::default(),
            instances: FxHashMap::default(),
            in_memory: Vec::new(),
            chosen_from: Vec::new(),
            timers: Vec::new(),
            clock: None,
            wanted: wanted.clone(),
            found: Wanted::default(),
            awaited: Vec::new(),
            loops: Vec::new(),
            rounds: None,
            setter: None,
            quiet: 0,
            constants: 0,
            action_depth: 0,
            calls: 0,
            buffers: 0,
            observed: Observed::default(),
            coverage: None,
        }
    }
}
