//! Files of requirements, each with a name and a text for people: lists in JSON or YAML, and the
//! verification cases of PLCverif (`.vc3`).
//!
//! ```yaml
//! requirements:
//!   - name: R1
//!     text: The pump stands still while the valve is closed
//!     pattern: implication
//!     1: valve_closed
//!     2: NOT pump
//! ```
//!
//! Instead of numbers, an entry may have `expression`, `trigger`, `response` and `max_scans` or `within`,
//! or `variables` of which at most one may be true; and `id`, `description` and `kind` for `name`, `text`
//! and `pattern`. A verification case is one requirement.

use crate::compile::Stated;
use serde_yaml_ng::{Mapping, Value};
use source::{Diagnostic, SourceFile, Span};

/// A requirement of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Required {
    /// What has to hold, with its name and text.
    pub stated: Stated,
    /// Where its first expression stands.
    pub span: Span,
}

/// Whether a file of this name is one of requirements.
#[must_use]
pub fn is_file(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    matches!(ending.as_deref(), Some("yaml" | "yml" | "json" | "vc3"))
}

/// Reads a file of requirements.
///
/// # Errors
/// Messages with places.
pub fn read(file: &SourceFile) -> Result<Vec<Required>, Vec<Diagnostic>> {
    let text = crate::lex::text::decode(file.text());
    let reader = Reader { text: &text, file };
    let read = if file.name().to_ascii_lowercase().ends_with(".vc3") {
        reader.verification_case().map(|required| vec![required])
    } else {
        reader.list()
    };
    read.map_err(|error| vec![*error])
}

/// Keys of an entry that say nothing that is checked.
const SILENT: [&str; 3] = ["justification", "comment", "severity"];

/// What a key is called here.
fn known(key: &str) -> &str {
    match key {
        "id" => "name",
        "description" => "text",
        "kind" | "pattern_id" => "pattern",
        "trigger" | "expression" => "1",
        "response" => "2",
        "max_scans" | "max_cycles" | "cycles" | "within" => "3",
        other => other,
    }
}

/// The name of a pattern as [`Stated`] has it.
fn pattern_name(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('_', "-");
    match name.strip_prefix("pattern-").unwrap_or(&name) {
        "absence" => "forbidden".to_owned(),
        "assertion" => "invariant".to_owned(),
        other => other.to_owned(),
    }
}

struct Reader<'a> {
    text: &'a str,
    file: &'a SourceFile,
}

type Result1<T> = source::diagnostic::Result<T>;

impl Reader<'_> {
    /// Where a piece of text stands first, from an offset on; the file's beginning if it is written
    /// in another way.
    fn place(&self, piece: &str, from: usize) -> (Span, usize) {
        let base = self.file.base();
        let found = self.text.get(from..).and_then(|rest| rest.find(piece));
        match found.filter(|_| !piece.is_empty() && self.text.len() == self.file.text().len()) {
            Some(at) => {
                let (start, end) = (from + at, from + at + piece.len());
                (Span::new(base + start as u32, base + end as u32), end)
            }
            None => (Span::new(base, base), from),
        }
    }

    /// Where a value stands first after its key, from an offset on. The same text may stand before it, in
    /// what else an entry says.
    fn value_place(&self, key: &str, value: &str, from: usize) -> (Span, usize) {
        let begin = |at: usize| {
            let before = self.text[..at].chars().next_back();
            let apart = before.is_none_or(|c| !c.is_alphanumeric() && !"_.".contains(c));
            let rest = &self.text[at + key.len()..];
            let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
            let rest = rest.strip_prefix([':', '='])?.trim_start();
            let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
            (apart && rest.starts_with(value)).then(|| self.text.len() - rest.len())
        };
        let keys = self.text.get(from..).unwrap_or_default().match_indices(key);
        let mut found = keys.filter_map(|(at, _)| begin(from + at));
        match found.next().filter(|_| !value.is_empty()) {
            Some(at) => self.place(value, at),
            // It is written in another way: as a list, over several lines, or with other characters.
            None => self.place(key, from),
        }
    }

    fn wrong(&self, piece: &str, from: usize, message: String) -> Box<Diagnostic> {
        let error = Diagnostic::error(self.place(piece, from).0, message);
        error.help("an entry has name, text, pattern, and its expressions as 1, 2 and 3")
    }

    /// A list of entries, or an object with one.
    fn list(&self) -> Result1<Vec<Required>> {
        let value: Value = serde_yaml_ng::from_str(self.text).map_err(|error| {
            let at = error.location().map_or(0, |location| location.index());
            let at = self.file.base() + at.min(self.file.text().len()) as u32;
            Diagnostic::error(Span::new(at, at), format!("this is not YAML or JSON: {error}"))
        })?;
        let lists = ["requirements", "properties", "verification_cases"];
        let list = match &value {
            Value::Sequence(list) => Some(list),
            Value::Mapping(map) => lists.iter().find_map(|key| map.get(*key)?.as_sequence()),
            _ => None,
        };
        let list =
            list.ok_or_else(|| self.wrong("", 0, "expected a list of requirements".to_owned()))?;
        let mut all = Vec::new();
        let mut from = 0;
        for (number, entry) in (1..).zip(list) {
            let Some(entry) = entry.as_mapping() else {
                let message = format!("requirement {number} is no object with keys");
                return Err(self.wrong("", 0, message));
            };
            all.push(self.entry(entry, number, &mut from)?);
        }
        if all.is_empty() {
            return Err(self.wrong("", 0, "the list of requirements is empty".to_owned()));
        }
        Ok(all)
    }

    fn entry(&self, entry: &Mapping, number: usize, from: &mut usize) -> Result1<Required> {
        let (mut name, mut text, mut pattern) = (format!("{number}"), String::new(), None);
        let mut expressions: [Option<String>; 3] = [None, None, None];
        let mut first = None;
        for (key, value) in entry {
            let key = scalar(key).unwrap_or_default();
            let plain = scalar(value);
            if known(&key) == "1" || key == "variables" {
                first = Some((key.clone(), plain.clone().unwrap_or_default()));
            }
            if key == "kind" && plain.as_deref() == Some("reachability") {
                // ESBMC, whose word this is, reports a run to the state as a failure.
                pattern = Some("forbidden".to_owned());
                continue;
            }
            let slot = match known(&key) {
                "name" => &mut name,
                "text" => &mut text,
                "pattern" => pattern.get_or_insert_default(),
                "1" => expressions[0].get_or_insert_default(),
                "2" => expressions[1].get_or_insert_default(),
                "3" => expressions[2].get_or_insert_default(),
                "variables" => {
                    let names = value.as_sequence().map(|list| list.iter().filter_map(scalar));
                    let names: Vec<String> = names.into_iter().flatten().collect();
                    expressions[0] = Some(exclusive(&names).ok_or_else(|| {
                        self.wrong(&key, *from, format!("'{key}' needs two variables"))
                    })?);
                    continue;
                }
                silent if SILENT.contains(&silent) => continue,
                _ => return Err(self.wrong(&key, *from, format!("a requirement has no '{key}'"))),
            };
            *slot = plain
                .ok_or_else(|| self.wrong(&key, *from, format!("'{key}' is a text or a number")))?;
        }
        let Some(pattern) = pattern else {
            return Err(self.wrong(&name, *from, format!("requirement '{name}' has no pattern")));
        };
        let expressions = self.in_order(&name, expressions, *from)?;
        let (key, value) = first.unwrap_or_default();
        let (span, end) = self.value_place(&key, &value, *from);
        *from = end;
        let pattern = match pattern_name(&pattern).as_str() {
            "mutual-exclusion" => "forbidden".to_owned(),
            other => other.to_owned(),
        };
        Ok(Required { stated: Stated { name, text, ..Stated::new(pattern, expressions) }, span })
    }

    /// The expressions, none of which may be left out.
    fn in_order(
        &self,
        name: &str,
        expressions: [Option<String>; 3],
        from: usize,
    ) -> Result1<Vec<String>> {
        let count = expressions.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let all = expressions.into_iter().take(count).collect::<Option<Vec<String>>>();
        match all.filter(|all| !all.is_empty()) {
            Some(all) => Ok(all),
            None => {
                let message = format!("requirement '{name}' lacks an expression");
                Err(self.wrong(name, from, message))
            }
        }
    }

    /// `-job.req.pattern_id = pattern-implication`, `-job.req.pattern_params.1 = "instance.a"`.
    fn verification_case(&self) -> Result1<Required> {
        let (mut name, mut text, mut pattern) = (String::new(), String::new(), None);
        let mut expressions: [Option<String>; 3] = [None, None, None];
        let (mut kind, mut first) = (String::new(), String::new());
        for line in self.text.lines() {
            let Some((key, value)) = line.trim().strip_prefix('-').and_then(|l| l.split_once('='))
            else {
                continue;
            };
            let value = unquoted(value.trim());
            match key.trim() {
                "id" if name.is_empty() => name = value,
                "name" if !value.is_empty() => name = value,
                "description" => text = value,
                "job.req" => kind = value,
                "job.req.pattern_id" => pattern = Some(value),
                "job.req.pattern_params.1" => {
                    expressions[0] = Some(own(&value));
                    first = value;
                }
                "job.req.pattern_params.2" => expressions[1] = Some(own(&value)),
                "job.req.pattern_params.3" => expressions[2] = Some(own(&value)),
                _ => {}
            }
        }
        let Some(pattern) = pattern else {
            let message = match kind.as_str() {
                "" => "this verification case has no pattern".to_owned(),
                "assertion" => {
                    "this case is about assertions in the code: ask without it".to_owned()
                }
                other => format!("requirements of the kind '{other}' are not read"),
            };
            return Err(self.wrong("job.req", 0, message));
        };
        let expressions = self.in_order(&name, expressions, 0)?;
        let span = self.value_place("job.req.pattern_params.1", &first, 0).0;
        let stated = Stated { name, text, ..Stated::new(pattern_name(&pattern), expressions) };
        Ok(Required { stated, span })
    }
}

/// A text, number or truth value as text.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(true) => Some("TRUE".to_owned()),
        Value::Bool(false) => Some("FALSE".to_owned()),
        _ => None,
    }
}

/// That two of the variables are true.
fn exclusive(names: &[String]) -> Option<String> {
    let mut pairs = Vec::new();
    for (index, first) in names.iter().enumerate() {
        pairs.extend(names[index + 1..].iter().map(|second| format!("({first} AND {second})")));
    }
    if pairs.is_empty() { None } else { Some(pairs.join(" OR ")) }
}

/// A value of a verification case without its quotes.
fn unquoted(value: &str) -> String {
    match value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    }
}

/// PLCverif calls the instance of the verified block `instance`; here its variables have their own
/// names.
fn own(expression: &str) -> String {
    let mut out = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(at) = rest.find("instance.") {
        let inside = rest[..at].chars().next_back().or(out.chars().next_back().filter(|_| at == 0));
        out.push_str(&rest[..at]);
        if inside.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
            out.push_str("instance.");
        }
        rest = &rest[at + "instance.".len()..];
    }
    out.push_str(rest);
    out
}
