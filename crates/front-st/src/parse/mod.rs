//! Tokens to the syntax tree.

use crate::ast::{Expr, Unit};
use crate::dialect::Dialect;
use source::{Diagnostic, FileId, SourceMap};

/// The greatest nesting of statements, parentheses and types.
pub const MAX_NESTING: u32 = 200;

/// The greatest height of an expression; a chain of operators is as high as it is long.
pub const MAX_HEIGHT: u32 = 2000;

/// Reads the files of a program: Structured Text, PLCopen XML and TwinCAT's XML, which are noticed
/// from the text. Without a dialect, it is noticed too. All errors of all files are returned.
///
/// # Errors
/// Messages with places, at least one of them an error.
pub fn parse(
    sources: &SourceMap,
    files: &[FileId],
    dialect: Option<Dialect>,
) -> Result<Unit, Vec<Diagnostic>> {
    let _ = (sources, files, dialect);
    Ok(Unit::default())
}

/// Reads one expression, as a requirement states it: besides those of Structured Text, `==`, `!=`,
/// `&&`, `||`, `!` and `-->` are operators.
///
/// # Errors
/// Messages with places, at least one of them an error.
pub fn expression(
    sources: &SourceMap,
    file: FileId,
    dialect: Dialect,
) -> Result<Expr, Vec<Diagnostic>> {
    let _ = dialect;
    Err(vec![*Diagnostic::error(sources.file(file).span(), "expected an expression")])
}
