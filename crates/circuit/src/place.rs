//! Where in a file something stands: what every error of a reader carries.

use std::fmt;

/// A position in an input file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Line and column of a text file, both from 1; columns count bytes.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// Offset in bytes from the start of a binary file.
    Byte(usize),
}

impl Place {
    /// The line and column of an offset; past the end it is the end.
    pub fn of_offset(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        Place::Text { line, column: before.len() - start + 1 }
    }

    /// The start of the `token`-th blank-separated word (from 0) of a line (from 1). A line with
    /// fewer words gives its first column.
    pub fn of_token(text: &[u8], line: usize, token: usize) -> Self {
        let bytes = text.split(|b| *b == b'\n').nth(line.saturating_sub(1)).unwrap_or(&[]);
        let is_blank = |b: u8| b == b' ' || b == b'\t';
        let mut starts = (0..bytes.len())
            .filter(|i| !is_blank(bytes[*i]) && (*i == 0 || is_blank(bytes[i - 1])));
        Place::Text { line, column: starts.nth(token).map_or(1, |i| i + 1) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text { line, column } => write!(f, "{line}:{column}"),
            Place::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}
