//! Tokens of SMT-LIB 2.6 (§3.1 of the standard).
//!
//! Bytes that are not UTF-8 are accepted in comments only. Numerals may have leading zeros,
//! which the standard forbids and all solvers accept.

use super::error::{Result, excerpt, fault};
use std::borrow::Cow;

/// A token; literals without their `#x`, `#b`, `|` and quotes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    Open,
    Close,
    Numeral(&'t str),
    Decimal(&'t str),
    Hex(&'t str),
    Binary(&'t str),
    Text(Cow<'t, str>),
    /// A symbol written without bars: possibly a reserved word.
    Plain(&'t str),
    /// A symbol written between bars: never a reserved word.
    Quoted(&'t str),
    /// With its colon.
    Keyword(&'t str),
    End,
}

impl Token<'_> {
    /// The token for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Open => "`(`".into(),
            Token::Close => "`)`".into(),
            Token::Numeral(s) | Token::Decimal(s) => format!("the number `{}`", excerpt(s)),
            Token::Hex(s) => format!("the literal `#x{}`", excerpt(s)),
            Token::Binary(s) => format!("the literal `#b{}`", excerpt(s)),
            Token::Text(s) => format!("the string \"{}\"", excerpt(s)),
            Token::Plain(s) => format!("`{}`", excerpt(s)),
            Token::Quoted(s) => format!("`|{}|`", excerpt(s)),
            Token::Keyword(s) => format!("the keyword `{}`", excerpt(s)),
            Token::End => "the end of the file".into(),
        }
    }
}

/// Whether a word is a symbol only if it is written between bars.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "!" | "_"
            | "as"
            | "BINARY"
            | "DECIMAL"
            | "exists"
            | "HEXADECIMAL"
            | "forall"
            | "lambda"
            | "let"
            | "match"
            | "NUMERAL"
            | "par"
            | "STRING"
    )
}

/// Whether a byte may occur in a symbol without bars.
pub(crate) fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&byte)
}

/// Reads tokens on demand.
#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    next: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        let next = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Lexer { text, next }
    }

    /// The text between two offsets, as it may be quoted in answers.
    pub(super) fn slice(&self, from: usize, to: usize) -> String {
        String::from_utf8_lossy(&self.text[from..to]).into_owned()
    }

    /// The offset after the last token.
    pub(super) fn offset(&self) -> usize {
        self.next
    }

    /// The next token and its offset.
    pub(super) fn token(&mut self) -> Result<(Token<'t>, usize)> {
        self.skip_blanks();
        let at = self.next;
        let Some(&first) = self.text.get(at) else {
            return Ok((Token::End, at));
        };
        self.next += 1;
        let token = match first {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'0'..=b'9' => self.number(at)?,
            b'#' => self.literal(at)?,
            b'"' => self.string(at)?,
            b'|' => self.quoted(at)?,
            b':' => {
                let rest = self.take_while(is_symbol_byte);
                if rest.is_empty() {
                    return fault(at, "a `:` without a name", "write a keyword such as `:named`");
                }
                Token::Keyword(self.str(at, self.next)?)
            }
            _ if is_symbol_byte(first) => {
                self.take_while(is_symbol_byte);
                Token::Plain(self.str(at, self.next)?)
            }
            _ => return self.unexpected(at),
        };
        Ok((token, at))
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.text.get(self.next) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.next += 1,
                b';' => {
                    let rest = &self.text[self.next..];
                    self.next += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn take_while(&mut self, accepted: impl Fn(u8) -> bool) -> &'t [u8] {
        let rest = &self.text[self.next..];
        let length = rest.iter().position(|b| !accepted(*b)).unwrap_or(rest.len());
        self.next += length;
        &rest[..length]
    }

    /// The bytes as text, or a fault at the first that is none.
    fn str(&self, from: usize, to: usize) -> Result<&'t str> {
        match std::str::from_utf8(&self.text[from..to]) {
            Ok(text) => Ok(text),
            Err(error) => fault(
                from + error.valid_up_to(),
                "bytes that are not UTF-8",
                "save the file as UTF-8",
            ),
        }
    }

    fn number(&mut self, at: usize) -> Result<Token<'t>> {
        self.take_while(|b| b.is_ascii_digit());
        let decimal = self.text.get(self.next) == Some(&b'.');
        if decimal {
            self.next += 1;
            if self.take_while(|b| b.is_ascii_digit()).is_empty() {
                return fault(
                    at,
                    "a decimal number without digits after its point",
                    "write a digit there, as in `1.0`",
                );
            }
        }
        if self.text.get(self.next).is_some_and(|b| is_symbol_byte(*b)) {
            return fault(
                at,
                "a number followed by letters",
                "put a blank after the number; a symbol that starts with a digit needs bars: |1a|",
            );
        }
        let digits = self.str(at, self.next)?;
        Ok(if decimal { Token::Decimal(digits) } else { Token::Numeral(digits) })
    }

    fn literal(&mut self, at: usize) -> Result<Token<'t>> {
        let base = self.text.get(self.next).copied();
        self.next += usize::from(base.is_some());
        let start = self.next;
        let digits = self.take_while(is_symbol_byte);
        let hex = match base {
            Some(b'x') => true,
            Some(b'b') => false,
            _ => return fault(at, "an unknown literal", "literals are written #b01… or #x1f…"),
        };
        let valid = |b: &u8| if hex { b.is_ascii_hexdigit() } else { matches!(b, b'0' | b'1') };
        if digits.is_empty() || !digits.iter().all(valid) {
            return fault(
                at,
                if hex { "a malformed hexadecimal literal" } else { "a malformed binary literal" },
                if hex { "write hexadecimal digits after #x" } else { "write 0 and 1 after #b" },
            );
        }
        let digits = self.str(start, self.next)?;
        Ok(if hex { Token::Hex(digits) } else { Token::Binary(digits) })
    }

    fn string(&mut self, at: usize) -> Result<Token<'t>> {
        let mut doubled = false;
        loop {
            self.take_while(|b| b != b'"');
            if self.next >= self.text.len() {
                return fault(at, "a string that does not end", "close it with a quote");
            }
            self.next += 1;
            if self.text.get(self.next) != Some(&b'"') {
                break;
            }
            doubled = true;
            self.next += 1;
        }
        let inside = self.str(at + 1, self.next - 1)?;
        Ok(Token::Text(if doubled { inside.replace("\"\"", "\"").into() } else { inside.into() }))
    }

    fn quoted(&mut self, at: usize) -> Result<Token<'t>> {
        let inside = self.take_while(|b| b != b'|' && b != b'\\');
        match self.text.get(self.next) {
            Some(b'|') => {
                self.next += 1;
                Ok(Token::Quoted(self.str(at + 1, at + 1 + inside.len())?))
            }
            Some(_) => fault(
                self.next,
                "a backslash in a quoted symbol",
                "SMT-LIB has no escapes there: choose another name",
            ),
            None => fault(at, "a quoted symbol that does not end", "close it with `|`"),
        }
    }

    fn unexpected<T>(&self, at: usize) -> Result<T> {
        let rest = &self.text[at..self.text.len().min(at + 4)];
        let valid = match std::str::from_utf8(rest) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        match valid.chars().next() {
            Some(c) => fault(
                at,
                format!("the character `{}` can't stand here", excerpt(&c.to_string())),
                "a symbol with other characters than letters, digits and ~!@$%^&*_-+=<>.?/ needs bars: |x|",
            ),
            None => fault(at, "bytes that are not UTF-8", "save the file as UTF-8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut found = Vec::new();
        loop {
            match lexer.token() {
                Ok((Token::End, _)) => return found,
                Ok((token, _)) => found.push(token),
                Err(fault) => panic!("{}: {}", fault.at, fault.message),
            }
        }
    }

    #[test]
    fn every_kind_of_token() {
        use Token::*;
        assert_eq!(
            tokens("(a|b c|:k 12 1.50 #xAf #b01 \"q\"\"r\" -5 <= ;c )\n)"),
            vec![
                Open,
                Plain("a"),
                Quoted("b c"),
                Keyword(":k"),
                Numeral("12"),
                Decimal("1.50"),
                Hex("Af"),
                Binary("01"),
                Text("q\"r".into()),
                Plain("-5"),
                Plain("<="),
                Close,
            ]
        );
        assert_eq!(tokens("\u{feff}x"), vec![Plain("x")]);
        assert_eq!(tokens("||"), vec![Quoted("")]);
    }

    #[test]
    fn malformed_tokens_have_a_place() {
        for (text, at) in [
            (&b" 1a"[..], 1),
            (b" 1.", 1),
            (b"#", 0),
            (b"#o7", 0),
            (b"#b2", 0),
            (b"#xg", 0),
            (b"a \"b", 2),
            (b"|a", 0),
            (b"|a\\|", 2),
            (b": a", 0),
            (b" \xff", 1),
            (b"\"ab\xff\"", 3),
            (b"|ab\xff|", 3),
            ("\u{e4}".as_bytes(), 0),
            (b"[", 0),
        ] {
            let mut lexer = Lexer::new(text);
            let fault = loop {
                match lexer.token() {
                    Ok((Token::End, _)) => panic!("{text:?} was accepted"),
                    Ok(_) => {}
                    Err(fault) => break fault,
                }
            };
            assert_eq!(fault.at, at, "{text:?}");
        }
        assert_eq!(tokens("; \u{e4}\n1").len(), 1);
        let mut lexer = Lexer::new(b";\xff\n1");
        assert!(matches!(lexer.token(), Ok((Token::Numeral("1"), 3))));
    }
}
