//! Bytes to tokens [C11 §6.4].
//!
//! The input is preprocessed text. Line markers are collected for the source map, `#pragma pack`
//! is kept because it changes layouts, other pragmas are skipped, and any other directive is an
//! error. Comments are skipped, since hand-written `.i` files contain them. Line splices are
//! removed before lexing when there are any, with a table that leads back to the true offsets.

use crate::diagnostic::{Diagnostic, Result};
use crate::source::{LineMarker, SourceFile, Span};
use crate::symbol::Symbols;
use crate::token::{Keywords, PUNCTUATION, Punct, Token, TokenKind};
use std::sync::Arc;

/// How the characters of a literal are encoded.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// `"…"` and `u8"…"`: bytes.
    Narrow,
    /// `L"…"`: `wchar_t`.
    Wide,
    /// `u"…"`: `char16_t`.
    Utf16,
    /// `U"…"`: `char32_t`.
    Utf32,
}

/// The text between the quotes, escapes not yet decoded.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The encoding prefix.
    pub encoding: Encoding,
    /// The bytes between the quotes.
    pub body: Box<[u8]>,
}

/// The result of lexing a file.
#[derive(Debug, Default)]
pub struct Lexed {
    /// All tokens; the last is [`TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// Character and string literals that the tokens refer to.
    pub literals: Vec<Literal>,
    /// Line markers.
    pub markers: Vec<LineMarker>,
    /// Where `#pragma pack` changes: from this token index on, this is the greatest alignment
    /// of a member (0: no limit).
    pub packs: Vec<(u32, u32)>,
    /// Comments that begin with `@`, in order.
    pub annotations: Vec<Annotation>,
}

/// A comment that begins with `@`: perhaps a contract of ACSL.
#[derive(Debug)]
pub struct Annotation {
    /// The index of the token that it stands before.
    pub token: u32,
    /// Its place.
    pub span: Span,
    /// Its first word.
    pub word: Box<str>,
    /// Its tokens: those of C, and names that begin with a backslash.
    pub lexed: Result<Lexed>,
}

/// Lexes a file.
pub fn lex(file: &SourceFile, symbols: &mut Symbols, keywords: &Keywords) -> Result<Lexed> {
    let original = file.text();
    let (text, splices) = remove_splices(original);
    let mut lexer = Lexer {
        text: &text,
        at: 0,
        base: file.base(),
        splices,
        symbols,
        keywords,
        pack_stack: Vec::new(),
        pack: 0,
        in_annotation: false,
        out: Lexed { tokens: Vec::with_capacity(original.len() / 5), ..Lexed::default() },
    };
    lexer.run(file.name())?;
    Ok(lexer.out)
}

/// The text without backslash-newline pairs, and for each removal the offset in the new text
/// and the number of bytes removed up to there.
fn remove_splices(text: &Arc<[u8]>) -> (Arc<[u8]>, Vec<(u32, u32)>) {
    let splice_at = |i: usize| match &text[i..] {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    };
    if !(0..text.len()).any(|i| text[i] == b'\\' && splice_at(i) > 0) {
        return (text.clone(), Vec::new());
    }
    let mut clean = Vec::with_capacity(text.len());
    let mut splices = Vec::new();
    let (mut i, mut removed) = (0, 0u32);
    while i < text.len() {
        let width = splice_at(i);
        if width > 0 {
            i += width;
            removed += width as u32;
            splices.push((clean.len() as u32, removed));
        } else {
            clean.push(text[i]);
            i += 1;
        }
    }
    (clean.into(), splices)
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    base: u32,
    splices: Vec<(u32, u32)>,
    symbols: &'a mut Symbols,
    keywords: &'a Keywords,
    pack_stack: Vec<u32>,
    pack: u32,
    in_annotation: bool,
    out: Lexed,
}

fn is_ident_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80
}

fn is_ident_continue(b: u8) -> bool {
    is_ident_start(b) || b.is_ascii_digit()
}

impl Lexer<'_> {
    fn run(&mut self, name: &str) -> Result<()> {
        // A byte order mark is not part of the program.
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        let mut line_start = true;
        loop {
            line_start |= self.skip_space()?;
            let start = self.at;
            let Some(&byte) = self.text.get(start) else { break };
            if line_start
                && !self.in_annotation
                && (byte == b'#' || self.text[start..].starts_with(b"%:"))
            {
                self.directive(name)?;
                continue;
            }
            line_start = false;
            let kind = self.token(byte)?;
            let span = self.span(start, self.at);
            self.out.tokens.push(Token { kind, span });
        }
        let end = self.text.len();
        let span = self.span(end, end);
        self.out.tokens.push(Token { kind: TokenKind::Eof, span });
        Ok(())
    }

    /// The offset in the file of an offset in the text without splices.
    fn local(&self, offset: usize) -> u32 {
        let offset = offset as u32;
        let index = self.splices.partition_point(|&(at, _)| at <= offset);
        offset + index.checked_sub(1).map_or(0, |i| self.splices[i].1)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        // The last byte's place, so that a splice after the token is not part of it.
        let last = if end > start { self.local(end - 1) + 1 } else { self.local(end) };
        Span::new(self.base + self.local(start), self.base + last)
    }

    fn error<T>(&self, start: usize, message: impl Into<String>) -> Result<T> {
        let end = (start + 1).min(self.text.len());
        Err(Diagnostic::error(self.span(start, end), message))
    }

    /// Skips blanks and comments; true if a line ended.
    fn skip_space(&mut self) -> Result<bool> {
        let mut newline = false;
        loop {
            match &self.text[self.at..] {
                [b'\n', ..] => newline = true,
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0, ..] => {}
                [b'@', ..] if self.in_annotation => {}
                [b'/', b'/', rest @ ..] => {
                    let (start, annotated) = (self.at, rest.first() == Some(&b'@'));
                    self.skip_line();
                    if annotated {
                        self.annotation(start, self.at);
                    }
                    continue;
                }
                [b'/', b'*', ..] => {
                    let start = self.at;
                    let rest = &self.text[start + 2..];
                    let Some(end) = rest.windows(2).position(|w| w == b"*/") else {
                        return self.error(start, "unterminated comment");
                    };
                    newline |= rest[..end].contains(&b'\n');
                    let annotated = rest[..end].first() == Some(&b'@');
                    self.at = start + 2 + end + 2;
                    if annotated {
                        self.annotation(start, start + 2 + end);
                    }
                    continue;
                }
                _ => return Ok(newline),
            }
            self.at += 1;
        }
    }

    /// Takes up a comment with an annotation that ends before `end`.
    fn annotation(&mut self, start: usize, end: usize) {
        if self.in_annotation {
            return;
        }
        let inside = &self.text[start + 3..end];
        let word = inside.iter().skip_while(|b| !b.is_ascii_alphabetic() && **b != b'\\');
        let word: Vec<u8> = word.take_while(|b| b.is_ascii_alphanumeric()).copied().collect();
        let mut inner = Lexer {
            text: &self.text[..end],
            at: start + 3,
            base: self.base,
            splices: std::mem::take(&mut self.splices),
            symbols: &mut *self.symbols,
            keywords: self.keywords,
            pack_stack: Vec::new(),
            pack: 0,
            in_annotation: true,
            out: Lexed::default(),
        };
        let result = inner.run("");
        let (out, splices) = (inner.out, inner.splices);
        self.splices = splices;
        self.out.annotations.push(Annotation {
            token: self.out.tokens.len() as u32,
            span: self.span(start, end),
            word: String::from_utf8_lossy(&word).into(),
            lexed: result.map(|()| out),
        });
    }

    /// Moves to the end of the line, not past it.
    fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    fn token(&mut self, byte: u8) -> Result<TokenKind> {
        let start = self.at;
        if let Some(kind) = self.literal(byte)? {
            return Ok(kind);
        }
        let backslash = self.in_annotation && byte == b'\\';
        if is_ident_start(byte) || backslash {
            self.at += usize::from(backslash);
            while self.text.get(self.at).is_some_and(|&b| is_ident_continue(b)) {
                self.at += 1;
            }
            let Ok(name) = std::str::from_utf8(&self.text[start..self.at]) else {
                return self.error(start, "identifier is not valid UTF-8");
            };
            let symbol = self.symbols.intern(name);
            let keyword = self.keywords.get(symbol);
            return Ok(keyword.map_or(TokenKind::Ident(symbol), TokenKind::Keyword));
        }
        let dotted = byte == b'.' && self.text.get(start + 1).is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_digit() || dotted {
            return self.number();
        }
        self.punctuation()
    }

    /// A preprocessing number [C11 §6.4.8].
    fn number(&mut self) -> Result<TokenKind> {
        let start = self.at;
        while let Some(&b) = self.text.get(self.at) {
            let after_exponent = matches!(self.text[self.at.max(1) - 1], b'e' | b'E' | b'p' | b'P');
            let sign = matches!(b, b'+' | b'-') && self.at > start && after_exponent;
            if self.in_annotation && self.text[self.at..].starts_with(b"..") {
                break;
            }
            if !(is_ident_continue(b) || b == b'.' || sign) {
                break;
            }
            self.at += 1;
        }
        match std::str::from_utf8(&self.text[start..self.at]) {
            Ok(text) => Ok(TokenKind::Number(self.symbols.intern(text))),
            Err(_) => self.error(start, "number is not valid UTF-8"),
        }
    }

    fn punctuation(&mut self) -> Result<TokenKind> {
        let start = self.at;
        let rest = &self.text[start..];
        // `<:`, `<%`, `:>` and `%>` precede their one-character prefixes by length.
        let digraph = rest.get(..2).and_then(|two| match two {
            b"<:" => Some(Punct::LBracket),
            b":>" => Some(Punct::RBracket),
            b"<%" => Some(Punct::LBrace),
            b"%>" => Some(Punct::RBrace),
            _ => None,
        });
        if let Some(punct) = digraph {
            self.at += 2;
            return Ok(TokenKind::Punct(punct));
        }
        let Some(&(spelling, punct)) =
            PUNCTUATION.iter().find(|(s, _)| rest.starts_with(s.as_bytes()))
        else {
            let shown = char::from(rest[0]).escape_default();
            return self.error(start, format!("stray '{shown}' in program"));
        };
        self.at += spelling.len();
        Ok(TokenKind::Punct(punct))
    }

    /// A character constant or string literal, with its prefix.
    fn literal(&mut self, byte: u8) -> Result<Option<TokenKind>> {
        let (encoding, prefix) = match (byte, &self.text[self.at + 1..]) {
            (b'"' | b'\'', _) => (Encoding::Narrow, 0),
            (b'L', [b'"' | b'\'', ..]) => (Encoding::Wide, 1),
            (b'u', [b'"' | b'\'', ..]) => (Encoding::Utf16, 1),
            (b'U', [b'"' | b'\'', ..]) => (Encoding::Utf32, 1),
            (b'u', [b'8', b'"', ..]) => (Encoding::Narrow, 2),
            _ => return Ok(None),
        };
        let start = self.at;
        let quote = self.text[start + prefix];
        let what = if quote == b'"' { "string literal" } else { "character constant" };
        let mut at = start + prefix + 1;
        loop {
            match self.text.get(at) {
                None | Some(b'\n') => return self.error(start, format!("unterminated {what}")),
                Some(b'\\') => at += 2,
                Some(&b) if b == quote => break,
                Some(_) => at += 1,
            }
        }
        let body = self.text[start + prefix + 1..at].into();
        self.at = at + 1;
        let index = self.out.literals.len() as u32;
        self.out.literals.push(Literal { encoding, body });
        Ok(Some(if quote == b'"' { TokenKind::Str(index) } else { TokenKind::Char(index) }))
    }

    /// A line that starts with `#`.
    fn directive(&mut self, name: &str) -> Result<()> {
        let start = self.at;
        self.skip_line();
        let line = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        let body = line.trim_start_matches(['#', '%', ':']).trim();
        let (word, rest) = split_word(body);
        match word {
            "" | "ident" | "sccs" | "define" | "undef" => Ok(()),
            "pragma" => {
                self.pragma(rest.trim());
                Ok(())
            }
            "line" => self.line_marker(start, rest.trim(), name),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                self.line_marker(start, body, name)
            }
            _ => {
                let message = format!("preprocessing directive '#{word}' in preprocessed text");
                self.error(start, message)
            }
        }
    }

    /// `12 "file.c" 1 3 4`: the next line is line 12 of file.c; flag 3 marks system headers.
    fn line_marker(&mut self, start: usize, body: &str, name: &str) -> Result<()> {
        let (number, rest) = split_word(body);
        let Ok(line) = number.parse::<u32>() else {
            return self.error(start, "line marker without a line number");
        };
        let rest = rest.trim_start();
        let last = self.out.markers.last();
        let (file, flags) = match rest.strip_prefix('"').and_then(|r| r.rsplit_once('"')) {
            Some((file, flags)) => (Arc::from(unescape_path(file).as_str()), flags),
            None => (last.map_or_else(|| Arc::from(name), |m| m.file.clone()), ""),
        };
        let file = last.filter(|m| m.file == file).map_or(file, |m| m.file.clone());
        let system = flags.split_whitespace().any(|f| f == "3");
        let next_line = (self.at + 1).min(self.text.len());
        let offset = self.local(next_line);
        self.out.markers.push(LineMarker { offset, line, file, system });
        Ok(())
    }

    /// `pack(4)`, `pack()`, `pack(push)`, `pack(push, 4)`, `pack(pop)`.
    fn pragma(&mut self, body: &str) {
        let Some(arguments) = body.strip_prefix("pack").map(str::trim).and_then(|b| {
            b.strip_prefix('(').and_then(|b| b.split_once(')')).map(|(inside, _)| inside)
        }) else {
            return;
        };
        for argument in arguments.split(',').map(str::trim) {
            match argument {
                "push" => self.pack_stack.push(self.pack),
                "pop" => self.pack = self.pack_stack.pop().unwrap_or(0),
                "" => self.pack = 0,
                number => {
                    if let Ok(n @ (1 | 2 | 4 | 8 | 16)) = number.parse::<u32>() {
                        self.pack = n;
                    }
                }
            }
        }
        self.out.packs.push((self.out.tokens.len() as u32, self.pack));
    }
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.split_at(end)
}

fn unescape_path(path: &str) -> String {
    path.replace("\\\\", "\\").replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn lexed(text: &str) -> (Vec<TokenKind>, Lexed, SourceMap) {
        let mut symbols = Symbols::default();
        let keywords = Keywords::seed(&mut symbols);
        let mut map = SourceMap::new();
        let id = map.add("t.i", text.as_bytes().to_vec()).expect("small");
        let out = lex(map.file(id), &mut symbols, &keywords).expect("lexes");
        (out.tokens.iter().map(|t| t.kind).collect(), out, map)
    }

    #[test]
    fn splices_keep_true_offsets() {
        let (kinds, out, map) = lexed("in\\\nt x\\\r\n;");
        assert_eq!(kinds.len(), 4);
        assert_eq!(map.snippet(out.tokens[0].span), b"in\\\nt");
        assert_eq!(map.snippet(out.tokens[1].span), b"x");
        assert_eq!(map.snippet(out.tokens[2].span), b";");
    }

    #[test]
    fn digraphs_and_longest_match() {
        let puncts = |text: &str| {
            let kinds = lexed(text).0;
            kinds[..kinds.len() - 1].to_vec()
        };
        assert_eq!(puncts("<: :> <% %>"), puncts("[ ] { }"));
        assert_eq!(puncts(">>= ... ->").len(), 3);
        assert_eq!(puncts("a+++b").len(), 4);
        assert_eq!(puncts("1.e+5f .5 0x1p-3").len(), 3);
    }

    #[test]
    fn pack_is_tracked() {
        let (_, out, _) = lexed("a\n#pragma pack(push, 2)\nb\n#pragma pack(pop)\nc");
        assert_eq!(out.packs, vec![(1, 2), (2, 0)]);
    }
}
