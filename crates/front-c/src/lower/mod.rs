//! From the typed program to a [`program::Program`]: functions of instructions, byte memory.
//!
//! **Where objects live.** A scalar whose address is never taken is a register; so is every leaf
//! of a struct that consists of scalars alone ([`shape`]). All else is memory: static objects
//! are [`program::Object`]s, automatic ones are allocated where their declaration is reached (at
//! the function's entry, where a jump can pass by the declaration) and freed where their block is
//! left. `_Bool` is the sort Bool in registers and a byte in memory; `long double` is the float
//! (15, 64) in registers and its x87 pattern of 80 bits in memory; pointers are bit-vectors.
//! A read of a `volatile` object gives an unknown value ([`volatile`]), unless they are assumed to be
//! like any others.
//!
//! **Order of evaluation.** Operands and arguments from left to right; of `a = b` first the place
//! `a`, of `a op= b` first the value `b`. Where a later operand can change what an earlier one
//! read, the earlier value is kept in a register of its own.
//!
//! **Control.** `&&`, `||` and `?:` are terms if all their operands are free of instructions, and
//! branches otherwise ([`effect`]).
//!
//! **Calls.** Scalars are passed as they are, a struct in registers as its leaves. Any other
//! struct is copied by the caller, who passes the address of the copy; one that is returned is
//! written to an address that the caller passes as the first argument. A function with variable
//! arguments takes, last, the address of an object that holds them one after the other
//! ([`variadic`]). A function defined without a prototype takes its arguments promoted.
//!
//! **Functions without a body** are those that verifiers give a meaning (`reach_error`,
//! `__VERIFIER_nondet_int`), those of the C library that have a [`model`], and others, whose result
//! is unknown and which change what they may ([`model`]), or are assumed to change nothing; each such
//! assumption is recorded.
//!
//! Only what the entry function can reach is lowered.

mod arguments;
pub(crate) mod assembly;
mod builtin;
mod call;
mod caller;
mod claim;
mod contract;
mod convert;
mod coverage;
mod cycle;
mod effect;
mod environment;
mod escape;
mod expression;
mod float;
mod function;
mod graph;
mod initialized;
mod initializer;
mod input;
mod instances;
mod interval;
mod jump;
mod leak;
mod memory;
mod model;
mod object;
mod operator;
mod parameters;
mod place;
mod pure;
mod quantifier;
mod returned;
mod shape;
mod start;
mod statement;
mod variadic;
mod volatile;
mod world;

use crate::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};
use crate::stack::with_deep_stack;
use crate::typed;
pub use caller::{Caller, Count, Extent, Nonnull};
pub use claim::{Claims, Purpose, SEGMENT};
use effect::Effects;
pub use input::{Bound, Cycle, Input, Way};
use la_arena::Arena;
use object::Home;
use program::program::{Assumption, FunctionId, VariableId};
use program::{Place, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use shape::Shapes;
use term::{Pool, Term};
pub use world::{LibmError, Malloc, Missing, Volatile, World};

/// What to lower, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that the run calls.
    pub entry: String,
    /// Labels that must not be reached.
    pub error_labels: Vec<String>,
    /// The properties whose checks are wanted. Checks for [`Property::Reach`] and
    /// [`Property::Assert`], and those of fatal properties, are made in any case.
    pub properties: Vec<Property>,
    /// Properties that nobody asks about, whose checks are made all the same, so that it can be found
    /// out whether they hold.
    pub watched: Vec<Property>,
    /// What is assumed of whoever calls the entry function.
    pub caller: Caller,
    /// Whether contracts of functions stand for calls of them, and invariants for loops.
    pub contracts: bool,
    /// What is assumed of the world around the program.
    pub world: World,
    /// Whether there are probes for structural coverage.
    pub coverage: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            entry: "main".into(),
            error_labels: Vec::new(),
            properties: vec![Property::Reach, Property::Assert],
            watched: Vec::new(),
            caller: Caller::default(),
            contracts: false,
            world: World::default(),
            coverage: false,
        }
    }
}

/// The result of lowering.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// What the user should know.
    pub warnings: Vec<Diagnostic>,
    /// Where functions of the library are called.
    pub library: FxHashSet<Place>,
    /// The functions with bodies that nothing which can be called refers to, so that they are not part
    /// of the program; but for those that are `inline`.
    pub unused: Vec<Unused>,
    /// What there is to cover, if that was asked for.
    pub coverage: Option<program::coverage::Map>,
}

/// A function that is not part of the program.
#[derive(Clone, Debug)]
pub struct Unused {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
}

/// Lowers a typed program. The errors name what is not supported.
pub fn lower(
    program: &typed::Program,
    sources: &SourceMap,
    options: &Options,
) -> Result<Lowered, Vec<Diagnostic>> {
    lower_with(program, sources, options, &Claims::default())
}

/// Lowers a typed program with the claims that it was compiled with.
pub fn lower_with(
    program: &typed::Program,
    sources: &SourceMap,
    options: &Options,
    claims: &Claims,
) -> Result<Lowered, Vec<Diagnostic>> {
    with_deep_stack(|| Lowerer::new(program, sources, options, claims).run())
}

/// The state of lowering.
struct Lowerer<'a> {
    c: &'a typed::Program,
    sources: &'a SourceMap,
    options: &'a Options,
    claims: &'a Claims,
    /// Whether the expression of a claim is being lowered.
    in_claim: bool,
    /// Whether what is being lowered can't go wrong, or is evaluated elsewhere, too.
    quiet: bool,
    /// Quantified formulas at hand, and what was found out about them.
    quantifiers: quantifier::Quantifiers,
    /// The register that counts the segments that the run has passed, if there are any.
    segment: Option<VariableId>,
    pool: Pool,
    variables: Arena<program::Variable>,
    objects: Arena<program::Object>,
    functions: Arena<program::Function>,
    /// Where the objects of the typed program live, of those that were met.
    homes: FxHashMap<typed::ObjectId, Home>,
    /// Objects whose address is taken.
    escaping: FxHashSet<typed::ObjectId>,
    /// Functions that were met.
    known: FxHashMap<typed::FunctionId, FunctionId>,
    /// Those among them whose bodies are still to be lowered.
    pending: Vec<typed::FunctionId>,
    /// Functions by name that the others call by it: the definition, if there is one.
    by_name: FxHashMap<crate::symbol::Symbol, typed::FunctionId>,
    /// Static objects in memory whose contents are still to be lowered.
    pending_objects: Vec<typed::ObjectId>,
    /// Static objects that live in registers, with their registers.
    static_registers: Vec<typed::ObjectId>,
    strings: FxHashMap<typed::StringId, Term>,
    /// Objects of the C library.
    named_objects: FxHashMap<String, Term>,
    object_ids: FxHashMap<Term, program::program::ObjectId>,
    /// Addresses of static objects and functions: never null.
    static_addresses: FxHashSet<Term>,
    /// Lengths of variable arrays.
    lengths: FxHashMap<typed::VlaId, VariableId>,
    shapes: Shapes,
    effects: Effects,
    /// Flags that say whether registers have a value, of those that may have none.
    written: FxHashMap<VariableId, VariableId>,
    /// Where callers say whether they use the value of a call, if that is to be checked.
    wanted: Option<VariableId>,
    /// How many blocks of the heap live, if that is asked.
    blocks: Option<VariableId>,
    /// The rounding mode, if the program changes it.
    rounding: Option<VariableId>,
    /// How often names of variables were used.
    names: FxHashMap<String, u32>,
    places: FxHashMap<u32, Place>,
    assumptions: Vec<Assumption>,
    undefined: Vec<std::sync::Arc<str>>,
    /// Where functions of the library are called.
    library: FxHashSet<Place>,
    /// What functions without a body change beside what their arguments point to.
    changes: model::Changes,
    /// Functions without a body whose calls are kept.
    kept: model::Kept,
    assumed: FxHashSet<String>,
    warnings: Vec<Diagnostic>,
    /// Registers of static objects.
    static_variables: FxHashSet<VariableId>,
    /// Registers with addresses of objects that functions allocate, and their sizes.
    own_objects: FxHashSet<Term>,
    own_sizes: FxHashMap<Term, Term>,
    /// What the contract of the entry function does not allow to be written.
    watch: Option<contract::Watch>,
    /// Pointers that the contract of the entry function gave objects.
    made: FxHashSet<String>,
    /// Loops that are replaced by their invariants, around the place at hand.
    cuts: Vec<contract::Cut>,
    /// First bytes of objects that must be different, where a contract is checked.
    fresh: Option<Vec<Term>>,
    /// Registers with values of variables that formulas are checked for; which ones is unknown.
    looked_at: Vec<VariableId>,
    /// How many formulas about all values are around the one at hand.
    depth: usize,
    /// How many formulas of contracts are being lowered.
    formulas: u32,
    /// Whether integers of the formula at hand do not overflow.
    unbounded: bool,
    /// What there is to cover, if that is asked for.
    coverage: Option<Box<coverage::Coverage>>,
    graph: program::builder::Graph,
    frame: function::Frame,
    /// The place that instructions are made for.
    span: Span,
}

impl<'a> Lowerer<'a> {
    fn new(
        c: &'a typed::Program,
        sources: &'a SourceMap,
        options: &'a Options,
        claims: &'a Claims,
    ) -> Lowerer<'a> {
        let mut lowerer = Lowerer {
            c,
            sources,
            options,
            claims,
            in_claim: false,
            quiet: false,
            quantifiers: quantifier::Quantifiers::default(),
            segment: None,
            pool: Pool::new(),
            variables: Arena::new(),
            objects: Arena::new(),
            functions: Arena::new(),
            homes: FxHashMap::default(),
            escaping: escape::escaping(c),
            known: FxHashMap::default(),
            pending: Vec::new(),
            by_name: FxHashMap::default(),
            pending_objects: Vec::new(),
            static_registers: Vec::new(),
            strings: FxHashMap::default(),
            named_objects: FxHashMap::default(),
            object_ids: FxHashMap::default(),
            static_addresses: FxHashSet::default(),
            lengths: FxHashMap::default(),
            shapes: Shapes::default(),
            effects: Effects::default(),
            written: FxHashMap::default(),
            wanted: None,
            blocks: None,
            rounding: None,
            names: FxHashMap::default(),
            places: FxHashMap::default(),
            assumptions: Vec::new(),
            undefined: Vec::new(),
            library: FxHashSet::default(),
            changes: model::Changes::default(),
            kept: model::Kept::default(),
            assumed: FxHashSet::default(),
            warnings: Vec::new(),
            static_variables: FxHashSet::default(),
            own_objects: FxHashSet::default(),
            own_sizes: FxHashMap::default(),
            watch: None,
            made: FxHashSet::default(),
            cuts: Vec::new(),
            fresh: None,
            looked_at: Vec::new(),
            depth: 0,
            formulas: 0,
            unbounded: false,
            coverage: None,
            graph: Default::default(),
            frame: function::Frame::default(),
            span: Span::default(),
        };
        lowerer.index_functions();
        lowerer
    }

    fn run(mut self) -> Result<Lowered, Vec<Diagnostic>> {
        let Some(entry) = self.entry() else {
            return Err(vec![*self.no_function(&self.options.entry)]);
        };
        self.file_assembly();
        self.find_coverage();
        self.find_rounding();
        self.make_segment();
        self.make_watch(entry);
        self.make_looked_at();
        self.make_wanted();
        let mut errors = Vec::new();
        self.function_id(entry);
        self.meet_contract(entry);
        if let Err(error) = self.meet_cycle() {
            return Err(vec![*error]);
        }
        for root in self.constructors_and_destructors() {
            self.function_id(root);
        }
        self.lower_pending(&mut errors);
        self.meet_initial_values(&mut errors);
        let start = match self.start_function(entry) {
            Ok(start) => start,
            Err(error) => {
                errors.push(*error);
                return Err(errors);
            }
        };
        // The start may have met objects of its own, such as initial values with addresses.
        self.lower_pending(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        if let Err(error) = self.finish_changes() {
            return Err(vec![*error]);
        }
        let addresses = match self.lay_out() {
            Ok(addresses) => addresses,
            Err(error) => return Err(vec![*error]),
        };
        self.forget_unchecked();
        let unused = self.unused();
        let coverage = self.take_coverage();
        self.remark_contracts();
        let program = Program {
            pointer_width: self.pointer_width(),
            pool: self.pool,
            variables: self.variables,
            objects: self.objects,
            functions: self.functions,
            start,
            addresses,
            assumptions: self.assumptions,
            undefined: self.undefined,
            asked: program::checks::Asked::default(),
        };
        Ok(Lowered { program, warnings: self.warnings, library: self.library, unused, coverage })
    }

    fn unused(&mut self) -> Vec<Unused> {
        let c = self.c;
        let functions = c.functions.iter().filter(|(id, function)| {
            function.body.is_some() && !function.inline && !self.known.contains_key(id)
        });
        let functions: Vec<&typed::Function> = functions.map(|(_, function)| function).collect();
        let mut unused = Vec::with_capacity(functions.len());
        for function in functions {
            let name = self.symbol_name(function.name).to_owned();
            unused.push(Unused { name, place: self.place_of(function.span) });
        }
        unused
    }

    fn lower_pending(&mut self, errors: &mut Vec<Diagnostic>) {
        loop {
            if let Some(function) = self.pending.pop() {
                if let Err(error) = self.lower_function(function) {
                    errors.push(*error);
                }
            } else if let Some(object) = self.pending_objects.pop() {
                if let Err(error) = self.lower_static(object) {
                    errors.push(*error);
                }
            } else {
                return;
            }
        }
    }

    fn file_assembly(&mut self) {
        for &span in &self.c.file_asm {
            self.span = span;
            self.assume_that("assembly outside of functions has no effect".into());
        }
    }

    fn pointer_width(&self) -> u32 {
        self.c.types.pointer_width()
    }

    /// Whether checks of the property are made.
    fn checks(&self, property: Property) -> bool {
        if self.unbounded && property == Property::Overflow {
            return false;
        }
        property.is_fatal()
            || matches!(property, Property::Reach | Property::Assert | Property::Claim)
            || self.asks(property)
    }

    /// Whether somebody wants to know of the property.
    fn asks(&self, property: Property) -> bool {
        self.options.properties.contains(&property) || self.options.watched.contains(&property)
    }

    /// The place in the source of a span.
    fn place_of(&mut self, span: Span) -> Place {
        if span == Span::default() {
            return Place::default();
        }
        let sources = self.sources;
        let place = self.places.entry(span.start).or_insert_with(|| {
            let position = sources.presumed(span);
            Place { file: position.file, line: position.line, column: position.column }
        });
        place.clone()
    }

    fn here(&mut self) -> Place {
        self.place_of(self.span)
    }

    /// Records something that the verdict depends on, once.
    fn assume_that(&mut self, text: String) {
        if self.assumed.insert(text.clone()) {
            let place = self.here();
            self.assumptions.push(Assumption { text, place });
        }
    }

    /// Tells the user once, and records it as an assumption.
    fn warn_that(&mut self, text: String) {
        if !self.assumed.contains(&text) {
            self.warnings.push(*Diagnostic::warning(self.span, text.clone()));
        }
        self.assume_that(text);
    }

    fn symbol_name(&self, symbol: crate::symbol::Symbol) -> &'a str {
        self.c.symbols.name(symbol)
    }

    /// A name that no other variable has.
    fn unique_name(&mut self, name: String) -> String {
        let count = self.names.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name;
        }
        let numbered = format!("{name}#{count}");
        self.unique_name(numbered)
    }
}
