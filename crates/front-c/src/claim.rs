//! Claims: expressions that somebody states at places of a program, as witnesses do.
//!
//! A claim is compiled with the program. The parser, when it comes to the place, parses the
//! claim's text there, so that it sees the names of types in scope; the checker types it in the
//! scope of the place; lowering makes of it what [`crate::lower::Purpose`] says. The text is a
//! source of its own, whose name is the claim's: messages about it show it, and the instructions
//! made for it lie there. The program's own places stay as they are.

use crate::diagnostic::{Diagnostic, Result};
use crate::lexer::{Lexed, lex};
use crate::source::{FileId, SourceError, SourceMap};
use crate::symbol::Symbols;
use crate::token::Keywords;

/// How the value that a claim on a call or a branch is about is called in its text.
pub const RESULT: &str = "\\result";
/// The identifier that stands for it.
pub(crate) const RESULT_NAME: &str = "__result_of_claim";

/// What a claim is about.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Spot {
    /// The state before the statement or declaration that begins at the place.
    Statement,
    /// The state at the head of the loop whose keyword stands at the place: before the condition
    /// is evaluated, of `do` before each round.
    Loop,
    /// The value of the condition of the `if`, loop or `switch` whose keyword stands at the place.
    Branch,
    /// The result of the call whose closing parenthesis stands at the place.
    Return,
    /// The beginning of such a call, when the arguments have been evaluated; the text is not
    /// used.
    Enter,
}

impl Spot {
    /// In words: what should have been found at the place.
    fn wanted(self) -> &'static str {
        match self {
            Spot::Statement => "statement",
            Spot::Loop => "loop",
            Spot::Branch => "branching",
            Spot::Return | Spot::Enter => "closing parenthesis of a call",
        }
    }
}

/// Something that is claimed of a program.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How messages call it; no two claims have the same name.
    pub name: String,
    /// What it is about.
    pub spot: Spot,
    /// The file of its place; directories don't count.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; without one, the leftmost fitting place of the line.
    pub column: Option<u32>,
    /// The expression; [`RESULT`] stands for the value that it is about.
    pub text: String,
}

/// Claims as sources.
pub(crate) struct Loaded {
    pub(crate) files: Vec<FileId>,
    pub(crate) lexed: Vec<Lexed>,
}

/// Adds the texts of claims to the sources.
pub(crate) fn add(
    sources: &mut SourceMap,
    claims: &[Claim],
) -> std::result::Result<Vec<FileId>, SourceError> {
    let text = |claim: &Claim| claim.text.replace(RESULT, RESULT_NAME).into_bytes();
    claims.iter().map(|claim| sources.add(&claim.name, text(claim))).collect()
}

/// Lexes the texts of claims.
pub(crate) fn lex_all(
    sources: &SourceMap,
    files: Vec<FileId>,
    symbols: &mut Symbols,
    keywords: &Keywords,
) -> Result<Loaded> {
    let lexed = files.iter().map(|&file| lex(sources.file(file), symbols, keywords));
    let lexed = lexed.collect::<Result<Vec<Lexed>>>()?;
    Ok(Loaded { files, lexed })
}

/// Says that there is nothing at the place of a claim that it could be about.
pub(crate) fn misplaced(sources: &SourceMap, claim: &Claim, file: FileId) -> Diagnostic {
    let base = sources.file(file).base();
    let (name, line) = (&claim.file, claim.line);
    let column = claim.column.map_or(String::new(), |column| format!(":{column}"));
    let wanted = claim.spot.wanted();
    let message = format!("there is no {wanted} at {name}:{line}{column}");
    *Diagnostic::error(crate::source::Span::new(base, base + 1), message)
}
