//! IEC 61131-3 Structured Text and PLCopen XML, read, typed and lowered to programs.
//!
//! * [`lex`]: bytes to tokens;
//! * [`parse`]: files to the syntax tree [`ast`], in one of the [`dialect`]s.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod ast;
pub mod dialect;
pub mod lex;
pub mod parse;
mod xml;
