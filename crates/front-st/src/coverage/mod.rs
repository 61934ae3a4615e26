//! What structural coverage is about ([`program::coverage`]), as the syntax tree has it.
//!
//! What controls `IF`, `ELSIF`, `WHILE`, `UNTIL` or a transition of a chart is a decision, whatever it is;
//! elsewhere an expression is one if it compares or has a Boolean operator. `AND`, `OR`, `XOR` and `NOT` are
//! Boolean operators where an operand is a truth value, as far as its declaration tells ([`truth`]); what
//! turns out to be a word when it is lowered is no decision. `AND` and `OR` evaluate both operands,
//! `AND_THEN` and `OR_ELSE` stop where the first decides.
//!
//! The lowerer puts the probes into the program, asked for it ([`lower::Options::coverage`]); code that is
//! inlined several times has them as often.
//!
//! [`lower::Options::coverage`]: crate::lower::Options::coverage

mod collect;
mod truth;

pub(crate) use collect::collect;

use crate::ast::{Body, Expr, Stmt, Transition};
use rustc_hash::FxHashMap;

/// Where the lowerer meets what a [`program::coverage::Map`] lists.
#[derive(Default)]
pub(crate) struct Sites {
    /// Points of the beginnings of code.
    pub entries: FxHashMap<*const Body, usize>,
    /// Points of statements.
    pub statements: FxHashMap<*const Stmt, usize>,
    /// Points of calls, by what is called.
    pub calls: FxHashMap<*const Expr, usize>,
    /// Points of the arms of `CASE` in their order, then that of `ELSE`.
    pub arms: FxHashMap<*const Stmt, Vec<usize>>,
    /// Points of transitions that fire.
    pub transitions: FxHashMap<*const Transition, usize>,
    /// Decisions, by the expression that is evaluated: the number, and how many conditions it has.
    pub decisions: FxHashMap<*const Expr, (usize, usize)>,
    /// Conditions: the number of the decision, and that of the condition in it.
    pub conditions: FxHashMap<*const Expr, (usize, usize)>,
    /// For each decision the point of the statement that it is part of, if it is of one.
    pub within: Vec<Option<usize>>,
    /// The same for the points of calls.
    pub calls_within: Vec<(usize, Option<usize>)>,
}
