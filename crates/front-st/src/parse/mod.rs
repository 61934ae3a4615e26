//! Tokens to the syntax tree.
//!
//! One grammar accepts what any dialect writes, see [`crate::dialect`]. A mistake costs the
//! statement or declaration that it is in; what follows is read, so that a file gets all its
//! messages at once.
//!
//! * `parser`: tokens ahead, expectations, limits;
//! * `unit`, `member`: units and what they contain; `variable`, `types`: declarations;
//! * `statement`, `expression`, `chart`: code; `configuration`, `scl`: the rest.

mod chart;
mod configuration;
mod expression;
mod member;
pub(crate) mod parser;
mod scl;
mod statement;
mod types;
pub(crate) mod unit;
mod variable;

use crate::ast::{Expr, Item, Unit};
use crate::dialect::Dialect;
use crate::lex::text::Text;
use crate::lex::token::TokenKind;
use crate::lex::{self, Mode};
use crate::xml;
use parser::Parser;
use source::{Diagnostic, FileId, SourceMap, with_deep_stack};

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
    with_deep_stack(|| parse_all(sources, files, dialect))
}

fn parse_all(
    sources: &SourceMap,
    files: &[FileId],
    dialect: Option<Dialect>,
) -> Result<Unit, Vec<Diagnostic>> {
    let mut unit = Unit::default();
    let mut errors = Vec::new();
    let mut noticed = dialect;
    for &file in files {
        let file = sources.file(file);
        let text = Text::plain(file.text(), file.base());
        let shown = dialect.or_else(|| Dialect::notice(file.name(), &text));
        noticed = noticed.or(shown);
        let mode = Mode { dialect: shown.unwrap_or_default(), requirement: false };
        let read = if xml::is_xml(file.text()) {
            xml::read(file.text(), file.base(), mode)
        } else {
            structured_text(&text, mode)
        };
        unit.items.extend(read.items);
        unit.warnings.extend(read.warnings);
        errors.extend(read.errors);
    }
    unit.dialect = noticed.unwrap_or_default();
    if errors.is_empty() { Ok(unit) } else { Err(errors) }
}

/// What was read of one text.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) items: Vec<Item>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Reads a whole file of Structured Text.
fn structured_text(text: &Text, mode: Mode) -> Read {
    let mut tokens = lex::lex(text, mode);
    let mut errors = std::mem::take(&mut tokens.errors);
    let mut parser = Parser::new(&tokens, mode);
    let mut items = Vec::new();
    while !parser.at_end() && !parser.enough() {
        items.extend(parser.items());
        if !parser.at_end() && !parser.enough() {
            let error = parser.expected("a declaration");
            parser.report(error);
            parser.advance();
        }
    }
    errors.append(&mut parser.errors);
    errors.sort_by_key(|error| error.span);
    errors.truncate(lex::MAX_ERRORS);
    Read { items, errors, warnings: parser.warnings }
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
    with_deep_stack(|| {
        let file = sources.file(file);
        let text = Text::plain(file.text(), file.base());
        let mode = Mode { dialect, requirement: true };
        let tokens = lex::lex(&text, mode);
        if !tokens.errors.is_empty() {
            return Err(tokens.errors);
        }
        let mut parser = Parser::new(&tokens, mode);
        let read = parser.expression().and_then(|expr| match parser.peek() {
            TokenKind::End => Ok(expr),
            _ => Err(parser.expected("an operator or the end of the expression")),
        });
        read.map_err(|error| vec![*error])
    })
}
