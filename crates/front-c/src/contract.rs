//! Contracts in the typed program: what functions and loops promise, in the words of CBMC or ACSL.
//!
//! A contract of a function has parameters of its own: they are the values of the call, whatever the
//! function does with its own. Its formulas are expressions of the typed program that change
//! nothing; those of ACSL are computed with so many bits that nothing wraps.

use crate::ast::Spelling;
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed::{ExprId, ObjectId, PlaceId};

/// A formula of a contract.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// Its truth, a `_Bool`.
    pub truth: ExprId,
    /// The place of its clause.
    pub span: Span,
    /// How it is written; with ACSL, arithmetic does not wrap.
    pub spelling: Spelling,
}

/// What may be written.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Only if this holds before.
    pub condition: Option<ExprId>,
    /// What.
    pub part: Part,
    /// Its place.
    pub span: Span,
}

/// A part of the memory.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// An lvalue.
    Place(PlaceId),
    /// So many bytes from a pointer on.
    Bytes(ExprId, ExprId),
    /// The object that a pointer points into, from there on.
    From(ExprId),
    /// The whole object that a pointer points into.
    Whole(ExprId),
}

/// A value of the state before, which the object stands for.
#[derive(Clone, Copy, Debug)]
pub struct Old {
    /// What the formulas name.
    pub object: ObjectId,
    /// Its value.
    pub value: ExprId,
}

/// The contract of a function.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its place.
    pub span: Span,
    /// How it is written.
    pub spelling: Spelling,
    /// The number of the file that it is in.
    pub unit: u32,
    /// The parameters: their values when the function is called.
    pub params: Vec<ObjectId>,
    /// What the function returns.
    pub result: Option<ObjectId>,
    /// Values of the state when it is called.
    pub olds: Vec<Old>,
    /// What must hold then.
    pub requires: Vec<Formula>,
    /// What holds when it returns.
    pub ensures: Vec<Formula>,
    /// What it may write; nothing is said if there are none.
    pub assigns: Option<Vec<Target>>,
    /// Pointers to what it may free.
    pub frees: Vec<ExprId>,
    /// What is not understood.
    pub problem: Option<Box<Diagnostic>>,
}

/// The contract of a loop.
#[derive(Clone, Debug)]
pub struct LoopContract {
    /// Its place.
    pub span: Span,
    /// What holds whenever the condition is evaluated.
    pub invariants: Vec<Formula>,
    /// Values of the state before the loop.
    pub olds: Vec<Old>,
    /// What it may write; to be computed if there are none.
    pub assigns: Option<Vec<Target>>,
    /// What is not understood.
    pub problem: Option<Box<Diagnostic>>,
}

/// A formula about all or some values of an integer variable.
#[derive(Clone, Copy, Debug)]
pub struct Quantified {
    /// Whether it is about all values.
    pub all: bool,
    /// The variable.
    pub object: ObjectId,
    /// Which values matter; none if that was not seen.
    pub interval: Option<Interval>,
    /// What holds of it, a `_Bool`.
    pub body: ExprId,
}

/// The values of a quantified variable that decide a formula, all others are without consequence.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The least; without it, that of the type.
    pub low: Option<Bound>,
    /// The greatest.
    pub high: Bound,
}

/// A bound of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// An expression that does not mention the variable.
    pub value: ExprId,
    /// Whether the value itself is excluded.
    pub strict: bool,
}
