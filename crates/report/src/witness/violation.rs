//! The waypoints of a run: what the functions of the environment return, and the violation.
//!
//! A `function_return` stands at the closing parenthesis of the call, which is looked for in the
//! source; a call that a macro hides has no waypoint, which leaves more runs to the reader.

use super::{Constraint, Location, SegmentItem, Text, Waypoint, WaypointItem};
use program::Place;
use program::counterexample::{Counterexample, Taken};
use program::program::{Cause, Reading};
use rustc_hash::FxHashMap;
use term::Value;
use verify::Language;
use verify::language::Role;

/// The segments for a run. `sources` are the files of the program by the names that places use.
pub fn violation_content(
    language: &dyn Language,
    run: &Counterexample,
    sources: &FxHashMap<String, String>,
) -> Vec<SegmentItem> {
    let mut content = Vec::new();
    // What these return is no choice of the environment.
    let chosen = |taken: &&Taken| language.role(taken) == Role::Input && !taken.is_variable();
    for taken in run.taken.iter().filter(chosen) {
        let (Cause::Input(name) | Cause::Unknown(name)) = &taken.cause else { continue };
        let value = match (&taken.value, taken.reading) {
            // A constant is a double; a float equals the double that it becomes.
            (Value::Float(float), _) => {
                match float.to_f64().or_else(|| float.to_f32().map(f64::from)) {
                    Some(number) if number.is_finite() => format!("{number:?}"),
                    _ => continue,
                }
            }
            (_, Reading::Address) => continue,
            (value, reading) => language.value(value, reading),
        };
        let Some(location) = closing_parenthesis(&taken.place, name, sources) else { continue };
        let location = Location { function: Some(taken.function.to_string()), ..location };
        let value = Text::Words(format!("\\result == {value}"));
        // In 2.0 this is the format of all that speaks of results; 2.1 calls it ext_c_expression.
        let format = Some("acsl_expression".to_owned());
        content.push(segment("function_return", location, Some(Constraint { value, format })));
    }
    let location = Location {
        file_name: run.place.file.to_string(),
        line: run.place.line,
        column: Some(run.place.column),
        function: Some(run.function.to_string()),
    };
    content.push(segment("target", location, None));
    content
}

fn segment(kind: &str, location: Location, constraint: Option<Constraint>) -> SegmentItem {
    let (kind, action) = (kind.to_owned(), "follow".to_owned());
    SegmentItem {
        segment: vec![WaypointItem { waypoint: Waypoint { kind, action, location, constraint } }],
    }
}

/// Where the call of a function ends that begins at a place.
fn closing_parenthesis(
    place: &Place,
    name: &str,
    sources: &FxHashMap<String, String>,
) -> Option<Location> {
    let text = sources.get(&*place.file)?;
    let line_start = line_offset(text, place.line)?;
    let start = line_start + place.column.checked_sub(1)? as usize;
    let rest = text.get(start..)?;
    let after = rest.strip_prefix(name)?;
    let mut depth = 0usize;
    for (offset, c) in after.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    let at = start + name.len() + offset;
                    let line = place.line + text[start..at].matches('\n').count() as u32;
                    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                    let column = Some((at - line_start) as u32 + 1);
                    let file_name = place.file.to_string();
                    return Some(Location { file_name, line, column, function: None });
                }
            }
            _ if depth == 0 && !c.is_whitespace() => return None,
            _ => {}
        }
    }
    None
}

/// Where a line begins.
fn line_offset(text: &str, line: u32) -> Option<usize> {
    let mut start = 0;
    for _ in 1..line {
        start += text[start..].find('\n')? + 1;
    }
    Some(start)
}
