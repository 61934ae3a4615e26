//! Messages about the user's program, and their rendering in the style of clang and rustc.

use crate::map::{SourceMap, Span};
use std::fmt::Write as _;

/// How grave a message is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Background to another message.
    Note,
    /// The program is accepted.
    Warning,
    /// The program is rejected.
    Error,
}

impl Severity {
    fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A message with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// The place it is about.
    pub span: Span,
    /// What stands at that place; may be empty.
    pub label: String,
    /// Further places.
    pub notes: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

/// Most functions of a front end fail with one message.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Diagnostic {
    /// A message that rejects the program.
    #[must_use]
    pub fn error(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::new(Severity::Error, span, message.into())
    }

    /// A message about a program that is accepted.
    #[must_use]
    pub fn warning(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::new(Severity::Warning, span, message.into())
    }

    fn new(severity: Severity, span: Span, message: String) -> Box<Diagnostic> {
        let (label, notes, help) = (String::new(), Vec::new(), None);
        Box::new(Diagnostic { severity, message, span, label, notes, help })
    }

    /// Says what stands at the place.
    #[must_use]
    pub fn label(mut self: Box<Self>, label: impl Into<String>) -> Box<Diagnostic> {
        self.label = label.into();
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn note(mut self: Box<Self>, span: Span, text: impl Into<String>) -> Box<Diagnostic> {
        self.notes.push((span, text.into()));
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self: Box<Self>, text: impl Into<String>) -> Box<Diagnostic> {
        self.help = Some(text.into());
        self
    }

    /// The message as text: `file:line:column: error: …`, the source line, a caret line, then
    /// the notes in the same form.
    #[must_use]
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        let head = (self.severity.name(), self.message.as_str());
        render_part(&mut out, sources, self.span, head, &self.label);
        for (span, text) in &self.notes {
            render_part(&mut out, sources, *span, ("note", text), "");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "  = help: {help}");
        }
        out
    }
}

/// Longer lines are cut to a window around the place.
const WINDOW: usize = 160;

fn render_part(
    out: &mut String,
    sources: &SourceMap,
    span: Span,
    (severity, message): (&str, &str),
    label: &str,
) {
    let place = sources.presumed(span);
    let _ = writeln!(out, "{place}: {severity}: {message}");
    let Some(excerpt) = sources.excerpt(span) else { return };
    let from = if excerpt.line.len() > WINDOW { excerpt.start.saturating_sub(60) } else { 0 };
    let until = excerpt.line.len().min(from + WINDOW);
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\t', " ");
    let number = place.line.to_string();
    let line = shown(&excerpt.line[from..until]);
    let _ = writeln!(out, "{number:>5} | {}", line.trim_end());
    let lead = shown(&excerpt.line[from..excerpt.start.max(from)]).chars().count();
    let marked_end = excerpt.end.min(until).max(excerpt.start);
    let width = shown(&excerpt.line[excerpt.start..marked_end]).chars().count().max(1);
    let tail = if label.is_empty() { String::new() } else { format!(" {label}") };
    let _ = writeln!(out, "      | {}^{}{tail}", " ".repeat(lead), "~".repeat(width - 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_line_and_caret() {
        let mut map = SourceMap::new();
        map.add("a.c", b"int x;\nint foo = bar;\n".to_vec()).expect("small");
        let message = Diagnostic::error(Span::new(17, 20), "'bar' is not declared")
            .label("here")
            .note(Span::new(4, 5), "did you mean 'x'?")
            .help("declare it");
        let expected = "a.c:2:11: error: 'bar' is not declared\n    2 | int foo = bar;\n      |           ^~~ here\na.c:1:5: note: did you mean 'x'?\n    1 | int x;\n      |     ^\n  = help: declare it\n";
        assert_eq!(message.render(&map), expected);
    }
}
