//! Tokens, places and declarations: the parser above statements.
//!
//! Descent is recursive in expressions and sorts alone; [`MAX_NESTING`] bounds it, and the stack
//! it runs on ([`source::stack`]) has room for that.

use super::syntax::*;
use crate::lexer::{Kind, Token};
use crate::words;
use program::place::Place;
use source::diagnostic::{Diagnostic, Result};
use source::{SourceMap, Span};
use std::sync::Arc;

/// How deep expressions and sorts may nest, and how high a chain of operators may grow.
pub(super) const MAX_NESTING: u32 = 4000;

/// Whose lines places are.
enum Lines {
    /// Those of the text itself: nothing was said of a source.
    Text,
    /// Those of a source, if there is one.
    Source(Option<Arc<str>>),
}

pub(super) struct Parser<'t> {
    sources: &'t SourceMap,
    tokens: Vec<Token<'t>>,
    at: usize,
    lines: Lines,
    pub(super) nesting: u32,
    pub(super) syntax: Syntax,
}

/// The tree of a text.
pub(super) fn parse(sources: &SourceMap, tokens: Vec<Token<'_>>) -> Result<Syntax> {
    let syntax = Syntax::default();
    let mut parser = Parser { sources, tokens, at: 0, lines: Lines::Text, nesting: 0, syntax };
    while parser.peek() != &Kind::End {
        parser.declaration()?;
    }
    Ok(parser.syntax)
}

const DECLARATIONS: &str = "a file consists of 'function', 'var', 'object', 'pointers', 'start', 'source', \
     'assumption', 'undefined', 'sort' and 'pure'";

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> &Kind<'t> {
        &self.tokens[self.at].kind
    }

    /// The token after the next.
    pub(super) fn peek_second(&self) -> &Kind<'t> {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// From a place up to the last token that was read.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    pub(super) fn next(&mut self) -> Token<'t> {
        let token = self.tokens[self.at].clone();
        // The last token is the end, and stays.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the parser is, for [`Parser::back_to`].
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, position: usize) {
        self.at = position;
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Kind::Symbol(found) if *found == symbol)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(found) if *found == word)
    }

    pub(super) fn accept(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    /// An error at the next token.
    pub(super) fn wrong<T>(&self, expected: &str) -> Result<T> {
        let found = self.peek().describe();
        Err(Diagnostic::error(self.span(), format!("expected {expected}, found {found}")))
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<Span> {
        if self.is_symbol(symbol) {
            Ok(self.next().span)
        } else {
            self.wrong(&format!("'{symbol}'"))
        }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.accept_word(word) { Ok(()) } else { self.wrong(&format!("'{word}'")) }
    }

    /// A name; `what` it is of, for messages.
    pub(super) fn name(&mut self, what: &str) -> Result<Name> {
        let start = self.span();
        let absolute = self.accept("::");
        let text: Arc<str> = match self.peek() {
            Kind::Word(word) if words::is_reserved(word) => {
                let message = format!("'{word}' is a word of the language, not {what}");
                return Err(Diagnostic::error(self.span(), message)
                    .help(format!("a name like a word of the language is written `{word}`")));
            }
            Kind::Word(word) => (*word).into(),
            Kind::Quoted(name) if !name.is_empty() => name.as_str().into(),
            _ => return self.wrong(what),
        };
        self.next();
        Ok(Name { text, absolute, span: self.since(start) })
    }

    /// A name that may be any word, of something that is no part of the program.
    pub(super) fn free_name(&mut self, what: &str) -> Result<Arc<str>> {
        let text: Arc<str> = match self.peek() {
            Kind::Word(word) => (*word).into(),
            Kind::Quoted(name) => name.as_str().into(),
            _ => return self.wrong(what),
        };
        self.next();
        Ok(text)
    }

    /// A string that is text.
    pub(super) fn string(&mut self, what: &str) -> Result<Arc<str>> {
        let Kind::String(bytes) = self.peek() else { return self.wrong(what) };
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                let text = text.into();
                self.next();
                Ok(text)
            }
            Err(_) => Err(Diagnostic::error(self.span(), "a text that is not UTF-8")),
        }
    }

    /// A number without sign and fraction.
    pub(super) fn number<N: TryFrom<u64>>(&mut self, what: &str) -> Result<N> {
        let Kind::Number(text) = self.peek() else { return self.wrong(what) };
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let number = number.ok().and_then(|n| N::try_from(n).ok());
        let message =
            || Diagnostic::error(self.span(), format!("{what} is too large, or no integer"));
        let number = number.ok_or_else(message)?;
        self.next();
        Ok(number)
    }

    /// One level deeper, as long as there are not too many.
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= MAX_NESTING {
            return Err(too_deep(self.span()));
        }
        self.nesting += 1;
        let result = work(self);
        self.nesting -= 1;
        result
    }

    pub(super) fn sort(&mut self) -> Result<Sort> {
        if self.is_symbol("[") {
            return self.deeper(|parser| {
                parser.next();
                let index = parser.sort()?;
                parser.expect("]")?;
                Ok(Sort::Array(Box::new(index), Box::new(parser.sort()?)))
            });
        }
        if let Kind::Word(word) = self.peek()
            && let Some(sort) = words::plain_sort(word)
        {
            self.next();
            return Ok(Sort::Plain(sort));
        }
        Ok(Sort::Declared(self.name("a sort")?))
    }

    /// Where something stands in the text itself.
    fn own_place(&self, span: Span) -> Place {
        let position = self.sources.physical(span);
        Place { file: position.file, line: position.line, column: position.column }
    }

    /// What has no stated place: that in the text itself, or none if there is a source.
    pub(super) fn usual_place(&self, span: Span) -> Place {
        match self.lines {
            Lines::Text => self.own_place(span),
            Lines::Source(_) => Place::default(),
        }
    }

    /// `@3:4`, `@"a.c":3:4`, `@none`, or nothing.
    pub(super) fn place(&mut self, span: Span) -> Result<Stated> {
        if !self.is_symbol("@") {
            return Ok(Stated { place: self.usual_place(span), is_stated: false });
        }
        let at = self.next().span;
        if self.accept_word("none") {
            return Ok(Stated { place: Place::default(), is_stated: true });
        }
        let file = if let Kind::String(_) = self.peek() {
            let file = self.string("the name of a file")?;
            self.expect(":")?;
            file
        } else if let Lines::Source(Some(file)) = &self.lines {
            file.clone()
        } else {
            return Err(Diagnostic::error(at, "a line of which file?")
                .help("name it before: source \"file.c\", or here: @\"file.c\":3:1"));
        };
        let line = self.number("a line")?;
        self.expect(":")?;
        let column = self.number("a column")?;
        Ok(Stated { place: Place { file, line, column }, is_stated: true })
    }

    fn declaration(&mut self) -> Result<()> {
        let start = self.span();
        let Kind::Word(word) = *self.peek() else {
            let found = self.peek().describe();
            let message = format!("expected a declaration, found {found}");
            return Err(Diagnostic::error(start, message).help(DECLARATIONS));
        };
        match word {
            "constant" | "unknown" | "object" => return self.object(),
            "function" => return self.function(),
            _ => {}
        }
        self.next();
        match word {
            "source" => {
                let none = self.accept_word("none");
                let file =
                    if none { None } else { Some(self.string("the name of a file, or 'none'")?) };
                self.lines = Lines::Source(file);
            }
            "pointers" => self.pointers()?,
            "start" => self.syntax.start = Some(self.name("the name of a function")?),
            "assumption" => {
                let text = self.string("a text")?.to_string();
                let place = self.place(start)?.place;
                self.syntax.assumptions.push((text, place));
            }
            "undefined" => {
                while {
                    let name = self.free_name("the name of a function")?;
                    self.syntax.undefined.push(name);
                    self.accept(",")
                } {}
            }
            "sort" => {
                let name = self.name("the name of a sort")?;
                self.syntax.sorts.push(name);
            }
            "pure" => self.pure()?,
            "var" => {
                let registers = self.registers()?;
                self.syntax.registers.extend(registers);
            }
            _ => {
                let message = format!("expected a declaration, found '{word}'");
                return Err(Diagnostic::error(start, message).help(DECLARATIONS));
            }
        }
        Ok(())
    }

    fn pointers(&mut self) -> Result<()> {
        let span = self.span();
        let Sort::Plain(term::Sort::BitVec(width @ 8..=64)) = self.sort()? else {
            return Err(Diagnostic::error(span, "addresses are bit-vectors of 8 to 64 bits")
                .help("write for example: pointers bv64"));
        };
        self.syntax.pointers = Some((width, span));
        Ok(())
    }

    fn pure(&mut self) -> Result<()> {
        let name = self.name("the name of a function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.is_symbol(")") {
            parameters.push(self.sort()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect(":")?;
        let result = self.sort()?;
        self.syntax.pure.push(Pure { name, parameters, result });
        Ok(())
    }

    /// Registers with commas between them, at least one.
    pub(super) fn registers(&mut self) -> Result<Vec<Register>> {
        let mut registers = vec![self.register()?];
        while self.accept(",") {
            registers.push(self.register()?);
        }
        Ok(registers)
    }

    fn register(&mut self) -> Result<Register> {
        let name = self.name("the name of a register")?;
        let sort = if self.accept(":") { Some(self.sort()?) } else { None };
        let mut reading = None;
        let mut shown = Shown::Usual;
        loop {
            let word = words::READINGS.iter().find(|(word, _)| self.is_word(word));
            if let Some((_, found)) = word {
                self.next();
                reading = Some(*found);
            } else if self.accept_word("named") {
                shown = Shown::Named(self.string("the name in the source")?);
            } else if self.accept_word("unnamed") {
                shown = Shown::Unnamed;
            } else {
                break;
            }
        }
        let place = self.place(name.span)?.place;
        Ok(Register { name, sort, reading, shown, place })
    }

    /// `(a: bv32, b: bv8)`
    fn register_list(&mut self) -> Result<Vec<Register>> {
        self.expect("(")?;
        let registers = if self.is_symbol(")") { Vec::new() } else { self.registers()? };
        self.expect(")")?;
        Ok(registers)
    }

    /// The clauses that are allowed, in any order.
    pub(super) fn clauses(&mut self, allowed: &[&str]) -> Result<Clauses> {
        let mut clauses = Clauses::default();
        while let Kind::Word(word) = *self.peek()
            && allowed.contains(&word)
        {
            self.next();
            let span = self.span();
            match word {
                "align" => clauses.align = Some((self.number("an alignment")?, span)),
                "at" => clauses.at = Some((self.number("an address")?, span)),
                "address" => clauses.address = Some(self.name("the name of an address")?),
                "named" => clauses.named = Some(self.string("the name in the source")?),
                "locals" => clauses.locals = self.register_list()?,
                _ => {
                    while {
                        clauses.scalars.push(self.number("the size of a scalar")?);
                        matches!(self.peek(), Kind::Number(_))
                    } {}
                }
            }
        }
        Ok(clauses)
    }

    fn object(&mut self) -> Result<()> {
        let start = self.span();
        let constant = self.accept_word("constant");
        let unknown = self.accept_word("unknown");
        self.expect_word("object")?;
        let name = self.name("the name of an object")?;
        self.expect(":")?;
        let size = self.number("a number of bytes")?;
        self.expect_word("bytes")?;
        let clauses = self.clauses(&["align", "at", "scalars", "address", "named"])?;
        let initial = if self.accept("=") { self.initial()? } else { Vec::new() };
        let place = self.place(start)?.place;
        let object = Object { name, constant, unknown, size, clauses, initial, place };
        self.syntax.objects.push(object);
        Ok(())
    }

    /// `{ 0: bv32(1), 4: "text" }`
    fn initial(&mut self) -> Result<Vec<(u64, Initial, Span)>> {
        self.expect("{")?;
        let mut values = Vec::new();
        while !self.is_symbol("}") {
            let start = self.span();
            let offset = self.number("an offset in bytes")?;
            self.expect(":")?;
            let value = match self.peek() {
                Kind::String(bytes) => {
                    let bytes = bytes.clone();
                    self.next();
                    Initial::Bytes(bytes)
                }
                _ => Initial::Value(self.expression()?),
            };
            values.push((offset, value, self.since(start)));
            if !self.accept(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(values)
    }

    fn function(&mut self) -> Result<()> {
        self.expect_word("function")?;
        let name = self.name("the name of a function")?;
        let parameters = self.register_list()?;
        let results = if self.accept("->") { self.register_list()? } else { Vec::new() };
        let clauses = self.clauses(&["at", "address", "named", "locals"])?;
        let place = self.place(name.span)?.place;
        let mut function = Function { name, parameters, results, clauses, place, body: None };
        if self.accept("{") {
            let body = self.body(&mut function.clauses.locals, &function.place)?;
            function.body = Some(body);
        }
        self.syntax.functions.push(function);
        Ok(())
    }

    fn body(&mut self, locals: &mut Vec<Register>, place: &Place) -> Result<Body> {
        let mut items = Vec::new();
        while !self.is_symbol("}") {
            if self.accept_word("var") {
                locals.extend(self.registers()?);
                continue;
            }
            items.push(self.item()?);
        }
        let brace = self.next().span;
        let has_source = matches!(self.lines, Lines::Source(_));
        let end = if has_source { place.clone() } else { self.own_place(brace) };
        Ok(Body { items, has_source, end })
    }
}

pub(super) fn too_deep(span: Span) -> Box<Diagnostic> {
    Diagnostic::error(span, format!("nesting is deeper than {MAX_NESTING} levels"))
        .help("name parts of it: let #1 = …, #2 = … in …")
}
