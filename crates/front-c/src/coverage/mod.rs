//! What structural coverage is about ([`program::coverage`]), as the typed program has it.
//!
//! What controls `if`, a loop or `?:` is a decision, whatever it is; elsewhere an expression is one if it
//! compares or has a Boolean operator. `&`, `|` and `^` are Boolean operators where both operands are truth
//! values. An operand that stands in a macro is one as if it were written out.
//!
//! The lowerer puts the probes into the program, asked for it ([`lower::Options::coverage`]).
//!
//! [`lower::Options::coverage`]: crate::lower::Options::coverage

mod collect;

pub(crate) use collect::collect;

use crate::typed::{ExprId, StmtId};
use rustc_hash::FxHashMap;

/// Where the lowerer meets what a [`Map`](program::coverage::Map) lists.
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
