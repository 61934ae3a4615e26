//! What structural coverage is about: statements, decisions with their conditions, labels of `switch`,
//! and calls, as the typed program has them.
//!
//! A *decision* is a Boolean expression that is not an operand of another one, a *condition* one without
//! Boolean operators in it [DO-178C, glossary]. What controls `if`, a loop or `?:` is a decision, whatever
//! it is; elsewhere it is one if it compares or has a Boolean operator. `&`, `|` and `^` are Boolean
//! operators where both operands are truth values. An operand that stands in a macro is one as if it were
//! written out.
//!
//! The lowerer, asked for it ([`lower::Options::coverage`]), puts *probes* into the program: assignments
//! to registers that nothing reads. One says that a [`Point`] is reached, the others with what truth values
//! of its conditions a decision was evaluated: bit `i` is that of condition `i`. Which conditions were
//! evaluated follows from the values ([`Tree::evaluate`]).
//!
//! [`lower::Options::coverage`]: crate::lower::Options::coverage

mod collect;
mod tree;

pub(crate) use collect::collect;
pub use tree::{Bitwise, Evaluation, Tree};

use crate::typed::{ExprId, StmtId};
use program::Place;
use program::program::VariableId;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A decision with more conditions than this is looked at as a whole only.
pub const MAX_CONDITIONS: usize = 64;

/// What there is to cover.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// The functions that are defined, in the order of the source.
    pub functions: Vec<Function>,
    /// Places that a run comes to, or not.
    pub points: Vec<Point>,
    /// Decisions.
    pub decisions: Vec<Decision>,
    /// The register that says which point is reached, by its number; none if there are no points.
    pub reached: Option<VariableId>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub place: Place,
    /// Whether something that can be called refers to it, so that it is part of the program.
    pub used: bool,
}

/// Where something stands in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The place.
    pub place: Place,
    /// The function, by its number.
    pub function: usize,
    /// The macro whose text it is.
    pub in_macro: Option<Arc<str>>,
}

/// A place that a run comes to, or not.
#[derive(Clone, Debug)]
pub struct Point {
    /// Where.
    pub spot: Spot,
    /// What is there.
    pub kind: PointKind,
}

/// What is at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointKind {
    /// A function begins.
    Entry,
    /// A statement begins.
    Statement(StatementKind),
    /// A call is about to be made: of the function with this name, or through a pointer.
    Call(Option<Arc<str>>),
    /// The value of the `switch` with this number has been found to be one of this label.
    Label {
        /// The number of the `switch` in its function.
        switch: usize,
        /// Which label.
        label: Label,
    },
}

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum StatementKind {
    Expression,
    Declaration,
    If,
    Switch,
    Loop,
    Jump,
    Return,
    Assembly,
}

/// A label of a `switch`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// `case`, by the number among those of the `switch` and its text.
    Case(usize, Arc<str>),
    /// `default`, or none of the labels where there is none.
    Default {
        /// Whether it is written.
        written: bool,
    },
}

/// What a decision decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Which branch of an `if` is taken.
    If,
    /// Whether a loop goes on.
    Loop,
    /// Which operand of `?:` is evaluated.
    Conditional,
    /// Nothing: it is a value.
    Value,
}

/// A decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Where.
    pub spot: Spot,
    /// What it decides.
    pub role: Role,
    /// How it is made of its conditions.
    pub tree: Tree,
    /// Its conditions, from left to right.
    pub conditions: Vec<Condition>,
    /// The register that takes the truth values of its conditions, if it is part of the program.
    pub seen: Option<VariableId>,
}

/// A condition.
#[derive(Clone, Debug)]
pub struct Condition {
    /// Where.
    pub spot: Spot,
    /// Its text, shortened.
    pub text: Arc<str>,
    /// The operator that it is an operand of; none if it is the whole decision.
    pub operator: Option<&'static str>,
    /// Its value, if that is known when the program is translated.
    pub constant: Option<bool>,
}

/// Where the lowerer meets what a [`Map`] lists.
#[derive(Default)]
pub(crate) struct Sites {
    /// Points by statement.
    pub statements: FxHashMap<StmtId, usize>,
    /// Points by call.
    pub calls: FxHashMap<ExprId, usize>,
    /// Points of functions' beginnings, by function.
    pub entries: FxHashMap<crate::typed::FunctionId, usize>,
    /// Points of the labels of a `switch`: those of `case` in their order, then that of `default`.
    pub labels: FxHashMap<StmtId, Vec<usize>>,
    /// Decisions by the expression that is evaluated.
    pub decisions: FxHashMap<ExprId, Known>,
}

/// A decision that the lowerer meets.
pub(crate) struct Known {
    /// Its number.
    pub number: usize,
    /// The expressions of its conditions.
    pub conditions: Vec<ExprId>,
}
