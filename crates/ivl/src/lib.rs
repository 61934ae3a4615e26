//! Programs as text: our intermediate verification language, its writer and its reader.
//!
//! The verifier of \[Lan18, §5.1.1\] translates C into an intermediate verification language, so
//! that a new input language is a new front end and nothing else. Here that language is
//! [`program::Program`], and this crate gives it a concrete syntax: what `cairn show --stage
//! program` prints, and what `cairn check` reads back. docs/ivl.md has the grammar and what each
//! instruction means.
//!
//! ```text
//! function main() {
//!   var i: bv32
//!
//!     i := 0 -> L1
//!   L1: loop
//!     assume i <u 10 -> L2
//!     assume i >=u 10 -> L3
//!   L2:
//!     i := i + 1 -> L1
//!   L3:
//!     check assert: i == 10
//! }
//! ```
//!
//! **Inverse.** [`read()`] of what [`print()`] wrote gives an equal program, up to the numbering of
//! registers, locations, edges and terms, and [`print()`] of that gives the same text. To that end
//! the reader builds terms exactly as they are written (nothing is simplified), everything that
//! a program has can be stated, and what is left out has one meaning.
//!
//! **Terms** are infix, with the operators of C where C has them, rather than the S-expressions
//! of SMT-LIB: programs are read far more often than written, a formula in infix is read at a
//! glance, and numbers need no width where one follows from the other operand. Every operator
//! and sort of the kernel can be written, those without a symbol as functions under their names
//! in SMT-LIB. Quantifiers alone have no syntax: a program has none, for each of its variables
//! is a register or an address.
//!
//! **Places.** A text may state where in its source something stands (`@3:5`, after
//! `source "file.c"`), and verdicts then name these lines; where there is no source, they name
//! the lines of the text itself.
//!
//! \[Lan18\] is Lange: *IC3 Software Model Checking* (2018).

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

mod lexer;
mod read;
mod words;
mod write;

pub use read::read;
pub use write::print;

/// How names of files in the language end, without the dot.
pub const ENDING: &str = "ivl";
