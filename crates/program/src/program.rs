//! The program as a front end delivers it.
//!
//! **Registers.** A [`Variable`] is a typed register: a scalar that nobody takes the address of.
//! Its value is a term of sort Bool, bit-vector, float or rounding mode; it never aliases anything.
//!
//! **Memory.** Everything else is bytes at addresses: bit-vectors of [`Program::pointer_width`],
//! little-endian. A static [`Object`] has the address [`Object::address`], a variable of the
//! pool that nothing assigns; [`Program::addresses`] gives it its number. Objects on the stack and on
//! the heap come from [`Instruction::Allocate`], one for each execution. No two living objects
//! overlap, and none contains address zero; there are unused bytes between any two, unless a run
//! has a [`Placement`](crate::interpret::Placement) of its own.
//! `Load` and `Store` access as many bytes as the sort of the value takes: a bit-vector of width
//! 8·n or a float, by its interchange bits; Booleans and bit-fields are loaded and stored as
//! bit-vectors by the front end.
//!
//! **Control.** A function is a graph: an edge carries one instruction; where several edges
//! leave a location, one whose guard holds is taken (a front end makes the guards of a branch
//! exclude each other; several unguarded edges are a nondeterministic choice). A location without edges that is not the exit ends the
//! run. A failed `Assume` ends the run silently.
//!
//! **Unknown values** come from `Havoc` alone, each with its [`Cause`], so that a run is
//! determined by the values of its havocs.
//!
//! Terms on edges are total: division by zero and shifts are as SMT-LIB defines them, and the
//! checks before them say where C does not.

use crate::checks::Asked;
use crate::place::Place;
use crate::property::Property;
use la_arena::{Arena, Idx};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use term::{Pool, Sort, Term};
use value::{Bits, Curve};

/// A variable's index.
pub type VariableId = Idx<Variable>;
/// An object's index.
pub type ObjectId = Idx<Object>;
/// A function's index.
pub type FunctionId = Idx<Function>;
/// A location's index in its function.
pub type LocationId = Idx<Location>;
/// An edge's index in its function.
pub type EdgeId = Idx<Edge>;
/// An instruction in the program.
pub type Site = (FunctionId, EdgeId);

/// A whole program.
#[derive(Clone)]
pub struct Program {
    /// Where all its terms live.
    pub pool: Pool,
    /// Registers, global and local.
    pub variables: Arena<Variable>,
    /// Static objects, string literals among them.
    pub objects: Arena<Object>,
    /// Functions, also those without a body.
    pub functions: Arena<Function>,
    /// Where the run begins: a function without parameters that initializes global registers,
    /// runs constructors, and calls `main` with unknown arguments. Static objects have their
    /// initial bytes before it starts.
    pub start: FunctionId,
    /// The width of an address in bits.
    pub pointer_width: u32,
    /// The addresses of static objects and of functions whose address is taken: values of the
    /// variables [`Object::address`] and [`Function::address`].
    pub addresses: FxHashMap<Term, Bits>,
    /// What the verdict depends on beside the program's text: functions without a body, inline
    /// assembly, models of library functions that leave something out. One sentence each.
    pub assumptions: Vec<Assumption>,
    /// The functions that the program calls or takes the address of, but does not define, and of
    /// which nothing is known: by name, in the order in which they are met.
    pub undefined: Vec<Arc<str>>,
    /// Of which accesses it is asked whether they are valid, if that is asked of any; where one of the
    /// others is not, a run ends ([`crate::checks`]).
    pub asked: Asked,
}

impl Program {
    /// The edges of all functions.
    pub fn edges(&self) -> impl Iterator<Item = (Site, &Edge)> {
        let bodies = self.functions.iter().filter_map(|(id, f)| Some((id, f.body.as_ref()?)));
        bodies.flat_map(|(function, body)| {
            body.edges.iter().map(move |(id, edge)| ((function, id), edge))
        })
    }
}

/// Something that a verdict depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Assumption {
    /// In words.
    pub text: String,
    /// Where the program relies on it first.
    pub place: Place,
}

/// How a value is written in the source language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reading {
    /// A signed number.
    Signed,
    /// An unsigned number.
    Unsigned,
    /// A truth value.
    Bool,
    /// A floating-point number.
    Float,
    /// An address.
    Address,
}

impl Reading {
    /// How values of a sort are written where nothing else is said.
    pub fn of(sort: Sort) -> Reading {
        match sort {
            Sort::Bool => Reading::Bool,
            Sort::Float(_) => Reading::Float,
            _ => Reading::Signed,
        }
    }
}

/// A register.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its value in terms: a variable of the pool with a name that is unique in the program.
    pub term: Term,
    /// Its sort.
    pub sort: Sort,
    /// The name in the source, as an expression there (`x`, `s.field`); none if it was made up.
    pub name: Option<Arc<str>>,
    /// How its values are written.
    pub reading: Reading,
    /// The function it is local to.
    pub function: Option<FunctionId>,
    /// Where it is declared.
    pub place: Place,
}

/// A static object.
#[derive(Clone, Debug)]
pub struct Object {
    /// The name in the source, or a description.
    pub name: Arc<str>,
    /// A pool variable of the width of a pointer.
    pub address: Term,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// What is not zero: values at byte offsets, without overlap, of the sorts that are stored.
    /// Their variables are addresses only. An object declared but not defined has `unknown`
    /// contents.
    pub initial: Vec<(u64, Term)>,
    /// Whether nothing is known of its first contents.
    pub unknown: bool,
    /// Whether writing to it is an error.
    pub constant: bool,
    /// The sizes in bytes of the scalars that it consists of, as declared: the least cell that a typed
    /// memory can use.
    pub scalars: Vec<u32>,
    /// Where it is declared.
    pub place: Place,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source.
    pub name: Arc<str>,
    /// Where it is defined or declared.
    pub place: Place,
    /// Its address, if it is taken.
    pub address: Option<Term>,
    /// The registers that take the arguments.
    pub parameters: Vec<VariableId>,
    /// The registers that hold the result when the exit is reached; none for `void`, several
    /// for a struct that is kept in registers.
    pub results: Vec<VariableId>,
    /// Its graph, if it has a body.
    pub body: Option<Body>,
}

/// The graph of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Locations.
    pub locations: Arena<Location>,
    /// Edges.
    pub edges: Arena<Edge>,
    /// Where calls begin.
    pub entry: LocationId,
    /// Where they return.
    pub exit: LocationId,
}

/// A point between instructions.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The source's point that comes next.
    pub place: Place,
    /// A label of the source that stands here.
    pub label: Option<Arc<str>>,
    /// Whether a loop statement of the source begins here: where a witness puts its invariant.
    pub loop_head: bool,
}

/// A step from location to location.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub from: LocationId,
    /// Where it leads.
    pub to: LocationId,
    /// What it does.
    pub instruction: Instruction,
    /// The source of the instruction.
    pub place: Place,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// Nothing.
    Skip,
    /// Goes on only if the formula holds.
    Assume(Term),
    /// `variable := term`
    Assign(VariableId, Term),
    /// `variable` takes any value of its sort.
    Havoc(VariableId, Cause),
    /// A violation of the property if the formula does not hold; goes on with what
    /// [`Property::is_fatal`] says.
    Check(Property, Term),
    /// Reads the bytes at the address.
    Load {
        /// Takes the value; its sort says how many bytes.
        into: VariableId,
        /// From where.
        address: Term,
    },
    /// Whether all of so many bytes at the address were written. Those of an object that
    /// [`Instruction::Allocate`] makes were not, unless it says so, nor are those that [`Instruction::HavocBytes`] makes
    /// unknown for [`Cause::Uninitialized`]; a copy copies that too. The address must be as that of a
    /// [`Instruction::Load`].
    Written {
        /// Takes the answer, a truth value.
        into: VariableId,
        /// From where.
        address: Term,
        /// How many, at least one.
        size: u64,
    },
    /// Writes the bytes at the address.
    Store {
        /// Where to.
        address: Term,
        /// The value; its sort says how many bytes.
        value: Term,
    },
    /// A new object with unknown contents.
    Allocate {
        /// Takes its address.
        into: VariableId,
        /// Its size in bytes, of the width of a pointer.
        size: Term,
        /// Alignment in bytes.
        align: u64,
        /// Where it lives.
        storage: Storage,
        /// Whether its contents count as written: somebody outside of the program has made it.
        written: bool,
        /// See [`Object::scalars`]; empty if unknown.
        scalars: Vec<u32>,
        /// The source's name for it.
        name: Option<Arc<str>>,
    },
    /// The object that begins at the address ends to live. Of the heap, a null pointer is allowed.
    Free {
        /// Its first byte.
        address: Term,
        /// Which kind it must be of.
        storage: Storage,
    },
    /// `length` bytes are copied; the ranges may overlap.
    Copy {
        /// Where to.
        to: Term,
        /// From where.
        from: Term,
        /// How many, of the width of a pointer.
        length: Term,
    },
    /// `length` bytes are set to the one byte.
    Fill {
        /// Where to.
        to: Term,
        /// A bit-vector of width 8.
        byte: Term,
        /// How many, of the width of a pointer.
        length: Term,
    },
    /// `length` bytes take any values.
    HavocBytes {
        /// Where.
        address: Term,
        /// How many, of the width of a pointer.
        length: Term,
        /// Why.
        cause: Cause,
    },
    /// Asks how many bytes the living object at the address has there; none if no living object has
    /// a byte at the address.
    Measure {
        /// Takes the number, of the width of a pointer.
        into: VariableId,
        /// Where.
        address: Term,
        /// Which bytes.
        extent: Extent,
    },
    /// A call; it returns when the callee's exit is reached.
    Call {
        /// Who is called.
        callee: Callee,
        /// As many as the callee has parameters, of their sorts. (Of a call through a pointer,
        /// candidates whose parameters don't fit are not called.)
        arguments: Vec<Term>,
        /// Take the callee's results, in order; fewer if they are not used.
        results: Vec<VariableId>,
    },
}

/// Which bytes of an object [`Instruction::Measure`] counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extent {
    /// Those from the address on.
    Rest,
    /// Those from the address on, if the object may be written; none otherwise.
    Writable,
    /// Those before the address.
    Before,
}

impl Extent {
    /// All of them.
    pub const ALL: [Extent; 3] = [Extent::Rest, Extent::Writable, Extent::Before];

    /// The word for it in texts.
    pub fn name(self) -> &'static str {
        match self {
            Extent::Rest => "rest",
            Extent::Writable => "writable",
            Extent::Before => "before",
        }
    }
}

/// Who is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// A function. One without a body returns unknown results and has no other effect; what
    /// else a front end assumes of it, it puts around the call.
    Function(FunctionId),
    /// The function at the address.
    Pointer(Term),
}

/// How long an allocated object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Until it is freed.
    Heap,
    /// Until it is freed, or its function returns.
    Stack,
}

/// Where an unknown value comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// The environment: a `nondet` function by its name.
    Input(Arc<str>),
    /// The object was not initialized.
    Uninitialized,
    /// The result of a function without a body, by its name.
    Unknown(Arc<str>),
    /// The result of a function that computes something definite, by its name, for which there is
    /// no model: the value is unknown to us, not to the program. A run that depends on it need not
    /// be one of the program.
    Approximated(Arc<str>),
    /// The result of a function of `math.h` that is known up to its last digits.
    Computed(Arc<Computed>),
    /// Inline assembly.
    Assembly,
}

/// A function's result that libraries agree on up to its last digits. The interpreter takes the correctly
/// rounded one; a front end says with terms between which bounds others lie.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Computed {
    /// The function.
    pub curve: Curve,
    /// What the program calls it.
    pub name: Arc<str>,
    /// What it is given, of the sort of the result.
    pub arguments: Vec<Term>,
    /// How far a library's result may be from the correctly rounded one, in units in the last place.
    pub error: u32,
}

impl Instruction {
    /// The terms in it.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Instruction::Skip => Vec::new(),
            Instruction::Havoc(_, cause) => cause.terms().to_vec(),
            Instruction::Assume(term)
            | Instruction::Assign(_, term)
            | Instruction::Check(_, term)
            | Instruction::Load { address: term, .. }
            | Instruction::Measure { address: term, .. }
            | Instruction::Written { address: term, .. }
            | Instruction::Allocate { size: term, .. }
            | Instruction::Free { address: term, .. } => vec![*term],
            Instruction::Store { address, value } => vec![*address, *value],
            Instruction::Copy { to, from, length } => vec![*to, *from, *length],
            Instruction::Fill { to, byte, length } => vec![*to, *byte, *length],
            Instruction::HavocBytes { address, length, .. } => vec![*address, *length],
            Instruction::Call { callee, arguments, .. } => match callee {
                Callee::Function(_) => arguments.clone(),
                Callee::Pointer(address) => arguments.iter().copied().chain([*address]).collect(),
            },
        }
    }
}

impl Storage {
    /// All of them.
    pub const ALL: [Storage; 2] = [Storage::Heap, Storage::Stack];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Storage::Heap => "heap",
            Storage::Stack => "stack",
        }
    }
}

impl Cause {
    /// The terms in it.
    pub fn terms(&self) -> &[Term] {
        match self {
            Cause::Computed(computed) => &computed.arguments,
            _ => &[],
        }
    }

    /// The same with other terms.
    #[must_use]
    pub fn map_terms(&self, map: &mut impl FnMut(Term) -> Term) -> Cause {
        match self {
            Cause::Computed(computed) => {
                let arguments = computed.arguments.iter().map(|term| map(*term)).collect();
                Cause::Computed(Arc::new(Computed { arguments, ..(**computed).clone() }))
            }
            cause => cause.clone(),
        }
    }

    /// In a word, and the name of what gives the value, if it has one.
    pub fn words(&self) -> (&'static str, Option<&str>) {
        match self {
            Cause::Input(name) => ("input", Some(name)),
            Cause::Uninitialized => ("uninitialized", None),
            Cause::Unknown(name) => ("unknown", Some(name)),
            Cause::Approximated(name) => ("approximated", Some(name)),
            Cause::Computed(computed) => ("computed", Some(&computed.name)),
            Cause::Assembly => ("assembly", None),
        }
    }
}

impl Function {
    /// The body of a function that has one.
    ///
    /// # Panics
    /// If it has none.
    pub fn body(&self) -> &Body {
        self.body.as_ref().expect("the caller knows that the function is defined")
    }
}
