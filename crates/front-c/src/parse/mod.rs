//! Tokens to syntax tree, by recursive descent with precedence climbing.
//!
//! The grammar is C11's [C11 §6.5–§6.9] with K&R definitions, implicit `int` and the GNU
//! extensions that preprocessed system headers contain. The parser resolves nothing but the
//! question whether an identifier is a typedef name, which the grammar needs.
//!
//! Recursion is bounded: syntactic nesting beyond [`MAX_NESTING`] is an error, so no input can
//! exhaust the stack of [`crate::stack::with_deep_stack`]. The first syntax error ends the parse.

mod annotation;
mod attribute;
mod claim;
mod contract;
mod declaration;
mod declarator;
mod expression;
mod initializer;
mod statement;

use crate::ast::{ClaimExpr, Contract, Expr, ExprId, ExprKind, Item, Stmt, StmtId, StmtKind, Unit};
use crate::diagnostic::{Diagnostic, Result};
use crate::lexer::{Annotation, Lexed, Literal};
use crate::literal::{StringLiteral, decode_string};
use crate::source::Span;
use crate::symbol::{Symbol, Symbols};
use crate::token::{Keyword, Punct, Token, TokenKind};
pub(crate) use claim::Claimed;
use rustc_hash::FxHashMap;

/// How deep parentheses, statements, declarators and initializers may nest. Program slicers
/// produce files with more than a thousand nested blocks, so this is well above that.
pub const MAX_NESTING: u32 = 4000;

/// Types that need no declaration.
const BUILTIN_TYPES: [&str; 5] =
    ["__int128_t", "__uint128_t", "__CPROVER_bool", "__CPROVER_size_t", "__CPROVER_ssize_t"];

/// How deep operators may nest, not counting left spines of binary operators.
pub const MAX_HEIGHT: u32 = 1000;

/// Parses a lexed file. Runs on the caller's stack: see [`crate::stack::with_deep_stack`].
pub fn parse(lexed: &Lexed, symbols: &mut Symbols) -> Result<Unit> {
    parse_with(lexed, symbols, None)
}

/// Parses a lexed file with what is claimed of it.
pub(crate) fn parse_with<'a>(
    lexed: &'a Lexed,
    symbols: &'a mut Symbols,
    claims: Option<Claimed<'a>>,
) -> Result<Unit> {
    let mut parser = Parser::new(lexed, symbols);
    parser.claims = claims;
    while parser.peek() != TokenKind::Eof {
        parser.external_declaration()?;
    }
    parser.remark_untaken();
    Ok(parser.unit)
}

struct Parser<'a> {
    tokens: &'a [Token],
    literals: &'a [Literal],
    packs: &'a [(u32, u32)],
    symbols: &'a mut Symbols,
    at: usize,
    unit: Unit,
    nesting: u32,
    /// The greatest height of the expressions made since it was last reset.
    tallest: u32,
    /// Identifiers that are typedef names where the parser stands.
    typedefs: FxHashMap<Symbol, bool>,
    /// What to restore at the end of scopes.
    shadowed: Vec<(Symbol, bool)>,
    scopes: Vec<usize>,
    claims: Option<Claimed<'a>>,
    /// What is claimed at the head of the loop that was parsed last.
    head: Vec<ClaimExpr>,
    /// The contract of the loop that was parsed last.
    loop_contract: Option<Contract>,
    /// Comments with annotations, and which of them were taken up.
    annotations: &'a [Annotation],
    taken: Vec<bool>,
    /// Whether an annotation is being parsed.
    acsl: bool,
}

impl<'a> Parser<'a> {
    fn new(lexed: &'a Lexed, symbols: &'a mut Symbols) -> Parser<'a> {
        let mut parser = Parser {
            tokens: &lexed.tokens,
            literals: &lexed.literals,
            packs: &lexed.packs,
            symbols,
            at: 0,
            unit: Unit::default(),
            nesting: 0,
            tallest: 0,
            typedefs: FxHashMap::default(),
            shadowed: Vec::new(),
            scopes: Vec::new(),
            claims: None,
            head: Vec::new(),
            loop_contract: None,
            annotations: &lexed.annotations,
            taken: vec![false; lexed.annotations.len()],
            acsl: false,
        };
        for name in BUILTIN_TYPES {
            let symbol = parser.symbols.intern(name);
            parser.declare_name(symbol, true);
        }
        parser
    }

    // Tokens.

    fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// The kind of the token `ahead` of the next.
    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// The place of the token before.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// From `start` to the token before.
    fn span_from(&self, start: Span) -> Span {
        start.to(self.previous_span())
    }

    fn advance(&mut self) {
        // The last token is the end of the file, which is never passed.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn at_punct(&self, punct: Punct) -> bool {
        self.peek() == TokenKind::Punct(punct)
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at_punct(punct);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: Punct) -> Result<()> {
        if self.eat(punct) {
            return Ok(());
        }
        Err(self.expected(&format!("'{}'", punct.spelling())))
    }

    /// Like `expect`, pointing to the opening counterpart when it fails.
    fn expect_closing(&mut self, punct: Punct, opening: Span) -> Result<()> {
        if self.eat(punct) {
            return Ok(());
        }
        let error = self.expected(&format!("'{}'", punct.spelling()));
        Err(error.note(opening, "to match this"))
    }

    fn ident(&mut self) -> Result<(Symbol, Span)> {
        let TokenKind::Ident(symbol) = self.peek() else {
            return Err(self.expected("an identifier"));
        };
        let span = self.span();
        self.advance();
        Ok((symbol, span))
    }

    fn describe(&self, kind: TokenKind) -> String {
        match kind {
            TokenKind::Ident(s) => format!("'{}'", self.symbols.name(s)),
            TokenKind::Keyword(k) => format!("'{}'", k.spelling()),
            TokenKind::Number(s) => format!("number '{}'", self.symbols.name(s)),
            TokenKind::Char(_) => "a character constant".into(),
            TokenKind::Str(_) => "a string literal".into(),
            TokenKind::Punct(p) => format!("'{}'", p.spelling()),
            TokenKind::Eof => "the end of the file".into(),
        }
    }

    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = self.describe(self.peek());
        let span = self.span();
        let mut error = Diagnostic::error(span, format!("expected {what}, found {found}"));
        if let TokenKind::Ident(symbol) = self.peek() {
            let before = self.at.checked_sub(1).map(|i| self.tokens[i].kind);
            // `foo x` in place of a declaration is most often a missing typedef.
            if let Some(TokenKind::Ident(name)) = before
                && name != symbol
            {
                let name = self.symbols.name(name);
                error = error.note(self.previous_span(), format!("'{name}' is not a type here"));
            }
        }
        error
    }

    fn error<T>(&self, span: Span, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::error(span, message))
    }

    // Nesting. An error ends the parse, so only success must `leave`.

    fn enter(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            let message = format!("nesting is deeper than {MAX_NESTING} levels");
            return self.error(self.span(), message);
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    // Scopes of typedef names.

    fn push_scope(&mut self) {
        self.scopes.push(self.shadowed.len());
    }

    fn pop_scope(&mut self) {
        let mark = self.scopes.pop().unwrap_or(0);
        while self.shadowed.len() > mark {
            if let Some((symbol, before)) = self.shadowed.pop() {
                self.typedefs.insert(symbol, before);
            }
        }
    }

    fn declare_name(&mut self, symbol: Symbol, is_typedef: bool) {
        let before = self.is_typedef(symbol);
        if before != is_typedef {
            self.typedefs.insert(symbol, is_typedef);
            self.shadowed.push((symbol, before));
        }
    }

    fn is_typedef(&self, symbol: Symbol) -> bool {
        self.typedefs.get(&symbol).copied().unwrap_or(false)
    }

    // Nodes.

    /// Makes an expression whose operands have at most the given height.
    fn make(&mut self, span: Span, kind: ExprKind, operands: u32) -> Result<ExprId> {
        let height = operands + 1;
        if height > MAX_HEIGHT {
            return self.error(span, format!("expression is deeper than {MAX_HEIGHT} levels"));
        }
        self.tallest = self.tallest.max(height);
        Ok(self.unit.exprs.alloc(Expr { kind, span, height }))
    }

    fn height(&self, expr: ExprId) -> u32 {
        self.unit.exprs[expr].height
    }

    /// Runs a parse and gives the greatest height of the expressions made on the way, for nodes
    /// that contain types, statements or initializers.
    fn measured<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, u32)> {
        let outer = std::mem::take(&mut self.tallest);
        let result = parse(self)?;
        let inner = self.tallest;
        self.tallest = outer.max(inner);
        Ok((result, inner))
    }

    fn make_stmt(&mut self, start: Span, kind: StmtKind) -> StmtId {
        let span = self.span_from(start);
        self.unit.stmts.alloc(Stmt { kind, span })
    }

    fn item(&mut self, item: Item) {
        self.unit.items.push(item);
    }

    /// One or more adjacent string literals.
    fn string(&mut self) -> Result<StringLiteral> {
        let start = self.span();
        let mut parts = Vec::new();
        while let TokenKind::Str(index) = self.peek() {
            parts.push(&self.literals[index as usize]);
            self.advance();
        }
        if parts.is_empty() {
            return Err(self.expected("a string literal"));
        }
        decode_string(&parts).map_err(|m| Diagnostic::error(self.span_from(start), m))
    }

    /// Skips to after the parenthesis that closes the one at the front.
    fn skip_parentheses(&mut self) -> Result<()> {
        let opening = self.span();
        self.expect(Punct::LParen)?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.peek() {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Eof => {
                    return Err(self.expected("')'").note(opening, "to match this"));
                }
                _ => {}
            }
            self.advance();
        }
        Ok(())
    }
}

/// The name of an attribute or mode without the underscores around it.
fn plain_name(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}
