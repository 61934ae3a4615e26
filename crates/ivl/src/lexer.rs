//! Bytes to tokens.
//!
//! Lines mean nothing; `//` begins a comment. A word may contain `::` and `.` and begin with `$`,
//! as the names that front ends make up do; any other name stands in backquotes. A string
//! stands for bytes: what it contains as it is, and what its escapes say.

use source::diagnostic::{Diagnostic, Result};
use source::{SourceFile, Span};

/// Longer numbers are refused: reading them takes time that grows with the square.
const MAX_DIGITS: usize = 20_000;

/// A token and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind<'t>,
    pub(crate) span: Span,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'t> {
    /// A word: a name or a keyword.
    Word(&'t str),
    /// A name in backquotes; never a keyword.
    Quoted(String),
    /// A name of `let`, with its `#`.
    Local(&'t str),
    /// A number without a sign: decimal with or without fraction and exponent, or hexadecimal.
    Number(&'t str),
    /// A string's bytes.
    String(Vec<u8>),
    /// Anything else.
    Symbol(&'static str),
    /// After the last token.
    End,
}

impl Kind<'_> {
    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("'{word}'"),
            Kind::Quoted(name) => format!("the name '{name}'"),
            Kind::Local(name) => format!("'{name}'"),
            Kind::Number(text) if text.len() < 40 => format!("'{text}'"),
            Kind::Number(_) => "a number".into(),
            Kind::String(_) => "a string".into(),
            Kind::Symbol(symbol) => format!("'{symbol}'"),
            Kind::End => "the end of the file".into(),
        }
    }
}

/// All symbols, longer ones before their beginnings. Those that end in `u` are operations of
/// unsigned numbers; the letter must not be the first one of a word.
const SYMBOLS: [&str; 48] = [
    "!==", "===", ">>u", "<=u", ">=u", "::", ":=", "->", "==", "!=", "<=", ">=", "<<", ">>", "&&",
    "||", "++", "<u", ">u", "/u", "%u", "(", ")", "[", "]", "{", "}", ",", ":", "?", "!", "~", "-",
    "+", "*", "/", "%", "&", "|", "^", "<", ">", "=", "@", ";", ".", "'", "\\",
];

fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '#')
}

/// Whether a name can be written without backquotes, if it is not reserved.
pub(crate) fn is_word(name: &str) -> bool {
    name.split("::").all(|part| {
        part.starts_with(starts_word) && part.chars().all(continues_word) && !part.is_empty()
    })
}

/// The tokens of a text, the last one [`Kind::End`].
pub(crate) fn lex(file: &SourceFile) -> Result<Vec<Token<'_>>> {
    let base = file.base();
    let text = std::str::from_utf8(file.text()).map_err(|error| {
        let at = base + error.valid_up_to() as u32;
        Diagnostic::error(Span::new(at, at + 1), "a byte that is not UTF-8")
            .help("in a string, write it as \\xNN")
    })?;
    let mut lexer = Lexer { text, base, at: 0, tokens: Vec::new() };
    while lexer.token()? {}
    Ok(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    base: u32,
    at: usize,
    tokens: Vec<Token<'t>>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn span(&self, from: usize) -> Span {
        Span::new(self.base + from as u32, self.base + self.at as u32)
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// The bytes that satisfy a test, from here on.
    fn while_(&mut self, test: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Reads one token; whether there may be more.
    fn token(&mut self) -> Result<bool> {
        self.skip();
        let from = self.at;
        let kind = match self.rest().chars().next() {
            None => Kind::End,
            Some(c) if starts_word(c) => Kind::Word(self.word()),
            Some('#') => self.local()?,
            Some(c) if c.is_ascii_digit() => self.number()?,
            Some('"') => Kind::String(self.quoted('"')?),
            Some('`') => {
                let bytes = self.quoted('`')?;
                let name = String::from_utf8(bytes);
                let wrong = |_| Diagnostic::error(self.span(from), "a name that is not UTF-8");
                Kind::Quoted(name.map_err(wrong)?)
            }
            Some(c) => self.symbol(c)?,
        };
        let more = kind != Kind::End;
        self.tokens.push(Token { kind, span: self.span(from) });
        Ok(more)
    }

    fn word(&mut self) -> &'t str {
        let from = self.at;
        loop {
            self.while_(continues_word);
            let after = self.rest().strip_prefix("::");
            if !after.is_some_and(|rest| rest.starts_with(starts_word)) {
                return &self.text[from..self.at];
            }
            self.at += 2;
        }
    }

    fn local(&mut self) -> Result<Kind<'t>> {
        let from = self.at;
        self.at += 1;
        if self.while_(continues_word).is_empty() {
            return Err(Diagnostic::error(self.span(from), "'#' without a name")
                .help("names of 'let' are written #1, #sum"));
        }
        Ok(Kind::Local(&self.text[from..self.at]))
    }

    fn number(&mut self) -> Result<Kind<'t>> {
        let from = self.at;
        if self.rest().starts_with("0x") {
            self.at += 2;
            if self.while_(|c| c.is_ascii_hexdigit()).is_empty() {
                return Err(Diagnostic::error(self.span(from), "a number without digits"));
            }
        } else {
            self.while_(|c| c.is_ascii_digit());
            let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
            if self.rest().strip_prefix('.').is_some_and(digit) {
                self.at += 1;
                self.while_(|c| c.is_ascii_digit());
            }
            let exponent = self.rest().strip_prefix('e');
            let exponent = exponent.map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
            if let Some(rest) = exponent.filter(|rest| digit(rest)) {
                self.at = self.text.len() - rest.len();
                self.while_(|c| c.is_ascii_digit());
            }
        }
        let end = self.at;
        if !self.while_(continues_word).is_empty() {
            return Err(Diagnostic::error(self.span(from), "a number that ends in letters")
                .help("the sort of a number is written before it: bv32(5)"));
        }
        if end - from > MAX_DIGITS {
            return Err(Diagnostic::error(self.span(from), "a number of too many digits"));
        }
        Ok(Kind::Number(&self.text[from..end]))
    }

    fn quoted(&mut self, quote: char) -> Result<Vec<u8>> {
        let from = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            let plain = self.while_(|c| c != quote && c != '\\' && c != '\n');
            bytes.extend_from_slice(plain.as_bytes());
            let open = || {
                let start = Span::new(self.base + from as u32, self.base + from as u32 + 1);
                Diagnostic::error(start, "a quote that is not closed in its line")
            };
            match self.rest().chars().next() {
                Some(c) if c == quote => {
                    self.at += 1;
                    return Ok(bytes);
                }
                Some('\\') => bytes.push(self.escape()?),
                _ => return Err(open()),
            }
        }
    }

    fn escape(&mut self) -> Result<u8> {
        let from = self.at;
        let rest = &self.rest()[1..];
        let (byte, length) = match rest.chars().next() {
            Some('n') => (b'\n', 1),
            Some('t') => (b'\t', 1),
            Some('r') => (b'\r', 1),
            Some(c @ ('"' | '\\' | '`')) => (c as u8, 1),
            Some('x') => {
                let digits = rest.get(1..3).filter(|d| d.chars().all(|c| c.is_ascii_hexdigit()));
                let byte = digits.and_then(|d| u8::from_str_radix(d, 16).ok());
                (byte.ok_or_else(|| self.unknown_escape(from))?, 3)
            }
            _ => return Err(self.unknown_escape(from)),
        };
        self.at += 1 + length;
        Ok(byte)
    }

    fn unknown_escape(&self, from: usize) -> Box<Diagnostic> {
        let start = self.base + from as u32;
        Diagnostic::error(Span::new(start, start + 1), "an unknown escape")
            .help("there are \\n, \\t, \\r, \\\\, \\\", \\` and \\xNN")
    }

    fn symbol(&mut self, c: char) -> Result<Kind<'t>> {
        let rest = self.rest();
        let fits = |symbol: &&&str| {
            let after = rest.strip_prefix(**symbol);
            let unsigned = symbol.ends_with('u');
            after.is_some_and(|rest| !unsigned || !rest.starts_with(continues_word))
        };
        let from = self.at;
        match SYMBOLS.iter().find(fits) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Kind::Symbol(symbol))
            }
            None => {
                self.at += c.len_utf8();
                let message = format!("a character that has no meaning here: '{c}'");
                Err(Diagnostic::error(self.span(from), message))
            }
        }
    }
}
