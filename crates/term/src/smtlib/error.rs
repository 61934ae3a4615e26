//! Places in a script and what can be wrong there.

use std::borrow::Cow;
use std::fmt;
use thiserror::Error;

/// A place in a script: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Why a script is rejected, where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{place}: {message}; {help}")]
pub struct ParseError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Cow<'static, str>,
}

/// An error at a byte offset, before lines and columns are counted.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) help: Cow<'static, str>,
}

impl Fault {
    pub(super) fn new(
        at: usize,
        message: impl Into<String>,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        Fault { at, message: message.into(), help: help.into() }
    }
}

/// Errors are rare, results are returned for every token: a box keeps the latter small.
pub(super) type Result<T> = std::result::Result<T, Box<Fault>>;

/// The error of a fault, as a result.
pub(super) fn fault<T>(
    at: usize,
    message: impl Into<String>,
    help: impl Into<Cow<'static, str>>,
) -> Result<T> {
    Err(Box::new(Fault::new(at, message, help)))
}

/// Counts lines and columns; asked for growing offsets it reads the text only once.
pub(super) struct Places<'t> {
    text: &'t [u8],
    offset: usize,
    place: Place,
}

impl<'t> Places<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Places { text, offset: 0, place: Place { line: 1, column: 1 } }
    }

    /// The place of a byte offset.
    pub(super) fn of(&mut self, offset: usize) -> Place {
        if offset < self.offset {
            *self = Places::new(self.text);
        }
        for byte in &self.text[self.offset..offset.min(self.text.len())] {
            match byte {
                b'\n' => self.place = Place { line: self.place.line + 1, column: 1 },
                // Not the first byte of a character.
                0x80..=0xBF => {}
                _ => self.place.column += 1,
            }
        }
        self.offset = offset;
        self.place
    }
}

/// A text for a message: long ones are cut, and control characters made visible.
pub(super) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().take(LONGEST).flat_map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn visible(c: char) -> impl Iterator<Item = char> {
    let escaped = c.is_control().then(|| c.escape_default());
    let plain = (!c.is_control()).then_some(c);
    plain.into_iter().chain(escaped.into_iter().flatten())
}
