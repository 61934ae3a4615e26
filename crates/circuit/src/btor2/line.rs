//! A line of a BTOR2 file, word by word.

use super::error::{Problem, ReadError};
use crate::place::Place;

/// The words of a line that are not read yet. A comment starts with a word that starts with `;`.
pub(super) struct Line<'a> {
    bytes: &'a [u8],
    position: usize,
    /// From 1.
    pub number: usize,
}

/// A word and its column.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub bytes: &'a [u8],
    column: usize,
}

impl Word<'_> {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }
}

impl<'a> Line<'a> {
    pub fn new(bytes: &'a [u8], number: usize) -> Self {
        Line { bytes, position: 0, number }
    }

    /// The same line from its start.
    pub fn restarted(&self) -> Line<'a> {
        Line::new(self.bytes, self.number)
    }

    /// The next word.
    pub fn word(&mut self) -> Option<Word<'a>> {
        let blank = |b: &u8| matches!(*b, b' ' | b'\t' | b'\r');
        let rest = &self.bytes[self.position..];
        let start = self.position + rest.iter().take_while(|b| blank(b)).count();
        let length = self.bytes[start..].iter().take_while(|b| !blank(b)).count();
        let bytes = &self.bytes[start..start + length];
        if bytes.is_empty() || bytes[0] == b';' {
            self.position = self.bytes.len();
            return None;
        }
        self.position = start + length;
        Some(Word { bytes, column: start + 1 })
    }

    pub fn required(&mut self, expected: &'static str) -> Result<Word<'a>, ReadError> {
        let end = self.bytes.len() + 1;
        self.word().ok_or_else(|| self.error_at(end, Problem::Missing(expected)))
    }

    /// A problem with a word.
    pub fn error(&self, word: Word<'_>, problem: Problem) -> ReadError {
        self.error_at(word.column, problem)
    }

    /// A problem with the line as a whole.
    pub fn error_at_start(&self, problem: Problem) -> ReadError {
        self.error_at(1, problem)
    }

    fn error_at(&self, column: usize, problem: Problem) -> ReadError {
        ReadError { place: Place::Text { line: self.number, column }, problem }
    }

    /// A number without sign.
    pub fn number(&mut self, expected: &'static str) -> Result<(u64, Word<'a>), ReadError> {
        let word = self.required(expected)?;
        match parse_number(word.bytes) {
            Some(number) => Ok((number, word)),
            None => Err(self.unexpected(word, expected)),
        }
    }

    /// An identifier, negated where it has a minus sign.
    pub fn reference(
        &mut self,
        expected: &'static str,
    ) -> Result<(u64, bool, Word<'a>), ReadError> {
        let word = self.required(expected)?;
        let digits = word.bytes.strip_prefix(b"-");
        match parse_number(digits.unwrap_or(word.bytes)) {
            Some(id) if id > 0 => Ok((id, digits.is_some(), word)),
            _ => Err(self.unexpected(word, expected)),
        }
    }

    pub fn unexpected(&self, word: Word<'_>, expected: &'static str) -> ReadError {
        // A hostile word may be as long as the file; a message need not be.
        let mut found: String = word.text().chars().take(40).collect();
        if found.len() < word.bytes.len() {
            found.push('…');
        }
        self.error(word, Problem::Unexpected { expected, found })
    }

    /// The symbol that may end a line, and nothing after it.
    pub fn symbol(&mut self) -> Result<Option<String>, ReadError> {
        let symbol = self.word().map(|w| w.text());
        match self.word() {
            Some(word) => Err(self.unexpected(word, "the end of the line")),
            None => Ok(symbol),
        }
    }
}

fn parse_number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |n, b| match b {
        b'0'..=b'9' => n.checked_mul(10)?.checked_add(u64::from(b - b'0')),
        _ => None,
    })
}
