//! IEC 61131-3 Structured Text and PLCopen XML, read, typed and lowered to programs.
//!
//! * [`lex`]: bytes to tokens;
//! * [`parse`]: files to the syntax tree [`ast`], in one of the [`dialect`]s; `xml`: those of PLCopen
//!   and TwinCAT, with their diagrams;
//! * [`mod@print`]: the syntax tree as text;
//! * [`types`]: what the files declare, and types with their widths;
//! * [`lower`]: the tree to a program that runs in cycles;
//! * [`library`]: the standard's function blocks, as text;
//! * [`requirements`]: files that state what has to hold;
//! * [`compile`]: all of that in one go; [`run`]: runs cycle by cycle; [`replay`]: runs that fail;
//!   [`timing`]: their timing diagrams.

#![cfg_attr(
    not(test),
    deny(clippy::exit, clippy::print_stderr, clippy::print_stdout, clippy::unwrap_used)
)]

pub mod ast;
pub mod compile;
mod coverage;
pub mod dialect;
pub mod lex;
pub mod library;
pub mod lower;
pub mod parse;
pub mod print;
pub mod replay;
pub mod requirements;
pub mod run;
pub mod timing;
pub mod types;
mod xml;
