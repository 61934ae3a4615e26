//! C11 with the GNU extensions that real headers contain: from bytes to a typed program.
//!
//! The stages, each a module; [`compile`] runs them all:
//!
//! * [`source`], [`diagnostic`]: texts, places, messages; a crate of its own.
//! * [`preprocess`]: the system's preprocessor, for files that need it, with the [`flags`] that they
//!   are compiled with.
//! * [`lexer`] with [`token`], [`literal`] and [`symbol`]: bytes to tokens.
//! * [`parse`]: tokens to the syntax tree [`ast`].
//! * [`check`]: the syntax tree of each file to the one [`typed`] program, with [`types`], their
//!   [`layout`], and [`constant`] values. [`invariant`] states what holds of the result.
//! * [`claim`]: what somebody claims of the program at its places, compiled with it.
//! * [`contract`]: what functions and loops promise, as the program itself says it.
//! * [`coverage`]: what a test can cover, and where the lowerer puts probes for it.
//! * [`mod@print`]: the typed program, for people.
//! * [`lower`]: the typed program to a [`program::Program`] of instructions.
//!
//! gcc 12 is the yardstick: what it accepts, with or without warnings, is accepted, except for
//! complex and vector types, nested functions, computed `goto` and a few builtins, which are
//! rejected by name. `long double` is the x87 80-bit format in both data models.
//!
//! Nothing here panics on any input. Recursion is bounded by [`parse::MAX_NESTING`] and
//! [`parse::MAX_HEIGHT`], and runs on a stack made for it ([`stack`]).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod ast;
mod bounds;
pub mod check;
pub mod claim;
pub mod compile;
pub mod constant;
pub mod contract;
pub mod coverage;
pub mod flags;
pub mod invariant;
pub mod layout;
pub mod lexer;
pub mod literal;
pub mod lower;
pub mod parse;
pub mod preprocess;
pub mod print;
pub mod symbol;
pub mod token;
pub mod typed;
pub mod types;
mod walk;
pub mod write;

pub use ::source::{self, diagnostic, stack};
