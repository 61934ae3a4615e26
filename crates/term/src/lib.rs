//! Interned, typed terms of the SMT-LIB theories: what every part of Cairn reasons about.
//!
//! A [`Pool`] holds terms of sort Bool, bit-vectors of any width, IEEE floats of any format,
//! arrays, unbounded integers and reals, uninterpreted sorts and functions, and quantified
//! formulas. Terms are numbers, equal terms are equal numbers, and a shared subterm is stored,
//! visited and evaluated once; nothing here recurses over a term, so depth is bounded by memory
//! and not by the stack.
//!
//! * [`pool`], [`op`], [`sort`], [`value`], [`typing`]: the representation.
//! * [`build`]: simplifying constructors, one file a theory.
//! * [`eval`]: concrete values of operators and terms; the reference semantics.
//! * [`traverse`]: substitution, free variables, size, conjuncts.
//! * [`smtlib`] and [`mod@print`]: SMT-LIB 2.6 in and out.
//! * `generate` (a feature, off by default): random terms for tests.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod build;
pub mod eval;
#[cfg(feature = "generate")]
pub mod generate;
pub mod op;
pub mod pool;
pub mod print;
pub mod smtlib;
pub mod sort;
pub mod traverse;
pub mod typing;
pub mod value;

pub use eval::{Assignment, evaluate};
pub use op::Op;
pub use pool::{Func, Function, Node, Pool, Symbol, Term};
pub use sort::Sort;
pub use typing::SortError;
pub use value::{ArrayValue, Value};
