//! The form of SV-COMP's witnesses in YAML, version 2.0, as the format's public description has it:
//! which keys there are, which of them may be missing, and what they hold.

use serde_yaml_ng::{Mapping, Value};

/// What is wrong with a witness, each with the path to it; nothing if it is of the format.
pub fn problems(text: &str) -> Vec<String> {
    let mut check = Check::default();
    match serde_yaml_ng::from_str(text) {
        Ok(Value::Sequence(entries)) if !entries.is_empty() => {
            for (number, entry) in entries.iter().enumerate() {
                check.at(&number.to_string(), |check| check.entry(entry));
            }
        }
        Ok(_) => check.say("a witness is a list of entries"),
        Err(error) => check.say(&error.to_string()),
    }
    check.problems
}

#[derive(Default)]
struct Check {
    path: Vec<String>,
    problems: Vec<String>,
}

impl Check {
    fn say(&mut self, problem: &str) {
        self.problems.push(format!("{}: {problem}", self.path.join(".")));
    }

    fn at(&mut self, step: &str, check: impl FnOnce(&mut Check)) {
        self.path.push(step.to_owned());
        check(self);
        self.path.pop();
    }

    /// A mapping with all of some keys and perhaps some more.
    fn mapping<'v>(
        &mut self,
        value: &'v Value,
        needed: &[&str],
        allowed: &[&str],
    ) -> Option<&'v Mapping> {
        let Some(mapping) = value.as_mapping() else {
            self.say("this is a mapping");
            return None;
        };
        for key in needed {
            if !mapping.contains_key(*key) {
                self.say(&format!("{key} is missing"));
            }
        }
        for key in mapping.keys() {
            let known = |name: &str| needed.contains(&name) || allowed.contains(&name);
            if !key.as_str().is_some_and(known) {
                self.say(&format!("there is no key {key:?}"));
            }
        }
        Some(mapping)
    }

    /// The value of a key, checked if it is there.
    fn key(&mut self, mapping: &Mapping, key: &str, check: impl FnOnce(&mut Check, &Value)) {
        if let Some(value) = mapping.get(key) {
            self.at(key, |at| check(at, value));
        }
    }

    fn text(&mut self, mapping: &Mapping, key: &str, fits: impl Fn(&str) -> bool) {
        self.key(mapping, key, |at, value| match value.as_str() {
            Some(text) if fits(text) => {}
            Some(text) => at.say(&format!("'{text}' does not fit")),
            None => at.say("this is a text"),
        });
    }

    fn list(&mut self, mapping: &Mapping, key: &str, each: impl Fn(&mut Check, &Value)) {
        self.key(mapping, key, |at, value| match value.as_sequence() {
            Some(items) => {
                for (number, item) in items.iter().enumerate() {
                    at.at(&number.to_string(), |at| each(at, item));
                }
            }
            None => at.say("this is a list"),
        });
    }

    fn entry(&mut self, entry: &Value) {
        let Some(keys) = self.mapping(entry, &["entry_type", "metadata", "content"], &[]) else {
            return;
        };
        self.key(keys, "metadata", |at, metadata| at.metadata(metadata));
        match keys.get("entry_type").and_then(Value::as_str) {
            Some("invariant_set") => self.list(keys, "content", Check::invariant),
            Some("violation_sequence") => {
                let segments = keys.get("content").and_then(Value::as_sequence).map_or(0, Vec::len);
                if segments == 0 {
                    self.say("a sequence has segments");
                }
                self.list(keys, "content", |at, item| {
                    let last = at.path.last().is_some_and(|n| *n == (segments - 1).to_string());
                    at.segment(item, last);
                });
            }
            _ => self.say("the entry_type is invariant_set or violation_sequence"),
        }
    }

    fn metadata(&mut self, metadata: &Value) {
        let needed = ["format_version", "uuid", "creation_time", "producer", "task"];
        let Some(keys) = self.mapping(metadata, &needed, &[]) else { return };
        self.text(keys, "format_version", |version| version == "2.0");
        self.text(keys, "uuid", is_uuid);
        self.text(keys, "creation_time", is_time);
        self.key(keys, "producer", |at, producer| {
            let optional = ["configuration", "description", "command_line"];
            let Some(keys) = at.mapping(producer, &["name", "version"], &optional) else { return };
            for key in ["name", "version"].iter().chain(&optional) {
                at.text(keys, key, |text| !text.is_empty());
            }
        });
        self.key(keys, "task", Check::task);
    }

    fn task(&mut self, task: &Value) {
        let needed =
            ["input_files", "input_file_hashes", "specification", "data_model", "language"];
        let Some(keys) = self.mapping(task, &needed, &[]) else { return };
        let hashes = keys.get("input_file_hashes").and_then(Value::as_mapping);
        let files = keys.get("input_files").and_then(Value::as_sequence);
        if files.is_none_or(Vec::is_empty) {
            self.say("there are input files");
        }
        self.list(keys, "input_files", |at, file| {
            let hash = hashes.and_then(|hashes| hashes.get(file)).and_then(Value::as_str);
            let is_digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
            if !hash.is_some_and(|hash| hash.len() == 64 && hash.chars().all(is_digit)) {
                at.say("each file has a SHA-256 sum");
            }
        });
        self.text(keys, "specification", |text| text.starts_with("CHECK( init("));
        self.text(keys, "data_model", |model| model == "ILP32" || model == "LP64");
        self.text(keys, "language", |language| language == "C");
    }

    fn location(&mut self, location: &Value) {
        let optional = ["column", "function"];
        let Some(keys) = self.mapping(location, &["file_name", "line"], &optional) else { return };
        self.text(keys, "file_name", |name| !name.is_empty());
        self.text(keys, "function", |name| !name.is_empty());
        for key in ["line", "column"] {
            self.key(keys, key, |at, number| {
                if number.as_u64().is_none_or(|number| number == 0) {
                    at.say("this is a number from 1 on");
                }
            });
        }
    }

    fn invariant(&mut self, item: &Value) {
        let Some(item) = self.mapping(item, &["invariant"], &[]) else { return };
        self.key(item, "invariant", |at, invariant| {
            let needed = ["type", "location", "value", "format"];
            let Some(keys) = at.mapping(invariant, &needed, &[]) else { return };
            at.text(keys, "type", |kind| ["loop_invariant", "location_invariant"].contains(&kind));
            at.key(keys, "location", Check::location);
            at.text(keys, "value", |value| !value.trim().is_empty());
            at.text(keys, "format", |format| format == "c_expression");
        });
    }

    /// Waypoints to avoid, and one to follow; the last segment ends at the target.
    fn segment(&mut self, item: &Value, last: bool) {
        let Some(item) = self.mapping(item, &["segment"], &[]) else { return };
        let waypoints = item.get("segment").and_then(Value::as_sequence);
        let count = waypoints.map_or(0, Vec::len);
        if count == 0 {
            self.say("a segment has waypoints");
        }
        self.list(item, "segment", |at, item| {
            let end = at.path.last().is_some_and(|number| *number == (count - 1).to_string());
            let Some(item) = at.mapping(item, &["waypoint"], &[]) else { return };
            at.key(item, "waypoint", |at, waypoint| at.waypoint(waypoint, end, last && end));
        });
    }

    fn waypoint(&mut self, waypoint: &Value, end: bool, is_target: bool) {
        let needed = ["type", "action", "location"];
        let Some(keys) = self.mapping(waypoint, &needed, &["constraint"]) else { return };
        self.text(keys, "action", |action| action == if end { "follow" } else { "avoid" });
        self.key(keys, "location", Check::location);
        let kind = keys.get("type").and_then(Value::as_str).unwrap_or_default();
        if is_target != (kind == "target") {
            self.say("the target, and nothing else, ends the sequence");
        }
        // Which format a constraint has, and whether there must be one.
        let (format, constrained) = match kind {
            "assumption" => (Some("c_expression"), Some(true)),
            "function_return" => (Some("acsl_expression"), None),
            "branching" => (None, Some(true)),
            "function_enter" | "target" => (None, Some(false)),
            _ => return self.say("there are five types of waypoints"),
        };
        if constrained.is_some_and(|there| there != keys.contains_key("constraint")) {
            self.say("a constraint is missing, or there is one too many");
        }
        self.key(keys, "constraint", |at, constraint| {
            let needed: &[&str] = if format.is_some() { &["value", "format"] } else { &["value"] };
            let Some(keys) = at.mapping(constraint, needed, &[]) else { return };
            at.text(keys, "format", |given| Some(given) == format);
            let returned = kind == "function_return";
            at.text(keys, "value", |text| !returned || text.starts_with("\\result "));
        });
    }
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_hexdigit()))
}

/// Whether a text is a date and a time with its zone, as RFC 3339 writes them.
fn is_time(text: &str) -> bool {
    let pattern = "0000-00-00T00:00:00";
    let like = |(pattern, c): (char, char)| match pattern {
        '0' => c.is_ascii_digit(),
        other => c == other,
    };
    let Some((clock, zone)) = text.split_at_checked(pattern.len()) else { return false };
    pattern.chars().zip(clock.chars()).all(like)
        && (zone.ends_with('Z') || zone.contains('+') || zone.contains('-'))
}
