//! Programs in the form that is executed: registers by number, terms as straight-line code.
//!
//! There are two banks of registers: words ([`is_word`]), and values of other sorts. The sort of
//! a register or an operand tells which it is in. Words are all in one list ([`Section`]), so that
//! fetching one takes no decision.
//!
//! The terms of an edge become a list of nodes, arguments before their users, each shared
//! subterm once. Addresses of static objects and of functions are constants here. [`super::compile`]
//! makes this form.

use super::word::{self, WordOp, is_word};
use crate::program::{
    Cause, EdgeId, Extent, Function, FunctionId, LocationId, Program, Storage, VariableId,
};
use crate::property::Property;
use la_arena::Idx;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use term::{Op, Sort, Term, Value};
use value::Curve;

/// Why a program can't be executed: it breaks the rules of [`Program`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// Addresses of an unsupported width.
    #[error("addresses of {0} bits: at least 8 and at most 64 are supported")]
    PointerWidth(u32),
    /// The start function takes parameters or has no body.
    #[error("the start function has parameters, or no body")]
    Start,
    /// A term on an edge, or of an initial value.
    #[error("in `{function}`: a term uses {what}")]
    Term {
        /// The function, or the object.
        function: String,
        /// What it should not use.
        what: String,
    },
    /// A sort that does not fit.
    #[error("in `{function}`, edge {edge}: {what} has a wrong sort")]
    Sort {
        /// The function.
        function: String,
        /// The edge.
        edge: u32,
        /// What has it.
        what: &'static str,
    },
    /// An index of a variable, location or function that does not exist, or of another function's
    /// variable.
    #[error("in `{function}`: {what} that does not exist there")]
    Index {
        /// The function.
        function: String,
        /// What it is.
        what: &'static str,
    },
    /// An object without an address.
    #[error("the object `{0}` has no address, or lies outside of the region of static objects")]
    Address(String),
}

/// Where a register is in its bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    Global(u32),
    Local(u32),
}

/// Where an operand is in its bank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    Global(u32),
    Local(u32),
    Constant(u32),
    Temporary(u32),
}

/// The sections of the list of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Constants,
    Globals,
    /// Results of the nodes of the expression that is evaluated.
    Temporaries,
    /// Registers of the innermost call.
    Locals,
}

impl Section {
    pub(super) const COUNT: usize = 4;
}

/// Where a word is: its section in the two highest bits, its number in that below them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WordAt(u32);

impl WordAt {
    const NUMBER: u32 = u32::MAX >> 2;

    pub(super) fn new(section: Section, number: u32) -> WordAt {
        assert!(number <= WordAt::NUMBER, "a program has fewer words than that");
        WordAt((section as u32) << 30 | number)
    }

    /// Its place in the list, whose sections begin at these.
    #[inline]
    pub(super) fn place(self, sections: &[usize; Section::COUNT]) -> usize {
        sections[(self.0 >> 30) as usize] + (self.0 & WordAt::NUMBER) as usize
    }
}

impl From<Operand> for WordAt {
    fn from(operand: Operand) -> WordAt {
        match operand {
            Operand::Constant(n) => WordAt::new(Section::Constants, n),
            Operand::Global(n) => WordAt::new(Section::Globals, n),
            Operand::Temporary(n) => WordAt::new(Section::Temporaries, n),
            Operand::Local(n) => WordAt::new(Section::Locals, n),
        }
    }
}

impl From<Slot> for Operand {
    fn from(slot: Slot) -> Operand {
        match slot {
            Slot::Global(n) => Operand::Global(n),
            Slot::Local(n) => Operand::Local(n),
        }
    }
}

/// Words and other values.
#[derive(Clone, Default, Debug)]
pub(super) struct Bank {
    pub(super) words: Vec<u64>,
    pub(super) values: Vec<Value>,
}

impl Bank {
    /// Adds a value; says where it is.
    pub(super) fn push(&mut self, value: Value, sort: Sort) -> u32 {
        if is_word(sort) {
            self.words.push(word::of_value(&value));
            self.words.len() as u32 - 1
        } else {
            self.values.push(value);
            self.values.len() as u32 - 1
        }
    }
}

/// One operation; its result is the next temporary of its bank.
#[derive(Debug)]
pub(super) enum Node<'p> {
    /// Operands beyond the operator's are the first one again.
    Word(WordOp, [WordAt; 3]),
    /// Anything else.
    General(Box<General<'p>>),
}

/// An operation that is not on words alone.
#[derive(Debug)]
pub(super) struct General<'p> {
    pub(super) op: &'p Op,
    pub(super) sort: Sort,
    pub(super) args: SmallVec<[(Operand, Sort); 3]>,
}

/// A term.
#[derive(Debug)]
pub(super) struct Expression<'p> {
    pub(super) nodes: Box<[Node<'p>]>,
    pub(super) root: Operand,
    /// Where the root is if it is a word.
    pub(super) word: WordAt,
    pub(super) sort: Sort,
}

/// A register that is assigned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) slot: Slot,
    /// Where it is if it is a word.
    pub(super) word: WordAt,
    pub(super) variable: VariableId,
    pub(super) sort: Sort,
}

#[derive(Debug)]
pub(super) enum Action<'p> {
    Skip,
    Assume(Expression<'p>),
    Assign(Target, Expression<'p>),
    Havoc(Target, &'p Cause),
    Compute {
        into: Target,
        curve: Curve,
        arguments: Vec<Expression<'p>>,
        cause: &'p Cause,
    },
    Check(Property, Expression<'p>),
    /// Tells the listener the value.
    Probe(u32, Expression<'p>),
    Load {
        into: Target,
        address: Expression<'p>,
        length: u64,
    },
    Written {
        into: Target,
        address: Expression<'p>,
        length: u64,
    },
    Store {
        address: Expression<'p>,
        value: Expression<'p>,
        length: u64,
    },
    Allocate {
        into: Target,
        size: Expression<'p>,
        align: u64,
        storage: Storage,
        written: bool,
    },
    Free {
        address: Expression<'p>,
        storage: Storage,
    },
    Copy {
        to: Expression<'p>,
        from: Expression<'p>,
        length: Expression<'p>,
    },
    Fill {
        to: Expression<'p>,
        byte: Expression<'p>,
        length: Expression<'p>,
    },
    HavocBytes {
        address: Expression<'p>,
        length: Expression<'p>,
        cause: &'p Cause,
    },
    Measure {
        into: Target,
        address: Expression<'p>,
        extent: Extent,
    },
    Call {
        callee: Whom<'p>,
        arguments: Vec<Expression<'p>>,
        results: Vec<Target>,
    },
}

#[derive(Debug)]
pub(super) enum Whom<'p> {
    Function(FunctionId),
    Pointer { address: Expression<'p>, sorts: Vec<Sort> },
}

#[derive(Debug)]
pub(super) struct EdgeCode<'p> {
    pub(super) to: LocationId,
    pub(super) action: Action<'p>,
}

#[derive(Debug)]
pub(super) struct BodyCode<'p> {
    pub(super) entry: LocationId,
    pub(super) exit: LocationId,
    /// By edge.
    pub(super) edges: Vec<EdgeCode<'p>>,
    /// By location.
    pub(super) leaving: Vec<Leaving>,
}

/// How runs leave a location.
#[derive(Debug)]
pub(super) enum Leaving {
    One(EdgeId),
    /// By the first edge if its assumption holds, by the second if not.
    Branch(EdgeId, EdgeId),
    /// Any other number of edges.
    Several(Box<[EdgeId]>),
}

#[derive(Debug)]
pub(super) struct FunctionCode<'p> {
    /// What local registers hold at first.
    pub(super) locals: Bank,
    pub(super) parameters: Vec<(Slot, Sort)>,
    pub(super) results: Vec<(Slot, Sort)>,
    pub(super) body: Option<BodyCode<'p>>,
}

impl<'p> FunctionCode<'p> {
    /// The body of a function that is entered.
    pub(super) fn body(&self) -> &BodyCode<'p> {
        self.body.as_ref().expect("only functions with a body are entered")
    }
}

/// A program that can be executed.
#[derive(Debug)]
pub(super) struct Code<'p> {
    pub(super) functions: Vec<FunctionCode<'p>>,
    /// What global registers hold at first.
    pub(super) globals: Bank,
    pub(super) constants: Bank,
    /// How many words expressions need at most.
    pub(super) temporaries: usize,
    /// Functions by their addresses.
    pub(super) at: FxHashMap<u64, FunctionId>,
    /// Initial values of static objects: the object's number, the offset there, and the value.
    pub(super) initial: Vec<(usize, u64, Expression<'p>)>,
    /// Addresses of static objects, in their order.
    pub(super) objects: Vec<u64>,
    /// The numbers of the constants that are addresses of static objects and of functions.
    pub(super) addresses: FxHashMap<Term, u32>,
    /// Where registers are in their banks.
    pub(super) slots: Vec<Slot>,
}

impl Code<'_> {
    /// Makes assignments to some registers, whose values are words, probes with the numbers.
    pub(super) fn set_probes(&mut self, probes: &FxHashMap<VariableId, u32>) {
        let bodies = self.functions.iter_mut().filter_map(|function| function.body.as_mut());
        for edge in bodies.flat_map(|body| &mut body.edges) {
            let number = match &edge.action {
                Action::Assign(into, _) if is_word(into.sort) => probes.get(&into.variable),
                _ => None,
            };
            let Some(&number) = number else { continue };
            if let Action::Assign(_, value) = std::mem::replace(&mut edge.action, Action::Skip) {
                edge.action = Action::Probe(number, value);
            }
        }
    }
}

/// The index as a number.
pub(super) fn raw<T>(index: Idx<T>) -> usize {
    index.into_raw().into_u32() as usize
}

/// The functions by their addresses, which are the values of terms.
pub(super) fn functions_at(
    program: &Program,
    address: impl Fn(Term) -> Option<u64>,
) -> FxHashMap<u64, FunctionId> {
    let functions = program.functions.iter();
    functions.filter_map(|(id, function)| Some((address(function.address?)?, id))).collect()
}

/// Whether a function takes arguments of these sorts and gives results for these registers. One
/// without a body takes anything and gives anything.
pub(super) fn fits(
    program: &Program,
    function: &Function,
    arguments: &[Sort],
    results: &[VariableId],
) -> bool {
    if function.body.is_none() {
        return true;
    }
    let sort = |v: &VariableId| program.variables[*v].sort;
    function.parameters.iter().map(sort).eq(arguments.iter().copied())
        && results.len() <= function.results.len()
        && results.iter().zip(&function.results).all(|(a, b)| sort(a) == sort(b))
}
