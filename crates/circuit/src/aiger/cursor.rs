//! A position in the bytes of an AIGER file, and the tokens that both encodings share.

use super::error::Problem;

/// Where a fault was noticed, as cheaply as it can be noted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// At an offset.
    Offset(usize),
    /// At a word (from 0) of a line (from 1) of an ascii file.
    Token { line: usize, token: usize },
}

/// A problem before its place is worked out.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub position: Position,
    pub problem: Problem,
}

impl Fault {
    pub fn at(offset: usize, problem: Problem) -> Self {
        Fault { position: Position::Offset(offset), problem }
    }

    pub fn at_token(line: usize, token: usize, problem: Problem) -> Self {
        Fault { position: Position::Token { line, token }, problem }
    }
}

pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, position: 0 }
    }

    pub fn position(&self) -> usize {
        self.position
    }

    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    pub fn advance(&mut self, count: usize) {
        self.position = (self.position + count).min(self.bytes.len());
    }

    /// The fault of something else standing here, or of the file ending here.
    pub fn unexpected(&self, expected: &'static str) -> Fault {
        let problem = match self.peek() {
            None => Problem::Truncated(expected),
            Some(byte) => Problem::Unexpected { expected, found: describe(byte) },
        };
        Fault::at(self.position, problem)
    }

    /// A decimal number of at most `limit`.
    #[inline]
    pub fn number(&mut self, limit: u64, expected: &'static str) -> Result<u64, Fault> {
        let start = self.position;
        let mut value: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.position += 1;
        }
        if self.position == start {
            return Err(self.unexpected(expected));
        }
        if value > limit {
            return Err(Fault::at(start, Problem::NumberTooLarge(limit)));
        }
        Ok(value)
    }

    /// A literal of at most `maximum`.
    #[inline]
    pub fn literal(&mut self, maximum: u64, expected: &'static str) -> Result<u32, Fault> {
        let start = self.position;
        let literal = self.number(u64::MAX, expected)?;
        if literal > maximum {
            return Err(Fault::at(start, Problem::LiteralTooLarge { literal, maximum }));
        }
        Ok(u32::try_from(literal).expect("the header limits variables to 31 bits"))
    }

    /// At least one blank.
    pub fn blank(&mut self, expected: &'static str) -> Result<(), Fault> {
        if !self.skip_blanks() { Err(self.unexpected(expected)) } else { Ok(()) }
    }

    /// Skips blanks; whether there were any.
    #[inline]
    pub fn skip_blanks(&mut self) -> bool {
        let start = self.position;
        while let Some(b' ' | b'\t') = self.peek() {
            self.position += 1;
        }
        self.position > start
    }

    /// Whether the line ends here; blanks before the end are skipped.
    #[inline]
    pub fn at_line_end(&mut self) -> bool {
        self.skip_blanks();
        matches!(self.rest(), [] | [b'\n', ..] | [b'\r', b'\n', ..])
    }

    /// The end of the line, or of the file.
    #[inline]
    pub fn line_end(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        match self.rest() {
            [] => {}
            [b'\n', ..] => self.position += 1,
            [b'\r', b'\n', ..] => self.position += 2,
            _ => return Err(self.unexpected("the end of the line")),
        }
        Ok(())
    }

    /// The rest of the line without its end, which is consumed.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let (line, consumed) = match rest.iter().position(|b| *b == b'\n') {
            Some(end) => (&rest[..end], end + 1),
            None => (rest, rest.len()),
        };
        self.position += consumed;
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// A number in the binary encoding: seven bits a byte, the lowest first, the eighth set on
    /// all bytes but the last.
    #[inline]
    pub fn difference(&mut self) -> Result<u64, Fault> {
        let start = self.position;
        let mut value: u64 = 0;
        for shift in (0..35).step_by(7) {
            let Some(byte) = self.peek() else {
                return Err(self.unexpected("the code of a gate"));
            };
            self.position += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::at(start, Problem::NumberTooLarge(u64::from(u32::MAX))))
    }
}

fn describe(byte: u8) -> String {
    match byte {
        b'\n' => "the end of the line".to_owned(),
        b' ' | b'\t' => "a blank".to_owned(),
        0x21..=0x7e => format!("'{}'", char::from(byte)),
        _ => format!("byte {byte:#04x}"),
    }
}
