//! From text to program.
//!
//! [`parser`], [`statement`] and [`expression`] make a tree of tokens ([`syntax`]); [`build`]
//! gives names their meaning, [`term`] makes terms of expressions, [`graph`] makes graphs of
//! bodies, [`layout`] gives static objects their addresses. What is well-formed as a text may
//! still break a promise of programs; `program::wellformed` has the last word.

mod build;
mod expression;
mod graph;
mod layout;
mod literal;
mod parser;
pub(crate) mod statement;
mod syntax;
mod term;

use crate::lexer::lex;
use program::Program;
use source::{Diagnostic, FileId, SourceMap, with_deep_stack};

/// Reads the program that a file of the map is; or says, with places, what is wrong with it.
pub fn read(sources: &SourceMap, file: FileId) -> Result<Program, Vec<Diagnostic>> {
    with_deep_stack(|| {
        let tokens = lex(sources.file(file)).map_err(|error| vec![*error])?;
        let syntax = parser::parse(sources, tokens).map_err(|error| vec![*error])?;
        build::build(&syntax, sources.file(file).span())
    })
}
