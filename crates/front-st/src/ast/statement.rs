//! Statements.

use super::{Expr, Name, Pragma};
use source::Span;
use std::sync::Arc;

/// Statements, one after the other.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// How a variable is assigned.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AssignOp {
    /// `:=`
    Value,
    /// `REF=`: the reference, not what it refers to.
    Reference,
    /// `S=`: true if the value is, otherwise unchanged.
    Set,
    /// `R=`: false if the value is true, otherwise unchanged.
    Reset,
    /// `?=`: the reference if its type fits, otherwise `NULL`.
    Attempt,
    /// `+=`
    Add,
    /// `-=`
    Sub,
    /// `*=`
    Mul,
    /// `/=`
    Div,
}

impl AssignOp {
    /// How it is written.
    #[must_use]
    pub fn spelling(self) -> &'static str {
        match self {
            AssignOp::Value => ":=",
            AssignOp::Reference => "REF=",
            AssignOp::Set => "S=",
            AssignOp::Reset => "R=",
            AssignOp::Attempt => "?=",
            AssignOp::Add => "+=",
            AssignOp::Sub => "-=",
            AssignOp::Mul => "*=",
            AssignOp::Div => "/=",
        }
    }
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `target := value;`, or another operator.
    Assign(Expr, AssignOp, Expr),
    /// An expression for its effect: a call, or an action's name.
    Expr(Expr),
    /// `IF`, each `ELSIF`, and `ELSE`.
    If(Vec<(Expr, Block)>, Option<Block>),
    /// `CASE selector OF …`, and `ELSE`.
    Case(Expr, Vec<CaseArm>, Option<Block>),
    /// `FOR variable := from TO to BY by DO … END_FOR`
    For {
        /// The control variable.
        variable: Expr,
        /// Its first value.
        from: Expr,
        /// Its last value.
        to: Expr,
        /// The step; 1 if none is written.
        by: Option<Expr>,
        /// What is repeated.
        body: Block,
    },
    /// `WHILE … DO … END_WHILE`
    While(Expr, Block),
    /// `REPEAT … UNTIL … END_REPEAT`
    Repeat(Block, Expr),
    /// `EXIT`: out of the innermost loop.
    Exit,
    /// `CONTINUE`: to the next turn of the innermost loop.
    Continue,
    /// `RETURN`
    Return,
    /// `name:` before a statement.
    Label(Name),
    /// `JMP name;`, `GOTO name;`
    Jump(Name),
    /// `REGION title … END_REGION` of SCL: its statements are as good as in line.
    Region(Arc<str>, Block),
    /// A claim in a comment, or `ASSERT`, `__assert`, … as a statement.
    Claim(Claim, Expr),
    /// A pragma between statements.
    Pragma(Pragma),
    /// What this front end does not know: its effect is unknown, and must be said to be.
    Unknown(Arc<str>),
}

/// What is said about a place in the code.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Claim {
    /// `//#ASSERT e`, `//# assert e`, `__assert(e);`: `e` holds whenever control passes.
    Assert,
    /// `//#ASSUME e`, `__assume(e);`: only runs in which `e` holds are looked at.
    Assume,
    /// `//#HAVOC v`, `__havoc(v);`: `v` takes any value.
    Havoc,
}

impl Claim {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Claim::Assert => "assert",
            Claim::Assume => "assume",
            Claim::Havoc => "havoc",
        }
    }
}

/// An arm of `CASE`.
#[derive(Clone, Debug)]
pub struct CaseArm {
    /// The values for which it is taken.
    pub labels: Vec<CaseLabel>,
    /// What is done; may be empty.
    pub body: Block,
    /// Its place.
    pub span: Span,
}

/// A label of an arm.
#[derive(Clone, Debug)]
pub enum CaseLabel {
    /// A constant.
    Value(Expr),
    /// `low..high`, both included.
    Range(Expr, Expr),
}
