//! Source texts and places in them.
//!
//! A map owns the bytes that were read, each text once, with its name: what a verdict or a witness
//! says is about exactly these bytes, whatever becomes of the files on disk. The sum of a text is
//! computed when somebody asks for it, once.
//!
//! All files of a program share one space of byte offsets: a [`Span`] is a pair of such offsets
//! and the file follows from them, so a place costs eight bytes wherever it is kept.
//!
//! A place has two readings. The *physical* one is the line and column of the text that was
//! lexed, which for a preprocessed file is the preprocessor's output. The *presumed* one follows
//! the line markers (`# 12 "file.c" 1 3`, `#line 12 "file.c"`) back to the file the user wrote;
//! this is what messages and traces name. Markers carry no columns, and macro expansion moves
//! them, so when the user's own line is known and differs from the preprocessed one, the column
//! is found by looking for the same occurrence of the same token there.

use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A range of bytes in the common offset space of a [`SourceMap`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to before `end`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A file of a [`SourceMap`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(u32);

/// What a line marker says: the lines from `offset` on are those of `file` from `line` on.
#[derive(Clone, Debug)]
pub struct LineMarker {
    /// Offset, within the file, of the first line the marker speaks about.
    pub offset: u32,
    /// Presumed number of that line.
    pub line: u32,
    /// Presumed file.
    pub file: Arc<str>,
    /// Whether the text comes from a system header.
    pub system: bool,
}

/// The SHA-256 sum of a text; shown in hexadecimal.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Sum(pub [u8; 32]);

impl Sum {
    /// The sum of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Sum {
        Sum(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Named bytes.
#[derive(Debug)]
pub struct Text {
    name: Arc<str>,
    bytes: Arc<[u8]>,
    line_starts: Vec<u32>,
    sum: OnceLock<Sum>,
}

impl Text {
    fn new(name: &str, bytes: Arc<[u8]>) -> Text {
        let line_starts = line_starts(&bytes);
        Text { name: name.into(), bytes, line_starts, sum: OnceLock::new() }
    }

    /// The name under which the text was added.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The bytes; nothing is assumed about their encoding.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The SHA-256 sum of the bytes.
    #[must_use]
    pub fn sum(&self) -> Sum {
        *self.sum.get_or_init(|| Sum::of(&self.bytes))
    }

    /// The line with this index from 0, without its end.
    fn line(&self, index: usize) -> Option<&[u8]> {
        let start = *self.line_starts.get(index)? as usize;
        let end = self.line_starts.get(index + 1).map_or(self.bytes.len(), |&e| e as usize);
        Some(trim_line_end(&self.bytes[start..end]))
    }
}

/// A text that was lexed.
#[derive(Debug)]
pub struct SourceFile {
    text: Text,
    base: u32,
    markers: Vec<LineMarker>,
}

impl SourceFile {
    /// The name under which the text was added.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text.name
    }

    /// The bytes; nothing is assumed about their encoding.
    #[must_use]
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text.bytes
    }

    /// The SHA-256 sum of the text that was lexed; [`SourceMap::given`] has that of the user's.
    #[must_use]
    pub fn sum(&self) -> Sum {
        self.text.sum()
    }

    /// The offset of the file's first byte in the common offset space.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The whole text.
    #[must_use]
    pub fn span(&self) -> Span {
        Span::new(self.base, self.base + self.text.bytes.len() as u32)
    }

    /// The index of the line with this offset, from 0.
    fn line_index(&self, local: u32) -> usize {
        self.text.line_starts.partition_point(|&start| start <= local) - 1
    }

    fn line_text(&self, index: usize) -> &[u8] {
        self.text.line(index).unwrap_or_default()
    }
}

fn trim_line_end(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\n' | b'\r'] = line {
        line = rest;
    }
    line
}

/// A line and column of a named file; both count from 1, columns in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The file's name.
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The texts of a program.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    originals: FxHashMap<Arc<str>, Text>,
}

/// The offsets at which lines start.
fn line_starts(text: &[u8]) -> Vec<u32> {
    let ends = text.iter().enumerate().filter(|&(_, &b)| b == b'\n');
    std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1)).collect()
}

/// A text could not be read or added.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file is not readable.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// The offsets of all texts together must fit in 32 bits.
    #[error("{0}: the sources exceed four gigabytes in total")]
    TooLarge(String),
}

impl SourceMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// The bytes of a file on disk: those that the map has under its name, or what is read now.
    pub fn read(&self, path: &Path) -> Result<Arc<[u8]>, SourceError> {
        let name = path.display().to_string();
        if let Some(text) = self.given().find(|text| *text.name == *name) {
            return Ok(text.bytes.clone());
        }
        let read = std::fs::read(path);
        read.map(Arc::from).map_err(|source| SourceError::Read { file: name, source })
    }

    /// Adds a text under a name.
    pub fn add(&mut self, name: &str, text: impl Into<Arc<[u8]>>) -> Result<FileId, SourceError> {
        let text = Text::new(name, text.into());
        // One offset between files keeps the end of one apart from the start of the next.
        let base = self.files.last().map_or(0, |f| u64::from(f.span().end) + 1);
        let end = base + text.bytes.len() as u64 + 1;
        if end > u64::from(u32::MAX) {
            return Err(SourceError::TooLarge(name.to_owned()));
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile { text, base: base as u32, markers: Vec::new() });
        Ok(id)
    }

    /// Makes the user's own text of a file known, for messages about its preprocessed form.
    pub fn add_original(&mut self, name: &str, text: impl Into<Arc<[u8]>>) {
        self.originals.insert(name.into(), Text::new(name, text.into()));
    }

    /// The texts as they were given, in the order in which they were added, each name once: of a
    /// file that was preprocessed, the user's own.
    pub fn given(&self) -> impl Iterator<Item = &Text> {
        let mut seen = FxHashSet::default();
        let files = self.files.iter().filter(move |file| seen.insert(file.name()));
        files.map(|file| self.originals.get(file.name()).unwrap_or(&file.text))
    }

    /// Records the line markers found in a file, in the order of their offsets.
    pub fn set_markers(&mut self, file: FileId, markers: Vec<LineMarker>) {
        self.files[file.0 as usize].markers = markers;
    }

    /// The file with this id.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    fn locate(&self, offset: u32) -> Option<(&SourceFile, u32)> {
        let index = self.files.partition_point(|f| f.base <= offset).checked_sub(1)?;
        let file = &self.files[index];
        Some((file, (offset - file.base).min(file.text.bytes.len() as u32)))
    }

    /// The bytes a span covers.
    #[must_use]
    pub fn snippet(&self, span: Span) -> &[u8] {
        let Some((file, start)) = self.locate(span.start) else { return &[] };
        let end = (span.end.saturating_sub(file.base)).min(file.text.bytes.len() as u32);
        &file.text.bytes[start as usize..end.max(start) as usize]
    }

    /// Where the span starts in the text that was lexed.
    #[must_use]
    pub fn physical(&self, span: Span) -> Position {
        let Some((file, local)) = self.locate(span.start) else {
            return Position { file: "<unknown>".into(), line: 0, column: 0 };
        };
        let line = file.line_index(local);
        let column = local - file.text.line_starts[line] + 1;
        Position { file: file.text.name.clone(), line: line as u32 + 1, column }
    }

    /// Where the span starts in the file the user wrote, as the line markers tell.
    #[must_use]
    pub fn presumed(&self, span: Span) -> Position {
        let mut position = self.physical(span);
        let Some((file, local)) = self.locate(span.start) else { return position };
        if let Some(marker) = marker_at(file, local) {
            let marked = file.line_index(marker.offset) as u32;
            position.line = marker.line.saturating_add(position.line - 1 - marked);
            position.file = marker.file.clone();
        }
        if let Some(line) = self.original_line(&position) {
            position.column = self.original_column(file, local, span, line);
        }
        position
    }

    /// Whether the place lies in a system header.
    #[must_use]
    pub fn in_system_header(&self, span: Span) -> bool {
        self.locate(span.start)
            .and_then(|(file, local)| marker_at(file, local))
            .is_some_and(|m| m.system)
    }

    /// The macro that a text comes from, as far as that is seen: the line that the user wrote has fewer
    /// of its first token than come before it, and the macro's name is not in what the line became.
    #[must_use]
    pub fn macro_of(&self, span: Span) -> Option<String> {
        let (file, local) = self.locate(span.start)?;
        let line = self.original_line(&self.presumed(span))?;
        let physical = file.line_text(file.line_index(local));
        let column = (local - file.text.line_starts[file.line_index(local)]) as usize;
        let token = first_word(self.snippet(span));
        let before = occurrences(&physical[..column.min(physical.len())], token).len();
        if physical == line || occurrences(line, token).len() > before {
            return None;
        }
        let words = line.split(|byte| !is_word(*byte)).filter(|word| !word.is_empty());
        let mut names = words.filter(|word| !word[0].is_ascii_digit());
        let name = names.find(|name| occurrences(physical, name).is_empty())?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    fn original_line(&self, position: &Position) -> Option<&[u8]> {
        let original = self.originals.get(&position.file)?;
        original.line(position.line.checked_sub(1)? as usize)
    }

    fn original_column(&self, file: &SourceFile, local: u32, span: Span, line: &[u8]) -> u32 {
        let index = file.line_index(local);
        let physical = file.line_text(index);
        let column = (local - file.text.line_starts[index]) as usize;
        if physical == line {
            return column as u32 + 1;
        }
        let token = first_word(self.snippet(span));
        let before = occurrences(&physical[..column.min(physical.len())], token).len();
        let found = occurrences(line, token);
        let indent = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
        found.get(before).or(found.last()).map_or(indent, |&c| c) as u32 + 1
    }

    /// The line a message about `span` shows, with the columns (from 0) it underlines: the
    /// user's own line when it is known, the lexed one otherwise.
    #[must_use]
    pub fn excerpt(&self, span: Span) -> Option<Excerpt> {
        let (file, local) = self.locate(span.start)?;
        let index = file.line_index(local);
        let physical = file.line_text(index);
        let presumed = self.presumed(span);
        let line = self.original_line(&presumed).unwrap_or(physical);
        let start = (presumed.column as usize - 1).min(line.len());
        let snippet = self.snippet(span);
        let width = if line == physical {
            snippet.split(|&b| b == b'\n').next().map_or(0, <[u8]>::len)
        } else {
            first_word(snippet).len()
        };
        let end = (start + width.max(1)).min(line.len()).max(start);
        Some(Excerpt { line: line.to_vec(), start, end })
    }
}

/// A source line with the columns (from 0) to underline.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The line without its end.
    pub line: Vec<u8>,
    /// First column.
    pub start: usize,
    /// Column after the last.
    pub end: usize,
}

fn marker_at(file: &SourceFile, local: u32) -> Option<&LineMarker> {
    let index = file.markers.partition_point(|m| m.offset <= local);
    index.checked_sub(1).map(|i| &file.markers[i])
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The identifier or number a snippet starts with, or its first byte.
fn first_word(snippet: &[u8]) -> &[u8] {
    let end = snippet.iter().position(|&b| !is_word(b)).unwrap_or(snippet.len());
    &snippet[..end.max(1).min(snippet.len())]
}

/// The columns at which `word` stands in `line`, as a whole word.
fn occurrences(line: &[u8], word: &[u8]) -> Vec<usize> {
    let Some(&first) = word.first() else { return Vec::new() };
    let at_boundary = |i: usize| {
        !is_word(first)
            || ((i == 0 || !is_word(line[i - 1]))
                && line.get(i + word.len()).is_none_or(|&b| !is_word(b)))
    };
    (0..line.len().saturating_sub(word.len() - 1))
        .filter(|&i| line[i..].starts_with(word) && at_boundary(i))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_map_to_the_users_file() {
        let mut map = SourceMap::new();
        map.add("first.i", b"int y;\n".to_vec()).expect("small");
        let text = b"# 1 \"a.c\"\nint x;\n\n  int z;\n".to_vec();
        let id = map.add("a.i", text).expect("small");
        let base = map.file(id).base();
        let marker = LineMarker { offset: 10, line: 7, file: "a.c".into(), system: false };
        map.set_markers(id, vec![marker]);
        let at = |o: u32| map.presumed(Span::new(base + o, base + o + 1)).to_string();
        assert_eq!(at(10), "a.c:7:1");
        assert_eq!(at(20), "a.c:9:3");
        assert_eq!(map.physical(Span::new(base + 20, base + 21)).to_string(), "a.i:4:3");
    }

    #[test]
    fn columns_follow_the_token_through_macro_expansion() {
        let mut map = SourceMap::new();
        let id = map.add("a.i", b"x = (1 + 2) * foo + foo;\n".to_vec()).expect("small");
        map.add_original("a.i", b"x = M * foo + foo;\n".to_vec());
        let base = map.file(id).base();
        let position = map.presumed(Span::new(base + 20, base + 23));
        assert_eq!((position.line, position.column), (1, 15));
    }

    #[test]
    fn what_a_macro_brings_names_the_macro() {
        let mut map = SourceMap::new();
        let id = map.add("a.i", b"if ((key) > 3 && n < 10) f();\n".to_vec()).expect("small");
        map.add_original("a.i", b"if (ABOVE(key) && n < MOST) f();\n".to_vec());
        let base = map.file(id).base();
        let name = |start: u32, end: u32| map.macro_of(Span::new(base + start, base + end));
        // A parenthesis more than the user wrote before; what begins with a token of the user does not
        // come from a macro.
        assert_eq!(name(0, 29), None);
        assert_eq!(name(17, 23), None);
        assert_eq!(name(21, 23).as_deref(), Some("ABOVE"));
        assert_eq!(name(10, 11).as_deref(), Some("ABOVE"));
    }

    #[test]
    fn what_was_given_is_kept_and_summed() {
        let mut map = SourceMap::new();
        map.add("a.c", b"# 1 \"a.c\"\nabc".to_vec()).expect("small");
        map.add_original("a.c", b"abc".to_vec());
        map.add("b.i", b"".to_vec()).expect("small");
        map.add("b.i", b"".to_vec()).expect("small");
        let sums: Vec<String> = map.given().map(|t| format!("{} {}", t.name(), t.sum())).collect();
        // The sums of "abc" and of nothing, from FIPS 180-2 and `sha256sum /dev/null`.
        assert_eq!(
            sums,
            [
                "a.c ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "b.i e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ]
        );
        assert_eq!(&*map.read(Path::new("a.c")).expect("known"), b"abc");
        let missing = map.read(Path::new("/does/not/exist.c")).expect_err("no such file");
        assert!(missing.to_string().starts_with("/does/not/exist.c: "), "{missing}");
    }
}
