//! A text to be lexed, and how its bytes lie in the file.
//!
//! Code in XML is not a stretch of the file: references (`&lt;`) stand for characters, and pieces
//! of text and of CDATA follow each other. The text is joined, and a table leads back.

use source::Span;
use std::borrow::Cow;

/// Bytes, and where they are from.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Pieces: where each begins in `bytes`, and its place in the common offset space. Sorted.
    pieces: Vec<(u32, u32)>,
}

impl<'a> Text<'a> {
    /// A text that lies in one stretch from `base` on.
    #[must_use]
    pub fn plain(bytes: &'a [u8], base: u32) -> Text<'a> {
        Text { bytes: Cow::Borrowed(bytes), pieces: vec![(0, base)] }
    }

    /// An empty text at a place, to which pieces are added.
    #[must_use]
    pub fn empty(base: u32) -> Text<'static> {
        Text { bytes: Cow::Owned(Vec::new()), pieces: vec![(0, base)] }
    }

    /// Adds bytes that stand at a place.
    pub fn push(&mut self, bytes: &[u8], place: u32) {
        let at = self.bytes.len() as u32;
        if self.pieces.last().is_some_and(|&(from, _)| from == at) {
            self.pieces.pop();
        }
        self.pieces.push((at, place));
        self.bytes.to_mut().extend_from_slice(bytes);
    }

    /// The place of an offset.
    fn place(&self, offset: usize) -> u32 {
        let offset = offset as u32;
        let index = self.pieces.partition_point(|&(from, _)| from <= offset).max(1) - 1;
        self.pieces.get(index).map_or(offset, |&(from, place)| place + (offset - from))
    }

    /// The place of a range.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        // The last byte's place, so that what lies between pieces is not part of the range.
        let last = if end > start { self.place(end - 1) + 1 } else { self.place(end) };
        let first = self.place(start);
        Span::new(first, last.max(first))
    }
}

/// Bytes as text: UTF-8, or else Latin-1, in which older tools write.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}
