//! Bytes to tokens [IEC 61131-3 §6.1, §6.3].
//!
//! All dialects share the lexer; they differ in what `"text"` is. Comments are skipped, except those
//! that make a claim (`//#ASSERT x > 0`), whose words become tokens. Edition 3 and most compilers
//! nest comments, and older texts have comments in which another one seems to begin: if nesting does
//! not come to an end, comments of this text are read without it.
//!
//! Errors do not end the work: what is not a token is left out.

mod number;
mod string;
pub mod text;
pub(crate) mod time;
pub mod token;

use crate::ast::{Claim, LiteralKind, Name, Spelling};
use crate::dialect::Dialect;
use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};
use std::sync::Arc;
use text::{Text, decode};
use token::{KEYWORDS, Keyword, PUNCTUATION, Punct, Token, TokenKind};

/// Errors after which a file is no longer worth reading.
pub(crate) const MAX_ERRORS: usize = 50;

/// What a text is read as.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Mode {
    /// The dialect.
    pub dialect: Dialect,
    /// Whether it is a requirement, in which `-->` is an operator.
    pub requirement: bool,
}

/// The result of lexing a text.
#[derive(Debug, Default)]
pub struct Tokens {
    /// All tokens; the last is [`TokenKind::End`].
    pub tokens: Vec<Token>,
    names: Vec<(Arc<str>, Arc<str>)>,
    literals: Vec<LiteralKind>,
    texts: Vec<Arc<str>>,
    /// What is wrong.
    pub errors: Vec<Diagnostic>,
}

impl Tokens {
    /// The name with this index.
    #[must_use]
    pub fn name(&self, index: u32, spelling: Spelling, span: Span) -> Name {
        let (text, key) = &self.names[index as usize];
        Name { text: text.clone(), key: key.clone(), spelling, span }
    }

    /// A name in small letters.
    #[must_use]
    pub fn key(&self, index: u32) -> &str {
        &self.names[index as usize].1
    }

    /// The literal with this index.
    #[must_use]
    pub fn literal(&self, index: u32) -> &LiteralKind {
        &self.literals[index as usize]
    }

    /// The text with this index.
    #[must_use]
    pub fn text(&self, index: u32) -> &Arc<str> {
        &self.texts[index as usize]
    }
}

/// Lexes a text.
#[must_use]
pub fn lex(text: &Text, mode: Mode) -> Tokens {
    let mut lexer = Lexer {
        text,
        bytes: &text.bytes,
        at: 0,
        mode,
        keywords: KEYWORDS.iter().copied().collect(),
        known: FxHashMap::default(),
        nests: [true; 2],
        first: true,
        header: false,
        claim_end: None,
        last_end: usize::MAX,
        out: Tokens::default(),
    };
    lexer.run();
    lexer.out
}

struct Lexer<'a> {
    text: &'a Text<'a>,
    bytes: &'a [u8],
    at: usize,
    mode: Mode,
    keywords: FxHashMap<&'static str, Keyword>,
    known: FxHashMap<Arc<str>, u32>,
    /// Whether `(* *)` and `/* */` nest; no longer after one that would never end.
    nests: [bool; 2],
    /// Whether the next token is the first of its line.
    first: bool,
    /// Whether this is the header of a block of SCL, in which free text stands.
    header: bool,
    /// Where the claim ends whose tokens are read, and where reading goes on after it.
    claim_end: Option<(usize, usize)>,
    /// The end of the last token.
    last_end: usize,
    out: Tokens,
}

fn is_word_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b >= 0x80
}

/// `$` is part of names in what some tools generate.
fn is_word_part(b: u8) -> bool {
    is_word_start(b) || b.is_ascii_digit() || b == b'$'
}

impl Lexer<'_> {
    fn run(&mut self) {
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
            self.error(0, 2, "this text is in UTF-16", "save the file as UTF-8");
            self.at = self.bytes.len();
        }
        loop {
            self.skip_space();
            if let Some((end, resume)) = self.claim_end.filter(|&(end, _)| self.at >= end) {
                self.claim_end = None;
                self.at = self.at.max(resume);
                self.push(end, end, TokenKind::ClaimEnd);
                continue;
            }
            if self.at >= self.bytes.len() || self.out.errors.len() >= MAX_ERRORS {
                break;
            }
            self.token();
        }
        let end = self.bytes.len();
        self.push(end, end, TokenKind::End);
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error(&mut self, start: usize, end: usize, message: impl Into<String>, help: &str) {
        let span = self.text.span(start, end.min(self.bytes.len()).max(start));
        let error = Diagnostic::error(span, message);
        let error = if help.is_empty() { error } else { error.help(help) };
        self.out.errors.push(*error);
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind) {
        let span = self.text.span(start, end);
        let adjacent = self.last_end == start;
        self.out.tokens.push(Token { kind, span, first: self.first, adjacent });
        self.first = false;
        self.last_end = end;
    }

    fn literal(&mut self, start: usize, kind: LiteralKind) {
        let index = self.out.literals.len() as u32;
        self.out.literals.push(kind);
        self.push(start, self.at, TokenKind::Literal(index));
    }

    fn string_of(&mut self, start: usize, end: usize) -> u32 {
        let text = decode(&self.bytes[start..end]);
        self.out.texts.push(text.trim().into());
        self.out.texts.len() as u32 - 1
    }

    fn intern(&mut self, text: &str) -> u32 {
        if let Some(&index) = self.known.get(text) {
            return index;
        }
        let index = self.out.names.len() as u32;
        let text: Arc<str> = text.into();
        self.known.insert(text.clone(), index);
        self.out.names.push((text.clone(), text.to_lowercase().into()));
        index
    }

    /// Skips blanks and comments; stops at the end of a claim.
    fn skip_space(&mut self) {
        while self.claim_end.is_none_or(|(end, _)| self.at < end) {
            match self.rest() {
                [b'\n', ..] => {
                    self.first = true;
                    self.at += 1;
                }
                [b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0, ..] => self.at += 1,
                // No-break space and byte order mark.
                [0xc2, 0xa0, ..] => self.at += 2,
                [0xef, 0xbb, 0xbf, ..] => self.at += 3,
                [b'/', b'/', ..] => {
                    let len = self.rest().iter().position(|&b| b == b'\n');
                    let end = self.at + len.unwrap_or(self.bytes.len() - self.at);
                    if !self.claim(self.at + 2, end, end) {
                        self.at = end;
                    }
                }
                [b'(', b'*', ..] => self.block_comment(0, b"(*", b"*)"),
                [b'/', b'*', ..] => self.block_comment(1, b"/*", b"*/"),
                _ => return,
            }
        }
    }

    fn block_comment(&mut self, kind: usize, open: &[u8; 2], close: &[u8; 2]) {
        let start = self.at;
        let mut end = self.comment_end(open, close, self.nests[kind]);
        if end.is_none() && self.nests[kind] {
            self.nests[kind] = false;
            end = self.comment_end(open, close, false);
        }
        let Some(end) = end else {
            let close = if kind == 0 { "*)" } else { "*/" };
            let help = format!("write '{close}' where it ends");
            self.error(start, start + 2, "this comment does not end", &help);
            self.at = self.bytes.len();
            return;
        };
        if self.claim(start + 2, end - 2, end) {
            return;
        }
        self.first |= self.bytes[start..end].contains(&b'\n');
        self.at = end;
    }

    fn comment_end(&self, open: &[u8; 2], close: &[u8; 2], nests: bool) -> Option<usize> {
        let mut depth = 1usize;
        let mut at = self.at + 2;
        while at + 1 < self.bytes.len() {
            let pair = &self.bytes[at..at + 2];
            if pair == close {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            } else if nests && pair == open {
                depth += 1;
                at += 2;
            } else {
                at += 1;
            }
        }
        None
    }

    /// Begins to read the claim that a comment makes, if it makes one: `#ASSERT e`.
    fn claim(&mut self, start: usize, end: usize, resume: usize) -> bool {
        if self.claim_end.is_some() {
            return false;
        }
        let Some([b'#', rest @ ..]) = self.bytes.get(start..end) else { return false };
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let word = rest[blanks..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let claim = match rest[blanks..blanks + word].to_ascii_lowercase().as_slice() {
            b"assert" => Claim::Assert,
            b"assume" => Claim::Assume,
            b"havoc" => Claim::Havoc,
            _ => return false,
        };
        let body = start + 1 + blanks + word;
        self.push(start, body, TokenKind::Claim(claim));
        self.at = body;
        self.claim_end = Some((end, resume));
        true
    }

    fn token(&mut self) {
        let start = self.at;
        let byte = self.bytes[start];
        match byte {
            b'0'..=b'9' => self.number(),
            b'\'' => self.string(b'\''),
            b'"' if self.mode.dialect.quotes_names() => self.quoted_name(start, Spelling::Quoted),
            b'"' => self.string(b'"'),
            b'{' => self.pragma(),
            b'%' => self.direct(),
            b'@' if is_word_start(self.peek(1)) => self.at_pragma(),
            b'#' if is_word_start(self.peek(1)) => {
                self.at += 1;
                let index = self.word_text();
                self.push(start, self.at, TokenKind::Marked(index, Spelling::Local));
            }
            b'#' if self.peek(1) == b'"' => {
                self.at += 1;
                self.quoted_name(start, Spelling::LocalQuoted);
            }
            _ if is_word_start(byte) => self.word(),
            _ => self.punctuation(),
        }
    }

    fn punctuation(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let fits = |&&(text, punct): &&(&str, Punct)| {
            rest.starts_with(text.as_bytes()) && (punct != Punct::Implies || self.mode.requirement)
        };
        if let Some(&(text, punct)) = PUNCTUATION.iter().find(fits) {
            self.at += text.len();
            self.push(start, self.at, TokenKind::Punct(punct));
            return;
        }
        self.at += 1;
        let shown = char::from(self.bytes[start]);
        let (message, help) = match shown {
            '|' => ("'|' is not an operator".to_owned(), "write OR"),
            '}' => ("'}' closes nothing".to_owned(), "a pragma begins with '{'"),
            '~' => ("'~' is not an operator".to_owned(), "write NOT"),
            c if c.is_ascii_graphic() => (format!("'{c}' has no meaning here"), "take it out"),
            c => (format!("the byte 16#{:02X} has no meaning here", c as u32), "take it out"),
        };
        self.error(start, start + 1, message, help);
    }

    /// The word that begins here, interned.
    fn word_text(&mut self) -> u32 {
        let start = self.at;
        let len = self.rest().iter().take_while(|&&b| is_word_part(b)).count();
        let mut end = start + len;
        // A no-break space is no part of a word.
        if let Some(cut) = self.bytes[start..end].windows(2).position(|w| w == [0xc2, 0xa0]) {
            end = start + cut.max(1);
        }
        self.at = end;
        let text = decode(&self.bytes[start..end]);
        let mark = |c: char| ('\u{300}'..'\u{370}').contains(&c);
        let odd = |c: &char| !c.is_ascii() && !c.is_alphanumeric() && !mark(*c);
        if let Some(odd) = text.chars().find(odd) {
            let message = format!("U+{:04X} can't be part of a name", u32::from(odd));
            self.error(start, end, message, "names consist of letters, digits and _");
        }
        self.intern(&text)
    }

    fn word(&mut self) {
        let start = self.at;
        let index = self.word_text();
        let key = self.out.names[index as usize].1.clone();
        let keyword = self.keywords.get(&*key).copied();
        // `INT#5`: the `#` belongs to the word before it. `IF#x`: to the name after it.
        let typed =
            keyword.is_none_or(|k| !k.reserved() && !matches!(k, Keyword::To | Keyword::By));
        if self.peek(0) == b'#' && typed && self.time_literal(start, &key) {
            return;
        }
        if self.mode.dialect == Dialect::Scl && self.free_text(start, &key, keyword) {
            return;
        }
        self.push(start, self.at, TokenKind::Word(index, keyword));
        if self.peek(0) == b'#' && typed {
            let hash = self.at;
            self.at += 1;
            self.push(hash, self.at, TokenKind::Punct(Punct::Hash));
        }
    }

    /// Lines of SCL that end with free text: `REGION title`, `END_REGION title`, `AUTHOR : text`.
    fn free_text(&mut self, start: usize, key: &str, keyword: Option<Keyword>) -> bool {
        match keyword {
            Some(
                Keyword::FunctionBlock
                | Keyword::Function
                | Keyword::OrganizationBlock
                | Keyword::DataBlock
                | Keyword::Type,
            ) if self.first => self.header = true,
            Some(keyword) if keyword.reserved() || keyword == Keyword::Begin => self.header = false,
            _ => {}
        }
        if !self.first {
            return false;
        }
        let line = self.rest().iter().take_while(|&&b| b != b'\n').count();
        let line_end = self.at + line;
        let after: Vec<u8> =
            self.rest().iter().copied().skip_while(|&b| b == b' ' || b == b'\t').take(2).collect();
        let in_header = self.header
            && matches!(
                key,
                "title" | "author" | "family" | "name" | "version" | "known_how_protect"
            )
            && matches!(after.as_slice(), [b':' | b'=', next] if *next != b'=');
        let region = matches!(keyword, Some(Keyword::Region | Keyword::EndRegion))
            && !matches!(after.as_slice(), [b':' | b'=' | b'.' | b'[' | b'(', ..]);
        if in_header {
            // An attribute may follow on the line.
            let text_end = self.bytes[start..line_end].iter().position(|b| b"{}".contains(b));
            let text_end = text_end.map_or(line_end, |len| start + len);
            let text = self.string_of(start, text_end);
            self.at = text_end;
            self.push(start, text_end, TokenKind::Pragma(text));
        } else if region && keyword == Some(Keyword::Region) {
            let title = title_end(&self.bytes[self.at..line_end]);
            let text = self.string_of(self.at, self.at + title);
            self.at += title;
            self.push(start, self.at, TokenKind::Region(text));
        } else if region {
            let index = self.intern("END_REGION");
            self.push(start, self.at, TokenKind::Word(index, keyword));
            let rest = &self.bytes[self.at..line_end];
            let skip = if rest.trim_ascii().starts_with(b";") { 0 } else { title_end(rest) };
            self.at += skip;
        } else {
            return false;
        }
        true
    }

    fn quoted_name(&mut self, start: usize, spelling: Spelling) {
        let open = self.at;
        let rest = &self.bytes[open + 1..];
        let Some(len) = rest.iter().position(|&b| b == b'"' || b == b'\n') else {
            self.error(start, open + 1, "this name does not end", "write '\"' after it");
            self.at = self.bytes.len();
            return;
        };
        if rest[len] == b'\n' || len == 0 {
            let message = if len == 0 { "a name is empty" } else { "this name does not end" };
            self.error(start, open + 1 + len, message, "names are written \"name\"");
        }
        let text = decode(&rest[..len]);
        let index = self.intern(text.trim_end());
        self.at = open + 1 + len + usize::from(rest[len] == b'"');
        if len > 0 {
            self.push(start, self.at, TokenKind::Marked(index, spelling));
        }
    }

    fn pragma(&mut self) {
        let start = self.at;
        let Some(len) = self.rest().iter().position(|&b| b == b'}') else {
            self.error(start, start + 1, "this pragma does not end", "write '}' after it");
            self.at = self.bytes.len();
            return;
        };
        let text = self.string_of(start + 1, start + len);
        self.at = start + len + 1;
        self.push(start, self.at, TokenKind::Pragma(text));
    }

    /// `@EXTERNAL`, an older form of `{external}`.
    fn at_pragma(&mut self) {
        let start = self.at;
        let word = self.bytes[start + 1..].iter().take_while(|&&b| is_word_part(b)).count();
        let text = self.string_of(start + 1, start + 1 + word);
        self.at = start + 1 + word;
        self.push(start, self.at, TokenKind::Pragma(text));
    }

    /// Whether the last token is a point, and nothing stands between it and here.
    fn after_point(&self) -> bool {
        self.last_end == self.at
            && self.out.tokens.last().is_some_and(|t| t.kind == TokenKind::Punct(Punct::Dot))
    }

    /// `%IX0.0`, `%MW10.2.4`, `%Q*`, and `%X3` after a point.
    fn direct(&mut self) {
        let start = self.at;
        let rest = &self.bytes[start + 1..];
        // A part of a variable has one number: `x.%B1.3` is a bit of a byte.
        let part = self.after_point();
        let letters = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let mut end = start + 1 + letters;
        if self.bytes.get(end) == Some(&b'*') {
            end += 1;
        } else {
            loop {
                let digits = self.bytes[end..].iter().take_while(|b| b.is_ascii_digit()).count();
                end += digits;
                match self.bytes.get(end..) {
                    Some([b'.', next, ..]) if digits > 0 && next.is_ascii_digit() && !part => {
                        end += 1
                    }
                    _ => break,
                }
            }
        }
        // `x.%Xi`: a variable says which part.
        let named = part && letters > 1 && end == start + 1 + letters;
        if named {
            let word = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
            end += self.bytes[end..].iter().take_while(word).count();
        }
        if letters == 0 || end == start + 1 + letters && !named {
            let help = "places are written like %IX0.0, %QW5 or %M*";
            self.error(start, end.max(start + 1), "this is not a place of the controller", help);
            self.at = end.max(start + 1);
            return;
        }
        let text = self.string_of(start + 1, end);
        self.at = end;
        self.push(start, end, TokenKind::Direct(text));
    }
}

/// The length of a title: up to a comment.
fn title_end(line: &[u8]) -> usize {
    let comment = line.windows(2).position(|w| w == b"//" || w == b"(*" || w == b"/*");
    comment.unwrap_or(line.len())
}
