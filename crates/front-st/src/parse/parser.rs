//! What all parts of the parser use: tokens ahead, expectations, limits, and messages.

use super::{MAX_HEIGHT, MAX_NESTING};
use crate::ast::{Name, Path, Pragma, Spelling};
use crate::lex::token::{Keyword, Punct, Token, TokenKind};
use crate::lex::{MAX_ERRORS, Mode, Tokens};
use rustc_hash::FxHashSet;
use source::diagnostic::Result;
use source::{Diagnostic, Span};

/// Reads one stream of tokens. Functions that fail return one message, and a list of statements or
/// declarations goes on after it.
pub(crate) struct Parser<'a> {
    pub(crate) lexed: &'a Tokens,
    pub(crate) at: usize,
    pub(crate) mode: Mode,
    /// The place of the last token that was taken.
    pub(crate) last: Span,
    pub(crate) nesting: u32,
    /// The height of the expression that was read last.
    pub(crate) height: u32,
    /// Loops around this place are open arms of CASE: a label may begin a new one.
    pub(crate) in_case: bool,
    /// Units that the program declares, in small letters: they win over words of ours.
    pub(crate) declared: FxHashSet<Box<str>>,
    /// The unit that was declared last, whose actions may follow it.
    pub(crate) last_unit: Option<Name>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(lexed: &'a Tokens, mode: Mode) -> Parser<'a> {
        let kinds = lexed.tokens.windows(2);
        let declared = kinds.filter_map(|pair| match (pair[0].kind, pair[1].kind) {
            (
                TokenKind::Word(_, Some(Keyword::Function | Keyword::FunctionBlock)),
                TokenKind::Word(name, _) | TokenKind::Marked(name, _),
            ) => Some(lexed.key(name).into()),
            _ => None,
        });
        Parser {
            lexed,
            at: 0,
            mode,
            last: lexed.tokens[0].span,
            nesting: 0,
            height: 0,
            in_case: false,
            declared: declared.collect(),
            last_unit: None,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn token(&self) -> Token {
        self.ahead(0)
    }

    pub(crate) fn ahead(&self, by: usize) -> Token {
        let tokens = &self.lexed.tokens;
        tokens[(self.at + by).min(tokens.len() - 1)]
    }

    pub(crate) fn peek(&self) -> TokenKind {
        self.token().kind
    }

    pub(crate) fn span(&self) -> Span {
        self.token().span
    }

    /// From a place to the last token that was taken.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.last.end.max(start.start))
    }

    pub(crate) fn advance(&mut self) {
        self.last = self.span();
        self.at = (self.at + 1).min(self.lexed.tokens.len() - 1);
    }

    pub(crate) fn keyword(&self) -> Option<Keyword> {
        self.keyword_ahead(0)
    }

    pub(crate) fn keyword_ahead(&self, by: usize) -> Option<Keyword> {
        match self.ahead(by).kind {
            TokenKind::Word(_, keyword) => keyword,
            _ => None,
        }
    }

    pub(crate) fn at_keyword(&self, keyword: Keyword) -> bool {
        self.keyword() == Some(keyword)
    }

    pub(crate) fn at_punct(&self, punct: Punct) -> bool {
        self.peek() == TokenKind::Punct(punct)
    }

    pub(crate) fn punct_ahead(&self, by: usize, punct: Punct) -> bool {
        self.ahead(by).kind == TokenKind::Punct(punct)
    }

    /// Whether a name stands there that no keyword claims.
    pub(crate) fn name_ahead(&self, by: usize) -> bool {
        match self.ahead(by).kind {
            TokenKind::Word(_, keyword) => keyword.is_none_or(|k| !k.reserved()),
            TokenKind::Marked(..) => true,
            _ => false,
        }
    }

    /// Whether a word stands there that may also be a keyword, as a parameter's name may be.
    pub(crate) fn word_ahead(&self, by: usize) -> bool {
        matches!(self.ahead(by).kind, TokenKind::Word(..) | TokenKind::Marked(..))
    }

    pub(crate) fn at_end(&self) -> bool {
        self.peek() == TokenKind::End
    }

    pub(crate) fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at_punct(punct);
        if found {
            self.advance();
        }
        found
    }

    pub(crate) fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// What stands here, for messages.
    pub(crate) fn found(&self) -> String {
        match self.peek() {
            TokenKind::Word(_, Some(keyword)) if keyword.reserved() => {
                keyword.spelling().to_uppercase()
            }
            TokenKind::Word(index, _) | TokenKind::Marked(index, _) => {
                format!("'{}'", self.lexed.name(index, Spelling::Plain, Span::default()))
            }
            TokenKind::Literal(_) => "a literal".to_owned(),
            TokenKind::Direct(index) => format!("'%{}'", self.lexed.text(index)),
            TokenKind::Pragma(_) => "a pragma".to_owned(),
            TokenKind::Region(_) => "REGION".to_owned(),
            TokenKind::Claim(claim) => format!("the comment '#{}'", claim.word()),
            TokenKind::ClaimEnd => "the end of the comment".to_owned(),
            TokenKind::Punct(punct) => format!("'{}'", punct.spelling()),
            TokenKind::End => "the end of the text".to_owned(),
        }
    }

    pub(crate) fn expected(&self, what: &str) -> Box<Diagnostic> {
        Diagnostic::error(self.span(), format!("expected {what}, found {}", self.found()))
    }

    pub(crate) fn expect(&mut self, punct: Punct) -> Result<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("'{}'", punct.spelling())))
    }

    /// The bracket that closes one that was opened.
    pub(crate) fn expect_closing(&mut self, punct: Punct, opening: Span) -> Result<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let error = self.expected(&format!("'{}'", punct.spelling()));
        Err(error.note(opening, "to close this"))
    }

    pub(crate) fn expect_keyword(&mut self, keyword: Keyword) -> Result<()> {
        if self.eat_keyword(keyword) {
            return Ok(());
        }
        Err(self.expected(&keyword.spelling().to_uppercase()))
    }

    /// The word that ends what a keyword began. If it is missing, that is said, and reading goes on
    /// as if it were there.
    pub(crate) fn close(&mut self, keyword: Keyword, opening: Span) {
        if !self.eat_keyword(keyword) {
            let error = self.expected(&keyword.spelling().to_uppercase());
            self.report(error.note(opening, "to end what begins here"));
        }
    }

    pub(crate) fn report(&mut self, error: Box<Diagnostic>) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(*error);
        }
    }

    pub(crate) fn enough(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let warning = Diagnostic::warning(span, message);
        self.warnings.push(*if help.is_empty() { warning } else { warning.help(help) });
    }

    /// Goes one level down; [`Parser::leave`] comes back, also after an error.
    pub(crate) fn enter(&mut self) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            let message = format!("this is nested more than {MAX_NESTING} levels deep");
            return Err(Diagnostic::error(self.span(), message).help("move a part out of it"));
        }
        self.nesting += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.nesting -= 1;
    }

    /// Sets the height of the expression that was read last.
    pub(crate) fn grow(&mut self, height: u32, span: Span) -> Result<()> {
        self.height = height;
        if height <= MAX_HEIGHT {
            return Ok(());
        }
        let message = format!("this expression is more than {MAX_HEIGHT} operators deep");
        Err(Diagnostic::error(span, message).help("compute a part of it in a statement before"))
    }

    /// A word as a name, also if it is a keyword.
    pub(crate) fn any_name(&mut self) -> Result<Name> {
        let span = self.span();
        let name = match self.peek() {
            TokenKind::Word(index, _) => self.lexed.name(index, Spelling::Plain, span),
            TokenKind::Marked(index, spelling) => self.lexed.name(index, spelling, span),
            _ => return Err(self.expected("a name")),
        };
        self.advance();
        Ok(name)
    }

    pub(crate) fn name(&mut self, what: &str) -> Result<Name> {
        if self.name_ahead(0) {
            return self.any_name();
        }
        let error = self.expected(what);
        Err(match self.keyword() {
            Some(keyword) => {
                let word = keyword.spelling().to_uppercase();
                error.label(format!("{word} is a keyword and can't be a name"))
            }
            None => error,
        })
    }

    pub(crate) fn names(&mut self, what: &str) -> Result<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(Punct::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// `A.B.C`
    pub(crate) fn path(&mut self, what: &str) -> Result<Path> {
        let first = self.name(what)?;
        let start = first.span;
        let mut names = vec![first];
        while self.at_punct(Punct::Dot) && self.word_ahead(1) {
            self.advance();
            names.push(self.any_name()?);
        }
        Ok(Path { names, span: self.since(start) })
    }

    pub(crate) fn paths(&mut self, what: &str) -> Result<Vec<Path>> {
        let mut paths = vec![self.path(what)?];
        while self.eat(Punct::Comma) {
            paths.push(self.path(what)?);
        }
        Ok(paths)
    }

    pub(crate) fn pragma(&mut self) -> Option<Pragma> {
        let TokenKind::Pragma(index) = self.peek() else { return None };
        let pragma = Pragma { text: self.lexed.text(index).clone(), span: self.span() };
        self.advance();
        Some(pragma)
    }

    pub(crate) fn pragmas(&mut self) -> Vec<Pragma> {
        std::iter::from_fn(|| self.pragma()).collect()
    }
}
