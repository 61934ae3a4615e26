//! The syntax tree: what a text says before names have a meaning.
//!
//! Expressions lie in one table and name their parts by number, so that nothing recurses over
//! them unasked. Places are resolved already: the parser knows which source is spoken of.

use program::Property;
use program::place::Place;
use program::program::{Cause, Extent, Reading, Storage};
use source::Span;
use std::sync::Arc;
use value::Curve;

/// A name where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: Arc<str>,
    /// Written with `::` before it: not relative to the function.
    pub(super) absolute: bool,
    pub(super) span: Span,
}

/// An expression by its number in [`Syntax::expressions`].
pub(super) type ExpressionId = usize;

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    pub(super) form: Form,
    pub(super) span: Span,
    /// How many expressions stand one in the other.
    pub(super) height: u32,
    /// Whether it consists of numbers whose sort has to follow from what stands around it.
    pub(super) open: bool,
}

/// The form of an expression.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A number with its sign.
    Number {
        negative: bool,
        text: Arc<str>,
    },
    /// `nan` or `inf`.
    Special {
        negative: bool,
        nan: bool,
    },
    True,
    False,
    Rounding(value::Rounding),
    /// A register.
    Register(Name),
    /// `#1`
    Local(Arc<str>),
    /// `&object`
    Address(Name),
    /// `-`, `~`, `!`
    Prefix(&'static str, ExpressionId),
    Infix(&'static str, ExpressionId, ExpressionId),
    /// `&&`, `||`
    Junction(&'static str, Vec<ExpressionId>),
    Choice(ExpressionId, ExpressionId, ExpressionId),
    /// `a[i]`
    Index(ExpressionId, ExpressionId),
    /// `a[i := v]`
    Update(ExpressionId, ExpressionId, ExpressionId),
    /// `a[high:low]`
    Extract(ExpressionId, u32, u32),
    /// A built-in function.
    Function(crate::words::Function, Vec<ExpressionId>),
    /// `real(n/d)`
    Fraction {
        negative: bool,
        numerator: Arc<str>,
        denominator: Arc<str>,
    },
    /// A declared function.
    Apply(Name, Vec<ExpressionId>),
    /// `all(sort, value)`
    All(Sort, ExpressionId),
    /// `element(sort, number)`
    Element(Sort, u32),
    /// `let #1 = …, … in …`
    Let(Vec<(Arc<str>, ExpressionId)>, ExpressionId),
}

/// A sort.
#[derive(Clone, Debug)]
pub(super) enum Sort {
    Plain(term::Sort),
    Declared(Name),
    Array(Box<Sort>, Box<Sort>),
}

/// A place, and whether the text states it.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) place: Place,
    pub(super) is_stated: bool,
}

/// What is said of the source's name.
#[derive(Clone, Debug, Default)]
pub(super) enum Shown {
    #[default]
    Usual,
    Named(Arc<str>),
    Unnamed,
}

/// A register of a header or a `var`; without a sort, one that is declared elsewhere.
#[derive(Clone, Debug)]
pub(super) struct Register {
    pub(super) name: Name,
    pub(super) sort: Option<Sort>,
    pub(super) reading: Option<Reading>,
    pub(super) shown: Shown,
    pub(super) place: Place,
}

/// What a value of a static object is.
#[derive(Clone, Debug)]
pub(super) enum Initial {
    Bytes(Vec<u8>),
    Value(ExpressionId),
}

#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) name: Name,
    pub(super) constant: bool,
    pub(super) unknown: bool,
    pub(super) size: u64,
    pub(super) clauses: Clauses,
    pub(super) initial: Vec<(u64, Initial, Span)>,
    pub(super) place: Place,
}

/// Optional parts of objects, functions and allocations.
#[derive(Clone, Debug, Default)]
pub(super) struct Clauses {
    pub(super) align: Option<(u64, Span)>,
    pub(super) at: Option<(u64, Span)>,
    pub(super) scalars: Vec<u32>,
    pub(super) address: Option<Name>,
    pub(super) named: Option<Arc<str>>,
    pub(super) locals: Vec<Register>,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) parameters: Vec<Register>,
    pub(super) results: Vec<Register>,
    pub(super) clauses: Clauses,
    pub(super) place: Place,
    pub(super) body: Option<Body>,
}

#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) items: Vec<Item>,
    /// Whether places are those of a source.
    pub(super) has_source: bool,
    /// The place of the closing brace, or that of the function in its source.
    pub(super) end: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Label(Label),
    Statement(Statement),
}

/// `name: loop label out @3:4`
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) name: Name,
    pub(super) is_loop: bool,
    pub(super) label: Option<Arc<str>>,
    pub(super) place: Stated,
}

#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) action: Action,
    pub(super) target: Target,
    pub(super) place: Place,
    pub(super) span: Span,
}

/// Where a statement leads.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// To what comes next.
    Next,
    /// To a location without edges, at the place.
    Stop(Place),
    /// To a named location, `exit` among them.
    Label(Name),
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    Skip,
    Assume(ExpressionId),
    Check(Property, ExpressionId),
    Assign(Name, ExpressionId),
    Havoc(Name, Cause),
    Compute { into: Name, curve: Curve, name: Arc<str>, arguments: Vec<ExpressionId>, error: u32 },
    Load { into: Name, sort: Option<(Sort, Span)>, address: ExpressionId },
    Measure { into: Name, extent: Extent, address: ExpressionId },
    Written { into: Name, size: u64, address: ExpressionId },
    Store { sort: Option<Sort>, address: ExpressionId, value: ExpressionId },
    Allocate { into: Name, size: ExpressionId, storage: Storage, written: bool, clauses: Clauses },
    Free { address: ExpressionId, storage: Storage },
    Copy { length: ExpressionId, from: ExpressionId, to: ExpressionId },
    Fill { length: ExpressionId, to: ExpressionId, byte: ExpressionId },
    HavocBytes { length: ExpressionId, address: ExpressionId, cause: Cause },
    Call { callee: Callee, arguments: Vec<ExpressionId>, results: Vec<Name> },
}

#[derive(Clone, Debug)]
pub(super) enum Callee {
    Function(Name),
    Pointer(ExpressionId),
}

/// `pure name(sorts): sort`
#[derive(Clone, Debug)]
pub(super) struct Pure {
    pub(super) name: Name,
    pub(super) parameters: Vec<Sort>,
    pub(super) result: Sort,
}

/// A whole text.
#[derive(Clone, Debug, Default)]
pub(super) struct Syntax {
    pub(super) expressions: Vec<Expression>,
    pub(super) pointers: Option<(u32, Span)>,
    pub(super) start: Option<Name>,
    pub(super) sorts: Vec<Name>,
    pub(super) pure: Vec<Pure>,
    pub(super) assumptions: Vec<(String, Place)>,
    pub(super) undefined: Vec<Arc<str>>,
    pub(super) registers: Vec<Register>,
    pub(super) objects: Vec<Object>,
    pub(super) functions: Vec<Function>,
}
