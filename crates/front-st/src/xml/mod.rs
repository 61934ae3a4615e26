//! Files of XML that contain Structured Text, diagrams and declarations.
//!
//! * [`twincat`]: `.TcPOU`, `.TcDUT`, `.TcGVL`, `.TcIO`: pieces of text in an envelope;
//! * [`plcopen`]: the exchange format TC6 of PLCopen, in which declarations are elements
//!   (`interface`), and bodies are text or graphs: `network` reads a graph of ladder or function
//!   block diagrams, `emit` makes statements of it, `rung` those of rungs without a graph, `chart`
//!   reads sequential function charts.
//!
//! All places lead into the XML file.

mod chart;
mod emit;
mod infer;
mod interface;
mod network;
mod plcopen;
mod rung;
mod twincat;

use crate::ast::Item;
use crate::lex::text::Text;
use crate::lex::{self, Mode};
use crate::parse::Read;
use crate::parse::parser::Parser;
use roxmltree::{Document, Node, ParsingOptions};
use source::diagnostic::Result;
use source::{Diagnostic, Span};

/// Elements after which a file is too large to be a program.
const MAX_NODES: u32 = 5_000_000;

/// Levels of elements; the reader of XML descends into them.
const MAX_DEPTH: usize = 1000;

/// Whether a text is XML.
#[must_use]
pub(crate) fn is_xml(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(text.len());
    text[start..].starts_with(b"<")
}

/// Reads a file of XML.
pub(crate) fn read(bytes: &[u8], base: u32, mode: Mode) -> Read {
    let skipped = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut read = Read::default();
    let base = base + skipped as u32;
    let failed = |at: usize, message: String| {
        let at = (base as usize + at.min(bytes.len() - skipped)) as u32;
        *Diagnostic::error(Span::new(at, at), message)
    };
    let text = match std::str::from_utf8(&bytes[skipped..]) {
        Ok(text) => text,
        Err(error) => {
            let error = failed(error.valid_up_to(), "this file is not in UTF-8".to_owned());
            read.errors.push(error);
            return read;
        }
    };
    if let Some(at) = too_deep(text) {
        read.errors.push(failed(at, format!("elements are nested more than {MAX_DEPTH} deep")));
        return read;
    }
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let pos = error.pos();
            let line = text.split_inclusive('\n').take(pos.row.saturating_sub(1) as usize);
            let start: usize = line.map(str::len).sum();
            let at = start + pos.col.saturating_sub(1) as usize;
            read.errors.push(failed(at.min(text.len()), format!("this is not XML: {error}")));
            return read;
        }
    };
    let mut reader = Reader { text, base, mode, errors: Vec::new(), warnings: Vec::new() };
    let root = document.root_element();
    read.items = match root.tag_name().name() {
        "TcPlcObject" => twincat::items(&mut reader, root),
        "project" => plcopen::items(&mut reader, root),
        // A diagram on its own: a program whose variables nobody declares.
        "LD" | "FBD" | "SFC" => vec![plcopen::diagram(&mut reader, root)],
        name => {
            let message = format!("a file with <{name}> is no program");
            let help = "PLCopen's files begin with <project>, TwinCAT's with <TcPlcObject>";
            reader.errors.push(*Diagnostic::error(reader.span(root), message).help(help));
            Vec::new()
        }
    };
    read.errors = reader.errors;
    read.warnings = reader.warnings;
    read
}

/// Where elements are nested too deep, by a rough count of tags.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (at, _) in text.match_indices('<') {
        match bytes.get(at + 1) {
            Some(b'/') => depth = depth.saturating_sub(1),
            Some(b) if b.is_ascii_alphabetic() => {
                let end = text[at..].find('>').map_or(text.len(), |end| at + end);
                if end == 0 || bytes.get(end - 1) != Some(&b'/') {
                    depth += 1;
                }
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Some(at);
        }
    }
    None
}

/// What all readers of XML use.
pub(crate) struct Reader<'a> {
    text: &'a str,
    base: u32,
    mode: Mode,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// The place of an element: its start tag.
    fn span(&self, node: Node) -> Span {
        let range = node.range();
        let tag = self.text[range.clone()].find('>').map_or(range.end, |at| range.start + at + 1);
        Span::new(self.base + range.start as u32, self.base + tag as u32)
    }

    /// Keeps a message, as functions that fail return it.
    #[allow(clippy::boxed_local)]
    fn report(&mut self, error: Box<Diagnostic>) {
        if self.errors.len() < lex::MAX_ERRORS {
            self.errors.push(*error);
        }
    }

    /// An error at an element.
    fn wrong(&mut self, node: Node, message: impl Into<String>, help: &str) {
        let error = Diagnostic::error(self.span(node), message);
        self.report(if help.is_empty() { error } else { error.help(help) });
    }

    fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.warnings.push(*Diagnostic::warning(span, message));
    }

    /// The text in an element, without tags in it.
    fn content(&self, node: Node) -> Text<'static> {
        let range = node.range();
        let raw = &self.text[range.clone()];
        let start = raw.find('>').map_or(raw.len(), |at| at + 1);
        let end =
            if raw[..start].ends_with("/>") { start } else { raw.rfind("</").unwrap_or(start) };
        self.decoded(range.start + start, range.start + end.max(start))
    }

    /// An attribute as a text of its own.
    fn attribute(&self, node: Node, name: &str) -> Option<Text<'static>> {
        let range = node.attribute_node(name)?.range_value();
        Some(self.decoded(range.start, range.end))
    }

    /// Text with references and CDATA resolved, and other tags left out.
    fn decoded(&self, start: usize, end: usize) -> Text<'static> {
        let mut out = Text::empty(self.base + start as u32);
        let mut at = start;
        while at < end {
            let rest = &self.text[at..end];
            let run = rest.find(['<', '&']).unwrap_or(rest.len());
            if run > 0 {
                out.push(&rest.as_bytes()[..run], self.base + at as u32);
                at += run;
                continue;
            }
            if let Some(data) = rest.strip_prefix("<![CDATA[") {
                let len = data.find("]]>").unwrap_or(data.len());
                out.push(&data.as_bytes()[..len], self.base + (at + 9) as u32);
                at += (9 + len + 3).min(rest.len());
            } else if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |len| len + 3);
            } else if rest.starts_with('<') {
                at += rest.find('>').map_or(rest.len(), |len| len + 1);
            } else {
                let len = rest.find(';').map_or(1, |len| len + 1);
                let decoded = reference(&rest[..len]);
                let bytes = decoded.as_deref().unwrap_or("&").as_bytes().to_vec();
                out.push(&bytes, self.base + at as u32);
                at += if decoded.is_some() { len } else { 1 };
            }
        }
        out
    }

    /// Reads a text with the parser. Errors are kept; there is a result nevertheless, as far as
    /// there can be one.
    fn with<T>(&mut self, text: &Text, work: impl FnOnce(&mut Parser) -> Result<T>) -> Option<T> {
        let mut tokens = lex::lex(text, self.mode);
        let errors = std::mem::take(&mut tokens.errors);
        errors.into_iter().for_each(|error| self.report(Box::new(error)));
        let mut parser = Parser::new(&tokens, self.mode);
        let result = work(&mut parser);
        let result = match result {
            Ok(value) => {
                if !parser.at_end() && !parser.enough() {
                    let error = parser.expected("the end of this text");
                    parser.report(error);
                }
                Some(value)
            }
            Err(error) => {
                parser.report(error);
                None
            }
        };
        let (errors, warnings) = (parser.errors, parser.warnings);
        errors.into_iter().for_each(|error| self.report(Box::new(error)));
        self.warnings.extend(warnings);
        result
    }
}

/// The character that a reference stands for: `&lt;`, `&#10;`.
fn reference(text: &str) -> Option<String> {
    let name = text.strip_prefix('&')?.strip_suffix(';')?;
    let code = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some(code.to_string())
}

/// The elements in an element with this name.
fn children<'a, 'i>(node: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

/// The first element in an element with this name.
fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.tag_name().name() == name)
}

/// The elements in an element.
fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// Items without the pragmas that only text has.
fn item(kind: crate::ast::ItemKind, span: Span) -> Item {
    Item { kind, pragmas: Vec::new(), span }
}
